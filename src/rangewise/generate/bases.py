"""The base of a generated series, without anomalies: it gives the value of every row, and of moments between rows.

A built-in base is ``low + (high - low) * shape``, where the shape varies between about 0 and 1. Every value is a function of the row alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import check_memory
from rangewise.generate.randomness import hash_key, stream, uniform_at

Floats = NDArray[np.float64]

CHUNK = 1 << 16
"""Rows per chunk; a worker makes one chunk at a time. Part of the definition of a series, so it must not change."""

# Purposes of random streams; a number once used keeps its meaning.
PLAN_STREAM, NOISE_STREAM, WALK_STREAM, CYCLE_STREAM, VARIANCE_STREAM = range(5)


@dataclass(frozen=True)
class BaseKind:
    """A base by name: its defaults, and a line of text for lists and the gallery."""

    text: str
    low: float
    high: float
    period: float | None
    noise: float = 0.0
    """Standard deviation of the noise, as a part of high - low."""
    kinds: tuple[str, ...] | None = None
    """The default kinds of anomaly; None for all."""


BASES = {
    "sine": BaseKind("a sine wave", low=0.2, high=0.5, period=360),
    "timeguided": BaseKind("values that rise steadily from low to high", low=0.0, high=1.0, period=None, kinds=("inversion",)),
    "ecg": BaseKind("heart beats of five waves, of varying height and pace", low=0.0, high=1.0, period=200, noise=0.01),
    "shuttle": BaseKind("the current of a valve: up with a dip, plateau, down with a bounce", low=0.2, high=1.0, period=1000, noise=0.005),
    "walk": BaseKind(
        "a random walk from the middle of low and high; a step has a standard deviation of a 20th of high - low",
        low=0.0,
        high=1.0,
        period=None,
    ),
    "seasonal": BaseKind("two seasons, the longer of 7 periods, a trend and noise", low=0.0, high=1.0, period=288, noise=0.05),
}
"""What a generated series looks like without anomalies, by name."""


class Base(ABC):
    """Values by row and channel."""

    scale: float
    """The size of a strength of 1 in the unit of the values."""
    period: float | None = None
    """Rows of a cycle, for bases that have one."""

    def fill(self, out: Floats, start: int, channel: int) -> None:
        """Write the values of the rows from ``start`` on."""
        out[:] = self.at(np.arange(start, start + len(out), dtype=np.float64), channel)

    @abstractmethod
    def at(self, times: Floats, channel: int) -> Floats:
        """The values at any moments, rows and between."""

    @abstractmethod
    def center(self, start: int, stop: int, channel: int) -> float:
        """The level around which the rows of an anomaly swing."""


class Formula(Base):
    """A base with a closed form. Each channel lags the previous one by a 16th of a period."""

    def __init__(self, shape: Callable[[Floats], Floats], low: float, high: float, period: float, trend: float = 0.0) -> None:
        self._shape, self._low, self.scale, self.period, self._trend = shape, low, high - low, period, trend

    def at(self, times: Floats, channel: int) -> Floats:
        assert self.period is not None
        return self._low + self.scale * self._shape(times - channel * self.period / 16)

    def center(self, start: int, stop: int, channel: int) -> float:
        return self._low + self.scale * (0.5 + self._trend * (start + stop) / 2)


class Sine(Formula):
    """A sine wave. With a whole period, the rows come from a table of one period: no sine for each point."""

    def __init__(self, low: float, high: float, period: float) -> None:
        def shape(times: Floats) -> Floats:
            return 0.5 + 0.5 * np.sin(np.mod(times, period) * (2.0 * np.pi / period))

        super().__init__(shape, low, high, period)
        self._table = lru_cache(maxsize=None)(self._tabulate) if float(period).is_integer() and period <= CHUNK else None

    def _tabulate(self, channel: int) -> Floats:
        assert self.period is not None
        period = int(self.period)
        return np.resize(self.at(np.arange(period, dtype=np.float64), channel), CHUNK + period)

    def fill(self, out: Floats, start: int, channel: int) -> None:
        if self._table is None:
            super().fill(out, start, channel)
            return
        assert self.period is not None
        phase = start % int(self.period)
        out[:] = self._table(channel)[phase : phase + len(out)]


class Rise(Base):
    """The steady rise of the time-guided series: from one step above ``low`` to ``high``, the same in each channel."""

    def __init__(self, low: float, high: float, length: int) -> None:
        self._low, self.scale, self._length = low, high - low, length

    def at(self, times: Floats, channel: int) -> Floats:
        return self._low + self.scale * ((times + 1.0) / self._length)

    def center(self, start: int, stop: int, channel: int) -> float:
        return float(self.at(np.array([(start + stop) / 2]), channel)[0])


class Walk(Base):
    """A Gaussian random walk, chunk by chunk.

    The values at the ends of chunks are a separate walk with the steps of a whole chunk; a Brownian bridge fills each chunk. The result
    has exactly the distribution of a walk row by row, and any chunk can be made alone.
    """

    def __init__(self, low: float, high: float, length: int, seed: int, channels: int) -> None:
        self.scale, self._seed = high - low, seed
        chunks = -(-length // CHUNK)
        check_memory(4 * 8 * chunks * channels, f"a walk of {length} rows and {channels} channels")
        steps = np.stack([stream(seed, WALK_STREAM, channel).standard_normal(chunks) for channel in range(channels)])
        ends = np.cumsum(steps * np.sqrt(CHUNK), axis=1)
        self._ends = (low + high) / 2 + self.scale / 20 * np.pad(ends, ((0, 0), (1, 0)))
        # Anomalies look up moments in the same few chunks repeatedly.
        self._chunk = lru_cache(maxsize=32)(self._make_chunk)

    def _make_chunk(self, chunk: int, channel: int) -> Floats:
        walk = np.cumsum(self.scale / 20 * stream(self._seed, WALK_STREAM, channel, chunk).standard_normal(CHUNK))
        first, last = self._ends[channel, chunk : chunk + 2]
        bridge: Floats = first + walk + np.arange(1, CHUNK + 1) / CHUNK * (last - first - walk[-1])
        return bridge

    def fill(self, out: Floats, start: int, channel: int) -> None:
        chunk, offset = divmod(start, CHUNK)
        out[:] = self._chunk(chunk, channel)[offset : offset + len(out)]

    def at(self, times: Floats, channel: int) -> Floats:
        rows = np.clip(times, 0, (self._ends.shape[1] - 1) * CHUNK - 1)
        first = int(rows.min())
        known = self._rows(first, int(rows.max()) + 2, channel)
        values: Floats = np.interp(rows - first, np.arange(len(known)), known)
        return values

    def _rows(self, start: int, stop: int, channel: int) -> Floats:
        """The values of these rows, in one chunk or several, as far as the last chunk goes."""
        last = min(-(-stop // CHUNK), self._ends.shape[1] - 1)
        pieces = [
            self._chunk(chunk, channel)[max(0, start - chunk * CHUNK) : stop - chunk * CHUNK] for chunk in range(start // CHUNK, last)
        ]
        return np.concatenate(pieces)

    def center(self, start: int, stop: int, channel: int) -> float:
        return float(self.at(np.array([float(start)]), channel)[0])


class Own(Base):
    """A user's series. Between two rows it is a straight line, before the first and after the last it is constant."""

    def __init__(self, values: Floats) -> None:
        self._values = values
        low, high = np.quantile(values, [0.05, 0.95])
        # A nearly constant series still needs a scale.
        self.scale = float(high - low) or float(np.ptp(values)) or 1.0

    def fill(self, out: Floats, start: int, channel: int) -> None:
        out[:] = self._values[start : start + len(out), channel]

    def at(self, times: Floats, channel: int) -> Floats:
        first = max(0, int(times.min()))
        known = self._values[first : int(times.max()) + 2, channel]
        if not len(known):
            return np.full(len(times), self._values[-1, channel])
        return np.interp(times - first, np.arange(len(known)), known)

    def center(self, start: int, stop: int, channel: int) -> float:
        """The middle of the values at 65 moments of the range."""
        shown = self.at(np.linspace(start, stop - 1, 65), channel)
        return float(shown.min() + shown.max()) / 2


def made_base(name: str, *, low: float, high: float, period: float | None, length: int, seed: int, channels: int) -> Base:
    """The base of this name in :data:`BASES`."""
    if name == "timeguided":
        return Rise(low, high, length)
    if name == "walk":
        return Walk(low, high, length, seed, channels)
    assert period is not None
    if name == "sine":
        return Sine(low, high, period)
    if name == "seasonal":
        return Formula(lambda times: _seasonal(times, period, length), low, high, period, trend=1.0 / length)
    cycle = {"ecg": _beats, "shuttle": _valve}[name]
    key = hash_key(seed, CYCLE_STREAM)
    return Formula(lambda times: cycle(times, period, key), low, high, period)


# A heart beat as a sum of bells: where in the beat, how wide, how high. P, Q, R, S and T wave.
_WAVES = ((0.20, 0.025, 0.12), (0.365, 0.010, -0.10), (0.40, 0.012, 1.0), (0.437, 0.012, -0.2), (0.68, 0.050, 0.28))


def _beats(times: Floats, period: float, key: np.uint64) -> Floats:
    # Breathing makes the pace swing a little over some ten beats.
    turns = times / period + 0.06 * np.sin(times * (2.0 * np.pi / (9.7 * period)))
    beat = np.floor(turns)
    phase = turns - beat
    height = 0.92 + 0.08 * uniform_at(key, beat.astype(np.int64))
    total = np.zeros_like(phase)
    for where, width, high in _WAVES:
        total += high * np.exp(-0.5 * ((phase - where) / width) ** 2)
    return (height * total + 0.25) / 1.25


def _valve(times: Floats, period: float, key: np.uint64) -> Floats:
    turns = times / period
    cycle = np.floor(turns)
    phase = turns - cycle
    height = 0.97 + 0.03 * uniform_at(key, cycle.astype(np.int64))
    # The current rises, dips as the valve opens, stays up, falls fast and then slowly when it is cut, and bounces once.
    on, off, bounce = (np.maximum(phase - start, 0.0) for start in (0.10, 0.40, 0.54))
    opened = (1.0 - np.exp(-on / 0.02)) - 0.5 * np.exp(-0.5 * ((phase - 0.14) / 0.006) ** 2)
    closed = 0.7 * np.exp(-off / 0.004) + 0.3 * np.exp(-off / 0.06)
    bounced = np.where(bounce > 0.0, 0.2 * np.exp(-bounce / 0.03), 0.0)
    return height * (opened * closed + bounced)


def _seasonal(times: Floats, period: float, length: int) -> Floats:
    turn = times * (2.0 * np.pi / period)
    return 0.5 + 0.28 * np.sin(turn) + 0.1 * np.sin(2.0 * turn + 1.0) + 0.12 * np.sin(turn / 7.0) + times / length
