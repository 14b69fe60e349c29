"""Events of 4,360 hours of recordings by a protocol, and every threshold of a million ranges with a confidence."""

from __future__ import annotations

import numpy as np

from benchmarks.report import Goal, Section, Table, count_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

LONGEST_PROTOCOL, LONGEST_CURVE = 1.0, 2.0
_SPAN = 4_360 * 3_600


def run(settings: Settings) -> Section:
    import rangewise as rw

    rng = np.random.default_rng(0)
    predicted_count, scored_count = (10**3, 10**4) if settings.quick else (3 * 10**4, 10**6)
    settings.say(f"events: 4,360 hours, {predicted_count:,} predicted")
    real, predicted, ignored = _events(rng, 1_000, 90), _events(rng, predicted_count, 60), _events(rng, 500, 600)
    protocols = compare(
        {
            "`szcore`": lambda: rw.score_events(real, predicted, protocol="szcore", span=(0, _SPAN)),
            "`szcore`, 500 intervals ignored": lambda: rw.score_events(real, predicted, protocol="szcore", span=(0, _SPAN), ignore=ignored),
            "`ovlp`": lambda: rw.score_events(real, predicted, protocol="ovlp", span=(0, _SPAN)),
            "`taes`": lambda: rw.score_events(real, predicted, protocol="taes", span=(0, _SPAN)),
        },
        settings.seconds,
    )
    settings.say(f"events: {scored_count:,} ranges with a confidence")
    scored = rw.ScoredRanges(np.column_stack([_events(rng, scored_count, 9), rng.random(scored_count)]))
    curves = compare(
        {"flat bias": lambda: rw.RangeModel().curve(real, scored), "front bias": lambda: rw.early.curve(real, scored)}, settings.seconds
    )
    return Section(
        "Events in seconds",
        [
            f"`rw.score_events` of 4,360 hours, as many as a challenge of 2025 had: 1,000 real, {count_text(predicted_count)} predicted:",
            Table(
                ["protocol", "time", "spread"], [[name, time_text(seconds), spread_text(seconds)] for name, seconds in protocols.items()]
            ),
            f"`model.curve` of {count_text(scored_count)} ranges with a confidence, all thresholds, on one core:",
            Table(["model", "time", "spread"], [[name, time_text(seconds), spread_text(seconds)] for name, seconds in curves.items()]),
        ],
        [
            Goal.at_most("4,360 hours by any protocol: under 1 s", max(protocols.values()), LONGEST_PROTOCOL, time_text),
            Goal.at_most("a million ranges at every threshold: under 2 s", max(curves.values()), LONGEST_CURVE, time_text),
        ],
    )


def _events(rng: np.random.Generator, count: int, longest: float) -> np.ndarray:
    """Disjoint pairs of seconds, in order."""
    starts = np.sort(rng.uniform(0, _SPAN - longest, count))
    stops = np.minimum(starts + rng.uniform(1, longest, count), np.append(starts[1:], _SPAN))
    return np.column_stack([starts, stops])
