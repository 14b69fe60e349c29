"""Overlap cardinality, the paper's gamma: the share of its reward that a range keeps if several ranges overlap it.

Each takes the number of overlapping ranges, 2 or more, and gives a factor from 0 to 1; one that takes two arguments is also given the
length of the range. With one overlap or none the factor is 1, whatever the function (Tatbul et al. 2018, equation 7).
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import TypeAlias

CardinalityFunction: TypeAlias = Callable[[int], float] | Callable[[int, int], float]
"""``(overlaps) -> factor`` or ``(overlaps, length) -> factor``, of an integer from 2 up and the length of the range, in 0..1."""

CardinalityChoice: TypeAlias = "str | CardinalityFunction"
"""``one``, ``reciprocal``, ``consistent``, or your own function."""


def one(overlaps: int) -> float:
    """No penalty for pieces.

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


def consistent(overlaps: int, length: int) -> float:
    r"""Recall never falls when more is predicted: :math:`((L - 1) / L)^{x - 1}` for x pieces of a range of length L.

    A point added between two pieces gains at least as much as the higher number of pieces costs. Wagner et al. (2023).

    >>> round(consistent(3, 10), 12)
    0.81
    """
    return math.exp((overlaps - 1) * math.log1p(-1.0 / length)) if overlaps > 1 else 1.0


CARDINALITIES: dict[str, CardinalityFunction] = {"one": one, "reciprocal": reciprocal, "consistent": consistent}


def takes_length(function: CardinalityFunction) -> bool:
    """Whether a cardinality is a function of the overlaps and of the length.

    >>> takes_length(reciprocal), takes_length(consistent)
    (False, True)
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False  # without a signature, assume it takes the overlaps only
    needed = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty]
    return len(needed) >= 2


def cardinality_factor(function: CardinalityFunction, overlaps: int, length: int | None = None) -> float:
    """The factor of a cardinality, checked; ``length`` for one that takes it."""
    name = getattr(function, "__name__", repr(function))
    given = function(overlaps) if length is None else function(overlaps, length)  # type: ignore[call-arg]
    where = f"{overlaps} overlaps" if length is None else f"{overlaps} overlaps of a range of {length}"
    try:
        factor = float(given)
    except (TypeError, ValueError) as error:
        raise TypeError(f"cardinality {name} gave {given!r:.60} for {where}; expected a number from 0 to 1") from error
    if math.isnan(factor) or not 0.0 <= factor <= 1.0:
        raise ValueError(f"cardinality {name} gave {factor} for {where}; a factor lies in 0..1")
    return factor
