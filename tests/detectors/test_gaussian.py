import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rangewise.detectors.gaussian import fit_gaussian, negative_log_likelihood, squared_distances, truncated_normal_quantile

stats = pytest.importorskip("scipy.stats")


@settings(max_examples=40)
@given(seed=st.integers(0, 1000), size=st.integers(1, 5))
def test_scores_are_negative_log_likelihoods(seed, size):
    rng = np.random.default_rng(seed)
    errors = rng.normal(size=(60, size)) @ rng.normal(size=(size, size)) + rng.normal(size=size)
    fitted = fit_gaussian(errors, "errors")
    mean, covariance = errors.mean(axis=0), fitted["error_factor"] @ fitted["error_factor"].T
    np.testing.assert_allclose(covariance, np.cov(errors.T, bias=True).reshape(size, size), rtol=1e-3, atol=1e-4)
    scores = negative_log_likelihood(squared_distances(errors, mean, fitted["error_factor"]), fitted["error_factor"])
    np.testing.assert_allclose(scores, -stats.multivariate_normal(mean, covariance).logpdf(errors), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("mean", "deviation"), [(5.0, 1.0), (1.0, 1.0), (0.0, 2.0), (-1.0, 1.0), (1e6, 1e-3)])
@pytest.mark.parametrize("q", [0.5, 0.85, 0.99])
def test_recovers_the_quantile_of_a_truncated_normal(mean, deviation, q):
    truncated = stats.truncnorm(-mean / deviation, np.inf, loc=mean, scale=deviation)
    values = truncated.ppf((np.arange(20_000) + 0.5) / 20_000)
    assert truncated_normal_quantile(values, q) == pytest.approx(truncated.ppf(q), rel=1e-2)


def test_values_with_more_spread_than_any_truncated_normal():
    values = np.concatenate([np.zeros(900), np.full(100, 50.0)])
    assert truncated_normal_quantile(values, 0.85) == pytest.approx(-5.0 * np.log(0.15))


def test_constant_values():
    assert truncated_normal_quantile(np.full(9, 2.5), 0.85) == 2.5


def test_rejects_too_few_error_vectors():
    with pytest.raises(ValueError, match="the third has 4 complete error vectors of 5 numbers"):
        fit_gaussian(np.zeros((4, 5)), "the third")


def test_constant_errors_have_finite_distances():
    fitted = fit_gaussian(np.zeros((10, 2)), "errors")
    assert np.isfinite(
        negative_log_likelihood(squared_distances(np.zeros((1, 2)), fitted["error_mean"], fitted["error_factor"]), fitted["error_factor"])
    ).all()
