"""Detectors that loop, crash, exhaust memory, print and fork: each is recorded with a reason, and the next run starts."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import rangewise as rw
from rangewise.bench.processes import tree
from rangewise.bench.work import found_by
from rangewise.detectors.base import Detector

HERE = Path(__file__).parent
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def run(detectors, **limits):
    experiment = rw.bench.Experiment(
        name="faults", detectors=[f"faulty:{name}" for name in detectors],
        series=[{"generate": {"base": "sine", "length": 1000, "seed": 1}}], limits=rw.bench.Limits(**limits), folder=HERE, baselines=False,
    )  # fmt: skip
    return {row["detector"]: row for row in rw.bench.run(experiment, workers=2).rows()}


def test_stops_endless_detectors_even_in_c():
    rows = run(["Loops", "LoopsInC", "Good"], seconds=5)
    assert [rows[name]["status"] for name in ("Loops", "LoopsInC", "Good")] == ["timeout", "timeout", "ok"]
    assert rows["Loops"]["message"] == "stopped after the limit of 5 s"


def test_stops_detectors_at_the_memory_limit():
    # The time limit is far away, because filling the memory takes a while on a loaded machine.
    rows = run(["Allocates", "AsksForTooMuch", "ForksAndEats", "Good"], seconds=3600, memory="300 MB")
    assert {rows[name]["status"] for name in ("Allocates", "AsksForTooMuch", "ForksAndEats")} == {"memory"}
    assert rows["Allocates"]["message"] == "stopped at the limit of 300 MB"
    assert rows["Allocates"]["peak_memory"] > 300e6
    assert rows["Good"]["status"] == "ok"


def test_crashes_exceptions_and_invalid_output_are_recorded():
    rows = run(
        ["Exits", "Segfaults", "Aborts", "KillsItself", "LeavesPython", "Raises", "WrongLength", "MinusOne", "Prints", "Good"], seconds=60
    )
    reasons = {name: (row["status"], row["message"].partition(",")[0]) for name, row in rows.items()}
    assert reasons["Exits"] == ("crash", "exit code 3")
    assert reasons["Segfaults"] == ("crash", "signal 11 (SIGSEGV)")
    assert reasons["Aborts"] == ("crash", "signal 6 (SIGABRT)")
    assert reasons["KillsItself"] == ("crash", "signal 9 (SIGKILL)")
    assert reasons["LeavesPython"] == ("crash", "exit code 5")
    assert reasons["Raises"] == ("error", "ZeroDivisionError: division of the world by zero")
    assert "expected one per point" in rows["WrongLength"]["message"]
    assert "or 1 (anomalous)" in rows["MinusOne"]["message"]
    assert rows["Prints"]["status"] == rows["Good"]["status"] == "ok"


@linux
def test_forked_processes_end_with_their_run(monkeypatch):
    """Orphans get another parent, so the test looks for a variable that they inherit."""
    monkeypatch.setenv("RANGEWISE_TEST_FORKS", str(os.getpid()))
    rows = run(["Forks", "Good"], seconds=60)
    assert rows["Forks"]["status"] == rows["Good"]["status"] == "ok"
    end = time.monotonic() + 10
    while remaining := _processes_with(f"RANGEWISE_TEST_FORKS={os.getpid()}".encode()):
        assert time.monotonic() < end, f"processes of a finished run are left: {remaining}"
        time.sleep(0.02)


@linux
def test_worker_ends_when_its_parent_is_killed(tmp_path):
    """Even a worker that loops in C and holds the interpreter's lock."""
    program = (
        "import rangewise as rw, pathlib\n"
        f"rw.bench.run(rw.bench.Experiment(name='a', detectors=['faulty:LoopsInC'], series=[{{'generate': {{'length': 500}}}}], "
        f"folder=pathlib.Path({str(HERE)!r})), store={str(tmp_path / 'a.rwbench')!r})\n"
    )
    driver = subprocess.Popen([sys.executable, "-c", program])
    end = time.monotonic() + 60
    while not (workers := [pid for pid in tree(driver.pid)[1:] if b"worker_child" in _command(pid)]):
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.5)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    while any(_command(pid) for pid in workers):
        assert time.monotonic() < end, "a worker outlived its parent"
        time.sleep(0.02)


def test_gaps_are_closed_in_scores_too():
    """Metrics of scores and other threshold rules must see what the detector would predict."""
    detector = Detector.from_function(lambda rows: rows.ravel(), threshold=5.0, close_gaps=1).fit(np.arange(4.0))
    scores, labels, _ = found_by(detector, np.array([[9.0], [1.0], [8.0], [2.0]]))
    assert (scores.tolist(), labels.tolist()) == ([9.0, 8.0, 8.0, 2.0], [1, 1, 1, 0])


def test_converts_outliers_of_scikit_learn():
    """scikit-learn predicts -1 for an outlier, and its low scores are anomalous."""
    base = pytest.importorskip("sklearn.base")

    class Far(base.OutlierMixin):
        def decision_function(self, values):
            return 5.0 - np.abs(values[:, 0])

        def predict(self, values):
            return np.where(self.decision_function(values) < 0, -1, 1)

    scores, labels, _ = found_by(Far(), np.array([[0.0], [9.0], [1.0]]))
    assert (scores.tolist(), labels.tolist()) == ([-5.0, 4.0, -4.0], [0, 1, 0])


def test_nan_scores_fail_or_become_the_lowest():
    detector = Detector.from_function(lambda rows: rows.ravel(), threshold=5.0)
    object.__setattr__(detector, "decision_function", lambda values: np.array([9.0, np.nan, 6.0, 2.0]))
    detector.fit(np.arange(4.0))
    with pytest.raises(ValueError, match="score 1 is nan"):
        found_by(detector, np.zeros((4, 1)))
    scores, labels, _ = found_by(detector, np.zeros((4, 1)), "lowest")
    assert (scores.tolist(), labels.tolist()) == ([9.0, 2.0, 6.0, 2.0], [1, 0, 1, 0])


def _processes_with(variable):
    """Processes that were started with a variable in their environment."""
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and variable in _read(f"/proc/{pid}/environ").split(b"\0")]


def _command(pid):
    return _read(f"/proc/{pid}/cmdline")


def _read(path):
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
