"""Claims: what the paper says, in our words, and a small function that decides whether it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple


class ClaimResult(NamedTuple):
    """What was computed, and whether the claim holds."""

    computed: str
    holds: bool


class Row(NamedTuple):
    """A row of ``claims.csv``."""

    claim: str
    section: str
    computed: str
    holds: str


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and the function that decides it."""

    text: str
    section: str
    decide: Callable[..., ClaimResult]
    needs_nab: bool = False

    def row(self, *arguments: Any) -> Row:
        result = self.decide(*arguments)
        return Row(self.text, self.section, result.computed, "yes" if result.holds else "no")


def claim(section: str, text: str, *, needs_nab: bool = False) -> Callable[[Callable[..., ClaimResult]], Claim]:
    """Make a claim of the function that decides it."""
    return lambda decide: Claim(text, section, decide, needs_nab)


def claims_of(module: ModuleType) -> list[Claim]:
    """The claims of one part of the paper, in its order."""
    return [each for each in vars(module).values() if isinstance(each, Claim)]
