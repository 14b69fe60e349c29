"""Areas under point-wise curves, compared with plain loops and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from sklearn.metrics import average_precision_score, roc_auc_score

import rangewise as rw
from naive import point_areas as naive
from rangewise.metrics import auc_pr, auc_roc, best_point_fbeta
from strategies import scored_ranges


@pytest.mark.kernel
@settings(max_examples=150)
@given(scored_ranges(), st.sampled_from([0.5, 1.0, 2.0]))
def test_areas_match_naive(drawn, beta):
    real, scores = drawn
    labels = rw.Ranges(real).to_labels(len(scores)).tolist()
    assert best_point_fbeta(real, scores, beta=beta) == approx(naive.best_f(labels, scores, beta))
    assert auc_pr(real, scores) == approx(naive.auc_pr(labels, scores, "step"))
    assert auc_pr(real, scores, interpolation="trapezoid") == approx(naive.auc_pr(labels, scores, "trapezoid"))
    if not all(labels):
        assert auc_roc(real, scores) == approx(naive.auc_roc(labels, scores))


@pytest.mark.parametrize("levels", [3, 40, 10**6])
def test_areas_match_scikit_learn(levels):
    rng = np.random.default_rng(levels)
    labels, scores = rng.random(5000) < 0.1, rng.integers(0, levels, 5000)
    assert auc_roc(labels, scores) == approx(roc_auc_score(labels, scores), abs=1e-12)
    assert auc_pr(labels, scores) == approx(average_precision_score(labels, scores), abs=1e-12)


@given(scored_ranges())
def test_best_f_matches_the_curve(drawn):
    real, scores = drawn
    assert best_point_fbeta(real, scores) == approx(rw.RangeModel(as_points="both").curve(real, scores).f.max())


def test_edge_cases():
    for function in (auc_roc, auc_pr, best_point_fbeta):
        assert function([0, 0], [1, 2]) == 0.0
        assert function([1, 1], [1, 2]) == 1.0
        for real in ([0, 1], [0, 0]):
            with pytest.raises(ValueError, match="score 0 is nan"):
                function(real, [np.nan, 1])
    assert auc_pr([0, 0], [1, 2], interpolation="trapezoid") == 0.0
    assert auc_roc([0, 1], [3, 3]) == 0.5
    assert auc_pr([0, 1], [np.inf, -np.inf]) == 0.5


def test_rejects_bad_options():
    with pytest.raises(ValueError, match="interpolation"):
        auc_pr([0, 1], [1, 2], interpolation="line")
    with pytest.raises(ValueError, match="beta"):
        best_point_fbeta([0, 1], [1, 2], beta=0)
