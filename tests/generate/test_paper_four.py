import numpy as np
import pytest

from rangewise.datasets import paper_series
from rangewise.inputs.ranges import Ranges

NAMES = ["sine", "timeguided", "ecg", "space_shuttle"]


@pytest.fixture(params=["recorded", "look-alike"])
def base_data(request, monkeypatch, tmp_path):
    """With and without the recorded series on which two of the four are based."""
    folder = request.getfixturevalue("discord_data") if request.param == "recorded" else tmp_path
    monkeypatch.setenv("RANGEWISE_DATA", str(folder))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("version", [1, 2])
def test_test_part_resembles_the_published_labels(name, version, base_data, golden_folder):
    labels = np.loadtxt(golden_folder / "paper-labels" / name / "lstm_ad.real", dtype=int)
    published = Ranges.from_labels(labels)
    series = paper_series(name, seed=4, version=version)
    first, stop = series.train
    assert first == 0
    assert series.real.starts[0] >= stop
    assert len(series) - stop == len(labels)
    assert len(series.real) == len(published)
    assert abs(int(series.real.lengths.sum()) - int(published.lengths.sum())) <= 3


@pytest.mark.parametrize(("name", "period"), [("sine", 360), ("timeguided", 100), ("ecg", 2000), ("space_shuttle", 1000)])
def test_normal_rows_repeat_exactly(name, period, base_data):
    series = paper_series(name, seed=3)
    values, normal = series.values[:, 0], series.labels == 0
    both_normal = normal[period:] & normal[:-period]
    assert (values[period:][both_normal] == values[:-period][both_normal]).all()
    # Inside anomalies, almost every value differs from the normal one.
    assert (values[period:][~normal[period:]] != np.resize(values[:period], len(values))[period:][~normal[period:]]).mean() > 0.99


def test_anomalies_are_noise_levels_and_inversions():
    sine, shuttle, rise = (paper_series(name) for name in ("sine", "space_shuttle", "timeguided"))
    assert (rise.values[rise.labels == 1] < 0).all()
    for start, stop in sine.real:
        assert stop - start < 10 or np.abs(np.diff(sine.values[start:stop, 0])).mean() > 0.05
    clean = np.resize(shuttle.values[:1000, 0], len(shuttle))
    shifts = [abs(float(np.mean(shuttle.values[start:stop, 0] - clean[start:stop]))) for start, stop in shuttle.real]
    assert min(shifts) > 0.1


def test_validation_rows_are_before_the_test_part():
    series = paper_series("ecg", seed=2, validation=2000)
    assert series.train == (0, 6000)
    assert len(series) == 6000 + 15_985
    train, test = series.split()
    assert len(train.real) == 3
    assert train.real.starts[0] >= 4000
    assert sorted(test.real.lengths) == sorted(paper_series("ecg", seed=9).real.lengths)


def test_rejects_bad_versions():
    with pytest.raises(ValueError, match="version is 2, or 1 for the hard set; got 3"):
        paper_series("sine", version=3)
    with pytest.raises(ValueError, match="version 1 has no validation rows"):
        paper_series("sine", version=1, validation=100)
    with pytest.raises(ValueError, match="validation is 1 or more"):
        paper_series("sine", validation=-5)


def test_hard_sine_and_time_guided_match_the_paper():
    sine, rise = paper_series("sine", version=1), paper_series("timeguided", version=1)
    normal = sine.labels == 0
    assert sine.values[normal].min() == 0.2
    assert sine.values[normal].max() == 0.5
    np.testing.assert_allclose(sine.values[:360], sine.values[360:720], atol=1e-12)
    risen = np.where(rise.labels[:, np.newaxis] == 1, -rise.values, rise.values)
    assert (np.diff(risen, axis=0) > 0).all()
    assert (rise.values[rise.labels == 1] < 0).all()


def test_seed_determines_the_series():
    assert (paper_series("ecg", seed=1).values == paper_series("ecg", seed=1).values).all()
    assert paper_series("ecg", seed=1).real != paper_series("ecg", seed=2).real


def test_unknown_name_gets_a_suggestion():
    with pytest.raises(ValueError, match="did you mean 'timeguided'"):
        paper_series("time-guided")


@pytest.mark.parametrize("name", ["ecg", "space_shuttle"])
def test_recorded_series_are_used_if_present(name, discord_data, monkeypatch, tmp_path):
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    assert paper_series(name).name == paper_series(name, version=1).name == f"{name} (look-alike)"
    monkeypatch.setenv("RANGEWISE_DATA", str(discord_data))
    assert paper_series(name).name == name
    series = paper_series(name, version=1)
    assert series.name == name
    recorded, stop = {"ecg": (4231, 4430), "space_shuttle": (4271, 4370)}[name]
    assert (recorded, stop) in list(series.real)
    file, column = {"ecg": ("qtdbsel102", 1), "space_shuttle": ("TEK16", 0)}[name]
    rows = np.loadtxt(discord_data / "discords" / f"{file}.txt", ndmin=2)[:5000, column]
    normal = series.labels[:5000] == 0
    assert (series.values[:5000, 0][normal] == rows[normal]).all()


def test_broken_recorded_series_is_reported(monkeypatch, tmp_path):
    (tmp_path / "discords").mkdir()
    (tmp_path / "discords" / "qtdbsel102.txt").write_text("not a number\n")
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=r"qtdbsel102\.txt, line 1"):
        paper_series("ecg")
    with pytest.raises(ValueError, match=r"qtdbsel102\.txt, line 1"):
        paper_series("ecg", version=1)
