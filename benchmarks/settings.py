"""How thoroughly to measure, with or without other programs, and how to report progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The choices of one run.

    :param quick: small inputs and few repeats, to see that everything runs.
    :param peers: whether to measure the peers, too.
    :param limit: a peer's call that would take longer, in seconds, is left out.
    :param say: shows what is being measured.
    """

    quick: bool = False
    peers: bool = True
    limit: float = 20.0
    say: Callable[[str], None] = lambda text: None

    @property
    def seconds(self) -> float:
        """How long each call is repeated."""
        return 0.01 if self.quick else 0.5
