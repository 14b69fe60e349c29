"""The doors: what comes together is checked together."""

import numpy as np
import pandas as pd
import pytest

import rangewise as rw
from rangewise.inputs.case import read_both, read_real_and_scores, read_rows, read_series


@pytest.mark.parametrize("give", [read_both, lambda one, two: read_series(one, two, None, "why"), rw.score, rw.metrics.point_fbeta])
def test_pandas_series_of_other_points_are_refused(give):
    real, shifted = pd.Series([0, 1, 0]), pd.Series([0, 1, 0], index=[0, 2, 1])
    with pytest.raises(ValueError, match=r"different indexes, first at position 1: 1 and 2; .*\.to_numpy\(\)"):
        give(real, shifted)
    give(real, pd.Series([0, 1, 1], index=pd.RangeIndex(3)))
    give(real.to_numpy(), shifted)
    give(real, shifted.to_numpy())


def test_scores_of_other_points_are_refused():
    real, scores = pd.Series([0, 1, 0]), pd.Series([0.1, 0.9, 0.2], index=["a", "b", "c"])
    with pytest.raises(ValueError, match="real and scores have different indexes, first at position 0: 0 and a"):
        rw.RangeModel().curve(real, scores)
    ranges, values = read_real_and_scores(real.to_numpy(), scores)
    assert (list(ranges), values.tolist()) == ([(1, 2)], [0.1, 0.9, 0.2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rw.score(np.ma.array([0, 1, 0], mask=[0, 0, 1]), [0, 1, 0]), "real: label 2 is missing"),
        (lambda: rw.score([0, 1, 0], np.ma.array([0, 1, 0], mask=[1, 0, 0])), "predicted: label 0 is missing"),
        (lambda: rw.score([(1, 2)], np.ma.array([(1, 2), (3, 4)], mask=[(0, 0), (0, 1)])), "predicted: range 1 is missing"),
        (
            lambda: rw.RangeModel().curve([0, 1], np.ma.array([0.5, 0.1], mask=[0, 1])),
            "score 1 is missing; every point has a score",
        ),
        (lambda: rw.RangeModel().curve([0, 1], pd.Series([0.5, None], dtype="Float64")), "scores: score 1 is missing"),
    ],
)
def test_what_is_masked_is_missing(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_mask_that_hides_nothing_is_no_harm():
    assert rw.score(np.ma.array([0, 1, 1]), np.ma.array([0, 1, 1], mask=False)).f == 1.0


def test_tensors_of_any_kind():
    torch = pytest.importorskip("torch")
    labels, scores = torch.tensor([0.0, 1.0], requires_grad=True), torch.tensor([0.25, 0.75], dtype=torch.bfloat16, requires_grad=True)
    assert rw.score(labels, [0, 1]).f == 1.0
    assert rw.RangeModel().curve([0, 1], scores).thresholds.tolist() == [0.75, 0.25]


def test_the_last_row_of_a_grid_lasts_a_whole_step():
    """What began after the last row's moment was dropped without a word."""
    early, late = ("2024-05-01T10:00", "2024-05-01T10:02"), ("2024-05-01T10:05:10", "2024-05-01T10:05:30")
    real, predicted = read_rows([early, late], [early], "it", step="1min")
    assert (list(real), list(predicted)) == ([(0, 2), (5, 6)], [(0, 2)])
    span = ("2024-05-01T10:01", "2024-05-01T10:05:20")
    assert list(read_rows([early, late], [early], "it", step="1min", span=span)[0]) == [(0, 1), (4, 5)]
    assert list(read_rows([early, late], [early], "it", step="1min", span=(span[0], "2024-05-01T10:05:10"))[0]) == [(0, 1)]
