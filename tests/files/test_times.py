from contextlib import nullcontext
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rangewise.files.times import TimeRanges
from rangewise.inputs.clocks import OutsideWarning
from rangewise.inputs.instants import from_epoch, parse_times, time_index, time_text, to_epoch
from rangewise.inputs.ranges import Ranges
from strategies import range_lists

BEGIN = np.datetime64("2024-03-01T00:00:00", "ns")


def times_at(*seconds):
    return BEGIN + np.array(seconds, dtype="timedelta64[s]")


def naive_rows(index, firsts, lasts):
    """Find the rows of each range, row by row. Ranges that share a row are joined."""
    sets = []
    for first, last in zip(firsts, lasts, strict=True):
        if last < index[0] or first > index[-1]:
            continue
        inside = {row for row, time in enumerate(index) if first <= time <= last}
        if not inside:
            inside = {max(row for row, time in enumerate(index) if time < first)}
        sets.append(inside)
    joined = True
    while joined:
        joined = False
        for i in range(len(sets)):
            for j in range(i + 1, len(sets)):
                if sets[i] & sets[j]:
                    sets[i] |= sets.pop(j)
                    joined = True
                    break
            if joined:
                break
    return sorted((min(rows), max(rows) + 1) for rows in sets)


@settings(max_examples=120)
@given(
    index=st.lists(st.integers(0, 40), min_size=1, max_size=15, unique=True).map(sorted),
    pairs=st.lists(st.tuples(st.integers(-5, 45), st.integers(0, 12)), max_size=6),
)
def test_rows_match_naive(index, pairs):
    firsts, lasts = [first for first, _ in pairs], [first + length for first, length in pairs]
    ranges, expected = TimeRanges(times_at(*firsts), times_at(*lasts)), naive_rows(index, firsts, lasts)
    assert list(ranges.rows(times_at(*index), outside=None)) == expected
    outside = sum(last < index[0] or first > index[-1] for first, last in zip(firsts, lasts, strict=True))
    if outside and outside == len(pairs):
        with pytest.raises(ValueError, match=f"all {outside} ranges lie outside the timestamps, .* none would be left"):
            ranges.rows(times_at(*index), outside="drop")
        return
    with pytest.warns(OutsideWarning, match=f"{outside} of {len(pairs)} ranges lie outside") if outside else nullcontext():
        assert list(ranges.rows(times_at(*index), outside="drop")) == expected


@settings(max_examples=120)
@given(ranges=range_lists(), seed=st.integers(0, 5))
def test_rows_round_trip(ranges, seed):
    steps = np.random.default_rng(seed).integers(1, 4, 60)
    index = times_at(*np.cumsum(steps).tolist())
    ranges = Ranges(ranges)
    assert TimeRanges.of_rows(ranges, index).rows(index) == ranges


def test_rows_of_examples():
    index = times_at(0, 10, 20, 30)
    assert list(TimeRanges(times_at(10), times_at(20)).rows(index)) == [(1, 3)]
    assert list(TimeRanges(times_at(11), times_at(19)).rows(index)) == [(1, 2)]
    assert list(TimeRanges(times_at(-9), times_at(5)).rows(index)) == [(0, 1)]
    assert list(TimeRanges(times_at(25), times_at(99)).rows(index)) == [(3, 4)]
    assert list(TimeRanges(times_at(10, 20), times_at(15, 30)).rows(index)) == [(1, 2), (2, 4)]
    assert list(TimeRanges(times_at(10, 15), times_at(20, 30)).rows(index)) == [(1, 4)]
    assert TimeRanges(times_at(), times_at()).rows(index) == Ranges()


def test_rejects_or_drops_ranges_outside_the_index():
    index = times_at(0, 10)
    with pytest.raises(
        ValueError, match=r"range 1 2024-03-01T00:00:11 to 2024-03-01T00:00:12 lies outside .* to 2024-03-01T00:00:10; drop"
    ):
        TimeRanges(times_at(0, 11), times_at(3, 12)).rows(index)
    with pytest.warns(OutsideWarning, match="time ranges: 1 of 2 ranges lie outside the timestamps, .* and are dropped"):
        assert list(TimeRanges(times_at(0, 11), times_at(3, 12)).rows(index, outside="drop")) == [(0, 1)]
    with pytest.raises(ValueError, match="time index is empty"):
        TimeRanges(times_at(0), times_at(3)).rows(times_at())


def test_rejects_bad_ranges():
    with pytest.raises(ValueError, match="range 0 is 2024-03-01T00:00:05 to 2024-03-01T00:00:03; a range must not end before"):
        TimeRanges(times_at(5), times_at(3))
    with pytest.raises(ValueError, match="same number of both"):
        TimeRanges(times_at(5), times_at(6, 7))
    with pytest.raises(ValueError, match="range 0"):
        TimeRanges(np.array(["NaT"], dtype="datetime64[ns]"), times_at(1))
    with pytest.raises(ValueError, match="stops at row 5, but there are only 2"):
        TimeRanges.of_rows(Ranges([(0, 5)]), times_at(0, 1))


def test_rejects_indexes_that_do_not_ascend():
    with pytest.raises(ValueError, match="row 2: 2024-03-01T00:00:05 goes back in time"):
        time_index(times_at(0, 10, 5))
    with pytest.raises(ValueError, match="row 1: 2024-03-01T00:00:00 repeats"):
        time_index(times_at(0, 0))
    with pytest.raises(ValueError, match=r"row 1: 0.25 s goes back in time"):
        time_index([0.5, 0.25])
    assert time_index([0.5, 1.0]).dtype == "timedelta64[ns]"


@pytest.mark.parametrize(("unit", "count"), [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)])
def test_reads_integers_as_epochs(unit, count):
    assert time_index(np.array([1_700_000_000, 1_700_000_060]) * count)[1] == np.datetime64("2023-11-14T22:14:20")
    assert len(time_index(np.array([], dtype=np.int64))) == 0


def test_rejects_integers_that_count_rows():
    with pytest.raises(ValueError, match="up to 99: they count rows"):
        TimeRanges(times_at(0), times_at(1)).rows(np.arange(100))


def test_converts_epochs():
    times = from_epoch([1571747315.23, 0, -1], "s", "file")
    assert time_text(times[0]) == "2019-10-22T12:28:35.23"
    assert to_epoch(times, "ms", "here").tolist() == [1571747315230, 0, -1000]
    with pytest.raises(ValueError, match=r"counts whole s, but 2019-10-22T12:28:35.23 is finer"):
        to_epoch(times, "s", "here")
    for wrong in ("7", None, True, float("nan"), float("inf"), 1e300, [1]):
        with pytest.raises(ValueError, match=r"file, range 1: .* is not a time"):
            from_epoch([1, wrong], "ms", "file")


@settings(max_examples=120)
@given(
    st.lists(st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)), max_size=5), st.sampled_from(["", "Z", "+00:00", "+05:30", "-08:00"])
)
def test_text_round_trips(moments, zone):
    times = parse_times([moment.isoformat() + zone for moment in moments])
    shift = {"+05:30": timedelta(hours=5, minutes=30), "-08:00": timedelta(hours=-8)}.get(zone, timedelta())
    assert [datetime.fromisoformat(time_text(time)) for time in times] == [moment - shift for moment in moments]


def test_rejects_bad_text():
    with pytest.raises(ValueError, match="file, time 1: 'noon' is not a time; expected ISO 8601"):
        parse_times(["2024-01-01", "noon"], "file")
    with pytest.raises(ValueError, match=r"time 1: .* has no time zone, but the times before it have one"):
        parse_times(["2024-01-01T00:00:00Z", "2024-01-01T00:00:00"])
    with pytest.raises(ValueError, match="has a time zone, but the times before it have none"):
        parse_times(["2024-01-01T00:00:00", "2024-01-01T00:00:00+01:00"])
    with pytest.raises(ValueError, match="1678 to 2261"):
        parse_times(["9999-01-01"])
