"""Writes krippendorff.json: random labels of several annotators, with alpha by the package ``krippendorff`` 0.9.0.

Requires that package.
"""

import json
from pathlib import Path

import krippendorff
import numpy as np

if __name__ == "__main__":
    cases = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        labels = (rng.random((int(rng.integers(2, 6)), int(rng.integers(2, 60)))) < rng.uniform(0.1, 0.9)).astype(int)
        if len(np.unique(labels)) == 2:
            cases.append({"labels": labels.tolist(), "alpha": float(krippendorff.alpha(labels, level_of_measurement="nominal"))})
    text = json.dumps({"package": "krippendorff 0.9.0", "cases": cases})
    Path(__file__).with_name("krippendorff.json").write_text(f"{text}\n")
