"""The tiles, sentence and table of a page that does not compare detectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The top of a page about incidents and alerts."""

    subtitle: str
    tiles: Sequence[tuple[str, str]]
    headline: Sequence[str]
    """In parts: every second one is a name."""
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    """The table of rules; empty if there is only one lane."""
    notes: Sequence[str]
    lead: int = 0
    """Nanoseconds before an incident during which an alert counts for it."""
    zone: str = ""
    """The time zone in which times are shown; empty if they have none."""
    text: str = ""
    """The output in the terminal."""
