"""Who wins under which settings, and which settings fit an expert's judgements."""

from rangewise.rankings.comparison import Ranking, ranking
from rangewise.rankings.judgements import Fit, Interval, fit_model
from rangewise.rankings.places import Crossing, Segment

__all__ = ["Crossing", "Fit", "Interval", "Ranking", "Segment", "fit_model", "ranking"]
