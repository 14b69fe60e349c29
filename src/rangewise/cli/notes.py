"""Warnings of the library as lines on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rangewise.checks import visible


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Each warning once, as one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        note(message)


def note(message: str) -> None:
    """Print one line on stderr that is not an error."""
    print(visible(f"rangewise: note: {message}"), file=sys.stderr)
