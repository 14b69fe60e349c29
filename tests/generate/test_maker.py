import numpy as np
import pytest

from rangewise.datasets import BASES, KINDS, Anomalies, Series, generate
from rangewise.generate.bases import CHUNK
from rangewise.generate.kinds import Stretch
from rangewise.generate.maker import Maker
from rangewise.generate.recipe import Recipe

LONG = 3 * CHUNK + 1234


@pytest.mark.parametrize("base", BASES)
def test_same_bytes_for_any_number_of_workers(base):
    expected = generate(base, length=LONG, seed=3, channels=2, noise=0.02)
    for workers in (2, 7):
        series = generate(base, length=LONG, seed=3, channels=2, noise=0.02, workers=workers)
        assert series.values.tobytes() == expected.values.tobytes()
        assert series.real == expected.real


def test_same_bytes_chunk_by_chunk_in_any_order():
    maker = Maker(Recipe(base="walk", length=LONG, seed=3, noise=0.1))
    whole = maker.all_values(workers=1)
    other = Maker(Recipe(base="walk", length=LONG, seed=3, noise=0.1))
    for chunk in reversed(range(other.chunks)):
        start, stop = other.bounds(chunk)
        values = np.empty((stop - start, 1))
        other.fill(chunk, values)
        assert values.tobytes() == whole[start:stop].tobytes()
    assert b"".join(part.tobytes() for _, part in maker.each_chunk(workers=3)) == whole.tobytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("base", BASES)
def test_anomaly_across_a_chunk_border_is_seamless(base, kind):
    anomalies = Anomalies(kinds=kind, exact_lengths=[500], part=(CHUNK - 250, CHUNK + 250))
    maker = Maker(Recipe(base=base, length=2 * CHUNK, seed=2, anomalies=anomalies, noise=0.0))
    (start, stop), values = maker.real[0], maker.all_values(workers=2)[:, 0]
    assert start < CHUNK < stop
    rows = np.arange(start, stop, dtype=np.float64)
    expected = KINDS[kind](
        Stretch(
            rows=rows, values=maker.base.at(rows, 0), start=start, stop=stop, channel=0, strength=maker.plan.strengths[0],
            sign=maker.plan.signs[0], base=maker.base, key=maker._key,
        )
    )  # fmt: skip
    np.testing.assert_allclose(values[start:stop], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("base", BASES)
def test_only_labeled_rows_change(base, kind):
    length = 20_000
    changed = generate(base, length=length, seed=1, anomalies=kind)
    plain = generate(base, length=length, seed=1, anomalies=0)
    assert len(plain.real) == 0
    assert len(changed.real) > 3
    differs = changed.values[:, 0] != plain.values[:, 0]
    assert not differs[changed.labels == 0].any()
    assert differs[changed.labels == 1].mean() > 0.9
    assert np.isfinite(changed.values).all()


def test_each_anomaly_is_in_one_channel():
    changed, plain = (generate("seasonal", length=5000, seed=1, channels=3, anomalies=number) for number in (6, 0))
    assert changed.channels == 3
    for start, stop in changed.real:
        assert (changed.values[start:stop] != plain.values[start:stop]).any(axis=0).sum() == 1


def test_channels_are_correlated_except_in_mode_correlation_anomalies():
    anomalies = Anomalies(kinds="mode-correlation", exact_lengths=[720])
    series = generate("sine", length=7200, channels=2, anomalies=anomalies)
    start, stop = series.real[0]
    assert np.corrcoef(series.values[series.labels == 0].T)[0, 1] > 0.8
    assert np.corrcoef(series.values[start:stop].T)[0, 1] < -0.8


def test_adds_anomalies_to_own_values():
    values = np.sin(np.arange(3000) / 30) + np.arange(3000) / 1000
    series = generate(values, seed=5, anomalies=Anomalies(kinds=["mean", "frequency", "pattern-shift"], number=6))
    assert len(series) == 3000
    assert len(series.real) == 6
    normal = series.labels == 0
    assert (series.values[normal, 0] == values[normal]).all()
    assert (series.values[~normal, 0] != values[~normal]).mean() > 0.9


def test_own_series_keeps_its_name_times_labels_and_training_part():
    times = np.arange(2000) * 60
    own = Series("pump", np.random.default_rng(0).normal(size=(2000, 2)), timestamps=times, real=[(100, 150), (900, 990)], train=(0, 90))
    series = generate(own, seed=5, anomalies=Anomalies(number=8, gap=20, part=(90, 2000)))
    assert (series.name, series.train, len(series.real)) == ("pump", (0, 90), 10)
    assert {(100, 150), (900, 990)} <= set(series.real)
    assert (series.real.starts[1:] - series.real.stops[:-1] >= 20).all()
    assert (series.values[100:150] == own.values[100:150]).all()
    assert (series.timestamps == times).all()


def test_anomalies_change_a_constant_series():
    series = generate(np.full(1000, 3.0), anomalies="mean")
    assert (series.values[series.labels == 1] != 3.0).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"base": "sinus"}, "did you mean 'sine'"),
        ({"base": [1.0, float("nan"), 2.0]}, "nan at row 1, channel 0"),
        ({"base": [[1.0, 2.0], [2.0, float("inf")]]}, "inf at row 1, channel 1"),
        ({"base": []}, "is empty"),
        ({"base": ["a", "b"]}, "base is one of sine"),
        ({"base": [1.0, 2.0], "period": 5}, "the base own has no period"),
        ({"base": "walk", "period": 5}, "the base walk has no period"),
        ({"length": 0}, "length is 1 or more"),
        ({"seed": -1}, "seed is 0 or more"),
        ({"workers": 0}, "workers is 1 or more"),
        ({"channels": 0}, "channels is 1 or more"),
        ({"noise": -0.1}, "noise is a standard deviation"),
        ({"noise": float("nan")}, "noise is a finite number"),
        ({"low": 0.6}, "low lies below high"),
        ({"period": 1}, "period is at least 2"),
        ({"anomalies": "trends"}, "did you mean 'trend'"),
        ({"anomalies": 10_000}, "10000 anomalies of .* do not fit in 10000 free rows; lower the number"),
        ({"anomalies": -1}, "number of anomalies is 0 or more"),
    ],
)
def test_rejects_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        generate(**arguments)


@pytest.mark.parametrize("arguments", [{"length": 10.5}, {"seed": "x"}, {"workers": True}, {"anomalies": 1.5}])
def test_rejects_wrong_types(arguments):
    with pytest.raises(TypeError, match="is a whole number; got"):
        generate(**arguments)


def test_noise_is_normal_and_independent_between_chunks_and_channels():
    noisy, plain = (generate("sine", length=2 * CHUNK, anomalies=0, channels=2, noise=noise).values for noise in (0.1, 0.0))
    noise = (noisy - plain) / (0.1 * 0.3)
    assert noise.mean() == pytest.approx(0, abs=0.01)
    assert noise.std() == pytest.approx(1, rel=0.01)
    pieces = noise.T.reshape(4, CHUNK)
    assert np.abs(np.corrcoef(pieces) - np.eye(4)).max() < 0.02
