"""Scores: one number per point, checked once. A point is predicted where its score is at or above the threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number
from rangewise.inputs.ranges import Ranges, array_of


def read_scores(scores: Any, name: str = "scores") -> NDArray[Any]:
    """One number per point, none of them nan; integers, float32 and float64 keep their type."""
    values = score_array(scores, name)
    check_no_nan(values, name)
    return values


def score_array(scores: Any, name: str = "scores") -> NDArray[Any]:
    """The same without the check for nan, which missing scores become."""
    values = array_of(scores, name, "score")
    if values.ndim != 1:
        raise ValueError(f"{name} have shape {values.shape}; expected one number per point")
    if values.size == 0:
        return values.astype(np.float64)
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "b":
        values = values.view(np.uint8)
    elif kind == "f" and size not in (4, 8):
        values = values.astype(np.float64)
    elif kind not in "iuf":
        raise TypeError(f"{name} have dtype {values.dtype}; expected numbers")
    if not values.dtype.isnative or not values.flags.aligned:
        values = values.astype(values.dtype.newbyteorder("="))
    return values


def check_no_nan(scores: NDArray[Any], name: str = "scores", way_out: str = "") -> None:
    """Refuse nan: comparisons with nan are False, which would silently predict a normal point."""
    # The minimum of an array with nan is nan, so no array of booleans is needed.
    if scores.dtype.kind == "f" and scores.size and np.isnan(scores.min()):
        at = int(np.flatnonzero(np.isnan(scores))[0])
        raise ValueError(
            f"{'' if name == 'scores' else f'{name}: '}score {at} is nan; a point is predicted where score >= threshold, "
            f"so give every point a number (inf is one){way_out}"
        )


def read_threshold(threshold: Any, scores: NDArray[Any], name: str = "a threshold") -> Any:
    """A threshold in the type of the scores, so that the float32 score nearest to 0.7 reaches 0.7."""
    value = number(name, threshold)
    if np.isnan(value):
        raise ValueError(f"{name} must be a number; got nan")
    if isinstance(threshold, (int, np.integer)) and scores.dtype.kind in "iu":
        return threshold
    return scores.dtype.type(value) if scores.dtype.kind == "f" else value


def is_scores(given: Any, name: str) -> bool:
    """Whether the values are scores; 0 and 1, pairs and times are a prediction.

    >>> is_scores([0, 1, 1], "a"), is_scores([0.0, 0.5], "a"), is_scores([(0, 5)], "a")
    (False, True, False)
    """
    if isinstance(given, Ranges):
        return False
    array = array_of(given, name, "score")
    return array.ndim == 1 and array.dtype.kind in "iuf" and not bool(np.all((array == 0) | (array == 1)))
