"""A file to read: its bytes, read once, as text, numbers, JSON or a table."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise.files.tables import PARQUET_MAGIC, FileTable, text_of

Kind: TypeAlias = Literal["table", "json", "text", "track", "fenced", "binary"]
"""A track has two numbers and optional text per line, separated by tabs, and no column names; fenced text has JSON between fences."""

STANDARD_INPUT = "-"
FENCE = b"```"
"""Code fences around JSON, as language models write them."""
EDF_MAGIC = b"0       "
MOST_UNPACKED = 1 << 28
"""The most bytes that a gzip file may unpack to."""


def unpacked(path: str | Path, most: int = MOST_UNPACKED) -> bytes:
    """The content of a gzip file, up to ``most`` bytes, because a small file may unpack to more than fits into memory."""
    try:
        with gzip.open(path) as file:
            content = file.read(most + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path} is not a complete gzip file: {error}") from None
    if len(content) > most:
        raise ValueError(f"{path} unpacks to more than {most >> 20} MB; unpack it yourself if you trust it")
    return content


class Source:
    """A file, or standard input for ``-``, read on request and only once."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self.name = "standard input" if self.path == STANDARD_INPUT else self.path

    @property
    def file_name(self) -> str:
        """The last part of the path, without ``.gz``; some formats store information in it."""
        return Path(self.path).name.removesuffix(".gz")

    @cached_property
    def content(self) -> bytes:
        if self.path == STANDARD_INPUT:
            return _with_newlines(sys.stdin.buffer.read())
        file = Path(self.path)
        if not self.path:
            raise FileNotFoundError("the name of a file is empty; give a file, or - for standard input")
        if not file.exists():
            raise FileNotFoundError(f"{file} does not exist")
        if file.is_dir():
            raise IsADirectoryError(f"{file} is a directory; expected a file")
        return _with_newlines(unpacked(file) if file.suffix == ".gz" else file.read_bytes())

    @cached_property
    def kind(self) -> Kind:
        """What the content looks like, to detect its format."""
        if self.content.startswith(PARQUET_MAGIC):
            return "table"
        if self.content.startswith(EDF_MAGIC):
            return "binary"
        # Lines that are not text are refused here, whatever the format.
        if self.content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{"):
            return "json"
        first_line = self.text.lstrip().partition("\n")[0].strip()
        cells = first_line.split("\t")
        if len(cells) in (2, 3) and not _has_words(cells[:2]):
            return "track"
        if FENCE in self.content:
            return "fenced"
        # A single word other than a label is the name of the only column.
        is_name = first_line.replace("_", "").isalpha() and first_line.lower() not in ("true", "false", "yes", "no", "nan")
        if "," in first_line or is_name:
            return "table"
        return "table" if any(mark in first_line and _has_words(first_line.split(mark)) for mark in ";\t") else "text"

    @property
    def columns(self) -> list[str]:
        """The columns of a table; empty if it is not a table."""
        return self.table.columns if self.kind == "table" else []

    @property
    def text(self) -> str:
        return text_of(self.content, self.name)

    @cached_property
    def table(self) -> FileTable:
        return FileTable(self.content, self.name)

    @cached_property
    def json(self) -> Any:
        return parse_json(self.text, self.name)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """Numbers separated by white space: one row per line and one column per number, or one column if all are on one line."""
        lines = [(number, line.split()) for number, line in enumerate(self.text.splitlines(), start=1) if line.strip()]
        if not lines:
            raise ValueError(f"{self.name} is empty; expected numbers")
        width = 1 if len(lines) == 1 else len(lines[0][1])
        try:
            return np.array([cells for _, cells in lines], dtype=np.float64).reshape(-1, width)
        except ValueError:
            pass
        for number, cells in lines:
            if len(cells) != width:
                raise ValueError(f"{self.name}, line {number}: {len(cells)} numbers, but the first line has {width}")
            for cell in cells:
                try:
                    float(cell)
                except ValueError as error:
                    hint = "; name the column of a table, e.g. with --column" if "," in cell or number == 1 else ""
                    raise ValueError(f"{self.name}, line {number}: {cell[:40]!r} is not a number{hint}") from error
        raise AssertionError("every line was fine")

    @property
    def is_numbers(self) -> bool:
        """Whether the file has one number per line."""
        try:
            return bool(self.numbers.shape[1] == 1)
        except (ValueError, OSError):  # not numbers, or not a file: it may have the prefix of a format or of public data
            return False


def _with_newlines(content: bytes) -> bytes:
    """Text whose lines end with a carriage return alone, as Excel writes for Macintosh, with newlines instead; other content as it is."""
    if b"\n" in content or b"\r" not in content or b"\0" in content or content.startswith(PARQUET_MAGIC):
        return content
    return content.replace(b"\r", b"\n")


def _has_words(cells: list[str]) -> bool:
    """Whether some of the cells are not numbers."""
    return not cells or not all(map(is_number, cells))


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


SourceLike: TypeAlias = str | Path | Source


def as_source(given: SourceLike) -> Source:
    return given if isinstance(given, Source) else Source(given)


def parse_json(text: str, name: str) -> Any:
    """Parse JSON; any error is a ``ValueError`` that begins with ``name``.

    >>> parse_json("[1, 2", "a.json")
    Traceback (most recent call last):
    ValueError: a.json, line 1: not JSON: Expecting ',' delimiter
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}, line {error.lineno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise ValueError(f"{name} is nested too deeply for any supported JSON format") from error
    except ValueError as error:  # an integer with thousands of digits
        raise ValueError(f"{name} has a number with too many digits") from error


def json_bytes(data: Any) -> bytes:
    """JSON text with a final newline."""
    return (json.dumps(data, allow_nan=False) + "\n").encode()
