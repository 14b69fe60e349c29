"""Arguments of commands: a file in any format, or public data.

An argument is a file (``-`` for standard input), or public data with a prefix: ``nab:realKnownCause/nyc_taxi.csv``,
``paper:nyc_taxi/lstm_ad.pred``, ``discord:TEK14``, ``kpi:301c70d8``, ``skab:valve1/0``. The name of a format is a prefix too:
``grafana:answer.json`` reads that file as Grafana annotations. Without a prefix or a given format, the format is detected from name and
content; it is an error if several fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import did_you_mean, unknown_name
from rangewise.files.annotations import Annotations
from rangewise.files.events import EventTable
from rangewise.files.formats.base import Choices, Format
from rangewise.files.formats.bids import ONSET
from rangewise.files.formats.labels import read_labels
from rangewise.files.formats.range_table import SERIES, events_of_times, ranges_by_series
from rangewise.files.formats.table import EVENT_FORMATS, FORMATS, guess, known_format
from rangewise.files.series import Series
from rangewise.files.source import Source, SourceLike
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.case import common_length
from rangewise.inputs.clocks import Clock, RowClock, on_rows
from rangewise.inputs.instants import in_zone, read_instants
from rangewise.inputs.ranges import NO_RANGES, Ranges

if TYPE_CHECKING:
    from rangewise.many.ignored import IgnoredIntervals

PUBLIC = ("nab", "paper", "discord", "kpi", "skab")
"""The prefixes of public data."""


def _public(prefix: str, name: str) -> Annotations:
    # Imported here, so that a command that reads a file does not wait for the modules of public data.
    from rangewise import datasets
    from rangewise.datasets.location import find_file

    if prefix == "paper":
        labels = read_labels(find_file(f"paper-labels/{name}"))
        return Annotations(f"paper:{name}", Ranges.from_labels(labels), len(labels))
    return Annotations.of_series(getattr(datasets, f"load_{prefix}")(name), f"{prefix}:{name}")


class ReadOptions(TypedDict, total=False):
    """Options for reading a file.

    ``format`` is used if the argument has no prefix; ``column`` names the labels of a table (or the classes of its events), ``series`` one
    of several series in a file; ``inclusive`` says whether ranges include their end, for formats that do not define it; ``start_column``
    and ``end_column`` name the two columns of a table of ranges, ``weights`` a column with the weight of each; open ranges of times end at
    ``until``; ``joined`` joins overlapping ranges of rows. Times without a time zone are local times of ``tz``. With ``may_lack_series``,
    the chosen series has no events if a file of several series does not contain it. ``uses`` receives the names of the options that were
    used.
    """

    format: str | None
    column: str | None
    series: str | None
    inclusive: bool | None
    start_column: str | None
    end_column: str | None
    weights: str | None
    until: Any
    joined: bool
    tz: str | None
    may_lack_series: bool
    uses: set[str]


def read_annotations(argument: SourceLike, *, as_ranges: bool = False, **options: Unpack[ReadOptions]) -> Annotations:
    """Read the anomalies of an argument; :class:`ReadOptions` explains the options.

    With ``as_ranges``, a table is a table of ranges, whatever the names of its columns.
    """
    prefix, path = (None, argument.path) if isinstance(argument, Source) else prefixed(str(argument))
    if prefix is not None and prefix in PUBLIC:
        return _public(prefix, path)
    source, (named, how) = argument if isinstance(argument, Source) else Source(path), _choices(prefix, options)
    if named is None and as_ranges and source.kind == "table":
        named = "orion" if FORMATS["orion"].fits(source) else "ranges"
    return _format_of(source, named, how).read(source, how)


def _choices(prefix: str | None, options: ReadOptions) -> tuple[str | None, Choices]:
    """The given format, and the other options."""
    given: dict[str, Any] = dict(options)
    named, until = given.pop("format", None), given.pop("until", None)
    if unknown := given.keys() - ReadOptions.__annotations__.keys():
        raise unknown_name("an option of reading", min(unknown), tuple(ReadOptions.__annotations__))
    if until is not None:
        until = in_zone(read_instants([until], "until"), given.get("tz"), lambda _: "until").times[0]
    how = Choices(**given, until=until)
    if prefix is None:
        how.uses.add("format")
    return prefix or named, how


def _format_of(source: Source, named: str | None, how: Choices) -> Format:
    """The given format, or the detected one."""
    if named is not None:
        return known_format(named)
    if how.has("column"):
        # The column of a table of events has their classes.
        return next((each for each in EVENT_FORMATS.values() if each.fits(source)), FORMATS["csv"])
    bounded = how.has("start_column") or how.has("end_column")
    # The named columns are for tables; the other side may have another format.
    return FORMATS["ranges"] if bounded and source.kind == "table" else guess(source)


def read_events(argument: str | Path, **options: Unpack[ReadOptions]) -> EventTable:
    """Read the events of a file, with the class, the confidence and the annotator of each, if its format has them.

    :class:`ReadOptions` explains the options.
    """
    prefix, path = prefixed(str(argument))
    if prefix is None or prefix not in PUBLIC:
        source, (named, how) = Source(path), _choices(prefix, options)
        if named is None and not source.content.strip():
            raise ValueError(f"{source.name} is empty; if it has no events, give its format, e.g. audacity:{path}")
        chosen = _format_of(source, named, how)
        if chosen.events is not None:
            return chosen.events(source, how)
        if named is None and ONSET in source.columns:
            raise ValueError(f"{source.name} has a column 'onset', but neither 'duration' nor 'offset', so its events have no end")
        annotations = chosen.read(source, how)
    else:
        annotations = _public(prefix, path)
    ranges = annotations.given_ranges()
    if isinstance(ranges, TimeRanges):
        return events_of_times(ranges)
    return EventTable(annotations.name, ranges.starts, ranges.stops, "rows", length=annotations.length)


def read_rows_beside(series: Annotations, argument: str | Path, *, outside: Outside = "error", **how: Any) -> Ranges:
    """The anomalies of an argument as rows of a given series; times are mapped to its timestamps."""
    annotations = read_annotations(argument, **how)
    ranges = annotations.rows(series.timestamps if isinstance(annotations.ranges, TimeRanges) else None, outside)
    common_length((series.name, annotations.name), (NO_RANGES, ranges), (series.length, annotations.length), None)
    return ranges


def read_timestamps(argument: str | Path) -> NDArray[Any]:
    """Read the timestamps of the rows of a file: a series with times, or a table with only timestamps."""
    prefix, path = prefixed(str(argument))
    given: SourceLike = argument
    if prefix is None:
        given = source = Source(path)
        # A table of one named column is not a series, but it is enough here.
        if not source.content[:1].isdigit() and not source.content.lstrip().startswith((b"[", b"{")) and len(source.table.columns) == 1:
            return source.table.timestamps(source.table.columns[0], ascending=True)
    annotations = read_annotations(given)
    if annotations.timestamps is None:
        raise ValueError(f"{annotations.name} has no timestamps; expected e.g. a table with a first column 'timestamp'")
    return annotations.timestamps


def read_ignored_file(argument: str, **options: Unpack[ReadOptions]) -> IgnoredIntervals:
    """Read the ignored intervals of a file, in rows or times: for all series, or by series.

    A table of ranges with a column ``series`` and windows in NAB's format have the series of each interval. Labels are one per row of
    every series, so their number is kept and compared with that of the rows.
    """
    from rangewise.many.ignored import IgnoredIntervals

    prefix, path = prefixed(argument)
    if prefix is not None and prefix in PUBLIC:
        labeled = read_annotations(argument)
        return IgnoredIntervals(labeled.rows(), {}, False, _label_counts(labeled), argument)
    source, (named, how) = Source(path), _choices(prefix, {**options, "joined": True})
    chosen = _format_of(source, named, how)
    series = _named_series(source, chosen.name)
    labels: dict[str | None, int] = {}
    read: dict[str | None, Ranges | TimeRanges]
    if series is not None and chosen.name == "ranges":
        read = {name: its.closed(how.until) if isinstance(its, TimeRanges) else its for name, its in ranges_by_series(source, how).items()}
    else:
        names: Iterable[str | None] = (None,) if series is None else sorted(series)
        annotations = {name: chosen.read(source, how.of_series(name)) for name in names}
        read = {name: each.given_ranges() for name, each in annotations.items()}
        for each in annotations.values():
            labels |= _label_counts(each)
        if labels and series is not None:
            raise ValueError(f"{source.name} has labels and a column '{SERIES}'; give the ignored intervals as {SERIES},start,end")
    intervals = {name: ranges.half_open() if isinstance(ranges, TimeRanges) else ranges for name, ranges in read.items()}
    timed = any(isinstance(its.clock, Clock) for its in intervals.values())
    if series is None:
        return IgnoredIntervals(intervals[None], {}, timed, labels, source.name)
    return IgnoredIntervals(None, {str(name): its for name, its in intervals.items()}, timed, called=source.name)


def _label_counts(annotations: Annotations) -> dict[str | None, int]:
    """The number of labels, for every series; empty for ranges."""
    return {None: annotations.length} if isinstance(annotations.ranges, Ranges) and annotations.length is not None else {}


def ignored_by_series(argument: str, names: Sequence[str], **how: Any) -> Callable[[Series], Ranges]:
    """The ignored rows of each series according to a file; the options are those of :func:`read_ignored_file`."""
    from rangewise.inputs.ignored import inside

    intervals = read_ignored_file(argument, **how)
    for name in sorted(set(intervals.named) - set(names)):
        raise ValueError(f"{argument} names {name!r}, which is not one of the {len(names)} series{did_you_mean(name, names)}")

    def rows(series: Series) -> Ranges:
        intervals.check_labels(series.name, len(series), f"series {series.name}")
        own = intervals.of(series.name)
        if own is None:
            return NO_RANGES
        if not isinstance(own.clock, Clock):
            return inside(own.merge_touching(), len(series))
        if series.timestamps is None:
            raise ValueError(f"{argument} has times, but series {series.name} has no timestamps; give the ignored intervals as rows")
        return rows_in_times(own, series.timestamps)

    return rows


def rows_in_times(ranges: Ranges, timestamps: NDArray[Any]) -> Ranges:
    """Map ranges of times to rows by the rule of :mod:`rangewise.inputs.clocks`, also if timestamps repeat or go back in time."""
    order = np.argsort(timestamps, kind="stable")
    inside_times = on_rows(ranges, RowClock(timestamps[order].astype("datetime64[ns]")), "ignore", None)
    labels = np.zeros(len(timestamps), dtype=np.uint8)
    labels[order[inside_times.points().starts]] = 1
    return Ranges.from_labels(labels)


def _named_series(source: Source, chosen: str) -> set[str] | None:
    """The series named in a file of ignored intervals; None if they are for all series."""
    if chosen == "nab-windows":
        return set(source.json or ())
    return set(source.table.texts(SERIES)) if SERIES in source.columns else None


def prefixed(argument: str) -> tuple[str | None, str]:
    """The prefix of an argument, if it is a known one, and the rest."""
    prefix, colon, path = argument.partition(":")
    return (prefix, path) if colon and (prefix in FORMATS or prefix in PUBLIC) else (None, argument)
