"""docs/detectors/choices.md: LSTM-AD over ten seeds that no choice was made with, and what each choice about its threshold is worth.

Takes about ten minutes of processor time. What is measured is kept in build/choices, one file per series, so that a second start goes on.
choices_reference.json has the results of an earlier version, the reference on the hard set, and says how they were made.
"""

import json
import time
from collections.abc import Sequence
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
REFERENCE = Path(__file__).with_name("choices_reference.json")
SEEDS, FORMER = range(1500, 1510), range(500, 510)
# Fresh too, and compared with the reference on the hard set.
TRIALS = (*range(1300, 1310), *range(1400, 1410))
# Mean and lowest run of the reference on the hard set with the former seeds, as this page had them in commit 16fc2fe.
FORMER_REFERENCE = (0.552, 0.262)
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

HEAD = """# LSTM-AD over ten seeds, and what each choice is worth

Made by `docs/make/choices.py`."""

PROTOCOL = f"""\
**Protocol**, written before the seeds {SEEDS[0]} to {SEEDS[-1]} were run, each for a series and for the detector, once. Nothing was
measured with them before. Goals, for the classical F1 without labels and with gaps of up to {GAP} points closed:

- Version 2: a mean of at least 0.88, and no run below 0.70.
- Hard set: a mean and a lowest run not below those of the reference on the same seeds. The reference is the detector before it took the
  smaller of two runs, trained by torch (`docs/make/choices_reference.py`).

The hard set was also run with the seeds {TRIALS[0]} to {TRIALS[9]} and {TRIALS[10]} to {TRIALS[-1]}, as part of the trial below.
The seeds {FORMER[0]} to {FORMER[-1]} were run many times over the versions and are no check. ECG and Space-Shuttle are our own
look-alikes: run the script without a data folder.

**Choices and their seeds.** Network, `hold` and threshold: 40 to 42, 50 to 52, 60 to 67 (series) and 0 to 7 (detectors). The smaller of
two runs, and the comparison with the rows that the network learned from: 100 to 109. The range of the first weights, peaks that are alike,
and errors up to the last training row: 700 to 722. Straight lines: 900 to 909. Of the checks in between, 400 to 409 and three with 500 to
509 missed a goal; 600 to 609 and 800 to 809 met them. The goal for the lowest run of the hard set was then {FORMER_REFERENCE[1]}, the
lowest run of the reference with the seeds 500 to 509. With other seeds the reference has much lower runs (last table), so now both
detectors have the same seeds.

**Tried and not kept.** On Space-Shuttle, a few peaks of each normal cycle cannot be forecast. The threshold is above most of them, so
that long anomalies with smaller errors are found at their edges only; other anomalies have errors like normal rows, and no threshold finds
them. A running median of 31 distances as a second score finds more of the long ones. It was chosen with the seeds 1200 to 1219 and run with
1300 to 1309, where it lowered the lowest run of the hard set and cost 0.06 on Time-Guided of version 2. After a change it was run with 1400
to 1409: it raised the mean of the hard set by about 0.02 and hardly changed that of version 2 and the lowest run. That is too little for a
second score that needs 15 later points.

Each cell is the mean classical F1, with the lowest and the highest of the ten in brackets. The network learns from the first 2,400 rows;
the next 1,600 give distances for the rules without labels. With labels, the threshold has the largest F1 on {VALIDATION:,} more rows with
three anomalies, none of them in the part that is scored. Gaps of up to `gaps` points are closed."""

EASY, HARD = "Version 2 of the paper's series", "Version 1, the hard set"
TRIVIAL = (
    "Version 2 is trivial: its normal rows repeat exactly, so the one line below, which learns nothing, finds everything. "
    "A good score here only says that nothing is broken."
)


def main() -> None:
    hard, easy = ({name: [kept(version, name, seed) for seed in SEEDS] for name in NAMES} for version in (1, 2))
    trials, former = ({name: [kept(1, name, seed) for seed in seeds] for name in NAMES} for seeds in (TRIALS, FORMER))
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))["f1"]
    verdicts = [hard_verdict(own(hard), reference, SEEDS), easy_verdict(own(easy), SEEDS)]
    verdicts.sort(key=lambda text: "not met" not in text)
    parts = [HEAD, *verdicts, former_verdict(own(former)), PROTOCOL, block(EASY, easy), block(HARD, hard)]
    parts.append(reference_table({name: own(hard)[name] + own(trials)[name] for name in NAMES}, reference, (*SEEDS, *TRIALS)))
    (DOCS / "detectors" / "choices.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def own(measured: dict[str, list[dict]]) -> dict[str, list[float]]:
    """The classical F1 of LSTM-AD as it is, with gaps closed."""
    return {name: [run["f1"][f"{OURS}|{GAP}"][1] for run in runs] for name, runs in measured.items()}


def of_seeds(reference: dict[str, dict[str, float]], seeds: Sequence[int]) -> dict[str, list[float]]:
    return {name: [reference[name][str(seed)] for seed in seeds] for name in NAMES}


def block(title: str, measured: dict[str, list[dict]]) -> str:
    """The table of one version, and the time of a fit."""
    lines = [f"## {title}", "", f"| rule | gaps | {' | '.join(NAMES.values())} | all |", "|" + " --- |" * (len(NAMES) + 3)]
    for rule in measured["ecg"][0]["f1"]:
        values = [[run["f1"][rule][1] for run in runs] for runs in measured.values()]
        text, gap = rule.split("|")
        lines.append(f"| {text} | {gap} | {' | '.join(map(cell, values))} | {cell([*chain(*values)])} |")
    seconds = [run["seconds"] for runs in measured.values() for run in runs]
    took = (
        f"A fit on {TRAIN:,} rows took {np.median(seconds):.1f} s of processor time (median; {min(seconds):.1f} to {max(seconds):.1f}, "
        "the more the busier the machine was)."
    )
    return "\n".join([*lines, "", took])


def easy_verdict(values: dict[str, list[float]], seeds: range) -> str:
    """Whether version 2's goals are met."""
    every = [*chain(*values.values())]
    low = sum(value < 0.70 for value in every)
    met = "met" if np.mean(every) >= 0.88 and not low else "not met"
    return (
        f"**Version 2, seeds {seeds[0]} to {seeds[-1]}: the goals are {met}.** The mean of {len(every)} runs is {np.mean(every):.3f}, "
        f"the lowest {min(every):.3f}; {low} of them below 0.70. {TRIVIAL}"
    )


def hard_verdict(values: dict[str, list[float]], reference: dict[str, dict[str, float]], seeds: range) -> str:
    """Whether the hard set's goals are met: the mean and the lowest run of the reference with the same seeds."""
    (every, lowest), (before, lowest_before) = (with_lowest(each) for each in (values, of_seeds(reference, seeds)))
    goals = {"mean": np.mean(every) >= np.mean(before), "lowest run": min(every) >= min(before)}
    missed = [goal for goal, met in goals.items() if not met]
    outcome = f"the goal for the {' and the '.join(missed)} is not met" if missed else "the goals are met"
    better = sum(now > then for now, then in zip(every, before, strict=True))
    worse = sum(now < then for now, then in zip(every, before, strict=True))
    return (
        f"**Hard set, seeds {seeds[0]} to {seeds[-1]}: {outcome}.** The mean of {len(every)} runs is {np.mean(every):.3f} (reference "
        f"{np.mean(before):.3f}), the lowest {min(every):.3f} ({lowest}; reference {min(before):.3f}, {lowest_before}). "
        f"{better} runs are better than the reference with the same seed, {worse} worse."
    )


def with_lowest(values: dict[str, list[float]]) -> tuple[list[float], str]:
    """All runs, and the series with the lowest."""
    return [*chain(*values.values())], NAMES[min(values, key=lambda name: min(values[name]))]


def former_verdict(hard: dict[str, list[float]]) -> str:
    every, lowest = with_lowest(hard)
    return (
        f"**Hard set, seeds {FORMER[0]} to {FORMER[-1]}, no fresh check:** the mean is {np.mean(every):.3f} "
        f"(reference {FORMER_REFERENCE[0]}), the lowest {min(every):.3f} ({lowest}; reference {FORMER_REFERENCE[1]})."
    )


def reference_table(values: dict[str, list[float]], reference: dict[str, dict[str, float]], seeds: Sequence[int]) -> str:
    """LSTM-AD and the reference on the hard set, with the same seeds."""
    before = of_seeds(reference, seeds)
    lines = [f"| {len(seeds)} seeds, gaps {GAP} | {' | '.join(NAMES.values())} | all |", "|" + " --- |" * (len(NAMES) + 2)]
    for title, each in {"LSTM-AD": values, "reference": before}.items():
        lines.append(f"| {title} | {' | '.join(map(cell, each.values()))} | {cell([*chain(*each.values())])} |")
    lower = [name for key, name in NAMES.items() if min(values[key]) < min(before[key])]
    worst = f"The lowest run is lower than that of the reference on {' and '.join(lower)}." if lower else "No lowest run is lower."
    return "\n".join([f"The hard set with all {len(seeds)} fresh seeds, beside the reference:", "", *lines, "", worst])


def cell(values: list[float]) -> str:
    return f"{np.mean(values):.3f} ({min(values):.2f} to {max(values):.2f})"


def kept(version: int, name: str, seed: int) -> dict:
    """What was measured, from the file of this series where it is."""
    path = KEPT / f"{version}-{name}-{seed}.json"
    KEPT.mkdir(parents=True, exist_ok=True)
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

    far = float(state["far"])
    reads, holds = distances(test.values, far)
    squared = np.minimum(reads, holds)
    f1 = scored(OURS, squared, far, test.real)
    if seed not in SEEDS:
        return {"seconds": seconds, "f1": f1}
    f1 |= scored(READS, reads, far, test.real) | scored(HOLDS, holds, far, test.real)
    normal = distances(series.values[:TRAIN], far, hold=0)[0][first + detector._unscored :]
    quantile = max(LogMAD().choose(normal), 1.5 * float(np.quantile(normal, 0.99)))
    f1 |= scored(QUANTILE, smaller(test.values, quantile), quantile, test.real)
    if version == 2:
        shown, labels = smaller(train.values, far)[second:], train.real.to_labels(len(train))[second:]
        low, top = BestF(CLASSICAL).plateau(shown, labels)
        f1 |= scored(LABELLED, squared, far if low < far <= top else np.sqrt(low * top), test.real) | scored(TOP, squared, top, test.real)
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
