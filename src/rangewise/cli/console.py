"""The rich console for tables and progress."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.segment import Segment

from rangewise.checks import visible


class PlainConsole(Console):
    """A console that interprets no markup in what it prints, neither rich's nor the terminal's."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(self, *renderable: Any, **options: Any) -> Iterable[Segment]:
        for segment in super().render(*renderable, **options):
            yield segment if segment.control else segment._replace(text=visible(segment.text, lines=True))
