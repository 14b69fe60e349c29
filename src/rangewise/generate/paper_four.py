"""The paper's four Paranom series, made anew: the authors published their labels, never the values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rangewise.checks import unknown_name
from rangewise.datasets.discords import load_discord
from rangewise.datasets.location import local_path
from rangewise.files.series import Series
from rangewise.generate.maker import Maker, generate
from rangewise.generate.plan import Anomalies
from rangewise.generate.recipe import Recipe
from rangewise.ranges import Ranges

TRAIN_ROWS = 4_000

_SHAPES = ("amplitude", "extremum", "frequency", "mean", "pattern", "platform", "trend", "variance")


@dataclass(frozen=True)
class _PaperSeries:
    base: str
    test_rows: int
    """As many as the published labels."""
    lengths: tuple[int, ...]
    """Of the real ranges in the published labels."""
    kinds: tuple[str, ...]
    recorded: _Recorded | None = None


@dataclass(frozen=True)
class _Recorded:
    """Normal rows of a recorded series, and the one range of it that is anomalous: it stands for the published range nearest in length."""

    pieces: tuple[tuple[str, int, int], ...]
    """(discord series, first row, stop); of two channels the first."""
    real: tuple[int, int]
    stands_for: int


_ECG = _Recorded((("qtdbsel102", 0, 19_985),), real=(4_231, 4_430), stands_for=196)
# The traces have a valve cycle in each 1,000 rows. These are all normal cycles and the odd last one of TEK16; one comes twice.
_VALVE = _Recorded(
    (("TEK16", 0, 5_000), ("TEK17", 0, 2_000), ("TEK17", 3_000, 5_000), ("TEK14", 0, 1_000), ("TEK14", 2_000, 5_000), ("TEK17", 0, 985)),
    real=(4_271, 4_370), stands_for=101,
)  # fmt: skip


PAPER_SERIES = {
    "sine": _PaperSeries("sine", 9_985, (29, 73, 89, 2, 20, 74, 6, 54), _SHAPES),
    "timeguided": _PaperSeries("timeguided", 9_985, (9, 9, 10, 9, 10, 10, 10, 10, 10, 10, 9, 10), ("inversion",)),
    "ecg": _PaperSeries("ecg", 15_985, (67, 71, 81, 111, 168, 110, 196, 102, 164, 136, 67, 177, 132, 114), _SHAPES, _ECG),
    "space_shuttle": _PaperSeries("shuttle", 9_985, (101, 200, 162, 181, 52), _SHAPES, _VALVE),
}


def paper_series(name: str, seed: int = 0) -> Series:
    """One of the four generated series of the paper's experiments: sine, timeguided, ecg or space_shuttle.

    The first 4,000 rows are the training part (``series.train``) and have no anomaly; the test part follows, with as many rows as the
    published labels and with real ranges of the same number and lengths, in random order and at random places.

    ``ecg`` and ``space_shuttle`` add anomalies to recorded series (Keogh, Lin, Fu 2005) where those are in the data folder
    (``rangewise data get`` puts them there); one anomaly that was recorded stays, in place of the published range nearest in length.
    Elsewhere the base is our own look-alike, and the series' name says so: nothing is downloaded here.

    >>> series = paper_series("sine")
    >>> series, series.train
    (Series('sine', 13985 points, 1 channels, 8 real ranges), (0, 4000))
    >>> sorted(series.real.lengths.tolist())
    [2, 6, 20, 29, 54, 73, 74, 89]

    Tatbul et al. (2018), section 5.1.
    """
    if name not in PAPER_SERIES:
        raise unknown_name("the name of a paper series", name, tuple(PAPER_SERIES))
    wanted = PAPER_SERIES[name]
    length = TRAIN_ROWS + wanted.test_rows
    part = (TRAIN_ROWS, length)
    recorded = _recorded_series(name, wanted.recorded)
    if recorded is not None and wanted.recorded is not None:
        added = list(wanted.lengths)
        added.remove(wanted.recorded.stands_for)
        return generate(recorded, seed=seed, anomalies=Anomalies(kinds=wanted.kinds, exact_lengths=added, part=part))
    anomalies = Anomalies(kinds=wanted.kinds, exact_lengths=wanted.lengths, part=part)
    maker = Maker(Recipe(base=wanted.base, length=length, seed=seed, anomalies=anomalies))
    shown_name = name if wanted.recorded is None else f"{name} (look-alike)"
    return Series(shown_name, maker.all_values(workers=1), real=maker.real, train=(0, TRAIN_ROWS))


def _recorded_series(name: str, recorded: _Recorded | None) -> Series | None:
    """The series to augment, where its files are in the data folder."""
    if recorded is None or not all(local_path(f"discords/{name}.txt").is_file() for name, _, _ in recorded.pieces):
        return None
    pieces = [load_discord(name).values[start:stop, 0] for name, start, stop in recorded.pieces]
    return Series(name, np.concatenate(pieces), real=Ranges([recorded.real]), train=(0, TRAIN_ROWS))
