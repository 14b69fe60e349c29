"""Parquet files on two workers of Dask, beside the same work without a cluster.

`python -m benchmarks.cluster --points 1e8 --files 64` for another size.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.inputs import both_sides
from benchmarks.load import Watch
from benchmarks.report import Goal, Section, Table, bytes_text, count_text, page, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

COLUMNS = {"series": "s", "real": "r", "predicted": "p"}
SERIES_A_FILE = 100
POINTS, FILES = 10**9, 640
MOST_BY_ALONE, MOST_BY_QUARTER = 1.3, 1.25
LOOPBACK = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}


def run(settings: Settings) -> Section:
    return measure(10**5, 8, settings) if settings.quick else measure(POINTS, FILES, settings)


def measure(points: int, files: int, settings: Settings) -> Section:
    import distributed

    import rangewise as rw

    with tempfile.TemporaryDirectory() as folder:
        whole, quarter = Path(folder) / "whole", Path(folder) / "quarter"
        _write(whole, points // files, files, settings)
        quarter.mkdir()
        for number in range(files // 4):
            (quarter / f"part-{number}.parquet").symlink_to(whole / f"part-{number}.parquet")
        settings.say("cluster: two workers")
        with distributed.LocalCluster(**LOOPBACK) as cluster, distributed.Client(cluster) as client:
            calls = {
                "alone": lambda: rw.score_many(whole, **COLUMNS),
                "two workers": lambda: rw.score_many(whole, **COLUMNS, client=client),
            }
            rw.score_many(quarter, **COLUMNS, client=client)
            before = max(client.run(_peak_bytes).values())
            # The first call imports libraries, on each worker its own, and fills the file cache.
            same = calls["alone"]() == calls["two workers"]()
            times = compare(calls, max(settings.seconds, 5e-9 * points))
            peak = max(client.run(_peak_bytes).values())
        sent = _bytes_a_series(whole / "part-0.parquet")
    ratio, what = times["two workers"] / times["alone"], f"{count_text(points)} points in {files} Parquet files"
    rows = [
        ["here", time_text(times["alone"]), "-", "-", "-", spread_text(times["alone"])],
        ["two workers", time_text(times["two workers"]), ratio_text(ratio), bytes_text(before), bytes_text(peak), spread_text(ratio)],
    ]
    goal = Goal.at_most(f"{what} on two workers: at most {MOST_BY_ALONE} x the time here", ratio, MOST_BY_ALONE)
    goals = [goal if same else Goal(goal.what, "different results", False)]
    if peak:
        grown = f"{what}: a worker's memory at most {MOST_BY_QUARTER} x that of a quarter of the files"
        goals.append(Goal.at_most(grown, peak / before, MOST_BY_QUARTER))
    return Section(
        "Two workers",
        [
            f"`rw.score_many` of {what}, {count_text(SERIES_A_FILE * files)} series, with and without `client=`; the two results are "
            f"{'equal, bit for bit' if same else '**different**'}. A worker sends {bytes_text(sent)} per series. Memory is the peak of a "
            "worker, Python and its libraries included, after a quarter of the files and after all of them, several times.",
            Table(["where", "time", "ratio", "memory, a quarter", "memory, all", "spread"], rows),
        ],
        [] if settings.quick else goals,
    )


def _write(folder: Path, points: int, files: int, settings: Settings) -> None:
    import polars as pl

    folder.mkdir()
    real, predicted = both_sides(points)
    for number in range(files):
        settings.say(f"cluster: file {number + 1} of {files}")
        first = SERIES_A_FILE * number
        names = np.repeat(np.arange(first, first + SERIES_A_FILE), -(-points // SERIES_A_FILE))[:points]
        pl.DataFrame({"s": names, "r": real, "p": predicted}).write_parquet(folder / f"part-{number}.parquet")


def _bytes_a_series(file: Path) -> float:
    import polars as pl

    import rangewise as rw
    from rangewise.many.batches import Columns
    from rangewise.many.gathered import BatchJob, gather

    part = gather(pl.scan_parquet(file), Columns(("s",), "r", ("p",)), (BatchJob("p", rw.RangeModel()),), goes_on=True)
    return len(pickle.dumps(part)) / len(part.places)


def _peak_bytes() -> int:
    """The peak of this process; 0 if the system does not report it. `ru_maxrss` would be at least that of the process that started it."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=lambda text: int(float(text)), default=POINTS, help="such as 1e8")
    parser.add_argument("--files", type=int, default=FILES)
    given = parser.parse_args()
    watch = Watch()
    section = measure(given.points, given.files, Settings(say=lambda text: print(text, end="   \r", file=sys.stderr, flush=True)))
    section = Section(section.title, section.blocks, section.goals, watch.load().text())
    print(page([section], f"python -m benchmarks.cluster --points {given.points} --files {given.files}"))


if __name__ == "__main__":
    main()
