"""The HTML page of an audit: the verdict, plots of the findings, one row per series."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from rangewise.audits.finding import CHECKS, Finding
from rangewise.bench.page import html_page, html_section, picture
from rangewise.inputs.ranges import Ranges
from rangewise.plots.figure import new_figure
from rangewise.plots.palette import FALSE, FALSE_HATCH, LINE, REAL
from rangewise.plots.series_picture import outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rangewise.audits.result import Audit
    from rangewise.files.series import Series

_MOST_PER_CHECK = 3
_AROUND = 3
_MARKED = ("labels-shifted", "duplicate", "constant", "missing", "timestamps", "gaps")
"""Checks whose rows are other than the labels."""


def page_text(audit: Audit, links: Mapping[str, str]) -> str:
    """The page; ``links`` gives an address for each series that has one."""
    by_name = {series.name: series for series in audit.series}
    parts = [f"<h1>Audit of {escape(audit.name)}</h1>", f'<p id="verdict">{escape(audit.verdict())}</p>']
    for check in CHECKS.values():
        findings = [each for each in audit.findings if each.check == check.name and each.series in by_name and len(each.where)]
        if findings:
            shown = "".join(_figure(each, by_name[each.series]) for each in findings[:_MOST_PER_CHECK])
            more = f"<p>The first {_MOST_PER_CHECK} of {len(findings)}.</p>" if len(findings) > _MOST_PER_CHECK else ""
            parts.append(f"<section><h2>{escape(check.name)}: {escape(check.about)}</h2>{shown}{more}</section>")
    parts += [html_section(table, links) for table in audit.tables(all_series=True)]
    return html_page(f"Audit of {audit.name}", parts)


def _figure(finding: Finding, series: Series) -> str:
    text = f"{finding.series}: {finding.message}"
    return f"<p>{escape(text)}</p>" + picture(lambda: draw_finding(finding, series), text)


def draw_finding(finding: Finding, series: Series, ax: Axes | None = None) -> Axes:
    """The rows around a finding: real ranges shaded, the finding hatched."""
    axes = ax if ax is not None else new_figure(8.0, 1.8).add_subplot()
    start, stop = finding.where[0]
    width = max(_AROUND * (stop - start), 200)
    if finding.check in ("density", "trivial", "buffer", "at-the-end", "training-anomaly"):
        start, stop, width = 0, len(series), 0
    low, high = max(0, start - width), min(len(series), stop + width)
    rows = np.arange(low, high)
    values = series.values[low:high, 0]
    kept = outline(values)
    axes.plot(rows[kept], values[kept], color=LINE, linewidth=0.8)
    for each in _inside(series.real, low, high):
        axes.axvspan(*each, color=REAL, alpha=0.2, linewidth=0)
    if finding.check in _MARKED:
        for each in _inside(finding.where, low, high):
            axes.axvspan(*each, facecolor="none", edgecolor=FALSE, hatch=FALSE_HATCH, linewidth=0)
    axes.set_xlim(low, max(high - 1, low + 1))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("row")
    return axes


def _inside(ranges: Ranges, low: int, high: int) -> list[tuple[int, int]]:
    return [(max(start, low), min(stop, high)) for start, stop in ranges if start < high and stop > low][:200]
