import numpy as np
import pytest

from rangewise.audits.overlaps import LENGTH, check_overlaps
from rangewise.datasets import Series


def walk(seed, rows=3000):
    return np.random.default_rng(seed).normal(size=rows).cumsum()


@pytest.mark.parametrize("seed", range(20))
def test_a_scaled_stretch_is_found_where_it_lies(seed):
    random = np.random.default_rng(seed)
    a, b = walk(2 * seed), walk(2 * seed + 1)
    here, there, rows = random.integers(0, 2000), random.integers(0, 2000), 700
    b[there : there + rows] = random.uniform(0.1, 10) * a[here : here + rows] + random.uniform(-50, 50)
    (found,) = check_overlaps([Series("a", a), Series("b", b)])
    assert (found.series, found.other) == ("b", "a")
    (start, stop) = found.where[0]
    assert there <= start
    assert stop <= there + rows
    assert stop - start > rows - 2 * LENGTH


def test_series_of_their_own_share_nothing():
    assert list(check_overlaps([Series(str(seed), walk(seed)) for seed in range(30)])) == []


def test_what_hardly_moves_or_recurs_is_no_evidence():
    flat = np.zeros(3000)
    flat[::40] = 1.0
    wave = np.sin(2 * np.pi * np.arange(3000) / 50)
    pairs = [
        Series("a", flat),
        Series("b", flat),
        Series("c", wave),
        Series("d", wave),
        Series("e", np.full(3000, np.nan)),
        Series("f", [1.0]),
    ]
    assert list(check_overlaps(pairs)) == []


def test_the_most_alike_is_named():
    a, b = walk(1), walk(2)
    both = np.concatenate([a[:600], b[:1500]])
    (found,) = check_overlaps([Series("a", a), Series("b", b), Series("both", both)])
    assert found.other == "b"
    assert "and 1 more series share some" in found.message
