"""A ledger of claims: what the paper says, in our words, and a small function that decides whether it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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
    text: str
    section: str
    decide: Callable[..., ClaimResult]
    needs_nab: bool = False

    def row(self, *arguments: Any) -> Row:
        result = self.decide(*arguments)
        return Row(self.text, self.section, result.computed, "yes" if result.holds else "no")


@dataclass(frozen=True)
class Ledger:
    """The claims of one part of the paper, in its order."""

    claims: list[Claim] = field(default_factory=list)

    def claim(
        self, section: str, text: str, *, needs_nab: bool = False
    ) -> Callable[[Callable[..., ClaimResult]], Callable[..., ClaimResult]]:
        """Enter a function that decides a claim."""

        def enter(decide: Callable[..., ClaimResult]) -> Callable[..., ClaimResult]:
            self.claims.append(Claim(text, section, decide, needs_nab))
            return decide

        return enter
