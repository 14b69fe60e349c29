"""CSV and Parquet tables, read by polars, with errors that name the line."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import cell_bytes, check_size, shown_names, shown_text
from rangewise.inputs.instants import OPEN, YEARS, Instants, Times, check_ascending, in_zone, mixed_zones, read_instants, read_texts
from rangewise.tables import csv_cell, plain_cell

if TYPE_CHECKING:
    import polars as pl

PARQUET_MAGIC = b"PAR1"
SCORES_NEED_A_THRESHOLD = "scores need a threshold: rangewise curve, or score --threshold"
_MOST_COLUMNS = 20_000
_SLICE = 1 << 20
_HEAD = 1 << 20
# Magic bytes of gzip, zlib and zstd, which polars would unpack.
_PACKED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda", b"\x28\xb5\x2f\xfd")
_ZONE = r"(Z|z| UTC| GMT|[+-]\d\d:?(\d\d)?)$"


def label_error(where: str, given: str) -> ValueError:
    """The error for a label that is neither 0 nor 1, with a way out if it looks like a score.

    >>> print(label_error("a.txt, line 3", "0.7"))
    a.txt, line 3: '0.7' is not a label; expected 0 or 1 (scores need a threshold: rangewise curve, or score --threshold)
    """
    try:
        is_score = not float(given).is_integer()
    except ValueError:
        is_score = False
    return ValueError(f"{where}: {shown_text(given)} is not a label; expected 0 or 1{f' ({SCORES_NEED_A_THRESHOLD})' if is_score else ''}")


def require_polars() -> None:
    """Raise an error that names the extra, if polars is not installed. Call it before importing polars."""
    try:
        import polars  # noqa: F401
    except ImportError as error:
        raise ModuleNotFoundError("reading and writing tables needs polars: pip install 'rangewise[files]'") from error


def text_of(content: bytes, name: str) -> str:
    """UTF-8 text, with or without a byte order mark."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name} is UTF-16 text; save it as UTF-8")
    if b"\0" in content:
        raise ValueError(f"{name} is a binary file; expected text")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name}, line {line}: byte {content[error.start]:#04x} is not UTF-8 text; save the file as UTF-8") from error


class FileTable:
    """The columns of a CSV or Parquet file, each converted on request."""

    def __init__(self, content: bytes, name: str) -> None:
        require_polars()
        self.name = name
        self._first_line: int | None = None
        self._columns: _ParquetColumns | pl.DataFrame
        if content.startswith(PARQUET_MAGIC):
            self._columns = _ParquetColumns(content, name)
        else:
            self._columns, self._first_line = _csv(content, name), content[: _start(content)].count(b"\n") + 2

    @property
    def columns(self) -> list[str]:
        return self._columns.columns

    def __len__(self) -> int:
        return self._columns.height

    def where(self, row: int) -> str:
        """The place of a row in errors: the line of the file, or the row of a Parquet table."""
        return f"{self.name}, row {row}" if self._first_line is None else f"{self.name}, line {row + self._first_line}"

    def column(self, column: str) -> pl.Series:
        """The unconverted cells, which are text for a CSV file."""
        if column not in self.columns:
            raise ValueError(f"{self.name} has no column {column!r}; it has {shown_names(map(repr, self.columns), 20)}")
        return self._columns[column]

    def texts(self, column: str) -> list[str]:
        """The cells as text; empty cells are empty texts."""
        return [plain_cell(("" if cell is None else str(cell)).strip()) for cell in self.column(column)]

    def integers(self, column: str) -> NDArray[np.int64] | None:
        """The cells as integers, or None if they are not integers."""
        import polars as pl

        cells = self._converted(column, pl.Int64)
        if not cells.dtype.is_integer() or cells.has_nulls():
            return None
        if cells.dtype == pl.UInt64 and (huge := np.flatnonzero(cells.to_numpy() > np.iinfo(np.int64).max)).size:
            raise ValueError(f"{self.where(int(huge[0]))}: {cells[int(huge[0])]} in column {column!r} is neither a row nor a time: {YEARS}")
        return cells.to_numpy().astype(np.int64)

    def first_not_integer(self, column: str) -> int:
        """The first row whose cell is not an integer."""
        import polars as pl

        return int(self._converted(column, pl.Int64).is_null().arg_max() or 0)

    def _converted(self, column: str, dtype: Any) -> pl.Series:
        """The cells; text is converted, and null where that is not possible."""
        import polars as pl

        cells = self.column(column)
        return cells.str.strip_chars().cast(dtype, strict=False) if cells.dtype == pl.String else cells

    def numbers(self, column: str, *, may_be_empty: bool = False) -> NDArray[np.float64]:
        """The cells as numbers; ``nan`` is a missing number, and with ``may_be_empty`` so is an empty cell."""
        return self.scores(column, may_be_empty=may_be_empty).astype(np.float64, copy=False)

    def scores(self, column: str, *, may_be_empty: bool = True) -> NDArray[Any]:
        """The same, but float32 cells of a Parquet file stay float32, because thresholds are compared in that type."""
        import polars as pl

        cells = self.column(column)
        text = cells.str.strip_chars() if cells.dtype == pl.String else None
        numbers = (cells if text is None else text).cast(pl.Float32 if cells.dtype == pl.Float32 else pl.Float64, strict=False)
        if may_be_empty:
            empty = cells.is_null() if text is None else text.is_null() | (text == "")
            numbers = numbers.set(empty, float("nan"))
        if numbers.has_nulls():
            row = int(numbers.is_null().arg_max() or 0)
            raise ValueError(
                f"{self.where(row)}: {shown_text(str(cells[row] or ''))} in column {column!r} is not a number (write nan for missing ones)"
            )
        return np.array(numbers.to_numpy())

    def labels(self, column: str) -> NDArray[np.uint8]:
        """The cells as labels: 0, 1, 0.0, 1.0, true, false."""
        import polars as pl

        cells = self.column(column)
        plain = cells
        if cells.dtype == pl.String:
            plain = cells.str.strip_chars().str.to_lowercase().replace({"true": "1", "false": "0"})
        labels = plain.cast(pl.Float64, strict=False).fill_null(-1.0).to_numpy()
        wrong = np.flatnonzero((labels != 0) & (labels != 1))
        if wrong.size:
            row = int(wrong[0])
            raise label_error(self.where(row), str(cells[row] or ""))
        return labels.astype(np.uint8)

    def is_numeric(self, column: str, *, may_be_empty: bool = False) -> bool:
        """Whether all cells are numbers; with ``may_be_empty``, whether all that are not empty are, and there is one."""
        import polars as pl

        numbers = self._converted(column, pl.Float64)
        if not numbers.dtype.is_numeric():
            return False
        if may_be_empty and numbers.has_nulls():
            cells = self.column(column)
            text = cells.dtype == pl.String
            there = cells.is_not_null() & (cells.str.strip_chars() != "") if text else cells.is_not_null()
            numbers = numbers.filter(there)
            return len(numbers) > 0 and not numbers.has_nulls()
        return not numbers.has_nulls()

    def timestamps(self, column: str, *, ascending: bool) -> NDArray[Any]:
        """The cells as integers, or as ``datetime64[ns]`` in UTC."""
        timestamps: NDArray[Any] | None = self.integers(column)
        if timestamps is None:
            timestamps = self.times(column)
        if ascending:
            check_ascending(timestamps, self.name, self._first_line)
        return timestamps

    def times(self, column: str) -> Times:
        """The cells as ``datetime64[ns]`` in UTC, in any order: ISO 8601 text, all with or all without a time zone, or Parquet times."""
        return self.instants(column).times

    def instants(self, column: str, *, may_miss: bool = False, tz: str | None = None) -> Instants:
        """The times of a column, and whether they have a time zone; times without one are local times of ``tz``, if given.

        Empty cells are errors, or NaT with ``may_miss``.
        """
        import polars as pl

        cells = self.column(column)
        if isinstance(cells.dtype, pl.Datetime | pl.Date):
            if cells.has_nulls() and not may_miss:
                raise ValueError(f"{self.where(int(cells.is_null().arg_max() or 0))}: the time is missing in column {column!r}")
            zoned = isinstance(cells.dtype, pl.Datetime) and cells.dtype.time_zone is not None
            if zoned:
                cells = cells.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
            instants = read_instants(cells.to_numpy(), self.name, lambda row: f"{self.where(row)}: the time").nanoseconds
            return in_zone(Instants(instants, zoned if len(instants) else None), tz, self.where)
        if cells.dtype != pl.String:
            raise ValueError(f"{self.name}: column {column!r} has type {cells.dtype}; expected times or integers")
        cells = cells.fill_null("").str.strip_chars()
        if may_miss and (cells == "").any():
            present = np.flatnonzero((cells != "").to_numpy())
            known = read_texts(cells.gather(present).to_list(), self.name, lambda row: self.where(int(present[row])), tz)
            every = np.full(len(cells), OPEN)
            every[present] = known.nanoseconds
            return Instants(every, known.zoned)
        zoned_cells = cells.str.contains(_ZONE) & cells.str.contains(":")
        if zoned_cells.n_unique() > 1:
            if tz is not None:
                return read_texts(cells.to_list(), self.name, self.where, tz)
            row = int((zoned_cells != zoned_cells[0]).arg_max() or 0)
            raise ValueError(f"{self.where(row)}: {cells[row]!r} {mixed_zones(bool(zoned_cells[0]))}")
        has_zone = bool(zoned_cells[0]) if len(cells) else None
        # Common forms are parsed at once; other forms and errors text by text.
        pattern = "%Y-%m-%d %H:%M:%S%.f" + ("%#z" if has_zone else "")
        plain = cells.str.replace(" ?(UTC|GMT|[Zz])$", "+00:00").str.replace("[Tt]", " ")
        # Years that do not fit would wrap around.
        years = cells.str.slice(0, 4).cast(pl.Int32, strict=False).is_between(1678, 2261).fill_null(False)
        # Digits beyond nanoseconds would be cut off.
        usual = bool(years.all()) and not cells.str.contains(r"\.\d{10}").any()
        parsed = plain.str.to_datetime(pattern, time_unit="ns", strict=False) if usual else None
        if parsed is not None and not parsed.has_nulls():
            moments = np.array(parsed.dt.replace_time_zone(None).to_numpy(), dtype="datetime64[ns]")
            return in_zone(Instants(moments.view(np.int64), has_zone), tz, self.where)
        return read_texts(cells.to_list(), self.name, self.where, tz)


class _ParquetColumns:
    """The columns of a Parquet file, read on request. Their size is checked against that of the file first, because a small file may
    expand to huge columns of equal cells."""

    def __init__(self, content: bytes, name: str) -> None:
        import polars as pl

        self._name, self._held, self._taken = name, len(content), 0
        self._read: dict[str, pl.Series] = {}
        with parquet_errors(self._name):
            self._lazy = pl.scan_parquet(io.BytesIO(content))
            self._schema = self._lazy.collect_schema()
            self.columns = self._schema.names()
            self.height = int(self._lazy.select(pl.len()).collect().item())
        check_column_count(len(self.columns), name)

    def __getitem__(self, column: str) -> pl.Series:
        if column not in self._read:
            self._read[column] = self._column(column)
        return self._read[column]

    def _column(self, column: str) -> pl.Series:
        import polars as pl

        what = f"{self._name}: column {column!r} of {self.height} rows"
        try:
            cell = cell_bytes(self._schema[column])
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None
        self._take(self.height * cell, what)
        chosen = self._lazy.select(column)
        with parquet_errors(self._name):
            if not isinstance(self._schema[column], pl.String | pl.Categorical | pl.Enum):
                return chosen.collect()[column]
            # Characters are counted while text is read: a dictionary may repeat a long text many times.
            parts = [pl.Series(column, [], dtype=pl.String)]
            for at in range(0, self.height, _SLICE):
                part = chosen.slice(at, _SLICE).collect()[column]
                letters = part.str.len_bytes() if isinstance(part.dtype, pl.String) else part.cat.len_bytes()
                self._take(int(letters.cast(pl.UInt64).sum()), what)
                parts.append(part.cast(pl.String))
            return pl.concat(parts)

    def _take(self, size: int, what: str) -> None:
        self._taken += size
        check_size(self._taken, self._held, what)


@contextmanager
def parquet_errors(name: str | Path) -> Iterator[None]:
    """Turn errors and panics of polars about a damaged Parquet file into one that names the file."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise ValueError(f"{name} is not a complete Parquet file: {_first_error_line(error)}") from error


def check_column_count(columns: int, name: str) -> None:
    """Refuse too many columns, because each costs memory even without cells."""
    if columns > _MOST_COLUMNS:
        raise ValueError(f"{name} has {columns} columns; expected at most {_MOST_COLUMNS}")


def check_csv(head: bytes, name: str) -> None:
    """Check the beginning of a file: refuse compressed content and too many columns."""
    if head.startswith(_PACKED):
        raise ValueError(f"{name} is compressed, and might not fit into memory; unpack it first")
    check_column_count(_first_line(head).count(separator_of(head).encode()) + 1, name)


def check_csv_file(path: str | Path) -> None:
    """The same for a file that is not read at once, and check the names of its columns."""
    with Path(path).open("rb") as file:
        head = file.read(_HEAD)
    check_csv(head, str(path))
    text = io.StringIO(head[_start(head) :].decode("utf-8-sig", errors="replace"))
    try:
        names = next(csv.reader(text, delimiter=separator_of(head)), [])
    except csv.Error as error:
        raise ValueError(f"{path}, line 1: the names of the columns cannot be read: {error}") from None
    _check_names([column.strip() for column in names], str(path))


def _csv(content: bytes, name: str) -> pl.DataFrame:
    import polars as pl

    end = len(content.rstrip())
    if not end:
        raise ValueError(f"{name} is empty; expected a table with a line of column names")
    # Without blank lines at the end. The last cells of the last line may be empty.
    content = content[:end] + content[end:].partition(b"\n")[0].rstrip(b" \r")
    check_csv(content, name)
    separator = separator_of(content)
    cells = (content.count(b"\n") + 1) * (_first_line(content).count(separator.encode()) + 1)
    if cells > content.count(separator.encode()) + content.count(b"\n") + 1:
        # polars would fill short lines to the width of the first line.
        _check_lines(content, name)
    try:
        frame = pl.read_csv(content[_start(content) :], infer_schema=False, has_header=False, separator=separator)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        _check_lines(content, name)
        raise ValueError(f"{name} is not a CSV table: {_first_error_line(error)}") from error
    # A short line is filled with nulls, like empty cells.
    if any(frame[column].has_nulls() for column in frame.columns):
        _check_lines(content, name)
    names = [(column or "").strip() for column in frame.row(0)]
    _check_names(names, name)
    frame.columns = names
    return frame[1:]


def separator_of(content: bytes) -> str:
    """The separator of the first line: a comma, unless it has only semicolons or tabs."""
    line = _first_line(content)
    return next((mark for mark in (",", ";", "\t") if mark.encode() in line), ",")


def _start(content: bytes) -> int:
    """The position of the first line that is not blank. Its first cell may be empty, as in tables with an index."""
    return content.rfind(b"\n", 0, len(content) - len(content.lstrip())) + 1


def _first_line(content: bytes) -> bytes:
    """The first line that is not blank."""
    return content[_start(content) :].partition(b"\n")[0]


def _first_error_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _check_names(names: list[str], name: str) -> None:
    """Refuse duplicate column names."""
    double = next((column for column, count in Counter(names).items() if count > 1), None)
    if double is not None:
        where = " and ".join(str(number) for number, column in enumerate(names, start=1) if column == double)
        raise ValueError(f"{name} has several columns named {shown_text(double)}: columns {where:.40}; give each its own name")


def _check_lines(content: bytes, name: str) -> None:
    """Refuse a line with another number of cells than the first line."""
    lines = csv.reader(io.StringIO(text_of(content, name)), delimiter=separator_of(content))
    expected = 0
    try:
        for cells in lines:
            if not expected and not "".join(cells).strip():
                continue  # blank lines before the names are allowed
            expected = expected or len(cells)
            if not cells and expected == 1:
                raise ValueError(f"{name}, line {lines.line_num} is empty; expected a value in every line (nan for missing ones)")
            if len(cells) != expected:
                raise ValueError(f"{name}, line {lines.line_num}: {len(cells)} cells, but the first line names {expected} columns")
    except csv.Error as error:
        raise ValueError(f"{name}, line {lines.line_num}: {error}") from error


def table_bytes(columns: Mapping[str, NDArray[Any]], *, parquet: bool) -> bytes:
    """The table as CSV with a line of names, or as a Parquet file."""
    require_polars()
    import polars as pl

    frame, target = pl.DataFrame(dict(columns)), io.BytesIO()
    if not parquet:
        texts = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.String)]
        frame = frame.with_columns(pl.Series(name, [csv_cell(cell) for cell in frame[name]], pl.String) for name in texts)
    if parquet:
        frame.write_parquet(target)
    else:
        times = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Datetime)]
        frame.with_columns(pl.col(name).dt.strftime("%Y-%m-%dT%H:%M:%S%.f") for name in times).write_csv(target)
    return target.getvalue()
