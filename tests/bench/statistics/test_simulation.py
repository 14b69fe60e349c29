import pytest

from rangewise.bench.statistics import false_rejections


def test_tests_keep_their_level_on_independent_series():
    rejections = false_rejections([10] * 12, 0.0, trials=600)
    assert 0.02 < rejections.by_series < 0.09
    assert rejections.by_collection < 0.09


def test_correlated_series_mislead_tests_by_series():
    rejections = false_rejections([30] * 12, 0.5, trials=300)
    assert rejections.by_series > 0.4
    assert rejections.by_collection < 0.1
    assert "12 collections (360 series)" in str(rejections)


def test_same_seed_gives_the_same_result():
    assert false_rejections([5] * 6, 0.3, trials=50, seed=3) == false_rejections([5] * 6, 0.3, trials=50, seed=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [5], "correlation": 0.1}, "at least two collections; got 1"),
        ({"sizes": [5, 0], "correlation": 0.1}, "a size is 1 or more; got 0"),
        ({"sizes": [5, 5], "correlation": 1.5}, "correlation must be between 0 and 1; got 1.5"),
        ({"sizes": [5, 5], "correlation": 0.5, "level": 1.0}, "level must be between"),
        ({"sizes": [5, 5], "correlation": 0.5, "trials": 0}, "trials is 1 or more"),
    ],
)
def test_rejects_bad_input(options, message):
    with pytest.raises(ValueError, match=message):
        false_rejections(**options)
