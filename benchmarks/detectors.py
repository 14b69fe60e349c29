"""`LuminolBitmap` beside what Luminol's own Python is known to need, and the detectors of windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.memory import extra_bytes
from benchmarks.report import Goal, Section, Table, bytes_text, count_text, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

SIZES = (10**4, 10**5, 10**6)
GOAL_SIZE = 10**6
# Seconds of Luminol's own program, as known from elsewhere: its package (0.4) does not run on Python 3.11.
LUMINOL_SECONDS = {10**4: 0.15, 10**6: 27.0}
LEAST_FASTER = 50.0
# Half of the points are learned from, all are scored.
WINDOW_SIZES = (10**4, 10**5)
WINDOW_GOAL = 10**5
MOST_SECONDS = 15.0
MOST_BYTES = 200e6


def luminol_bitmap(points: int) -> Callable[[], object]:
    from rangewise.detectors import LuminolBitmap

    values = np.sin(np.arange(points) / 50.0)
    values += np.random.default_rng(1).normal(scale=0.1, size=points)
    return lambda: LuminolBitmap().fit(values).decision_function(values)


def detector_of_windows(name: str, points: int) -> Callable[[], object]:
    from rangewise.detectors import DETECTORS

    values = np.sin(np.arange(points) / 50.0)
    values += np.random.default_rng(1).normal(scale=0.1, size=points)
    return lambda: DETECTORS[name]().fit(values[: points // 2]).decision_function(values)


def nearest_window(points: int) -> Callable[[], object]:
    return detector_of_windows("nearest-window", points)


def sub_pca(points: int) -> Callable[[], object]:
    return detector_of_windows("sub-pca", points)


MEMORY_CALLS = {"luminol_bitmap": luminol_bitmap, "nearest_window": nearest_window, "sub_pca": sub_pca}


def run(settings: Settings) -> Section:
    rows, goals = [], []
    for points in SIZES[:1] if settings.quick else SIZES:
        settings.say(f"detectors: {points:,} points")
        seconds = compare({"ours": luminol_bitmap(points)}, settings.seconds)["ours"]
        extra = extra_bytes("detectors", "luminol_bitmap", points)
        known = LUMINOL_SECONDS.get(points)
        cited = [time_text(known), ratio_text(known / seconds)] if known else ["-", "-"]
        rows.append([count_text(points), time_text(seconds), bytes_text(extra), *cited, spread_text(seconds)])
        if points == GOAL_SIZE and known:
            what = f"`LuminolBitmap`, {points:,} points"
            faster = known / seconds
            goals.append(Goal.at_least(f"{what}: {LEAST_FASTER:.0f} x faster than Luminol", faster, LEAST_FASTER))
            if extra is not None:
                goals.append(Goal(f"{what}: under {bytes_text(MOST_BYTES)}", bytes_text(extra), extra < MOST_BYTES))
    window_rows = []
    for points in WINDOW_SIZES[:1] if settings.quick else WINDOW_SIZES:
        settings.say(f"detectors of windows: {points:,} points")
        calls = {"nearest_window": nearest_window(points), "sub_pca": sub_pca(points)}
        seconds_of = compare(calls, settings.seconds)
        for name, seconds in seconds_of.items():
            kind = {"nearest_window": "NearestWindow", "sub_pca": "SubPCA"}[name]
            memory = bytes_text(extra_bytes("detectors", name, points))
            window_rows.append([f"`{kind}`", count_text(points), time_text(seconds), memory, spread_text(seconds)])
            if points == WINDOW_GOAL:
                what = f"`{kind}`, {points:,} points: under {time_text(MOST_SECONDS)}"
                goals.append(Goal.at_most(what, seconds, MOST_SECONDS, time_text))
    return Section(
        "Detectors",
        [
            "Fitting `LuminolBitmap` to a noisy sine and scoring it; memory is the peak above the values, in a fresh process. "
            "Luminol's own numbers are cited, not measured, because its package (0.4) does not run on Python 3.11. It takes "
            "27 s and 1 GB at 1,000,000 points.",
            Table(["points", "rangewise", "memory", "Luminol, cited", "ratio", "spread"], rows),
            "Window detectors with default settings: fit to the first half of a noisy sine, then score all of it.",
            Table(["detector", "points", "fit and score", "memory", "spread"], window_rows),
        ],
        goals,
    )
