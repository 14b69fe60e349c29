"""The properties of metrics, measured: the tables of docs/metrics/properties.md and its picture. Run by ``make pictures``.

Needs the extra ``plots``.
"""

import math
from pathlib import Path

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from small_png import shrink

from rangewise.metrics import FAMILIES, METRICS, PROPERTIES, SCENARIOS, Metric
from rangewise.metrics.scenarios import value_of
from rangewise.plots.palette import FALSE, LINE, QUIET, color_of

HERE = Path(__file__).parents[1]
PAGE, PICTURE = HERE / "metrics" / "properties.md", HERE / "images" / "properties" / "matrix.png"
BEGIN, END = "<!-- made by docs/make/properties.py -->", "<!-- end -->"
# The column in which a property that is no choice shows itself.
SHOWN_BY = {
    "random 2 %": "random", "all ones": "all-ones", "half back": "early", "every second": "fragments",
    "1 false alarm": "false-alarm", "lag 20": "lag", "long missed": "long-miss",
}  # fmt: skip
HALVES = [list(SCENARIOS)[: len(SCENARIOS) // 2], list(SCENARIOS)[len(SCENARIOS) // 2 :]]
# Light enough for dark numbers and for a frame; in tenths, because the eye does not distinguish more.
BLUES = LinearSegmentedColormap.from_list("better", ["white", color_of(4)], N=11)


def main() -> None:
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables()}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    draw().savefig(PICTURE, dpi=110)
    shrink(PICTURE)


def by_family() -> list[Metric]:
    return [metric for family in FAMILIES if family != "tsb-ad" for metric in METRICS.values() if metric.family == family]


def breaks_in(metric: Metric, scenario: str) -> bool:
    """Whether a broken property shows itself in that column; that of coverage where the value stops growing."""
    if scenario in ("first point", "half front") and "coverage" in metric.breaks:
        stops_at_once = metric.merit(value_of(metric, "first point")) >= metric.merit(value_of(metric, "half front"))
        return stops_at_once == (scenario == "first point")
    return SHOWN_BY.get(scenario) in metric.breaks


def cell(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"


def tables() -> str:
    return "\n\n".join(
        [
            "## The properties",
            _properties(),
            "## What each metric breaks",
            breaks_table(),
            "## Values",
            "The synthetic detectors:",
            "\n".join(f"- **{scenario.name}** {scenario.says}" for scenario in SCENARIOS.values()),
            "Values in bold break a property.",
            values_table(),
        ]
    )


def _properties() -> str:
    lines = ["| property | says | broken by | for example |", "| --- | --- | ---: | --- |"]
    for prop in PROPERTIES.values():
        breakers = [metric for metric in METRICS.values() if prop.name in metric.breaks]
        # A metric of both sides says more than a precision or a recall, which look at one side only.
        best = [metric for metric in breakers if not metric.name.endswith(("precision", "recall", "delay"))] or breakers
        example = f"`{best[0].name}`: {prop.measure(best[0]).words}" if best else ""
        lines.append(f"| {prop.name}{' (choice)' if prop.choice else ''} | {prop.says} | {len(breakers)} | {example} |")
    return "\n".join(lines)


def breaks_table() -> str:
    lines = ["| metric | breaks | chooses against |", "| --- | --- | --- |"]
    for metric in by_family():
        faults, choices = (
            ", ".join(name for name in metric.breaks if PROPERTIES[name].choice == choice) or "nothing" for choice in (False, True)
        )
        lines.append(f"| `{metric.name}` | {faults} | {choices} |")
    return "\n".join(lines)


def values_table() -> str:
    """Two tables, because one with every column is wider than a page."""
    return "\n\n".join("\n".join([*_heads(names), *(values_row(metric, names) for metric in by_family())]) for names in HALVES)


def _heads(names: list[str]) -> list[str]:
    return [f"| metric | {' | '.join(names)} |", f"| --- |{' ---: |' * len(names)}"]


def values_row(metric: Metric, names: list[str]) -> str:
    cells = [f"**{cell(value_of(metric, name))}**" if breaks_in(metric, name) else cell(value_of(metric, name)) for name in names]
    return f"| `{metric.name}` | {' | '.join(cells)} |"


def draw() -> Figure:
    """Darker blue is nearer to the metric's best value; an orange frame marks a broken property."""
    metrics = by_family()
    figure = Figure(figsize=(10, 0.25 * len(metrics) + 1.7), layout="constrained")
    axes = figure.subplots()
    for row, metric in enumerate(metrics):
        for column, name in enumerate(SCENARIOS):
            value = value_of(metric, name)
            share = 0.0 if math.isnan(value) or math.isinf(metric.high) else min(max(value, 0.0), 1.0)
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=BLUES(share), edgecolor=QUIET, linewidth=0.5))
            if breaks_in(metric, name):
                axes.add_patch(Rectangle((column + 0.06, row + 0.08), 0.88, 0.84, fill=False, edgecolor=FALSE, linewidth=2.0))
            axes.text(column + 0.5, row + 0.52, cell(value), ha="center", va="center", fontsize=9)
    families = [metric.family for metric in metrics]
    for row in range(1, len(metrics)):
        if families[row] != families[row - 1]:
            axes.axhline(row, color=LINE, linewidth=1.5)
    axes.set(xlim=(0, len(SCENARIOS)), ylim=(len(metrics), 0))
    axes.set_xticks([at + 0.5 for at in range(len(SCENARIOS))], list(SCENARIOS), rotation=40, ha="left", fontsize=10)
    axes.set_yticks([at + 0.5 for at in range(len(metrics))], [metric.name for metric in metrics], fontsize=9)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xlabel("synthetic detectors; a frame: the value breaks a property", fontsize=10)
    return figure


if __name__ == "__main__":
    main()
