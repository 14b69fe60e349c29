import numpy as np
import pytest

from rangewise.datasets import paper_series
from rangewise.ranges import Ranges

NAMES = ["sine", "timeguided", "ecg", "space_shuttle"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("recorded", [True, False])
def test_test_part_is_like_the_published_labels(name, recorded, data_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("RANGEWISE_DATA", str(data_folder if recorded else tmp_path))
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


@pytest.mark.parametrize("name", ["ecg", "space_shuttle"])
def test_recorded_series_are_augmented_where_they_are(name, data_folder, monkeypatch, tmp_path):
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    assert paper_series(name).name == f"{name} (look-alike)"
    monkeypatch.setenv("RANGEWISE_DATA", str(data_folder))
    series = paper_series(name)
    assert series.name == name
    recorded, stop = {"ecg": (4231, 4430), "space_shuttle": (4271, 4370)}[name]
    assert (recorded, stop) in list(series.real)
    file, column = {"ecg": ("qtdbsel102", 1), "space_shuttle": ("TEK16", 0)}[name]
    rows = np.loadtxt(data_folder / "discords" / f"{file}.txt", ndmin=2)[:5000, column]
    normal = series.labels[:5000] == 0
    assert (series.values[:5000, 0][normal] == rows[normal]).all()


def test_a_broken_recorded_series_is_named(monkeypatch, tmp_path):
    (tmp_path / "discords").mkdir()
    (tmp_path / "discords" / "qtdbsel102.txt").write_text("not a number\n")
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"qtdbsel102\.txt, line 1"):
        paper_series("ecg")
