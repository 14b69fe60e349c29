"""Shared input checks and error messages: the nearest known name, numbers, and how a value is shown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

LONGEST = 2**62
"""The limit for windows, gaps and series, so that sums of two still fit in 64 bits."""
_LONGEST_SHOWN = 40
_FREE_BYTES = 512 << 20
"""The memory that any file may use, however small it is."""
_TIMES = 10
"""A large file may use this multiple of its size."""
_MEMORY = "RANGEWISE_MEMORY_GB"


def unknown_name(name: str, value: object, known: Iterable[str]) -> ValueError:
    """The error for an unknown name, with the nearest known one.

    >>> print(unknown_name("a bias", "frnt", ["flat", "front"]))
    a bias is one of flat, front; got 'frnt'; did you mean 'front'?
    """
    known = tuple(known)
    return ValueError(f"{name} is one of {', '.join(known)}; got {value!r}{did_you_mean(value, known)}")


def did_you_mean(value: object, known: Iterable[str]) -> str:
    """The end of an error message: the nearest known name, if one is near; case, dashes and spaces are ignored.

    >>> did_you_mean("VUS-PR", ["auc_pr", "vus_pr"])
    "; did you mean 'vus_pr'?"
    """
    from difflib import get_close_matches

    names = {_plain(name): name for name in known}
    nearest = get_close_matches(_plain(str(value)), list(names), n=1)
    return f"; did you mean {names[nearest[0]]!r}?" if nearest else ""


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_")


def once(pairs: Iterable[tuple[str, Any]], option: str) -> dict[str, Any]:
    """Names and their values; a name that comes twice is an error: of two values, nobody could say which is meant.

    >>> once([("a", 1), ("b", 2)], "--threshold")
    {'a': 1, 'b': 2}
    """
    by_name: dict[str, Any] = {}
    for name, value in pairs:
        if name in by_name:
            raise ValueError(f"{option} gives {visible(name)} twice, {shown(by_name[name])} and {shown(value)}; give it once")
        by_name[name] = value
    return by_name


def number(name: str, value: object) -> float:
    """A number as a float; bool is refused.

    >>> number("alpha", 1)
    1.0
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{name} is a number; got {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is a number that a float can hold; got {shown(value)}") from None


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


def checked_beta(beta: float) -> float:
    """The weight of recall against precision, as a number above 0."""
    beta = number("beta", beta)
    if not 0.0 < beta < math.inf:
        raise ValueError(f"beta weighs recall against precision, so it is above 0 and finite; got {beta}")
    return beta


def checked_zero_division(zero_division: float) -> float:
    """The value of a share of nothing: 0, 1 or nan."""
    value = number("zero_division", zero_division)
    if math.isnan(value):
        return math.nan  # always the same object, so that equal settings compare equal
    if value not in (0.0, 1.0):
        raise ValueError(f"zero_division is 0.0, 1.0 or nan; got {value}")
    return value


def flag(name: str, value: object) -> bool:
    """True or False; 1 and 0 are these too.

    >>> flag("probation", True)
    True
    """
    if not isinstance(value, (bool, np.bool_, int, np.integer)) or value not in (0, 1):
        raise TypeError(f"{name} is True or False; got {shown(value)}")
    return bool(value)


def share_of_points(name: str, value: object) -> float:
    """A share of points above 0 and up to 1.

    >>> share_of_points("max_alert_rate", 0.2)
    0.2
    """
    share = number(name, value)
    if not 0.0 < share <= 1.0:
        raise ValueError(f"{name} is a share of points above 0 and up to 1; got {value!r}")
    return share


def whole(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """A whole number from ``least`` on, and up to ``most``.

    >>> whole("length", 5, least=1)
    5
    """
    # NumPy counts its durations among the integers.
    if isinstance(value, (bool, np.bool_, np.timedelta64)) or not isinstance(value, Integral):
        raise TypeError(f"{name} is a whole number; got {shown(value)}")
    if value < least:
        raise ValueError(f"{name} is {least} or more; got {value}")
    integer = int(value)
    if most is not None and integer > most:
        raise ValueError(f"{name} is at most {most}; got {shown(integer)}")
    return integer


def check_memory(size: int, what: str) -> None:
    """Raise before allocating anything that could never fit in this machine's memory.

    >>> check_memory(10**6, "a million labels")
    >>> check_memory(10**24, "10**24 labels")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: 10**24 labels would take 1e+15 GB of memory, and this machine has ... GB; make it smaller, or cut it into parts
    """
    import os

    try:
        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # pragma: no cover
        most = 2**40  # the system does not report it
    if size > most:
        raise ValueError(
            f"{what} would take {size / 1e9:.3g} GB of memory, and this machine has {most / 1e9:.3g} GB; "
            "make it smaller, or cut it into parts"
        )


def size_limit(held: int) -> int:
    """How many bytes of memory a file of ``held`` bytes may take: 512 MB (or ``RANGEWISE_MEMORY_GB``), or ten times its size.

    A compressed file of a few kB can expand to any number of equal rows, so the result is compared with the size of the file.

    >>> size_limit(100), size_limit(10**9)
    (536870912, 10000000000)
    """
    import os

    text = os.environ.get(_MEMORY)
    try:
        free = _FREE_BYTES if text is None else int(float(text) * 1e9)
    except (ValueError, OverflowError):
        raise ValueError(f"{_MEMORY} is a number of GB, such as 8; got {shown(text)}") from None
    return max(free, _TIMES * held)


def fits_size(needed: int, held: int) -> bool:
    """Whether a file of ``held`` bytes may take ``needed`` bytes of memory, see :func:`size_limit`.

    >>> fits_size(10**8, held=100), fits_size(10**10, held=100), fits_size(10**10, held=10**9)
    (True, False, True)
    """
    return needed <= size_limit(held)


def check_size(needed: int, held: int, what: str) -> None:
    """The size check of all readers: raise before allocating memory if ``what`` would take more than :func:`fits_size` allows.

    >>> check_size(8 * 10**9, held=25_000, what="a.parquet: 1000000000 rows")
    Traceback (most recent call last):
    ValueError: a.parquet: 1000000000 rows would take 8 GB of memory, and the file has 0.025 MB; set RANGEWISE_MEMORY_GB to allow more
    """
    check_memory(needed, what)
    if not fits_size(needed, held):
        raise ValueError(
            f"{what} would take {needed / 1e9:.3g} GB of memory, and the file has {held / 1e6:.3g} MB; set {_MEMORY} to allow more"
        )


def cell_bytes(dtype: Any) -> int:
    """The bytes that a cell of a polars type needs while it is read, with the copies for conversion; text without its characters.

    >>> import polars as pl
    >>> cell_bytes(pl.UInt8()), cell_bytes(pl.Float64()), cell_bytes(pl.String())
    (17, 24, 80)
    """
    import polars as pl

    if dtype.is_nested() or isinstance(dtype, pl.Object | pl.Binary):
        raise ValueError(f"it holds {dtype}; expected numbers, labels, times or text")
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
        return 80  # a view of 16 bytes, and a Python object
    widths = {pl.Boolean: 1, pl.Int8: 1, pl.UInt8: 1, pl.Int16: 2, pl.UInt16: 2, pl.Int32: 4, pl.UInt32: 4, pl.Float32: 4, pl.Date: 4}
    return widths.get(type(dtype), 8) + 16


def shown(value: object) -> str:
    """A value for an error message, truncated.

    >>> shown("a" * 50)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    """
    return _cut(repr(value))


def shown_text(text: str | bytes) -> str:
    """Text from a file for an error message, quoted and truncated.

    >>> shown_text(b"1;2")
    "'1;2'"
    """
    return repr(_cut(text.decode("utf-8", errors="replace") if isinstance(text, bytes) else text))


# Characters that move the cursor or change the direction of a line, and lone surrogates, which terminals cannot print; the line breaks
# and tabs of multi-line text are not among them.
_INVISIBLE = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ud800-\\udfff]"


def visible(text: str, *, lines: bool = False) -> str:
    r"""Untrusted text for printing: control characters are escaped.

    With ``lines``, line breaks and tabs are kept: for multi-line text whose parts were escaped one by one.

    >>> print(visible("a\x1b[2J\nb"))
    a\u001b[2J\u000ab
    >>> print(visible("a\nb\x07", lines=True))
    a
    b\u0007
    """
    if text.isprintable():
        return text  # without compiling the expression, which takes a millisecond
    return re.sub(_INVISIBLE if lines else f"{_INVISIBLE}|[\t\n]", lambda match: f"\\u{ord(match[0]):04x}", text)


def shown_names(names: Iterable[str], most: int = 5) -> str:
    """The first few names, for an error message or another place where all would be too many.

    >>> shown_names("abcdefg")
    'a, b, c, d, e and 2 more'
    """
    names = list(names)
    more = len(names) - most
    return visible(", ".join(names[:most])) + (f" and {more} more" if more > 0 else "")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."
