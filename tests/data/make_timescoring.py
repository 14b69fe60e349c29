"""Writes timescoring.json: random recordings with the counts of ``timescoring`` 0.0.7. Requires that package.

With a number, it compares rangewise with ``timescoring`` on that many random recordings instead, and prints how many
differ: ``python tests/data/make_timescoring.py 10000``.
"""

import json
import sys
from pathlib import Path

import numpy as np
from timescoring.annotations import Annotation
from timescoring.scoring import EventScoring, SampleScoring


def recording(rng):
    """A recording with disjoint events of any length, rounded to 1 s, 0.1 s, 1 ms or 1 ns."""
    duration = int(rng.choice([60, 600, 3600, 20_000]))
    digits = int(rng.choice([0, 1, 3, 9]))

    def events():
        count = int(rng.integers(0, 12))
        borders = np.unique(np.round(np.sort(rng.uniform(0, duration, 2 * count)), digits)).tolist()
        return [[start, stop] for start, stop in zip(borders[::2], borders[1::2], strict=False)]

    settings = {}
    if rng.random() < 0.5:
        settings = {
            "join": float(rng.choice([0.0, 5.0, 90.0])),
            "split": float(rng.choice([2.0, 300.0, 1000.0])),
            "tolerance": [float(rng.choice([0.0, 0.25, 30.0])), float(rng.choice([0.0, 0.35, 60.0]))],
            "min_overlap": float(rng.choice([0.0, 0.1, 0.5])),
        }
    return {"duration": duration, "real": events(), "predicted": events(), "settings": settings}


def counted(case):
    """The counts of timescoring: events, then samples at 1 Hz."""
    sides = [Annotation([tuple(event) for event in case[side]], 1000, case["duration"] * 1000) for side in ("real", "predicted")]
    settings = case["settings"]
    parameters = EventScoring.Parameters()
    if settings:
        parameters = EventScoring.Parameters(
            toleranceStart=settings["tolerance"][0], toleranceEnd=settings["tolerance"][1], minOverlap=settings["min_overlap"],
            maxEventDuration=settings["split"], minDurationBetweenEvents=settings["join"],
        )  # fmt: skip
    events, samples = EventScoring(*sides, parameters), SampleScoring(*sides)
    return [[int(each.tp), int(each.fp), int(each.refTrue)] for each in (events, samples)]


def differing(count):
    from rangewise.events import score_events

    different = 0
    for seed in range(count):
        case = recording(np.random.default_rng(seed))
        score = score_events(case["real"], case["predicted"], span=(0, case["duration"]), grid="10Hz", **case["settings"])
        counts_of_rangewise = [[int(value) for value in counts.values[:3]] for counts in (score.counts, score.samples)]
        different += counts_of_rangewise != counted(case)
    return different


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(f"{differing(int(sys.argv[1]))} of {sys.argv[1]} recordings differ")
    else:
        cases = [recording(np.random.default_rng(10**6 + seed)) for seed in range(150)]
        cases = [case | dict(zip(("events", "samples"), counted(case), strict=True)) for case in cases]
        Path(__file__).with_name("timescoring.json").write_text(
            json.dumps({"package": "timescoring 0.0.7", "cases": cases}, indent=None) + "\n"
        )
