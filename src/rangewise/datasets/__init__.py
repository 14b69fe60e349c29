"""Reading what people have: files become labels, ranges and series. Generating what they need: labelled series of any size."""

from rangewise.datasets.anomalies import KINDS
from rangewise.datasets.bases import BASES
from rangewise.datasets.front_back import back_predicted, front_predicted
from rangewise.datasets.generate import generate, make_series
from rangewise.datasets.labels import read_labels
from rangewise.datasets.nab import NabResults, nab_names, nab_thresholds, read_nab, read_nab_results
from rangewise.datasets.paper_series import paper_series
from rangewise.datasets.plan import Anomalies
from rangewise.datasets.recipe import Recipe
from rangewise.datasets.series import Series

__all__ = [
    "BASES",
    "KINDS",
    "Anomalies",
    "NabResults",
    "Recipe",
    "Series",
    "back_predicted",
    "front_predicted",
    "generate",
    "make_series",
    "nab_names",
    "nab_thresholds",
    "paper_series",
    "read_labels",
    "read_nab",
    "read_nab_results",
]
