"""A multivariate normal distribution of error vectors, and how far a vector is from it."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from rangewise.thresholds import LogMAD

# Keeps the covariance invertible if errors hardly vary or are dependent: a millionth of their mean variance.
_RIDGE = 1e-6
# Rows are unusual where the middle size of so many is so many robust deviations too large, and so many rows around; but not most of them.
_LASTING, _UNUSUAL, _AROUND, _MOSTLY_USUAL = 31, 4.0, 10, 2 / 3
# What has so many peaks, so many rows apart, is regular.
_REGULAR, _APART = 3, 50
# Truncated so many deviations above its mean, a normal distribution is an exponential one for all that matters here.
_EXPONENTIAL = 20.0


def fit_gaussian(errors: NDArray[np.float64], name: str, *, least: float = 0.0) -> dict[str, NDArray[np.float64]]:
    """Mean and Cholesky factor of the covariance (maximum likelihood), with deviations not below ``least`` in any direction.

    ``name`` describes the errors in messages.
    """
    count, size = errors.shape
    if count <= size:
        raise ValueError(
            f"{name} has {count} complete error vectors of {size} numbers; a covariance needs more vectors than that: "
            "give a longer training part, or a smaller look_ahead"
        )
    mean = errors.mean(axis=0)
    covariance = np.cov(errors.T, bias=True).reshape(size, size)
    variance = float(np.trace(covariance)) / size
    covariance += (max(_RIDGE * variance, least**2) + np.finfo(np.float64).tiny) * np.eye(size)
    return {"error_mean": mean, "error_factor": np.linalg.cholesky(covariance)}


def usual_rows(errors: NDArray[np.float64], learned: NDArray[np.float64]) -> NDArray[np.bool_]:
    r"""False where error vectors are large for a while, as in unlabeled anomalies; all True if that is more than a third of the rows.

    The size of a vector is :math:`\ln \sum_j ((e_j - m_j) / d_j)^2`, with median and median absolute deviation of each number. Rows are
    unusual where the median of 31 sizes around them is 4 robust deviations above the median of all, and 10 rows around those. The limit
    is at least the third-highest peak of that median in the rows that the network ``learned`` from, and at most twice as much: what is
    short and comes again, such as the restart of a ramp, is normal, and so is what the network never forecasts well. An anomaly ends:
    large errors up to the last row are usual, because the series may have drifted.
    """
    middle = np.median(errors, axis=0)
    deviations = np.median(np.abs(errors - middle), axis=0)
    everything = np.ones(len(errors), dtype=np.bool_)
    if len(errors) < _LASTING or not deviations.all():
        return everything

    def lasting_sizes(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        sizes = np.square((vectors - middle) / deviations).sum(axis=1)
        logs = np.pad(np.log(np.maximum(sizes, np.finfo(np.float64).tiny)), _LASTING // 2, mode="edge")
        medians: NDArray[np.float64] = np.median(np.lib.stride_tricks.sliding_window_view(logs, _LASTING), axis=1)
        return medians

    lasting, known = lasting_sizes(errors), lasting_sizes(learned)
    limit = np.log(LogMAD(_UNUSUAL).choose(np.exp(lasting - lasting.max()))) + lasting.max()
    regular = peak(known, np.arange(len(known)))
    usual: NDArray[np.bool_] = lasting <= np.clip(limit, regular, regular + np.log(2.0))
    usual &= np.convolve(~usual, np.ones(2 * _AROUND + 1), "same") < 0.5
    if usual.mean() < _MOSTLY_USUAL:
        return everything
    usual[np.flatnonzero(usual)[-1] :] = True
    return usual


def peak(heights: NDArray[np.float64], rows: NDArray[np.int64], which: int = _REGULAR, apart: int = _APART) -> float:
    """The height of the ``which``-th highest peak; with fewer peaks, the lowest.

    >>> peak(np.array([1.0, 9.0, 8.0, 2.0, 5.0]), np.array([0, 1, 2, 3, 4]), which=2, apart=1)
    5.0
    """
    return highest_peaks(heights, rows, which, apart)[-1]


def highest_peaks(heights: NDArray[np.float64], rows: NDArray[np.int64], most: int, apart: int = _APART) -> list[float]:
    """The heights of the highest peaks, up to ``most`` of them, falling; rows within ``apart`` of a higher peak are part of it.

    >>> highest_peaks(np.array([1.0, 9.0, 8.0, 2.0, 5.0]), np.array([0, 1, 2, 3, 4]), most=3, apart=1)
    [9.0, 5.0]
    """
    left, peaks = heights.copy(), [float(heights.max())]
    while len(peaks) < most:
        left[np.abs(rows - rows[left.argmax()]) <= apart] = -np.inf
        if left.max() == -np.inf:
            break
        peaks.append(float(left.max()))
    return peaks


def squared_distances(errors: NDArray[np.float64], mean: NDArray[np.float64], factor: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared Mahalanobis distances of error vectors."""
    squared: NDArray[np.float64] = np.square(np.linalg.solve(factor, (errors - mean).T)).sum(axis=0)
    return squared


def negative_log_likelihood(squared: NDArray[np.float64], factor: NDArray[np.float64]) -> NDArray[np.float64]:
    r""":math:`\frac12 (d^2 + \ln |\Sigma| + k \ln 2 \pi)`, from the Cholesky factor of :math:`\Sigma`."""
    log_determinant = 2.0 * np.log(np.diag(factor)).sum()
    likelihood: NDArray[np.float64] = 0.5 * (squared + log_determinant + len(factor) * math.log(2.0 * math.pi))
    return likelihood


def squared_distance(likelihood: float, factor: NDArray[np.float64]) -> float:
    """The squared distance with this negative log likelihood."""
    return 2.0 * (likelihood - float(negative_log_likelihood(np.zeros(1), factor)[0]))


def truncated_normal_quantile(values: NDArray[np.float64], q: float) -> float:
    r"""The q-quantile of the normal distribution truncated at 0 that is most likely for ``values``, all of them 0 or more.

    With :math:`a = -\mu / \sigma` and :math:`\lambda = \varphi(a) / (1 - \Phi(a))`, the most likely distribution has the mean
    :math:`\sigma (\lambda - a)` and the variance :math:`\sigma^2 (1 + a \lambda - \lambda^2)` of the values; their quotient
    depends on a alone and falls with it. Values that spread as much as their mean, or more, have the exponential limit.

    >>> round(truncated_normal_quantile(np.array([9.0, 10.0, 11.0]), 0.5), 6)
    10.0
    """
    mean, deviation = float(values.mean()), float(values.std())
    if deviation <= 1e-12 * mean:
        return mean
    wanted = mean / deviation
    low, high = -wanted - 1.0, _EXPONENTIAL
    if _mean_in_deviations(high) >= wanted:
        return -mean * math.log1p(-q)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean_in_deviations(middle) > wanted else (low, middle)
    sigma = mean / (_hazard(low) - low)
    return sigma * (-NormalDist().inv_cdf((1.0 - q) * _upper_tail(low)) - low)


def _mean_in_deviations(a: float) -> float:
    hazard = _hazard(a)
    return (hazard - a) / math.sqrt(1.0 + a * hazard - hazard**2)


def _hazard(a: float) -> float:
    return NormalDist().pdf(a) / _upper_tail(a)


def _upper_tail(a: float) -> float:
    # Not 1 - cdf, which is only rounding error from a = 8 on.
    return 0.5 * math.erfc(a / math.sqrt(2.0))
