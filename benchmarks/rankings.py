"""Many detectors on many series: resampling by series and by collection, a ranking under all settings, a model fitted to judgements."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.report import Goal, Section, Table, count_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

DETECTORS, SERIES, COLLECTIONS, RESAMPLES, JUDGEMENTS = 50, 1_000, 40, 10_000, 200
MOST_SECONDS = {"by collection": 1.0, "ranking": 2.0, "fit_model": 1.0}


def run(settings: Settings) -> Section:
    import rangewise as rw
    from rangewise.bench.statistics import bootstrap_means

    detectors, series, resamples, judged = (5, 40, 200, 10) if settings.quick else (DETECTORS, SERIES, RESAMPLES, JUDGEMENTS)
    settings.say(f"rankings: {detectors} detectors, {series:,} series")
    random = np.random.default_rng(0)
    names = tuple(f"detector {number}" for number in range(detectors))
    values = random.random((series, detectors))
    collections = [f"collection {number % COLLECTIONS}" for number in range(series)]
    real, predicted = _many(random, names, series)
    judgements = [
        (real[at % series], predicted[names[at % detectors]][at % series], predicted[names[(7 * at + 1) % detectors]][at % series])
        for at in range(judged)
    ]
    calls = {
        "by series": lambda: bootstrap_means(values, names, resamples=resamples),
        "by collection": lambda: bootstrap_means(values, names, resamples=resamples, groups=collections).rank_intervals(),
        "ranking": lambda: rw.ranking(real, predicted),
        "summary": lambda: str(rw.ranking(real, predicted)),
        "fit_model": lambda: rw.fit_model(judgements),
    }
    times = compare(calls, settings.seconds)
    sizes = f"{detectors} detectors x {count_text(series)} series"
    shown = {
        "by series": f"{count_text(resamples)} resamples of {sizes}: means",
        "by collection": f"{count_text(resamples)} resamples of {sizes} by collection: means and intervals of ranks",
        "ranking": f"`rw.ranking` of {sizes}, pairs of rows",
        "summary": "the same with its summary as text, which has all borders and dominance in all resamples",
        "fit_model": f"`rw.fit_model` with {judged} judgements",
    }
    return Section(
        "Rankings",
        [
            f"Five real ranges per series; {min(COLLECTIONS, series)} collections; lists of pairs, read and checked as any input.",
            Table(["call", "time", "spread"], [[shown[name], time_text(each), spread_text(each)] for name, each in times.items()]),
        ],
        []
        if settings.quick
        else [Goal.at_most(f"{shown[name]}: under {most:g} s", times[name], most, time_text) for name, most in MOST_SECONDS.items()],
    )


def _many(random: np.random.Generator, names: tuple[str, ...], series: int) -> tuple[dict[int, Any], dict[str, dict[int, Any]]]:
    starts = np.arange(100, 1_000, 200)
    real = {at: [(int(start), int(start) + 10) for start in starts] for at in range(series)}
    places = (starts + random.integers(-9, 9, size=(len(names), series, len(starts)))).tolist()
    predicted = {
        name: {at: [(start, start + 8) for start in row] for at, row in enumerate(own)} for name, own in zip(names, places, strict=True)
    }
    return real, predicted
