"""The paper's four Paranom series, rebuilt: the authors published their labels, but not the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rangewise.checks import unknown_name, whole
from rangewise.datasets.location import local_path
from rangewise.datasets.real_series import load_discord
from rangewise.files.series import Series
from rangewise.generate.bases import Floats
from rangewise.generate.maker import Maker, generate
from rangewise.generate.plan import Anomalies
from rangewise.generate.randomness import stream
from rangewise.generate.recipe import Recipe
from rangewise.inputs.ranges import Ranges

TRAIN_ROWS = 4_000

_SHAPES = ("amplitude", "extremum", "frequency", "mean", "pattern", "platform", "trend", "variance")


@dataclass(frozen=True)
class _PaperSeries:
    """The properties that both versions of a series share, from the published labels."""

    test_rows: int
    lengths: tuple[int, ...]
    """Of the real ranges."""


PAPER_SERIES = {
    "sine": _PaperSeries(9_985, (29, 73, 89, 2, 20, 74, 6, 54)),
    "timeguided": _PaperSeries(9_985, (9, 9, 10, 9, 10, 10, 10, 10, 10, 10, 9, 10)),
    "ecg": _PaperSeries(15_985, (67, 71, 81, 111, 168, 110, 196, 102, 164, 136, 67, 177, 132, 114)),
    "space_shuttle": _PaperSeries(9_985, (101, 200, 162, 181, 52)),
}


PERIODS = {"sine": 360, "timeguided": 100, "ecg": 2_000, "space_shuttle": 1_000}
"""Rows after which version 2 repeats exactly."""


def paper_series(name: str, seed: int = 0, *, version: int = 2, validation: int = 0) -> Series:
    """One of the four generated series of the paper's experiments: sine, timeguided, ecg or space_shuttle.

    The first 4,000 rows are normal; the test part comes last, with the rows of the published labels and with real ranges of the same
    number and lengths, in random order and at random places. Between them are ``validation`` rows, none by default, with up to three
    anomalies like those of the test part, for detectors that choose a threshold with labels. ``series.train`` has all rows before the
    test part.

    Version 2 is built as the published labels suggest (docs/paper-series.md): one stretch is repeated exactly, of 2,000 rows (ecg), 1,000
    (space_shuttle), 360 (sine) or 100 (timeguided); anomalies are strong noise (ecg, sine), shifted levels with noise (space_shuttle) or
    inverted values (timeguided). Normal rows have no noise, so that comparing with the first period finds every anomaly: a good score on
    version 2 says little. Version 1 is the hard set: only the sine repeats exactly, and anomalies are of eight kinds, many of them
    weak.

    ``ecg`` and ``space_shuttle`` use recorded series (Keogh, Lin, Fu 2005) where those are in the data folder (``rangewise data get`` puts
    them there); in version 1 one anomaly that was recorded stays, in place of the published range nearest in length. Elsewhere the base is
    our own look-alike, and the series' name says so: nothing is downloaded here.

    >>> series = paper_series("sine")
    >>> series, series.train
    (Series('sine', 13985 points, 1 channels, 8 real ranges), (0, 4000))
    >>> sorted(series.real.lengths.tolist())
    [2, 6, 20, 29, 54, 73, 74, 89]

    Tatbul et al. (2018), section 5.1.
    """
    if name not in PAPER_SERIES:
        raise unknown_name("the name of a paper series", name, tuple(PAPER_SERIES))
    if version not in (1, 2):
        raise ValueError(f"version is 2, or 1 for the hard set; got {version!r}")
    if validation:
        validation = whole("validation", validation, least=1)
        if version == 1:
            raise ValueError("version 1 has no validation rows; drop validation=, or give version=2")
    return _hard_series(name, seed) if version == 1 else _repeating_series(name, seed, validation)


@dataclass(frozen=True)
class _Repeating:
    """Version 2: a segment that repeats exactly, and its anomalies."""

    stretch: Callable[[], Floats]
    kinds: tuple[str, ...]
    strength: tuple[float, float] = (0.5, 1.5)
    noise: tuple[float, float] | None = None
    """The range of the standard deviation of the noise in each anomaly, in units of the segment's amplitude."""
    recorded: tuple[str, int, int] | None = None
    """(discord series, first row, stop) of a recorded stretch, in place of the other where its file is."""


# The ends of both recorded stretches are equal, so that no seam shows.
_REPEATING = {
    "sine": _Repeating(lambda: _plain("sine", 360), ("variance",), (2.0, 4.0)),
    "timeguided": _Repeating(lambda: np.arange(1, 101) / 100, ("inversion",)),
    "ecg": _Repeating(lambda: _plain("ecg", 2_000), ("variance",), (5.0, 7.0), recorded=("qtdbsel102", 8_379, 10_379)),
    "space_shuttle": _Repeating(
        lambda: _plain("shuttle", 1_000), ("mean", "platform"), noise=(0.05, 0.2), recorded=("TEK16", 3_000, 4_000)
    ),
}
_VALIDATION_ANOMALIES = 3
# Validation anomalies are other ones than those of any test part.
_VALIDATION_STREAM, _NOISE_STREAM = 20, 21


def _repeating_series(name: str, seed: int, validation: int) -> Series:
    wanted, built = PAPER_SERIES[name], _REPEATING[name]
    stretch, shown_name = built.stretch(), name
    if built.recorded is not None:
        source, first, last = built.recorded
        if local_path(f"discords/{source}.txt").is_file():
            stretch = load_discord(source).values[first:last, 0]
        else:
            shown_name = f"{name} (look-alike)"
    train = TRAIN_ROWS + validation
    length = train + wanted.test_rows
    normal = Series(shown_name, np.resize(stretch, length), train=(0, train))
    test = Anomalies(kinds=built.kinds, exact_lengths=wanted.lengths, strength=built.strength, part=(train, length))
    made = generate(normal, seed=seed, anomalies=test)
    if validation:
        drawn = stream(seed, _VALIDATION_STREAM)
        lengths = drawn.choice(wanted.lengths, _VALIDATION_ANOMALIES, replace=False).tolist()
        labeled = Anomalies(kinds=built.kinds, exact_lengths=lengths, strength=built.strength, part=(TRAIN_ROWS, train))
        made = generate(made, seed=int(drawn.integers(2**32)), anomalies=labeled)
    return made if built.noise is None else _with_noise(made, seed, built.noise, float(np.ptp(stretch)))


def _with_noise(series: Series, seed: int, deviations: tuple[float, float], swing: float) -> Series:
    """Noise inside the real ranges, with a different strength in each."""
    values = series.values.copy()
    for start, stop in series.real:
        drawn = stream(seed, _NOISE_STREAM, start)
        values[start:stop, 0] += swing * drawn.uniform(*deviations) * drawn.standard_normal(stop - start)
    return Series(series.name, values, real=series.real, train=series.train)


def _plain(base: str, rows: int) -> Floats:
    """One segment of a built-in base, without noise and anomalies."""
    return generate(base, length=rows, anomalies=0, noise=0.0).values[:, 0]


@dataclass(frozen=True)
class _Recorded:
    """Normal rows of a recorded series, and the one range of it that is anomalous: it stands for the published range nearest in length."""

    pieces: tuple[tuple[str, int, int], ...]
    """(discord series, first row, stop); of two channels the first."""
    real: tuple[int, int]
    stands_for: int


@dataclass(frozen=True)
class _Hard:
    """Version 1: a base, the kinds of anomaly, and a recorded series in place of the base where its files are."""

    base: str
    kinds: tuple[str, ...]
    recorded: _Recorded | None = None


_ECG = _Recorded((("qtdbsel102", 0, 19_985),), real=(4_231, 4_430), stands_for=196)
# The traces have a valve cycle in each 1,000 rows. These are all normal cycles and the odd last one of TEK16; one comes twice.
_VALVE = _Recorded(
    (("TEK16", 0, 5_000), ("TEK17", 0, 2_000), ("TEK17", 3_000, 5_000), ("TEK14", 0, 1_000), ("TEK14", 2_000, 5_000), ("TEK17", 0, 985)),
    real=(4_271, 4_370), stands_for=101,
)  # fmt: skip

_HARD = {
    "sine": _Hard("sine", _SHAPES),
    "timeguided": _Hard("timeguided", ("inversion",)),
    "ecg": _Hard("ecg", _SHAPES, _ECG),
    "space_shuttle": _Hard("shuttle", _SHAPES, _VALVE),
}


def _hard_series(name: str, seed: int) -> Series:
    wanted, built = PAPER_SERIES[name], _HARD[name]
    length = TRAIN_ROWS + wanted.test_rows
    part = (TRAIN_ROWS, length)
    recorded = _recorded_series(name, built.recorded)
    if recorded is not None and built.recorded is not None:
        added = list(wanted.lengths)
        added.remove(built.recorded.stands_for)
        return generate(recorded, seed=seed, anomalies=Anomalies(kinds=built.kinds, exact_lengths=added, part=part))
    anomalies = Anomalies(kinds=built.kinds, exact_lengths=wanted.lengths, part=part)
    maker = Maker(Recipe(base=built.base, length=length, seed=seed, anomalies=anomalies))
    shown_name = name if built.recorded is None else f"{name} (look-alike)"
    return Series(shown_name, maker.all_values(workers=1), real=maker.real, train=(0, TRAIN_ROWS))


def _recorded_series(name: str, recorded: _Recorded | None) -> Series | None:
    """The series to augment, where its files are in the data folder."""
    if recorded is None or not all(local_path(f"discords/{name}.txt").is_file() for name, _, _ in recorded.pieces):
        return None
    pieces = [load_discord(name).values[start:stop, 0] for name, start, stop in recorded.pieces]
    return Series(name, np.concatenate(pieces), real=Ranges([recorded.real]), train=(0, TRAIN_ROWS))
