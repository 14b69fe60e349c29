"""A year of alerts against a thousand incidents, from arrays and from tables; a rule at every threshold."""

from __future__ import annotations

import numpy as np

from benchmarks.report import Goal, Section, Table, count_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

LONGEST = 50e-3
LONGEST_BACKTEST = 5.0
_YEAR = 365 * 86_400
_RULES = ("HighLatency", "DiskFull", "ErrorRate", "NodeDown", "QueueLong")


def run(settings: Settings) -> Section:
    import polars as pl

    import rangewise as rw

    count = 10**4 if settings.quick else 10**5
    settings.say(f"alerts: {count:,}")
    rng = np.random.default_rng(0)
    incidents, alerts = _times(rng, 10**3, 7_200), _times(rng, count, 1_200)
    tables = [pl.DataFrame({"start": side[:, 0], "end": side[:, 1]}) for side in (incidents, alerts)]
    ruled = tables[1].with_columns(rule=pl.Series(rng.choice(_RULES, count)))
    shuffled = alerts[rng.permutation(count)]
    times = compare(
        {
            "pairs of datetime64, in order": lambda: rw.alert_summary(incidents, alerts),
            "pairs of datetime64, in no order": lambda: rw.alert_summary(incidents, shuffled),
            "tables of polars": lambda: rw.alert_summary(*tables),
            "tables of polars, by five rules": lambda: rw.alert_summary(tables[0], ruled, by="rule"),
        },
        settings.seconds,
    )
    samples = 10**4 if settings.quick else 10**5
    settings.say(f"backtest: {samples:,} samples, 50 values of for")
    values, trouble = _metric(rng, samples)
    holds = [15 * steps for steps in range(50)]
    backtest = compare({"backtest": lambda: rw.backtest(trouble, values, interval="15s", for_=holds)}, settings.seconds)["backtest"]
    worst = max(seconds for name, seconds in times.items() if "rules" not in name)
    return Section(
        "Incidents against alerts",
        [
            f"`rw.alert_summary` of a year: 1,000 incidents, {count_text(count)} alerts:",
            Table(["given as", "time", "spread"], [[name, time_text(seconds), spread_text(seconds)] for name, seconds in times.items()]),
            f"`rw.backtest` of {count_text(samples)} samples and 100 incidents, all thresholds of 50 values of `for`, on one core:",
            Table(["", "time", "spread"], [["the front and the best rule", time_text(backtest), spread_text(backtest)]]),
        ],
        [
            Goal.at_most("a year of alerts without rules: under 50 ms", worst, LONGEST, time_text),
            Goal.at_most("100,000 samples, 50 values of for, all thresholds: under 5 s", backtest, LONGEST_BACKTEST, time_text),
        ],
    )


def _times(rng: np.random.Generator, count: int, longest: int) -> np.ndarray:
    starts = np.sort(rng.integers(0, _YEAR, count))
    seconds = np.column_stack([starts, starts + rng.integers(60, longest, count)])
    return (np.datetime64("2024-01-01", "s") + seconds.astype("timedelta64[s]")).astype("datetime64[ns]")


def _metric(rng: np.random.Generator, count: int) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Noise with a hundred incidents that raise it, as rows."""
    values = rng.gamma(2.0, 1.0, count)
    starts = np.arange(100) * (count // 100) + 20
    incidents = [(int(start), int(start) + int(length)) for start, length in zip(starts, rng.integers(5, 60, 100), strict=True)]
    for start, stop in incidents:
        values[start:stop] += rng.uniform(1.0, 6.0)
    return values, incidents
