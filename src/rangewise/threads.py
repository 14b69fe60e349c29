"""How many threads one call may use: one, unless the user allows more."""

from __future__ import annotations

import os

from rangewise.checks import shown

_VARIABLE = "RANGEWISE_THREADS"
_POINTS_PER_THREAD = 2**20
"""Fewer points take less time than starting a thread."""

_allowed: int | None = None


def set_threads(count: int | None) -> None:
    """Allow one call up to ``count`` threads; ``None`` returns to the environment variable ``RANGEWISE_THREADS``, or to one.

    Threads help with the labels of one long series, which are read in parts, from about two million points on (17 million for labels of
    one byte, which one thread already reads as fast as memory allows). Results are the same for any number of threads. For many series,
    use ``threads=`` of :func:`~rangewise.score_many`.

    >>> import rangewise as rw
    >>> rw.set_threads(2)
    >>> rw.set_threads(None)
    """
    global _allowed
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise ValueError(f"threads must be a whole number, 1 or more, or None; got {count!r:.60}")
    _allowed = count


def threads_for(points: int) -> int:
    """The number of threads for ``points`` points.

    >>> set_threads(4)
    >>> threads_for(10**6), threads_for(3 * 10**6), threads_for(10**8)
    (1, 2, 4)
    >>> set_threads(None)
    """
    if points < 2 * _POINTS_PER_THREAD:
        return 1
    return min(_from_environment() if _allowed is None else _allowed, points // _POINTS_PER_THREAD)


def _from_environment() -> int:
    text = os.environ.get(_VARIABLE, "1")
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ValueError(f"{_VARIABLE} must be a whole number, 1 or more; got {shown(text)}")
    return int(text)
