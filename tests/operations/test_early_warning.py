import json
from datetime import timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import rangewise as rw
from naive import early_warning as naive
from operations.chance_simulation import rejected_shares
from rangewise.operations.early_warning import WarningWindow, shift_test

MINUTE = 60 * 10**9
event_lists = st.lists(st.tuples(st.integers(0, 200), st.integers(1, 20)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=6)
alarm_lists = st.lists(st.integers(0, 199), max_size=8)


def minutes(ranges):
    return (np.datetime64("2024-05-01", "m") + np.array(ranges, dtype=np.int64).reshape(-1, 2)).astype("datetime64[ns]")


def early_warning(pairs, alarms, window, cooldown=0, span=(0, 200)):
    return rw.early_warning(
        minutes(pairs),
        minutes([(alarm, alarm + 3) for alarm in alarms]),
        window=window,
        cooldown=f"{cooldown}min",
        span=tuple(minutes([span])[0]),
    )


@given(pairs=event_lists, alarms=alarm_lists, latest=st.integers(0, 20), width=st.integers(1, 40), cooldown=st.sampled_from([0, 5, 30]))
@example(pairs=[(134, 136), (134, 135)], alarms=[135], latest=0, width=1, cooldown=0)
def test_counts_match_naive(pairs, alarms, latest, width, cooldown):
    result = early_warning(pairs, alarms, (f"{latest + width}min", f"{latest}min"), cooldown)
    expected = naive.summary(pairs, alarms, latest + width, latest, cooldown, (0, 200))
    assert (result.warned, result.late, result.false_alarms) == (expected["warned"], expected["late"], expected["false"])
    assert result.leads == tuple(None if lead is None else timedelta(minutes=lead) for lead in expected["leads"])
    assert result.alarms == len(expected["kept"])
    assert result.suppressed == len(alarms) - result.alarms
    assert result.time_in_warning == pytest.approx(expected["time"])
    assert result.false_alarms_per_day == pytest.approx(expected["false"] * 1440 / expected["quiet"] if expected["quiet"] else 0.0)
    assert result.sensitivity == pytest.approx(result.warned / result.events if result.events else 0.0)
    assert result.improvement_over_chance == pytest.approx(result.sensitivity - result.time_in_warning)
    json.dumps(result.to_dict(), allow_nan=False)
    assert "time in warning" in str(result)


@given(
    onsets=st.lists(st.integers(0, 59), max_size=4, unique=True), alarms=st.lists(st.integers(0, 59), max_size=5, unique=True),
    latest=st.integers(0, 10), width=st.integers(1, 30),
)  # fmt: skip
def test_shift_test_matches_naive(onsets, alarms, latest, width):
    assume(latest + width < 60)
    p = shift_test(
        *(np.array(sorted(each), dtype=np.int64) * MINUTE for each in (onsets, alarms)),
        WarningWindow((latest + width) * MINUTE, latest * MINUTE),
        60 * MINUTE,
    )
    assert p == pytest.approx(naive.p_shift(onsets, alarms, latest + width, latest, 60), abs=1e-9)


@given(pairs=event_lists, alarms=st.lists(st.integers(60, 140), max_size=6), move=st.integers(-20, 20))
@example(pairs=[(52, 61), (52, 53)], alarms=[60], move=0)
def test_moving_all_alarms_moves_every_lead(pairs, alarms, move):
    before, after = early_warning(pairs, alarms, "60min"), early_warning(pairs, [alarm + move for alarm in alarms], "60min")
    for event, (one, two) in enumerate(zip(before.leads, after.leads, strict=True)):
        onset, end = sorted(pair for pair in pairs if pair[0] < 200)[event]
        same = [[alarm + by for alarm in alarms if onset - 60 <= alarm + by < end] for by in (0, move)]
        # Leads are comparable if the same alarm is the first one before and after the move.
        if one is not None and two is not None and min(same[0]) + move == min(same[1]):
            assert two == one - timedelta(minutes=move)


def test_leads_after_the_onset_are_negative():
    result = early_warning([(100, 120)], [107], "30min..5min")
    assert result.leads == (timedelta(minutes=-7),)
    assert (result.warned, result.late, result.false_alarms, result.median_lead) == (0, 1, 0, None)


def test_independent_alarms_are_rejected_at_the_stated_level():
    for bursts in (False, True):
        shares = rejected_shares(400, seed=7, bursts=bursts)
        assert 0.03 <= shares["shift"] <= 0.075
    assert shares["binomial"] > 0.08, "events in bursts are not independent"


def test_distinguishes_good_alarms_from_chance():
    pairs = [(start, start + 5) for start in range(300, 3000, 300)]
    good = early_warning(pairs, [start - 20 for start, _ in pairs], "30min..10min", span=(0, 3000))
    assert good.sensitivity == 1.0
    assert max(good.p_shift, good.p_binomial) < 0.02
    assert "better than chance" in str(good)
    constant = early_warning(pairs, range(0, 3000, 20), "30min..10min", span=(0, 3000))
    assert constant.sensitivity == 1.0
    assert min(constant.p_shift, constant.p_binomial) > 0.5
    assert "not distinguishable from chance" in str(constant)


def test_dates_and_seconds_are_not_mixed():
    days = minutes([(100, 120)])
    for ask_for in (
        lambda: rw.early_warning(days, [(5.0, 6.0)], window="1h"),
        lambda: rw.alert_summary(days, [(5.0, 6.0)]),
        lambda: rw.review(days, [(5.0, 6.0)]),
        lambda: rw.warning_curve([(5.0, 6.0)], [1, 2], times=days[0], window="1h"),
    ):
        with pytest.raises(ValueError, match="seconds since the start of a recording"):
            ask_for()
    found = rw.early_warning([(10.0, 20.0)], [(5.0, 6.0)], window="8s", span=(0.0, 100.0))
    assert (found.warned, found.span) == (1, (np.timedelta64(0, "s"), np.timedelta64(100, "s")))


def test_an_alarm_at_the_end_is_no_evidence_for_an_event_at_the_start():
    """Shifts are circular, but what was observed is not: nothing was warned, so nothing is better than chance."""
    week = 7 * 1440
    result = early_warning([(0, 60)], [week - 60], "2h..10min", span=(0, week))
    assert (result.warned, result.p_shift) == (0, 1.0)
    assert "not distinguishable from chance" in str(result)


def test_few_events_or_alarms_are_no_evidence():
    for pairs, alarms in (([], []), ([], [50]), ([(60, 70)], [])):
        result = early_warning(pairs, alarms, "30min")
        assert (result.p_shift, result.p_binomial, result.warned) == (1.0, 1.0, 0)


@given(pairs=event_lists, scores=st.lists(st.integers(0, 4), min_size=3, max_size=40), latest=st.integers(0, 6), width=st.integers(1, 12))
def test_curve_matches_plain_counts_at_every_threshold(pairs, scores, latest, width):
    times = np.datetime64("2024-05-01", "m") + 5 * np.arange(len(scores))
    window = WarningWindow((latest + width) * MINUTE, latest * MINUTE)
    curve = rw.warning_curve(minutes(pairs), scores, times=times, window=window)
    last = 5 * (len(scores) - 1)
    assert curve.thresholds.tolist() == sorted(set(scores), reverse=True)
    for row, threshold in enumerate(curve.thresholds):
        alarms = [5 * place for place, score in enumerate(scores) if score >= threshold]
        onsets = [onset for onset, _ in pairs if onset <= last]
        warned = sum(any(onset - latest - width <= alarm <= onset - latest for alarm in alarms) for onset in onsets)
        covered = sum(any(alarm + latest <= minute < alarm + latest + width for alarm in alarms) for minute in range(last))
        assert curve.sensitivity[row] == pytest.approx(warned / len(onsets) if onsets else 0.0)
        assert curve.time_in_warning[row] == pytest.approx(covered / last)
    corners = [(0.0, 0.0), *zip(curve.time_in_warning, curve.sensitivity, strict=True), (1.0, 1.0)]
    assert curve.area == pytest.approx(sum((x - w) * (y + z) / 2 for (w, z), (x, y) in pairwise(corners)))
    assert 0 <= curve.area <= 1


def test_alert_summary_includes_early_warning():
    incidents, alerts = minutes([(100, 120)]), minutes([(70, 75), (72, 80), (10, 12)])
    summary = rw.alert_summary(incidents, alerts, warning_window="60min..10min", cooldown="5min", span=tuple(minutes([(0, 200)])[0]))
    assert summary.early_warning.leads == (timedelta(minutes=30),)
    assert summary.early_warning.suppressed == 1
    assert summary.to_dict()["early_warning"]["warned"] == 1
    assert "early warning: lead time" in str(summary)
    with pytest.raises(ValueError, match="give warning_window too"):
        rw.alert_summary(incidents, alerts, cooldown="5min")
    with pytest.raises(ValueError, match="drop ignore="):
        rw.alert_summary(incidents, alerts, warning_window="1h", ignore=minutes([(0, 5)]))


@pytest.mark.parametrize("window", ["10min..2h", "1h..2min..1s", "0s", "soon", ("1h", "-5min")])
def test_rejects_bad_windows_and_cooldowns(window):
    with pytest.raises(ValueError, match="warning_window"):
        rw.early_warning([], [], window=window)
    with pytest.raises(ValueError, match="cooldown"):
        rw.early_warning([], [], window="1h", cooldown=-5)
