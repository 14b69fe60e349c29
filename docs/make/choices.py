"""docs/detectors/choices.md: LSTM-AD over ten seeds that no choice was made with, and what each choice about its threshold is worth.

Takes about ten minutes of processor time. What is measured is kept in build/choices, one file per series, so that a second start goes on.
"""

import json
import time
from itertools import chain
from pathlib import Path

import numpy as np

import rangewise as rw
from rangewise.datasets import paper_series
from rangewise.detectors import LSTMAD
from rangewise.detectors.gaussian import squared_distances
from rangewise.generate.paper_four import PERIODS
from rangewise.thresholds import BestF, LogMAD

DOCS = Path(__file__).parents[1]
KEPT = DOCS.parent / "build" / "choices"
SEEDS, CHECK = range(500, 510), range(600, 610)
NAMES = {"ecg": "ECG", "space_shuttle": "Space-Shuttle", "timeguided": "Time-Guided", "sine": "Sine"}
TRAIN, VALIDATION, GAP = 4_000, 2_000, 10
RANGE = rw.RangeModel(recall_bias="front", cardinality="reciprocal")
CLASSICAL = rw.RangeModel(as_points="both")
OURS = "LSTM-AD's own"
READS = "LSTM-AD's own, one run that reads everything (`hold=0`)"
HOLDS = "LSTM-AD's own, one run with points held back"
QUANTILE = "log-MAD, at least 1.5 x the 0.99 quantile (0.2.0)"
LABELLED = "with labels: the best F1, middle of its plateau"
TOP = "with labels: the best F1, top of its plateau (0.2.0)"
UNLABELLED = "LSTM-AD's own, three unlabeled anomalies in the training part"
BEST = "ceiling: the best, with the test part's labels"
ONE_LINE = "one line: `abs(x - first period) > 0`, no training"

LEAD = f"""# LSTM-AD over ten seeds, and what each choice is worth

Made by `docs/make/choices.py`.

**Protocol**, written before this was run. The first choices (network, `hold`, threshold) were made with series of the seeds 40 to 42, 50
to 52 and 60 to 67 and detectors of the seeds 0 to 7. Two earlier runs missed the goals: seeds 400 to 409 (mean 0.841, lowest 0.570; after
it, the networks were trained with more points per step) and seeds 500 to 509 (mean 0.878, lowest 0.602). After that, two choices were
made with the seeds 100 to 109 alone: the score is the smaller of two runs of the network, one of which reads everything; and rows count
as unlabeled anomalies only in comparison with the rows that the network learned from. On those seeds the mean rose from 0.853 to 0.888,
the lowest from 0.54 to 0.73, and the mean of the hard set from 0.548 to 0.568. This page has the seeds {SEEDS[0]} to {SEEDS[-1]} again,
each for a series and for the detector, run once more with these choices; {CHECK[0]} to {CHECK[-1]}, which were never run before, are a
second check. Goals for version 2, with gaps of up to {GAP} points closed and no labels: a mean classical F1 of at least 0.88, and no run
below 0.70; on the hard set, not less than before (0.482 with the seeds {SEEDS[0]} to {SEEDS[-1]}).

Each cell is the mean classical F1, with the lowest and the highest of the ten in brackets. The network learns from the first 2,400 rows;
the next 1,600 give distances for the rules without labels. With labels, the threshold has the largest F1 on {VALIDATION:,} more rows with
three anomalies, none of them in the part that is scored. Gaps of up to `gaps` points are closed."""

TRIVIAL = (
    "Version 2 is trivial: its normal rows repeat exactly, so the one line below, which learns nothing, finds everything. "
    "A good score here only says that nothing is broken."
)

BEFORE = (
    "**Before the two choices**, measured again on the seeds 500 to 509 after this run: mean 0.835, lowest 0.451, 3 of 40 below 0.70; with "
    "unlabeled anomalies in the training part 0.430; hard set 0.552. The hard set is therefore as good as before (mean 0.551 now), but its "
    "lowest run fell from 0.262 to 0.025, on Time-Guided. The 0.878 and 0.482 of the protocol are from an earlier version of this page and "
    "could not be reproduced."
)


def main() -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    blocks = [LEAD]
    for version, title in ((2, "Version 2 of the paper's series"), (1, "Version 1, the hard set")):
        measured = {name: [kept(version, name, seed) for seed in SEEDS] for name in NAMES}
        if version == 2:
            check = {name: [kept(version, name, seed) for seed in CHECK] for name in NAMES}
            blocks.append(f"{verdict(measured, SEEDS)} {verdict(check, CHECK)} {TRIVIAL}")
            blocks.append(BEFORE)
        lines = [f"## {title}", "", f"| rule | gaps | {' | '.join(NAMES.values())} | all |", "|" + " --- |" * (len(NAMES) + 3)]
        for rule in measured["ecg"][0]["f1"]:
            values = [[run["f1"][rule][1] for run in runs] for runs in measured.values()]
            text, gap = rule.split("|")
            lines.append(f"| {text} | {gap} | {' | '.join(map(cell, values))} | {cell([*chain(*values)])} |")
        blocks.append("\n".join(lines))
        seconds = [run["seconds"] for runs in measured.values() for run in runs]
        blocks.append(f"A fit on {TRAIN:,} rows took {np.median(seconds):.1f} s of processor time (median; at most {max(seconds):.1f} s).")
    (DOCS / "detectors" / "choices.md").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


def verdict(measured: dict[str, list[dict]], seeds: range) -> str:
    """Whether version 2's goals are met."""
    values = [run["f1"][f"{OURS}|{GAP}"][1] for runs in measured.values() for run in runs]
    low = sum(value < 0.70 for value in values)
    met = "met" if np.mean(values) >= 0.88 and not low else "not met"
    return (
        f"**Version 2, seeds {seeds[0]} to {seeds[-1]}: the goals are {met}.** The mean of {len(values)} runs is {np.mean(values):.3f}, "
        f"the lowest {min(values):.3f}; {low} of them below 0.70."
    )


def cell(values: list[float]) -> str:
    return f"{np.mean(values):.3f} ({min(values):.2f} to {max(values):.2f})"


def kept(version: int, name: str, seed: int) -> dict:
    """What was measured, from the file of this series where it is."""
    path = KEPT / f"{version}-{name}-{seed}.json"
    if not path.is_file():
        path.write_text(json.dumps(measure(version, name, seed)), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def measure(version: int, name: str, seed: int) -> dict:
    series = paper_series(name, seed, version=version, validation=VALIDATION if version == 2 else 0)
    train, test = series.split()
    began = time.process_time()
    detector = LSTMAD(seed=seed).fit(series.values[:TRAIN])
    seconds = time.process_time() - began
    state, (first, second) = detector._state, detector._cuts(TRAIN)

    def distances(values: np.ndarray, far: float, learned: dict = state, hold: int = detector.hold) -> list[np.ndarray]:
        """Squared, one per point, for each run of the network; points beyond ``far`` are held back in the second."""
        errors = detector._errors(values, {**learned, "far": np.array(far)}, hold=hold)
        squared = [squared_distances(each, learned["error_mean"], learned["error_factor"]) for each in errors]
        return [np.concatenate([np.full(len(values) - len(each), each.min()), each]) for each in squared]

    def smaller(values: np.ndarray, far: float, learned: dict = state) -> np.ndarray:
        return np.minimum(*distances(values, far, learned))

    own = float(state["far"])
    normal = distances(series.values[:TRAIN], own, hold=0)[0][first + detector._unscored :]
    quantile = max(LogMAD().choose(normal), 1.5 * float(np.quantile(normal, 0.99)))
    reads, holds = distances(test.values, own)
    squared = np.minimum(reads, holds)
    f1 = scored(OURS, squared, own, test.real) | scored(READS, reads, own, test.real) | scored(HOLDS, holds, own, test.real)
    f1 |= scored(QUANTILE, smaller(test.values, quantile), quantile, test.real)
    if version == 2:
        shown, labels = smaller(train.values, own)[second:], train.real.to_labels(len(train))[second:]
        low, top = BestF(CLASSICAL).plateau(shown, labels)
        f1 |= scored(LABELLED, squared, own if low < own <= top else np.sqrt(low * top), test.real) | scored(TOP, squared, top, test.real)
        dirty = LSTMAD(seed=seed).fit(train.values)._state
        f1 |= scored(UNLABELLED, smaller(test.values, float(dirty["far"]), dirty), float(dirty["far"]), test.real)
        first_period = np.resize(series.values[: PERIODS[name], 0], len(series.values))
        apart = np.abs(series.values[:, 0] - first_period)[len(train) :]
        f1 |= scored(ONE_LINE, apart, np.nextafter(0.0, 1.0), test.real, gaps=(0,))
    for gap in (0, GAP):
        f1[f"{BEST}|{gap}"] = [model.curve(test.real, squared, close_gaps=gap).best(warn=False).score.f for model in (RANGE, CLASSICAL)]
    return {"seconds": seconds, "f1": f1}


def scored(rule: str, squared: np.ndarray, threshold: float, real: rw.Ranges, gaps: tuple[int, ...] = (0, GAP)) -> dict[str, list[float]]:
    predicted = rw.Ranges.from_labels(squared >= threshold)
    return {f"{rule}|{gap}": [model.score(real, predicted.close_gaps(gap)).f for model in (RANGE, CLASSICAL)] for gap in gaps}


if __name__ == "__main__":
    main()
