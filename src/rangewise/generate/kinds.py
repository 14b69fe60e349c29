"""The kinds of anomaly: each is a small function that gives new values to a stretch of rows.

A stretch is the part of an anomaly in one chunk. A kind depends only on the row and the base, not on other stretches, so its value
at a row does not depend on the chunks. The names are those of GutenTAG (Wenig, Schmidl, Papenbrock 2022) and
the inversion of the paper's Time-Guided series; the definitions are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rangewise.generate.bases import Base, Floats
from rangewise.generate.randomness import normal_at


@dataclass(frozen=True)
class Stretch:
    """Rows of one anomaly, and everything its kind may depend on."""

    rows: Floats
    values: Floats
    """The base at these rows."""
    start: int
    stop: int
    channel: int
    strength: float
    """In units of the base's scale, above 0."""
    sign: float
    """1 or -1: up or down, more or less, later or earlier."""
    base: Base
    key: np.uint64

    @property
    def push(self) -> float:
        """Strength and sign in the unit of the values."""
        return self.sign * self.strength * self.base.scale

    @property
    def factor(self) -> float:
        """Strength and sign as a factor: above 1 or below."""
        return float((1.0 + self.strength) ** self.sign)

    @property
    def center(self) -> float:
        return self.base.center(self.start, self.stop, self.channel)


def amplitude(of: Stretch) -> Floats:
    """The amplitude around the center is multiplied or divided by 1 + strength."""
    center = of.center
    return center + of.factor * (of.values - center)


def extremum(of: Stretch) -> Floats:
    """A peak or a dip as high as the strength, steepest in the middle of the range."""
    middle = (of.start + of.stop - 1) / 2
    closeness = 1.0 - np.abs(of.rows - middle) / ((of.stop - of.start + 1) / 2)
    return of.values + of.push * closeness**4


def frequency(of: Stretch) -> Floats:
    """From the start of the range, time runs faster or slower by the factor 1 + strength."""
    return of.base.at(of.start + of.factor * (of.rows - of.start), of.channel)


def mean(of: Stretch) -> Floats:
    """All values are moved up or down by the strength."""
    return of.values + of.push


def pattern(of: Stretch) -> Floats:
    """The wave becomes squarer with increasing strength."""
    center, half, steepness = of.center, of.base.scale / 2, 1.0 + 4.0 * of.strength
    bent: Floats = np.tanh(steepness * (of.values - center) / half) / np.tanh(steepness)
    return center + half * bent


def pattern_shift(of: Stretch) -> Floats:
    """The series runs early or late: by strength / (1 + strength) of half a period, or of the range where there is no period."""
    cycle = of.base.period or of.stop - of.start
    return of.base.at(of.rows + of.sign * 0.5 * cycle * of.strength / (1.0 + of.strength), of.channel)


def platform(of: Stretch) -> Floats:
    """The value is constant, half the strength above or below the center."""
    return np.full_like(of.values, of.center + 0.5 * of.push)


def trend(of: Stretch) -> Floats:
    """The values drift up or down, by the strength at the end of the range."""
    return of.values + of.push * (of.rows - of.start + 1.0) / (of.stop - of.start)


def variance(of: Stretch) -> Floats:
    """Noise with a standard deviation of a quarter of the strength."""
    return of.values + 0.25 * of.push * normal_at(of.key, of.rows.astype(np.int64))


def mode_correlation(of: Stretch) -> Floats:
    """The channel is mirrored at its center: a positive correlation with the other channels becomes negative."""
    return 2.0 * of.center - of.values


def inversion(of: Stretch) -> Floats:
    """Every value becomes its negative. The strength has no effect."""
    return -of.values


Kind = Callable[[Stretch], NDArray[np.float64]]

KINDS: dict[str, Kind] = {
    "amplitude": amplitude,
    "extremum": extremum,
    "frequency": frequency,
    "mean": mean,
    "pattern": pattern,
    "pattern-shift": pattern_shift,
    "platform": platform,
    "trend": trend,
    "variance": variance,
    "mode-correlation": mode_correlation,
    "inversion": inversion,
}
"""All kinds of generated anomalies by name."""
