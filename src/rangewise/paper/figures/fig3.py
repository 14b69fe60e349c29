"""Figure 3: recall, precision and F1 of LSTM-AD on seven data sets, by points and by ranges under four positional biases."""

from __future__ import annotations

from collections.abc import Sequence

from rangewise.model.model import RangeModel
from rangewise.model.presets import classical
from rangewise.paper.figures.bars import AS_POINTS, BACK, COUNTED, FLAT, FRONT, MIDDLE, Group, draw_groups
from rangewise.paper.part import Bar, Bars, Part, markdown_table
from rangewise.paper.published import DATASETS, Labeled, Source, harmonic, published

DETECTOR = "lstm_ad"
BIASES = {"Flat": "flat", "Front": "front", "Back": "back", "Middle": "middle"}
LOOKS = (COUNTED, AS_POINTS, FLAT, FRONT, BACK, MIDDLE)
"""Of the series of a panel; precision has the first three."""
PANELS = {"recall": "a) Recall", "precision": "b) Precision", "f1": "c) F1-Score"}


def compute(source: Source = published, datasets: Sequence[str] = tuple(DATASETS)) -> Bars:
    """The bars of all three panels."""
    by_dataset = {dataset: bars_of(source(dataset, DETECTOR)) for dataset in datasets}
    return Bars(
        tuple(
            Bar(panel, dataset, DETECTOR, series, value)
            for panel in PANELS
            for dataset in datasets
            for series, value in by_dataset[dataset][panel].items()
        )
    )


def bars_of(labeled: Labeled) -> dict[str, dict[str, float]]:
    """The bars of one data set, by panel and series."""
    real, predicted = labeled.real, labeled.predicted
    point_precision, point_recall, point_f1 = labeled.points()
    as_points = classical.score(real, predicted)
    # Section 5.2: from here on the cardinality factor is 1/x.
    by_bias = {name: RangeModel(cardinality="reciprocal", recall_bias=bias).score(real, predicted) for name, bias in BIASES.items()}
    flat_precision = by_bias["Flat"].precision
    recalls = {name: score.recall for name, score in by_bias.items()}
    return {
        "recall": {
            "Recall_Classical": point_recall,
            "Recall_T_Classical": as_points.recall,
            **{f"Recall_T_{name}": recall for name, recall in recalls.items()},
        },
        "precision": {
            "Precision_Classical": point_precision,
            "Precision_T_Classical": as_points.precision,
            "Precision_T_Flat": flat_precision,
        },
        "f1": {
            "F1_Classical": point_f1,
            "F1_T_Classical": as_points.f,
            **{f"F1_T_{name}": harmonic(flat_precision, recall) for name, recall in recalls.items()},
        },
    }


def make() -> Part:
    bars = compute()
    tables = []
    for panel, title in PANELS.items():
        series = bars.names("series", panel=panel)
        rows = [[DATASETS[dataset], *(bars.value(name, dataset) for name in series)] for dataset in DATASETS]
        tables.append(f"{title}\n\n{markdown_table(['data set', *(f'`{name}`' for name in series)], rows)}")
    text = (
        "The predictions of LSTM-AD, scored by points (first two bars: counted, and by our model with every point as its own range) and by "
        "ranges. `*_T_Flat`, `Front`, `Back` and `Middle` are named after the positional bias of recall; cardinality is 1/x, alpha is 0, "
        "and the bias of precision is flat, so `F1_T_*` combines `Recall_T_*` with `Precision_T_Flat`.\n\n" + "\n\n".join(tables)
    )
    return Part(
        "fig3",
        "Figure 3: the range-based model beside the classical one",
        Bar._fields,
        bars.rows,
        text,
        pictures={"fig3": lambda: draw_groups({"": groups(bars)})},
    )


def groups(bars: Bars) -> list[Group]:
    return [
        Group(
            title,
            [DATASETS[dataset] for dataset in bars.names("dataset")],
            series := bars.names("series", panel=panel),
            [[bars.value(name, dataset) for dataset in bars.names("dataset")] for name in series],
            LOOKS[: len(series)],
            measure=title[3:],
        )
        for panel, title in PANELS.items()
    ]
