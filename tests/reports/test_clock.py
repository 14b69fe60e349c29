import numpy as np
import pytest

from rangewise.inputs.ranges import Ranges
from rangewise.reports.clock import PageClock, clock_of, tick_clock


def test_text_of_rows_dates_and_numbers():
    days = np.datetime64("2024-02-28") + np.arange(4).astype("timedelta64[D]")
    assert clock_of(4, None).range_text(1, 2) == "row 1 · 1 point"
    assert clock_of(4, days).range_text(2, 4) == "2024-03-01 00:00 · 2 points"
    assert clock_of(4, days + np.timedelta64(1, "s")).text(0) == "2024-02-28 00:00:01"
    assert clock_of(3, [0.5, 1.5, 4.0]).text(2) == "4"


def test_regular_times_are_packed_as_start_and_step():
    days = np.datetime64("2024-02-28") + np.arange(4).astype("timedelta64[D]")
    assert clock_of(4, days).packed() == {"kind": "dates", "first": 0, "last": 4, "start": 1709078400000.0, "step": 86400000.0}
    assert "at" in clock_of(3, [0.0, 1.0, 3.0]).packed()


def test_clock_of_ticks_has_no_rows():
    clock = tick_clock([Ranges([(10**18, 10**18 + 45 * 60 * 10**9)]), Ranges()])
    assert clock.rows is None
    assert clock.range_text(10**18, 10**18 + 45 * 60 * 10**9) == "2001-09-09 01:46:40 · 45 min"
    assert tick_clock([Ranges()]).packed()["last"] == "1"
    seconds = tick_clock([Ranges([(90 * 10**9, 150 * 10**9)])], elapsed=True)
    assert (seconds.range_text(90 * 10**9, 150 * 10**9), seconds.packed()["elapsed"]) == ("01:30 · 1 min", True)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([1.0], "3 points but 1 times"),
        ([1.0, np.nan, 2.0], "time 1 is missing"),
        ([[1], [2], [3]], "dates or numbers"),
        ([None] * 3, "missing"),
    ],
)
def test_rejects_bad_times(times, message):
    with pytest.raises((ValueError, TypeError), match=message):
        clock_of(3, times)


def test_last_stop_is_the_last_time():
    assert PageClock(0, 3, np.array([1.0, 2.0, 3.0])).text(3) == "3"
