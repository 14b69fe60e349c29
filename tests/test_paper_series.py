import numpy as np
import pytest

from rangewise.datasets import paper_series
from rangewise.ranges import Ranges

NAMES = ["sine", "timeguided", "ecg", "space_shuttle"]


@pytest.mark.parametrize("name", NAMES)
def test_test_part_is_like_the_published_labels(name, data_folder):
    labels = np.loadtxt(data_folder / "paper-labels" / name / "lstm_ad.real", dtype=int)
    published = Ranges.from_labels(labels)
    series = paper_series(name, seed=4)
    first, stop = series.train
    assert first == 0
    assert series.real.starts[0] >= stop
    assert len(series) - stop == len(labels)
    assert len(series.real) == len(published)
    assert abs(int(series.real.lengths.sum()) - int(published.lengths.sum())) <= 3


def test_sine_and_time_guided_are_what_the_paper_says():
    sine, rise = paper_series("sine"), paper_series("timeguided")
    normal = sine.labels == 0
    assert sine.values[normal].min() == 0.2
    assert sine.values[normal].max() == 0.5
    np.testing.assert_allclose(sine.values[:360], sine.values[360:720], atol=1e-12)
    risen = np.where(rise.labels[:, np.newaxis] == 1, -rise.values, rise.values)
    assert (np.diff(risen, axis=0) > 0).all()
    assert (rise.values[rise.labels == 1] < 0).all()


def test_a_seed_is_a_series():
    assert (paper_series("ecg", seed=1).values == paper_series("ecg", seed=1).values).all()
    assert paper_series("ecg", seed=1).real != paper_series("ecg", seed=2).real


def test_unknown_name_gets_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'timeguided'"):
        paper_series("time-guided")
