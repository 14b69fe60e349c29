import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from golden import half_open, real_of, vectors
from naive import time_aware as naive
from rangewise.metrics import etapr, etapr_fbeta, etapr_precision, etapr_recall, tapr_fbeta
from strategies import side_pairs

shares = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0])


@settings(max_examples=150)
@given(side_pairs(), shares, shares, st.sampled_from([0.0, 0.3, 1.0, 2.5]))
def test_etapr_matches_naive(sides, theta_p, theta_r, delta):
    result = etapr(*sides, theta_p=theta_p, theta_r=theta_r, delta=delta)
    assert (result.precision, result.recall) == approx(naive.etapr(*sides, theta_p, theta_r, delta), abs=1e-9)


@settings(max_examples=100)
@given(side_pairs(), shares, shares, st.sampled_from([0, 1, 5, 100]))
def test_tapr_matches_naive(sides, alpha, theta, delta):
    assert tapr_fbeta(*sides, alpha=alpha, delta=delta, theta=theta) == approx(naive.tapr_fbeta(*sides, alpha, delta, theta), abs=1e-9)


def test_matches_the_authors_program():
    for case in vectors("etapr"):
        sides, params, out = (real_of(case), half_open(case["predicted"])), case["params"], case["out"]
        options = {name: params[name] for name in ("theta_p", "theta_r", "delta")}
        result, expected = etapr(*sides, **options), out["etapr"]
        assert (result.precision, result.precision_detection, result.precision_portion) == approx(
            (expected["eTaP"], expected["eTaPd"], expected["eTaPp"]), abs=1e-9
        )
        assert (result.recall, result.recall_detection, result.recall_portion) == approx(
            (expected["eTaR"], expected["eTaRd"], expected["eTaRp"]), abs=1e-9
        )
        assert result.f == approx(expected["f1"], abs=1e-9)
        assert (etapr_precision(*sides, **options), etapr_recall(*sides, **options)) == (result.precision, result.recall)
        assert etapr_fbeta(*sides, **options) == result.f
        assert tapr_fbeta(*sides, **params["tapr"]) == approx(out["tapr_f"], abs=1e-9)


def test_pruning_alternates_between_both_sides():
    # Less than half of the long prediction is correct, so it is pruned. Then too little of the real range is covered, so the rest is too.
    real, predicted = [(0, 100)], [(0, 5), (20, 300)]
    assert etapr(real, predicted, theta_p=0.5, theta_r=0.1).f == 0.0
    assert etapr(real, predicted[:1], theta_p=0.5, theta_r=0.05).recall > 0


def test_nothing():
    assert etapr([], []).f == 0.0
    assert etapr([(0, 2)], [], zero_division=1.0).precision == 1.0
    assert tapr_fbeta([], [(0, 2)]) == 0.0


@pytest.mark.parametrize(
    ("options", "message"), [({"theta_p": 1.5}, "in 0..1; got 1.5"), ({"delta": -1}, "0 or more"), ({"beta": 0}, "above 0")]
)
def test_rejects_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        etapr([0, 1], [0, 1], **options)


@pytest.mark.parametrize(("function", "name"), [(etapr, "theta_p"), (etapr, "theta_r"), (tapr_fbeta, "alpha"), (tapr_fbeta, "theta")])
def test_shares_must_be_in_0_to_1(function, name):
    for inside in (0, 1):
        function([(0, 2)], [(1, 3)], **{name: inside})
    for outside in (-0.01, 1.01):
        with pytest.raises(ValueError, match=name):
            function([(0, 2)], [(1, 3)], **{name: outside})
