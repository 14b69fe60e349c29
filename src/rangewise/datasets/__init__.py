"""Reading what people have: files become labels, ranges and series."""

from rangewise.datasets.labels import read_labels
from rangewise.datasets.series import Series

__all__ = ["Series", "read_labels"]
