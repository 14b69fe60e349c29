"""generate: a labeled series of any size, made chunk by chunk, the same for any number of workers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rangewise.checks import check_memory, whole
from rangewise.files.series import Series
from rangewise.generate.bases import BASES, CHUNK, NOISE_STREAM, VARIANCE_STREAM, Base, Floats, Own, made_base
from rangewise.generate.kinds import KINDS, Stretch
from rangewise.generate.plan import SeriesPlan, draw_plan
from rangewise.generate.randomness import hash_key, stream
from rangewise.generate.recipe import OWN, AnomaliesLike, Recipe, as_anomalies
from rangewise.inputs.ranges import Ranges

_Made = TypeVar("_Made")

_A_COLUMN = 1000
"""Bytes that a channel takes beside its values, about: its name, and its column of a table."""

Progress = Callable[[int], None]
"""Called with the number of rows made since the last call."""


class Maker:
    """Makes the chunks of a recipe's series, in any order. The plan is drawn first, the values on demand."""

    def __init__(self, recipe: Recipe, own: Series | None = None) -> None:
        self.recipe = recipe
        rows = min(recipe.length, CHUNK)
        check_memory((8 * rows + _A_COLUMN) * recipe.channels, f"a piece of {rows} rows and {recipe.channels} channels")
        self.base: Base
        if recipe.base == OWN:
            self.base = Own(_checked_own(recipe, own).values)
        else:
            assert recipe.low is not None
            assert recipe.high is not None
            self.base = made_base(
                recipe.base, low=recipe.low, high=recipe.high, period=recipe.period,
                length=recipe.length, seed=recipe.seed, channels=recipe.channels,
            )  # fmt: skip
        taken = own.real if own is not None else Ranges()
        self.plan: SeriesPlan = draw_plan(recipe.anomalies, length=recipe.length, channels=recipe.channels, seed=recipe.seed, taken=taken)
        self.real = Ranges(np.concatenate([np.asarray(taken), np.asarray(self.plan.ranges)])) if len(taken) else self.plan.ranges
        self._key = hash_key(recipe.seed, VARIANCE_STREAM)
        self.chunks = -(-recipe.length // CHUNK)

    def bounds(self, chunk: int) -> tuple[int, int]:
        return chunk * CHUNK, min((chunk + 1) * CHUNK, self.recipe.length)

    def fill(self, chunk: int, out: Floats) -> None:
        """Write the values of one chunk, one row per point and one column per channel."""
        start, stop = self.bounds(chunk)
        for channel in range(self.recipe.channels):
            self.base.fill(out[:, channel], start, channel)
        ranges = self.plan.ranges
        first, last = np.searchsorted(ranges.stops, start, side="right"), np.searchsorted(ranges.starts, stop, side="left")
        for index in range(int(first), int(last)):
            self._disturb(index, start, stop, out)
        if self.recipe.noise:
            for channel in range(self.recipe.channels):
                noise = stream(self.recipe.seed, NOISE_STREAM, channel, chunk).standard_normal(stop - start)
                noise *= self.recipe.noise * self.base.scale
                out[:, channel] += noise

    def _disturb(self, index: int, start: int, stop: int, out: Floats) -> None:
        """Apply the part of one anomaly that lies in [start, stop)."""
        plan = self.plan
        whole_start, whole_stop = plan.ranges[index]
        first, last = max(start, whole_start), min(stop, whole_stop)
        channel = int(plan.channels[index])
        values = out[first - start : last - start, channel]
        stretch = Stretch(
            rows=np.arange(first, last, dtype=np.float64),
            values=values.copy(),
            start=whole_start,
            stop=whole_stop,
            channel=channel,
            strength=float(plan.strengths[index]),
            sign=float(plan.signs[index]),
            base=self.base,
            key=self._key,
        )
        values[:] = KINDS[plan.kind(index)](stretch)

    def all_values(self, workers: int, progress: Progress | None = None) -> Floats:
        """The whole series in memory, read-only; every worker writes its chunks directly into it."""
        length, channels = self.recipe.length, self.recipe.channels
        check_memory(8 * length * channels, f"a series of {length} rows and {channels} channels")
        values = np.empty((length, channels))

        def make(chunk: int) -> int:
            start, stop = self.bounds(chunk)
            self.fill(chunk, values[start:stop])
            return stop - start

        for rows in in_order(make, self.chunks, workers):
            if progress is not None:
                progress(rows)
        values.flags.writeable = False  # so that a Series takes it without a copy
        return values

    def each_chunk(self, workers: int) -> Iterator[tuple[int, Floats]]:
        """(first row, values) of the chunks in order, with only a few of them in memory."""

        def make(chunk: int) -> tuple[int, Floats]:
            start, stop = self.bounds(chunk)
            values = np.empty((stop - start, self.recipe.channels))
            self.fill(chunk, values)
            return start, values

        return in_order(make, self.chunks, workers)


def in_order(make: Callable[[int], _Made], count: int, workers: int) -> Iterator[_Made]:
    """``make(0)``, ``make(1)``, ... by several threads, at most two results per worker ahead. NumPy releases the GIL."""
    if workers == 1 or count <= 1:
        yield from map(make, range(count))
        return
    from collections import deque
    from concurrent.futures import Future, ThreadPoolExecutor

    pool = ThreadPoolExecutor(min(workers, count), thread_name_prefix="rangewise-generate")
    try:
        waiting: deque[Future[_Made]] = deque()
        for number in range(count):
            waiting.append(pool.submit(make, number))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # After Ctrl-C or an error, pending chunks are cancelled.
        pool.shutdown(cancel_futures=True)


def generate(
    base: str | Series | ArrayLike = "sine",
    length: int = 10_000,
    seed: int = 0,
    anomalies: AnomaliesLike = None,
    workers: int = 1,
    *,
    noise: float | None = None,
    period: float | None = None,
    low: float | None = None,
    high: float | None = None,
    channels: int = 1,
    name: str | None = None,
) -> Series:
    """A series with anomalies, and its real ranges. The same arguments give the same bytes, for any number of workers.

    ``base`` is one of sine, timeguided, ecg, shuttle, walk, seasonal, or a user's own values, (points,) or (points, channels), or a
    :class:`Series`: then the series is as long as these values, ``length`` and ``channels`` have no effect, and its existing real
    ranges are kept. ``anomalies`` is an :class:`Anomalies`, or a number, a kind or a list of kinds; None
    makes 4 % of the points anomalous. ``noise`` is a standard deviation relative to ``high - low``; ``period`` is in rows.

    A series without anomalies (``anomalies=0``) has no real ranges. Impossible settings raise a ValueError.

    >>> series = generate("sine", length=2000, seed=1, anomalies=["mean", "trend"])
    >>> series
    Series('sine', 2000 points, 1 channels, 1 real ranges)
    >>> bool((generate("sine", length=2000, anomalies=0).values <= 0.5).all())
    True
    """
    own = None if isinstance(base, str) else as_own(base)
    recipe = Recipe(
        base=base if isinstance(base, str) else OWN,
        length=length if own is None else len(own),
        seed=seed,
        anomalies=as_anomalies(anomalies),
        noise=noise,
        period=period,
        low=low,
        high=high,
        channels=channels if own is None else own.channels,
        source=None if own is None else {"sha256": own_digest(own)},
    )
    return make_series(recipe, own=own, workers=workers, name=name)


def make_series(recipe: Recipe, *, own: Series | None = None, workers: int = 1, name: str | None = None) -> Series:
    """The series of a recipe, in memory; ``own`` is the user's series, for a recipe that augments one.

    >>> recipe = Recipe(base="walk", length=500, seed=7)
    >>> bool((make_series(recipe).values == generate("walk", length=500, seed=7).values).all())
    True
    """
    workers = whole("workers", workers, least=1)
    maker = Maker(recipe, own)
    return Series(
        name or (own.name if own is not None else recipe.base),
        maker.all_values(workers),
        timestamps=own.timestamps if own is not None else None,
        real=maker.real,
        train=own.train if own is not None else None,
    )


def as_own(values: Series | Any, name: str = OWN) -> Series:
    """A user's values as a series without missing values."""
    if isinstance(values, Series):
        own = values
    else:
        try:
            own = Series(name, np.asarray(values, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"base is one of {', '.join(BASES)}, a Series, or numbers, (points,) or (points, channels); {error}"
            ) from error
    if own.values.size == 0:
        raise ValueError(f"the series {own.name} to augment is empty; expected at least one value")
    bad = np.argwhere(~np.isfinite(own.values))
    if len(bad):
        row, channel = bad[0].tolist()
        raise ValueError(
            f"the series {own.name} to augment has {own.values[row, channel]} at row {row}, channel {channel} "
            f"({len(bad)} in all); fill or drop such values first"
        )
    return own


def own_digest(own: Series) -> str:
    """SHA-256 of everything that a generated series takes from a user's: the values row by row, then the real ranges, little-endian."""
    digest = hashlib.sha256(np.ascontiguousarray(own.values, dtype="<f8").data)
    digest.update(np.ascontiguousarray(own.real, dtype="<i8").data)
    return digest.hexdigest()


def _checked_own(recipe: Recipe, own: Series | None) -> Series:
    if own is None:
        raise ValueError("this recipe augments a user's series; give that series too")
    expected = (recipe.source or {}).get("sha256")
    if (len(own), own.channels) != (recipe.length, recipe.channels) or (expected and expected != own_digest(own)):
        raise ValueError(f"the series {own.name} is not the one that the recipe was written for: its values or real ranges differ")
    return own
