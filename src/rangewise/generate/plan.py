"""The places, kinds and strengths of the anomalies of a generated series, drawn once from the seed, before any value is made."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import check_memory, shown, unknown_name, whole
from rangewise.generate.bases import PLAN_STREAM
from rangewise.generate.kinds import KINDS
from rangewise.generate.randomness import stream
from rangewise.inputs.ranges import Ranges

MOST_ROWS = 2**62
"""The limit for rows, so that counts fit in 64-bit integers."""
_BYTES = 80
"""The approximate memory of a planned anomaly, in bytes."""


@dataclass(frozen=True, kw_only=True)
class Anomalies:
    """How many anomalies a series gets, of which kinds, how long, how far apart, how strong, and where. Frozen and validated.

    Everything is drawn independently:

    - kinds: each anomaly's is uniform among ``kinds`` (names of :data:`KINDS`; None: those of the base, mostly all);
    - number: ``number``, or where it is None, ``rate`` (the part of the points that is anomalous) times the points of the part, divided by
      the mean length, rounded;
    - lengths: whole numbers, uniform from the first to the last of ``lengths`` (None: 50 to 100, less where the series is short); or
      ``exact_lengths``, one per anomaly, in random order;
    - gaps: ``gap`` points at least between two anomalies (at least 1, so that two never touch); the points that are left over are cut at
      places drawn uniformly, so that no part of the series is preferred;
    - strength: uniform from the first to the last of ``strength``, in units of the base's high - low; up or down with equal chance;
    - channel: uniform.

    ``part=(start, stop)`` keeps all of them inside these rows.

    >>> Anomalies(kinds="trend", number=3, lengths=(20, 30)).kinds
    ('trend',)
    """

    kinds: str | Sequence[str] | None = None
    number: int | None = None
    rate: float = 0.04
    lengths: tuple[int, int] | None = None
    exact_lengths: Sequence[int] | None = None
    gap: int = 10
    strength: tuple[float, float] = (0.5, 1.5)
    part: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        kinds = (self.kinds,) if isinstance(self.kinds, str) else self.kinds
        if kinds is not None:
            kinds = tuple(kinds)
            for kind in kinds:
                if kind not in KINDS:
                    raise unknown_name("a kind of anomaly", kind, tuple(KINDS))
            if not kinds:
                raise ValueError("kinds is empty; name at least one kind, or give number=0 for a series without anomalies")
            object.__setattr__(self, "kinds", kinds)
        if self.number is not None:
            object.__setattr__(self, "number", whole("number of anomalies", self.number, least=0, most=MOST_ROWS))
        if not (_is_number(self.rate) and 0 <= self.rate < 1):
            raise ValueError(f"rate is the part of the points that is anomalous, from 0 to below 1; got {shown(self.rate)}")
        object.__setattr__(self, "rate", float(self.rate))
        if self.exact_lengths is not None:
            if self.lengths is not None:
                raise ValueError("lengths and exact_lengths both say how long anomalies are; give one of them")
            exact = tuple(whole("an exact length", length, least=1, most=MOST_ROWS) for length in self.exact_lengths)
            if self.number not in (None, len(exact)):
                raise ValueError(f"number is {self.number}, but exact_lengths has {len(exact)} lengths; drop number=")
            object.__setattr__(self, "exact_lengths", exact)
        if self.lengths is not None:
            shortest, longest = pair("lengths", self.lengths, "(shortest, longest)")
            shortest = whole("the shortest length", shortest, least=1, most=MOST_ROWS)
            longest = whole("the longest length", longest, least=1, most=MOST_ROWS)
            if shortest > longest:
                raise ValueError(f"lengths is (shortest, longest); got {self.lengths}")
            object.__setattr__(self, "lengths", (shortest, longest))
        object.__setattr__(self, "gap", whole("gap", self.gap, least=1, most=MOST_ROWS))
        weakest, strongest = pair("strength", self.strength, "(weakest, strongest)")
        if not (_is_number(weakest) and _is_number(strongest) and 0 < weakest <= strongest <= sys.float_info.max):
            raise ValueError(f"strength is (weakest, strongest), above 0; got {shown(self.strength)}")
        object.__setattr__(self, "strength", (float(weakest), float(strongest)))
        if self.part is not None:
            start, stop = pair("part", self.part, "(start, stop)")
            start = whole("the start of part", start, least=0, most=MOST_ROWS)
            stop = whole("the stop of part", stop, least=1, most=MOST_ROWS)
            if start >= stop:
                raise ValueError(f"part is a half-open range of rows (start, stop); got {self.part}")
            object.__setattr__(self, "part", (start, stop))


@dataclass(frozen=True)
class SeriesPlan:
    """The drawn anomalies, sorted; one entry each."""

    ranges: Ranges
    kinds: NDArray[np.uint8]
    """Positions in ``names``."""
    names: tuple[str, ...]
    channels: NDArray[np.int64]
    strengths: NDArray[np.float64]
    signs: NDArray[np.float64]

    def kind(self, index: int) -> str:
        return self.names[int(self.kinds[index])]


def draw_plan(wanted: Anomalies, *, length: int, channels: int, seed: int, taken: Ranges | None = None) -> SeriesPlan:
    """Draw the anomalies of a series of ``length`` rows; none is closer than the gap to a ``taken`` range.

    Between many taken ranges, a plan that barely fits may be refused, because positions are drawn at random.
    """
    random = stream(seed, PLAN_STREAM)
    start, stop = wanted.part or (0, length)
    if stop > length:
        raise ValueError(f"part is {wanted.part}, but the series has {length} rows; its stop is at most {length}")
    lengths = random.permutation(_lengths(wanted, stop - start, random))
    bounds = _place(lengths, _free(start, stop, taken, wanted.gap), wanted, random)
    number = len(bounds)
    names = tuple(wanted.kinds or KINDS)
    return SeriesPlan(
        ranges=Ranges(bounds),
        kinds=random.integers(len(names), size=number).astype(np.uint8),
        names=names,
        channels=random.integers(channels, size=number),
        strengths=random.uniform(*wanted.strength, size=number),
        signs=np.where(random.integers(2, size=number) == 1, 1.0, -1.0),
    )


def _length_bounds(wanted: Anomalies, span: int) -> tuple[int, int]:
    return wanted.lengths or (max(1, min(50, span // 40)), max(1, min(100, span // 20)))


def _number(wanted: Anomalies, span: int) -> int:
    """The number of anomalies in this many rows: as given, or by the rate."""
    return wanted.number if wanted.number is not None else round(wanted.rate * span / (sum(_length_bounds(wanted, span)) / 2))


def plan_bytes(wanted: Anomalies, length: int) -> int:
    """The memory of the plan of a series, in bytes."""
    start, stop = wanted.part or (0, length)
    return _BYTES * (len(wanted.exact_lengths) if wanted.exact_lengths is not None else _number(wanted, stop - start))


def _lengths(wanted: Anomalies, span: int, random: np.random.Generator) -> NDArray[np.int64]:
    if wanted.exact_lengths is not None:
        return np.array(wanted.exact_lengths, dtype=np.int64)
    shortest, longest = _length_bounds(wanted, span)
    number = _number(wanted, span)
    if longest > span and wanted.number != 0:
        raise ValueError(f"anomalies of up to {longest} points do not fit in {span} rows; give shorter lengths or a longer series")
    if number == 0 and wanted.number is None and wanted.lengths is not None and wanted.rate > 0:
        raise ValueError(
            f"a rate of {wanted.rate:g} in {span} rows is less than one anomaly of {shortest} to {longest} points; "
            "give a number, a higher rate, shorter lengths or a longer series"
        )
    if number * (shortest + wanted.gap) > span + wanted.gap:
        # Raise before drawing any: their number may exceed all memory.
        raise _too_many(number, f"at least {number * shortest}", span, wanted)
    check_memory(_BYTES * number, f"a plan of {number} anomalies")
    return random.integers(shortest, longest, size=number, endpoint=True)


def _free(start: int, stop: int, taken: Ranges | None, gap: int) -> list[tuple[int, int]]:
    """The stretches of [start, stop) that keep the gap to taken ranges."""
    free, at = [], start
    for first, last in taken or ():
        if first - gap > at:
            free.append((at, min(stop, first - gap)))
        at = max(at, last + gap)
    free.append((at, stop))
    return [(first, last) for first, last in free if last > first]


def _place(lengths: NDArray[np.int64], free: list[tuple[int, int]], wanted: Anomalies, random: np.random.Generator) -> NDArray[np.int64]:
    """(start, stop) of every anomaly, in order, at least the gap apart."""
    rooms = np.array([stop - start for start, stop in free], dtype=np.int64)
    # If the whole part is free, all are in one stretch; else each goes to a random stretch, weighted by its free space.
    home = np.zeros(len(lengths), dtype=np.int64)
    left = rooms + wanted.gap
    if len(free) > 1:
        # The longest choose first: they have the fewest places.
        for index in np.argsort(-lengths, kind="stable"):
            chances = np.where(left >= lengths[index] + wanted.gap, left, 0)
            if not chances.any():
                raise _too_many(len(lengths), str(lengths.sum()), int(rooms.sum()), wanted)
            home[index] = random.choice(len(free), p=chances / chances.sum())
            left[home[index]] -= lengths[index] + wanted.gap
    elif len(lengths) and (not free or left[0] < (lengths + wanted.gap).sum(dtype=np.float64)):
        raise _too_many(len(lengths), str(lengths.sum()), int(rooms.sum()), wanted)
    placed = []
    for number, (start, stop) in enumerate(free):
        mine = lengths[home == number]
        ahead = np.concatenate([[0], np.cumsum(mine + wanted.gap)])
        spare = stop - start + wanted.gap - ahead[-1]
        starts = start + ahead[:-1] + np.sort(random.integers(0, spare, size=len(mine), endpoint=True)) if len(mine) else mine
        placed.append(np.column_stack([starts, starts + mine]))
    return np.concatenate(placed) if placed else np.zeros((0, 2), dtype=np.int64)


def _too_many(number: int, points: str, room: int, wanted: Anomalies) -> ValueError:
    return ValueError(
        f"{number} anomalies of {points} points together, at least {wanted.gap} apart, do not fit in {room} free rows; "
        "lower the number or the rate, the lengths or the gap, or make the series longer"
    )


def pair(name: str, value: Any, meaning: str) -> tuple[Any, Any]:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        raise TypeError(f"{name} is a pair {meaning}; got {value!r}")
    return value[0], value[1]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
