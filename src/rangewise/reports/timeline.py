"""The timeline as a static picture, for email previews and print: values, real ranges, and one lane per detector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.ranges import Ranges
from rangewise.reports.clock import PageClock
from rangewise.reports.entries import Entry


@dataclass(frozen=True)
class _Frame:
    """The sizes of a picture."""

    width: int
    left: int
    right: int
    columns: int
    values: int
    """The height of the values."""
    lane: int
    gap: int

    @property
    def scale(self) -> float:
        """The width of a column."""
        return (self.width - self.left - self.right) / self.columns


_PAGE = _Frame(width=1_000, left=130, right=10, columns=1_500, values=130, lane=18, gap=6)
_SMALL = _Frame(width=320, left=14, right=1, columns=306, values=44, lane=9, gap=4)
_AXIS = 22
MOST_LANES = 6
"""A miniature has at most this many lanes of detectors."""


def timeline_svg(real: Ranges, entries: Sequence[Entry], clock: PageClock, values: NDArray[np.float64] | None) -> str:
    """An SVG element, styled by the page's style sheet."""
    frame = _PAGE
    top = frame.values + frame.gap if values is not None else 0
    height = top + (len(entries) + 1) * (frame.lane + frame.gap) + _AXIS
    missed = {entry.name: len(real) - entry.facts.found for entry in entries}
    label = "Timeline: " + "; ".join(
        f"{entry.name} predicts {len(entry.predicted)} ranges, misses {missed[entry.name]}" for entry in entries
    )
    parts = [f'<svg viewBox="0 0 {frame.width} {height}" role="img" aria-label="{escape(label)}, of {len(real)} real ranges">']
    real_columns = _columns(real, clock, frame)
    parts.append(f'<path class="real-shade" d="{_bars(real_columns, 0, height - _AXIS, frame)}"/>')
    if values is not None:
        parts.append(f'<path class="values" d="{_envelope(values, frame)}"/>')
    lanes = [("real", {"real": real_columns})]
    for entry in entries:
        predicted = _columns(entry.predicted, clock, frame)
        lanes.append((f"{entry.letter} {entry.name}", {"found": predicted & real_columns, "false": predicted & ~real_columns}))
    for number, (name, spans) in enumerate(lanes):
        y, shown = top + number * (frame.lane + frame.gap), name if len(name) <= 20 else f"{name[:19]}…"
        parts.append(f'<text x="{frame.left - 8}" y="{y + frame.lane - 5}" text-anchor="end">{escape(shown)}</text>')
        parts += [f'<path class="{kind}" d="{_bars(columns, y, frame.lane, frame)}"/>' for kind, columns in spans.items()]
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        at = clock.first + round(share * (clock.last - clock.first))
        x = frame.left + share * (frame.width - frame.left - frame.right)
        parts.append(f'<text x="{x:.0f}" y="{height - 6}" text-anchor="{anchor}">{escape(clock.text(at))}</text>')
    return "".join([*parts, "</svg>"])


def small_timeline_svg(real: Ranges, entries: Sequence[Entry], clock: PageClock, values: NDArray[np.float64] | None) -> str:
    """A miniature of the timeline: values, real ranges, and one lane for each of the first detectors, with their letters."""
    frame = _SMALL
    top = frame.values + frame.gap if values is not None else 0
    height = top + (min(len(entries), MOST_LANES) + 1) * (frame.lane + frame.gap)
    real_columns = _columns(real, clock, frame)
    parts = [
        f'<svg viewBox="0 0 {frame.width} {height}" aria-hidden="true">',
        f'<path class="real-shade" d="{_bars(real_columns, 0, height, frame)}"/>',
    ]
    if values is not None:
        parts.append(f'<path class="values" d="{_envelope(values, frame)}"/>')
    parts.append(f'<path class="real" d="{_bars(real_columns, top, frame.lane, frame)}"/>')
    for number, entry in enumerate(entries[:MOST_LANES], start=1):
        predicted, y = _columns(entry.predicted, clock, frame), top + number * (frame.lane + frame.gap)
        missed = _bars(_columns(real, clock, frame, entry.missed), y + 1, frame.lane - 2, frame)
        parts.append(
            f'<text x="0" y="{y + frame.lane}">{entry.letter}</text><path class="lane" d="M{frame.left} {y + frame.lane}.5H{frame.width}"/>'
        )
        spans = (("found", predicted & real_columns), ("false", predicted & ~real_columns))
        parts += [f'<path class="{kind}" d="{_bars(columns, y, frame.lane, frame)}"/>' for kind, columns in spans if columns.any()]
        if missed:
            parts.append(f'<path class="missed" d="{missed}"/>')
    return "".join([*parts, "</svg>"])


def _columns(ranges: Ranges, clock: PageClock, frame: _Frame, chosen: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """The columns of the picture that the ranges touch, or the chosen ones of them."""
    span = max(clock.last - clock.first, 1)
    bounds = np.asarray(ranges) - clock.first
    bounds = bounds if chosen is None else bounds[chosen]
    starts = (bounds[:, 0] / span * frame.columns).astype(np.int64).clip(0, frame.columns - 1)
    stops = np.ceil(bounds[:, 1] / span * frame.columns).astype(np.int64).clip(1, frame.columns)
    edges = np.zeros(frame.columns + 1, dtype=np.int64)
    np.add.at(edges, starts, 1)
    np.add.at(edges, np.maximum(stops, starts + 1), -1)
    return np.cumsum(edges[:-1]) > 0


def _bars(columns: NDArray[np.bool_], top: int, height: int, frame: _Frame) -> str:
    scale = frame.scale
    spans = ((frame.left + start * scale, (stop - start) * scale) for start, stop in Ranges.from_labels(columns))
    return "".join(f"M{x:.1f} {top}h{max(width, 0.7):.1f}v{height}h-{max(width, 0.7):.1f}z" for x, width in spans)


def _envelope(values: NDArray[np.float64], frame: _Frame) -> str:
    """Minimum and maximum of each column, as one line up and down."""
    known = np.flatnonzero(np.isfinite(values))
    if not known.size:
        return ""
    low, high = float(values[known].min()), float(values[known].max())
    column = known * frame.columns // len(values)
    begins = np.flatnonzero(np.diff(column, prepend=-1))
    span = (high - low) or 1.0
    lowest, highest = ((ufunc.reduceat(values[known], begins) - low) / span for ufunc in (np.minimum, np.maximum))
    points = zip(column[begins].tolist(), lowest.tolist(), highest.tolist(), strict=True)
    y = frame.values - 4
    line = " ".join(
        f"{frame.left + at * frame.scale:.1f} {y - y * bottom:.0f} {frame.left + at * frame.scale:.1f} {y - y * top:.0f}"
        for at, bottom, top in points
    )
    return f"M{line}"
