"""What holds for every detector of ours, and what is asked of those of others."""

import itertools
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
from rangewise.thresholds import BestF

LIGHT = [
    Random(), Constant(), ZScore(), MovingZScore(window=20), LuminolDefault(), LuminolBitmap(lag=30, future=30),
    NearestWindow(window=20), NearestWindow(window=20, normalize=True), SubPCA(window=20),
]  # fmt: skip


def names(detector):
    return detector.name


@pytest.fixture
def values():
    rng = np.random.default_rng(3)
    found = np.sin(np.arange(400) / 10) + rng.normal(0, 0.1, 400)
    found[250:260] += 4
    return found


@pytest.mark.parametrize("detector", LIGHT, ids=names)
@pytest.mark.parametrize("channels", [1, 3])
def test_one_score_a_point_and_predictions_at_the_threshold_or_above(detector, values, channels):
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
def test_every_kind_of_values(detector, values):
    import pandas as pd
    import polars as pl

    expected = detector.fit(values).decision_function(values)
    for given in (
        values.tolist(), values[:, np.newaxis], pd.Series(values), pd.DataFrame({"value": values}),
        pl.Series(values), pl.DataFrame({"value": values}), Series("a", values),
    ):  # fmt: skip
        np.testing.assert_array_equal(detector.fit(given).decision_function(given), expected)


@pytest.mark.parametrize("detector", LIGHT, ids=names)
def test_bad_values_say_where(detector, values):
    holes = np.column_stack([values, values])
    holes[17, 1] = np.nan
    holes[20, 0] = np.inf
    with pytest.raises(ValueError, match=r"row 17, channel 1 is nan \(2 values are not finite\).*impute='linear'"):
        detector.fit(holes)
    detector.fit(np.column_stack([values, values]))
    with pytest.raises(ValueError, match="row 17, channel 1"):
        detector.decision_function(holes)
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
def test_before_fit(detector, values):
    fresh = type(detector)()
    with pytest.raises(NotFittedError, match=r"not fitted yet; call fit\(values\) first"):
        fresh.predict(values)
    assert not hasattr(fresh, "threshold_")


@pytest.mark.parametrize("detector", [ZScore(), MovingZScore(), NearestWindow(window=10), SubPCA(window=10)], ids=names)
def test_nothing_to_learn_from_a_constant_series(detector):
    with pytest.raises(ValueError, match=r"all 50 training values are constant, 7 in the first channel"):
        detector.fit([7.0] * 50)


@pytest.mark.parametrize(("impute", "expected"), [("linear", [1.0, 1.0, 2.0, 3.0, 4.0, 4.0]), ("previous", [1.0, 1.0, 1.0, 1.0, 4.0, 4.0])])
def test_impute(impute, expected):
    holes = [np.nan, 1.0, np.nan, np.inf, 4.0, np.nan]
    filled = ZScore(impute=impute).fit(expected)
    np.testing.assert_allclose(filled.decision_function(holes), filled.decision_function(expected), rtol=1e-12)


def test_impute_needs_something_to_fill_from():
    with pytest.raises(ValueError, match="channel 1 has no finite value"):
        ZScore(impute="linear").fit([[1.0, np.nan], [2.0, np.nan]])


class Largest:
    """A threshold rule of a user's own."""

    def choose(self, scores, real=None):
        return float(np.max(scores))


def test_thresholds(values):
    assert ZScore(threshold=2).fit(values).threshold_ == 2.0
    chosen = ZScore(threshold=Largest()).fit(values)
    assert chosen.predict(values).sum() == 1
    chosen.threshold_ = 0.0
    assert chosen.predict(values).all()


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
    known = np.flatnonzero(plain)
    for first, second in itertools.pairwise(known):
        if second - first - 1 <= 3:
            expected[first:second] = 1
    np.testing.assert_array_equal(closed, expected)


@pytest.mark.parametrize(("most", "threshold"), [(0, 2.0), (1, 6.0)])
def test_the_best_f_is_that_of_the_joined_predictions(most, threshold):
    values, real = np.array([0.0, 9.0, 4.0, 4.0, 9.0, 0.0, 4.0, 9.0]), [(1, 5)]
    values[3] = 9.0  # one gap between points of 9, which closing makes the better threshold
    detector = Detector.from_function(np.ravel, threshold=BestF(rw.classical), close_gaps=most).fit(values[:7], real)
    assert detector.threshold_ == threshold


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"close_gaps": -1}, ValueError, "close_gaps is 0 or more"),
        ({"close_gaps": 2.5}, TypeError, "close_gaps is a whole number"),
        ({"threshold": "high"}, TypeError, "threshold must be a number, a rule"),
        ({"threshold": float("nan")}, TypeError, "threshold must be a number, a rule"),
        ({"impute": "liner"}, ValueError, "did you mean 'linear'"),
    ],
)
def test_bad_settings(options, error, message):
    with pytest.raises(error, match=message):
        ZScore(**options)


def test_what_counts_as_a_detector():
    class Theirs:
        def fit(self, values): ...
        def decision_function(self, values): ...
        def predict(self, values): ...

    theirs = Theirs()
    assert check_detector(theirs) is theirs
    assert isinstance(theirs, DetectorLike)
    with pytest.raises(TypeError, match="it lacks decision_function, predict"):
        check_detector(type("Half", (), {"fit": len})())
    with pytest.raises(TypeError, match="create an instance first"):
        check_detector(ZScore)


class TestEstimator:
    """What scikit-learn asks of an estimator."""

    @pytest.mark.parametrize("kind", DETECTORS.values(), ids=lambda kind: kind.name)
    def test_settings_go_out_and_in(self, kind):
        from sklearn.base import clone, is_classifier

        detector = kind(impute="linear", threshold=2.5)
        made = clone(detector)
        assert made is not detector
        assert made.get_params() == detector.get_params()
        assert made.set_params(threshold=1).threshold == 1.0
        assert is_classifier(detector)

    def test_settings_inside_of_settings(self):
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
        with pytest.raises(ValueError, match=r"MovingZScore has no setting 'windw'; it has .* did you mean 'window'"):
            detector.set_params(windw=3)

    def test_classes_and_being_fitted(self, values):
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import check_is_fitted

        with pytest.raises(NotFittedError):
            check_is_fitted(ZScore())
        assert not hasattr(ZScore(), "classes_")
        fitted = ZScore().fit(values)
        check_is_fitted(fitted)
        assert fitted.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("kind", [kind for kind in DETECTORS.values() if not kind.__module__.endswith(("lstm_ad", "greenhouse"))])
def test_labels_matter_where_a_detector_says_so(kind):
    """``learns_from_labels`` is what ``rangewise detect --use-labels`` goes by."""
    values = np.sin(np.arange(400.0) / 5) + np.where(np.arange(400) % 97 < 4, 5.0, 0.0)
    real = Ranges([(195, 290)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone, told = kind().fit(values), kind().fit(values, real)
        same = alone.threshold_ == told.threshold_ and np.array_equal(alone.decision_function(values), told.decision_function(values))
    assert same != kind.learns_from_labels
