"""Ignored intervals of many series: which series and rows they apply to, and how they changed the ranges.

Rows count from the beginning of each series. Intervals in times mean rows by the rule of :mod:`rangewise.inputs.clocks`, which looks at
the next row of the series, too: where that is in another batch, :class:`rangewise.many.segments.Segments` asks again when both are known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import did_you_mean, shown_names
from rangewise.inputs.clocks import Clock, ClockedRanges, common_zone
from rangewise.inputs.ignored import Clipping, check_label_count, join_intervals, label_count
from rangewise.inputs.instants import Times
from rangewise.inputs.ranges import Ranges
from rangewise.many.batches import series_text

_SERIES, _START, _STOPS = "series", "start", ("stop", "end")
_NOTHING = np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class ManyIgnored:
    """The ignored intervals of many series, and how they changed real and predicted ranges."""

    intervals: int
    """The number of intervals; one that applies to every series counts once."""
    series: int
    """The number of series they apply to."""
    real: Clipping
    predicted: Clipping | None
    """None for scores, which have no ranges without a threshold."""

    def __str__(self) -> str:
        intervals = f"{self.intervals:,} interval{'' if self.intervals == 1 else 's'} in {self.series:,} series"
        return f"{intervals}: of the real ranges {self.real}" + ("" if self.predicted is None else f"; of the predicted {self.predicted}")

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        sides = {"real": self.real} | ({} if self.predicted is None else {"predicted": self.predicted})
        return {"intervals": self.intervals, "series": self.series, **{name: vars(clipping) for name, clipping in sides.items()}}


@dataclass(frozen=True, eq=False)
class IgnoredIntervals:
    """The given intervals: for every series, or by the name of the series as text."""

    everywhere: Ranges | None
    named: Mapping[str, Ranges]
    timed: bool
    """Whether some are times."""
    labels: Mapping[str | None, int] = field(default_factory=dict)
    """The number of labels, where rows are given as labels: by series, or None for every series."""
    called: str = "ignore"
    """The name in errors: that of the file, if the intervals are from one."""

    @classmethod
    def read(cls, given: Any) -> IgnoredIntervals:
        """A mapping of names to intervals, a table with a column ``series``, or intervals for every series; or what was read before."""
        if isinstance(given, IgnoredIntervals):
            return given
        pairs: Iterable[tuple[Any, Any]] | None = given.items() if isinstance(given, Mapping) else None
        if not isinstance(given, (Mapping, list, tuple, np.ndarray, Ranges, str)):
            pairs = _by_series(given)
        if pairs is None:
            everywhere = join_intervals(given, "ignore")
            return cls(everywhere, {}, isinstance(everywhere.clock, Clock), _known({None: label_count(given)}))
        named: dict[str, Ranges] = {}
        labels: dict[str | None, int | None] = {}
        for name, intervals in pairs:
            if series_text(name) in named:
                raise ValueError(f"ignore names the series {series_text(name)} twice; give all ignored intervals of a series together")
            named[series_text(name)] = join_intervals(intervals, f"ignore of series {name!r}")
            labels[series_text(name)] = label_count(intervals)
        return cls(None, named, any(isinstance(its.clock, Clock) for its in named.values()), _known(labels))

    def of(self, name: Any) -> Ranges | None:
        """The intervals of a series, as they were given."""
        return self.everywhere if self.everywhere is not None else self.named.get(series_text(name))

    def rows(self, names: Sequence[Any], borders: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of intervals that are given as rows, of all series one after the other; none reaches over a border."""
        lengths = np.diff(borders)
        if self.labels:
            for name, points in zip(names, lengths.tolist(), strict=True):
                self.check_labels(name, points, f"series {name!r}")
        each = [self.everywhere] if self.everywhere is not None else [self.named.get(series_text(name)) for name in names]
        given = [_NOTHING if its is None or isinstance(its.clock, Clock) else np.asarray(its) for its in each]
        sizes = np.array([len(bounds) for bounds in given], dtype=np.int64)
        # Those of each series by itself, or for every series those that begin in it.
        firsts, counts = np.cumsum(sizes) - sizes, sizes
        if self.everywhere is not None:
            firsts, counts = np.zeros_like(lengths), np.searchsorted(given[0][:, 0], lengths)
        series = np.repeat(np.arange(len(names)), counts)
        chosen = np.arange(len(series)) + np.repeat(firsts - np.cumsum(counts) + counts, counts)
        bounds: NDArray[np.int64] = np.minimum(np.concatenate([_NOTHING, *given])[chosen], lengths[series, None])
        rows: NDArray[np.int64] = bounds + borders[series, None]
        return rows[bounds[:, 0] < bounds[:, 1]]

    def meant(
        self, names: Sequence[Any], borders: NDArray[np.int64], times: Times, following: Times, zoned: bool | None, called: str
    ) -> NDArray[np.bool_]:
        """The rows ignored by intervals in times; each row has a time and the time of the next row.

        An interval ignores the rows in it. One that falls between two rows ignores the row before it. The next time is NaT if unknown.
        """
        if self.everywhere is not None:
            parts: Iterable[tuple[Ranges | None, int, int]] = [(self.everywhere, 0, len(times))]
        else:
            own = (self.named.get(series_text(name)) for name in names)
            parts = zip(own, borders[:-1].tolist(), borders[1:].tolist(), strict=True)
        inside = np.zeros(len(times), dtype=np.bool_)
        never = np.datetime64("NaT", "ns")  # compares false with everything
        for its, start, stop in parts:
            if not isinstance(its, ClockedRanges) or not isinstance(its.clock, Clock):
                continue
            common_zone([(called, zoned), ("ignore", its.clock.zoned)])
            stops = its.stop_times
            begun = np.searchsorted(its.start_times, times[start:stop], side="right")
            inside[start:stop] = times[start:stop] < np.append(never, stops)[begun]
            inside[start:stop] |= np.append(stops, never)[begun] <= following[start:stop]
        return inside

    def check_labels(self, name: Any, points: int | None, called: str = "the series") -> None:
        """Refuse labels of a series that has another number of points."""
        check_label_count(self.labels.get(None if self.everywhere is not None else series_text(name)), points, self.called, called)

    def check_names(self, names: Iterable[Any]) -> None:
        """Refuse intervals of a series that is not there."""
        there = {series_text(name) for name in names}
        for name in self.named:
            if name not in there:
                raise ValueError(
                    f"{self.called} has intervals of {name!r}, which is not one of the {len(there):,} series of the table, "
                    f"{shown_names(sorted(there)) or 'since it is empty'}{did_you_mean(name, there)}"
                )

    def report(self, names: Collection[Any], real: Clipping, predicted: Clipping | None) -> ManyIgnored:
        """What happened, when all series are known; an error for intervals of a series that is not there."""
        if self.everywhere is not None:
            return ManyIgnored(len(self.everywhere), len(names) if len(self.everywhere) else 0, real, predicted)
        self.check_names(names)
        return ManyIgnored(sum(map(len, self.named.values())), sum(1 for its in self.named.values() if len(its)), real, predicted)


def _known(labels: Mapping[str | None, int | None]) -> dict[str | None, int]:
    return {name: count for name, count in labels.items() if count is not None}


def _by_series(given: Any) -> Iterator[tuple[Any, Any]] | None:
    """The intervals of each series, from a table with a series column; None for anything else."""
    import narwhals.stable.v2 as nw

    table = nw.from_native(given, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame) or _SERIES not in table.columns:
        return None
    stop = next((column for column in _STOPS if column in table.columns), None)
    if _START not in table.columns or stop is None:
        raise ValueError(
            f"a table of ignored intervals with a column {_SERIES!r} has start and stop (or end) too; got {', '.join(table.columns)}"
        )
    if table[_SERIES].null_count():
        raise ValueError(f"ignore: row {table[_SERIES].is_null().arg_true()[0]} of the table has no series; every interval needs one")
    return ((name, part.select(_START, stop).to_native()) for (name,), part in table.group_by(_SERIES))
