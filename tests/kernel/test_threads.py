"""The kernel holds no state: eight threads over the same arrays get the results of one thread."""

import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rangewise as rw
from rangewise.metrics import vus_pr

THREADS = 8


@pytest.fixture(scope="module")
def shared():
    random = np.random.default_rng(36)
    labels = np.repeat(random.random(400) < 0.2, 25).astype(np.int8)
    scores = labels + random.normal(scale=0.7, size=labels.size).round(3)
    for array in (labels, scores):
        array.setflags(write=False)
    return labels, scores


def all_results(labels, scores, model):
    curve = model.curve(labels, scores)
    score = model.score(labels, scores > 0.5)
    tally = model.tally(labels, scores > 0.5)
    return curve.precision.tobytes(), curve.recall.tobytes(), score.f, score.real.reward.tobytes(), tally, vus_pr(labels, scores, buffer=20)


@pytest.mark.kernel
def test_eight_threads_over_shared_arrays(shared):
    model = rw.RangeModel(alpha=0.2, recall_bias="front", cardinality="reciprocal")
    expected = all_results(*shared, model)
    start = threading.Barrier(THREADS)

    def work(_):
        start.wait()
        return [all_results(*shared, model) == expected for _ in range(5)]

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(same for results in pool.map(work, range(THREADS)) for same in results)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="needs a free-threaded Python")
def test_kernel_does_not_enable_the_gil():
    # Python warns when a module asks for the GIL.
    code = "import sys, rangewise; rangewise.score([(0, 4)], [(1, 3)]); raise SystemExit(sys._is_gil_enabled())"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
