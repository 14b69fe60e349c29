"""Reading files of labels, ranges and series, public data sets, and generated series."""

from typing import TYPE_CHECKING

from rangewise.later import loaded_later

if TYPE_CHECKING:
    from rangewise.datasets.arguments import read_annotations, read_events
    from rangewise.datasets.cases import read_case
    from rangewise.datasets.nab import NabResults, load_nab, load_nab_corpus, nab_names, nab_thresholds, read_nab, read_nab_results
    from rangewise.datasets.paper_labels import load_paper_labels
    from rangewise.datasets.real_series import kpi_names, load_discord, load_kpi, load_skab, load_ucr, skab_names, ucr_names
    from rangewise.files.annotations import Annotations
    from rangewise.files.conversion import write_annotations
    from rangewise.files.formats.alertmanager import read_alertmanager
    from rangewise.files.formats.grafana import read_grafana
    from rangewise.files.formats.label_studio import read_label_studio
    from rangewise.files.formats.label_table import read_series_table
    from rangewise.files.formats.labels import read_labels
    from rangewise.files.formats.nab_result import read_nab_result
    from rangewise.files.formats.nab_windows import read_nab_windows
    from rangewise.files.formats.orion import read_orion
    from rangewise.files.formats.prometheus import read_prometheus
    from rangewise.files.formats.range_table import read_range_table
    from rangewise.files.formats.timeeval import read_timeeval
    from rangewise.files.formats.tsb_ad import read_tsb_ad
    from rangewise.files.formats.ucr import read_ucr
    from rangewise.files.series import Series
    from rangewise.files.times import TimeRanges
    from rangewise.generate.bases import BASES
    from rangewise.generate.front_back import back_predicted, front_predicted
    from rangewise.generate.kinds import KINDS
    from rangewise.generate.maker import generate, make_series
    from rangewise.generate.paper_four import paper_series
    from rangewise.generate.plan import Anomalies
    from rangewise.generate.recipe import Recipe

__all__ = [
    "BASES",
    "KINDS",
    "Annotations",
    "Anomalies",
    "NabResults",
    "Recipe",
    "Series",
    "TimeRanges",
    "back_predicted",
    "front_predicted",
    "generate",
    "kpi_names",
    "load_discord",
    "load_kpi",
    "load_nab",
    "load_nab_corpus",
    "load_paper_labels",
    "load_skab",
    "load_ucr",
    "make_series",
    "nab_names",
    "nab_thresholds",
    "paper_series",
    "read_alertmanager",
    "read_annotations",
    "read_case",
    "read_events",
    "read_grafana",
    "read_label_studio",
    "read_labels",
    "read_nab",
    "read_nab_result",
    "read_nab_results",
    "read_nab_windows",
    "read_orion",
    "read_prometheus",
    "read_range_table",
    "read_series_table",
    "read_timeeval",
    "read_tsb_ad",
    "read_ucr",
    "skab_names",
    "ucr_names",
    "write_annotations",
]

# Loaded on request: commands that read a file do not wait for the other modules, and the generator is in a higher layer.
_NAMES = {
    "datasets.arguments": "read_annotations read_events",
    "datasets.cases": "read_case",
    "datasets.nab": "NabResults load_nab load_nab_corpus nab_names nab_thresholds read_nab read_nab_results",
    "datasets.paper_labels": "load_paper_labels",
    "datasets.real_series": "kpi_names load_discord load_kpi load_skab load_ucr skab_names ucr_names",
    "files.annotations": "Annotations",
    "files.conversion": "write_annotations",
    "files.formats.alertmanager": "read_alertmanager",
    "files.formats.grafana": "read_grafana",
    "files.formats.label_studio": "read_label_studio",
    "files.formats.label_table": "read_series_table",
    "files.formats.labels": "read_labels",
    "files.formats.nab_result": "read_nab_result",
    "files.formats.nab_windows": "read_nab_windows",
    "files.formats.orion": "read_orion",
    "files.formats.prometheus": "read_prometheus",
    "files.formats.range_table": "read_range_table",
    "files.formats.timeeval": "read_timeeval",
    "files.formats.tsb_ad": "read_tsb_ad",
    "files.formats.ucr": "read_ucr",
    "files.series": "Series",
    "files.times": "TimeRanges",
    "generate.bases": "BASES",
    "generate.front_back": "back_predicted front_predicted",
    "generate.kinds": "KINDS",
    "generate.maker": "generate make_series",
    "generate.paper_four": "paper_series",
    "generate.plan": "Anomalies",
    "generate.recipe": "Recipe",
}

__getattr__, __dir__ = loaded_later(__name__, {name: module for module, names in _NAMES.items() for name in names.split()})
