"""docs/leaderboards.md and docs/leaderboards/: published results looked at again, and our own detectors. Run by ``make leaderboards``.

Needs the data that its pages name in the folder of ``RANGEWISE_DATA``. ``leaderboards.py nab skab`` makes some pages only; what a store in
build/bench has is not run again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import rangewise as rw
from rangewise.bench.page import svg_text
from rangewise.bench.published_table import PublishedTable
from rangewise.bench.results import Results
from rangewise.bench.stability import kendall_tau
from rangewise.bench.statistics import false_rejections, rank_rows
from rangewise.bench.summary import failure_table
from rangewise.datasets import load_nab, nab_names
from rangewise.datasets.location import data_folder
from rangewise.datasets.nab import nab_folder
from rangewise.metrics.nab.scoring import probation_rows
from rangewise.number_text import share_text
from rangewise.plots.critical_difference import draw_critical_difference
from rangewise.tables import Table

ROOT = Path(__file__).parents[2]
TEMPLATES, PAGES, IMAGES = Path(__file__).parent / "templates", ROOT / "docs" / "leaderboards", ROOT / "docs" / "images"
STORES, EXPERIMENTS = ROOT / "build" / "bench", ROOT / "benchmarks" / "experiments"
COLLECTION = r"^\d+_([^_]+)"
TABLES = {
    "tsb-ad-u": ("tsb-ad/uni_mergedTable_VUS-PR.csv", COLLECTION, "TSB-AD, univariate, VUS-PR"),
    "tsb-ad-m": ("tsb-ad/multi_mergedTable_VUS-PR.csv", COLLECTION, "TSB-AD, multivariate, VUS-PR"),
    "tsb-uad-rf": ("tsb-uad/mergedTable_RF.csv", "dataset", "TSB-UAD, range-based F"),
    "tsb-uad-pr": ("tsb-uad/mergedTable_AUC_PR.csv", "dataset", "TSB-UAD, AUC-PR"),
    "tsb-uad-roc": ("tsb-uad/mergedTable_AUC_ROC.csv", "dataset", "TSB-UAD, AUC-ROC"),
}


def main(wanted: Sequence[str]) -> None:
    makers = {"nab": nab, "tsb": tsb, "skab": skab, "ours": ours, "collections": collections}
    for folder in (PAGES, IMAGES, STORES):
        folder.mkdir(parents=True, exist_ok=True)
    for name in wanted or makers:
        print(f"{name}: running", file=sys.stderr)
        makers[name]()


def write(name: str, **parts: str) -> None:
    target = ROOT / "docs" / "leaderboards.md" if name == "collections" else PAGES / f"{name}.md"
    target.write_text((TEMPLATES / f"leaderboards-{name}.txt").read_text(encoding="utf-8").format(**parts), encoding="utf-8")
    print(f"{target}: written", file=sys.stderr)


def drawn(name: str, draw: Callable[[], Any]) -> str:
    (IMAGES / f"leaderboards-{name}.svg").write_text(svg_text(draw).rstrip("\n") + "\n", encoding="utf-8")
    return f"../images/leaderboards-{name}.svg"


def published(name: str) -> PublishedTable:
    file, groups, title = TABLES[name]
    return rw.bench.table(data_folder() / "published-tables" / file, groups=groups, name=title)


def top(table: PublishedTable, count: int = 12) -> str:
    """The first rows of a table, and its notes."""
    board = table.tables()[0]
    rest = len(board.rows) - count
    notes = (*((f"{rest} more detectors are left out here.",) if rest > 0 else ()), *board.notes)
    return markdown(replace(board, rows=board.rows[:count], notes=notes))


def collections() -> None:
    """The page on collections: the simulation, and what each published table says."""
    table = published("tsb-ad-u")
    sizes, measured = table.groups.sizes.tolist(), round(table.correlations[1], 2)
    rows = [false_rejections(sizes, rho) for rho in (0.0, 0.05, 0.1, 0.2, measured)]
    simulated = Table(
        ["intraclass correlation", "rejected, tests by series", "rejected, tests on collection means"],
        [[f"{row.correlation:.2f}", share_text(row.by_series), share_text(row.by_collection)] for row in rows],
    )  # fmt: skip
    summary = []
    for each in (*map(published, TABLES), orion()):
        low, middle, high = each.correlations
        without = sorted({best for best, _ in each.without.values()} - {each.detectors[0]})
        by_collection = max(each.collection_means, key=each.collection_means.get)
        summary.append(
            [
                each.name, f"{len(each.detectors)} x {len(each.series)}", str(len(each.groups)), f"{middle:.2f} ({low:.2f}, {high:.2f})",
                f"{each.by_series.separated} / {each.by_collection.separated} of {len(each.by_series.pairs)}", each.detectors[0],
                " / ".join(share_text(by.first_shares[each.detectors[0]]) for by in (each.by_series, each.by_collection)),
                by_collection, ", ".join(without) or "nobody else",
            ]
        )  # fmt: skip
    columns = [
        "table", "detectors x series", "collections", "intraclass correlation (quartiles)", "separated pairs, by series / by collection",
        "first by mean", "first in resamples of series / collections", "first by mean over collections", "first without one collection",
    ]  # fmt: skip
    write(
        "collections", simulated=markdown(simulated), tables=markdown(Table(columns, summary, words=range(9))),
        measured=f"{measured:.2f}", sizes=str(len(sizes)), series=str(sum(sizes)), trials=f"{rows[0].trials:,}",
        by_series=share_text(rows[-1].by_series), by_collection=share_text(rows[-1].by_collection),
    )  # fmt: skip


def tsb() -> None:
    """TSB-AD's and TSB-UAD's published tables, and Orion's."""
    parts = {}
    for name in TABLES:
        table = published(name)
        parts[f"table_{name.replace('-', '_')}"] = top(table)
        parts[f"forest_{name.replace('-', '_')}"] = drawn(f"forest-{name}", table.plot_forest)
        parts[f"diagram_{name.replace('-', '_')}"] = drawn(f"diagram-{name}", table.plot_critical_difference)
    frames = {name: published(name) for name in ("tsb-uad-rf", "tsb-uad-pr", "tsb-uad-roc")}
    order = sorted(frames["tsb-uad-rf"].detectors)
    means = {name: np.array([each.by_series.intervals[one].value for one in order]) for name, each in frames.items()}
    parts["tau_pr"] = f"{kendall_tau(means['tsb-uad-rf'], means['tsb-uad-pr']):.2f}"
    parts["tau_roc"] = f"{kendall_tau(means['tsb-uad-rf'], means['tsb-uad-roc']):.2f}"
    parts["first_rf"], parts["first_pr"], parts["first_roc"] = (frames[name].detectors[0] for name in frames)
    parts["orion"] = top(orion(), 14)
    write("tsb", **parts)


def orion() -> PublishedTable:
    frame = pl.read_csv(data_folder() / "published-tables" / "orion" / "0.7.1.csv", infer_schema_length=None)
    frame = frame.with_columns(pl.col("f1").fill_null(0.0), pl.concat_str(["dataset", "signal"], separator="/").alias("series"))
    wide = (
        frame.group_by("series", "dataset", "pipeline").agg(pl.col("f1").mean()).pivot("pipeline", index=["series", "dataset"], values="f1")
    )
    return rw.bench.table(
        wide.sort("series"),
        series="series",
        groups="dataset",
        detectors=sorted(set(wide.columns) - {"series", "dataset"}),
        name="Orion 0.7.1, F1 of overlapping segments",
    )


def nab_detectors() -> list[dict[str, Any]]:
    thresholds = json.loads((data_folder() / "nab-results" / "thresholds.json").read_text())
    found = []
    for folder in sorted(path for path in (data_folder() / "nab-results").iterdir() if path.is_dir()):
        found.append(
            {
                "name": folder.name, "scores": f"nab-results/{folder.name}/anomaly_scores.csv.gz", "series_column": "file",
                "column": "anomaly_score", "threshold": thresholds[folder.name]["standard"]["threshold"], "threshold_saw_labels": True,
            }
        )  # fmt: skip
    return found


def nab() -> None:
    """NAB's published detectors under every scoring model."""
    names = [name for name in nab_names(nab_folder()) if len(load_nab(name).real)]
    lines = [f"{name},0,{probation_rows(len(load_nab(name)))}" for name in names]
    ignored = STORES / "nab-probation.csv"
    ignored.write_text("series,start,stop\n" + "\n".join(lines) + "\n")
    models = {
        "existence": "RangeModel(alpha=1.0, recall_bias='front')", "half": "RangeModel(alpha=0.5, recall_bias='front')",
        "early": "RangeModel(recall_bias='front')", "flat": "RangeModel()", "classical": "classical",
    }  # fmt: skip
    experiment = rw.bench.Experiment(
        name="nab-published", detectors=[*nab_detectors(), "constant"], series=[{"path": f"nab:{name}"} for name in names],
        metrics=[{"model": model, "label": label} for label, model in models.items()] + ["event_fbeta", "point_adjust_fbeta"],
        folder=data_folder(), average="macro", metric="existence:f", ignore=ignored, keep_scores=False, baselines=False,
    )  # fmt: skip
    found = rw.bench.run(experiment, store=STORES / "nab-published.rwbench")
    final = json.loads((data_folder() / "nab-results" / "final_results.json").read_text())
    shown = [*models, "event_fbeta", "point_adjust_fbeta"]
    values = {label: macro(found, label) for label in shown}
    order = sorted(found.detectors, key=lambda name: -values["existence"][name])
    ranks = {label: dict(zip(each, rank_rows([list(each.values())])[0], strict=True)) for label, each in values.items()}
    rows = [
        [
            name,
            *(f"{values[label][name]:.3f} ({ranks[label][name]:g})" for label in shown),
            f"{final[name]['standard']:.1f}" if name in final else "",
        ]
        for name in order
    ]
    both = [name for name in order if name in final]
    theirs = np.array([final[name]["standard"] for name in both])
    taus = {label: kendall_tau(theirs, np.array([values[label][name] for name in both])) for label in shown}
    rows.append(["Kendall's tau with NAB's order", *(f"{taus[label]:.2f}" for label in shown), "1"])
    predictions = {detector: {name: rw.Ranges(found.prediction(detector, name).ranges) for name in names} for detector in found.detectors}
    real = {each.name: rw.Ranges(np.array(each.real).reshape(-1, 2)) for each in found.series}
    mapped = rw.ranking(real, predictions, biases="front", betas=1, cardinalities="one")
    leaders = [[f"{one.start:.3f} to {one.stop:.3f}", ", ".join(one.leaders)] for one in mapped.segments]
    write(
        "nab", table=markdown(Table(["detector", *shown, "NAB score"], rows)),
        leaders=markdown(Table(["alpha", "first"], leaders, words=(0, 1))),
        board=markdown(found.leaderboard("existence:f").table()), count=str(len(names)), detectors=str(len(found.detectors) - 1),
        tau_existence=f"{taus['existence']:.2f}", tau_early=f"{taus['early']:.2f}",
        constant_early=f"{values['early']['constant']:.3f}", constant_rank=f"{ranks['early']['constant']:g}",
        constant_existence=f"{ranks['existence']['constant']:g}",
        diagram=drawn("nab", lambda: draw_critical_difference(*standing(found, "existence:f"))),
    )  # fmt: skip


def standing(found: Results, metric: str) -> Any:
    from rangewise.bench.summary import standing_order

    return standing_order(found, metric)


def macro(found: Results, label: str) -> dict[str, float]:
    """The mean of each detector over the series that have an anomaly to find."""
    scores = found.scores(label if label in ("event_fbeta", "point_adjust_fbeta") else f"{label}:f", cluster="series")
    known = [bool(each.real) for each in found.series]
    return dict(zip(scores.detectors, scores.values[known].mean(axis=0).tolist(), strict=True))


def skab() -> None:
    """SKAB's published predictions."""
    columns = pl.read_csv(data_folder() / "skab" / "predictions.csv.gz", n_rows=1).columns[4:]
    detectors = [
        {"name": column, "predictions": "skab/predictions.csv.gz", "series_column": "file", "column": column} for column in columns
    ]
    models = {
        "flat": "RangeModel()", "early": "RangeModel(recall_bias='front')", "existence": "RangeModel(alpha=1.0)",
        "early, one piece": "RangeModel(recall_bias='front', cardinality='reciprocal')", "classical": "classical",
    }  # fmt: skip
    experiment = rw.bench.Experiment(
        name="skab", detectors=[*detectors, "constant"], series=[{"path": "skab/data", "column": "anomaly", "train": 400}],
        metrics=[{"model": model, "label": label} for label, model in models.items()], folder=data_folder(), average="macro",
        metric="flat:f", baselines=False,
    )  # fmt: skip
    found = rw.bench.run(experiment, store=STORES / "skab.rwbench")
    values = {label: macro(found, label) for label in models}
    ranks = {label: dict(zip(each, rank_rows([list(each.values())])[0], strict=True)) for label, each in values.items()}
    order = sorted(found.detectors, key=lambda name: -values["flat"][name])
    rows = [[name, *(f"{values[label][name]:.3f} ({ranks[label][name]:g})" for label in models)] for name in order]
    write(
        "skab", table=markdown(Table(["detector", *models], rows)), board=markdown(found.leaderboard("flat:f").table()),
        places="; ".join(f"{ranks[label]['constant']:g} under {label}" for label in models),
        diagram=drawn("skab", lambda: draw_critical_difference(*standing(found, "flat:f"))),
        failures="" if (failed := failure_table(found)) is None else markdown(failed),
    )  # fmt: skip


def ours() -> None:
    """Our own detectors on NAB, UCR and AIOps, and on the paper's series."""
    parts = []
    for name in TITLES:
        text = (EXPERIMENTS / f"{name}.toml").read_text(encoding="utf-8")
        experiment = rw.bench.Experiment.parse(text, folder=data_folder())
        found = rw.bench.run(experiment, store=STORES / f"{name}.rwbench")
        diagram = drawn(f"ours-{name}", lambda found=found: draw_critical_difference(*standing(found, found.metric)))
        failures = failure_table(found)
        parts += [
            f"## {TITLES[name]}", "", markdown(found.leaderboard().table()), "", f"![mean ranks]({diagram})", "",
            markdown(found.stability().table()), "", *([markdown(failures), ""] if failures is not None else []),
        ]  # fmt: skip
    write("ours", parts="\n".join(parts).rstrip())


TITLES = {
    "nab": "NAB, 58 files",
    "nab-lstm": "NAB, the 38 files that LSTM-AD can be trained on",
    "ucr": "UCR archive, 150 series",
    "ucr-lstm": "UCR archive, every fifth series, with LSTM-AD",
    "aiops": "AIOps KPIs, 22 series",
    "aiops-lstm": "AIOps KPIs, eight of the 22, with LSTM-AD",
    "paper": "The paper's seven series",
}


def markdown(table: Table) -> str:
    return table.to_markdown().rstrip()


if __name__ == "__main__":
    main(sys.argv[1:])
