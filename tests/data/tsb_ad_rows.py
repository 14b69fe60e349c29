"""Writes tsb_ad_rows.json: buffers and rows of TSB-AD 1.5 on 200 short series, which :func:`make_series` creates from their numbers.

Requires TSB_AD 1.5, whose evaluation needs numpy, scipy, scikit-learn, statsmodels and pandas: ``python tests/data/tsb_ad_rows.py``.
"""

import json
from pathlib import Path

import numpy as np

SERIES = 200
KINDS = ("wave", "noise", "walk", "ramp", "constant", "two channels", "one column", "long wave", "two waves", "spikes")


def make_series(number):
    """The values, labels and scores of the series with this number."""
    random = np.random.default_rng([2026, number])
    kind, rows = KINDS[number % len(KINDS)], int(random.integers(30, 900))
    time = np.arange(rows)
    wave = np.sin(2 * np.pi * time / random.uniform(4, 60)) + 0.1 * random.standard_normal(rows)
    values = {
        "wave": wave,
        "noise": random.standard_normal(rows),
        "walk": np.cumsum(random.standard_normal(rows)),
        "ramp": time / 7.0,
        "constant": np.full(rows, 3.5),
        "two channels": np.column_stack([wave, time]),
        "one column": wave[:, np.newaxis],
        "long wave": np.sin(2 * np.pi * np.arange(2000) / random.uniform(250, 380)) + 0.01 * random.standard_normal(2000),
        "two waves": wave + 2 * np.sin(2 * np.pi * time / random.uniform(60, 200)),
        "spikes": (random.random(rows) < 0.05).astype(float),
    }[kind]
    labels = np.zeros(len(values), dtype=int)
    for _ in range(int(random.integers(1, 4))):
        start = int(random.integers(0, len(values) - 5))
        labels[start : start + int(random.integers(1, 25))] = 1
    scores = np.round(random.random(len(values)) + 0.6 * labels * random.random(len(values)), 3)
    return values, labels, scores


def main():
    from TSB_AD.evaluation.metrics import get_metrics
    from TSB_AD.utils.slidingWindows import find_length_rank

    cases = []
    for number in range(SERIES):
        values, labels, scores = make_series(number)
        buffer = int(find_length_rank(values, rank=1))
        row = get_metrics(scores, labels, slidingWindow=buffer)
        cases.append({"number": number, "buffer": buffer, "row": {name: float(value) for name, value in row.items()}})
    about = {"program": "TSB_AD 1.5", "made by": "tests/data/tsb_ad_rows.py"}
    Path(__file__).with_suffix(".json").write_text(json.dumps({"meta": about, "cases": cases}, indent=0) + "\n")


if __name__ == "__main__":
    main()
