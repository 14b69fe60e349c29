"""Many series, one threshold for all of them, how soon a command answers, and Parquet files on two workers."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inputs import both_sides, scores_for
from benchmarks.report import Goal, Section, Table, bytes_text, count_text, ratio_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

COLUMNS = {"series": "s", "real": "r", "predicted": "p"}
Part = tuple[str, Table, list[Goal]]


def run(settings: Settings) -> Section:
    parts = [part(settings) for part in (_many, _pooled, _commands, _cluster)]
    goals = [goal for _, _, found in parts for goal in found]
    return Section("Scale", [block for text, table, _ in parts for block in (text, table)], [] if settings.quick else goals)


def _many(settings: Settings) -> Part:
    import polars as pl

    import rangewise as rw

    series, length = (100, 100) if settings.quick else (100_000, 100)
    settings.say(f"scale: {series:,} series")
    real, predicted = both_sides(series * length)
    frame = pl.DataFrame({"s": np.repeat(np.arange(series), length), "r": real.astype(np.int64), "p": predicted.astype(np.int64)})
    detectors = {f"p{number}": pl.Series(np.roll(predicted, number).astype(np.int64)) for number in range(10)}
    wide, one = frame.with_columns(**detectors), frame.with_columns(s=pl.lit(7, dtype=pl.Int64))
    sides = frame["r"].to_numpy(), frame["p"].to_numpy()
    calls = {
        "series": lambda: rw.score_many(frame, **COLUMNS),
        "sums": lambda: frame.group_by("s", maintain_order=True).agg(pl.col("r").sum(), pl.col("p").sum()),
        "ten": lambda: rw.score_many(wide, **COLUMNS | {"predicted": list(detectors)}),
        "one": lambda: rw.score_many(one, **COLUMNS),
        "score": lambda: rw.score(*sides),
    }
    times = compare(calls, 2 * settings.seconds)
    sums, ten, single = times["series"] / times["sums"], times["ten"] / times["series"], times["one"] / times["score"]
    rows = [
        ["`score_many`, a column", time_text(times["series"]), f"{ratio_text(sums)} polars' sums"],
        ["polars `group_by().agg(sum, sum)`", time_text(times["sums"]), "-"],
        ["`score_many`, ten columns", time_text(times["ten"]), f"{ratio_text(ten)} one column"],
        ["`score_many`, all one series", time_text(times["one"]), f"{ratio_text(single)} `rw.score`"],
        ["`rw.score`", time_text(times["score"]), "-"],
    ]
    goals = [
        Goal("100,000 series of 100 points: at most 2 x polars' sums by series", ratio_text(sums), sums <= 2),
        Goal("ten detectors' columns: at most 6 x one", ratio_text(ten), ten <= 6),
        Goal("10,000,000 points in one series by score_many: at most 3 x rw.score", ratio_text(single), single <= 3),
    ]
    return (
        f"{series:,} series of {length} points, sorted by an integer column, int64 labels:",
        Table(["call", "time", "ratio"], rows),
        goals,
    )


def _pooled(settings: Settings) -> Part:
    import rangewise as rw

    series, length = (10, 100) if settings.quick else (1000, 1000)
    settings.say("scale: pooled curve")
    real, predicted = both_sides(series * length)
    scores, model = scores_for(predicted), rw.RangeModel(cardinality="reciprocal", recall_bias="front")
    corpus = {at: (real[at * length : (at + 1) * length], scores[at * length : (at + 1) * length]) for at in range(series)}
    calls = {"pooled": lambda: rw.pooled_curve(corpus, model=model), "curve": lambda: model.curve(real, scores)}
    times = compare(calls, 2 * settings.seconds)
    ratio = times["pooled"] / times["curve"]
    rows = [["`pooled_curve`", time_text(times["pooled"]), ratio_text(ratio)], ["`curve` of one series", time_text(times["curve"]), "-"]]
    goal = Goal("pooled_curve of 1,000 x 1,000 points: at most 1.3 x the curve of one series", ratio_text(ratio), ratio <= 1.3)
    return f"One threshold for {series:,} series of {length:,} points:", Table(["call", "time", "ratio"], rows), [goal]


def _commands(settings: Settings) -> Part:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("real.txt", "predicted.txt")]
        for file, labels in zip(files, both_sides(10**4), strict=True):
            file.write_text("\n".join(map(str, labels.tolist())))
        commands = {
            "`import numpy`": ["-c", "import numpy"],
            "`rangewise --version`": ["-m", "rangewise", "--version"],
            "`rangewise score` of 10,000 labels": ["-m", "rangewise", "score", *map(str, files)],
        }
        least = dict.fromkeys(commands, float("inf"))
        for turn in range(1 if settings.quick else 15):
            settings.say(f"scale: commands {turn + 1}")
            for name, arguments in commands.items():
                begin = time.perf_counter()
                subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
                least[name] = min(least[name], time.perf_counter() - begin)
    numpy, version, score = least.values()
    rows = [[name, time_text(seconds), ratio_text(seconds / numpy)] for name, seconds in least.items()]
    goals = [
        Goal("`rangewise --version`: at most 2 x `import numpy`", ratio_text(version / numpy), version <= 2 * numpy),
        Goal("`rangewise score` of 10,000 labels: at most 2.5 x `import numpy`", ratio_text(score / numpy), score <= 2.5 * numpy),
    ]
    return "A fresh process, the least of several, in turn:", Table(["process", "time", "by NumPy"], rows), goals


def _cluster(settings: Settings) -> Part:
    import distributed
    import polars as pl

    import rangewise as rw
    from rangewise.many.batches import Columns
    from rangewise.many.gathered import BatchJob, gather

    files, points = (4, 10**4) if settings.quick else (64, 10**8 // 64)
    real, predicted = both_sides(points)
    loopback = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(files):
            settings.say(f"scale: file {number + 1} of {files}")
            names = np.repeat(np.arange(100 * number, 100 * number + 100), -(-points // 100))[:points]
            pl.DataFrame({"s": names, "r": real, "p": predicted}).write_parquet(Path(folder) / f"part-{number}.parquet")
        jobs = (BatchJob("p", rw.RangeModel()),)
        part = gather(pl.scan_parquet(Path(folder) / "part-0.parquet"), Columns("s", "r", ("p",)), jobs, goes_on=True)
        sent = len(pickle.dumps(part)) / len(part.places)
        alone, local = _second_run(lambda: rw.score_many(folder, **COLUMNS))
        settings.say("scale: two workers")
        with distributed.LocalCluster(**loopback) as cluster, distributed.Client(cluster) as client:
            shared, found = _second_run(lambda: rw.score_many(folder, **COLUMNS, client=client))
            same = found == local
            peak = max(client.run(_peak_bytes).values())
    ratio, what = shared / alone, f"{count_text(files * points)} points in {files} Parquet files"
    rows = [["here", time_text(alone), "-", "-"], ["two workers", time_text(shared), ratio_text(ratio), bytes_text(peak)]]
    text = (
        f"{what}, {100 * files:,} series; the two results are {'equal, bit for bit' if same else '**different**'}. A worker sends "
        f"{bytes_text(sent)} a series. Memory is the peak of a worker, Python and its libraries included; times are those of a second run."
    )
    goal = Goal(f"{what} on two workers: at most 1.5 x the time here", ratio_text(ratio), same and ratio <= 1.5)
    return text, Table(["where", "time", "ratio", "memory"], rows), [goal]


def _second_run(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of the second call: the first one imports libraries, on each worker its own, and fills the file cache."""
    call()
    begin = time.perf_counter()
    found = call()
    return time.perf_counter() - begin, found


def _peak_bytes() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
