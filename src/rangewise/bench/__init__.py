"""Benchmarks: many detectors on many series, with limits, recorded failures, a store to resume from, and statistics.

>>> import rangewise as rw
>>> exp = rw.bench.Experiment(name="tiny", detectors=["z-score"], series=[{"generate": {"base": "sine", "length": 2000}}])
>>> results = rw.bench.run(exp, store=None, workers=1)
>>> [(row["detector"], row["status"]) for row in results.rows()][:2]
[('z-score', 'ok'), ('absolute-difference', 'ok')]
"""

from typing import TYPE_CHECKING

from rangewise.later import loaded_later

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
    "DetectorChoice": "bench.detector_choice",
    "Experiment": "bench.experiment",
    "Results": "bench.results",
    "Limits": "bench.experiment",
    "MetricChoice": "bench.metric_choice",
    "PublishedTable": "bench.published_table",
    "SchedulerLostError": "bench.runner",
    "SeriesChoice": "bench.series_choice",
    "read": "bench.results",
    "run": "bench.runner",
    "table": "bench.published_table",
    "TsbAdRows": "bench.tsb_ad_leaderboard",
    "tsb_ad_rows": "bench.tsb_ad_leaderboard",
}

__getattr__, __dir__ = loaded_later(__name__, _LATER, ("statistics",))
