"""docs/detectors/choices.md: LSTM-AD over ten seeds that no choice was made with, and what each choice about its threshold is worth.

Takes about ten minutes of processor time. What is measured is kept in build/choices, one file per series, so that a second start goes on.
``docs/make/choices.py hard`` measures only the hard set; what the page says of version 2 stays as it is.
"""

import json
import sys
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
SEEDS, CHECK, HARD_CHECK = range(500, 510), range(800, 810), range(1000, 1010)
NAMES = {"ecg": "ECG", "space_shuttle": "Space-Shuttle", "timeguided": "Time-Guided", "sine": "Sine"}
LINE = "timeguided"
TRAIN, VALIDATION, GAP = 4_000, 2_000, 10
HARD_GOALS = (0.552, 0.262)
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
**Protocol**, written before this was run. The first choices (network, `hold`, threshold) were made with series of the seeds 40 to 42, 50
to 52 and 60 to 67 and detectors of the seeds 0 to 7. Three earlier runs missed the goals: seeds 400 to 409 (mean 0.841, lowest 0.570),
after which the networks were trained with more points per step; seeds 500 to 509 (mean 0.835, lowest 0.451), after which two choices were
made with the seeds 100 to 109, the smaller of two runs and the comparison with the rows that the network learned from; and seeds 500 to 509
once more (mean 0.882, lowest 0.500; hard set 0.551, lowest 0.025), while 600 to 609 met the goals (0.882, 0.739). Since then, three
choices were made with the seeds 700 to 722 alone:

1. The weights that read the values start in a range for their number of inputs (variance 1 / channels), not in torch's, which is for the
   hidden units. The network then tells close values apart. Forecast errors on rows held out were smaller in 9 of 10 fits.
2. Where the eight highest peaks of the normal distances are alike (within a factor of 1.5), the threshold is at most 1.5 times the third.
   Time-Guided (20 seeds, networks as before): from 0.864 (lowest 0.61) to 0.896 (0.71); with the first choice 0.939 (0.86, 6 seeds).
3. Large errors up to the last training row are no unlabeled anomaly, because the series may have drifted. Time-Guided of the hard set
   (10 seeds, networks as before): from 0.414 (0.03) to 0.633 (0.07).

A fourth choice was made with the seeds 900 to 909 of the hard set alone:

4. Where the training part is a straight line without doubt (no value further from it than a hundredth of its rise), the network reads the
   differences from a line of that slope through the middle of the rows that it scores. Nothing else changes, to the last bit. Tried before
   it and not kept: a network that forecasts the change from the last value. It was worse on three of the four series (seeds 900 to 903).

The seeds {SEEDS[0]} to {SEEDS[-1]}, each for a series and for the detector, were then run once with these choices (the hard set once more
with the fourth), and as a second check {CHECK[0]} to {CHECK[-1]} for version 2 and {HARD_CHECK[0]} to {HARD_CHECK[-1]} for Time-Guided of
the hard set, the only series that the fourth choice changes. (The protocol asked for all four series of the hard set; the other three were
left out for lack of time.) The results were: version 2, mean 0.911 and lowest 0.753 (second check 0.905 and 0.717); hard set, 0.639 and
0.306 (second check 0.703 and 0.644).

Since then the kernel trains the network instead of torch: the same algorithm and settings, but other random numbers. Nothing was chosen for
it. Before the run, the kernel was tried with the seeds 100 to 103: version 2, mean 0.899 and lowest 0.823; hard set, 0.618 and 0.077
(Space-Shuttle). Torch was compared with it on Space-Shuttle of the hard set, during the run and just after it, with the seeds 100 to 103
and 900: 0.241, 0.453, 0.423, 0.095 and 0.494 with torch, 0.240, 0.454, 0.424, 0.077 and 0.485 with the kernel. This page has one run of the
same seeds with the kernel. Goals for version 2, with gaps of up to {GAP} points closed and no labels: a mean classical F1 of at least 0.88,
and no run below 0.70; on the hard set, a mean and a lowest run not below those before the smaller of two runs was taken, {HARD_GOALS[0]}
and {HARD_GOALS[1]} (seeds {SEEDS[0]} to {SEEDS[-1]}). ECG and Space-Shuttle are our own look-alikes: run the script without a data folder.

Each cell is the mean classical F1, with the lowest and the highest of the ten in brackets. The network learns from the first 2,400 rows;
the next 1,600 give distances for the rules without labels. With labels, the threshold has the largest F1 on {VALIDATION:,} more rows with
three anomalies, none of them in the part that is scored. Gaps of up to `gaps` points are closed."""

EASY, HARD = "Version 2 of the paper's series", "Version 1, the hard set"
TRIVIAL = (
    "Version 2 is trivial: its normal rows repeat exactly, so the one line below, which learns nothing, finds everything. "
    "A good score here only says that nothing is broken."
)


def main(wanted: list[str]) -> None:
    page = DOCS / "detectors" / "choices.md"
    if wanted == ["hard"]:
        easy_verdict, easy = version_2_of(page.read_text(encoding="utf-8"))
    else:
        measured = {name: [kept(2, name, seed) for seed in SEEDS] for name in NAMES}
        check = {name: [kept(2, name, seed) for seed in CHECK] for name in NAMES}
        easy_verdict, easy = f"{verdict(measured, SEEDS)} {verdict(check, CHECK)} {TRIVIAL}", block(EASY, measured)
    measured = {name: [kept(1, name, seed) for seed in SEEDS] for name in NAMES}
    check = [kept(1, LINE, seed) for seed in HARD_CHECK]
    hard_verdicts = f"{hard_verdict(measured)} {line_verdict(check)}"
    page.write_text("\n\n".join([HEAD, hard_verdicts, easy_verdict, PROTOCOL, easy, block(HARD, measured)]) + "\n", encoding="utf-8")


def version_2_of(page: str) -> tuple[str, str]:
    """The verdict and the block of version 2 as the page has them."""
    (verdict_2,) = [line for line in page.splitlines() if line.startswith("**Version 2, ")]
    return verdict_2, page[page.index(f"## {EASY}") : page.index(f"## {HARD}")].rstrip()


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


def verdict(measured: dict[str, list[dict]], seeds: range) -> str:
    """Whether version 2's goals are met."""
    values = [run["f1"][f"{OURS}|{GAP}"][1] for runs in measured.values() for run in runs]
    low = sum(value < 0.70 for value in values)
    met = "met" if np.mean(values) >= 0.88 and not low else "not met"
    return (
        f"**Version 2, seeds {seeds[0]} to {seeds[-1]}: the goals are {met}.** The mean of {len(values)} runs is {np.mean(values):.3f}, "
        f"the lowest {min(values):.3f}; {low} of them below 0.70."
    )


def line_verdict(runs: list[dict]) -> str:
    """The straight line of the hard set, with seeds that were never run before."""
    values = [run["f1"][f"{OURS}|{GAP}"][1] for run in runs]
    return (
        f"{NAMES[LINE]} of the hard set is one straight line, whose test part lies above all values that the network learned from. "
        f"With the seeds {HARD_CHECK[0]} to {HARD_CHECK[-1]} its mean is {np.mean(values):.3f}, its lowest run {min(values):.3f}."
    )


def hard_verdict(measured: dict[str, list[dict]]) -> str:
    """Whether the hard set's goals are met, and which series miss that for the lowest run."""
    values = {name: [run["f1"][f"{OURS}|{GAP}"][1] for run in runs] for name, runs in measured.items()}
    everything = [*chain(*values.values())]
    low = {NAMES[name]: sum(value < HARD_GOALS[1] for value in each) for name, each in values.items()}
    mean, lowest = (
        "met" if value >= goal else "not met" for value, goal in zip((np.mean(everything), min(everything)), HARD_GOALS, strict=True)
    )
    text = (
        f"**Hard set, seeds {SEEDS[0]} to {SEEDS[-1]}: the goal for the lowest run is {lowest}, that for the mean is {mean}.** The lowest "
        f"of {len(everything)} runs is {min(everything):.3f}, the mean {np.mean(everything):.3f}."
    )
    if any(low.values()):
        where = ", ".join(f"{name} ({count})" for name, count in low.items() if count)
        text += f" Runs below {HARD_GOALS[1]}: {where}."
    return text


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

    own = float(state["far"])
    if seed in (*CHECK, *HARD_CHECK):
        return {"seconds": seconds, "f1": scored(OURS, smaller(test.values, own), own, test.real)}
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
    main(sys.argv[1:])
