"""``rw.report``: one self-contained page that says how good detectors are, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import visible
from rangewise.files.writing import written_whole
from rangewise.inputs.clocks import Clock, align, on_rows, row_clock
from rangewise.inputs.gaps import closed_ranges, closed_scores
from rangewise.inputs.ranges import Ranges, RangesLike, array_of, read_side
from rangewise.model.model import RangeModel
from rangewise.reports.clock import Clock as PageClock
from rangewise.reports.clock import clock_of, tick_clock
from rangewise.reports.content import Content
from rangewise.reports.entries import Given, make_entries, read_detectors

Commands: TypeAlias = "Mapping[str, Sequence[str]] | None"
"""The words of the command that scores each detector again."""

LARGE = 10_000_000
"""Bytes above which many mail systems refuse a file."""
MOST_POINTS, MOST_BYTES = 2_000_000, 25_000_000
"""Above either, the page is reduced: exact at the thresholds that it holds."""


@dataclass(frozen=True)
class Report:
    """A page: ``html`` is all of it, :meth:`save` writes it, a notebook shows it in a frame of its own."""

    html: str = field(repr=False)
    title: str
    verdict: str
    reduced: bool = False

    def save(self, path: str | Path) -> Path:
        """Write the page, whole or not at all."""
        with written_whole(path) as part:
            part.write_text(self.html, encoding="utf-8", newline="\n")
        return Path(path)

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.html.encode())

    def _repr_html_(self) -> str:
        # A frame of its own origin: the page can neither see nor change the notebook.
        frame = 'sandbox="allow-scripts" width="100%" height="900" style="border:0"'
        return f'<iframe {frame} title="{escape(self.title)}" srcdoc="{escape(self.html)}"></iframe>'


def report(
    real: RangesLike,
    detectors: Mapping[str, Any],
    *,
    values: Any = None,
    times: Any = None,
    model: RangeModel | None = None,
    thresholds: Mapping[str, float] | None = None,
    title: str | None = None,
    baseline: bool = True,
    close_gaps: int = 0,
) -> Report:
    """One HTML file that says which detector is best, whether to trust it, and what each of them missed.

    It needs no server and no network, and every threshold and setting can be tried in it: the numbers are those of
    :meth:`RangeModel.score`, to the last bit.

    :param real: the real ranges, as anywhere: labels, pairs, ``Ranges``; or incidents as pairs of times, with alerts as detectors.
    :param detectors: a name and scores (one number a point) or a prediction (0/1 labels, pairs, ``Ranges``) for each detector. An array
        whose values are all 0 or 1 is a prediction, any other holds scores.
    :param values: the series itself, one number a point (or a row a point, of which the first column is drawn).
    :param times: a date or number for each point.
    :param model: how ranges are scored; ``RangeModel()`` by default.
    :param thresholds: the threshold of each detector with scores. Where there is none, the page opens at the one with the largest F that
        does not mark too much, and says so: the labels chose it, so it is an upper bound.
    :param title: the heading.
    :param baseline: compare with random scores that mark as many points.
    :param close_gaps: join the predictions of all detectors over gaps of up to so many points, at every threshold; the page says so.

    Needs the extra ``report``. A page without real ranges, without predictions or with one detector is a page too.

    >>> import rangewise as rw
    >>> page = rw.report([0, 1, 1, 0, 0, 0], {"mine": [0.1, 0.8, 0.9, 0.2, 0.1, 0.3]}, thresholds={"mine": 0.5})
    >>> page.verdict
    'mine scores F1 1.000. Random scores that mark as many points reach 0.315. mine finds 1 of 1 real range with 1 alarm, none false.'
    """
    given = read_detectors(detectors)
    ranges, length = read_side(real, "real")
    sides = [ranges, *(one.predicted for one in given if one.predicted is not None)]
    if any(isinstance(side.clock, Clock) for side in sides):
        if times is None and len(sides) == len(given) + 1 and values is None:
            _closed(given, close_gaps)  # which times refuse
            return timed(ranges, given, model or RangeModel(), title)
        if times is None:
            raise ValueError("some sides are given in times and others in rows; say when the rows are with times=, one time a point")
        rows = row_clock(times)
        ranges = on_rows(real, rows, "real")
        given = [replace(one, predicted=None if one.predicted is None else on_rows(one.predicted, rows, one.name)) for one in given]
        times = rows.index
    lengths = {name: len(array_of(column, name)) for name, column in (("values", values), ("times", times)) if column is not None}
    points = points_of(ranges, {"real": length, **lengths}, given)
    given = _closed(given, close_gaps)
    return build(ranges, given, clock_of(points, times), values, model or RangeModel(), thresholds, title, baseline, close_gaps=close_gaps)


def _closed(given: Sequence[Given], most: int) -> list[Given]:
    """Gaps of the predictions and, at every threshold, of the scores closed."""
    return [
        replace(one, scores=closed_scores(one.scores, most))
        if one.predicted is None
        else replace(one, predicted=closed_ranges(one.predicted, most, one.name))
        for one in given
    ]


def timed(real: Ranges, given: Sequence[Given], model: RangeModel, title: str | None, commands: Commands = None) -> Report:
    """The page of incidents and alerts: times on both sides, no rows, and so no thresholds, values or random scores."""
    moved: list[Given] = []
    for _ in range(2):  # the second time all know the common origin
        moved = []
        for one in given:
            assert one.predicted is not None
            real, predicted = align(real, one.predicted)
            moved.append(replace(one, predicted=predicted))
        given = moved
    epoch = real.clock.origin if isinstance(real.clock, Clock) else 0
    clock = tick_clock([real, *(one.predicted for one in moved if one.predicted is not None)], epoch)
    return build(real, moved, clock, None, model, None, title, False, commands)


def build(
    real: Ranges,
    given: Sequence[Given],
    clock: PageClock,
    values: Any,
    model: RangeModel,
    thresholds: Mapping[str, float] | None,
    title: str | None,
    baseline: bool,
    commands: Commands = None,
    close_gaps: int = 0,
) -> Report:
    """The page of what was read; ``commands`` has the words that score each detector on the command line.

    Gaps of up to ``close_gaps`` are closed already in what is given.
    """
    drawn = None if values is None else _drawn(values, clock.rows)
    entries = make_entries(real, given, thresholds, model, clock, baseline)
    content = Content(real, entries, clock, drawn, model, visible(title or "How good are these detectors?"), commands or {}, close_gaps)
    reduced = bool(clock.rows and clock.rows > MOST_POINTS)
    html = content.html(reduced)
    if not reduced and len(html) > MOST_BYTES:
        reduced, html = True, content.html(True)
    return Report(html, content.title, " ".join(content.sentences), reduced)


def points_of(real: Ranges, lengths: Mapping[str, int | None], given: Sequence[Given]) -> int:
    """How many points the series has; everything that knows has to agree. ``lengths`` names what else may know."""
    known = {name: length for name, length in (*lengths.items(), *((one.name, one.length) for one in given)) if length is not None}
    sides = [("real", real), *((one.name, one.predicted) for one in given if one.predicted is not None)]
    if not known:
        return max([1, *(int(side.stops[-1]) for _, side in sides if len(side))])
    first, points = next(iter(known.items()))
    for name, length in known.items():
        if length != points:
            raise ValueError(f"{first} has {points:,} points and {name} has {length:,}; they describe the same series")
    for name, side in sides:
        if len(side) and side.stops[-1] > points:
            raise ValueError(f"{name} has a range that stops at {side.stops[-1]:,}, but {first} has only {points:,} points")
    return max(points, 1)


def _drawn(values: Any, points: int | None) -> NDArray[np.float64]:
    """The first channel, as numbers."""
    found = array_of(values, "values")
    if found.ndim not in (1, 2) or found.dtype.kind not in "biuf":
        raise ValueError(f"values have shape {found.shape} and dtype {found.dtype}; expected one number a point")
    if points is not None and len(found) != points:
        raise ValueError(f"there are {points:,} points and {len(found):,} values; give one value a point")
    return np.asarray(found if found.ndim == 1 else found[:, 0], dtype=np.float64)
