"""scikit-learn's pipelines and searches: a scorer of the model, and a split that cuts no range."""

from rangewise.pipelines.scorers import sklearn_scorer
from rangewise.pipelines.splitting import RangeSplit

__all__ = ["RangeSplit", "sklearn_scorer"]
