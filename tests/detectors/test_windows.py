import threading

import numpy as np
import pytest

from rangewise.detectors import Windowed, ZScore


class OtherDetector:
    """A detector of rows like those of PyOD: scores the distance from the mean row, and predicts above threshold_."""

    def fit(self, rows, y=None):
        assert rows.ndim == 2
        self.mean = rows.mean(axis=0)
        self.threshold_ = np.quantile(self.decision_function(rows), 0.9)
        return self

    def decision_function(self, rows):
        return np.abs(rows - self.mean).max(axis=1)

    def predict(self, rows):
        return (self.decision_function(rows) > self.threshold_).astype(int)


@pytest.mark.parametrize("merge", ["max", "mean"])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("length", [1, 4, 20])
def test_score_of_a_point_merges_the_scores_of_its_windows(merge, channels, length):
    values = np.random.default_rng(1).normal(size=(20, channels))
    merged = Windowed(detector=OtherDetector(), length=length, merge=merge).fit(values).decision_function(values)
    other = OtherDetector()
    windows = [[values[i + k, c] for c in range(channels) for k in range(length)] for i in range(20 - length + 1)]
    scores = other.fit(np.array(windows)).decision_function(np.array(windows))
    for point in range(20):
        around = [scores[i] for i in range(len(windows)) if i <= point < i + length]
        expected = max(around) if merge == "max" else sum(around) / len(around)
        assert merged[point] == pytest.approx(expected)


def test_predicts_where_any_window_is_predicted():
    values = np.repeat(np.random.default_rng(2).integers(0, 4, 50).astype(float), 2)
    adapter = Windowed(detector=OtherDetector(), length=5).fit(values)
    rows = np.lib.stride_tricks.sliding_window_view(values, 5)
    anomalous = adapter.detector.predict(rows)
    expected = [any(anomalous[max(0, point - 4) : point + 1]) for point in range(100)]
    np.testing.assert_array_equal(adapter.predict(values), expected)


def test_wraps_detectors_of_rangewise():
    values = np.sin(np.arange(200.0))
    adapter = Windowed(detector=ZScore(threshold=1.0), length=3).fit(values)
    assert adapter.threshold_ == 1.0


def test_rejects_bad_input():
    class Plain(OtherDetector):
        def fit(self, rows, y=None):
            super().fit(rows)
            del self.threshold_

    with pytest.raises(ValueError, match="Plain has no threshold_; give threshold"):
        Windowed(detector=Plain()).fit(np.arange(30.0))
    with pytest.raises(ValueError, match="5 points, fewer than the window's 10"):
        Windowed(detector=OtherDetector()).fit(np.arange(5.0))
    with pytest.raises(TypeError, match="lacks fit"):
        Windowed(detector=object())
    with pytest.raises(ValueError, match="merge is one of max, mean"):
        Windowed(detector=OtherDetector(), merge="sum")
    with pytest.raises(ValueError, match="not fitted"):
        Windowed(detector=OtherDetector()).predict(np.arange(30.0))


def test_a_window_without_a_score_is_reported():
    class Gappy(OtherDetector):
        def decision_function(self, rows):
            scores = super().decision_function(rows)
            return np.where(np.arange(len(scores)) == 7, np.nan, scores)

    for merge in ("max", "mean"):
        with pytest.raises(ValueError, match=r"the detector gave nan for the window of points 7 to 10; scores must be numbers"):
            Windowed(detector=Gappy(), length=4, merge=merge, threshold=1.0).fit(np.arange(30.0)).decision_function(np.arange(30.0))


def test_detectors_made_with_one_object_do_not_share_what_they_learn():
    values, theirs = np.random.default_rng(3).normal(size=60), OtherDetector()
    one = Windowed(detector=theirs, length=5).fit(values)
    expected = one.decision_function(values)
    other = Windowed(detector=theirs, length=5).fit(values + 100)
    longer = Windowed(detector=theirs, length=7).fit(values)
    np.testing.assert_array_equal(one.decision_function(values), expected)
    np.testing.assert_allclose(other.decision_function(values + 100), expected)
    assert longer.detector.mean.shape == (7,)
    assert not hasattr(theirs, "mean")


def test_a_detector_that_cannot_be_copied_is_fitted_itself():
    theirs = OtherDetector()
    theirs.lock = threading.Lock()
    assert Windowed(detector=theirs, length=5).fit(np.arange(30.0)).detector is theirs


def test_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match="only the detectors of rangewise can be saved"):
        Windowed(detector=OtherDetector()).fit(np.arange(30.0)).save(tmp_path / "fitted")


PYOD = {"knn": "KNN", "iforest": "IForest", "pca": "PCA"}
"""Detectors of PyOD by module."""


class TestOtherLibraries:
    """More anomalous rows have lower scores in scikit-learn and higher scores in PyOD."""

    @pytest.fixture
    def values(self):
        values = np.sin(np.arange(600) / 7) + np.random.default_rng(0).normal(0, 0.05, 600)
        values[400:420] += 3.0
        return values

    @pytest.mark.parametrize("name", ["IsolationForest", "LocalOutlierFactor", "OneClassSVM", "pipeline", *PYOD, "pyod in a pipeline"])
    def test_anomaly_has_the_highest_scores(self, values, name):
        detector = Windowed(detector=_detector_of_another_library(name), length=5).fit(values[:300])
        scores = detector.decision_function(values)
        assert scores[405:415].min() > np.quantile(scores, 0.9)
        assert detector.predict(values)[405:415].all()


def _detector_of_another_library(name):
    from sklearn.ensemble import IsolationForest
    from sklearn.neighbors import LocalOutlierFactor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import OneClassSVM

    if name in PYOD:
        return getattr(pytest.importorskip(f"pyod.models.{name}", reason="needs pyod: `make test-full` installs it"), PYOD[name])()
    if name == "pyod in a pipeline":
        pipeline = make_pipeline(StandardScaler(), _detector_of_another_library("knn"))
        pipeline.threshold_ = 0.5  # a pipeline does not pass on the threshold
        return pipeline

    return {
        "IsolationForest": lambda: IsolationForest(n_estimators=30, random_state=0),
        "LocalOutlierFactor": lambda: LocalOutlierFactor(novelty=True),
        "OneClassSVM": lambda: OneClassSVM(nu=0.05),
        "pipeline": lambda: make_pipeline(StandardScaler(), IsolationForest(n_estimators=30, random_state=0)),
    }[name]()
