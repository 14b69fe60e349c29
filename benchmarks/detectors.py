"""`LuminolBitmap` beside what Luminol's own Python is known to need."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.memory import extra_bytes
from benchmarks.report import Goal, Section, Table, bytes_text, count_text, ratio_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

SIZES = (10**4, 10**5, 10**6)
GOAL_SIZE = 10**6
# Seconds of Luminol's own program, as known from elsewhere: its package (0.4) does not run on Python 3.11.
LUMINOL_SECONDS = {10**4: 0.15, 10**6: 27.0}
LEAST_FASTER = 50.0
MOST_BYTES = 200e6


def luminol_bitmap(points: int) -> Callable[[], object]:
    from rangewise.detectors import LuminolBitmap

    values = np.sin(np.arange(points) / 50.0)
    values += np.random.default_rng(1).normal(scale=0.1, size=points)
    return lambda: LuminolBitmap().fit(values).decision_function(values)


MEMORY_CALLS = {"luminol_bitmap": luminol_bitmap}


def run(settings: Settings) -> Section:
    rows, goals = [], []
    for points in SIZES[:1] if settings.quick else SIZES:
        settings.say(f"detectors: {points:,} points")
        seconds = compare({"ours": luminol_bitmap(points)}, settings.seconds)["ours"]
        extra = extra_bytes("detectors", "luminol_bitmap", points)
        known = LUMINOL_SECONDS.get(points)
        cited = [time_text(known), ratio_text(known / seconds)] if known else ["-", "-"]
        rows.append([count_text(points), time_text(seconds), bytes_text(extra), *cited])
        if points == GOAL_SIZE and known:
            what = f"`LuminolBitmap`, {points:,} points"
            faster = known / seconds
            goals.append(Goal(f"{what}: {LEAST_FASTER:.0f} x faster than Luminol", ratio_text(faster), faster >= LEAST_FASTER))
            if extra is not None:
                goals.append(Goal(f"{what}: under {bytes_text(MOST_BYTES)}", bytes_text(extra), extra < MOST_BYTES))
    return Section(
        "Detectors",
        [
            "`LuminolBitmap` fitted to a noisy sine and giving its scores; memory is the peak above the values, in a fresh process. "
            "What Luminol's own program needs is cited, not measured: its package (0.4) does not run on Python 3.11. It is known to take "
            "27 s and 1 GB at 1,000,000 points.",
            Table(["points", "rangewise", "memory", "Luminol, cited", "ratio"], rows),
        ],
        goals,
    )
