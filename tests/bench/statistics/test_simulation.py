import pytest

from rangewise.bench.statistics import false_rejections


def test_independent_series_are_rejected_as_often_as_the_level_says():
    found = false_rejections([10] * 12, 0.0, trials=600)
    assert 0.02 < found.by_series < 0.09
    assert found.by_collection < 0.09


def test_series_that_are_alike_fool_a_test_by_series_alone():
    found = false_rejections([30] * 12, 0.5, trials=300)
    assert found.by_series > 0.4
    assert found.by_collection < 0.1
    assert "12 collections (360 series)" in str(found)


def test_the_same_seed_gives_the_same_shares():
    assert false_rejections([5] * 6, 0.3, trials=50, seed=3) == false_rejections([5] * 6, 0.3, trials=50, seed=3)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sizes": [5], "correlation": 0.1}, "at least two collections; got 1"),
        ({"sizes": [5, 0], "correlation": 0.1}, "a size is 1 or more; got 0"),
        ({"sizes": [5, 5], "correlation": 1.5}, "correlation must be between 0 and 1; got 1.5"),
        ({"sizes": [5, 5], "correlation": 0.5, "level": 1.0}, "level must be between"),
        ({"sizes": [5, 5], "correlation": 0.5, "trials": 0}, "trials is 1 or more"),
    ],
)
def test_bad_input(options, says):
    with pytest.raises(ValueError, match=says):
        false_rejections(**options)
