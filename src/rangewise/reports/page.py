"""``rw.report``: a self-contained HTML report of how good detectors are, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import visible
from rangewise.files.writing import written_whole
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.clocks import Clock, RowClock, on_one_clock
from rangewise.inputs.ignored import Ignored
from rangewise.inputs.ranges import RangesLike, array_of
from rangewise.model.model import RangeModel
from rangewise.rankings.cases import ThresholdChoice, read_detectors
from rangewise.reports.clock import PageClock, clock_of, tick_clock
from rangewise.reports.content import Content
from rangewise.reports.entries import LETTERS, make_entries
from rangewise.reports.overview import Overview

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

    def save(self, path: str | Path) -> Path:
        """Write the page atomically."""
        with written_whole(path) as part:
            part.write_text(self.html, encoding="utf-8", newline="\n")
        return Path(path)

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return len(self.html.encode())

    def _repr_html_(self) -> str:
        # A sandboxed frame, so that the page can neither read nor change the notebook.
        frame = 'sandbox="allow-scripts allow-downloads" width="100%" height="900" style="border:0"'
        return f'<iframe {frame} title="{escape(self.title)}" srcdoc="{escape(self.html)}"></iframe>'


def report(
    real: RangesLike,
    detectors: Mapping[str, Any],
    *,
    values: Any = None,
    model: RangeModel | None = None,
    thresholds: ThresholdChoice = None,
    title: str | None = None,
    baseline: bool = True,
    **options: Unpack[CaseOptions],
) -> Report:
    """Make a self-contained HTML report: which detector is best, whether to trust it, and what each detector missed.

    The page is interactive without a server or a network: readers can try every threshold and setting. Its numbers are bit-identical to
    those of :meth:`RangeModel.score`.

    :param real: the real ranges: labels, pairs, ``Ranges``; or incidents as pairs of times, with alerts as detectors.
    :param detectors: scores (one number per point) or a prediction (0/1 labels, pairs, ``Ranges``) by the name of each detector. An array
        whose values are all 0 or 1 is a prediction; any other array has scores.
    :param values: the values of the series, one number per point (or one row per point, of which the first column is drawn).
    :param model: how ranges are scored; ``RangeModel()`` by default.
    :param thresholds: for scores, one for all or one per detector: a number, ``"equal-share"`` or ``"best-f"``. Without one, the page uses
        the threshold with the largest F without a high alert rate and says so: it was chosen with the labels, so it is an upper bound.
    :param title: the heading.
    :param baseline: compare with random predictions of the same number of points.
    :param options: the input options of :meth:`RangeModel.score` for all detectors, e.g. ``times`` (dates, or numbers for the axis),
        ``ignore`` and ``close_gaps``.

    Needs the extra ``report``. A report without real ranges, without predictions or with one detector is allowed.

    >>> import rangewise as rw
    >>> page = rw.report([0, 1, 1, 0, 0, 0], {"mine": [0.1, 0.8, 0.9, 0.2, 0.1, 0.3]}, thresholds={"mine": 0.5})
    >>> page.verdict
    'mine scores F1 1.000. Random predictions with the same alert rate reach 0.325. mine finds 1 of 1 real range with 1 alarm, none false.'
    """
    if not isinstance(detectors, Mapping):
        raise TypeError(f'detectors must be a mapping from names, e.g. {{"mine": scores}}; got {type(detectors).__name__}')
    if not 1 <= len(detectors) <= len(LETTERS):
        raise ValueError(f'a page shows 1 to {len(LETTERS)} detectors, e.g. {{"mine": scores}}; got {len(detectors)}')
    if odd := [name for name in detectors if not isinstance(name, str) or not name.strip()]:
        raise TypeError(f"a detector's name must be a nonempty string; got {odd[0]!r}")
    axis = options.get("times")
    if axis is not None and array_of(axis, "times").dtype.kind in "iuf":
        options = {name: value for name, value in options.items() if name != "times"}  # type: ignore[assignment]
    for name, column in (("values", values), ("times", axis)):
        if column is not None and options.get("length") is None and not isinstance(real, Case) and "step" not in options:
            options = {**options, "length": len(array_of(column, name))}
    cases = read_detectors(real, detectors, thresholds, options, needs_threshold=False)[""]
    return case_report(cases, values=values, model=model, title=title, baseline=baseline, axis=axis, options=options)


def case_report(
    cases: dict[str, Case],
    *,
    values: Any = None,
    model: RangeModel | None = None,
    title: str | None = None,
    baseline: bool = True,
    axis: Any = None,
    options: CaseOptions | None = None,
    commands: Mapping[str, Sequence[str]] | None = None,
    back: tuple[str, str] | None = None,
    overview: Overview | None = None,
) -> Report:
    """The page of cases that were read.

    ``axis`` has the time of each row, ``options`` are those that the cases were read with, ``commands`` the words of the command that
    scores each detector again, to copy from the page, and ``back`` the name and the address of the page that leads here. With an
    ``overview`` the page is about incidents and alerts: it compares nobody, and has no thresholds and settings.
    """
    cases, clock = _on_one_clock(cases, axis)
    if overview is not None:
        clock = replace(clock, zone=overview.zone)
    drawn = None if values is None else _drawn(values, clock.rows)
    chosen = model or RangeModel()
    entries = make_entries(cases, chosen, clock, baseline)
    content = Content(
        entries, clock, drawn, chosen, visible(title or "How good are these detectors?"), commands or {}, options or {}, back, overview
    )
    reduced = bool(clock.rows and clock.rows > MOST_POINTS)
    html = content.html(reduced)
    if not reduced and len(html) > MOST_BYTES:
        reduced, html = True, content.html(True)
    verdict = " ".join(content.sentences) if overview is None else "".join(overview.headline)
    return Report(html, content.title, verdict, reduced, next(iter(cases.values())).clipping)


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
    for name, case in cases.items():
        if case.predicted is not None and len(case.predicted) and case.predicted.stops[-1] > points:
            raise ValueError(f"{name} has a range that stops at {case.predicted.stops[-1]:,}, but the series has only {points:,} points")
    if axis is None and isinstance(first.clock, RowClock):
        axis = first.clock.index
    return {name: replace(case, length=points) for name, case in cases.items()}, clock_of(points, axis)


def _drawn(values: Any, points: int | None) -> NDArray[np.float64]:
    """The first channel, as numbers."""
    found = array_of(values, "values")
    if found.ndim not in (1, 2) or found.dtype.kind not in "biuf":
        raise ValueError(f"values have shape {found.shape} and dtype {found.dtype}; expected one number per point")
    if points is not None and len(found) != points:
        raise ValueError(f"there are {points:,} points but {len(found):,} values; give one value per point")
    return np.asarray(found if found.ndim == 1 else found[:, 0], dtype=np.float64)
