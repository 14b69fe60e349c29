"""The pictures of README.md, docs/model.md, docs/alerts.md and docs/classes.md, drawn from the library itself. Run by ``make pictures``."""

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import rangewise as rw
from rangewise.datasets.arguments import read_annotations
from rangewise.files.class_annotations import read_class_annotations
from rangewise.files.formats.base import Choices
from rangewise.files.times import TimeRanges
from rangewise.model.bias import BIASES, bias_weights
from rangewise.plots.palette import FAINT, PREDICTED, QUIET, REAL

FOLDER = Path(__file__).parents[1] / "images" / "model"

# The examples of docs/model.md.
WHOLE = (0, 10)
EARLY, LATE = (0, 4), (6, 10)
ONE_PIECE, THREE_PIECES = [(1, 7)], [(1, 3), (4, 6), (7, 9)]

# The example of README.md.
EXAMPLE_REAL = [(40, 80), (150, 210), (300, 360), (450, 455)]
EXAMPLE_PREDICTED = [(42, 85), (120, 125), (190, 205), (302, 310), (325, 330), (350, 358), (400, 420)]


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        for draw in (example, biases, reward, cardinality, existence, alerts, confusion):
            # Without the program's version in it, a picture changes only when its content does.
            draw().savefig(FOLDER / f"{draw.__name__}.png", dpi=100, bbox_inches="tight", metadata={"Software": None})


def alerts() -> Figure:
    """The timeline of docs/alerts.md."""
    incidents, fired = (
        read_annotations(FOLDER.parents[1] / "examples" / "alerts" / name).ranges for name in ("incidents.csv", "alerts.json")
    )
    assert isinstance(incidents, TimeRanges)
    assert isinstance(fired, TimeRanges)
    return rw.alert_summary(incidents.pairs(), fired.pairs(), by=[labels["alertname"] for labels in fired.labels or ()]).plot()


def confusion() -> Figure:
    """The activities of docs/classes.md: shares, and whole ranges."""
    how = {name: Choices(column=name) for name in ("worn", "guessed")}
    path = FOLDER.parents[1] / "examples" / "classes" / "activities.csv"
    scores = rw.score_classes(*(read_class_annotations(path, each).points for each in how.values()), background="sit")
    figure = Figure(figsize=(8.2, 3.0), layout="constrained")
    shares, counts = figure.subplots(1, 2)
    scores.plot_confusion(ax=shares)
    scores.plot_confusion(ax=counts, counts=True)
    return figure


def example() -> Figure:
    """Real and predicted ranges on a line each, with the reward of each range."""
    score = rw.score(EXAMPLE_REAL, EXAMPLE_PREDICTED, recall_bias="front", cardinality="reciprocal")
    figure = Figure(figsize=(7.4, 2.0), layout="constrained")
    score.plot(ax=figure.subplots())
    return figure


def biases() -> Figure:
    """The share of a range's weight that each position holds, under each bias."""
    length = WHOLE[1] - WHOLE[0]
    figure = Figure(figsize=(7.4, 1.9), layout="constrained")
    panels = figure.subplots(1, len(BIASES), sharey=True)
    for panel, (name, bias) in zip(panels, BIASES.items(), strict=True):
        weights = bias_weights(bias, length)
        panel.bar(np.arange(1, length + 1), weights / weights.sum(), width=0.85, color=FAINT)
        panel.set_title(name)
        panel.set_xticks([1, length])
        panel.set_xlabel("position")
    panels[0].set_ylabel("share of the weight")
    return figure


def reward() -> Figure:
    """One real range, met early or late by a prediction of the same size: its reward under each bias."""
    length = WHOLE[1] - WHOLE[0]
    figure = Figure(figsize=(7.4, 3.2), layout="constrained")
    panels = figure.subplots(2, len(BIASES), sharex=True, sharey=True)
    for row, (label, predicted) in zip(panels, (("found early", EARLY), ("found late", LATE)), strict=True):
        for panel, (name, bias) in zip(row, BIASES.items(), strict=True):
            weights = bias_weights(bias, length)
            inside = np.arange(*WHOLE)
            found = (inside >= predicted[0]) & (inside < predicted[1])
            panel.bar(inside + 0.5, weights / weights.sum(), width=0.85, color=np.where(found, PREDICTED, QUIET))
            earned = rw.range_recall([WHOLE], [predicted], bias=name)
            panel.set_title(f"{name}: {earned:.2f}", fontsize=9)
            panel.set_xticks([WHOLE[0], WHOLE[1]])
        row[0].set_ylabel(f"{label}\nshare of the weight")
    for panel in panels[-1]:
        panel.set_xlabel("point")
    return figure


def cardinality() -> Figure:
    """The same points found in one piece and in three."""
    figure = Figure(figsize=(7.4, 1.7), layout="constrained")
    panel = figure.subplots()
    _bars(panel, [WHOLE], 2, REAL)
    for row, predicted in enumerate((THREE_PIECES, ONE_PIECE)):
        _bars(panel, predicted, row, PREDICTED)
        earned = {kind: rw.range_recall([WHOLE], predicted, cardinality=kind) for kind in ("one", "reciprocal")}
        panel.text(WHOLE[1] + 0.3, row, f"one {earned['one']:.2f}    reciprocal {earned['reciprocal']:.2f}", va="center")
    _name_rows(panel, ["in three pieces", "in one piece", "real"])
    panel.set_xlim(WHOLE[0] - 0.2, WHOLE[1] + 5)
    panel.set_xticks(range(WHOLE[0], WHOLE[1] + 1, 2))
    panel.set_xlabel("point", loc="left")
    return figure


def existence() -> Figure:
    """How the reward of a range that is hardly found grows with alpha."""
    figure = Figure(figsize=(3.6, 2.3), layout="constrained")
    panel = figure.subplots()
    alphas = np.linspace(0, 1, 11)
    for name, predicted, style in (("1 of 10 points found", (4, 5), "-"), ("6 of 10 points found", ONE_PIECE[0], "--")):
        rewards = [rw.range_recall([WHOLE], [predicted], alpha=alpha) for alpha in alphas]
        panel.plot(alphas, rewards, style, color=PREDICTED, label=name)
    panel.set_xlabel("alpha")
    panel.set_ylabel("reward")
    panel.set_ylim(0, 1.02)
    panel.legend(frameon=False, loc="lower right")
    return figure


def _bars(panel: Axes, ranges: list[tuple[int, int]], row: int, color: str) -> None:
    panel.broken_barh([(start, stop - start) for start, stop in ranges], (row - 0.3, 0.6), color=color)


def _name_rows(panel: Axes, names: list[str]) -> None:
    panel.set_yticks(range(len(names)), names)
    panel.tick_params(axis="y", length=0)
    panel.spines["left"].set_visible(False)


if __name__ == "__main__":
    main()
