import re
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rangewise.inputs.instants import OPEN, duration, duration_text, from_epoch, read_instants, span_text, time_index


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        *[("30s", 30), ("5min", 300), ("5m", 300), ("1.5h", 5400), ("250 ms", 0.25), ("2d", 172_800), ("1w", 604_800), ("90", 90)],
        *[("1h30m", 5400), ("1h 30min", 5400), ("1d2h3m4s500ms", 93_784.5)],
        *[(timedelta(hours=1), 3600), (np.timedelta64(5, "m"), 300), (pd.Timedelta("1h"), 3600), (0.5, 0.5), (2, 2)],
    ],
)
def test_reads_durations(value, seconds):
    assert duration(value, "lead") == seconds * 10**9


@pytest.mark.parametrize(
    "value", ["soon", "5 fortnights", "", "-5min", "1h30", "1h-30m", "1hm", None, [5], "1e400s", float("inf"), np.timedelta64("NaT")]
)
def test_rejects_invalid_durations(value):
    with pytest.raises((ValueError, TypeError), match="lead takes a duration"):
        duration(value, "lead")


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (1, "1 ns"),
        (60, "60 ns"),
        (1_500, "1.5 us"),
        (60 * 10**3, "60 us"),
        (60 * 10**6, "60 ms"),
        (59_999 * 10**6, "1 min"),
        (3_599_600 * 10**6, "1 h"),
        (86_399 * 10**9, "1 d"),
        (-60 * 10**9, "-1 min"),
    ],
)
def test_duration_text(nanoseconds, text):
    assert duration_text(nanoseconds) == text


def test_keeps_and_shows_nanoseconds():
    stamp = pd.Timestamp("2024-05-01T10:00:00.123456789")
    assert read_instants([stamp], "times").nanoseconds[0] == stamp.value
    assert "10:00:00.123456789" in span_text(stamp.to_datetime64(), np.datetime64("2024-05-01T11:00"))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_detects_the_unit_of_epochs_by_their_size(unit):
    times = np.array(["2014-07-01", "2014-07-02"], dtype=f"datetime64[{unit}]")
    assert (time_index(times.astype(np.int64)) == times).all()


def test_errors_about_years_out_of_range_name_the_row():
    with pytest.raises(ValueError, match=r"row 1 .*1678 to 2261"):
        time_index(np.array([10**10, 10**10 + 90_000_000_000], dtype=np.int64) - 10**9)
    with pytest.raises(ValueError, match=r"range 1: .*1678 to 2261"):
        from_epoch([0, 10**14], "ms", "grafana.json")


NANOSECONDS_OF_DATES = st.integers(-9_000_000_000 * 10**9, 9_000_000_000 * 10**9)


@given(NANOSECONDS_OF_DATES, st.integers(1, 9), st.sampled_from(["T", " "]), st.sampled_from(["", "Z", " UTC", "+02:00", "-0530"]))
def test_reads_text_to_the_nanosecond(nanoseconds, decimals, between, zone):
    nanoseconds -= nanoseconds % 10 ** (9 - decimals)
    whole, _, fraction = str(np.datetime64(nanoseconds, "ns")).partition(".")
    text = f"{whole.replace('T', between)}.{fraction.ljust(9, '0')[:decimals]}{zone}"
    offset = {"+02:00": 2 * 3600, "-0530": -(5 * 3600 + 30 * 60)}.get(zone, 0) * 10**9
    assert read_instants([text], "times").nanoseconds.tolist() == [nanoseconds - offset]
    compact = text.replace("-", "", 2).replace(":", "", 2) if between == "T" and not zone and nanoseconds > 0 else text
    assert read_instants([compact], "times").nanoseconds.tolist() == [nanoseconds - offset]


def test_rejects_text_finer_than_a_nanosecond():
    assert read_instants(["2024-05-01T00:00:00.123456789000"], "times").nanoseconds[0] % 10**9 == 123_456_789
    with pytest.raises(ValueError, match=r"times: time 0: 2024-05-01T00:00:00.1234567891 is finer than a nanosecond; .* 9 decimals"):
        read_instants(["2024-05-01T00:00:00.1234567891"], "times")


@pytest.mark.parametrize(
    "value",
    [
        np.timedelta64(213_504, "D"),
        np.timedelta64(-213_504, "D"),
        np.timedelta64(2**62, "s"),
        timedelta(days=10**7),
        timedelta(days=-(10**7)),
    ],
)
def test_rejects_durations_that_overflow(value):
    with pytest.raises(ValueError, match=r"lead takes a duration.*, up to a century; got"):
        duration(value, "lead")


@given(st.integers(-(2**63) + 1, 2**63 - 1), st.sampled_from(["W", "D", "h", "m", "s", "ms", "us", "ns"]))
def test_numpy_durations_are_exact_or_an_error(count, unit):
    exact = count * {
        "W": 604_800 * 10**9,
        "D": 86_400 * 10**9,
        "h": 3600 * 10**9,
        "m": 60 * 10**9,
        "s": 10**9,
        "ms": 10**6,
        "us": 10**3,
    }.get(unit, 1)
    try:
        assert duration(np.timedelta64(count, unit), "lead") == exact
    except ValueError:
        assert abs(exact) >= 2**62


def test_rejects_numpy_durations_without_a_unit():
    with pytest.raises(ValueError, match=r"got np.timedelta64\(5\), which has no unit"):
        duration(np.timedelta64(5), "lead")
    with pytest.raises(ValueError, match="which has no unit; give one"):
        read_instants(np.array([5], dtype="timedelta64"), "times")


@pytest.mark.parametrize("missing", [None, pd.NA, pd.NaT, np.datetime64("NaT")])
def test_detects_every_kind_of_missing_time(missing):
    assert read_instants(["2024-05-01", missing], "times").nanoseconds[1] == OPEN
    assert read_instants([timedelta(seconds=1), missing], "times").nanoseconds[1] == OPEN
    with pytest.raises(ValueError, match="times, row 1: the time is missing"):
        time_index(["2024-05-01", missing], "times")
    with pytest.raises(ValueError, match="lead takes a duration"):
        duration(pd.NA if missing is None else missing, "lead")


SIZES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9, "d": 86_400 * 10**9}


@given(st.integers(1, 10**18) | st.integers(0, 12).flatmap(lambda power: st.integers(-600, 600).map(lambda off: max(1, 10**power + off))))
def test_duration_text_is_close_to_the_duration(nanoseconds):
    text = duration_text(nanoseconds)
    assert re.fullmatch(r"[0-9.]+ (ns|us|ms|s)|[0-9]+ (min|h|d)( [0-9]+ (s|min|h))?", text)
    words = text.split()
    parts = [(float(number), unit) for number, unit in zip(words[::2], words[1::2], strict=True)]
    shown = sum(number * SIZES[unit] for number, unit in parts)
    # A single unit has three digits; two units are rounded to the smaller one. 59 min 59.9 s is 1 h, because minutes are rounded first.
    smaller = {"min": "s", "h": "min", "d": "h"}.get(parts[0][1])
    assert abs(shown - nanoseconds) <= (0.51 * SIZES[smaller] + 0.5 * SIZES["min"] * (smaller == "h") if smaller else 0.0051 * nanoseconds)
    limits = {"ns": 1000, "us": 1000, "ms": 1000, "s": 60, "min": 60, "h": 24}
    assert all(number < limits.get(unit, np.inf) for number, unit in parts)
