"""Score many series at once: one score per series and totals, or one threshold for all, on one machine or a cluster."""

from rangewise.many.channels import score_channels
from rangewise.many.pooled import PooledCurve, pooled_curve
from rangewise.many.scores import ManyDetectors, ManyScores, SeriesScore
from rangewise.many.scoring import score_many

__all__ = ["ManyDetectors", "ManyScores", "PooledCurve", "SeriesScore", "pooled_curve", "score_channels", "score_many"]
