import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rangewise.files.series import Series
from rangewise.plots.series_picture import MOST_CHANNELS
from strategies import range_lists


@settings(max_examples=120)
@given(real=range_lists(), at=st.one_of(st.integers(1, 69), st.floats(0.05, 0.95)), train=st.none() | st.integers(1, 70))
def test_split_never_cuts_a_range(real, at, train):
    series = Series("s", np.arange(70.0), np.arange(70) + 5, real, None if train is None else (0, train))
    before, after = series.split(at)
    cut = len(before)
    assert np.array_equal(np.concatenate([before.values, after.values]), series.values)
    assert np.array_equal(np.concatenate([before.timestamps, after.timestamps]), series.timestamps)
    assert [*before.real, *((start + cut, stop + cut) for start, stop in after.real)] == list(series.real)
    # The cut is the nearest row inside no range, without the ends of the series.
    requested = at if isinstance(at, int) else round(at * 70)
    free = [row for row in range(1, 70) if not any(start < row < stop for start, stop in real)]
    around = [pair for pair in real if pair[0] < requested < pair[1]]
    assert cut == (min((row for row in around[0] if row in free), key=lambda row: (abs(row - requested), row)) if around else requested)
    trained = [part.train[1] - part.train[0] for part in (before, after) if part.train]
    assert sum(trained) == (train or 0)


def test_split_at_the_training_part():
    before, after = Series("s", np.zeros(10), real=[(3, 5)], train=(0, 4)).split()
    assert (len(before), before.train, after.train) == (3, (0, 3), (0, 1))
    with pytest.raises(ValueError, match="no training part"):
        Series("s", np.zeros(10)).split()
    with pytest.raises(ValueError, match="no training part followed by other rows"):
        Series("s", np.zeros(10), train=(0, 10)).split()


@pytest.mark.parametrize("at", [0, 10, -1, 0.0, 1.0, 1.5, float("nan"), 0.01])
def test_split_rejects_positions_out_of_range(at):
    with pytest.raises(ValueError, match="split at a row from 1 to 9"):
        Series("s", np.zeros(10)).split(at)


def test_split_rejects_other_bad_arguments():
    with pytest.raises(TypeError, match="split takes a row"):
        Series("s", np.zeros(10)).split("half")
    with pytest.raises(TypeError, match="split takes a row"):
        Series("s", np.zeros(10)).split(True)
    with pytest.raises(ValueError, match="covers all points"):
        Series("s", np.zeros(10), real=[(0, 10)]).split(0.5)
    assert [len(part) for part in Series("s", np.zeros(10), real=[(0, 8)]).split(2)] == [8, 2]


def test_rejects_inconsistent_arguments():
    with pytest.raises(ValueError, match="real range stops at 4"):
        Series("s", np.zeros(3), real=[(2, 4)])
    with pytest.raises(ValueError, match="one per point"):
        Series("s", np.zeros(3), timestamps=[1, 2])
    with pytest.raises(ValueError, match="training part"):
        Series("s", np.zeros(3), train=(2, 5))


def shaded_ranges(figure):
    """(start, stop) of the shaded ranges of each panel, real and predicted."""
    panels = []
    for panel in figure.axes:
        boxes = [collection.get_paths() for collection in panel.collections]
        panels.append([[(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in paths] for paths in boxes])
    return panels


def test_plot_shades_the_ranges():
    series = Series("s", np.arange(20.0).reshape(10, 2), real=[(2, 4), (9, 10)])
    figure = series.plot([(0, 1)])
    assert len(figure.axes) == 2
    assert shaded_ranges(figure)[0] == [[(2, 4), (9, 10)], [(0, 1)]]
    assert shaded_ranges(series.plot())[0] == [[(2, 4), (9, 10)]]
    with pytest.raises(ValueError, match="predicted range stops at 11"):
        series.plot([(0, 11)])
    with pytest.raises(ValueError, match="no values to draw"):
        Series("empty", np.empty((0, 1))).plot()


def test_plot_shows_rows_if_times_go_back():
    times = np.datetime64("2024-01-01T00:00") + np.arange(10) * np.timedelta64(1, "h")
    assert Series("s", np.arange(10.0), times).plot().axes[0].get_xlabel() == "time"
    times[5] = times[0]
    assert Series("s", np.arange(10.0), times).plot().axes[0].get_xlabel() == "row"
    assert Series("one", [1.0], real=[(0, 1)]).plot().axes[0].get_xlabel() == "row"


def test_plot_of_a_long_series_keeps_its_peaks():
    values = np.zeros(1_000_003)
    values[[17, 500_000, 1_000_002]] = 1, -3, 5
    drawn = Series("long", values).plot().axes[0].lines[0]
    assert len(drawn.get_xdata()) < 10_000
    for row in (17, 500_000, 1_000_002):
        assert drawn.get_ydata()[list(drawn.get_xdata()).index(row)] == values[row]


def test_plot_shows_only_the_first_channels():
    figure = Series("wide", np.zeros((5, 12))).plot()
    assert len(figure.axes) == MOST_CHANNELS
    assert figure.axes[0].get_title(loc="left") == "wide, channels 0 to 7 of 12"


def test_values_are_copied_unless_they_are_read_only():
    array = np.array([1.0, 2.0])
    series = Series("example", array)
    array[0] = 5.0
    assert series.values[0, 0] == 1.0

    array.flags.writeable = False
    assert np.shares_memory(Series("example", array).values, array)
    view = np.array([1.0, 2.0])[:]
    view.flags.writeable = False  # its owner can still write
    assert not np.shares_memory(Series("example", view).values, view)
    whole_numbers = np.array([1, 2])
    whole_numbers.flags.writeable = False
    assert Series("example", whole_numbers).values.dtype == np.float64


def test_timestamps_with_a_time_zone_are_stored_in_utc():
    import pandas as pd

    hours = pd.date_range("2024-05-01", periods=3, freq="h", tz="Europe/Berlin")
    for index in (hours, list(hours), pd.Series(hours)):
        assert Series("made", [1.0, 2.0, 3.0], index).timestamps[0] == np.datetime64("2024-04-30T22:00")
