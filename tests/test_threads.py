"""Results are identical to the last bit for any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise import _kernel, threads

BLOCK = 4096  # labels are split between threads at multiples of this


@pytest.fixture(autouse=True)
def reset_threads():
    yield
    rw.set_threads(None)


@given(
    size=st.integers(0, 5 * BLOCK),
    edges=st.lists(st.integers(0, 5 * BLOCK), max_size=12),
    borders=st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 1)), max_size=8),
    dtype=st.sampled_from([np.uint8, np.bool_, np.int64, np.float32]),
    step=st.sampled_from([1, 2, -1]),
    count=st.integers(2, 5),
)
def test_threads_do_not_change_the_ranges(size, edges, borders, dtype, step, count):
    changes = np.zeros(size * abs(step), dtype=np.int64)
    for edge in [*edges, *(BLOCK * block + by for block, by in borders)]:
        if 0 <= edge < len(changes):
            changes[edge] ^= 1
    labels = (np.cumsum(changes) % 2).astype(dtype)[::step]
    assert _kernel.find_ranges(labels, count).tolist() == _kernel.find_ranges(labels).tolist()


@pytest.mark.parametrize("place", [0, BLOCK - 1, BLOCK, 3 * BLOCK + 5])
def test_error_names_the_first_invalid_label_of_all_parts(place):
    labels = np.zeros(4 * BLOCK, dtype=np.uint8)
    labels[place] = labels[-1] = 7
    with pytest.raises(_kernel.InvalidValueError, match=f"^{place}$"):
        _kernel.find_ranges(labels, 3)


def test_number_of_threads_comes_from_caller_or_environment(monkeypatch):
    used = []
    monkeypatch.setattr(threads, "_POINTS_PER_THREAD", 5)
    monkeypatch.setattr(
        "rangewise.inputs.ranges.kernel.find_ranges", lambda labels, count: used.append(count) or np.empty((0, 2), np.int64)
    )
    for variable, allowed in ((None, None), ("3", None), ("3", 2)):
        monkeypatch.delenv("RANGEWISE_THREADS", raising=False)
        if variable is not None:
            monkeypatch.setenv("RANGEWISE_THREADS", variable)
        rw.set_threads(allowed)
        rw.as_ranges(np.zeros(100, dtype=np.int64))
    assert used == [1, 3, 2]


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "2"])
def test_rejects_invalid_number_of_threads(count):
    with pytest.raises(ValueError, match="threads must be a whole number, 1 or more"):
        rw.set_threads(count)


@pytest.mark.parametrize("text", ["", "0", "two", "1.5", "-1"])
def test_invalid_variable_is_an_error_only_for_long_series(text, monkeypatch):
    monkeypatch.setenv("RANGEWISE_THREADS", text)
    assert threads.threads_for(1000) == 1
    with pytest.raises(ValueError, match="RANGEWISE_THREADS must be a whole number, 1 or more; got"):
        threads.threads_for(10**8)
