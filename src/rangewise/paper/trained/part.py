"""The figures of the paper from our own detectors' predictions, beside those from the published labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from rangewise.paper.figures import fig3, fig4, fig5
from rangewise.paper.figures.bars import draw_groups
from rangewise.paper.nab_series import FILES
from rangewise.paper.part import Bar, Bars, Part, markdown_table
from rangewise.paper.published import DATASETS, DETECTORS, Source, published
from rangewise.paper.trained.runs import CLOSE_GAPS, VALIDATION_ROWS, Run, one_line

COLUMNS = ("figure", "labels", *Bar._fields)
_BY_MODEL = fig5.SERIES
_FIGURES: Mapping[str, Any] = {"fig3": fig3, "fig4": fig4, "fig5": fig5}
_COMPARED = ("lstm_ad", "greenhouse")
"""Luminol's thresholds were read off the published labels: so it does not show how close our detectors come."""


def make(runs: Sequence[Run], *, with_published: bool) -> Part:
    """``with_published``: show the published labels' scores beside ours."""
    seeds = tuple(dict.fromkeys(run.seed for run in runs))
    datasets = tuple(dict.fromkeys(run.dataset for run in runs))
    shown = tuple(name for name in fig5.PANELS if name in datasets)
    by_seed = {seed: _source(runs, seed) for seed in seeds}
    ours = {figure: [module.compute(source, datasets) for source in by_seed.values()] for figure, module in _FIGURES.items()}
    bars = {figure: {"ours": mean_bars(each)} for figure, each in ours.items()}
    # The picture has the paper's three data sets, the table and the CSV have all.
    pictured = {"ours": mean_bars([fig5.compute(source, shown) for source in by_seed.values()])}
    if with_published:
        for figure, module in _FIGURES.items():
            bars[figure] = {"published": module.compute(published, datasets), **bars[figure]}
        pictured = {"published": fig5.compute(published, shown), **pictured}
    rows = [(figure, name, *bar) for figure, figure_bars in bars.items() for name, each in figure_bars.items() for bar in each.rows]
    for seed, *each in zip(seeds, *ours.values(), strict=True) if len(seeds) > 1 else ():
        rows += [
            (figure, f"ours, seed {seed}", *bar) for figure, figure_bars in zip(_FIGURES, each, strict=True) for bar in figure_bars.rows
        ]
    text = "\n\n".join(
        [
            "Everything above scores the authors' predictions. Here our own LSTM-AD, Greenhouse and Luminol (its default detector) are "
            "trained and scored: on NAB's three series, split where the published labels begin, and on generated series in place of the "
            "four that were never published (`rangewise.datasets.paper_series`, version 2, which follows the published labels: "
            "`docs/paper-series.md`; real ranges have the published lengths, at other positions). "
            "Version 2 is trivial: its normal rows repeat exactly, so the one line `abs(x - first period) > 0`, which learns nothing, "
            "finds all of its anomalies. It has its own row below. "
            f"{_seeds_text(seeds)} The pictures show means. Each panel says whose labels it has: the published ones or ours.",
            _scores(ours["fig5"], bars["fig5"].get("published"), datasets, seeds[0]),
            *(["### How close", _closeness(bars["fig5"], datasets)] if with_published else []),
            "### What differs, and why",
            _discussion(bars, runs, by_seed[seeds[0]], datasets, with_published),
            "### The runs",
            _run_table(runs),
            *dict.fromkeys(f"{DETECTORS[run.detector]} on {DATASETS[run.dataset]}: {note}." for run in runs for note in run.notes),
        ]
    )
    return Part(
        "trained",
        "Trained here: our own detectors, end to end",
        COLUMNS,
        rows,
        text,
        pictures={
            "trained_fig3": lambda: draw_groups({name: fig3.groups(figure_bars) for name, figure_bars in bars["fig3"].items()}),
            "trained_fig4": lambda: draw_groups({name: fig4.groups(figure_bars) for name, figure_bars in bars["fig4"].items()}, low=-1.0),
            "trained_fig5": lambda: draw_groups({name: fig5.groups(figure_bars) for name, figure_bars in pictured.items()}, low=-1.0),
        },
        command="rangewise paper --trained",
    )


def _source(runs: Sequence[Run], seed: int) -> Source:
    """The runs of a seed, and the runs that do not depend on a seed."""
    by_name = {(run.dataset, run.detector): run.labeled for run in reversed(runs)}
    by_name |= {(run.dataset, run.detector): run.labeled for run in runs if run.seed == seed}
    return lambda dataset, detector: by_name[dataset, detector]


def mean_bars(each: Sequence[Bars]) -> Bars:
    """Bars of the same names with the mean of their values."""
    return Bars(
        tuple(
            same[0]._replace(value=sum(bar.value for bar in same) / len(same)) for same in zip(*(bars.rows for bars in each), strict=True)
        )
    )


def _seeds_text(seeds: Sequence[int]) -> str:
    if len(seeds) == 1:
        return f"One seed, {seeds[0]}."
    return f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}, each for the networks and for the generated series."


def _scores(each: Sequence[Bars], theirs: Bars | None, datasets: Sequence[str], seed: int) -> str:
    """All data sets and detectors under the three models, ours first."""

    def cell(series: str, dataset: str, detector: str) -> str:
        values = [bars.value(series, dataset, detector) for bars in each]
        spread = f" ({min(values):.2f} to {max(values):.2f})" if len(values) > 1 and min(values) != max(values) else ""
        return f"{sum(values) / len(values):.3f}{spread}" + (f" [{theirs.value(series, dataset, detector):.3f}]" if theirs else "")

    rows = []
    for dataset in datasets:
        rows += [
            [f"{DATASETS[dataset]}, {name}", *(cell(series, dataset, detector) for series in _BY_MODEL)]
            for detector, name in DETECTORS.items()
        ]
        if dataset not in FILES:
            line = fig5.compute(lambda name, _: one_line(name, seed), (dataset,))
            rows.append([f"{DATASETS[dataset]}, one line, no training", *(f"{line.value(series, dataset):.3f}" for series in _BY_MODEL)])
    lead = "Mean, lowest and highest of our runs" + ("; in square brackets the published labels' score" if theirs else "")
    table = markdown_table(["data set, detector", *(f"`{name}`" for name in _BY_MODEL)], rows)
    return f"{lead}. Negative NAB scores are divided by 100.\n\n{table}"


def _closeness(bars: dict[str, Bars], datasets: Sequence[str]) -> str:
    """How far the means of ours are from the published values, and how often the better detector is the same."""
    ours, theirs = bars["ours"], bars["published"]

    def difference(series: str, detectors: Sequence[str]) -> float:
        apart = [abs(ours.value(series, name, each) - theirs.value(series, name, each)) for name in datasets for each in detectors]
        return sum(apart) / len(apart)

    classical, _, by_range = _BY_MODEL
    rows = [
        [name, difference(classical, of), difference(by_range, of)]
        for name, of in [*((DETECTORS[detector], [detector]) for detector in _COMPARED), ("both", list(_COMPARED))]
    ]
    table = markdown_table(["detector", f"`{classical}`", f"`{by_range}`"], rows)
    lines = []
    for series in _BY_MODEL:
        same = [name for name in datasets if _best(ours, series, name) == _best(theirs, series, name)]
        named = f" ({', '.join(DATASETS[name] for name in same)})" if same else ""
        lines.append(
            f"- `{series}` prefers the same of the two detectors, ours and published, on {len(same)} of {len(datasets)} data sets{named}."
        )
    agreement = "\n".join(lines)
    return (
        "Mean absolute difference between the mean of ours and the published labels' score, over the data sets. Luminol is left out: its "
        f"thresholds on NAB's series are those that give the published labels.\n\n{table}\n\n{agreement}"
    )


def _discussion(
    bars: dict[str, dict[str, Bars]],
    all_runs: Sequence[Run],
    ours: Source,
    datasets: Sequence[str],
    with_published: bool,
) -> str:
    """Sentences that hold for any outcome, with the numbers of this one."""
    negative = sum(run.labeled.nab() < 0 for run in all_runs)
    lines = [
        "- The settings of the authors' runs (network sizes, training rows, thresholds) are not published, so scores are expected to "
        "differ; compare what the scoring models say. Ours are the defaults of our detectors, the same for all data sets. "
        "Greenhouse has those of its paper, except for the batches and the learning rate (`docs/detectors/greenhouse.md`). LSTM-AD's "
        "settings were chosen with generated series of other seeds (`docs/detectors/lstm-ad.md`). Luminol's thresholds on NAB's "
        "series are those that give the published labels, elsewhere its own 3.",
        f"- As in the LSTM-AD paper, its threshold is chosen on a validation part with labeled anomalies, here for the classical F1: "
        f"{VALIDATION_ROWS:,} rows with three anomalies after the 4,000 normal rows of a generated series, outside the scored part; on "
        f"NAB's series the windows of the training part. Its predictions with gaps of up to {CLOSE_GAPS} points are one; those of "
        "the other two are unchanged.",
        f"- The NAB score of a silent detector is 0; {negative} of our {len(all_runs)} runs have less.",
        f"- {_below(bars['fig3'], datasets)}",
    ]
    silent = [f"{DETECTORS[run.detector]} on {DATASETS[run.dataset]} (seed {run.seed})" for run in all_runs if not run.predicted]
    if silent:
        lines.append(f"- Without any prediction: {', '.join(silent)}.")
    if not with_published:
        return "\n".join(lines)
    equal = [name for name in FILES if name in datasets and ours(name, "luminol") == published(name, "luminol")]
    if any(name in datasets for name in FILES):
        lines.append(f"- Luminol's predictions equal the published labels on {len(equal)} of NAB's {len(FILES)} series.")
    both = bars["fig5"]
    for detector, name in DETECTORS.items():
        means = [sum(both[labels].value(_BY_MODEL[2], dataset, detector) for dataset in datasets) / len(datasets) for labels in both]
        counts = [sum(len(source(dataset, detector).predicted) for dataset in datasets) for source in (ours, published)]
        lines.append(
            f"- {name}: mean `{_BY_MODEL[2]}` over the data sets {means[1]:.3f}, published {means[0]:.3f}; predicted ranges with the first "
            f"seed {counts[0]:,}, published {counts[1]:,}."
        )
    return "\n".join(lines)


def _below(bars: dict[str, Bars], datasets: Sequence[str]) -> str:
    lower = {
        labels: sum(figure_bars.value("Recall_T_Flat", name) < figure_bars.value("Recall_Classical", name) for name in datasets)
        for labels, figure_bars in bars.items()
    }
    published_too = f", with the published labels on {lower['published']}" if "published" in lower else ""
    return (
        f"With our LSTM-AD, range-based recall (flat, 1/x) is below the classical one on {lower['ours']} of {len(datasets)} data sets"
        f"{published_too}."
    )


def _best(bars: Bars, series: str, dataset: str) -> str:
    return max(_COMPARED, key=lambda detector: bars.value(series, dataset, detector))


def _run_table(runs: Sequence[Run]) -> str:
    """One row per data set and detector: medians over its seeds."""
    jobs: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        jobs.setdefault((run.dataset, run.detector), []).append(run)
    rows = [
        [
            f"{DATASETS[dataset]}, {DETECTORS[detector]}",
            f"{each[0].train_rows:,}",
            f"{each[0].test_rows:,}",
            f"{median(run.threshold for run in each):.4g}",
            f"{median(len(run.predicted) for run in each):g}",
            f"{median(run.fit_seconds for run in each):.1f} s",
            f"{median(run.predict_seconds for run in each):.1f} s",
        ]
        for (dataset, detector), each in jobs.items()
    ]
    total = sum(run.fit_seconds + run.predict_seconds for run in runs)
    settings = dict.fromkeys(f"`{run.settings}`" for run in runs if run.seed == runs[0].seed)
    table = markdown_table(["data set, detector", "training rows", "test rows", "threshold", "predicted ranges", "fit", "predict"], rows)
    return f"Settings: {', '.join(settings)}; all others by default. Medians over the seeds; all runs together {total:.0f} s.\n\n{table}"
