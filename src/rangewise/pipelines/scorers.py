"""The model as a scikit-learn scorer."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rangewise.checks import shown, unknown_name
from rangewise.inputs.ranges import RangesLike
from rangewise.model.model import RangeModel

_TARGETS = ("f", "precision", "recall")


def sklearn_scorer(model: RangeModel | None = None, *, target: Literal["f", "precision", "recall"] = "f", outliers: bool = False) -> Any:
    """A scorer for ``GridSearchCV``, ``cross_val_score`` and ``TunedThresholdClassifierCV``: F, precision or recall of the model.

    From 0 to 1, higher is better; ``zero_division`` of the model if a side is empty. The rows must be one series in chronological order:
    use :class:`rangewise.RangeSplit` instead of shuffled folds. ``outliers=True`` is for scikit-learn's outlier detectors, which predict
    -1 for anomalous and 1 for normal rows. Needs scikit-learn.

    >>> from rangewise.detectors import ZScore
    >>> values, real = [0.0, 1.0] * 10 + [9.0, 9.0], [0] * 20 + [1, 1]
    >>> sklearn_scorer()(ZScore(threshold=2.0).fit(values), values, real)
    1.0
    """
    if model is not None and not isinstance(model, RangeModel):
        raise TypeError(f"model must be a RangeModel; got {shown(model)}")
    if target not in _TARGETS:
        raise unknown_name("target", target, _TARGETS)
    try:
        from sklearn.metrics import make_scorer
    except ImportError as error:
        raise ModuleNotFoundError("sklearn_scorer needs scikit-learn: pip install scikit-learn") from error
    return make_scorer(range_score, model=RangeModel() if model is None else model, target=target, outliers=outliers)


def range_score(real: RangesLike, predicted: Any, *, model: RangeModel, target: str, outliers: bool) -> float:
    """Precision, recall or F of a model; a module-level function, so that scorers can be pickled."""
    labels = np.asarray(predicted)
    if outliers:
        strange = np.flatnonzero(~np.isin(labels, (-1, 1)))
        if strange.size:
            raise ValueError(
                f"prediction {strange[0]} is {labels[strange[0]]}; expected -1 or 1 with outliers=True; leave it out for 0/1 predictions"
            )
        labels = labels == -1
    elif (labels == -1).any():
        raise ValueError("predictions contain -1; for scikit-learn's outlier detectors, give outliers=True")
    score: float = getattr(model.score(real, labels), target)
    return score
