import pickle

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import rangewise as rw
from rangewise.detectors import Windowed, ZScore

MODEL = rw.RangeModel(recall_bias="front", cardinality="reciprocal")


@pytest.fixture(scope="module")
def series():
    random = np.random.default_rng(0)
    values, real = random.normal(0, 1, 1200), np.zeros(1200, dtype=int)
    for start in range(80, 1200, 150):
        values[start : start + 20] += 4
        real[start : start + 20] = 1
    return values.reshape(-1, 1), real


@pytest.mark.parametrize("target", ["f", "precision", "recall"])
def test_scorer_matches_the_model(series, target):
    values, real = series
    detector = ZScore(threshold=2.0).fit(values)
    expected = getattr(MODEL.score(real, detector.predict(values)), target)
    scorer = rw.sklearn_scorer(MODEL, target=target)
    assert scorer(detector, values, real) == expected
    assert pickle.loads(pickle.dumps(scorer))(detector, values, real) == expected


@pytest.mark.parametrize("scoring", [make_scorer(rw.range_fbeta, recall_bias="front"), rw.sklearn_scorer(MODEL)], ids=["fbeta", "scorer"])
def test_grid_search_over_a_pipeline(series, scoring):
    pipeline = Pipeline([("scale", StandardScaler()), ("detect", ZScore())])
    search = GridSearchCV(pipeline, {"detect__threshold": [0.5, 2.0, 30.0]}, scoring=scoring, cv=rw.RangeSplit(4))
    search.fit(*series)
    assert search.best_params_ == {"detect__threshold": 2.0}
    assert search.predict(series[0]).shape == (1200,)


def test_grid_search_inside_windowed(series):
    windowed = Windowed(detector=IsolationForest(n_estimators=10, random_state=0), length=3)
    search = GridSearchCV(windowed, {"detector__contamination": [0.01, 0.2]}, scoring=rw.sklearn_scorer(), cv=rw.RangeSplit(2))
    search.fit(*series)
    assert search.best_estimator_.detector.contamination == search.best_params_["detector__contamination"]


@pytest.mark.parametrize("estimator", [LogisticRegression(), ZScore()], ids=["classifier", "detector"])
def test_tuned_threshold(series, estimator):
    values, real = series
    tuned = TunedThresholdClassifierCV(
        estimator, scoring=rw.sklearn_scorer(MODEL), cv=rw.RangeSplit(3), response_method="decision_function", thresholds=50
    )
    tuned.fit(values, real)
    assert 0.3 < tuned.best_score_ <= 1
    expected = tuned.estimator_.decision_function(values) >= tuned.best_threshold_
    np.testing.assert_array_equal(tuned.predict(values), expected)


def test_outlier_detectors_predict_minus_one(series):
    values, real = series
    forest = IsolationForest(n_estimators=10, random_state=0, contamination=0.13)
    scores = cross_val_score(forest, values, real, scoring=rw.sklearn_scorer(outliers=True), cv=rw.RangeSplit(3))
    assert scores.min() > 0.3
    with pytest.raises(ValueError, match="give outliers=True"):
        rw.sklearn_scorer()(forest.fit(values), values, real)
    with pytest.raises(ValueError, match="expected -1 or 1 with outliers=True"):
        rw.sklearn_scorer(outliers=True)(ZScore().fit(values), values, real)


def test_rejects_bad_input():
    with pytest.raises(TypeError, match="must be a RangeModel"):
        rw.sklearn_scorer("early")
    with pytest.raises(ValueError, match="target is one of f, precision, recall"):
        rw.sklearn_scorer(target="F")
