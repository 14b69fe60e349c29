from datetime import timedelta

import numpy as np
import pandas as pd
import pytest

from rangewise.inputs.instants import duration, duration_text, from_epoch, read_instants, span_text, time_index


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        *[("30s", 30), ("5min", 300), ("5m", 300), ("1.5h", 5400), ("250 ms", 0.25), ("2d", 172_800), ("1w", 604_800), ("90", 90)],
        *[(timedelta(hours=1), 3600), (np.timedelta64(5, "m"), 300), (pd.Timedelta("1h"), 3600), (0.5, 0.5), (2, 2)],
    ],
)
def test_lengths_of_time(given, seconds):
    assert duration(given, "lead") == seconds * 10**9


@pytest.mark.parametrize("given", ["soon", "5 fortnights", "", "-5min", None, [5], "1e400s", float("inf"), np.timedelta64("NaT")])
def test_what_is_no_length_of_time_is_said(given):
    with pytest.raises((ValueError, TypeError), match="lead is a length of time"):
        duration(given, "lead")


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (1, "1 ns"),
        (1_500, "1.5 us"),
        (59_999 * 10**6, "1 min"),
        (3_599_600 * 10**6, "1 h"),
        (86_399 * 10**9, "1 d"),
        (-60 * 10**9, "-1 min"),
    ],
)
def test_lengths_in_words(nanoseconds, text):
    assert duration_text(nanoseconds) == text


def test_times_to_the_nanosecond_are_kept_and_shown():
    stamp = pd.Timestamp("2024-05-01T10:00:00.123456789")
    assert read_instants([stamp], "times").nanoseconds[0] == stamp.value
    assert "10:00:00.123456789" in span_text(stamp.to_datetime64(), np.datetime64("2024-05-01T11:00"))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_epochs_are_known_by_their_size(unit):
    times = np.array(["2014-07-01", "2014-07-02"], dtype=f"datetime64[{unit}]")
    assert (time_index(times.astype(np.int64)) == times).all()


def test_years_that_do_not_fit_name_the_row():
    with pytest.raises(ValueError, match=r"row 1 .*1678 to 2261"):
        time_index(np.array([10**10, 10**10 + 90_000_000_000], dtype=np.int64) - 10**9)
    with pytest.raises(ValueError, match=r"range 1: .*1678 to 2261"):
        from_epoch([0, 10**14], "ms", "grafana.json")
