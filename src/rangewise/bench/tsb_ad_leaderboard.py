"""The row of the TSB-AD leaderboard for a folder of scores: nine columns per series, and their means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rangewise.bench.published_detector import PublishedDetector
from rangewise.bench.series_choice import read_series
from rangewise.checks import visible
from rangewise.metrics.leaderboard import tsb_ad
from rangewise.number_text import count_text, score_text
from rangewise.tables import Table


@dataclass(frozen=True)
class TsbAdRows:
    """The nine columns of each series, and the reasons for missing series."""

    rows: dict[str, dict[str, float]]
    failures: dict[str, str]
    """The reason for each series without a row."""
    exact: bool

    @property
    def mean(self) -> dict[str, float]:
        """The row of the leaderboard: the mean of each column over the series."""
        names = next(iter(self.rows.values()), {})
        return {name: math.fsum(row[name] for row in self.rows.values()) / len(self.rows) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {"exact": self.exact, "mean": self.mean, "rows": self.rows, "failures": self.failures}

    def to_markdown(self) -> str:
        """The means as Markdown."""
        return self._table().to_markdown()

    def __str__(self) -> str:
        said = [self._table().to_text()]
        if self.failures:
            said.append(f"{len(self.failures)} series have no row:")
            said += [visible(f"  {name}: {reason}") for name, reason in self.failures.items()]
        return "\n".join(said)

    def _table(self) -> Table:
        return Table(["series", *self.mean], [[count_text(len(self.rows)), *map(score_text, self.mean.values())]])


def tsb_ad_rows(
    data: Sequence[Any] | str | Path,
    scores: str,
    *,
    buffer: int | Literal["tsb-ad"] | None = "tsb-ad",
    exact: bool = False,
    folder: str | Path = ".",
    column: str | None = None,
) -> TsbAdRows:
    """Compute the row of the TSB-AD leaderboard for a detector from files of scores, one per series.

    ``data`` are the series (files, folders, patterns, :class:`~rangewise.datasets.Series`). ``scores`` is a path with ``{series}``, the
    name of a series without its extension. As on the leaderboard, all rows are scored, including the training part; the buffer of VUS is
    :func:`rangewise.metrics.tsb_ad_buffer` of the first channel; ``exact=False`` gives the numbers of its program, as in
    :func:`rangewise.tsb_ad`.
    A series without a file of scores is recorded as a failure.
    """
    given = [data] if isinstance(data, (str, Path)) else list(data)
    detector = PublishedDetector("scores", "scores", scores, str(Path(folder).resolve()), column, threshold=0.0)
    rows, failures = {}, {}
    for choice in read_series(given, Path(folder), "data"):
        try:
            series = choice.load()
            row_scores, _, _ = detector.read(series, choice.group, 0)
            values = series.values[:, 0] if buffer == "tsb-ad" else None
            rows[choice.name] = tsb_ad(series.real, row_scores, buffer=buffer, values=values, exact=exact)
        except (OSError, ValueError, TypeError) as error:
            failures[choice.name] = str(error)
    if not rows:
        raise ValueError(f"no series has a row; the first reason: {next(iter(failures.values()))}")
    return TsbAdRows(rows, failures, exact)
