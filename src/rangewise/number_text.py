"""Format numbers for readers: one format for each kind of number."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence


def score_text(value: float, *, digits: int = 4, signed: bool = False, undefined: str = "nan") -> str:
    """A score or another value of a metric; ``signed`` for a difference.

    >>> score_text(0.56789), score_text(0.25, signed=True), score_text(math.nan), score_text(math.nan, undefined="-")
    ('0.5679', '+0.2500', 'nan', '-')
    """
    return undefined if math.isnan(value) else f"{value:{'+' if signed else ''}.{digits}f}"


def share_text(share: float) -> str:
    """A share in percent; only exact 0 and 1 are printed as 0 % and 100 %.

    >>> share_text(0.034), share_text(0.998), share_text(0.9999), share_text(0.31), share_text(0.0)
    ('3.4 %', '99.8 %', 'over 99.9 %', '31 %', '0 %')
    """
    percent = 100 * share
    if 0 < percent < 0.1:
        return "under 0.1 %"
    if 99.9 < percent < 100:
        return "over 99.9 %"
    return f"{percent:.{0 if percent in (0, 100) or 10 <= percent <= 90 else 1}f} %"


def count_text(number: int, noun: str = "") -> str:
    """An integer, with its noun if given.

    >>> count_text(12345), count_text(1, "range"), count_text(0, "range")
    ('12,345', '1 range', '0 ranges')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}" if noun else f"{number:,}"


def amount_text(amount: float) -> str:
    """A number of points, or of seconds to the millisecond; less than that has three digits.

    >>> amount_text(12345), amount_text(12345.25), amount_text(4.0), amount_text(0.1 + 0.2), amount_text(2.5e-7)
    ('12,345', '12,345.25', '4', '0.3', '2.5e-07')
    """
    if 0 < abs(amount) < 0.0005:
        return f"{amount:.3g}"
    return f"{amount:,.3f}".rstrip("0").rstrip(".")


def listed_text(words: Sequence[str]) -> str:
    """Words with commas and a final "and".

    >>> listed_text(["a"]), listed_text(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return "".join(words) if len(words) < 2 else f"{', '.join(words[:-1])} and {words[-1]}"


def threshold_text(value: float, *, digits: int | None = None) -> str:
    """A threshold. Without ``digits`` it round-trips exactly: rounded up, it would exclude the score it was chosen for.

    >>> threshold_text(0.1), threshold_text(2 / 3), threshold_text(2 / 3, digits=4), threshold_text(3.0), threshold_text(math.inf)
    ('0.1', '0.6666666666666666', '0.6667', '3', 'above all')
    >>> threshold_text(5e-324, digits=4)
    'above 0'
    """
    if value == math.inf:
        return "above all"
    # The least positive numbers come from a detector whose normal scores are all 0.
    if digits is not None and 0 < value < sys.float_info.min:
        return "above 0"
    return repr(float(value)).removesuffix(".0") if digits is None else f"{value:.{digits}g}"


def seconds_text(seconds: float) -> str:
    """An elapsed or remaining time.

    >>> [seconds_text(each) for each in (0.25, 42.0, 130.0, 9000.0, math.nan)]
    ['250 ms', '42 s', '2 min', '2.5 h', '-']
    """
    if math.isnan(seconds):
        return "-"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
