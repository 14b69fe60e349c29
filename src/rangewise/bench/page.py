"""The report of an experiment as one self-contained HTML page: tables and the critical difference diagram."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rangewise import reports
from rangewise.bench.summary import all_tables, standing_order
from rangewise.files.writing import written_whole
from rangewise.number_text import score_text
from rangewise.reports.content import script_hash
from rangewise.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rangewise.bench.leaderboard import Leaderboard
    from rangewise.bench.results import Results

_SORT = Path(reports.__file__).parent / "assets" / "sort.js"
_STYLES = (Path(reports.__file__).parent / "assets" / "page.css", Path(__file__).parent / "page.css")


def write_page(results: Results, target: str | Path, metric: str | None = None, pages: Mapping[str, str] | None = None) -> None:
    """Write the page; ``pages`` has the links to pages of series, if there are any."""
    with written_whole(target) as part:
        part.write_text(page_text(results, metric, pages or {}), encoding="utf-8")


def page_text(results: Results, metric: str | None, pages: Mapping[str, str]) -> str:
    chosen = metric or results.metric
    board, *rest = all_tables(results, chosen)
    counts = ", ".join(f"{count:,} {status}" for status, count in results.counts().most_common())
    stability = results.stability(chosen).summary()
    forest = forest_svg(results.leaderboard(chosen))
    parts = [
        f"<h1>{escape(results.name)}</h1>",
        f'<p id="verdict">{len(results.detectors)} detectors on {len(results.series)} series: {escape(counts)}. {escape(stability)}</p>',
        *(
            [f'<section><h2>{escape(chosen)}: estimates and intervals</h2><div class="wide forest">{forest}</div></section>']
            if forest
            else []
        ),
        html_section(board, pages),
        _heat_section(results, chosen, pages),
        f"<section><h2>Critical difference diagram</h2>{_diagram(results, chosen)}</section>",
        *(html_section(table, pages) for table in rest[:-1]),
        html_section(rest[-1], pages, ids="series"),
    ]
    started, _, version = results.runs()[-1]
    parts.append(f"<footer class=quiet>rangewise {escape(version)}, run of {escape(started)}</footer>")
    return html_page(results.name, parts)


def forest_svg(board: Leaderboard) -> str:
    """The estimate and the interval of each detector, best first; empty if no detector has an estimate."""
    known = [(each.detector, interval) for each in board.standings if math.isfinite((interval := board.estimate(each)).value)]
    ends = [end for _, each in known for end in (each.low, each.value, each.high) if math.isfinite(end)]
    if not known:
        return ""
    low, high = min(*ends, 0.0) if min(ends) < 0 else 0.0, max(1.0, *ends)
    left, right, row = 230, 780, 26
    height = row * len(known) + 30

    def x(value: float) -> float:
        return left + (value - low) / (high - low) * (right - left)

    parts = [f'<svg viewBox="0 0 860 {height}" role="img" aria-label="Estimates and intervals; the table below has the same numbers.">']
    for tick in (low, (low + high) / 2, high):
        parts.append(f'<path class="grid" d="M{x(tick):.1f} 0V{height - 24}"/>')
        parts.append(f'<text x="{x(tick):.1f}" y="{height - 6}" text-anchor="middle">{tick:.4g}</text>')
    for number, (name, each) in enumerate(known):
        y = row * number + 15
        parts.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end" class="strong">{escape(_short(name))}</text>')
        if math.isfinite(each.low) and math.isfinite(each.high):
            parts.append(f'<path class="interval" d="M{x(each.low):.1f} {y}H{x(each.high):.1f}"/>')
        parts.append(f'<circle class="found" cx="{x(each.value):.1f}" cy="{y}" r="5"/>')
        parts.append(f'<text x="{right + 14}" y="{y + 4}">{score_text(each.value)}</text>')
    return "".join([*parts, "</svg>"])


def _heat_section(results: Results, metric: str, pages: Mapping[str, str]) -> str:
    scores = results.scores(metric)
    names = [series.name for series in results.series]
    links = [pages.get(name, f"#series-{number}") for number, name in enumerate(names)]
    svg = heat_svg(list(scores.detectors), names, scores.values.tolist(), links, higher_is_better=scores.metric.higher_is_better)
    note = (
        "Hardest series at the left, as the mean of the detectors has it; the stronger the color, the better; a dashed cell has no score."
    )
    return f'<section><h2>{escape(metric)}: each detector on each series</h2><div class="wide heat">{svg}</div><p>{note}</p></section>'


def heat_svg(
    detectors: Sequence[str], series: Sequence[str], values: Sequence[Sequence[float]], links: Sequence[str], *, higher_is_better: bool
) -> str:
    """One row per detector (best first), one column per series (hardest first), each a link; a stronger color is better."""
    known = [value for row in values for value in row if math.isfinite(value)]
    low, high = (min(*known, 0.0), max(*known, 1.0)) if len(known) > 1 else (0.0, 1.0)

    def shade(value: float) -> float:
        share = (value - low) / (high - low)
        return share if higher_is_better else 1 - share

    def mean_shade(row: Sequence[float]) -> float:
        shades = [shade(value) for value in row if math.isfinite(value)]
        return sum(shades) / len(shades) if shades else -1.0

    order = sorted(range(len(series)), key=lambda at: mean_shade(values[at]))
    best_first = sorted(range(len(detectors)), key=lambda at: -mean_shade([row[at] for row in values]))
    left, row_height = 230, 22
    cell = min(40.0, max(8.0, 620 / max(1, len(series))))
    width, height = left + cell * len(series) + 4, row_height * len(detectors) + 4
    label = "Score of each detector on each series; the table at the end has the numbers."
    parts = [f'<svg viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="group" aria-label="{label}">']
    for number, which in enumerate(best_first):
        name = escape(_short(detectors[which]))
        parts.append(f'<text x="{left - 12}" y="{row_height * number + 15}" text-anchor="end" class="strong">{name}</text>')
    for column, at in enumerate(order):
        x = left + cell * column
        parts.append(f'<a href="{escape(links[at])}" aria-label="{escape(series[at])}">')
        for number, which in enumerate(best_first):
            value = values[at][which]
            box = f'x="{x:.1f}" y="{row_height * number + 1}" width="{cell - 1:.1f}" height="{row_height - 2}"'
            look = f'class="score" fill-opacity="{shade(value):.2f}"' if math.isfinite(value) else 'class="none"'
            said = f"{detectors[which]} on {series[at]}: {score_text(value, undefined='no score')}"
            parts.append(f"<rect {box} {look}><title>{escape(said)}</title></rect>")
        parts.append("</a>")
    return "".join([*parts, "</svg>"])


def _short(name: str) -> str:
    return name if len(name) <= 32 else f"{name[:16]}…{name[-15:]}"


def html_page(title: str, parts: Sequence[str]) -> str:
    """A complete page from its parts, in the style of the report."""
    style = "".join(path.read_text(encoding="utf-8") for path in _STYLES)
    script = _SORT.read_text(encoding="utf-8") + "for (const table of document.querySelectorAll('table')) sortable(table);\n"
    # Nothing runs but the sorting of tables, and nothing is fetched; the diagram has styles at its elements.
    policy = (
        f"default-src 'none'; script-src '{script_hash(script)}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
    )
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n'
        f"<body>\n<main>\n{body}\n</main>\n<script>{script}</script>\n</body>\n</html>\n"
    )


def svg_text(draw: Callable[[], Axes]) -> str:
    """A picture as SVG; the same results give the same bytes."""
    import matplotlib

    from rangewise.plots.figure import plain_texts

    target = io.StringIO()
    # No date and fixed ids.
    with matplotlib.rc_context({"svg.hashsalt": "rangewise", "svg.fonttype": "none"}):
        figure: Any = draw().get_figure()
        plain_texts(figure)
        figure.savefig(target, format="svg", metadata={"Date": None}, transparent=True)
    return target.getvalue()


def _diagram(results: Results, metric: str) -> str:
    if len(results.detectors) < 2:
        return "<p>There is only one detector.</p>"
    from rangewise.plots.critical_difference import draw_critical_difference

    order, bars = standing_order(results, metric)
    if math.isnan(order[0][1]):
        return "<p>No series has a score under this metric, so there are no ranks.</p>"
    return picture(lambda: draw_critical_difference(order, bars), f"critical difference diagram of {metric}")


def picture(draw: Callable[[], Axes], label: str) -> str:
    """A picture inside a page, or a sentence if matplotlib is missing; ``label`` is its accessible name."""
    try:
        svg = svg_text(draw)
    except ModuleNotFoundError as error:
        return f"<p>No picture: {escape(str(error))}</p>"
    named = f'<svg role="img" aria-label="{escape(label)}" '
    return '<div class="wide picture">' + svg[svg.index("<svg") :].replace("<svg ", named, 1) + "</div>"


def html_section(table: Table, pages: Mapping[str, str], *, ids: str = "") -> str:
    """A table under its title; a text that ``pages`` has a link for becomes that link. ``ids`` is the name of the section and, with a
    number, of its rows."""
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    name = f" id={ids}" if ids else ""
    return f'<section{name}><h2>{escape(table.title)}</h2><div class="wide">{table.to_html(pages, ids=ids)}</div>{notes}</section>'
