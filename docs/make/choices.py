"""docs/detectors/choices.md: what each choice about LSTM-AD's threshold is worth, on seeds that nobody looked at while choosing.

Takes about five minutes. What is measured is kept in build/choices, a file a series, so that a second start goes on.
"""

import json
from pathlib import Path

import numpy as np

import rangewise as rw
from rangewise.datasets import paper_series
from rangewise.detectors import LSTMAD
from rangewise.detectors.gaussian import squared_distances
from rangewise.thresholds import BestF, LogMAD

DOCS = Path(__file__).parents[1]
KEPT = DOCS.parent / "build" / "choices"
SEEDS = range(300, 305)
NAMES = {"ecg": "ECG", "space_shuttle": "Space-Shuttle", "timeguided": "Time-Guided", "sine": "Sine"}
TRAIN, VALIDATION, GAP = 4_000, 2_000, 10
RANGE = rw.RangeModel(recall_bias="front", cardinality="reciprocal")
CLASSICAL = rw.RangeModel(as_points="both")
OLD = "ten times the largest distance (0.1.0)"
MAD = "log-MAD alone"
OURS = "log-MAD, at least 1.5 x the 0.99 quantile (LSTM-AD's own)"
LABELLED = "labeled validation part, classical F1"
SELDOM = "labeled validation part, classical F0.1"
BEST = "the best, with the test part's labels"


def main() -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    lines = [
        "# LSTM-AD's threshold: what each choice is worth", "",
        f"Written by `docs/make/choices.py`. Means of the seeds {SEEDS[0]} to {SEEDS[-1]}, which were not looked at while choosing (the",
        "choices were made with 200 and 201). Each cell is range F1 (front, 1/x) / classical F1, at the threshold that the rule chooses;",
        "`gaps` are closed up to so many points. The network learns from the same 2,400 normal rows in all of a column; distances of the",
        f"next 1,600 make the rules without labels. With labels, the threshold has the largest F on normal rows and {VALIDATION:,} more",
        "with three anomalies, none of them in the part that is scored. Points beyond a rule's distance are held; with labels, beyond our",
        "own rule's.",
    ]  # fmt: skip
    for version, title in ((2, "Version 2 of the paper's series"), (1, "Version 1, the hard set")):
        found = [{name: measured(version, name, seed) for name in NAMES} for seed in SEEDS]
        lines += ["", f"## {title}", "", f"| rule | gaps | {' | '.join(NAMES.values())} | mean |", "|" + " --- |" * (len(NAMES) + 3)]
        for rule in found[0]["ecg"]:
            means = [np.mean([seed[name][rule] for seed in found], axis=0) for name in NAMES]
            text, gap = rule.split("|")
            lines.append(f"| {text} | {gap} | {' | '.join(f'{r:.3f} / {c:.3f}' for r, c in [*means, np.mean(means, axis=0)])} |")
    (DOCS / "detectors" / "choices.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(version: int, name: str, seed: int) -> dict[str, list[float]]:
    """Range and classical F1 by rule and gap, from the file of this series where it is."""
    path = KEPT / f"{version}-{name}-{seed}.json"
    if not path.is_file():
        path.write_text(json.dumps(measure(version, name, seed)), encoding="utf-8")
    found: dict[str, list[float]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def measure(version: int, name: str, seed: int) -> dict[str, list[float]]:
    series = paper_series(name, seed, version=version, validation=VALIDATION if version == 2 else 0)
    train, test = series.split()
    detector = LSTMAD(seed=seed).fit(series.values[:TRAIN])
    state, (first, second) = detector._state, detector._cuts(TRAIN)

    def distances(values: np.ndarray, far: float | None) -> np.ndarray:
        """Squared, a point each; those beyond far are held."""
        known = state if far is None else {**state, "far": np.array(far)}
        errors = detector._errors(values, known, hold=0 if far is None else detector.hold)
        found = squared_distances(errors, state["error_mean"], state["error_factor"])
        return np.concatenate([np.full(len(values) - len(found), found.min()), found])

    normal, own = distances(series.values[:TRAIN], None), float(state["far"])
    largest = 10.0 * normal[first + detector._unscored : second].max()
    found = {}
    for rule, far in ((OLD, largest), (MAD, LogMAD().choose(normal[first + detector._unscored :])), (OURS, own)):
        found |= scored(rule, distances(test.values, far), far, test.real)
    squared = distances(test.values, own)
    if version == 2:
        shown = distances(train.values, own)[second:]
        labels = train.real.to_labels(len(train))[second:]
        found |= scored(LABELLED, squared, BestF(CLASSICAL).choose(shown, labels), test.real)
        found |= scored(SELDOM, squared, BestF(rw.RangeModel(beta=0.1, as_points="both")).choose(shown, labels), test.real)
    found[f"{BEST}|0"] = [model.curve(test.real, squared).best(warn=False).score.f for model in (RANGE, CLASSICAL)]
    return found


def scored(rule: str, squared: np.ndarray, threshold: float, real: rw.Ranges) -> dict[str, list[float]]:
    predicted = rw.Ranges.from_labels(squared >= threshold)
    return {f"{rule}|{gap}": [model.score(real, predicted.close_gaps(gap)).f for model in (RANGE, CLASSICAL)] for gap in (0, GAP)}


if __name__ == "__main__":
    main()
