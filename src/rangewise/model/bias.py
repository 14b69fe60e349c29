"""Positional bias, the paper's delta: how much each position of a range weighs (Tatbul et al. 2018, figure 2b).

Each takes the positions ``1..length`` as an array and returns a weight for each. The kernel has closed forms of the four
(``cpp/bias.hpp``); these are their definitions, for reference, for plotting and as a model for your own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

BiasFunction: TypeAlias = Callable[[NDArray[np.int64], int], Any]
"""``(positions, length) -> weights`` with ``positions = 1..length``; weights are 0 or more and not all 0."""

BiasChoice: TypeAlias = "str | BiasFunction"
"""One of ``flat front back middle``, or your own function."""


def flat(positions: NDArray[np.int64], length: int) -> NDArray[np.float64]:
    """Every position counts the same.

    >>> flat(np.arange(1, 5), 4).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return np.ones_like(positions, dtype=np.float64)


def front(positions: NDArray[np.int64], length: int) -> NDArray[np.float64]:
    """Earlier positions count more: ``length - i + 1``. For alarms that must come in time.

    >>> front(np.arange(1, 5), 4).tolist()
    [4.0, 3.0, 2.0, 1.0]
    """
    return (length - positions + 1).astype(np.float64)


def back(positions: NDArray[np.int64], length: int) -> NDArray[np.float64]:
    """Later positions count more: ``i``. For actions that cannot be undone.

    >>> back(np.arange(1, 5), 4).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    return positions.astype(np.float64)


def middle(positions: NDArray[np.int64], length: int) -> NDArray[np.float64]:
    """Positions near the middle count more: ``i`` up to ``length / 2``, ``length - i + 1`` after it.

    >>> middle(np.arange(1, 6), 5).tolist()
    [1.0, 2.0, 3.0, 2.0, 1.0]
    """
    return np.where(positions <= length / 2, positions, length - positions + 1).astype(np.float64)


BIASES: dict[str, BiasFunction] = {"flat": flat, "front": front, "back": back, "middle": middle}


def bias_function(choice: BiasChoice) -> BiasFunction:
    """The function behind a choice."""
    return BIASES[choice] if isinstance(choice, str) else choice


def bias_weights(function: BiasFunction, length: int) -> NDArray[np.float64]:
    """The weights of a user's bias over a whole range, checked."""
    name = getattr(function, "__name__", repr(function))
    given = function(np.arange(1, length + 1, dtype=np.int64), length)
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"bias {name} gave {given!r:.60} for length {length}; expected {length} numbers") from error
    if weights.shape != (length,):
        raise ValueError(f"bias {name} gave shape {weights.shape} for length {length}; expected one weight per position, shape ({length},)")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ValueError(f"bias {name} gave {weights[bad[0]]} at position {bad[0] + 1} of {length}; weights must be finite and 0 or more")
    if not weights.any():
        raise ValueError(f"bias {name} gave only zeros for length {length}; at least one position must count")
    with np.errstate(over="ignore"):
        if not np.isfinite(weights.sum()):
            raise ValueError(f"bias {name} gave weights for length {length} that add up to more than a number can hold; give smaller ones")
    return weights
