"""Benchmarks: many detectors on many series, with limits, recorded failures, a store to resume from, and statistics.

>>> import rangewise as rw
>>> exp = rw.bench.Experiment(name="tiny", detectors=["z-score"], series=[{"generate": {"base": "sine", "length": 2000}}])
>>> results = rw.bench.run(exp, store=None, workers=1)
>>> [(row["detector"], row["status"]) for row in results.rows()][:2]
[('z-score', 'ok'), ('absolute-difference', 'ok')]
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rangewise.bench import statistics
    from rangewise.bench.detector_choice import DetectorChoice
    from rangewise.bench.experiment import Experiment, Limits
    from rangewise.bench.metric_choice import MetricChoice
    from rangewise.bench.published_table import PublishedTable, table
    from rangewise.bench.results import Results, read
    from rangewise.bench.runner import SchedulerLostError, run
    from rangewise.bench.series_choice import SeriesChoice
    from rangewise.bench.tsb_ad_leaderboard import TsbAdRows, tsb_ad_rows

__all__ = [
    "DetectorChoice",
    "Experiment",
    "Limits",
    "MetricChoice",
    "PublishedTable",
    "Results",
    "SchedulerLostError",
    "SeriesChoice",
    "TsbAdRows",
    "read",
    "run",
    "statistics",
    "table",
    "tsb_ad_rows",
]

# Workers import this package first, so modules that they do not need are loaded on request.
_LATER = {
    "DetectorChoice": "detector_choice",
    "Experiment": "experiment",
    "Results": "results",
    "Limits": "experiment",
    "MetricChoice": "metric_choice",
    "PublishedTable": "published_table",
    "SchedulerLostError": "runner",
    "SeriesChoice": "series_choice",
    "read": "results",
    "run": "runner",
    "table": "published_table",
    "TsbAdRows": "tsb_ad_leaderboard",
    "tsb_ad_rows": "tsb_ad_leaderboard",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "statistics":
        return import_module("rangewise.bench.statistics")
    if name not in _LATER:
        raise AttributeError(f"module 'rangewise.bench' has no attribute {name!r}")
    member = getattr(import_module(f"rangewise.bench.{_LATER[name]}"), name)
    globals()[name] = member
    return member


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
