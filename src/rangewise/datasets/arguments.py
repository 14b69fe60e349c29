"""What an argument of a command names: a file in any format, or public data.

An argument names a file (``-``: standard input), or public data by a prefix: ``nab:realKnownCause/nyc_taxi.csv``,
``paper:nyc_taxi/lstm_ad.pred``, ``discord:TEK14``. The name of a format is a prefix too: ``grafana:answer.json`` reads that file as Grafana
annotations. Without a prefix, and with no format given, the format is guessed by name and content; where several fit, it is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import did_you_mean
from rangewise.datasets.discords import load_discord
from rangewise.datasets.location import find_file
from rangewise.datasets.nab import load_nab
from rangewise.files.annotations import Marks
from rangewise.files.formats.base import Choices, Look
from rangewise.files.formats.labels import read_labels
from rangewise.files.formats.range_table import SERIES, ranges_by_series
from rangewise.files.formats.table import FORMATS, known_format
from rangewise.files.guess import guess
from rangewise.files.series import Series
from rangewise.files.source import STANDARD_INPUT, Source
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.clocks import RowClock, align, grid
from rangewise.inputs.ignored import inside
from rangewise.inputs.instants import read_instants
from rangewise.inputs.ranges import Ranges


def _paper(name: str) -> Marks:
    labels = read_labels(find_file(f"paper-labels/{name}"))
    return Marks(f"paper:{name}", Ranges.from_labels(labels), len(labels))


# Public data by prefix.
PUBLIC: Mapping[str, Callable[[str], Marks]] = MappingProxyType(
    {
        "nab": lambda name: Marks.of_series(load_nab(name), f"nab:{name}"),
        "paper": _paper,
        "discord": lambda name: Marks.of_series(load_discord(name), f"discord:{name}"),
    }
)


def read_marks(
    argument: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    column: str | None = None,
    series: str | None = None,
    end_included: bool | None = None,
    start_column: str | None = None,
    end_column: str | None = None,
    until: Any = None,
) -> Marks:
    """What an argument of a command says is anomalous.

    ``format`` holds where the argument has no prefix; ``column`` names the labels of a table, ``series`` one of several series in a file;
    ``end_included`` changes the end rule of the formats that leave it open; ``start_column`` and ``end_column`` name the two columns of a
    table of ranges; ranges of times that are still open end at ``until``.
    """
    prefix, path = _prefixed(str(argument))
    if prefix is not None and prefix in PUBLIC:
        return PUBLIC[prefix](path)
    how = Choices(column=column, series=series, end_included=end_included, start_column=start_column, end_column=end_column)
    return _source_marks(Source(path), prefix or format, how, until)


def _source_marks(source: Source, named: str | None, how: Choices, until: Any) -> Marks:
    """What a file says, read as the format that is named, or as the one that fits."""
    end = _read_until(until)
    marks = known_format(_format_of(source, named, how)).reads(source, how)
    return replace(marks, ranges=marks.ranges.closed(end)) if isinstance(marks.ranges, TimeRanges) else marks


def _read_until(until: Any) -> np.datetime64 | None:
    return None if until is None else read_instants([until], "until").times[0]


def _format_of(source: Source, named: str | None, how: Choices) -> str:
    chosen = named or ("csv" if how.column is not None else None)
    if chosen is not None:
        return chosen
    bounded = how.start_column is not None or how.end_column is not None
    # The named columns are those of tables; the other side may be something else.
    return "ranges" if bounded and Look(source).kind == "table" else guess(source)


def read_sides(
    real: str | Path, predicted: str | Path, *, times: str | Path | None = None, outside: Outside = "error", **how: Any
) -> tuple[Ranges, Ranges]:
    """The rows of both sides, from any two formats; :func:`rows_of_both` says how they fit together."""
    if _prefixed(str(real))[1] == _prefixed(str(predicted))[1] == STANDARD_INPUT:
        raise ValueError("only one of REAL and PREDICTED can be standard input")
    rows, _ = rows_of_both(read_marks(real, **how), read_marks(predicted, **how), times=times, outside=outside)
    return rows


def rows_of_both(
    real: Marks, predicted: Marks, *, times: str | Path | None = None, outside: Outside = "error", step: str | None = None
) -> tuple[tuple[Ranges, Ranges], int | None]:
    """The rows of both sides, and how many rows there are, where that is known.

    Where a side gives times, they are mapped to the timestamps of the file ``times``, or else of the other side, or else to a grid of a row
    every ``step``. Where both sides give times and there is none of these, they stay on the clock. Sides that know their numbers of rows
    have to agree.
    """
    sides = [real, predicted]
    index: NDArray[Any] | RowClock | None = read_timestamps(times) if times is not None else None
    if index is None and step is not None:
        index = _grid(sides, step)
    if index is None and any(isinstance(side.ranges, TimeRanges) for side in sides):
        index = next((side.timestamps for side in sides if side.timestamps is not None), None)
    told = [side.ranges for side in sides if isinstance(side.ranges, TimeRanges)]
    if index is None and len(told) == 2:
        return align(told[0].on_clock(), told[1].on_clock()), None
    found = [side.rows(index, outside) for side in sides]
    if found[0].clock is not None or found[1].clock is not None:
        found = list(align(found[0], found[1]))
    indexed = None if index is None else len(index.index if isinstance(index, RowClock) else index)
    _check_lengths(("real", "predicted"), sides, found, indexed)
    length = next((known for known in (real.length, predicted.length, indexed) if known is not None), None)
    return (found[0], found[1]), length


def _grid(sides: list[Marks], step: str) -> RowClock:
    told = [side.ranges.on_clock() for side in sides if isinstance(side.ranges, TimeRanges)]
    if len(told) < len(sides):
        rows = next(side.name for side in sides if not isinstance(side.ranges, TimeRanges))
        raise ValueError(f"--step puts two sides that are times on a grid of rows, but {rows} has rows already; leave it out")
    return grid(step, None, *told)


def read_rows_beside(series: Marks, argument: str | Path, *, outside: Outside = "error", **how: Any) -> Ranges:
    """The rows that an argument says are anomalous in a series that was read before; times are mapped to its timestamps."""
    marks = read_marks(argument, **how)
    found = marks.rows(series.timestamps if isinstance(marks.ranges, TimeRanges) else None, outside)
    _check_lengths((series.name, marks.name), [series, marks], [Ranges(), found], series.length)
    return found


def read_timestamps(argument: str | Path) -> NDArray[Any]:
    """The timestamps of the rows of a file: of any series with times, or of a table that has only them."""
    prefix, path = _prefixed(str(argument))
    if prefix is None and path != STANDARD_INPUT:
        source = Source(path)
        # One named column and nothing else: no series, but all that is asked for here.
        if not source.content[:1].isdigit() and not source.content.lstrip().startswith((b"[", b"{")) and len(source.table.columns) == 1:
            return source.table.timestamps(source.table.columns[0], ascending=True)
    marks = read_marks(argument)
    if marks.timestamps is None:
        raise ValueError(f"{marks.name} has no timestamps; expected e.g. a table with a first column 'timestamp'")
    return marks.timestamps


def _check_lengths(names: tuple[str, str], sides: list[Marks], found: list[Ranges], indexed: int | None) -> None:
    """Both sides have as many rows, and no range of one goes beyond the other."""
    lengths = [side.length if side.length is not None or isinstance(side.ranges, Ranges) else indexed for side in sides]
    if None not in lengths and lengths[0] != lengths[1]:
        raise ValueError(
            f"{names[0]} has {lengths[0]} labels and {names[1]} has {lengths[1]}; "
            "both sides describe the same points, so give the same number"
        )
    for this, other in ((0, 1), (1, 0)):
        length = lengths[other]
        if length is not None and len(found[this]) and found[this].stops[-1] > length:
            raise ValueError(f"{names[this]} has a range that stops at {found[this].stops[-1]}, but {names[other]} has only {length} rows")


def file_zones(argument: str, names: Sequence[str]) -> Callable[[Series], Ranges]:
    """The rows of each of many series that lie in the zones of one file.

    Times and rows are for all series. A table with a column ``series`` and windows in NAB's form name the series that each zone is of.
    """
    prefix, path = _prefixed(argument)
    source = Source(path)
    told = _series_told(source, prefix or guess(source))
    for name in sorted((told or set()) - set(names)):
        raise ValueError(f"{source.name} has zones of {name!r}, which is none of the {len(names)} series{did_you_mean(name, names)}")

    def zones(series: Series) -> Ranges:
        if told is not None and series.name not in told:
            return Ranges()
        marks = read_marks(argument, series=None if told is None else series.name)
        if not isinstance(marks.ranges, TimeRanges):
            return inside(marks.rows().merge_touching(), len(series))
        if series.timestamps is None:
            raise ValueError(f"{marks.name} gives times, but series {series.name} has no timestamps; give zones of it as rows")
        marks.ranges.on_clock()  # complains of what is still open
        # Row by row: timestamps of public data repeat, and go back in time.
        ignored = np.zeros(len(series), dtype=np.bool_)
        for first, last in zip(marks.ranges.firsts, marks.ranges.lasts, strict=True):
            ignored |= (series.timestamps >= first) & (series.timestamps <= last)
        return Ranges.from_labels(ignored)

    return zones


def zones_by_series(
    argument: str,
    *,
    format: str | None = None,  # noqa: A002
    end_included: bool | None = None,
    start_column: str | None = None,
    end_column: str | None = None,
    until: Any = None,
) -> Ranges | dict[str, Ranges]:
    """The zones of a file as ``ignore=`` of :func:`rangewise.score_many` takes them: for every series, or by the name of each."""
    prefix, path = _prefixed(argument)
    if prefix is not None and prefix in PUBLIC:
        return read_marks(argument).rows()
    source, named = Source(path), prefix or format
    how = Choices(end_included=end_included, start_column=start_column, end_column=end_column)
    chosen = _format_of(source, named, how)
    told = _series_told(source, chosen)
    found: dict[str | None, Ranges | TimeRanges]
    if told is not None and chosen == "ranges":
        end = _read_until(until)
        found = {name: its.closed(end) if isinstance(its, TimeRanges) else its for name, its in ranges_by_series(source, how).items()}
    else:
        names: Iterable[str | None] = (None,) if told is None else sorted(told)
        found = {name: _source_marks(source, named, replace(how, series=name), until).told() for name in names}
    zones = {name: ranges.half_open() if isinstance(ranges, TimeRanges) else ranges for name, ranges in found.items()}
    return zones[None] if told is None else {str(name): its for name, its in zones.items()}


def _series_told(source: Source, chosen: str) -> set[str] | None:
    """The series that a file of zones names; None where its zones are for all."""
    look = Look(source)
    if chosen == "nab-windows":
        return set(look.json or ())
    return set(source.table.texts(SERIES)) if SERIES in look.columns else None


def _prefixed(argument: str) -> tuple[str | None, str]:
    prefix, colon, path = argument.partition(":")
    return (prefix, path) if colon and (prefix in FORMATS or prefix in PUBLIC) else (None, argument)
