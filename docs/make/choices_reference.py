"""docs/make/choices_reference.json: the F1 of an earlier LSTM-AD on the hard set, which docs/make/choices.py compares with.

The earlier version is commit 550d2cf, before LSTM-AD took the smaller of two runs; it needs torch. Install it beside the present one:

    git worktree add --detach ../reference 550d2cf
    pip install --no-deps --no-build-isolation --target ../reference-site ../reference
    OMP_NUM_THREADS=1 PYTHONPATH=../reference-site python docs/make/choices_reference.py

Takes about ten minutes of processor time. What is measured already stays.
"""

import json
from pathlib import Path

import numpy as np

import rangewise as rw
from rangewise.datasets import paper_series
from rangewise.detectors import LSTMAD
from rangewise.detectors.gaussian import squared_distances

KEPT = Path(__file__).with_name("choices_reference.json")
SEEDS = (*range(1300, 1310), *range(1400, 1410), *range(1500, 1510))
NAMES = ("ecg", "space_shuttle", "timeguided", "sine")
TRAIN, GAP, VERSION = 4_000, 10, "0.2.0"
CLASSICAL = rw.RangeModel(as_points="both")


def main() -> None:
    if rw.__version__ != VERSION:
        raise SystemExit(f"this is rangewise {rw.__version__}; the reference is a commit of {VERSION}")
    made = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {"commit": "550d2cf", "f1": {name: {} for name in NAMES}}
    for seed in SEEDS:
        for name in NAMES:
            if str(seed) not in made["f1"][name]:
                made["f1"][name][str(seed)] = round(measure(name, seed), 4)
                KEPT.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def measure(name: str, seed: int) -> float:
    """The classical F1 without labels, with gaps closed."""
    series = paper_series(name, seed, version=1)
    _, test = series.split()
    detector = LSTMAD(seed=seed).fit(series.values[:TRAIN])
    state = detector._state
    squared = squared_distances(detector._errors(test.values, state, hold=detector.hold), state["error_mean"], state["error_factor"])
    far = np.concatenate([np.zeros(len(test.values) - len(squared), dtype=bool), squared >= float(state["far"])])
    return CLASSICAL.score(test.real, rw.Ranges.from_labels(far).close_gaps(GAP)).f


if __name__ == "__main__":
    main()
