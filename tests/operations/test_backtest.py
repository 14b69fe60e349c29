import json
import math
from datetime import timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import promtool
import rangewise as rw
from naive import backtest as naive
from rangewise.operations.backtest import read_rate
from rangewise.operations.rule import OPS

pytestmark = pytest.mark.kernel
GOLDEN = Path(__file__).parents[1] / "data" / "promtool-states.json"
INTERVAL = 60


def states_of(result, rule, count):
    """Whether a rule fires at each step, from the alerts of a backtest."""
    firing = np.zeros(count, dtype=bool)
    alerts = result.at(rule["threshold"], for_=rule["hold"], keep_firing_for=rule["keep"]).sides[1]
    first, interval = result.steps.first, result.steps.interval
    for start, stop in zip(alerts.starts, alerts.stops, strict=True):
        firing[(start - first) // interval : (stop - first) // interval] = True
    return firing.tolist()


def rangewise_states(rule, interval):
    values = [math.nan if value is None else value for value in rule["values"]]
    result = rw.backtest([], values, interval=interval, op=rule["op"], for_=rule["hold"], keep_firing_for=rule["keep"], max_alert_rate=1)
    return states_of(result, rule, len(values))


def random_rules(seed, count, steps, interval):
    """Rules with gaps, repeated values, thresholds at and between values, and durations that are not multiples of the interval."""
    rng = np.random.default_rng(seed)
    rules = []
    for _ in range(count):
        values = rng.integers(0, 5, steps).repeat(rng.integers(1, 4))[:steps].astype(float)
        missing = rng.random(steps) < rng.choice([0.0, 0.1, 0.4])
        hold, keep = (int(rng.choice([0, 0, 1, interval - 1, interval, interval + 1, 2 * interval, 5 * interval // 2])) for _ in range(2))
        rules.append(
            {
                "values": [None if absent else value for value, absent in zip(values.tolist(), missing, strict=True)],
                "op": OPS[rng.integers(len(OPS))],
                "threshold": float(rng.choice([0, 0.5, 1, 2, 2.5, 3, 4])),
                "hold": hold,
                "keep": keep,
            }
        )
    return rules


values = st.lists(st.one_of(st.none(), st.sampled_from([0.0, 1.0, 2.0, 3.0])), min_size=1, max_size=25)
lengths = st.sampled_from([0, 1, 59, 60, 61, 120, 150, 600, 3600])
spans = st.lists(st.tuples(st.integers(-100, 1600), st.integers(1, 400)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=5)


@given(values=values, hold=lengths, keep=lengths, op=st.sampled_from(OPS), threshold=st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]))
def test_rules_fire_like_naive(values, hold, keep, op, threshold):
    rule = {"values": values, "op": op, "threshold": threshold, "hold": hold, "keep": keep}
    assert rangewise_states(rule, INTERVAL) == naive.firing(values, op, threshold, hold, keep, INTERVAL)


@given(
    values=values, other=values, incidents=spans, hold=lengths, keep=lengths, op=st.sampled_from(OPS), lead=st.sampled_from([0, 90]),
    label_sets=st.sampled_from(["largest", "each"]),
)  # fmt: skip
def test_every_threshold_matches_naive(values, other, incidents, hold, keep, op, lead, label_sets):
    count = min(len(values), len(other))
    columns = [[math.nan if value is None else value for value in each[:count]] for each in (values, other)]
    end = count * INTERVAL
    incident_times = np.array(incidents, dtype=np.int64).reshape(-1, 2).astype("datetime64[s]")
    times = np.arange(count).astype("int64") * INTERVAL
    result = rw.backtest(
        incident_times, np.array(columns).T, times=times.astype("datetime64[s]"), interval=INTERVAL, op=op, for_=hold, keep_firing_for=keep,
        lead=lead, label_sets=label_sets, max_alert_rate=1,
    )  # fmt: skip
    inside = [(max(start, 0), min(stop, end)) for start, stop in incidents if start < end and stop > 0]
    assert (result.incidents, result.outside) == (len(inside), len(incidents) - len(inside))
    curve = result.curve(for_=hold, keep_firing_for=keep)
    present = {value for column in columns for value in column if not math.isnan(value)}
    assert curve.thresholds.tolist() == sorted(present, reverse=op in (">", ">="))
    outcomes = {}
    for row, threshold in enumerate(curve.thresholds.tolist()):
        inclusive = ">=" if op in (">", ">=") else "<="
        states = [
            naive.firing([None if math.isnan(v) else v for v in column], inclusive, threshold, hold, keep, INTERVAL) for column in columns
        ]
        if label_sets == "largest":
            states = [[any(pair) for pair in zip(*states, strict=True)]]
        alerts = [run for each in states for run in naive.runs(each)]
        union = naive.runs([any(pair) for pair in zip(*states, strict=True)])
        found, _, _, detect, reset = naive.outcome(union, inside, INTERVAL, lead)
        _, number, false, _, _ = naive.outcome(alerts, inside, INTERVAL, lead)
        assert (curve.found[row], curve.alerts[row], curve.false_alerts[row]) == (found, number, false)
        medians = curve.median_time_to_detect[row], curve.median_reset_time[row]
        assert medians == ((detect, reset) if found else (pytest.approx(math.nan, nan_ok=True),) * 2)
        outcomes[threshold] = (found, false, detect, reset)
    for each in result.front:
        summary = result.at(each.rule.threshold, for_=hold, keep_firing_for=keep)
        assert (summary.found, summary.false_alerts) == (each.found, each.false_alerts)
        assert (summary.median_time_to_detect, summary.median_reset_time) == (each.median_time_to_detect, each.median_reset_time)
        end = each.lowest if op in (">", "<=") else each.highest
        if math.isfinite(end):
            same = result.at(end, for_=hold, keep_firing_for=keep)
            assert (same.found, same.false_alerts, same.median_time_to_detect) == (
                each.found, each.false_alerts, each.median_time_to_detect,
            )  # fmt: skip
    useful = {outcome for outcome in outcomes.values() if outcome[0]}
    dominated = {one for one in useful if any(_dominates(two, one) for two in useful)}
    front = {(each.found, each.false_alerts, *(length.total_seconds() for length in _medians(each))) for each in result.front}
    assert front == useful - dominated


def _medians(each):
    return each.median_time_to_detect, each.median_reset_time


def _dominates(one, two):
    return one != two and one[0] >= two[0] and all(one[k] <= two[k] for k in (1, 2, 3))


def test_matches_golden_states_of_prometheus():
    golden = json.loads(GOLDEN.read_text())
    assert sum(len(group["rules"]) for group in golden["groups"]) >= 100
    for group in golden["groups"]:
        for rule in group["rules"]:
            states = [state == "1" for state in rule["states"]]
            assert rangewise_states(rule, group["interval"]) == states
            assert naive.firing(rule["values"], rule["op"], rule["threshold"], rule["hold"], rule["keep"], group["interval"]) == states


@pytest.mark.promtool
def test_prometheus_agrees_on_random_rules(tmp_path):
    groups = [{"interval": interval, "rules": random_rules(seed, 34, 40, interval)} for seed, interval in enumerate((15, 60, 7) * 3)]
    for group in groups:
        for rule in group["rules"]:
            rule["states"] = rangewise_states(rule, group["interval"])
    assert sum(len(group["rules"]) for group in groups) >= 300
    assert promtool.differing_states(tmp_path, groups) == ""
    groups[3]["rules"][0]["states"][7] ^= True
    assert promtool.differing_states(tmp_path, groups), "the comparison does not notice a state that differs"


@pytest.mark.promtool
def test_prometheus_looks_back_as_far(tmp_path):
    """Samples between evaluations, many of them missing. No age is exactly five minutes, where versions of Prometheus differ."""
    groups = []
    for seed, (interval, sampled) in enumerate(((37, 60), (61, 60), (13, 100), (119, 60))):
        rng, count = np.random.default_rng(seed), 40 * interval // sampled
        steps = (count - 1) * sampled // interval + 1
        assert 300 not in {step * interval - row * sampled for step in range(steps) for row in range(count)}
        rules = random_rules(seed, 12, count, interval)
        for rule in rules:
            taken = np.flatnonzero(rng.random(count) < 0.4)
            rows = np.unique([0, *taken, count - 1])
            samples = [rule["values"][row] or 0.0 for row in rows.tolist()]
            rule["values"] = [samples[rows.tolist().index(row)] if row in rows else None for row in range(count)]
            result = rw.backtest(
                [], samples, times=(rows * sampled).astype("datetime64[s]"), interval=interval, lookback="5min", op=rule["op"],
                for_=rule["hold"], keep_firing_for=rule["keep"], max_alert_rate=1,
            )  # fmt: skip
            rule["states"] = states_of(result, rule, steps)
        groups.append({"interval": interval, "sampled": sampled, "rules": rules})
    assert promtool.differing_states(tmp_path, groups) == ""


@pytest.mark.promtool
def test_prometheus_accepts_written_rules(tmp_path):
    result = rw.backtest([(3, 6)], [1, 1, 1, 5, 6, 7, 1, 1, 1e-7], interval="90s", for_="90s", keep_firing_for="4min", at_most=1)
    for number, expr in enumerate(("latency_p99", 'latency_p99{job="api"}', "histogram_quantile(0.99, sum by (le) (rate(x_bucket[5m])))")):
        path = tmp_path / f"rule{number}.yml"
        path.write_text(result.rule_yaml(expr=expr, alert='An "odd" name: yes'))
        assert promtool.check_rules(path) is None


def test_samples_between_steps_count_during_the_lookback():
    times = np.datetime64("2024-05-06", "s") + np.array([0, 50, 410, 470])
    result = rw.backtest([], [1.0, 2.0, 3.0, 4.0], times=times, interval="60s")
    assert result.steps.values[0].tolist()[:6] == [1.0, 2.0, 2.0, 2.0, 2.0, 2.0]
    assert math.isnan(result.steps.values[0, 6])
    assert result.steps.values[0, 7] == 3.0
    shorter = rw.backtest([], [1.0, 2.0, 3.0, 4.0], times=times, interval="60s", lookback="1min").steps.values[0]
    assert np.isnan(shorter[2])


def test_label_sets_may_be_sampled_at_different_times():
    """Two targets of one job, scraped every minute, half a minute apart; both values of an incident last half an hour."""
    seconds = np.arange(0, 36_000, 30)
    values = np.where((seconds >= 6000) & (seconds < 7800), 9.0, 1.0)
    even = np.arange(len(seconds)) % 2 == 0
    columns = {"a": np.where(even, values, math.nan), "b": np.where(even, math.nan, values)}
    times = np.datetime64("2024-05-06", "s") + seconds
    incidents = [(times[200], times[260])]
    result = rw.backtest(incidents, columns, times=times, for_="5min", label_sets="each")
    assert result.interval == timedelta(minutes=1)
    assert (result.best.found, result.best.false_alerts, result.best.median_time_to_detect) == (1, 0, timedelta(minutes=5))
    assert not np.isnan(result.steps.values[:, 1:]).any()
    quicker = rw.backtest(incidents, columns, times=times, for_="5min", interval="30s", lookback="5min")
    assert (quicker.best.found, quicker.best.median_time_to_detect) == (1, timedelta(minutes=5))


@given(
    rows=st.lists(st.tuples(st.integers(1, 400), *(st.one_of(st.none(), st.integers(0, 3)),) * 2), min_size=2, max_size=20),
    interval=st.sampled_from([7, 60, 100]), lookback=st.sampled_from([60, 300]),
)  # fmt: skip
def test_each_label_set_is_seen_as_if_it_were_alone(rows, interval, lookback):
    times = np.cumsum([gap for gap, _, _ in rows])
    columns = [[math.nan if row[1 + k] is None else float(row[1 + k]) for row in rows] for k in (0, 1)]
    steps = rw.backtest(
        [], np.array(columns).T, times=times.astype("datetime64[s]"), interval=interval, lookback=lookback, max_alert_rate=1
    ).steps
    for k, column in enumerate(columns):
        samples = [(t, v) for t, v, w in zip(times.tolist(), column, columns[1 - k], strict=True) if not math.isnan(v) or math.isnan(w)]
        for step in range(steps.count):
            now = int(times[0]) + step * interval
            seen = [value for time, value in samples if time <= now and now - time < lookback]
            newest = seen[-1] if seen else math.nan
            assert steps.values[k, step] == newest or (math.isnan(newest) and math.isnan(steps.values[k, step]))


def test_missing_rows_are_absent_samples():
    times = np.datetime64("2024-05-06", "m") + np.array([0, 1, 2, 5, 6])
    result = rw.backtest([], [9.0] * 5, times=times)
    assert result.interval == timedelta(minutes=1)
    assert np.isnan(result.steps.values[0]).tolist() == [False, False, False, True, True, False, False]


def week(seed=1, incidents=12):
    rng = np.random.default_rng(seed)
    values = rng.gamma(2, 1, 10_080)
    times = np.datetime64("2024-05-06", "s") + np.arange(10_080) * 60
    pairs = []
    for start in np.sort(rng.choice(9_900 // 100, incidents, replace=False)) * 100 + 50:
        length = int(rng.integers(10, 40))
        values[start : start + length] += rng.uniform(3, 8)
        pairs.append((times[start] + int(rng.integers(-30, 30)), times[start + length]))
    return pairs, values, times


def test_best_rule_meets_the_constraints():
    incidents, values, times = week()
    settings = {"times": times, "for_": ["0s", "2min", "5min"], "keep_firing_for": ["0s", "10min"]}
    loose = rw.backtest(incidents, values, **settings, at_most="2/day")
    strict = rw.backtest(incidents, values, **settings, at_most="2/day", detect_within="1min")
    assert loose.best.found >= strict.best.found
    assert strict.best.median_time_to_detect <= timedelta(minutes=1)
    assert strict.best.false_alerts_per_day <= 2
    none = rw.backtest(incidents, values, **settings, at_most=0, detect_within=0)
    assert none.best is None
    assert "No rule finds an incident with at most 0/day false alerts" in str(none)
    with pytest.raises(ValueError, match="no rule meets the constraints"):
        none.rule_yaml(expr="x")


def test_rules_that_always_fire_are_not_chosen():
    incidents, values, times = week()
    result = rw.backtest(incidents, values, times=times, at_most=10)
    assert result.at(-1.0).false_alerts == 0, "a single alert covers all the time, incidents included"
    assert all(each.rule.threshold > 1 for each in result.front)
    assert rw.backtest(incidents, values, times=times, max_alert_rate=1).best.found == len(incidents)


def test_holdout_does_not_affect_the_choice():
    incidents, values, times = week()
    result = rw.backtest(incidents, values, times=times, for_=["0s", "3min"], at_most="1/day", holdout=0.4)
    cut = int((result.holdout.cut - times[0]) / np.timedelta64(60, "s"))
    before = [pair for pair in incidents if pair[1] <= times[cut]]
    earlier = rw.backtest(before, values[:cut], times=times[:cut], for_=["0s", "3min"], at_most="1/day")
    assert result.best == earlier.best
    assert result.holdout.later.incidents == len(incidents) - len(before)
    assert "chosen on the data before" in str(result)
    explicit = rw.backtest(incidents, values, times=times, for_=["0s", "3min"], at_most="1/day", holdout=result.holdout.cut)
    assert explicit.holdout.cut == result.holdout.cut


def test_ignored_time_contributes_nothing():
    incidents, values, times = week()
    ignore = [(times[2000], times[4000])]
    kept = [pair for pair in incidents if pair[1] <= times[2000] or pair[0] >= times[4000]]
    result = rw.backtest(incidents, values, times=times, ignore=ignore, for_="2min")
    assert result.incidents == len(kept)
    assert result.days == pytest.approx((10_080 - 2000) / 1440)
    summary = result.at(3.0, for_="2min")
    row = int(np.flatnonzero(result.curve(for_="2min").thresholds > 3.0)[-1])
    assert (summary.found, summary.false_alerts) == (result.curve(for_="2min").found[row], result.curve(for_="2min").false_alerts[row])
    assert summary.false_alerts_per_day == pytest.approx(summary.false_alerts / result.days)
    assert rw.backtest(kept, values, times=times, ignore=ignore, for_="2min").front == result.front


def test_tables_dicts_and_rows_agree():
    incidents, values, times = week()
    base = rw.backtest(incidents, values, times=times)
    for table in (pd.Series(values), pl.Series("x", values), pd.DataFrame({"x": values}), {"x": values.tolist()}):
        assert rw.backtest(incidents, table, times=times).front == base.front
    assert rw.backtest(pd.DataFrame(incidents, columns=["start", "end"]), values, times=pd.DatetimeIndex(times)).front == base.front
    rows = rw.backtest([(3, 6)], [1, 1, 1, 5, 6, 7, 1, 1], interval="1min")
    labels = rw.backtest([0, 0, 0, 1, 1, 1, 0, 0], [1, 1, 1, 5, 6, 7, 1, 1], interval="1min")
    assert rows.front == labels.front
    assert rows.best.found == 1


def test_text_agrees_with_numbers():
    incidents, values, times = week()
    result = rw.backtest(incidents, values, times=times, for_=["0s", "2min"], keep_firing_for="10min", at_most="1/day")
    lines = result.explain()
    assert len(lines) == result.incidents
    assert sum("found" in line for line in lines) == result.best.found
    assert sum("missed" in line for line in lines) == result.incidents - result.best.found
    assert lines == sorted(lines), "not in chronological order"
    exported = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert exported["best"]["found"] == result.best.found
    assert exported["summary"]["found"] == result.best.found
    assert str(result.best.rule) in str(result)
    assert f"{result.best.found}/{result.incidents}" in result.to_markdown()


def test_plot_has_one_line_per_for():
    incidents, values, times = week()
    axes = rw.backtest(incidents, values, times=times, for_=["0s", "5min"], keep_firing_for=["0s", "5min"]).plot()
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names[:2] == ["for 0s", "for 5m"]
    assert names[2].startswith("best: ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"op": "=="}, "op is one of >, >=, <, <="),
        ({"values": []}, "empty"),
        ({"values": ["a"] * 4}, "must be numbers"),
        ({"interval": None}, "need interval="),
        ({"interval": 0}, "above 0"),
        ({"for_": []}, "for_ must be a list of durations"),
        ({"for_": "-5min"}, "takes a duration"),
        ({"for_": -5}, "0 or more"),
        ({"at_most": "often"}, "1/week"),
        ({"holdout": 1.5}, "between 0 and 1"),
        ({"label_sets": "some"}, "label_sets is one of largest, each"),
        ({"max_alert_rate": 0}, "above 0"),
        ({"incidents": [(0, 9)]}, "4 values"),
        ({"times": [1, 2, 3]}, "rows, not time"),
        ({"times": np.array(["2024-05-06", "2024-05-07", "2024-05-07", "2024-05-08"], dtype="M8[D]")}, "not after the previous time"),
        ({"times": np.array(["2024-05-06", "2024-05-07"], dtype="M8[D]")}, "4 values and 2 times"),
        ({"ignore": np.array([["1969-12-31", "1970-01-02"]], dtype="M8[s]")}, "nothing left to evaluate"),
    ],
)
def test_rejects_bad_input(change, message):
    options = {"incidents": [(1, 2)], "values": [1.0, 2.0, 1.0, 1.0], "interval": "1min"} | change
    with pytest.raises((ValueError, TypeError), match=message):
        rw.backtest(options.pop("incidents"), options.pop("values"), **options)


def test_the_interval_of_thresholds_has_one_end():
    values = np.array([1, 1, 5, 1, 1, 7, 8, 9, 8, 1, 1, 1.0])
    for op, sign, text in ((">", 1, "from 5 to below 7"), (">=", 1, "above 5 up to 7"), ("<", -1, "above -7 up to -5"),
                           ("<=", -1, "from -7 to below -5")):  # fmt: skip
        result = rw.backtest([(5, 9)], sign * values, interval="1min", op=op, at_most=0)
        assert f"any threshold {text} gives the same result" in str(result)
        kept, lost = ("lowest", "highest") if op in (">", "<=") else ("highest", "lowest")
        times = [result.at(getattr(result.best, end)).false_alerts for end in (kept, lost)]
        delays = [result.at(getattr(result.best, end)).median_time_to_detect for end in (kept, lost)]
        assert (times[0], delays[0]) == (0, result.best.median_time_to_detect)
        assert (times[1], delays[1]) != (times[0], delays[0])
    alone = rw.backtest([(2, 3)], [math.nan, math.nan, math.inf, math.nan], interval="1min", op=">=", at_most=0)
    assert (alone.best.rule.threshold, "any threshold gives the same result" in str(alone)) == (0.0, True)
    assert "1 incident is few" in str(alone)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[math.inf, 1, -math.inf, 2], [-1e308, 1e308, -1e308, -1e308], [0, 5e-324, 0, 0], [-math.inf] * 4])
@pytest.mark.parametrize("op", OPS)
def test_extreme_values(values, op):
    result = rw.backtest([(1, 2)], values, interval="1min", op=op, at_most=1000, max_alert_rate=1)
    json.dumps(result.to_dict(), allow_nan=False)
    for each in result.front:
        summary = result.at(each.rule.threshold)
        assert (summary.found, summary.false_alerts) == (each.found, each.false_alerts)


def test_times_since_the_start_of_a_recording():
    values, seconds = [1.0, 1.0, 5.0, 1.0, 1.0], [0.0, 10.0, 20.0, 30.0, 40.0]
    result = rw.backtest([(19.0, 28.0)], values, times=seconds, at_most=1, holdout=timedelta(seconds=40))
    assert (result.best.found, result.at(2).found, result.holdout.cut) == (1, 1, np.timedelta64(40, "s"))
    assert "5 evaluation" not in str(result)
    assert "19 s to 28 s (9 s): found after 1 s" in str(result)
    days = [("2024-05-06T00:00", "2024-05-06T01:00")]
    for incidents, more in ((days, {}), ([(19.0, 28.0)], {"ignore": days}), ([(19.0, 28.0)], {"holdout": "2024-05-06"})):
        with pytest.raises(ValueError, match="seconds since the start"):
            rw.backtest(incidents, values, times=seconds, **more)


def test_the_summary_of_a_rule_is_in_the_zone():
    times = np.datetime64("2024-05-06T00:00", "m") + np.arange(60)
    incidents = [("2024-05-06T00:10Z", "2024-05-06T00:20Z")]
    values = np.where((np.arange(60) > 9) & (np.arange(60) < 20), 5.0, 1.0)
    result = rw.backtest(incidents, values, times=times.astype("M8[s]").astype(int), at_most=1, tz="Europe/Berlin")
    assert result.summary.to_dict()["span"] == ["2024-05-06T02:00:00+02:00", "2024-05-06T03:00:00+02:00"]


def test_reads_rates():
    assert read_rate("3/2weeks", "at_most") == pytest.approx(3 / 14)
    assert read_rate("1 a day", "at_most") == 1
