"""Reading files of labels, ranges and series, public data sets, and generated series."""

from typing import TYPE_CHECKING, Any

from rangewise.datasets.arguments import read_annotations, read_events
from rangewise.datasets.cases import read_case
from rangewise.datasets.discords import load_discord
from rangewise.datasets.nab import NabResults, load_nab, load_nab_corpus, nab_names, nab_thresholds, read_nab, read_nab_results
from rangewise.datasets.paper_labels import load_paper_labels
from rangewise.datasets.real_series import kpi_names, load_kpi, load_skab, load_ucr, skab_names, ucr_names
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

if TYPE_CHECKING:
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

# The generator is in a higher layer, so its names are loaded here on request.
_GENERATED = {
    "BASES": "generate.bases",
    "back_predicted": "generate.front_back",
    "front_predicted": "generate.front_back",
    "KINDS": "generate.kinds",
    "generate": "generate.maker",
    "make_series": "generate.maker",
    "paper_series": "generate.paper_four",
    "Anomalies": "generate.plan",
    "Recipe": "generate.recipe",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _GENERATED:
        raise AttributeError(f"module 'rangewise.datasets' has no attribute {name!r}")
    found = getattr(import_module(f"rangewise.{_GENERATED[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
