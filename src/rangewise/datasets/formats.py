"""The old place of ``read_marks`` and its like; goes in 0.3."""

import warnings

from rangewise.datasets.arguments import read_marks, read_rows_beside, read_sides, read_timestamps
from rangewise.files.conversion import write_marks
from rangewise.files.formats.table import FORMATS

__all__ = ["FORMATS", "read_marks", "read_rows_beside", "read_sides", "read_timestamps", "write_marks"]

warnings.warn("rangewise.datasets.formats goes in 0.3; rangewise.datasets has its names", DeprecationWarning, stacklevel=2)
