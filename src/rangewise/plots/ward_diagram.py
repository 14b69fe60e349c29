"""The event analysis diagram of Ward, Lukowicz and Gellersen (2011), with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rangewise.plots.figure import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rangewise.metrics.ward import EventAnalysis

# From left to right: the real events up to the correct ones, which both sides share, then the returned events.
_REAL = (("deletion", "D"), ("fragmented", "F"), ("fragmented and merged", "FM"), ("merged", "M"), ("correct", "C"))
_RETURNED = (("merging", "M'"), ("fragmenting and merging", "FM'"), ("fragmenting", "F'"), ("insertion", "I'"))
# Color-blind safe: the same color for the two sides of one error, gray for the correct.
_COLOURS = {"D": "#d55e00", "F": "#e69f00", "FM": "#f0e442", "M": "#56b4e9", "C": "#bbbbbb", "I": "#cc79a7"}


def event_analysis_diagram(analysis: EventAnalysis) -> Figure:
    """One bar: the real events from the left, the returned ones from the right, the correct in both."""
    figure = new_figure(8.0, 2.6)
    axes = figure.add_subplot()
    real, returned = analysis.real_counts, analysis.returned_counts
    parts = [(short, real[name]) for name, short in _REAL] + [(short, returned[name]) for name, short in _RETURNED]
    total = sum(count for _, count in parts)
    at, names = 0, {short: name for name, short in (*_REAL, *_RETURNED)}
    for short, count in parts:
        if not count:
            continue
        hatch = "//" if short.endswith("'") else ""
        axes.barh(
            0, count, left=at, height=0.5, color=_COLOURS[short.rstrip("'")], hatch=hatch, edgecolor="white",
            label=f"{short} {names[short]}: {count}",
        )  # fmt: skip
        # A narrow part has no room for its letters; the legend still names it.
        if count >= 0.04 * total:
            axes.text(at + count / 2, 0, f"{short}\n{count}", ha="center", va="center", backgroundcolor="#ffffffb0", fontsize="small")
        at += count
    for side, first, last, height, offset in (
        ("real", 0, sum(real.values()), 0.36, 4),
        ("returned", total - sum(returned.values()), total, -0.36, -4),
    ):
        if last > first:
            axes.annotate("", (first, height), (last, height), arrowprops={"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0})
            axes.annotate(
                f"{side} events: {last - first}", ((first + last) / 2, height), (0, offset), textcoords="offset points",
                ha="center", va="bottom" if offset > 0 else "top",
            )  # fmt: skip
    axes.set(ylim=(-0.75, 0.75), xlim=(0, max(total, 1)), yticks=[], xlabel="events")
    axes.spines[["left", "right", "top"]].set_visible(False)
    if total:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small", frameon=False)
    else:
        axes.text(0.5, 0, "no events", ha="center", va="center")
    return figure
