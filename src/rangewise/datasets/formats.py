"""Anomalies from whatever people have, and into any other format.

An argument names a file (``-``: standard input), or public data by a prefix: ``nab:realKnownCause/nyc_taxi.csv``,
``paper:nyc_taxi/lstm_ad.pred``, ``discord:TEK14``. The name of a format is a prefix too: ``grafana:answer.json`` reads that file as Grafana
annotations. Without a prefix, and with no format given, the format is guessed by name and content; where several fit, it is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from rangewise.datasets.discords import load_discord
from rangewise.datasets.format_table import FORMATS, Choices, Format
from rangewise.datasets.labels import read_labels
from rangewise.datasets.location import find_file
from rangewise.datasets.marks import Marks
from rangewise.datasets.nab import load_nab
from rangewise.datasets.sniffing import guess
from rangewise.datasets.source import STANDARD_INPUT, Source
from rangewise.datasets.tables import table_bytes
from rangewise.datasets.times import Outside
from rangewise.datasets.writing import written_whole
from rangewise.model.model import unknown_name
from rangewise.ranges import Ranges

# What the name of a new file tells of its format; CSV and JSON are the form of several.
_BY_SUFFIX = {".txt": "labels", ".labels": "labels", ".real": "labels", ".pred": "labels"}


def _paper(name: str) -> Marks:
    labels = read_labels(find_file(f"paper-labels/{name}"))
    return Marks(f"paper:{name}", Ranges.from_labels(labels), len(labels))


COLLECTIONS: Mapping[str, Callable[[str], Marks]] = MappingProxyType(
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
) -> Marks:
    """What an argument of a command says is anomalous.

    ``format`` holds where the argument has no prefix; ``column`` names the labels of a table, ``series`` one of several series in a file;
    ``end_included`` changes the end rule of the formats that leave it open.
    """
    prefix, path = _prefixed(str(argument))
    if prefix is not None and prefix in COLLECTIONS:
        return COLLECTIONS[prefix](path)
    source = Source(path)
    chosen = prefix or format or ("csv" if column is not None else guess(source))
    return known_format(chosen).reads(source, Choices(column=column, series=series, end_included=end_included))


def read_sides(
    real: str | Path, predicted: str | Path, *, times: str | Path | None = None, outside: Outside = "error", **how: Any
) -> tuple[Ranges, Ranges]:
    """The rows of both sides, from any two formats; :func:`rows_of_both` says how they fit together."""
    if _prefixed(str(real))[1] == _prefixed(str(predicted))[1] == STANDARD_INPUT:
        raise ValueError("only one of REAL and PREDICTED can be standard input")
    rows, _ = rows_of_both(read_marks(real, **how), read_marks(predicted, **how), times=times, outside=outside)
    return rows


def rows_of_both(
    real: Marks, predicted: Marks, *, times: str | Path | None = None, outside: Outside = "error"
) -> tuple[tuple[Ranges, Ranges], int | None]:
    """The rows of both sides, and how many rows there are, where that is known.

    Where a side gives times, they are mapped to the timestamps of the file ``times``, or else of the other side. Sides that know their
    numbers of rows have to agree.
    """
    sides = [real, predicted]
    index = read_timestamps(times) if times is not None else None
    if index is None:
        index = next((side.timestamps for side in sides if side.timestamps is not None), None)
    found = [side.rows(index, outside) for side in sides]
    indexed = None if index is None else len(index)
    _check_lengths(("real", "predicted"), sides, found, indexed)
    length = next((known for known in (real.length, predicted.length, indexed) if known is not None), None)
    return (found[0], found[1]), length


def read_rows_beside(series: Marks, argument: str | Path, *, outside: Outside = "error", **how: Any) -> Ranges:
    """The rows that an argument says are anomalous in a series that was read before; times are mapped to its timestamps."""
    marks = read_marks(argument, **how)
    found = marks.rows(series.timestamps, outside)
    _check_lengths((series.name, marks.name), [series, marks], [Ranges(), found], series.length)
    return found


def read_timestamps(argument: str | Path) -> NDArray[Any]:
    """The timestamps of the rows of a file: of any series with times."""
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


def write_marks(
    marks: Marks,
    target: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    timestamps: NDArray[Any] | None = None,
    length: int | None = None,
    outside: Outside = "error",
) -> bytes:
    """Write anomalies in a format, whole or not at all; ``-`` as the target writes nothing. The bytes come back.

    ``timestamps`` and ``length`` add what ``marks`` do not know: a format of times needs timestamps for rows, and the other way round.
    """
    prefix, path = _prefixed(str(target), FORMATS)
    chosen = known_format(prefix or format or _format_of(path))
    if chosen.writes is None:
        raise ValueError(f"{chosen.name} is only read; choose another format to write")
    content = chosen.writes(_completed(marks, timestamps, length, outside), path)
    if not isinstance(content, bytes):
        content = table_bytes(content, parquet=path.endswith(".parquet"))
    if path != STANDARD_INPUT:
        with written_whole(path) as part:
            part.write_bytes(content)
    return content


def _completed(marks: Marks, timestamps: NDArray[Any] | None, length: int | None, outside: Outside) -> Marks:
    """With the rows, the timestamps and the number of rows that were given."""
    if timestamps is not None:
        if marks.length is not None and marks.length != len(timestamps):
            raise ValueError(f"{marks.name} has {marks.length} rows, but there are {len(timestamps)} timestamps")
        length = len(timestamps) if length is None else length
        marks = replace(marks, ranges=marks.rows(timestamps, outside), timestamps=timestamps)
    return marks if marks.length is not None or length is None else replace(marks, length=length)


def _format_of(path: str) -> str:
    suffix = PurePosixPath(path).suffix
    if suffix not in _BY_SUFFIX:
        raise ValueError(f"the format to write is not clear from {path!r}; say which with --to: {', '.join(FORMATS)}")
    return _BY_SUFFIX[suffix]


def _prefixed(argument: str, known: Mapping[str, Any] | None = None) -> tuple[str | None, str]:
    prefix, colon, path = argument.partition(":")
    return (prefix, path) if colon and prefix in (known or {**FORMATS, **COLLECTIONS}) else (None, argument)


def known_format(name: str) -> Format:
    """The format of that name."""
    if name not in FORMATS:
        raise unknown_name("a format", name, tuple(FORMATS))
    return FORMATS[name]
