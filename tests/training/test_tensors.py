import numpy as np
import pytest
import torch

from rangewise.inputs.ranges import Ranges
from rangewise.training.tensors import Rows, numpy_of, real_ranges, rows_of


def test_ranges_of_all_rows_are_concatenated():
    rows = rows_of(torch.zeros(3, 4), "scores")
    expected = Ranges([(0, 1), (3, 4), (4, 6), (11, 12)])  # two of them touch across the end of a row and stay separate
    assert real_ranges(torch.tensor([[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 0, 1]]), rows) == expected
    assert real_ranges([[(0, 1), (3, 4)], Ranges([(0, 2)]), [0, 0, 0, 1]], rows) == expected


def test_distinguishes_pairs_from_labels_of_two_points():
    single, batch = Rows(1, 2, True), Rows(2, 2, False)
    assert list(real_ranges(np.array([[0, 2]]), single)) == [(0, 2)]
    assert list(real_ranges(np.array([[0, 1], [1, 0]]), batch)) == [(1, 2), (2, 3)]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_narrow_floats_become_float32(dtype):
    array = numpy_of(torch.tensor([0.5, 0.25], dtype=dtype), Rows(1, 2, True))
    assert array.dtype == np.float32
    assert array.tolist() == [[0.5, 0.25]]
