"""Overlap cardinality, the paper's gamma: what a range keeps of its reward when several ranges share in it.

Each takes the number of overlapping ranges, 2 or more, and gives a factor from 0 to 1. With one overlap or none the factor
is 1, whatever the function (Tatbul et al. 2018, equation 7).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

CardinalityFunction: TypeAlias = Callable[[int], float]
"""``(overlaps) -> factor`` of an integer from 2 up, in 0..1."""

CardinalityChoice: TypeAlias = "str | CardinalityFunction"
"""``one``, ``reciprocal``, or a function of one's own."""


def one(overlaps: int) -> float:
    """Pieces cost nothing.

    >>> one(3)
    1.0
    """
    return 1.0


def reciprocal(overlaps: int) -> float:
    """The reward is divided by the number of pieces: ``1 / x``.

    >>> reciprocal(4)
    0.25
    """
    return 1.0 / overlaps


CARDINALITIES: dict[str, CardinalityFunction] = {"one": one, "reciprocal": reciprocal}


def cardinality_factor(function: CardinalityFunction, overlaps: int) -> float:
    """The factor of a user's cardinality, checked."""
    name = getattr(function, "__name__", repr(function))
    given = function(overlaps)
    try:
        factor = float(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"cardinality {name} gave {given!r:.60} for {overlaps} overlaps; expected a number from 0 to 1") from error
    if math.isnan(factor) or not 0.0 <= factor <= 1.0:
        raise ValueError(f"cardinality {name} gave {factor} for {overlaps} overlaps; a factor lies in 0..1")
    return factor
