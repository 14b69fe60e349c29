"""Short gaps between predictions, closed: in ranges, and in scores at every threshold at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import whole
from rangewise.inputs.case import check_no_nan, read_scores
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ranges import Ranges


def closed_scores(scores: Any, most: int) -> NDArray[Any]:
    r"""Scores whose predictions, at every threshold, are those of ``scores`` with gaps of up to ``most`` points closed.

    .. math:: c_i = \max \{ \min(s_a, s_b) : a \le i \le b, \; b - a \le most + 1 \}

    so that ``closed_scores(scores, most) >= t`` marks what ``Ranges.from_labels(scores >= t).close_gaps(most)`` holds, whatever t. Every
    value is one of the scores and none is below its own; 0 changes nothing. Before the first and after the last marked point there is no
    gap to close. No scores give none; NaN is an error, infinite scores are numbers like others. Time grows with the logarithm of ``most``.

    >>> closed_scores([0.1, 0.9, 0.2, 0.3, 0.8, 0.1], 2).tolist()
    [0.1, 0.9, 0.8, 0.8, 0.8, 0.1]
    >>> closed_scores([0.1, 0.9, 0.2, 0.3, 0.8, 0.1], 1).tolist()
    [0.1, 0.9, 0.3, 0.3, 0.8, 0.1]
    """
    values = read_scores(scores)
    # A gap has a point on each side: none is longer than the rest of the series.
    width = min(whole("close_gaps", most, least=0), max(len(values) - 2, 0)) + 1
    if width == 1:
        return values
    check_no_nan(values)
    # Outside the series nothing is marked, unless all of it is.
    padded = np.pad(values, width - 1, constant_values=values.min())
    # A point is marked when every window of one point more than a gap that holds it holds a marked one.
    return _running(np.minimum, _running(np.maximum, padded, width), width)


def _running(extreme: Callable[..., NDArray[Any]], values: NDArray[Any], width: int) -> NDArray[Any]:
    """The extreme of each window of so many values, from windows half as wide."""
    reach = 1
    while reach < width:
        step = min(reach, width - reach)
        values = extreme(values[:-step], values[step:])
        reach += step
    return values


def closed_ranges(predicted: Ranges, most: int, name: str) -> Ranges:
    """Predicted ranges with gaps of up to ``most`` rows closed; at 0 those that touch stay apart. ``name`` is how complaints call them."""
    if not whole("close_gaps", most, least=0):
        return predicted
    if isinstance(predicted.clock, Clock):
        raise ValueError(f"close_gaps counts rows, and {name} is given in times; map the times to rows first, or leave close_gaps out")
    return predicted.close_gaps(most)
