"""Series with planted flaws, which an audit must find, and clean series, in which it must find none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rangewise.checks import unknown_name
from rangewise.files.series import Series
from rangewise.generate.maker import make_series
from rangewise.generate.plan import Anomalies
from rangewise.generate.recipe import Recipe
from rangewise.inputs.ranges import Ranges

_LENGTH, _TRAINED = 6000, 2000
_BASES = ("sine", "ecg", "seasonal")
_SUBTLE = ("frequency", "pattern", "pattern-shift", "trend")
_MINUTE = 60 * 10**9


def clean_series(seed: int) -> Series:
    """A noisy series with six subtle anomalies after its training part, one row per minute."""
    wish = Anomalies(kinds=_SUBTLE, number=6, lengths=(50, 100), strength=(0.2, 0.5), gap=200, part=(_TRAINED + 200, _LENGTH - 200))
    return _made(seed, wish)


def flawed_series(flaw: str, seed: int) -> list[Series]:
    """Series with one planted flaw, a name of :data:`FLAWS`: one series, or for a duplicate two, of which the second is flawed.

    >>> [len(series.real) for series in flawed_series("no-anomaly", seed=1)]
    [0]
    """
    if flaw not in FLAWS:
        raise unknown_name("a flaw", flaw, tuple(FLAWS))
    return FLAWS[flaw](seed)


def _made(seed: int, anomalies: Anomalies, noise: float = 0.12) -> Series:
    recipe = Recipe(base=_BASES[seed % len(_BASES)], length=_LENGTH, seed=seed, anomalies=anomalies, noise=noise)
    made = make_series(recipe, name=f"series {seed}")
    return replace(made, timestamps=np.arange(_LENGTH, dtype=np.int64) * _MINUTE, train=(0, _TRAINED))


def _trivial(seed: int) -> list[Series]:
    wish = Anomalies(kinds="variance", number=3, lengths=(5, 15), strength=(12.0, 20.0), gap=200, part=(_TRAINED, _LENGTH))
    return [_made(seed, wish)]


def _shifted(seed: int) -> list[Series]:
    wish = Anomalies(kinds="variance", number=4, lengths=(40, 60), strength=(4.0, 6.0), gap=300, part=(_TRAINED + 200, _LENGTH - 200))
    series = _made(seed, wish)
    moved = int(1.5 * np.median(series.real.lengths)) * (1 if seed % 2 else -1)
    return [replace(series, real=Ranges(np.asarray(series.real) + moved))]


def _dense(seed: int) -> list[Series]:
    wish = Anomalies(kinds=_SUBTLE, number=20, lengths=(60, 100), strength=(0.2, 0.6), gap=20, part=(_TRAINED + 200, _LENGTH - 200))
    return [_made(seed, wish)]


def _in_training(seed: int) -> list[Series]:
    series = clean_series(seed)
    return [replace(series, real=Ranges(np.concatenate([[(700, 760)], np.asarray(series.real)])))]


def _no_anomaly(seed: int) -> list[Series]:
    return [_made(seed, Anomalies(number=0))]


def _duplicate(seed: int) -> list[Series]:
    original, series = clean_series(seed), clean_series(seed + 1_000_000)
    random = np.random.default_rng(seed)
    here, there, rows = random.integers(0, 5000), random.integers(0, 5000), random.integers(500, 1000)
    values = series.values.copy()
    values[there : there + rows] = random.uniform(0.5, 2.0) * original.values[here : here + rows] + random.uniform(-1, 1)
    return [original, replace(series, name=f"{series.name} again", values=values)]


def _constant(seed: int) -> list[Series]:
    series = clean_series(seed)
    values = series.values.copy()
    start = int(np.random.default_rng(seed).integers(0, _TRAINED - 300))
    values[start : start + 300] = values[start]
    return [replace(series, values=values)]


def _missing(seed: int) -> list[Series]:
    series = clean_series(seed)
    values = series.values.copy()
    values[np.random.default_rng(seed).integers(0, _LENGTH, size=5)] = np.nan
    return [replace(series, values=values)]


def _timestamps(seed: int) -> list[Series]:
    series = clean_series(seed)
    assert series.timestamps is not None
    times = series.timestamps.copy()
    row = int(np.random.default_rng(seed).integers(1, _LENGTH))
    times[row] = times[row - 1] - (seed % 2) * _MINUTE
    return [replace(series, timestamps=times)]


FLAWS: dict[str, Callable[[int], list[Series]]] = {
    "trivial": _trivial,
    "labels-shifted": _shifted,
    "density": _dense,
    "training-anomaly": _in_training,
    "no-anomaly": _no_anomaly,
    "duplicate": _duplicate,
    "constant": _constant,
    "missing": _missing,
    "timestamps": _timestamps,
}
"""The function that makes series with each flaw, by the name of the check that finds it."""
