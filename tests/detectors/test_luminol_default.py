import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import luminol as naive_luminol
from rangewise.datasets import read_labels
from rangewise.detectors import LuminolDefault

numbers = st.one_of(st.sampled_from([0.0, 1.0, 1.0, 100.0]), st.floats(-1000, 1000).map(lambda value: round(value, 3)))
# For constant series, luminol returns rounding errors. Our scores are 0; see test_constant_series_scores_0.
series = st.lists(numbers, min_size=2, max_size=60).filter(lambda values: min(values) < max(values))


@settings(max_examples=120)
@given(values=series)
def test_scores_match_luminol(values):
    expected = naive_luminol.default_scores(values, list(range(1, len(values) + 1)))
    # The naive version sums in another order, so a score may be denoised to 0 in one of the two only. Both are tiny then.
    np.testing.assert_allclose(LuminolDefault().decision_function(values), expected, rtol=1e-9, atol=2e-3 * max([*expected, 1e-9]))


@settings(max_examples=120)
@given(values=series, data=st.data())
def test_timestamps_divide_the_changes(values, data):
    gaps = data.draw(st.lists(st.sampled_from([1, 2, 10, 300]), min_size=len(values), max_size=len(values)))
    timestamps = np.cumsum(gaps).tolist()
    expected = naive_luminol.default_scores(values, timestamps)
    scores = LuminolDefault().decision_function(values, timestamps=timestamps)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=2e-3 * max([*expected, 1e-9]))


def test_predicts_above_but_not_at_three():
    detector = LuminolDefault().fit([1.0, 2.0])
    assert np.nextafter(3.0, 0.0) < 3.0 < detector.threshold_ == np.nextafter(3.0, 4.0)


@pytest.mark.parametrize(
    ("dataset", "file", "first", "tau"),
    [
        ("nyc_taxi", "realKnownCause/nyc_taxi.csv", 8013, 1.98),
        ("aapl", "realTweets/Twitter_volume_AAPL.csv", 4013, 2.2),
        ("machine_temp", "realKnownCause/machine_temperature_system_failure.csv", 5013, 1.3233),
    ],
)
def test_matches_published_predictions_of_the_paper(golden_folder, dataset, file, first, tau):
    values = np.loadtxt(golden_folder / "nab" / "data" / file, delimiter=",", skiprows=1, usecols=1)[first:]
    published = read_labels(golden_folder / "paper-labels" / dataset / "luminol.pred")
    assert len(published) == len(values)
    assert published.any()
    np.testing.assert_array_equal(LuminolDefault().decision_function(values, timestamps=range(1, len(values) + 1)) > tau, published)
    np.testing.assert_array_equal(LuminolDefault(threshold=tau).fit(values).predict(values), published)


@pytest.mark.parametrize("values", [[7.0] * 50, [0.1] * 77, [3.0]])
def test_constant_series_scores_0(values):
    assert not LuminolDefault().decision_function(values).any()
    assert not LuminolDefault().fit(values).predict(values).any()


def test_score_is_the_largest_of_the_channels():
    first, second = np.sin(np.arange(300.0)), np.cos(np.arange(300.0))
    first[100], second[200] = 20.0, 20.0
    score = LuminolDefault().decision_function
    np.testing.assert_array_equal(score(np.column_stack([first, second])), np.maximum(score(first), score(second)))


def test_accepts_dates_as_timestamps():
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-05"], dtype="datetime64[D]")
    values = [1.0, 4.0, 2.0]
    scores = LuminolDefault().decision_function(values, timestamps=days)
    np.testing.assert_allclose(scores, LuminolDefault().decision_function(values, timestamps=[1, 2, 5]), rtol=1e-12)


@pytest.mark.parametrize(("timestamps", "message"), [([1, 2], "expected 3 timestamps"), ([1, 3, 2], "3 at row 1 is followed by 2")])
def test_rejects_bad_timestamps(timestamps, message):
    with pytest.raises(ValueError, match=message):
        LuminolDefault().decision_function([1.0, 2.0, 3.0], timestamps=timestamps)
