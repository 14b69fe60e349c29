"""Many series at once: one score per series and the totals, one threshold for all of them, on one machine or on many."""

from rangewise.many.channels import score_channels
from rangewise.many.pooled import PooledCurve, pooled_curve
from rangewise.many.scores import ManyDetectors, ManyScores, SeriesScore
from rangewise.many.scoring import score_many

__all__ = ["ManyDetectors", "ManyScores", "PooledCurve", "SeriesScore", "pooled_curve", "score_channels", "score_many"]
