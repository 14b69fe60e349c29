import numpy as np
import pytest

from rangewise.audits.overlaps import LENGTH, check_overlaps
from rangewise.datasets import Series


def walk(seed, rows=3000):
    return np.random.default_rng(seed).normal(size=rows).cumsum()


@pytest.mark.parametrize("seed", range(20))
def test_finds_scaled_copies_at_their_position(seed):
    random = np.random.default_rng(seed)
    a, b = walk(2 * seed), walk(2 * seed + 1)
    source, target, rows = random.integers(0, 2000), random.integers(0, 2000), 700
    b[target : target + rows] = random.uniform(0.1, 10) * a[source : source + rows] + random.uniform(-50, 50)
    (finding,) = check_overlaps([Series("a", a), Series("b", b)])
    assert (finding.series, finding.other) == ("b", "a")
    (start, stop) = finding.where[0]
    assert target <= start
    assert stop <= target + rows
    assert stop - start > rows - 2 * LENGTH


def test_independent_series_do_not_overlap():
    assert list(check_overlaps([Series(str(seed), walk(seed)) for seed in range(30)])) == []


def test_flat_and_periodic_parts_are_not_evidence():
    flat = np.zeros(3000)
    flat[::40] = 1.0
    wave = np.sin(2 * np.pi * np.arange(3000) / 50)
    series = [
        Series("a", flat),
        Series("b", flat),
        Series("c", wave),
        Series("d", wave),
        Series("e", np.full(3000, np.nan)),
        Series("f", [1.0]),
    ]
    assert list(check_overlaps(series)) == []


def test_names_the_series_with_the_largest_overlap():
    a, b = walk(1), walk(2)
    both = np.concatenate([a[:600], b[:1500]])
    (finding,) = check_overlaps([Series("a", a), Series("b", b), Series("both", both)])
    assert finding.other == "b"
    assert "and 1 more series share some" in finding.message
