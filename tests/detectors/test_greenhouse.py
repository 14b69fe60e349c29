import numpy as np
import pytest

from naive.lstm import last_forecast
from rangewise.detectors import Greenhouse, load
from rangewise.detectors.gaussian import truncated_normal_quantile

SMALL = {"hidden": 6, "epochs": 2, "look_back": 6, "look_ahead": 2}


def wave(points, seed=0):
    return np.sin(np.arange(points) / 8) + np.random.default_rng(seed).normal(0, 0.05, points)


class Untouchable:
    """Labels that raise an error on any access."""

    def __getattribute__(self, name):
        raise AssertionError(f"the labels were read: {name}")

    def __len__(self):
        raise AssertionError("the labels were counted")

    def __iter__(self):
        raise AssertionError("the labels were iterated over")

    def __array__(self, *_, **__):
        raise AssertionError("the labels were converted to an array")

    def __bool__(self):
        raise AssertionError("the labels were tested for truth")


def test_labels_are_never_read():
    values = wave(400)
    scores = Greenhouse(**SMALL).fit(values, Untouchable()).decision_function(values)
    np.testing.assert_array_equal(scores, Greenhouse(**SMALL).fit(values).decision_function(values))


def test_each_third_determines_its_own_part_of_the_fit():
    values = wave(600)
    whole = Greenhouse(**SMALL).fit(values)
    other_last = np.concatenate([values[:400], 5 * values[400:]])
    other_second = np.concatenate([values[:200], 5 * values[200:400], values[400:]])
    unchanged = {name: _same(whole, Greenhouse(**SMALL).fit(given)) for name, given in (("last", other_last), ("second", other_second))}
    assert unchanged == {"last": (True, True, False), "second": (True, False, False)}


def _same(first, second):
    """Whether the network with its scale, the error distribution, and the threshold are the same."""
    network = [name for name in first._state if name.startswith("network.") or name in ("mean", "spread")]
    parts = (network, ["error_mean", "error_factor"], ["threshold"])
    return tuple(all(np.array_equal(first._state[name], second._state[name]) for name in names) for names in parts)


def test_threshold_is_the_quantile_of_a_truncated_normal():
    values = wave(600)
    detector = Greenhouse(**SMALL).fit(values)
    distances = detector.decision_function(values[400:])[7:]
    assert detector.threshold_ == pytest.approx(truncated_normal_quantile(distances, 0.85), rel=1e-12)
    assert 0.05 < (distances >= detector.threshold_).mean() < 0.3


def test_far_point_has_the_highest_score():
    values = wave(900)
    test = wave(300, seed=1)
    test[150] += 3
    scores = Greenhouse(**SMALL).fit(values).decision_function(test)
    assert scores.shape == (300,)
    assert 150 <= np.argmax(scores) < 150 + 8
    assert (scores[:7] == scores[7:].min()).all()


def test_errors_match_naive_forecasts():
    detector = Greenhouse(**SMALL).fit(wave(300))
    values = wave(40, seed=2)[:, np.newaxis]
    scaled = ((values - detector._state["mean"]) / detector._state["spread"]).astype(np.float32)
    state = {name.removeprefix("network."): array.tolist() for name, array in detector._state.items()}
    layers = [
        (state[f"lstm.weight_ih_l{k}"], state[f"lstm.weight_hh_l{k}"], np.add(state[f"lstm.bias_ih_l{k}"], state[f"lstm.bias_hh_l{k}"]))
        for k in range(2)
    ]
    errors = detector._errors(values, detector._state)
    for point in (7, 8, 20, 39):
        for ahead in range(2):
            last_input = point - 1 - ahead
            forecast = last_forecast(layers, (state["head.weight"], state["head.bias"]), scaled[last_input - 5 : last_input + 1], hidden=6)[
                ahead
            ]
            assert errors[point - 7, ahead] == pytest.approx(scaled[point, 0] - forecast, abs=1e-5)


def test_fit_is_reproducible_and_survives_saving(tmp_path):
    values = np.column_stack([wave(400), wave(400, seed=5)])
    first, second = Greenhouse(**SMALL, seed=3).fit(values), Greenhouse(**SMALL, seed=3).fit(values)
    np.testing.assert_array_equal(first.decision_function(values), second.decision_function(values))
    assert first.threshold_ == second.threshold_
    first.save(tmp_path / "fitted")
    np.testing.assert_array_equal(load(tmp_path / "fitted").predict(values), first.predict(values))


def test_rejects_bad_input():
    with pytest.raises(ValueError, match="too short: its first third has no window of 8 normal points"):
        Greenhouse(**SMALL).fit(wave(20))
    with pytest.raises(ValueError, match="are constant"):
        Greenhouse(**SMALL).fit(np.ones(300))
    detector = Greenhouse(**SMALL).fit(wave(300))
    with pytest.raises(ValueError, match="the series has 7 points, but Greenhouse scores from its point 7 on"):
        detector.decision_function(wave(7))
    with pytest.raises(ValueError, match="fitted on 1"):
        detector.predict(np.ones((50, 2)))
    with pytest.raises(ValueError, match="not fitted"):
        Greenhouse().decision_function(wave(300))
    with pytest.raises(ValueError, match="quantile"):
        Greenhouse(quantile=1.0)
    with pytest.raises(ValueError, match="dropout"):
        Greenhouse(dropout=1.0)
