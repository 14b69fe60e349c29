"""Properties of every detector of rangewise, and the interface that other detectors must have."""

import copy
import itertools
import pickle
import warnings

import numpy as np
import pytest

import rangewise as rw
from rangewise import Ranges
from rangewise.datasets import Series
from rangewise.detectors import (
    DETECTORS,
    Constant,
    LuminolBitmap,
    LuminolDefault,
    MovingZScore,
    NearestWindow,
    NotFittedError,
    Random,
    SubPCA,
    Windowed,
    ZScore,
)
from rangewise.detectors.base import Detector, DetectorLike, check_detector
from rangewise.thresholds import BestF, Quantile

LIGHT = [
    Random(), Constant(), ZScore(), MovingZScore(window=20), LuminolDefault(), LuminolBitmap(lag=30, future=30),
    NearestWindow(window=20), NearestWindow(window=20, normalize=True), SubPCA(window=20),
]  # fmt: skip


def names(detector):
    return detector.name


@pytest.fixture
def values():
    rng = np.random.default_rng(3)
    series = np.sin(np.arange(400) / 10) + rng.normal(0, 0.1, 400)
    series[250:260] += 4
    return series


@pytest.mark.parametrize("detector", LIGHT, ids=names)
@pytest.mark.parametrize("channels", [1, 3])
def test_one_score_per_point_and_predictions_at_or_above_the_threshold(detector, values, channels):
    many = np.column_stack([np.roll(values, 7 * channel) for channel in range(channels)])
    assert detector.fit(many) is detector
    scores, predicted = detector.decision_function(many), detector.predict(many)
    assert scores.shape == predicted.shape == (400,)
    assert scores.dtype == np.float64
    assert predicted.dtype == np.uint8
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(predicted, scores >= detector.threshold_)
    np.testing.assert_array_equal(detector.decision_function(many), scores)
    rw.as_ranges(predicted)


@pytest.mark.parametrize("detector", LIGHT, ids=names)
def test_accepts_every_kind_of_values(detector, values):
    import pandas as pd
    import polars as pl

    expected = detector.fit(values).decision_function(values)
    for given in (
        values.tolist(), values[:, np.newaxis], pd.Series(values), pd.DataFrame({"value": values}),
        pl.Series(values), pl.DataFrame({"value": values}), Series("a", values),
    ):  # fmt: skip
        np.testing.assert_array_equal(detector.fit(given).decision_function(given), expected)


@pytest.mark.parametrize("detector", LIGHT, ids=names)
def test_bad_values_are_reported_with_their_position(detector, values):
    with_gaps = np.column_stack([values, values])
    with_gaps[17, 1] = np.nan
    with_gaps[20, 0] = np.inf
    with pytest.raises(ValueError, match=r"row 17, channel 1 is nan \(2 values are not finite\).*impute='linear'"):
        detector.fit(with_gaps)
    detector.fit(np.column_stack([values, values]))
    with pytest.raises(ValueError, match="row 17, channel 1"):
        detector.decision_function(with_gaps)
    with pytest.raises(ValueError, match=r"values have 1 channels, but .* was fitted on 2"):
        detector.decision_function(values)
    with pytest.raises(ValueError, match="there are no values"):
        detector.fit([])
    with pytest.raises(ValueError, match=r"shape \(2, 2, 2\)"):
        detector.fit(np.zeros((2, 2, 2)))
    with pytest.raises(TypeError, match="not all numbers"):
        detector.fit(["a", "b"])
    with pytest.raises(ValueError, match="400 points, but real has 3 labels"):
        detector.fit(values, [0, 1, 0])
    with pytest.raises(ValueError, match="a real range stops at 401"):
        detector.fit(values, [(390, 401)])


@pytest.mark.parametrize("detector", LIGHT, ids=names)
def test_requires_fit(detector, values):
    fresh = type(detector)()
    with pytest.raises(NotFittedError, match=r"not fitted yet; call fit\(values\) first"):
        fresh.predict(values)
    assert not hasattr(fresh, "threshold_")


@pytest.mark.parametrize("detector", [ZScore(), MovingZScore(), NearestWindow(window=10), SubPCA(window=10)], ids=names)
def test_rejects_constant_training_values(detector):
    with pytest.raises(ValueError, match=r"all 50 training values are constant, 7 in the first channel"):
        detector.fit([7.0] * 50)


@pytest.mark.parametrize(("impute", "expected"), [("linear", [1.0, 1.0, 2.0, 3.0, 4.0, 4.0]), ("previous", [1.0, 1.0, 1.0, 1.0, 4.0, 4.0])])
def test_impute(impute, expected):
    with_gaps = [np.nan, 1.0, np.nan, np.inf, 4.0, np.nan]
    detector = ZScore(impute=impute).fit(expected)
    np.testing.assert_allclose(detector.decision_function(with_gaps), detector.decision_function(expected), rtol=1e-12)


def test_impute_requires_a_finite_value():
    with pytest.raises(ValueError, match="channel 1 has no finite value"):
        ZScore(impute="linear").fit([[1.0, np.nan], [2.0, np.nan]])


class Largest:
    """A custom threshold rule."""

    def choose(self, scores, real=None):
        return float(np.max(scores))


def test_thresholds(values):
    assert ZScore(threshold=2).fit(values).threshold_ == 2.0
    detector = ZScore(threshold=Largest()).fit(values)
    assert detector.predict(values).sum() == 1
    detector.threshold_ = 0.0
    assert detector.predict(values).all()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda detector: pickle.loads(pickle.dumps(detector))])
def test_a_copy_has_its_own_threshold(copied, values):
    detector = ZScore().fit(values)
    other = copied(detector)
    other.threshold_ = 0.0
    assert (detector.threshold_, other.threshold_) == (3.0, 0.0)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int64, np.uint8, np.longdouble])
def test_numbers_of_numpy_are_thresholds(kind, values):
    detector = ZScore(threshold=kind(2)).fit(values)
    assert (type(detector.threshold), detector.threshold_) == (float, 2.0)


@pytest.mark.parametrize("detector", LIGHT, ids=names)
def test_gaps_between_predictions_are_closed_on_request(detector, values):
    detector.fit(values)
    detector.threshold_ = float(np.quantile(detector.decision_function(values), 0.8))
    plain = detector.predict(values)
    try:
        detector.close_gaps = 3
        closed = detector.predict(values)
    finally:
        detector.close_gaps = 0
    expected = plain.copy()
    predicted_points = np.flatnonzero(plain)
    for first, second in itertools.pairwise(predicted_points):
        if second - first - 1 <= 3:
            expected[first:second] = 1
    np.testing.assert_array_equal(closed, expected)


@pytest.mark.parametrize(("most", "threshold"), [(0, 2.0), (1, 6.0)])
def test_best_f_uses_predictions_with_closed_gaps(most, threshold):
    values, real = np.array([0.0, 9.0, 4.0, 4.0, 9.0, 0.0, 4.0, 9.0]), [(1, 5)]
    values[3] = 9.0  # leaves one gap between points of 9, so that closing gaps makes 9 the best threshold
    detector = Detector.from_function(np.ravel, threshold=BestF(rw.classical), close_gaps=most).fit(values[:7], real)
    assert detector.threshold_ == threshold


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"close_gaps": -1}, ValueError, "close_gaps is 0 or more"),
        ({"close_gaps": 2.5}, TypeError, "close_gaps is a whole number"),
        ({"threshold": "high"}, TypeError, "threshold must be a number, a rule"),
        ({"threshold": float("nan")}, TypeError, "threshold must be a number, a rule"),
        ({"threshold": np.float64("nan")}, TypeError, "threshold must be a number, a rule"),
        ({"threshold": np.array([1.0, 2.0])}, TypeError, "threshold must be a number, a rule"),
        ({"threshold": np.True_}, TypeError, "threshold must be a number, a rule"),
        ({"impute": "liner"}, ValueError, "did you mean 'linear'"),
    ],
)
def test_rejects_bad_settings(options, error, message):
    with pytest.raises(error, match=message):
        ZScore(**options)


def test_check_detector():
    class OtherDetector:
        def fit(self, values): ...
        def decision_function(self, values): ...
        def predict(self, values): ...

    other = OtherDetector()
    assert check_detector(other) is other
    assert isinstance(other, DetectorLike)
    with pytest.raises(TypeError, match="it lacks decision_function, predict"):
        check_detector(type("Half", (), {"fit": len})())
    with pytest.raises(TypeError, match="create an instance first"):
        check_detector(ZScore)


class TestEstimator:
    """The requirements of scikit-learn for estimators."""

    @pytest.mark.parametrize("kind", DETECTORS.values(), ids=lambda kind: kind.name)
    def test_clone_and_set_params(self, kind):
        from sklearn.base import clone, is_classifier

        detector = kind(impute="linear", threshold=2.5)
        cloned = clone(detector)
        assert cloned is not detector
        assert cloned.get_params() == detector.get_params()
        assert cloned.set_params(threshold=1).threshold == 1.0
        assert is_classifier(detector)

    def test_nested_settings(self):
        windowed = Windowed(detector=ZScore(), length=4)
        assert windowed.get_params()["detector__threshold"] is None
        assert "detector__threshold" not in windowed.get_params(deep=False)
        windowed.set_params(length=6, detector__threshold=2.0)
        assert (windowed.length, windowed.detector.threshold) == (6, 2.0)

    def test_settings_are_checked_before_anything_changes(self):
        detector = MovingZScore(window=50)
        with pytest.raises(ValueError, match="window must be 2 or more"):
            detector.set_params(impute="linear", window=1)
        assert (detector.window, detector.impute) == (50, None)
        with pytest.raises(
            ValueError, match=r"threshold is Quantile\(q=0.9\), which has no settings of its own .*; give a new value of threshold"
        ):
            ZScore(threshold=Quantile(0.9)).set_params(threshold__q=0.5)
        with pytest.raises(ValueError, match=r"MovingZScore has no setting 'windw'; it has .* did you mean 'window'"):
            detector.set_params(windw=3)

    def test_fitted_state(self, values):
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import check_is_fitted

        with pytest.raises(NotFittedError):
            check_is_fitted(ZScore())
        assert not hasattr(ZScore(), "classes_")
        fitted = ZScore().fit(values)
        check_is_fitted(fitted)
        assert fitted.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("kind", [kind for kind in DETECTORS.values() if not kind.__module__.endswith(("lstm_ad", "greenhouse"))])
def test_labels_matter_only_if_the_detector_learns_from_them(kind):
    """``rangewise detect --use-labels`` relies on ``learns_from_labels``."""
    values = np.sin(np.arange(400.0) / 5) + np.where(np.arange(400) % 97 < 4, 5.0, 0.0)
    real = Ranges([(195, 290)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unlabeled, labeled = kind().fit(values), kind().fit(values, real)
        same = unlabeled.threshold_ == labeled.threshold_ and np.array_equal(
            unlabeled.decision_function(values), labeled.decision_function(values)
        )
    assert same != kind.learns_from_labels
