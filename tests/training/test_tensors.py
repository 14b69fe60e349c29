import numpy as np
import pytest
import torch

from rangewise.inputs.ranges import Ranges
from rangewise.training.tensors import Rows, counted, numpy_of, real_ranges, rows_of


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


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


FORMS = {
    "read-only": read_only,
    "reversed": lambda array: array[::-1, ::-1].copy()[::-1, ::-1],
    "columns first": np.asfortranarray,
    "strided": lambda array: np.repeat(array, 2, axis=1)[:, ::2],
    **{name: lambda array, name=name: array.astype(name) for name in (">i4", ">f8", "uint16", "uint64", "float16", "longdouble")},
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("form", FORMS)
def test_arrays_of_every_form(form):
    labels, rows = np.array([[0, 1, 1, 0], [1, 1, 0, 9]]), Rows(2, 4, False)
    expected = Ranges([(1, 3), (4, 6)])
    assert real_ranges(FORMS[form](np.where(labels == 9, 0, labels)), rows) == expected
    ranges, points = counted(FORMS[form](labels), rows, None, 9)
    assert ranges == expected
    assert points.tolist() == (labels != 9).tolist()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("form", ["read-only", "reversed", "columns first", "strided"])
def test_masks_of_every_form(form):
    labels, mask = np.array([[0, 1, 1, 0], [1, 1, 0, 1]]), np.array([[True] * 4, [True] * 3 + [False]])
    ranges, points = counted(labels, Rows(2, 4, False), FORMS[form](mask), None)
    assert (ranges, points.tolist()) == (Ranges([(1, 3), (4, 6)]), mask.tolist())


@pytest.mark.parametrize("dtype", [str, complex])
def test_texts_and_complex_numbers_are_no_labels(dtype):
    with pytest.raises(TypeError, match=r"real has dtype .*; labels are bool, integers, or floats"):
        real_ranges(np.array([[0, 1], [1, 1]]).astype(dtype), Rows(2, 2, False))
