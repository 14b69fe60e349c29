"""Large blocks of memory are reused between calls. No result may share memory with another one that is still alive."""

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rangewise as rw

# Blocks of 2 MB and more are kept, at eight bytes per point. Similar lengths share blocks, others replace them.
LENGTHS = (270_000, 280_000, 400_000, 1_000)


def random_series(seed):
    draw = np.random.default_rng(seed)
    length = LENGTHS[seed % len(LENGTHS)]
    real = np.repeat(draw.random(length // 100) < 0.2, 100)
    # A quarter of the series has few distinct scores, so that the thresholds move to a smaller block.
    scores = draw.random(length) if seed // len(LENGTHS) % 4 else draw.integers(0, 50, length).astype(float)
    return real, scores


def arrays(seed):
    curve = rw.RangeModel(recall_bias="front").curve(*random_series(seed))
    return curve.thresholds, curve.precision, curve.recall


@pytest.mark.kernel
def test_results_keep_their_values_while_others_are_created_and_deleted():
    order = random.Random(7)
    alive, copies = {}, {}
    for step in range(60):
        seed = step % 16
        alive[seed] = arrays(seed)
        expected = copies.setdefault(seed, [each.copy() for each in alive[seed]])
        for each, before in zip(alive[seed], expected, strict=True):
            assert np.array_equal(each, before)
        for seed in order.sample(sorted(alive), len(alive) // 2):
            for each, before in zip(alive.pop(seed), copies[seed], strict=True):
                assert np.array_equal(each, before)


@pytest.mark.kernel
def test_threads_do_not_share_blocks():
    expected = {seed: arrays(seed) for seed in range(8)}

    def differs(seed):
        return [not np.array_equal(each, before) for each, before in zip(arrays(seed), expected[seed], strict=True)]

    with ThreadPoolExecutor(8) as pool:
        assert not any(any(differences) for differences in pool.map(differs, list(range(8)) * 6))
