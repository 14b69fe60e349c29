"""Statistics of a comparison, usable alone on any table of scores: intervals, paired tests, ranks.

>>> pair = compare_pair("a", "b", [0.9, 0.8, 0.7, 0.9, 0.8, 0.9, 0.7], [0.5, 0.6, 0.7, 0.4, 0.3, 0.5, 0.6])
>>> pair.won, pair.tied, pair.lost, pair.p
(6, 1, 0, 0.03125)
"""

from rangewise.bench.statistics.groups import Groups, group_means, groups_from_names, intraclass_correlation, pair_correlations
from rangewise.bench.statistics.intervals import (
    MIN_SERIES,
    Interval,
    effective_number,
    mean_interval,
    median_interval,
    pooled_difference,
    pooled_intervals,
)
from rangewise.bench.statistics.pairs import Pair, compare_all, compare_pair, holm, min_possible_p, signed_rank
from rangewise.bench.statistics.ranks import Friedman, cliques, critical_difference, friedman, mean_ranks, nemenyi, rank_rows, standing
from rangewise.bench.statistics.resampling import Resamples, bootstrap, bootstrap_means
from rangewise.bench.statistics.simulation import FalseRejections, false_rejections
from rangewise.bench.statistics.tallies import TallyTable

__all__ = [
    "MIN_SERIES",
    "FalseRejections",
    "Friedman",
    "Groups",
    "Interval",
    "Pair",
    "Resamples",
    "TallyTable",
    "bootstrap",
    "bootstrap_means",
    "cliques",
    "compare_all",
    "compare_pair",
    "critical_difference",
    "effective_number",
    "false_rejections",
    "friedman",
    "group_means",
    "groups_from_names",
    "holm",
    "intraclass_correlation",
    "mean_interval",
    "mean_ranks",
    "median_interval",
    "min_possible_p",
    "nemenyi",
    "pair_correlations",
    "pooled_difference",
    "pooled_intervals",
    "rank_rows",
    "signed_rank",
    "standing",
]
