"""Scores: one number per point, checked once. A point is predicted where its score is at or above the threshold.

Missing scores, such as the tail of a matrix profile, are an error, or handled as ``missing=`` says. Gaps between predictions are closed at
every threshold at once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number, unknown_name, whole
from rangewise.inputs.clocks import Clock, RowClock
from rangewise.inputs.instants import duration, duration_text
from rangewise.inputs.ranges import Ranges, array_of

Missing = Literal["error", "lowest", "ignore"]
MISSING = ("error", "lowest", "ignore")
WAY_OUT = "say how to treat missing scores: missing='lowest' or missing='ignore'"


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


def threshold_of(score: Any) -> float:
    """A score as a threshold that it reaches: a float, or a large integer that is no float.

    >>> threshold_of(np.int64(3)), threshold_of(np.int64(2**60 + 1))
    (3.0, 1152921504606846977)
    """
    value = float(score)
    return value if value == score.item() else score.item()


def is_scores(given: Any, name: str) -> bool:
    """Whether the values are scores; 0 and 1, pairs and times are a prediction.

    >>> is_scores([0, 1, 1], "a"), is_scores([0.0, 0.5], "a"), is_scores([(0, 5)], "a")
    (False, True, False)
    """
    if isinstance(given, Ranges) or (isinstance(given, (list, tuple)) and given and isinstance(given[0], (list, tuple))):
        return False
    array = array_of(given, name, "score")
    return array.ndim == 1 and array.dtype.kind in "iuf" and not bool(np.all((array == 0) | (array == 1)))


def check_missing(missing: str) -> None:
    """Refuse an unknown value of ``missing=``."""
    if missing not in MISSING:
        raise unknown_name("missing", str(missing), MISSING)


def refuse_missing(missing: str) -> None:
    """Refuse ``missing=`` if the prediction is labels or ranges, which have no scores."""
    if missing != "error":
        raise ValueError(f"missing={missing!r} is for nan scores, but the prediction has no scores; leave it out")


def fill_missing(scores: NDArray[Any], missing: str, name: str = "scores") -> tuple[NDArray[Any], Ranges | None]:
    """Scores without nan, and the rows to ignore.

    ``"lowest"`` replaces a missing score by the lowest of the others, ``"ignore"`` ignores its row, ``"error"`` raises. If all scores are
    missing, it always raises.

    >>> fill_missing(np.array([0.5, np.nan, 0.2]), "lowest")[0].tolist()
    [0.5, 0.2, 0.2]
    >>> fill_missing(np.array([0.5, np.nan, 0.2]), "ignore")[1]
    Ranges([(1, 2)])
    """
    check_missing(missing)
    if missing == "error":
        check_no_nan(scores, name, f", or {WAY_OUT}")
        return scores, None
    absent = np.isnan(scores) if scores.dtype.kind == "f" else np.zeros(len(scores), dtype=np.bool_)
    if not absent.any():
        return scores, None
    if absent.all():
        whose = "" if name == "scores" else f" of {name}"
        raise ValueError(f"all {len(scores)} scores{whose} are nan; there is nothing to score")
    filled = np.where(absent, np.nanmin(scores), scores).astype(scores.dtype)
    return filled, Ranges.from_labels(absent) if missing == "ignore" else None


def close_gaps(scores: Any, max_gap: int) -> NDArray[Any]:
    r"""Scores whose predictions, at every threshold, are those of ``scores`` with gaps of up to ``max_gap`` points closed.

    .. math:: c_i = \max \{ \min(s_a, s_b) : a \le i \le b, \; b - a \le max\_gap + 1 \}

    ``close_gaps(scores, max_gap) >= t`` predicts the points of ``Ranges.from_labels(scores >= t).close_gaps(max_gap)``, for every t. Each
    result is one of the scores and at least the score of its point; ``max_gap=0`` changes nothing. There is no gap before the first and
    after the last predicted point. An empty input gives an empty result; nan is an error, infinite scores are allowed. Time grows with the
    logarithm of ``max_gap``.

    >>> close_gaps([0.1, 0.9, 0.2, 0.3, 0.8, 0.1], 2).tolist()
    [0.1, 0.9, 0.8, 0.8, 0.8, 0.1]
    >>> close_gaps([0.1, 0.9, 0.2, 0.3, 0.8, 0.1], 1).tolist()
    [0.1, 0.9, 0.3, 0.3, 0.8, 0.1]
    """
    values = read_scores(scores)
    # A gap has a point on each side, so it cannot be longer than the rest of the series.
    width = min(whole("max_gap", max_gap, least=0), max(len(values) - 2, 0)) + 1
    if width == 1:
        return values
    # Outside the series nothing is predicted, unless all of it is.
    padded = np.pad(values, width - 1, constant_values=values.min())
    # A point is predicted if every window of max_gap + 1 points around it contains a predicted one.
    return _running(np.minimum, _running(np.maximum, padded, width), width)


def _running(extreme: Callable[..., NDArray[Any]], values: NDArray[Any], width: int) -> NDArray[Any]:
    """The extreme of each window of ``width`` values, from windows half as wide."""
    reach = 1
    while reach < width:
        step = min(reach, width - reach)
        values = extreme(values[:-step], values[step:])
        reach += step
    return values


def gap_points(max_gap: Any, clock: Clock | RowClock | None) -> int:
    """The longest gap to close, in rows or ticks of the clock, from a number of rows or a duration."""
    is_duration = isinstance(max_gap, (str, timedelta, np.timedelta64))
    if not is_duration:
        rows = whole("close_gaps", max_gap, least=0)
        if rows and isinstance(clock, Clock):
            raise ValueError(f"close_gaps={max_gap} counts rows, but both sides are times; give a duration, e.g. close_gaps='5min'")
        return rows
    length = duration(max_gap, "close_gaps")
    if length < 0:
        raise ValueError(f"close_gaps must be 0 or more; got {max_gap!r}")
    if isinstance(clock, Clock):
        return length // clock.tick
    if clock is None:
        raise ValueError(f"close_gaps={max_gap!r} is a duration, but the rows have no times; give times=, or a number of rows")
    steps = np.unique(np.diff(clock.index.view(np.int64)))
    if len(steps) > 1:
        raise ValueError(
            f"close_gaps={max_gap!r} is a duration, but the rows are not evenly spaced "
            f"({duration_text(int(steps[0]))} to {duration_text(int(steps[-1]))} apart); give a number of rows"
        )
    return length // int(steps[0]) if len(steps) and steps[0] else 0
