"""What a page says instead of comparing detectors: its own tiles, sentence and table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The first screen of a page about incidents and alerts."""

    subtitle: str
    tiles: Sequence[tuple[str, str]]
    headline: Sequence[str]
    """In parts: every second one is a name."""
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    """The table of rules; none where there is one lane."""
    notes: Sequence[str]
    lead: int = 0
    """Nanoseconds before an incident in which an alert counts for it."""
    zone: str = ""
    """The time zone in which times are shown; nothing where they have none."""
    text: str = ""
    """What the terminal says."""
