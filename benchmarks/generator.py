"""Making labeled series, beside GutenTAG: a noisy sine of period 360 with ten anomalies of 75 points, and our own defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.peers import Job, Outcome, measure_peers
from benchmarks.report import Goal, Section, Table, count_text, number_text, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

LENGTHS = (10**5, 10**6, 10**7)
QUICK_LENGTHS = (10**4, 10**5)
PEER = "gutentag"
WORKERS = 2
KINDS = ("mean", "platform", "trend", "variance")
NUMBER, LENGTH, PERIOD = 10, 75, 360
POINTS_A_SECOND = 10**7
FASTER = 3.0


def run(settings: Settings) -> Section:
    from rangewise.datasets import Anomalies, generate

    lengths = QUICK_LENGTHS if settings.quick else LENGTHS
    alike = Anomalies(kinds=KINDS, exact_lengths=[LENGTH] * NUMBER)
    peer = measure_peers("generator", [PEER], [Job({}, length, {"length": length}) for length in lengths], settings).get(PEER, [])
    rows, speed, ratio, largest = [], 0.0, None, 0
    for number, length in enumerate(lengths):
        settings.say(f"generator: {length:,} points")
        times = compare(
            {
                "one": lambda length=length: generate("sine", length, anomalies=alike, noise=0.1),
                "two": lambda length=length: generate("sine", length, anomalies=alike, noise=0.1, workers=WORKERS),
                "defaults": lambda length=length: generate("sine", length, workers=WORKERS),
            },
            settings.seconds,
        )
        speed = length / times["defaults"]
        other = peer[number] if peer else Outcome(missing="left out")
        shown, by_ours = other.missing, "-"
        if other.seconds is not None:
            ratio, largest = other.seconds / times["two"], length
            shown, by_ours = time_text(other.seconds), ratio_text(ratio)
        rows.append(
            [
                count_text(length),
                *(time_text(times[name]) for name in ("one", "two", "defaults")),
                shown,
                by_ours,
                spread_text(times["two"]),
            ]
        )
    goals = [
        Goal.at_least(
            f"at least {count_text(POINTS_A_SECOND)} points per second to memory: sine with anomalies, {WORKERS} workers",
            speed,
            POINTS_A_SECOND,
            lambda speed: f"{number_text(speed)} a second",
        )
    ]
    if ratio is not None:
        what = f"{FASTER:g} x faster than GutenTAG on the same kind of series: {count_text(largest)} points, {WORKERS} workers"
        goals.append(Goal.at_least(what, ratio, FASTER))
    return Section(
        "Generating series",
        [
            f"A sine of period {PERIOD} with Gaussian noise and {NUMBER} anomalies of {LENGTH} points ({', '.join(KINDS)}) to memory, by "
            "`rangewise.datasets.generate` and by GutenTAG; and the default sine, without noise, with 4 points in 100 anomalous. GutenTAG "
            f"makes one series in one process on any machine, so the ratio is its time divided by ours with {WORKERS} workers.",
            Table(["points", "1 worker", f"{WORKERS} workers", f"default, {WORKERS} workers", "GutenTAG", "ratio", "spread"], rows),
        ],
        goals,
    )


def _gutentag(length: int) -> Callable[[], float]:
    from gutenTAG import GutenTAG

    # What each kind needs; GutenTAG's frequency counts the periods in 100 points.
    settings: dict[str, dict[str, Any]] = {
        "mean": {"offset": 0.2},
        "platform": {"value": 0.5},
        "trend": {"oscillation": {"kind": "sine", "frequency": 1}},
        "variance": {"variance": 0.1},
    }
    anomalies = [
        {"position": "middle", "length": LENGTH, "channel": 0, "kinds": [{"kind": kind, **settings[kind]}]}
        for kind in (KINDS[number % len(KINDS)] for number in range(NUMBER))
    ]
    base = {"kind": "sine", "frequency": 100 / PERIOD, "variance": 0.01}
    wanted = {"timeseries": [{"name": "sine", "length": length, "base-oscillations": [base], "anomalies": anomalies}]}

    def call() -> float:
        generator = GutenTAG(seed=1)
        generator.load_config_dict(wanted)
        made = generator.generate(return_timeseries=True)
        return float(len(made))

    return call


PEER_CALLS = {PEER: _gutentag}
