"""The map of settings: borders at which two detectors change places, and intervals with one leader."""

from __future__ import annotations

from dataclasses import dataclass

from rangewise.model.bias import BiasChoice
from rangewise.model.cardinality import CardinalityChoice


@dataclass(frozen=True)
class Crossing:
    """Two detectors change places: ``first`` is ahead below the border, ``second`` above it. The bias is that of recall."""

    first: str
    second: str
    bias: BiasChoice
    cardinality: CardinalityChoice
    beta: float
    alpha: float


@dataclass(frozen=True)
class AlphaSegment:
    """An interval of alpha in which the same detectors lead: one, or several that are equal."""

    bias: BiasChoice
    cardinality: CardinalityChoice
    beta: float
    start: float
    stop: float
    leaders: tuple[str, ...]

    @property
    def leader(self) -> str:
        """The first of the leaders, in the order the detectors were given."""
        return self.leaders[0]
