"""The Numenta Anomaly Benchmark in the layout of its repository: series, windows, and results of detectors.

A folder of NAB has ``data/<category>/<file>.csv`` (``timestamp,value``) and ``labels/combined_windows.json``, windows with both ends
included. A detector's results are ``<category>/<detector>_<file>.csv`` with a column ``anomaly_score``, or one table
``anomaly_scores.csv.gz`` of all files with the columns ``file,anomaly_score``, rows in file order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import did_you_mean, shown
from rangewise.datasets.location import find_file
from rangewise.files.formats.nab_windows import window_rows
from rangewise.files.series import Series
from rangewise.files.source import MOST_UNPACKED, Source, unpacked
from rangewise.files.tables import FileTable
from rangewise.inputs.ranges import as_ranges

_WINDOWS = Path("labels", "combined_windows.json")
_THRESHOLDS = Path("config", "thresholds.json")
_ONE_TABLE = "anomaly_scores.csv.gz"
_SCORE = "anomaly_score"
_GZIP_MAGIC = b"\x1f\x8b"
_PLAIN = b"0000-00-00 00:00:00,"
"""The beginning of a line in the files of NAB, with 0 for any digit."""


def nab_names(folder: str | Path) -> tuple[str, ...]:
    """The files of NAB that have windows or are known to have none, such as ``realKnownCause/nyc_taxi.csv``; sorted."""
    return tuple(sorted(_windows(Path(folder))))


def read_nab(folder: str | Path, name: str) -> Series:
    """Read one series of NAB, with its windows as real ranges of rows.

    A window goes from the first row with its first timestamp to the first row with its last timestamp, both included: some files repeat
    timestamps, and one goes back in time. A timestamp without a row is an error.
    """
    windows = _windows(Path(folder))
    if name not in windows:
        raise ValueError(f"{Path(folder) / _WINDOWS} has no file {name!r}{did_you_mean(name, windows)}")
    path = Path(folder, "data", name)
    timestamps, values = _plain_columns(path) or _table_columns(path)
    real = [_rows_of(window, timestamps, f"window {index} of {name}") for index, window in enumerate(windows[name])]
    return Series(name, values, timestamps, as_ranges(np.array(real, dtype=np.int64).reshape(-1, 2), f"windows of {name}"))


def _plain_columns(path: Path) -> tuple[NDArray[np.datetime64], NDArray[np.float64]] | None:
    """The columns of a file in the exact format of NAB, read without importing polars; None for other files."""
    content = path.read_bytes() if path.is_file() else b""
    header, *lines = content.splitlines() or [b""]
    width, form = len(_PLAIN), np.frombuffer(_PLAIN, dtype=np.uint8)
    begin = np.frombuffer(b"".join([line[:width] for line in lines]), dtype=np.uint8)
    if header != b"timestamp,value" or not lines or len(begin) != len(lines) * width:
        return None
    begin = begin.reshape(len(lines), width)
    fixed = form != ord("0")
    if (begin[:, fixed] != form[fixed]).any():
        return None
    try:
        times = np.ascontiguousarray(begin[:, :-1]).view(f"S{width - 1}")[:, 0].astype("datetime64[ns]")
        return times, np.array([float(line[width:]) for line in lines])
    except ValueError:
        return None


def _table_columns(path: Path) -> tuple[NDArray[np.datetime64], NDArray[np.float64]]:
    """The columns of any file of NAB, or an error that names the line."""
    table = _read_table(path)
    values = table.numbers("value")
    return table.times("timestamp"), values


def load_nab(name: str) -> Series:
    """Load one series of NAB, such as ``realKnownCause/nyc_taxi.csv``, from the data folder; it is downloaded if it is missing."""
    folder = nab_folder()
    if name in nab_names(folder):
        find_file(f"nab/data/{name}")
    return read_nab(folder, name)


def load_nab_corpus() -> Iterator[Series]:
    """Iterate over the 58 series of NAB with their 116 windows, sorted by name; each is read on request."""
    return (load_nab(name) for name in nab_names(nab_folder()))


def nab_folder() -> Path:
    return find_file(f"nab/{_WINDOWS.as_posix()}").parent.parent


def nab_thresholds(folder: str | Path, detector: str) -> dict[str, float]:
    """The thresholds that NAB published for a detector, by profile."""
    path = Path(folder) / _THRESHOLDS
    known = _read_json(path)
    if detector not in known:
        raise ValueError(f"{path} has no detector {detector!r}{did_you_mean(detector, known)}")
    try:
        return {profile: float(entry["threshold"]) for profile, entry in known[detector].items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError(f"{path}: expected {{profile: {{'threshold': number}}}} for {detector}; got {known[detector]!r}") from None


@dataclass(frozen=True, eq=False)
class NabResults:
    """A detector's results for the files of NAB: one anomaly score per row."""

    detector: str
    source: Path
    _read: Callable[[str], NDArray[np.float64]] = field(repr=False)

    def scores(self, series: Series) -> NDArray[np.float64]:
        """The scores of one series, one per row."""
        scores = self._read(series.name)
        if len(scores) != len(series):
            raise ValueError(
                f"{self.source} has {len(scores):,} scores for {series.name}, but the file has {len(series):,} rows; give one score per row"
            )
        return scores


def read_nab_results(results: str | Path, names: Iterable[str], detector: str | None = None) -> NabResults:
    """Read a detector's results for exactly the files ``names``.

    ``results`` is a folder in NAB's layout, or the table ``anomaly_scores.csv.gz``, or a folder that contains it. The name of the detector
    comes from its files, or from the folder of the table; give ``detector`` if a folder has results of several.
    """
    path = Path(results)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; expected a folder of result files, or {_ONE_TABLE}")
    if path.is_dir() and not (path / _ONE_TABLE).is_file():
        return _results_folder(path, tuple(names), detector)
    table = path / _ONE_TABLE if path.is_dir() else path
    return _results_table(table, tuple(names), detector or table.resolve().parent.name)


def _results_folder(folder: Path, names: tuple[str, ...], detector: str | None) -> NabResults:
    present = {path.relative_to(folder).as_posix() for path in folder.glob("*/*.csv")}
    if not present:
        raise ValueError(f"{folder} has no result files; expected <category>/<detector>_<file>.csv, or {_ONE_TABLE}")
    if detector is None:
        detector = _detector_of(folder, present, names)
    else:
        present = {file for file in present if file.rpartition("/")[2].startswith(f"{detector}_")}
    files = {name: _result_name(name, detector) for name in names}
    _check_names(folder, [name for name, file in files.items() if file in present], names)
    unknown = sorted(present - set(files.values()))
    if unknown:
        raise ValueError(
            f"{folder} has {unknown[0]}, which is not a result of {detector} for a file of NAB{did_you_mean(unknown[0], files.values())}"
        )

    def read(name: str) -> NDArray[np.float64]:
        return _read_table(folder / files[name]).numbers(_SCORE, may_be_empty=True)

    return NabResults(detector, folder, read)


def _result_name(name: str, detector: str) -> str:
    category, _, file = name.rpartition("/")
    return f"{category}/{detector}_{file}"


def _detector_of(folder: Path, present: set[str], names: tuple[str, ...]) -> str:
    """The most common prefix of result files before the name of a file of NAB."""
    detectors: Counter[str] = Counter()
    for name in names:
        before, _, after = _result_name(name, "|").partition("|")
        detectors.update(file[len(before) : -len(after)] for file in present if file.startswith(before) and file.endswith(after))
    if not detectors:
        expected = "expected <category>/<detector>_<file>.csv, for files of NAB"
        raise ValueError(f"{folder} has result files such as {min(present)}; {expected}")
    (detector, most), *others = detectors.most_common(2)
    if others and others[0][1] == most:
        raise ValueError(f"{folder} has results of several detectors, {detector} and {others[0][0]}; choose one")
    return detector


def _results_table(path: Path, names: tuple[str, ...], detector: str) -> NabResults:
    table = _read_table(path)
    scores, runs = table.numbers(_SCORE, may_be_empty=True), table.column("file").rle().to_list()
    by_file: dict[str, NDArray[np.float64]] = {}
    at = 0
    for file, rows in ((run["value"], run["len"]) for run in runs):
        if file in by_file:
            raise ValueError(f"{table.where(at)}: the rows of {file} are in two places; keep the rows of a file together")
        by_file[file] = scores[at : at + rows]
        at += rows
    _check_names(path, list(by_file), names)
    return NabResults(detector, path, by_file.__getitem__)


def _check_names(source: Path, present: list[str], names: tuple[str, ...]) -> None:
    missing = sorted(set(names) - set(present))
    if missing:
        more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
        raise ValueError(f"{source} has no results for {missing[0]}{more}; NAB scores all of its {len(names):,} files")
    unknown = sorted(set(present) - set(names))
    if unknown:
        raise ValueError(f"{source} has results for {unknown[0]}, which is not a file of NAB{did_you_mean(unknown[0], names)}")


def _windows(folder: Path) -> dict[str, list[Any]]:
    path = folder / _WINDOWS
    if folder.is_dir() and not path.is_file():
        raise FileNotFoundError(f"{folder} is not a folder of NAB: it has no {_WINDOWS}; expected data/ and labels/")
    by_file = _read_json(path)
    for name, windows in by_file.items():
        if not isinstance(windows, list):
            raise ValueError(f"{path}: {name} has {shown(windows)}; expected a list of windows [first, last]")
        if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or ".." in PureWindowsPath(name).parts:
            raise ValueError(f"{path}: {shown(name)} is not the name of a file in the folder data; expected <category>/<file>.csv")
    return by_file


def _rows_of(window: Any, timestamps: NDArray[np.datetime64], where: str) -> tuple[int, int]:
    """The half-open rows of a window."""
    try:
        first, last = (np.datetime64(end, "ns") for end in window)
    except (TypeError, ValueError):
        raise ValueError(f"{where} is {window!r}; expected two times [first, last]") from None
    return window_rows(first, last, timestamps, where)


def _read_json(path: Path) -> dict[str, Any]:
    content = Source(path).json
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected an object, {{name: ...}}; got {type(content).__name__}")
    return content


def _read_table(path: Path) -> FileTable:
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist")
    content = path.read_bytes()
    if content.startswith(_GZIP_MAGIC):
        content = unpacked(path, MOST_UNPACKED)
    return FileTable(content, str(path))
