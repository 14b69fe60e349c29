"""The functions for AVX-512, for AVX2 and for every machine give the same bits."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

from rangewise import _kernel

pytestmark = pytest.mark.kernel

ORDER = ("none", "avx2", "avx512")


def results():
    """One line per input: sums and numbers of ranges from bits, ranges of labels, borders of columns."""
    draw = np.random.default_rng(11)
    length = 40 * 4096 + 77
    rules = [
        _kernel.Rule(bias=_kernel.Bias.flat, cardinality=_kernel.Cardinality[name], alpha=alpha, as_points=False)
        for name, alpha in (("one", 0.0), ("one", 0.3), ("reciprocal", 0.0))
    ]
    for longest in (2, 5, 11, 17, 33, 400):
        sides = []
        for dtype in ("?", "u1", "i8", "f8"):
            lengths = draw.integers(1, longest + 1, size=length)
            sides.append(np.resize(np.repeat(np.arange(length) % 2, lengths), length).astype(dtype))
        for real, predicted in itertools.pairwise(sides):
            bits = _kernel.LabelBits(real), _kernel.LabelBits(predicted)
            for rule in rules:
                yield _kernel.tally_bits(*bits, rule, rules[0])
            yield hash(_kernel.find_ranges(real).tobytes())
    for dtype in ("u1", "i1", "u2", "i8", "f4"):
        names = np.sort(draw.integers(0, 120, size=length)).astype(dtype)
        yield hash(_kernel.series_borders(names).tobytes())


def results_with(vectors):
    """The vectors that the kernel uses, and its results, from a separate process."""
    env = os.environ | {"RANGEWISE_VECTORS": vectors, "PYTHONHASHSEED": "0"}
    out = subprocess.run([sys.executable, __file__], env=env, capture_output=True, text=True, check=True).stdout
    used, *lines = out.splitlines()
    return used, lines


def test_all_vectors_give_the_same_bits():
    best, expected = results_with("")
    assert len(expected) == 6 * 3 * 4 + 5
    for vectors in ORDER[: ORDER.index(best)]:
        assert results_with(vectors) == (vectors, expected)


if __name__ == "__main__":
    print(_kernel.vectors)
    for result in results():
        print(result)
