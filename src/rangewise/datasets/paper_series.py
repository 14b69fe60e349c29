"""The paper's four Paranom series, made anew: the authors published their labels, never the values."""

from __future__ import annotations

from dataclasses import dataclass

from rangewise.datasets.generate import Maker
from rangewise.datasets.plan import Anomalies, whole
from rangewise.datasets.recipe import Recipe
from rangewise.datasets.series import Series
from rangewise.model.model import unknown_name

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


PAPER_SERIES = {
    "sine": _PaperSeries("sine", 9_985, (29, 73, 89, 2, 20, 74, 6, 54), _SHAPES),
    "timeguided": _PaperSeries("timeguided", 9_985, (9, 9, 10, 9, 10, 10, 10, 10, 10, 10, 9, 10), ("inversion",)),
    "ecg": _PaperSeries("ecg", 15_985, (67, 71, 81, 111, 168, 110, 196, 102, 164, 136, 67, 177, 132, 114), _SHAPES),
    "space_shuttle": _PaperSeries("shuttle", 9_985, (101, 200, 162, 181, 52), _SHAPES),
}


def paper_series(name: str, seed: int = 0) -> Series:
    """One of the four generated series of the paper's experiments: sine, timeguided, ecg or space_shuttle.

    The first 4,000 rows are the training part (``series.train``) and have no anomaly; the test part follows, with as many rows as the
    published labels and with real ranges of the same number and lengths, in random order and at random places.

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
    anomalies = Anomalies(kinds=wanted.kinds, exact_lengths=wanted.lengths, part=(TRAIN_ROWS, length))
    maker = Maker(Recipe(base=wanted.base, length=length, seed=whole("seed", seed, least=0), anomalies=anomalies))
    return Series(name, maker.all_values(workers=1), real=maker.real, train=(0, TRAIN_ROWS))
