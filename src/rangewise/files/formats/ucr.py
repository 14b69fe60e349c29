"""The UCR anomaly archive: one value per line, and the anomaly in the file name: ``001_UCR_Anomaly_NAME_TRAINEND_START_END.txt``.

The end is included by default (existing loaders differ, so there is an option). Rows count from 0; the training part is rows 0 to TRAINEND
with the end excluded. Some files have all values on one line.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from rangewise.files.annotations import Annotations
from rangewise.files.formats.base import Choices, Format, values_of
from rangewise.files.series import Series
from rangewise.files.source import Source, SourceLike, as_source
from rangewise.inputs.ranges import Ranges

NAME = re.compile(r"^(\d+_UCR_Anomaly_.+)_(\d+)_(\d+)_(\d+)\.txt$")
_EXPECTED = "001_UCR_Anomaly_NAME_TRAINEND_START_END.txt"


def read_ucr(path: SourceLike, *, inclusive: bool = True) -> Series:
    """A file of the UCR archive as a series of one channel with one real range.

    The row END is anomalous, as in Orion's loader; with ``inclusive=False`` it is not, as in the loaders of aeon and dtaianomaly.
    """
    source = as_source(path)
    named = NAME.match(source.file_name)
    if not named:
        raise ValueError(f"{source.name} does not have a name of the UCR archive, {_EXPECTED}, so its anomaly is unknown")
    train_end, start, end = (int(number) for number in named.groups()[1:])
    values = source.numbers
    stop = end + inclusive
    if not (0 < train_end <= len(values) and start < stop <= len(values)):
        raise ValueError(f"{source.name}: its name says training to {train_end}, anomaly {start} to {end}; it has {len(values)} values")
    if values.shape[1] != 1:
        raise ValueError(f"{source.name}: {values.shape[1]} values per line; files of the UCR archive have one")
    return Series(named[1], values, None, Ranges([(start, stop)]), (0, train_end))


def ucr_text(series: Series, file_name: str, *, inclusive: bool = True) -> bytes:
    """One value per line. The file name contains the anomaly, so it must match."""
    if series.channels != 1 or len(series.real) != 1:
        content = f"{series.channels} channels and {len(series.real)} ranges"
        raise ValueError(f"a file of the UCR archive has one channel and one anomaly; {series.name} has {content}")
    start, stop = series.real[0]
    expected = (series.train[1] if series.train else None, start, stop - inclusive)
    named = NAME.match(file_name)
    train_end, *anomaly = (int(number) for number in named.groups()[1:]) if named else (0, 0, 0)
    if not named or tuple(anomaly) != expected[1:] or (expected[0] is not None and train_end != expected[0]):
        ending = f"{expected[0] if expected[0] is not None else 'TRAINEND'}_{expected[1]}_{expected[2]}.txt"
        raise ValueError(f"file names of the UCR archive contain the anomaly: use 001_UCR_Anomaly_NAME_{ending}, not {file_name}")
    return "".join(f"{value!r}\n" for value in series.values[:, 0].tolist()).encode()


def _marks(source: Source, how: Choices) -> Annotations:
    return Annotations.of_series(read_ucr(source, inclusive=how.inclusive is not False), source.name)


FORMAT = Format(
    name="ucr",
    about="UCR archive: 001_UCR_Anomaly_NAME_TRAINEND_START_END.txt",
    end="included (--exclusive: excluded)",
    kinds=("text", "track", "fenced", "table"),
    file_name=NAME,
    reads=_marks,
    writes=lambda annotations, name: ucr_text(values_of(annotations, "ucr"), PurePath(name).name),
)
