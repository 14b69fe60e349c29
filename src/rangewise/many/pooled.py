"""``pooled_curve``: every threshold of one detector over many series at once, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import whole
from rangewise.curve import MOST_ONE_BY_ONE, Curve, Threshold
from rangewise.inputs.case import check_no_nan, nan_error, read_real_and_scores, read_scores
from rangewise.inputs.gaps import closed_scores
from rangewise.inputs.ignored import ranked_without, without
from rangewise.inputs.ranges import Ranges, trusted_ranges
from rangewise.many.batches import Columns, batches
from rangewise.many.gathered import tally_job
from rangewise.many.scores import ManyScores
from rangewise.many.series_zones import ManyIgnored, SeriesZones, ZonedRows, zoned_table
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.model.rewards import sweep_scores
from rangewise.model.tally import MacroScore, f_scores


@dataclass(frozen=True, eq=False, repr=False)
class PooledCurve:
    """Precision, recall and F of all ranges of all series at every threshold; thresholds descending, arrays of equal length.

    ``real`` and ``scores`` are those of all series, one after the other.

    >>> import rangewise as rw
    >>> curve = rw.pooled_curve(rw.RangeModel(), {"a": ([0, 1, 1], [0.1, 0.9, 0.8]), "b": ([1, 0], [0.8, 0.2])})
    >>> curve.best().threshold, curve.best().score.f, curve.macro(0.9).f
    (0.8, 1.0, 0.3333333333333333)
    """

    model: RangeModel
    names: tuple[Any, ...]
    thresholds: NDArray[Any]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    real: Ranges
    scores: NDArray[Any]
    _borders: NDArray[np.int64] = field(repr=False)
    ignored: ManyIgnored | None = None
    """What zones that do not count did to the real ranges; None where there were none. Scores at a threshold tell of both sides."""
    _zones: Ranges = field(default_factory=Ranges, repr=False)

    @cached_property
    def f(self) -> NDArray[np.float64]:
        """F at each threshold, with the model's beta."""
        return f_scores(self.precision, self.recall, self.model.beta)

    @property
    def average_precision(self) -> float:
        """The area under interpolated precision, as :attr:`rangewise.Curve.average_precision`."""
        return self._curve().average_precision

    def best(self, beta: float | None = None) -> Threshold:
        """The threshold with the largest pooled F, and the score there; of equal ones the highest threshold."""
        if not len(self):
            raise ValueError("a curve without scores has no best threshold")
        model = self.model if beta is None else replace(self.model, beta=beta)
        f = f_scores(self.precision, self.recall, model.beta)
        threshold = self.thresholds[int(np.argmax(np.nan_to_num(f, nan=-1.0)))]
        return Threshold(threshold.item(), self._scored(model, threshold).pooled)

    def at(self, threshold: float) -> Score:
        """The pooled score at any threshold, on the curve or between its entries."""
        return self.series_at(threshold).pooled

    def macro(self, threshold: float) -> MacroScore:
        """The mean of the series' own scores at a threshold."""
        return self.series_at(threshold).macro

    def series_at(self, threshold: float) -> ManyScores:
        """The score of each series at a threshold."""
        return self._scored(self.model, threshold)

    def thin(self, k: int) -> Curve:
        """At most ``k`` entries that look like all, as :meth:`rangewise.Curve.thin`; without its ``best`` and ``at``."""
        return self._curve().thin(k)

    def _curve(self) -> Curve:
        return Curve(self.model, self.thresholds, self.precision, self.recall, self.real, self.scores)

    def _scored(self, model: RangeModel, threshold: float) -> ManyScores:
        if not self.names:
            return ManyScores.from_tallies(model, (), [])
        predicted = kernel.find_series_ranges(self.scores >= threshold, self._borders)
        assert not isinstance(predicted, int)
        real, ranges, ignored = self.real, trusted_ranges(predicted), self.ignored
        if ignored is not None:
            real, _, _ = without(real, self._zones)
            ranges, _, clipping = without(ranges, self._zones)
            ignored = replace(ignored, predicted=clipping)
        found = tally_job(model, real, ranges, self._borders, goes_on=False)
        return ManyScores(model, self.names, found.words, found.real_ranges, found.predicted_ranges, ignored=ignored)

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return (
            f"PooledCurve({len(self.names)} series, {len(self)} thresholds, average precision {self.average_precision:.4g}, {self.model})"
        )


def pooled_curve(
    model: RangeModel,
    frame: Any,
    *,
    series: str | None = None,
    real: str | None = None,
    scores: str | None = None,
    close_gaps: int = 0,
    ignore: Any = None,
    times: str | None = None,
) -> PooledCurve:
    r"""Pooled precision, recall and F at every distinct score of many series: one threshold for all of them.

    .. math:: Recall(\theta) = \frac{\sum_s \sum_i Recall_T(R_{s,i}, P_s(\theta))}{\sum_s N_{r,s}}

    where :math:`P_s(\theta)` are the ranges of the series s with scores of at least :math:`\theta`, and precision alike: the same as adding
    up the tallies of the series at each threshold, in one sweep in which runs never join across series. ``frame`` is a mapping
    ``{name: (real, scores)}``, an iterable of ``(name, real, scores)``, or a table (as for :func:`rangewise.score_many`) with the names of
    its columns. ``real`` is whatever :meth:`RangeModel.curve` takes. Values lie in 0..1, higher is better; no series give a curve without
    entries. A model that cannot be swept for one series is evaluated threshold by threshold here, too. ``close_gaps`` is that of
    :meth:`RangeModel.curve`, for each series by itself. ``ignore`` and ``times`` are those of :func:`rangewise.score_many`; the
    scores of rows that are ignored do not count as thresholds.

    >>> import rangewise as rw
    >>> curve = pooled_curve(rw.RangeModel(), {"a": ([0, 1], [0.3, 0.9]), "b": ([1, 1], [0.9, 0.5])})
    >>> curve.thresholds.tolist(), curve.recall.tolist(), curve.precision.tolist()
    ([0.9, 0.5, 0.3], [0.75, 1.0, 1.0], [1.0, 1.0, 0.75])
    """
    if series is not None or real is not None or scores is not None:
        if series is None or real is None or scores is None:
            raise ValueError("a table needs the names of its columns: give series=, real= and scores=")
        zones = SeriesZones.of_table(ignore, times)
        zoned = None if zones is None else zoned_table(frame, series, zones)
        return _curve(model, *_closed(close_gaps, *_of_table(frame, Columns(series, real, (scores,)))), zones, zoned)
    zones = SeriesZones.of_mapping(ignore, times)
    if zones is not None and zones.timed:
        raise ValueError("ignore is given in times, but scores are a number a row; give a table and its column of times=, or zones as rows")
    return _curve(model, *_closed(close_gaps, *_of_mapping(frame)), zones, None if zones is None else ZonedRows(zones))


_Pooled = tuple[tuple[Any, ...], Ranges, NDArray[Any], NDArray[np.int64]]


def _closed(most: int, names: tuple[Any, ...], real: Ranges, scores: NDArray[Any], borders: NDArray[np.int64]) -> _Pooled:
    if not whole("close_gaps", most, least=0) or not names:
        return names, real, scores, borders
    parts = np.split(scores, borders[1:-1])
    for name, part in zip(names, parts, strict=True):
        check_no_nan(part, f"series {name!r}: ")
    return names, real, np.concatenate([closed_scores(part, most) for part in parts]), borders


def _curve(
    model: RangeModel,
    names: tuple[Any, ...],
    real: Ranges,
    scores: NDArray[Any],
    borders: NDArray[np.int64],
    zones: SeriesZones | None = None,
    zoned: ZonedRows | None = None,
) -> PooledCurve:
    inside, ignored = Ranges(), None
    if zones is not None and zoned is not None:
        inside = zoned.next(names, borders) if len(scores) else Ranges()
        ignored = zones.ignored(names, without(real, inside)[2], None)
    if not len(scores):
        empty = np.zeros(0)
        return PooledCurve(model, (), empty, empty, empty, Ranges(), empty, np.zeros(1, dtype=np.int64), ignored)
    found = _swept(model, real, scores, borders) if not len(inside) else _swept_without(model, names, real, scores, borders, inside)
    if isinstance(found, int):
        raise _nan_error(found, names, borders)
    if found is not None:
        return PooledCurve(model, names, *found, real, scores, borders, ignored, inside)
    check_no_nan(scores)
    distinct = np.unique(scores[inside.to_labels(len(scores)) == 0] if len(inside) else scores)[::-1]
    if len(distinct) > MOST_ONE_BY_ONE:
        raise ValueError(
            "a bias for precision or a size function of your own is evaluated threshold by threshold, "
            f"up to {MOST_ONE_BY_ONE:,} of them; there are {len(distinct):,} distinct scores, so round them first"
        )
    blank = PooledCurve(model, names, distinct, np.zeros(0), np.zeros(0), real, scores, borders, ignored, inside)
    pooled = [blank.at(threshold) for threshold in distinct]
    return replace(blank, precision=np.array([one.precision for one in pooled]), recall=np.array([one.recall for one in pooled]))


_Swept = tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]


def _swept(model: RangeModel, real: Ranges, scores: NDArray[Any], borders: NDArray[np.int64]) -> _Swept | int | None:
    # One point that is never predicted stands between two series.
    gaps = np.searchsorted(borders, real.starts, side="right") - 1
    return sweep_scores(model, trusted_ranges(np.ascontiguousarray(np.asarray(real) + gaps[:, None])), scores, borders)


def _swept_without(
    model: RangeModel, names: tuple[Any, ...], real: Ranges, scores: NDArray[Any], borders: NDArray[np.int64], zones: Ranges
) -> _Swept | None:
    """A sweep over the rows outside of zones."""
    if scores.dtype.kind == "f" and (bad := np.flatnonzero(np.isnan(scores))).size:
        raise _nan_error(int(bad[0]), names, borders)
    ranked = ranked_without(real, scores, zones)
    found = _swept(model, ranked.real, ranked.ranks, np.append(ranked.place[borders[:-1]], len(ranked.ranks)))
    if found is None:
        return None
    assert not isinstance(found, int)
    above, thresholds = ranked.thresholds(found[0])
    return thresholds, found[1][above], found[2][above]


def _nan_error(row: int, names: tuple[Any, ...], borders: NDArray[np.int64]) -> ValueError:
    at = int(np.searchsorted(borders, row, side="right")) - 1
    return nan_error(row - int(borders[at]), f"series {names[at]!r}: ")


def _of_mapping(frame: Any) -> _Pooled:
    if isinstance(frame, Mapping):
        triples: Iterable[Any] = ((name, *sides) for name, sides in frame.items())
    elif isinstance(frame, Iterable) and not hasattr(frame, "columns") and not isinstance(frame, (str, bytes)):
        triples = frame
    else:
        raise ValueError(
            "expected {name: (real, scores)}, triples (name, real, scores), or a table with series=, real= and scores=; "
            f"got {type(frame).__name__}"
        )
    names: list[Any] = []
    reals: list[Any] = []
    given: list[Any] = []
    for name, real, scores in triples:
        names.append(name)
        reals.append(real)
        given.append(scores)
    if not names:
        return (), Ranges(), np.zeros(0), np.zeros(1, dtype=np.int64)
    if len(set(names)) < len(names):
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"two series are called {twice!r}; give each series once, whole")
    return tuple(names), *(_at_once(reals, given) or _one_by_one(names, reals, given))


_Sides = tuple[Ranges, NDArray[Any], NDArray[np.int64]]


def _at_once(reals: list[Any], given: list[Any]) -> _Sides | None:
    """Plain arrays of labels and of scores of one type, read together; None where they are something else, or not right."""
    for real, scores in zip(reals, given, strict=True):
        if type(real) is not np.ndarray or type(scores) is not np.ndarray or real.ndim != 1 or real.shape != scores.shape or not len(real):
            return None
    if {real.dtype.kind for real in reals} - set("biu") or len({scores.dtype for scores in given}) > 1:
        return None
    borders = np.cumsum([0, *map(len, given)], dtype=np.int64)
    ranges = kernel.find_series_ranges(np.concatenate(reals), borders)
    return None if isinstance(ranges, int) else (trusted_ranges(ranges), read_scores(np.concatenate(given)), borders)


def _one_by_one(names: list[Any], reals: list[Any], given: list[Any]) -> _Sides:
    values, bounds, borders = [], [], [0]
    for name, real, raw in zip(names, reals, given, strict=True):
        ranges, scores = read_real_and_scores(real, raw, prefix=f"series {name!r}: ")
        if not len(scores):
            raise ValueError(f"series {name!r}: there are no scores; leave the series out")
        values.append(scores)
        bounds.append(np.asarray(ranges) + borders[-1])
        borders.append(borders[-1] + len(scores))
    return trusted_ranges(np.concatenate(bounds)), _concatenated(values), np.array(borders, dtype=np.int64)


def _of_table(frame: Any, columns: Columns) -> _Pooled:
    """Series of a table; those split across batches are brought together."""
    (scores_column,) = columns.predicted
    rows: dict[Any, list[tuple[NDArray[Any], NDArray[Any]]]] = {}
    found: list[_Pooled] = []
    for batch in batches(frame, columns):
        real = batch.ranges(columns.real, "real")
        try:
            scores = read_scores(batch.values(scores_column))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{batch.where}column {scores_column!r}: {error}") from None
        found.append((tuple(batch.names), real, scores, batch.borders))
    if len(found) == 1:
        return found[0]
    for names, real, scores, borders in found:
        labels = real.to_labels(len(scores))
        for name, start, stop in zip(names, borders[:-1].tolist(), borders[1:].tolist(), strict=True):
            rows.setdefault(name, []).append((labels[start:stop], scores[start:stop]))
    gathered = ((name, *zip(*parts, strict=True)) for name, parts in rows.items())
    return _of_mapping((name, np.concatenate(labels), _concatenated(list(scores))) for name, labels, scores in gathered)


def _concatenated(values: list[NDArray[Any]]) -> NDArray[Any]:
    """Scores of all series as one array. Integers and floats together become floats, where that keeps them apart."""
    joined = np.concatenate(values)
    if joined.dtype.kind == "f":
        for one in values:
            if one.dtype.kind in "iu" and len(one) and max(int(one.max()), -int(one.min())) > 2**53:
                raise ValueError("some series have floats and others integers beyond 2**53, which floats cannot tell apart; give one type")
    return joined
