"""Published detectors: scores or predictions of other programs, read from files."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number, unknown_name
from rangewise.datasets.arguments import read_rows_beside
from rangewise.files.annotations import Annotations
from rangewise.files.scores import read_score_file
from rangewise.files.series import Series
from rangewise.files.source import Source
from rangewise.inputs.ranges import Ranges
from rangewise.inputs.scores import Missing, fill_missing
from rangewise.thresholds import parse_policy

Kind: TypeAlias = Literal["scores", "predictions"]
SAW_LABELS = "the threshold was chosen with the labels"
_KEYS = ("scores", "predictions", "label", "name", "column", "series_column", "threshold", "threshold_saw_labels", "format")
_ENDINGS = (".gz", ".csv", ".txt", ".out", ".parquet", ".json")
_PLACES = ("{series}", "{stem}", "{group}")
_CACHED = 64


@dataclass(frozen=True)
class PublishedDetector:
    """A detector read from files. ``pattern`` is a path with ``{series}`` (the name of the series without its extension), ``{stem}`` (the
    last part of that) or ``{group}`` (its collection); a path without any of these is one table for all series, whose ``series_column``
    names the series of each row.

    Scores need a ``threshold``: a number, a rule of :mod:`rangewise.thresholds` over the scored rows, or a number per series.
    """

    label: str
    kind: Kind
    pattern: str
    folder: str = ""
    column: str | None = None
    series_column: str | None = None
    threshold: float | str | Mapping[str, float] | None = None
    threshold_saw_labels: bool = False
    format: str | None = None

    @property
    def source(self) -> str:
        """The source of the predictions, for the store."""
        return f"{self.kind}:{self.pattern}"

    @property
    def settings_text(self) -> str:
        """The options for reading the files, as JSON."""
        threshold = dict(self.threshold) if isinstance(self.threshold, Mapping) else self.threshold
        # The flag is a setting, so that a prediction is read again, with its note, when the flag changes.
        shown = {
            "column": self.column, "series_column": self.series_column, "threshold": threshold, "format": self.format,
            "threshold_saw_labels": self.threshold_saw_labels or None,
        }  # fmt: skip
        return json.dumps({name: value for name, value in shown.items() if value is not None}, sort_keys=True)

    @property
    def notes(self) -> list[str]:
        """Notes of the report about every prediction."""
        return [SAW_LABELS] if self.threshold_saw_labels else []

    def path(self, name: str, group: str) -> Path:
        """The file for a series."""
        plain = plain_name(name)
        text = self.pattern.replace("{series}", plain).replace("{stem}", PurePosixPath(plain).name).replace("{group}", group)
        return Path(self.folder) / text

    def identity_of(self, name: str, group: str) -> str:
        """The identity of the prediction on a series: the digest of its file, or ``missing``."""
        path = self.path(name, group)
        try:
            if self.series_column is None:
                digest = file_digest(str(path), path.stat().st_mtime_ns)
            else:
                digest = hashlib.sha256(np.ascontiguousarray(self._rows_of(path, name, group)).data).hexdigest()
        except (OSError, ValueError):
            digest = "missing"
        return f"published {self.kind} {digest} {self.settings_text}"

    def read(
        self, series: Series, group: str, first: int, missing: Missing = "error"
    ) -> tuple[NDArray[np.float64] | None, Ranges, float | None]:
        """Scores (None for predictions), ranges and the threshold, for the rows from ``first`` on."""
        path = self.path(series.name, group)
        if not path.is_file():
            raise FileNotFoundError(f"no {self.kind} for this series: {path.name} does not exist in {path.parent}")
        if self.kind == "predictions":
            return None, self._predicted(series, path, group, first), None
        if self.series_column is not None:
            scores = self._rows_of(path, series.name, group)
        else:
            scores = read_score_file(str(path), self.column, may_miss=True)
        scores, _ = fill_missing(_scored_part(scores, len(series), first, path), missing, path.name)
        threshold = self._threshold(series.name, scores)
        return scores, Ranges.from_labels(scores >= threshold), threshold

    def _predicted(self, series: Series, path: Path, group: str, first: int) -> Ranges:
        if self.series_column is not None:
            labels = _scored_part(self._rows_of(path, series.name, group), len(series), first, path)
            wrong = np.flatnonzero(~np.isin(labels, (0.0, 1.0)) & ~np.isnan(labels))
            if wrong.size:
                raise ValueError(f"{path.name}: row {int(wrong[0]) + first} of the series is {labels[wrong[0]]:g}; a prediction is 0 or 1")
            return Ranges.from_labels(labels == 1.0)
        rows = read_rows_beside(Annotations.of_series(series, series.name), str(path), format=self.format, column=self.column)
        return Ranges.from_labels(rows.to_labels(len(series))[first:])

    def _rows_of(self, path: Path, name: str, group: str) -> NDArray[np.float64]:
        """The rows of this series in a table for all series."""
        assert self.series_column is not None
        assert self.column is not None
        tables = table_by_series(str(path), path.stat().st_mtime_ns, self.series_column, self.column)
        last = PurePosixPath(name).name
        for candidate in (name, f"{group}/{last}", last):
            for spelling in (candidate, plain_name(candidate)):
                if spelling in tables:
                    return tables[spelling]
        raise ValueError(f"{path.name} has no rows of this series in its column {self.series_column!r}")

    def _threshold(self, name: str, scores: NDArray[np.float64]) -> float:
        given: Any = self.threshold
        if isinstance(given, Mapping):
            given = given.get(name, given.get(plain_name(name)))
            if given is None:
                raise ValueError("the table of thresholds has no number for this series")
        return parse_policy(given).choose(scores, None) if isinstance(given, str) else float(given)


def read_published(entry: Mapping[str, Any], folder: Path, where: str) -> PublishedDetector:
    """A ``[[detector]]`` table with ``scores`` or ``predictions``."""
    for key in entry:
        if key not in _KEYS:
            raise unknown_name(f"a key of {where} with files", key, _KEYS)
    kind: Kind = "scores" if "scores" in entry else "predictions"
    if "scores" in entry and "predictions" in entry:
        raise ValueError(f"{where} has both scores and predictions; give one of them")
    label, pattern = entry.get("label", entry.get("name")), entry[kind]
    if not isinstance(pattern, str) or not pattern:
        raise ValueError(f'{where}: {kind} must be a path such as "numenta/{{series}}.csv"; got {pattern!r}')
    if not isinstance(label, str) or not label:
        raise ValueError(f'{where}: a detector that is read from files needs a name: name = "numenta"')
    for key in ("column", "series_column", "format"):
        if key in entry and not isinstance(entry[key], str):
            raise ValueError(f"{where}: {key} must be a text; got {entry[key]!r}")
    saw_labels = entry.get("threshold_saw_labels", False)
    if not isinstance(saw_labels, bool):
        raise ValueError(f"{where}: threshold_saw_labels must be true or false, without quotes; got {saw_labels!r}")
    column, series_column = entry.get("column"), entry.get("series_column")
    if series_column is None and not any(place in pattern for place in _PLACES):
        raise ValueError(
            f"{where}: {kind} = {pattern!r} is one file for all series; put {', '.join(_PLACES)} into the path, or give the "
            "column that names the series with series_column"
        )
    if series_column is not None and column is None:
        raise ValueError(f"{where}: give the column of the table that has the {kind} with column")
    threshold = _threshold(entry.get("threshold"), kind, where)
    return PublishedDetector(
        label, kind, pattern, str(folder.resolve()), column, series_column, threshold, saw_labels, entry.get("format")
    )  # fmt: skip


def plain_name(name: str) -> str:
    """The name of a series without file extensions.

    >>> plain_name("valve1/3.csv.gz")
    'valve1/3'
    """
    while name.endswith(_ENDINGS):
        name = name.rpartition(".")[0]
    return name


@lru_cache(maxsize=4096)
def file_digest(path: str, changed: int) -> str:
    """SHA-256 of a file, computed once per modification time."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@lru_cache(maxsize=_CACHED)
def table_by_series(path: str, changed: int, series_column: str, column: str) -> dict[str, NDArray[np.float64]]:
    """A column of a table for all series, by series, in the order of the rows; an empty cell is nan."""
    table = Source(path).table
    names = np.array(table.texts(series_column))
    cells = np.array([cell or "nan" for cell in table.texts(column)])
    try:
        values = cells.astype(np.float64)
    except ValueError as error:
        raise ValueError(f"{path}: column {column!r} must contain only numbers: {error}") from None
    order = np.argsort(names, kind="stable")
    known, starts = np.unique(names[order], return_index=True)
    return dict(zip(known.tolist(), np.split(values[order], starts[1:]), strict=True))


def _scored_part(rows: NDArray[np.float64], points: int, first: int, path: Path) -> NDArray[np.float64]:
    """The scored part of a file, which has one row per row of the series or of its scored part."""
    if len(rows) == points:
        return rows[first:]
    if len(rows) != points - first:
        part = f", of which {points - first} are scored" if first else ""
        raise ValueError(f"{path.name} has {len(rows)} rows, but the series has {points}{part}; expected one of these numbers")
    return rows


def _threshold(given: Any, kind: Kind, where: str) -> float | str | Mapping[str, float] | None:
    if kind == "predictions":
        if given is not None:
            raise ValueError(f"{where}: predictions have no threshold; leave it out")
        return None
    if given is None:
        raise ValueError(f'{where}: scores need a threshold: a number, a rule such as "quantile:0.99", or a table of numbers by series')
    if isinstance(given, Mapping):
        return {str(name): _known_number(f"{where}: threshold of {name}", value) for name, value in given.items()}
    if isinstance(given, str):
        if getattr(parse_policy(given), "needs_real", given == "best-f"):
            raise ValueError(
                f'{where}: threshold = {given!r} uses labels; give a number or a rule such as "quantile:0.99" here, and '
                f'[threshold] rule = "{given}" to score at another threshold than the detector\'s own'
            )
        return given
    return _known_number(f"{where}: threshold", given)


def _known_number(what: str, given: Any) -> float:
    value = number(what, given)
    if math.isnan(value):
        raise ValueError(f"{what} is nan, so nothing would be predicted; give a number")
    return value
