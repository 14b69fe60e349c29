"""Zones that do not count in many series: whose they are, and which rows of each batch they mean.

Rows count from the beginning of each series, on through batches, files and partitions. Zones that are times become rows by the rule of
:mod:`rangewise.inputs.clocks`, which asks for the row after a zone too: the table is read twice then, its times first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import did_you_mean, shown_names
from rangewise.inputs.clocks import Clock, ClockedRanges, common_zone, join
from rangewise.inputs.ignored import Clipping, join_zones
from rangewise.inputs.instants import check_ascending, read_row_times
from rangewise.inputs.ranges import Ranges
from rangewise.many.batches import Batch, Columns, batches

_SERIES, _START, _STOPS = "series", "start", ("stop", "end")


@dataclass(frozen=True)
class ManyIgnored:
    """The zones that did not count in many series, and what that did to each side of all of them."""

    zones: int
    """How many there were; one for every series is one."""
    series: int
    """How many series they are of."""
    real: Clipping
    predicted: Clipping | None
    """None where scores are the other side, which have no ranges before a threshold."""

    def __str__(self) -> str:
        zones = f"{self.zones:,} zone{'' if self.zones == 1 else 's'} in {self.series:,} series"
        return f"{zones}: of the real ranges {self.real}" + ("" if self.predicted is None else f"; of the predicted {self.predicted}")

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        sides = {"real": self.real} | ({} if self.predicted is None else {"predicted": self.predicted})
        return {"zones": self.zones, "series": self.series, **{name: vars(clipping) for name, clipping in sides.items()}}


@dataclass(frozen=True, eq=False)
class SeriesZones:
    """Zones as they were given: for every series, or by the name of the series as text. ``times`` is the column that says when rows are."""

    everywhere: Ranges | None
    named: Mapping[str, Ranges] = field(default_factory=dict)
    times: str | None = None

    @classmethod
    def read(cls, given: Any, times: str | None = None) -> SeriesZones:
        """A mapping of names to zones, a table with a column ``series``, or zones for every series."""
        pairs = given.items() if isinstance(given, Mapping) else _by_series(given)
        if pairs is None:
            return cls(_plain(join_zones(given, "ignore")), times=times)
        named: dict[str, Ranges] = {}
        for name, zones in pairs:
            if str(name) in named:
                raise ValueError(f"ignore names the series {name!s} twice; give all zones of a series together")
            named[str(name)] = _plain(join_zones(zones, f"ignore of series {name!r}"))
        return cls(None, named, times)

    @classmethod
    def of_table(cls, given: Any, times: str | None) -> SeriesZones | None:
        """Those for the series of a table, whose column ``times`` says when each row is; None where there are none."""
        if given is None:
            if times is not None:
                raise ValueError("times= names the column of times for zones that are times; give ignore= too, or leave times= out")
            return None
        zones = cls.read(given, times)
        if zones.timed and times is None:
            raise ValueError(
                "ignore is given in times; name the column that says when each row of the table is with times=, or give zones as rows"
            )
        return zones

    @classmethod
    def of_mapping(cls, given: Any, times: str | None) -> SeriesZones | None:
        """Those for series that are given one by one; None where there are none."""
        if times is not None:
            raise ValueError("times= names a column of a table, and this is none; leave it out")
        return None if given is None else cls.read(given)

    def of(self, name: Any) -> Ranges | None:
        """The zones of a series, as they were given."""
        return self.everywhere if self.everywhere is not None else self.named.get(str(name))

    @property
    def timed(self) -> bool:
        """Whether there are zones in times."""
        return any(isinstance(zones.clock, Clock) for zones in (self.everywhere, *self.named.values()) if zones is not None)

    def ignored(self, names: Iterable[Any], real: Clipping, predicted: Clipping | None) -> ManyIgnored:
        """What is told of the zones when all series are known; an error for zones of one that is not there."""
        there = {str(name) for name in names}
        for name in self.named:
            if name not in there:
                raise ValueError(
                    f"ignore has zones of {name!r}, which is none of the {len(there):,} series of the table, "
                    f"{shown_names(sorted(there)) or 'since it is empty'}{did_you_mean(name, there)}"
                )
        if self.everywhere is not None:
            return ManyIgnored(len(self.everywhere), len(there) if len(self.everywhere) else 0, real, predicted)
        return ManyIgnored(sum(map(len, self.named.values())), sum(1 for zones in self.named.values() if len(zones)), real, predicted)


def _plain(zones: Ranges) -> Ranges:
    """Rows that touch as one zone. Times stay apart: which row each means is asked of each."""
    return zones if isinstance(zones.clock, Clock) else Ranges(zones).merge_touching()


def _by_series(given: Any) -> Iterator[tuple[Any, Any]] | None:
    """The zones of each series, of a table that names them; None of anything else."""
    if isinstance(given, (list, tuple, np.ndarray, Ranges, str)) or given is None:
        return None
    import narwhals.stable.v2 as nw

    table = nw.from_native(given, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame) or _SERIES not in table.columns:
        return None
    stop = next((column for column in _STOPS if column in table.columns), None)
    if _START not in table.columns or stop is None:
        raise ValueError(f"a table of zones with a column {_SERIES!r} has start and stop (or end) too; got {', '.join(table.columns)}")
    if table[_SERIES].null_count():
        raise ValueError(f"ignore: row {table[_SERIES].is_null().arg_true()[0]} of the table names no series; every zone is of one")
    return ((name, part.select(_START, stop).to_native()) for (name,), part in table.group_by(_SERIES))


@dataclass
class Survey:
    """How many rows each series has and, where its zones are times, how many are before the start and before the stop of each."""

    rows: dict[Any, int] = field(default_factory=dict)
    before: dict[Any, NDArray[np.int64]] = field(default_factory=dict)
    spans: dict[Any, tuple[np.datetime64, np.datetime64]] = field(default_factory=dict)
    """The first and the last time of series with zones in times."""

    def add(self, other: Survey) -> None:
        """The next part of the table."""
        for name, (first, last) in other.spans.items():
            start, end = self.spans.get(name, (first, None))
            if end is not None:
                check_ascending(np.array([end, first]), f"series {name!r}, the last row of a batch and the first of the next")
            self.spans[name] = start, last
        for name, rows in other.rows.items():
            self.rows[name] = self.rows.get(name, 0) + rows
        for name, counts in other.before.items():
            self.before[name] = self.before[name] + counts if name in self.before else counts

    def zones(self, name: Any) -> Ranges:
        """The rows of a series that its zones of times mean."""
        low, high = self.before[name].T
        met = (high > 0) & (low < self.rows[name])
        # One that falls between two rows means the row before it.
        bounds, _ = join(np.minimum(low, high - 1)[met], high[met])
        return Ranges(bounds).merge_touching()


def survey(table: Any, series: str, zones: SeriesZones) -> Survey:
    """Of all batches of a table."""
    found = Survey()
    for batch in batches(table, survey_columns(series, zones)):
        found.add(_survey_batch(batch, zones))
    return found


def survey_columns(series: str, zones: SeriesZones) -> Columns:
    """The columns that a survey reads: the names of the series, and the times where zones are times."""
    return Columns(series, zones.times if zones.timed and zones.times is not None else series, ())


def _survey_batch(batch: Batch, zones: SeriesZones) -> Survey:
    found = Survey(dict(zip(batch.names, np.diff(batch.borders).tolist(), strict=True)))
    if not zones.timed:
        return found
    assert zones.times is not None
    called = f"{batch.where}column {zones.times!r}"
    index = read_row_times(batch.table[zones.times].to_native(), called)
    times = index.times if batch.order is None else index.times[batch.order]
    for name, start, stop in zip(batch.names, batch.borders[:-1].tolist(), batch.borders[1:].tolist(), strict=True):
        its = zones.of(name)
        if not isinstance(its, ClockedRanges):
            continue
        common_zone([(called, index.zoned), ("ignore", its.clock.zoned)])
        own = times[start:stop]
        check_ascending(own, f"{called}, series {name!r}")
        found.spans[name] = own[0], own[-1]
        found.before[name] = np.column_stack([np.searchsorted(own, ends) for ends in (its.start_times, its.stop_times)])
    return found


class ZonedRows:
    """The rows of batches that do not count, while the batches go by."""

    def __init__(
        self, zones: SeriesZones, whole: Survey | None = None, *, part: Survey | None = None, before: Mapping[Any, int] | None = None
    ) -> None:
        """``whole`` is the survey of the table, ``part`` that of a part, ``before`` how many rows of its series are ahead of the part."""
        self._before = dict(before or {})
        self._slices: dict[str, tuple[int, int]] | None = None
        if zones.everywhere is not None and not zones.timed:
            self._bounds = np.asarray(zones.everywhere)
            return
        named = dict(zones.named)
        if whole is not None:
            names = (part or whole).rows
            named = {str(name): its for name in names if (its := zones.of(name)) is not None}
            named |= {str(name): whole.zones(name) for name in names if name in whole.before}
        stops = np.cumsum([0, *map(len, named.values())]).tolist()
        self._slices = dict(zip(named, pairwise(stops), strict=True))
        self._bounds = np.concatenate([np.zeros((0, 2), dtype=np.int64), *map(np.asarray, named.values())])

    def next(self, names: Sequence[Any], borders: NDArray[np.int64]) -> Ranges:
        """The zones among the next rows, those of each series between two borders; none is over a border."""
        before = np.array([self._before.get(name, 0) for name in names], dtype=np.int64)
        starts, stops = borders[:-1], borders[1:]
        after = before + stops - starts
        self._before.update(zip(names, after.tolist(), strict=True))
        if self._slices is None:
            low = np.searchsorted(self._bounds[:, 1], before, side="right")
            high = np.maximum(low, np.searchsorted(self._bounds[:, 0], after, side="left"))
        else:
            slices = [self._slices.get(str(name), (0, 0)) for name in names]
            low, high = np.array(slices, dtype=np.int64).reshape(-1, 2).T
        counts = high - low
        series = np.repeat(np.arange(len(counts)), counts)
        chosen = np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(len(series))
        moved = self._bounds[chosen] + (starts - before)[series, None]
        bounds = np.clip(moved, starts[series, None], stops[series, None])
        return Ranges(bounds[bounds[:, 0] < bounds[:, 1]])


def zoned_rows(surveys: Iterable[Survey], zones: SeriesZones) -> ZonedRows:
    """For a table whose parts are surveyed one after the other, where zones are times."""
    if not zones.timed:
        return ZonedRows(zones)
    whole = Survey()
    for part in surveys:
        whole.add(part)
    return ZonedRows(zones, whole)


def zoned_table(table: Any, series: str, zones: SeriesZones) -> ZonedRows:
    """For a table, which is read once more where zones are times."""
    if zones.timed and isinstance(table, Iterator):
        raise ValueError(
            "zones in times need the times of all rows before the labels, and an iterator of tables is read once; "
            "give a list of tables, a LazyFrame or Parquet files, or zones as rows"
        )
    return ZonedRows(zones, survey(table, series, zones) if zones.timed else None)


def zoned_parts(surveys: Sequence[Survey], zones: SeriesZones) -> list[ZonedRows]:
    """For parts of a table that are scored apart from each other."""
    whole, before = Survey(), []
    for part in surveys:
        before.append({name: whole.rows.get(name, 0) for name in part.rows})
        whole.add(part)
    return [ZonedRows(zones, whole, part=part, before=ahead) for part, ahead in zip(surveys, before, strict=True)]
