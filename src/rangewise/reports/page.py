"""A report of cases that were read: a page, or an index and one page per series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import visible
from rangewise.files.writing import written_whole
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.clocks import Clock, RowClock, on_one_clock
from rangewise.inputs.ignored import Ignored, inside
from rangewise.inputs.ranges import array_of
from rangewise.model.model import RangeModel
from rangewise.reports.clock import PageClock, clock_of, tick_clock
from rangewise.reports.content import Content, Overview
from rangewise.reports.entries import counted_span, make_entries
from rangewise.reports.verdict import verdict

LARGE = 10_000_000
"""Size in bytes above which many email systems reject a file."""
MOST_POINTS, MOST_BYTES = 2_000_000, 25_000_000
"""Above either, the page is reduced: it has fewer thresholds, at which it is exact."""


@dataclass(frozen=True)
class Report:
    """A report: ``html`` is the complete page, :meth:`save` writes it, a notebook shows it in a frame."""

    html: str = field(repr=False)
    title: str
    verdict: str
    reduced: bool = False
    ignored: Ignored | None = None
    """The effect of ignored intervals on the first detector."""
    pages: Iterable[tuple[str, str]] = field(default=(), repr=False)
    """For many series that are too large for one file: the path of the page of each series below the folder, and its HTML."""
    results: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The numbers of the page."""

    def save(self, path: str | Path) -> Path:
        """Write the page atomically and return its path.

        If each series has its own page, ``report.html`` becomes the folder ``report`` with ``index.html`` and a folder ``series``.
        """
        page = self.target(path)
        for name, html in chain(self.pages, [(page.name, self.html)]):
            file = page.parent / name
            if self.pages:
                file.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(file) as part:
                part.write_text(html, encoding="utf-8", newline="\n")
        return page

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the page: the model, the size of the data, and each detector at its threshold.

        >>> import rangewise as rw
        >>> page = rw.report([(2, 4), (7, 9)], {"early": [(1, 3)]}, length=10)
        >>> page.to_dict()["detectors"][0]["found"]
        1
        """
        ignored = {} if self.ignored is None else {"ignored": self.ignored.to_dict()}
        return {"title": self.title, "verdict": self.verdict, **self.results, **ignored}

    def target(self, path: str | Path) -> Path:
        """The file that :meth:`save` returns."""
        own = Path(path)
        return own.with_suffix("") / "index.html" if self.pages else own

    @property
    def size(self) -> int:
        """The size of the page in bytes, without the pages of the series."""
        return len(self.html.encode())

    def _repr_html_(self) -> str:
        # A sandboxed frame, so that the page can neither read nor change the notebook.
        frame = 'sandbox="allow-scripts allow-downloads" width="100%" height="900" style="border:0"'
        return f'<iframe {frame} title="{escape(self.title)}" srcdoc="{escape(self.html)}"></iframe>'


@dataclass(frozen=True, eq=False)
class SeriesInput:
    """A series of a report: its cases by detector, and what is drawn with them."""

    cases: dict[str, Case]
    values: Any = None
    axis: Any = None
    """The time of each row."""
    options: CaseOptions = field(default_factory=lambda: CaseOptions())
    """The options that the cases were read with."""
    commands: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The words of the command that scores each detector again, to copy from the page."""


def case_content(
    given: SeriesInput,
    *,
    model: RangeModel | None = None,
    title: str | None = None,
    baseline: bool = True,
    back: tuple[str, str] | None = None,
    overview: Overview | None = None,
) -> Content:
    """The content of a page about a series.

    ``back`` has the name and the address of the page that leads here. With an ``overview`` the page is about incidents and alerts: it
    compares nobody, and has no thresholds and settings.
    """
    cases, clock = _on_one_clock(given.cases, given.axis)
    if overview is not None:
        clock = replace(clock, zone=overview.zone)
    drawn = None if given.values is None else _drawn(given.values, clock.rows)
    chosen, heading = model or RangeModel(), visible(title or "How good are these detectors?")
    entries = make_entries(cases, chosen, clock, baseline)
    case = entries[0].case
    counted = counted_span(case, clock)
    return Content(entries, case.real, counted, clock, drawn, chosen, heading, given.commands, given.options, back, overview)


def page_of(content: Content) -> Report:
    """The page of a content, reduced if it would be too large."""
    reduced = is_long(content)
    html = content.html(reduced)
    if not reduced and len(html) > MOST_BYTES:
        reduced, html = True, content.html(True)
    text = " ".join(verdict(content.facts)) if content.overview is None else "".join(content.overview.headline)
    return Report(html, content.title, text, reduced, content.entries[0].case.clipping, results=content.results())


def is_long(content: Content) -> bool:
    """Whether a series has too many points for a complete page."""
    return bool(content.clock.rows and content.clock.rows > MOST_POINTS)


def _on_one_clock(cases: dict[str, Case], axis: Any) -> tuple[dict[str, Case], PageClock]:
    """All cases on the same rows or ticks, and the clock of the page."""
    first = next(iter(cases.values()))
    if isinstance(first.clock, Clock):
        sides = on_one_clock({"real": first.real, **{name: case.sides()[1] for name, case in cases.items()}})
        moved = {name: replace(case, real=sides[0], predicted=side) for (name, case), side in zip(cases.items(), sides[1:], strict=True)}
        own = sides[0].clock if isinstance(sides[0].clock, Clock) else Clock()
        if own.tick != 1:
            raise ValueError("the page uses nanoseconds, so resolution= has no effect; leave it out, or give step= to count rows")
        return moved, tick_clock(sides, own.origin, own.elapsed)
    lengths = {name: case.length for name, case in cases.items() if case.length}
    points = next(iter(lengths.values()), None)
    for name, length in lengths.items():
        if length != points:
            raise ValueError(
                f"{next(iter(lengths))} has {points:,} points, but {name} has {length:,}; all detectors must describe the same series"
            )
    if points is None:
        sides = [side for case in cases.values() for side in case.sides()]
        points = max([1, *(int(side.stops[-1]) for side in sides if len(side))])
        for start, stop in first.ignored:  # a range that was cut lasted longer
            points = max(points, stop) if start <= points else points
    for name, case in cases.items():
        if case.predicted is not None and len(case.predicted) and case.predicted.stops[-1] > points:
            raise ValueError(f"{name} has a range that stops at {case.predicted.stops[-1]:,}, but the series has only {points:,} points")
    if axis is None and isinstance(first.clock, RowClock):
        axis = first.clock.index
    return {name: _with_length(case, points) for name, case in cases.items()}, clock_of(points, axis)


def _with_length(case: Case, points: int) -> Case:
    """A case of rows with its number of points; where the ranges had none, ignored intervals may lie beyond."""
    clipping = case.clipping
    if case.length is None and clipping is not None:
        clipping = replace(clipping, intervals=inside(clipping.intervals, points))
    return replace(case, length=points, clipping=clipping)


def _drawn(values: Any, points: int | None) -> NDArray[np.float64]:
    """The first channel, as numbers."""
    array = array_of(values, "values")
    if array.ndim not in (1, 2) or array.dtype.kind not in "biuf":
        raise ValueError(f"values have shape {array.shape} and dtype {array.dtype}; expected one number per point")
    if points is not None and len(array) != points:
        raise ValueError(f"there are {points:,} points but {len(array):,} values; give one value per point")
    return np.asarray(array if array.ndim == 1 else array[:, 0], dtype=np.float64)
