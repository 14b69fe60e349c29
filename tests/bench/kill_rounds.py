"""Kill drivers, workers and Dask workers with SIGKILL; no acknowledged row is lost, and the result equals that of an undisturbed run.

``python tests/bench/kill_rounds.py 50 10 10`` kills drivers 50 times, workers 10 times and Dask workers 10 times; the tests do fewer.
"""

import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import rangewise as rw
from rangewise.bench.processes import tree

HERE = Path(__file__).parent
_DIFFERS = "the result of a run with kills differs from that of an undisturbed one"
_TOML = """
name = "kills"
baselines = false
seed = 3
[limits]
seconds = 60
memory = "2 GB"
[[detector]]
python = "faulty:Good"
settings = {{ pause = {pause} }}
[[detector]]
python = "faulty:Good"
label = "Good b"
[[detector]]
python = "faulty:Raises"
[[detector]]
name = "random"
[[series]]
generate = {{ base = "sine", length = 1500, seed = {seeds} }}
[[metric]]
model = "early"
[[metric]]
name = "point_fbeta"
"""


def write_experiment(folder, series=12, pause=0.1):
    (folder / "faulty.py").write_bytes((HERE / "faulty.py").read_bytes())
    path = folder / "kills.toml"
    path.write_text(_TOML.format(pause=pause, seeds=list(range(series))))
    return path


def stable_rows(results):
    """The rows without what differs from run to run: times and memory."""
    timed = ("seconds_fit", "seconds_score", "peak_memory")
    return [{name: value for name, value in row.items() if name not in timed} for row in results.rows()]


def digest(results):
    return hashlib.sha256(repr(stable_rows(results)).encode()).hexdigest()


def acknowledged(store):
    """The finished rows of a store, by run and metric."""
    if not store.is_file():
        return {}
    try:
        results = rw.bench.read(store)
    except ValueError:
        return {}  # created, but no run has begun
    rows = {(row["detector"], row["series"], row["metric"]): repr(row) for row in results.rows() if row["status"] != "waiting"}
    results.close()
    return rows


def kill_drivers(folder, toml, rounds, chance):
    """Returns (kills, rows that were acknowledged at kills, rows lost, finished runs); every finished run equals the undisturbed one."""
    undisturbed = digest(rw.bench.run(toml, workers=2))
    kills = seen = lost = finished = number = 0
    store = folder / "kills-0.rwbench"
    command = [sys.executable, "-m", "rangewise", "bench", "run", str(toml), "--workers", "2", "--store"]
    while kills < rounds:
        driver = subprocess.Popen([*command, str(store)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Mostly while runs run; now and then while it still reads and plans.
        while chance.random() < 0.999 and driver.poll() is None and len(tree(driver.pid)) < 2:
            time.sleep(0.02)
        with suppress(subprocess.TimeoutExpired):
            driver.wait(chance.uniform(0.0, 2.0))
        if driver.poll() is None:
            before, below = acknowledged(store), tree(driver.pid)
            driver.send_signal(signal.SIGKILL)
            driver.wait()
            kills += 1
            _wait_until_gone(below)
            after = acknowledged(store)
            seen += len(before)
            lost += sum(after.get(key) != row for key, row in before.items())
        else:
            results = rw.bench.read(store)
            assert digest(results) == undisturbed, _DIFFERS
            results.close()
            finished += 1
            number += 1
            store = folder / f"kills-{number}.rwbench"
    assert digest(rw.bench.run(toml, store=store, workers=2)) == undisturbed, _DIFFERS
    return kills, seen, lost, finished + 1


def kill_workers(toml, rounds, chance):
    """Kill workers of a run in this process while it goes on; its result equals the undisturbed one. Returns (kills, runs)."""

    def running():
        return [each for each in tree(os.getpid())[1:] if b"worker_child" in _command(each)]

    return _kill_during_runs(toml, rounds, chance, running, workers=2)


def kill_dask_workers(toml, rounds, chance, cluster, client):
    """Kill Dask workers while their cluster runs an experiment; its result equals the local, undisturbed one. Returns (kills, runs)."""

    def running():
        pids = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
        # Only when all workers are up: a nanny gives up when its worker dies while it starts.
        return pids if len(client.nthreads()) == len(pids) == len(cluster.workers) else []

    return _kill_during_runs(toml, rounds, chance, running, client=client)


def _kill_during_runs(toml, rounds, chance, running, **how):
    """The first kill comes when a run of the experiment has finished, so after the start and before the end on a machine of any speed."""
    undisturbed = digest(rw.bench.run(toml, workers=2))
    kills = runs = 0
    due = 0.0

    def watch(state):
        nonlocal kills, due
        if kills < rounds and 0 < state.done < state.total and time.monotonic() > due and (pids := running()):
            with suppress(ProcessLookupError):
                os.kill(chance.choice(pids), signal.SIGKILL)
                kills += 1
            due = time.monotonic() + chance.uniform(0.3, 2.0)

    while kills < rounds:
        assert digest(rw.bench.run(toml, progress=watch, **how)) == undisturbed, _DIFFERS
        runs += 1
    return kills, runs


def _command(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _wait_until_gone(pids):
    """Workers end when their parent dies, so all processes below the driver are gone in a moment."""
    end = time.monotonic() + 10
    while any(_command(pid) for pid in pids):
        assert time.monotonic() < end, "a worker outlived its driver"
        time.sleep(0.02)


def main():
    drivers, workers, dask_workers = (int(text) for text in (*sys.argv[1:], "50", "10", "10")[:3])
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        toml = write_experiment(folder)
        kills, seen, lost, finished = kill_drivers(folder, toml, drivers, chance)
        print(f"drivers: {kills} kills, {seen} rows acknowledged before them, {lost} lost, {finished} runs equal to an undisturbed one")
        kills, runs = kill_workers(toml, workers, chance)
        print(f"workers: {kills} kills in {runs} runs, each equal to an undisturbed one")
        import dask
        from distributed import Client, LocalCluster

        # A LocalCluster does not restart a worker that dies at an unlucky moment; a supervisor would.
        patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
        with (
            patience,
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
            Client(cluster) as client,
        ):
            kills, runs = kill_dask_workers(toml, dask_workers, chance, cluster, client)
        print(f"Dask workers: {kills} kills in {runs} runs, each equal to an undisturbed one")


if __name__ == "__main__":
    main()
