"""Kill drivers, workers and Dask workers with SIGKILL at random moments; nothing acknowledged is lost, and the end is that of a quiet run.

``python tests/bench/kill_rounds.py 50 10 10``: kills of drivers, of workers, of Dask workers. The tests do fewer.
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


def stable_rows(found):
    """The rows without what depends on the hour: times and memory."""
    timed = ("seconds_fit", "seconds_score", "peak_memory")
    return [{name: value for name, value in row.items() if name not in timed} for row in found.rows()]


def digest(found):
    return hashlib.sha256(repr(stable_rows(found)).encode()).hexdigest()


def acknowledged(store):
    """The finished rows of a store, by run and metric."""
    if not store.is_file():
        return {}
    try:
        found = rw.bench.read(store)
    except ValueError:
        return {}  # made, but no run has begun
    rows = {(row["detector"], row["series"], row["metric"]): repr(row) for row in found.rows() if row["status"] != "waiting"}
    found.close()
    return rows


def kill_drivers(folder, toml, rounds, chance):
    """Returns (kills, rows that were acknowledged at kills, rows lost, finished runs); every finished run equals the quiet one."""
    quiet = digest(rw.bench.run(toml, workers=2))
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
            found = rw.bench.read(store)
            assert digest(found) == quiet, "a run that was killed and went on differs from a quiet one"
            found.close()
            finished += 1
            number += 1
            store = folder / f"kills-{number}.rwbench"
    end = rw.bench.run(toml, store=store, workers=2)
    assert digest(end) == quiet, "a run that was killed and went on differs from a quiet one"
    return kills, seen, lost, finished + 1


def kill_slots(toml, rounds, chance):
    """Kill workers of a run in this process while it goes on; its end equals the quiet one."""
    quiet = digest(rw.bench.run(toml, workers=2))
    kills = runs = 0
    due = time.monotonic() + chance.uniform(0.3, 1.0)

    def watch(state):
        nonlocal kills, due
        if kills < rounds and time.monotonic() > due:
            workers = _slots(os.getpid())
            if workers:
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(workers), signal.SIGKILL)
                    kills += 1
                due = time.monotonic() + chance.uniform(0.3, 1.0)

    while kills < rounds:
        assert digest(rw.bench.run(toml, workers=2, progress=watch)) == quiet, "a run whose workers were killed differs from a quiet one"
        runs += 1
    return kills, runs


def kill_workers(toml, rounds, chance, cluster, client):
    """Kill Dask workers while their cluster runs an experiment; its end equals the local, quiet one."""
    quiet = digest(rw.bench.run(toml, workers=2))
    kills = runs = 0
    due = time.monotonic() + chance.uniform(0.5, 1.5)

    def watch(state):
        nonlocal kills, due
        if kills < rounds and state.done and time.monotonic() > due:
            pids = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
            # Only workers that are up: a nanny gives up when its worker dies while it starts.
            if pids and len(client.nthreads()) == len(pids) == len(cluster.workers):
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(pids), signal.SIGKILL)
                    kills += 1
                due = time.monotonic() + chance.uniform(1.0, 3.0)

    while kills < rounds:
        found = rw.bench.run(toml, client=client, progress=watch)
        assert digest(found) == quiet, "a run whose Dask workers were killed differs from a quiet one"
        runs += 1
    return kills, runs


def _slots(pid):
    return [each for each in tree(pid)[1:] if b"worker_child" in _command(each)]


def _command(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _wait_until_gone(pids):
    """A worker ends when its parent dies: all of what was below the driver is gone in a moment."""
    end = time.monotonic() + 10
    while any(_command(pid) for pid in pids):
        assert time.monotonic() < end, "a worker outlived its driver"
        time.sleep(0.02)


def main():
    drivers, workers, workers = (int(text) for text in (*sys.argv[1:], "50", "10", "10")[:3])
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        toml = write_experiment(folder)
        kills, seen, lost, finished = kill_drivers(folder, toml, drivers, chance)
        print(f"drivers: {kills} kills, {seen} acknowledged rows at the kills, {lost} lost, {finished} finished runs equal to a quiet one")
        kills, runs = kill_slots(toml, workers, chance)
        print(f"workers: {kills} kills in {runs} runs, each equal to a quiet one")
        import dask
        from distributed import Client, LocalCluster

        # A LocalCluster gives a place up whose worker is away at an unlucky moment; a supervisor would not.
        patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
        with (
            patience,
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
            Client(cluster) as client,
        ):
            kills, runs = kill_workers(toml, workers, chance, cluster, client)
        print(f"Dask workers: {kills} kills in {runs} runs, each equal to a quiet one")


if __name__ == "__main__":
    main()
