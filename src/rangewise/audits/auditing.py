"""Audit a data set: run every check on every series, and on the data set as a whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rangewise.audits.data_set_checks import check_data_set
from rangewise.audits.finding import Finding
from rangewise.audits.one_line_checks import check_one_liners
from rangewise.audits.overlaps import check_overlaps
from rangewise.audits.result import Audit
from rangewise.audits.series_checks import check_series
from rangewise.bench.series_choice import read_series
from rangewise.files.series import Series

Progress = Callable[[int, int], None]


def audit(*data: Any, name: str = "data set", folder: str | Path = ".", progress: Progress | None = None) -> Audit:
    """Check the series of a data set for flaws that make detectors look better or worse than they are.

    ``data`` are :class:`~rangewise.datasets.Series`, files, folders, patterns, or names such as ``"nab:*"``, as in an experiment. Relative
    paths start at ``folder``. The checks are in :data:`rangewise.audits.CHECKS`. A file that cannot be read is a finding, not an error.

    >>> import numpy as np
    >>> from rangewise.datasets import Series
    >>> values = np.sin(np.arange(1000) / 10)
    >>> values[600] += 9
    >>> result = audit(Series("spike", values, real=[(600, 601)]))
    >>> [(each.check, each.message) for each in result.findings if each.check == "trivial"]
    [('trivial', 'solved by absolute-difference, moving-std, moving-range, median-deviation, seasonal-difference, value')]
    """
    given = [each for entry in data for each in (entry if isinstance(entry, (list, tuple)) else [entry])]
    if not given:
        raise ValueError("an audit needs at least one series: files, folders, names such as nab:*, or Series")
    choices = read_series(given, Path(folder), "data")
    readable: list[Series] = []
    findings: list[Finding] = []
    for number, choice in enumerate(choices):
        try:
            series = choice.load()
            if not len(series) or not series.channels:
                raise ValueError(f"series {series.name} has no values")
        except (ValueError, TypeError, OSError) as error:
            findings.append(Finding("unreadable", choice.name, str(error)))
            continue
        readable.append(series)
        findings += [*check_series(series), *check_one_liners(series)]
        if progress is not None:
            progress(number + 1, len(choices))
    findings += [*check_overlaps(readable), *check_data_set(readable)]
    place = {choice.name: number for number, choice in enumerate(choices)}
    return Audit(name, tuple(place), tuple(readable), tuple(sorted(findings, key=lambda each: place.get(each.series, -1))))
