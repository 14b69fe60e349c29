"""Closing short gaps between predictions: in ranges, and in scores at every threshold at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import whole
from rangewise.inputs.clocks import Clock, RowClock
from rangewise.inputs.instants import duration, duration_text
from rangewise.inputs.scores import read_scores


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
