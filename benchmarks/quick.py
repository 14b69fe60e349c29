"""A short benchmark to run before and after a change: `make bench-quick`, two minutes.

It prints the CPU time of each call and its ratio to the last run, which is kept in build/. So run it, change the code, and run it again.
`--against FILE` compares with another run. Ratios are those of multiples of a fixed loop beside each call, so that a machine that became
slower in the meantime does not show.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import both_sides, scores_for
from benchmarks.load import Watch
from benchmarks.report import Table, ratio_text, spread_text, time_text
from benchmarks.timing import Measured

RESULT = Path(__file__).parent.parent / "build" / "bench-quick.json"
SECONDS = 100.0
# A batch of a call, and the loop before and after it: short, so that both see the same machine, and longer than the clock's steps.
BATCH_SECONDS = 0.005
LEAST_ROUNDS = 3
NOTABLE = 0.05


def calls() -> dict[str, Callable[[], object]]:
    """What users wait for, one line each."""
    import polars as pl

    import rangewise as rw
    from rangewise.bench.statistics import bootstrap_means
    from rangewise.metrics import vus_pr

    model = rw.RangeModel(cardinality="reciprocal", recall_bias="front")
    short, long = both_sides(10**3), both_sides(10**6)
    bools, integers = (tuple(side.astype(dtype) for side in long) for dtype in (np.bool_, np.int64))
    sparse = both_sides(10**6, 100)
    ranges = tuple(rw.Ranges.from_labels(side) for side in long)
    scores = scores_for(long[1])
    few = (long[0][: 10**5], scores[: 10**5])
    single = scores.astype(np.float32)
    frame = pl.DataFrame({"s": np.repeat(np.arange(10**4), 100), "r": integers[0], "p": integers[1]})
    wide = frame.with_columns(**{f"p{number}": pl.Series(np.roll(integers[1], number)) for number in range(10)})
    columns = {"series": "s", "real": "r"}
    values = np.random.default_rng(0).random((200, 10))
    days = {day: [(10 * at, 10 * at + 5) for at in range(5)] for day in range(100)}
    detectors = {name: {day: [(10 * at + shift, 10 * at + 6) for at in range(5)] for day in days} for shift, name in enumerate("abcde")}
    return {
        "score, 1,000 uint8 labels": lambda: rw.score(*short),
        "score, 10^6 uint8 labels": lambda: rw.score(*long),
        "score, 10^6 bool labels": lambda: rw.score(*bools),
        "score, 10^6 int64 labels": lambda: rw.score(*integers),
        "score, 10^6 labels, 100 ranges": lambda: rw.score(*sparse),
        "score, 5,000 ranges per side, front, reciprocal": lambda: model.score(*ranges),
        "curve, 10^5 scores": lambda: model.curve(*few),
        "curve, 10^6 scores": lambda: model.curve(long[0], scores),
        "curve, 10^6 float32 scores": lambda: model.curve(long[0], single),
        "VUS-PR, 10^5 scores": lambda: vus_pr(*few, buffer=100),
        "score_many, 10,000 series": lambda: rw.score_many(frame, **columns, predicted="p"),
        "score_many, ten columns": lambda: rw.score_many(wide, **columns, predicted=[f"p{number}" for number in range(10)]),
        "10^4 resamples, 10 detectors, 200 series": lambda: bootstrap_means(values, tuple("abcdefghij")),
        "ranking, 5 detectors, 100 series": lambda: rw.ranking(days, detectors),
    }


def measure(chosen: Mapping[str, Callable[[], object]], seconds: float) -> dict[str, tuple[Measured, Measured]]:
    """Of each call its seconds, and its multiple of the fixed loop, in rounds until the time is over."""
    sizes = {name: max(1, int(BATCH_SECONDS / max(_seconds(call, 2), 1e-6))) for name, call in chosen.items()}
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in chosen}
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < LEAST_ROUNDS or time.perf_counter() < end:
        for name, call in chosen.items():
            before, took, after = _seconds(_loop), _seconds(call, sizes[name]), _seconds(_loop)
            samples[name].append((took, 2 * took / (before + after)))
        rounds += 1
    return {name: (Measured(one for one, _ in found), Measured(each for _, each in found)) for name, found in samples.items()}


def _loop() -> None:
    """Python and memory, as the calls have both."""
    sum(range(20_000))
    np.count_nonzero(_BLOCK)


_BLOCK = np.zeros(10**6, dtype=np.uint8)


def _seconds(call: Callable[[], object], count: int = 1) -> float:
    """CPU seconds of one call, all threads together: unlike time on the clock, they pass only while this process runs."""
    begin = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - begin) / count


def ratio(now: Measured, then: Mapping[str, float]) -> tuple[float, float, float]:
    """This run by the other one: of the medians, and the least and the most of their quartiles.

    >>> [round(each, 3) for each in ratio(Measured([2.0, 2.1, 2.2]), {"median": 2.0, "low": 1.9, "high": 2.1})]
    [1.05, 0.976, 1.132]
    """
    return now / then["median"], now.low / then["high"], now.high / then["low"]


def verdict(low: float, high: float) -> str:
    """What the ratio says: by more than 5 %, and the quartiles of both runs do not overlap.

    >>> verdict(0.8, 0.9), verdict(0.9, 1.2), verdict(1.1, 1.3)
    ('faster', '', 'slower')
    """
    return "faster" if high < 1 - NOTABLE else "slower" if low > 1 + NOTABLE else ""


def table(found: Mapping[str, tuple[Measured, Measured]], against: Mapping[str, Mapping[str, float]] | None, quiet: bool = True) -> Table:
    """One row per call; on a machine that was not quiet without a verdict."""
    rows = []
    for name, (seconds, multiple) in found.items():
        row = [name, time_text(seconds), spread_text(multiple)]
        if against is not None:
            then = against.get(name)
            middle, low, high = ratio(multiple, then) if then else (0.0, 0.0, 0.0)
            row += (
                [ratio_text(middle), f"{ratio_text(low)} to {ratio_text(high)}", verdict(low, high) if quiet else ""]
                if then
                else ["new", "", ""]
            )
        rows.append(row)
    return Table(["call", "CPU time", "spread", *(["by the other run", "from, to", ""] if against is not None else [])], rows)


def kept(found: Mapping[str, tuple[Measured, Measured]]) -> dict[str, Any]:
    return {name: {"median": float(each), "low": each.low, "high": each.high} for name, (_, each) in found.items()}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quick", description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, metavar="FILE", help=f"compare with this run (default: the last one, {RESULT.name})")
    parser.add_argument("--output", type=Path, default=RESULT, metavar="FILE", help="keep this run there")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long to measure")
    given = parser.parse_args(arguments)
    other = given.against or given.output
    if given.against is not None and not given.against.is_file():
        parser.error(f"--against {given.against} does not exist")
    against = json.loads(other.read_text(encoding="utf-8")) if other.is_file() else None
    watch = Watch()
    found = measure(calls(), given.seconds)
    load = watch.load().text()
    print(table(found, against, quiet=not load).markdown())
    if load:
        print(f"\nThe machine was loaded, so there is no verdict, and small differences mean nothing: {load}.")
    print(f"\n{'Compared with ' + other.name if against else 'Run it again after your change to compare'}; kept as {given.output.name}.")
    given.output.parent.mkdir(parents=True, exist_ok=True)
    if given.output.is_file():
        given.output.replace(given.output.with_name(f"{given.output.stem}-before{given.output.suffix}"))
    given.output.write_text(json.dumps(kept(found), indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
