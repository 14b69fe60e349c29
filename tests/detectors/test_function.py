import numpy as np
import pytest

from rangewise.detectors import Detector, FunctionDetector
from rangewise.thresholds import Quantile


def from_median(values):
    return np.abs(values - np.median(values))


def test_detector_from_a_function():
    values = np.concatenate([np.zeros(50), [9.0, 9.0], np.zeros(50)])
    detector = Detector.from_function(from_median, threshold=Quantile(0.99)).fit(values)
    assert isinstance(detector, FunctionDetector)
    assert detector.predict(values).nonzero()[0].tolist() == [50, 51]


def test_function_receives_channels_as_columns():
    shapes = []

    def first_channel(values):
        shapes.append(values.shape)
        return values[:, 0] if values.ndim == 2 else values

    detector = Detector.from_function(first_channel, threshold=1.0)
    assert detector.fit(np.ones((5, 3))).decision_function(np.ones((5, 3))).tolist() == [1.0] * 5
    assert detector.fit(np.ones((5, 1))).decision_function(np.ones(5)).tolist() == [1.0] * 5
    assert set(shapes) == {(5, 3), (5,)}


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda values: values[:-1], r"shape \(9,\) for 10 points; expected one per point"),
        (lambda values: np.full(10, np.nan), "returned nan at point 0"),
        (lambda values: "high", "expected one number per point"),
    ],
)
def test_result_of_the_function_is_checked(function, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Detector.from_function(function, threshold=1.0).fit(np.arange(10.0)).decision_function(np.arange(10.0))


def test_rejects_bad_input():
    with pytest.raises(ValueError, match="a function has no default threshold; give threshold"):
        Detector.from_function(from_median).fit(np.arange(10.0))
    with pytest.raises(TypeError, match="function must map values to one score per point; got 3"):
        Detector.from_function(3)
