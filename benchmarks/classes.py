"""Classes: a million points of 20 classes beside one binary score of as many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Goal, Section, Table, count_text, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

CLASSES = 20
LIMIT = 4.0
MEAN_RUN = 100


def run(settings: Settings) -> Section:
    import rangewise as rw

    points = 10**4 if settings.quick else 10**6
    rows, goals = [], []
    for dtype in (np.uint8, np.int64):
        settings.say(f"classes: {points:,} points, {np.dtype(dtype)}")
        real, predicted = (_classes(points, seed).astype(dtype) for seed in (0, 1))
        binary = [(side > 0).astype(dtype) for side in (real, predicted)]
        calls = {
            "classes": lambda real=real, predicted=predicted: rw.score_classes(real, predicted, background=0),
            "confusion": lambda real=real, predicted=predicted: rw.score_classes(real, predicted, background=0).confusion,
            "binary": lambda binary=binary: rw.score(*binary),
        }
        times = compare(calls, settings.seconds)
        ratio = times["classes"] / times["binary"]
        cells = [
            time_text(times["classes"]),
            time_text(times["binary"]),
            ratio_text(ratio),
            time_text(times["confusion"]),
            spread_text(ratio),
        ]
        rows.append([f"{count_text(points)} {np.dtype(dtype)}", *cells])
        if not settings.quick:
            shown = f"{points:,} points of {CLASSES} classes, {np.dtype(dtype)}: at most {LIMIT:.0f} x one binary score"
            goals.append(Goal.at_most(shown, ratio, LIMIT))
    return Section(
        "Classes",
        [
            f"`rw.score_classes(real, predicted, background=0)` of integers 0 to {CLASSES}, in runs of {MEAN_RUN} points on average, and "
            "one `rw.score` of the same points as 0/1 labels of the same type; with the confusion, which is computed on demand.",
            Table(["points", "classes", "binary", "ratio", "with confusion", "spread"], rows),
        ],
        goals,
    )


def _classes(points: int, seed: int) -> NDArray[np.int64]:
    """Runs of random lengths; half of them are background."""
    random = np.random.default_rng(seed)
    lengths = random.geometric(1 / MEAN_RUN, size=4 * points // MEAN_RUN + 10)
    names = np.where(random.random(len(lengths)) < 0.5, 0, random.integers(1, CLASSES + 1, size=len(lengths)))
    return np.repeat(names, lengths)[:points]
