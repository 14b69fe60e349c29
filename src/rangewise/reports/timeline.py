"""The timeline as a static picture, for email previews and print: values, real ranges, and one lane per detector."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.ranges import Ranges
from rangewise.reports.clock import PageClock
from rangewise.reports.entries import Entry

_WIDTH, _LEFT, _RIGHT = 1_000, 130, 10
_COLUMNS = 1_500
_VALUES, _LANE, _GAP, _AXIS = 130, 18, 6, 22


def timeline_svg(real: Ranges, entries: Sequence[Entry], clock: PageClock, values: NDArray[np.float64] | None) -> str:
    """An SVG element, styled by the page's style sheet."""
    top = _VALUES + _GAP if values is not None else 0
    lanes = len(entries) + 1
    height = top + lanes * (_LANE + _GAP) + _AXIS
    missed = {entry.name: len(real) - entry.facts.found for entry in entries}
    label = "Timeline: " + "; ".join(
        f"{entry.name} predicts {len(entry.predicted)} ranges, misses {missed[entry.name]}" for entry in entries
    )
    parts = [f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(label)}, of {len(real)} real ranges">']
    real_columns = _columns(real, clock)
    parts.append(f'<path class="real-shade" d="{_bars(real_columns, 0, height - _AXIS)}"/>')
    if values is not None:
        parts.append(f'<path class="values" d="{_envelope(values)}"/>')
    parts.append(_lane("real", top, [("real", real_columns)]))
    for number, entry in enumerate(entries, start=1):
        predicted = _columns(entry.predicted, clock)
        spans = [("found", predicted & real_columns), ("false", predicted & ~real_columns)]
        parts.append(_lane(f"{entry.letter} {entry.name}", top + number * (_LANE + _GAP), spans))
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        at = clock.first + round(share * (clock.last - clock.first))
        x = _LEFT + share * (_WIDTH - _LEFT - _RIGHT)
        parts.append(f'<text x="{x:.0f}" y="{height - 6}" text-anchor="{anchor}">{escape(clock.text(at))}</text>')
    return "".join([*parts, "</svg>"])


def _lane(name: str, top: int, spans: Sequence[tuple[str, NDArray[np.bool_]]]) -> str:
    shown = name if len(name) <= 20 else f"{name[:19]}…"
    text = f'<text x="{_LEFT - 8}" y="{top + _LANE - 5}" text-anchor="end">{escape(shown)}</text>'
    return text + "".join(f'<path class="{kind}" d="{_bars(columns, top, _LANE)}"/>' for kind, columns in spans)


def _columns(ranges: Ranges, clock: PageClock) -> NDArray[np.bool_]:
    """The columns of the picture that the ranges touch."""
    span = max(clock.last - clock.first, 1)
    bounds = np.asarray(ranges) - clock.first
    starts = (bounds[:, 0] / span * _COLUMNS).astype(np.int64).clip(0, _COLUMNS - 1)
    stops = np.ceil(bounds[:, 1] / span * _COLUMNS).astype(np.int64).clip(1, _COLUMNS)
    edges = np.zeros(_COLUMNS + 1, dtype=np.int64)
    np.add.at(edges, starts, 1)
    np.add.at(edges, np.maximum(stops, starts + 1), -1)
    return np.cumsum(edges[:-1]) > 0


def _bars(columns: NDArray[np.bool_], top: int, height: int) -> str:
    scale = (_WIDTH - _LEFT - _RIGHT) / _COLUMNS
    spans = ((_LEFT + start * scale, (stop - start) * scale) for start, stop in Ranges.from_labels(columns))
    return "".join(f"M{x:.1f} {top}h{max(width, 0.7):.1f}v{height}h-{max(width, 0.7):.1f}z" for x, width in spans)


def _envelope(values: NDArray[np.float64]) -> str:
    """Minimum and maximum of each column, as one line up and down."""
    known = np.flatnonzero(np.isfinite(values))
    if not known.size:
        return ""
    low, high = float(values[known].min()), float(values[known].max())
    column = known * _COLUMNS // len(values)
    begins = np.flatnonzero(np.diff(column, prepend=-1))
    span = (high - low) or 1.0
    lowest, highest = ((ufunc.reduceat(values[known], begins) - low) / span for ufunc in (np.minimum, np.maximum))
    scale = (_WIDTH - _LEFT - _RIGHT) / _COLUMNS
    points = zip(column[begins].tolist(), lowest.tolist(), highest.tolist(), strict=True)
    y = _VALUES - 4
    line = " ".join(
        f"{_LEFT + at * scale:.1f} {y - y * bottom:.0f} {_LEFT + at * scale:.1f} {y - y * top:.0f}" for at, bottom, top in points
    )
    return f"M{line}"
