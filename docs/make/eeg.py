"""Writes docs/examples/eeg: two small BIDS folders of seizure annotations, real and of a made detector, for docs/eeg.md."""

from pathlib import Path

import numpy as np

TARGET = Path(__file__).parents[1] / "examples" / "eeg"
HEADER = "onset\tduration\teventType\tconfidence\tchannels\tdateTime\trecordingDuration\n"
HOURS = 6
SEIZURES = {
    ("sub-01", 0): [(4_210.0, 62.0), (15_480.5, 95.0)],
    ("sub-01", 1): [(9_002.0, 41.0)],
    ("sub-02", 0): [],
    ("sub-03", 0): [(20_100.0, 230.0)],
}


def table(events: list[tuple[float, float, float | None]], run: int) -> str:
    """Events in SzCORE's columns; a recording without any has one row of background."""
    started, lasting = f"2024-03-31 {run * HOURS:02}:00:00", HOURS * 3600
    rows = [(onset, length, "sz", "n/a" if confidence is None else f"{confidence:.2f}") for onset, length, confidence in events]
    rows = rows or [(0.0, float(lasting), "bckg", "n/a")]
    return HEADER + "".join(f"{onset}\t{length}\t{kind}\t{sure}\tn/a\t{started}\t{lasting}\n" for onset, length, kind, sure in rows)


def found(seizures: list[tuple[float, float]], rng: np.random.Generator) -> list[tuple[float, float, float | None]]:
    """What a detector might find: most seizures, late, and some false alarms with less confidence."""
    kept = [(onset + rng.uniform(-10, 25), length * rng.uniform(0.4, 1.1), rng.uniform(0.6, 1)) for onset, length in seizures]
    alarms = [(rng.uniform(0, HOURS * 3600 - 100), rng.uniform(5, 40), rng.uniform(0.2, 0.8)) for _ in range(rng.integers(1, 4))]
    events = [event for event in kept if rng.random() < 0.8] + alarms
    return sorted((round(onset, 1), round(length, 1), sure) for onset, length, sure in events)


def make() -> None:
    rng = np.random.default_rng(31)
    for (subject, run), seizures in SEIZURES.items():
        name = f"{subject}/eeg/{subject}_task-szMonitoring_run-{run:02}_events.tsv"
        for side, events in (("real", [(*each, None) for each in seizures]), ("detector", found(seizures, rng))):
            path = TARGET / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(table(events, run))


if __name__ == "__main__":
    make()
