"""What the benchmark runner itself costs: CPU of a slot a cell, many small cells, resamples, status of a large store.

``python -m benchmarks.bench_runner``; CPU seconds are of this process and of its children.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import rangewise as rw
from rangewise.bench.experiment import Experiment, Limits
from rangewise.bench.metric_choice import Scored
from rangewise.bench.pool import Crew
from rangewise.bench.results import read
from rangewise.bench.statistics import TallyTable, bootstrap
from rangewise.bench.store import Store
from rangewise.bench.work import Job, Outcome


def main() -> None:
    cells = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    print(f"resamples: 10,000 x 1,000 series x 10 detectors: {resamples():.2f} s CPU")
    empty, whole = overhead()
    print(
        f"slot: an empty job {empty * 1e3:.2f} ms CPU, both processes; a cell with its store, beyond a plain loop, {whole * 1e3:.2f} ms CPU"
    )
    wall, count = small_cells(cells)
    print(f"{count:,} small cells of 2,000 points, 2 workers, with a store: {wall:.1f} s wall")
    print(f"status of a store of 10^5 cells: {status():.2f} s CPU")


def cpu() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def resamples() -> float:
    random = np.random.default_rng(1)
    counts = random.integers(1, 9, size=(1_000, 10, 4)).astype(float)
    counts[..., [0, 2]] *= 0.5
    table = TallyTable(tuple(map(str, range(10))), tuple(map(str, range(1_000))), counts)
    begin = time.process_time()
    bootstrap(table, resamples=10_000)
    return time.process_time() - begin


def experiment(series: int) -> Experiment:
    return Experiment(
        name="small",
        detectors=["z-score", "random", "constant", {"name": "moving-z-score", "settings": {"window": [50, 100]}}],
        series=[{"generate": {"base": "sine", "length": 2_000, "seed": list(range(series))}}],
        metrics=["early", "classical", "late"],
        limits=Limits(seconds=60),
    )


def overhead() -> tuple[float, float]:
    """CPU seconds a job: nothing but the way to the slot and back; and a whole cell with its store less the same work in a loop."""
    from rangewise.bench.runs import make_plan
    from rangewise.bench.work import judge, predict

    plan = make_plan(experiment(200))
    kept = predict(plan.cells[0]).prediction
    with Crew(1, Limits()) as crew:
        crew.work(iter([Job(plan.cells[0], (), kept)]), lambda *answer: None)
        pid = crew.slots[0].pid
        begin, child = time.process_time(), _child_cpu(pid)
        crew.work((Job(cell, (), kept) for cell in plan.cells), lambda *answer: None)
        empty = (time.process_time() - begin + _child_cpu(pid) - child) / len(plan.cells)
        with tempfile.TemporaryDirectory() as folder, Store.writing(Path(folder) / "small.rwbench", "small") as store:
            store.begin_run(plan, {})

            def done(job: Job, outcome: Outcome | None, scores: dict[str, Scored]) -> None:
                store.add(job.cell.key, outcome, scores, Limits(), keep_scores=True)

            begin, child = time.process_time(), _child_cpu(pid)
            crew.work((Job(cell, plan.metrics) for cell in plan.cells), done)
            whole = time.process_time() - begin + _child_cpu(pid) - child
    begin = time.process_time()
    for cell in plan.cells:
        found = predict(cell).prediction
        assert found is not None
        judge(Job(cell, plan.metrics), found)
    plain = time.process_time() - begin
    return empty, (whole - plain) / len(plan.cells)


def _child_cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def small_cells(cells: int) -> tuple[float, int]:
    made = experiment(cells // 5)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        found = rw.bench.run(made, store=Path(folder) / "small.rwbench", workers=2)
        wall = time.monotonic() - begin
        count = found.counts()["ok"]
        found.close()
    return wall, count


def status() -> float:
    """A store with the rows of 10^5 cells, as a run would have left it."""
    from rangewise.bench.runner import shown
    from rangewise.bench.runs import Cell, Plan, make_plan

    made = experiment(20)
    small = make_plan(made)
    cells = tuple(
        Cell(f"{number:032x}", small.cells[number % 100].detector, small.cells[number % 100].series, number, 0) for number in range(100_000)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.rwbench"
        with Store.writing(path, "small") as store:
            store.begin_run(Plan(made, small.series, cells), shown(made))
            with store.transaction() as write:
                write.executemany(
                    "INSERT INTO result VALUES (?, 1, 'ok', '', '', 0.1, 0.1, 1000, 1, 1)", [(cell.key,) for cell in cells[:90_000]]
                )
        begin = time.process_time()
        found = read(path)
        assert sum(found.counts().values()) == 100_000
        found.slowest(), found.runs()
        found.close()
        return time.process_time() - begin


if __name__ == "__main__":
    main()
