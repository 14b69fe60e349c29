"""Reading what people have: files become labels, ranges and series. Generating what they need: labelled series of any size."""

from rangewise.datasets.anomalies import KINDS
from rangewise.datasets.bases import BASES
from rangewise.datasets.discords import load_discord
from rangewise.datasets.formats import read_marks, read_sides, write_marks
from rangewise.datasets.front_back import back_predicted, front_predicted
from rangewise.datasets.generate import generate, make_series
from rangewise.datasets.grafana import read_grafana
from rangewise.datasets.label_studio import read_label_studio
from rangewise.datasets.labels import read_labels
from rangewise.datasets.marks import Marks
from rangewise.datasets.nab import NabResults, load_nab, nab_corpus, nab_names, nab_thresholds, read_nab, read_nab_results
from rangewise.datasets.nab_windows import read_nab_windows
from rangewise.datasets.paper_labels import load_paper_labels
from rangewise.datasets.paper_series import paper_series
from rangewise.datasets.plan import Anomalies
from rangewise.datasets.prometheus import read_prometheus
from rangewise.datasets.range_table import read_orion, read_range_table
from rangewise.datasets.recipe import Recipe
from rangewise.datasets.series import Series
from rangewise.datasets.series_table import read_nab_result, read_series_table
from rangewise.datasets.timeeval import read_timeeval
from rangewise.datasets.times import TimeRanges
from rangewise.datasets.tsb_ad import read_tsb_ad
from rangewise.datasets.ucr import read_ucr

__all__ = [
    "BASES",
    "KINDS",
    "Anomalies",
    "Marks",
    "NabResults",
    "Recipe",
    "Series",
    "TimeRanges",
    "back_predicted",
    "front_predicted",
    "generate",
    "load_discord",
    "load_nab",
    "load_paper_labels",
    "make_series",
    "nab_corpus",
    "nab_names",
    "nab_thresholds",
    "paper_series",
    "read_grafana",
    "read_label_studio",
    "read_labels",
    "read_marks",
    "read_nab",
    "read_nab_result",
    "read_nab_results",
    "read_nab_windows",
    "read_orion",
    "read_prometheus",
    "read_range_table",
    "read_series_table",
    "read_sides",
    "read_timeeval",
    "read_tsb_ad",
    "read_ucr",
    "write_marks",
]
