"""Shares of a whole, their harmonic mean, and the checks of common options."""

from __future__ import annotations

import math

from rangewise.checks import number
from rangewise.model.tally import f_score


def share(part: float, whole: float, zero_division: float) -> float:
    """``part`` of ``whole``; ``zero_division`` when there is no whole.

    >>> share(1, 4, 0.0), share(0, 0, 1.0)
    (0.25, 1.0)
    """
    nothing = checked_zero_division(zero_division)
    return float(part / whole) if whole else nothing


def checked_zero_division(zero_division: float) -> float:
    """The value of a share of nothing: 0, 1 or nan."""
    zero_division = number("zero_division", zero_division)
    if not math.isnan(zero_division) and zero_division not in (0.0, 1.0):
        raise ValueError(f"zero_division is 0.0, 1.0 or nan; got {zero_division}")
    return zero_division


def checked_f(precision: float, recall: float, beta: float) -> float:
    """F of a precision and a recall, with ``beta`` checked.

    >>> checked_f(0.5, 0.25, 1)
    0.3333333333333333
    """
    return f_score(precision, recall, checked_beta(beta))


def checked_beta(beta: float) -> float:
    """The weight of recall against precision, as a number above 0."""
    beta = number("beta", beta)
    if not 0.0 < beta < math.inf:
        raise ValueError(f"beta weighs recall against precision, so it is above 0 and finite; got {beta}")
    return beta


def number_between(name: str, value: object, low: float, high: float, meaning: str) -> float:
    """A number from ``low`` to ``high``; the error explains its meaning.

    >>> number_between("k", 20, 0, 100, "is a percentage")
    20.0
    """
    checked = number(name, value)
    if not low <= checked <= high:
        allowed = f"{low:g} or more" if math.isinf(high) else f"in {low:g}..{high:g}"
        raise ValueError(f"{name} {meaning}, so it is {allowed}; got {checked:g}")
    return checked
