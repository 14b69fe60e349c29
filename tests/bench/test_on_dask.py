"""Runs on a real Dask cluster: the rows equal those of local runs bit for bit, whichever process is killed."""

import json
import random
import subprocess
import sys
import time
import warnings

import pytest

import rangewise as rw
from bench.kill_rounds import acknowledged, digest, kill_dask_workers, write_experiment
from rangewise import cli
from rangewise.bench import on_dask

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster():
    with (
        warnings.catch_warnings(),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield cluster, client


def test_rows_equal_the_local_ones_and_a_killed_worker_loses_nothing(cluster, tmp_path):
    toml = write_experiment(tmp_path, series=4, pause=0.3)
    assert kill_dask_workers(toml, 1, random.Random(2), *cluster) == (1, 1)


def test_short_runs_share_a_task_and_workers_end_with_the_experiment(cluster, tmp_path, monkeypatch):
    from rangewise.bench import on_dask

    client = cluster[1]
    sizes = []
    submit = client.submit

    def counted(function, batch, *rest, **options):
        sizes.append(len(batch))
        return submit(function, batch, *rest, **options)

    monkeypatch.setattr(client, "submit", counted)
    many = [{"generate": {"length": 300, "seed": list(range(60))}}]
    experiment = rw.bench.Experiment(name="short", detectors=["z-score", "random"], series=many, baselines=False)
    assert digest(rw.bench.run(experiment, client=client)) == digest(rw.bench.run(experiment, workers=2))
    assert sum(sizes) == 120
    # The number of runs per task depends on how long they take; on a busy machine it is smaller.
    assert max(sizes) > 1
    assert all(idle == 0 for idle in client.run(lambda: len(on_dask._idle) + len(on_dask._busy)).values())


def test_workers_of_another_version_are_named(cluster, monkeypatch):
    from rangewise.bench import on_dask

    experiment = rw.bench.Experiment(name="short", detectors=["z-score"], series=[{"generate": {"length": 300}}], baselines=False)
    monkeypatch.setattr(on_dask, "__version__", "0.0.1")
    with pytest.raises(ValueError, match=r"the driver has 0\.0\.1; install the same on both"):
        rw.bench.run(experiment, client=cluster[1])


def test_a_lost_scheduler_is_exit_code_4_and_the_same_command_goes_on(tmp_path, monkeypatch, capsys):
    toml, store = write_experiment(tmp_path, series=6), tmp_path / "kills.rwbench"
    file = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    begin = [sys.executable, "-m"]
    scheduler = subprocess.Popen(
        [*begin, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)], **quiet
    )
    worker = subprocess.Popen(
        [*begin, "distributed.cli.dask_worker", "--scheduler-file", str(file), "--no-nanny", "--no-dashboard", "--nthreads", "2"], **quiet
    )
    try:
        address, take = _address(file), on_dask._Driver.take

        def kill_and_take(driver):
            """Runs in the driver's own loop, so the kill comes after some runs and before the last on a machine of any speed."""
            if len(acknowledged(store)) >= 4:
                scheduler.kill()
                while on_dask._is_alive(driver.client):
                    time.sleep(0.01)
            take(driver)

        monkeypatch.setattr(on_dask._Driver, "take", kill_and_take)
        assert cli.run(["bench", "run", str(toml), "--store", str(store), "--scheduler", address]) == 4
        assert "is lost; finished runs are in the store" in capsys.readouterr().err
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    before = acknowledged(store)
    assert len(before) >= 4
    results = rw.bench.run(toml, store=store, workers=2)
    assert digest(results) == digest(rw.bench.run(toml, workers=2))
    after = acknowledged(store)
    assert all(after[key] == row for key, row in before.items())


def _address(file):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            return json.loads(file.read_text())["address"]
        except (OSError, ValueError):
            time.sleep(0.1)
    raise AssertionError("the scheduler did not start")
