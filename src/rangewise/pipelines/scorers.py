"""The model as a scorer of scikit-learn."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rangewise.checks import shown, unknown_name
from rangewise.inputs.ranges import RangesLike
from rangewise.model.model import RangeModel

_TARGETS = ("f", "precision", "recall")


def sklearn_scorer(model: RangeModel | None = None, *, target: Literal["f", "precision", "recall"] = "f", outliers: bool = False) -> Any:
    """What ``GridSearchCV``, ``cross_val_score`` and ``TunedThresholdClassifierCV`` take as ``scoring``: F of the model, or one side of it.

    From 0 to 1, higher is better; ``zero_division`` of the model where a side is empty. The rows are one series in the order of time:
    use it with :class:`rangewise.RangeSplit`, not with folds that are shuffled. ``outliers=True`` reads predictions as scikit-learn's
    outlier detectors give them: -1 is anomalous, 1 is not. Needs scikit-learn.

    >>> from rangewise.detectors import ZScore
    >>> values, real = [0.0, 1.0] * 10 + [9.0, 9.0], [0] * 20 + [1, 1]
    >>> sklearn_scorer()(ZScore(threshold=2.0).fit(values), values, real)
    1.0
    """
    if model is not None and not isinstance(model, RangeModel):
        raise TypeError(f"a scorer is made of a RangeModel; got {shown(model)}")
    if target not in _TARGETS:
        raise unknown_name("target", target, _TARGETS)
    try:
        from sklearn.metrics import make_scorer
    except ImportError as error:
        raise ModuleNotFoundError("a scorer for scikit-learn needs it: pip install scikit-learn") from error
    return make_scorer(range_score, model=RangeModel() if model is None else model, target=target, outliers=outliers)


def range_score(real: RangesLike, predicted: Any, *, model: RangeModel, target: str, outliers: bool) -> float:
    """Precision, recall or F of a model; a function of this module, so that scorers go to other processes."""
    found = np.asarray(predicted)
    if outliers:
        strange = np.flatnonzero(~np.isin(found, (-1, 1)))
        if strange.size:
            raise ValueError(
                f"prediction {strange[0]} is {found[strange[0]]}; outlier detectors of scikit-learn say -1 or 1: leave outliers out"
            )
        found = found == -1
    elif (found == -1).any():
        raise ValueError("predictions have -1, as scikit-learn's outlier detectors say for what is anomalous: give outliers=True")
    score: float = getattr(model.score(real, found), target)
    return score
