"""scikit-learn integration: a scorer of the model, and a cross-validation splitter that does not split ranges."""

from rangewise.pipelines.scorers import sklearn_scorer
from rangewise.pipelines.splitting import RangeSplit

__all__ = ["RangeSplit", "sklearn_scorer"]
