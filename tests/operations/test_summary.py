import json
import statistics
from datetime import timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.dates import date2num

import rangewise as rw
from naive import alerts as naive

pairs = st.lists(st.tuples(st.integers(100, 300), st.integers(1, 40)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=12)


def minutes(ranges):
    return (np.datetime64("2024-05-01", "m") + np.array(ranges, dtype=np.int64).reshape(-1, 2)).astype("datetime64[ns]")


@given(incidents=pairs, alerts=pairs, lead=st.sampled_from([0, 5, 30]), data=st.data())
def test_counts_match_naive(incidents, alerts, lead, data):
    rules = data.draw(st.lists(st.sampled_from("abc"), min_size=len(alerts), max_size=len(alerts)))
    summary = rw.alert_summary(minutes(incidents), minutes(alerts), lead=f"{lead}min", by=rules, keep_always_firing=True)
    every = [*incidents, *alerts]
    span = (min(start for start, _ in every), max(stop for _, stop in every)) if every else (0, 0)
    expected = naive.summary(incidents, alerts, lead, span)
    assert (summary.incidents, summary.alerts) == (len(incidents), len(alerts))
    assert (summary.found, summary.missed, summary.false_alerts) == (expected["found"], expected["missed"], expected["false"])
    assert summary.alerts_per_incident == pytest.approx(expected["per_incident"])
    assert summary.time_under_false_alert == timedelta(minutes=expected["noise"])
    assert summary.share_under_alert == pytest.approx(expected["under"])
    assert summary.found_share == pytest.approx(expected["found"] / len(incidents) if incidents else 0.0)
    resets = statistics.median(expected["resets"]) if expected["resets"] else None
    assert summary.median_reset_time == (None if resets is None else timedelta(minutes=resets))
    if expected["delays"]:
        assert summary.median_time_to_detect == timedelta(minutes=statistics.median(expected["delays"]))
        assert summary.worst_time_to_detect == timedelta(minutes=expected["delays"][-1])
    else:
        assert summary.median_time_to_detect is None
    if span[1] > span[0]:
        assert summary.false_alerts_per_day == pytest.approx(expected["false"] / ((span[1] - span[0]) / 1440))
    for rule in summary.rules:
        own = [pair for pair, name in zip(alerts, rules, strict=True) if name == rule.rule]
        alone = naive.summary(incidents, own, lead, span)
        assert rule.precision == pytest.approx(1 - alone["false"] / len(own))
        delay = timedelta(minutes=statistics.median(alone["delays"])) if alone["delays"] else None
        assert rule.median_time_to_detect == delay
        assert rule.found_alone == naive.only(incidents, alerts, rules, rule.rule, lead)
        without = [pair for pair, name in zip(alerts, rules, strict=True) if name != rule.rule]
        assert rule.avoidable_noise == pytest.approx(expected["noise"] - naive.summary(incidents, without, lead, span)["noise"])
    joined = rw.Ranges.joined(minutes(incidents)), rw.Ranges.joined(minutes(alerts))
    assert summary.score.recall == (rw.score(*joined).recall if len(incidents) else 0.0)
    json.dumps(summary.to_dict(), allow_nan=False)
    assert str(summary)
    assert summary.to_markdown()


INCIDENTS = pd.DataFrame(
    {
        "start": pd.to_datetime(["2024-05-01 10:02", "2024-05-02 08:00", "2024-05-03 21:15"]),
        "end": pd.to_datetime(["2024-05-01 10:47", "2024-05-02 08:30", "2024-05-03 22:45"]),
        "id": ["INC-1", "INC-2", "INC-3"],
        "severity": [3, 1, 2],
    }
)
ALERTS = pd.DataFrame(
    {
        "start": pd.to_datetime(["2024-05-01 10:09", "2024-05-01 17:00", "2024-05-03 21:12"]),
        "end": pd.to_datetime(["2024-05-01 10:31", "2024-05-01 17:20", "2024-05-03 21:40"]),
        "alertname": ["HighLatency", "DiskFull", "HighLatency"],
    }
)


@pytest.mark.parametrize("as_table", [lambda table: table, pl.from_pandas, lambda table: pl.from_pandas(table).to_arrow()])
def test_accepts_tables_of_every_library(as_table):
    summary = rw.alert_summary(as_table(INCIDENTS), as_table(ALERTS), by="alertname", lead="5min")
    assert (summary.found, summary.missed, summary.false_alerts) == (2, 1, 1)
    assert summary.worst_missed == ("INC-2 2024-05-02 08:00 to 08:30 (30 min)",)
    assert summary.noisiest == ("DiskFull: 1 false",)
    assert [(rule.rule, rule.found_alone) for rule in summary.rules] == [("DiskFull", 0), ("HighLatency", 2)]
    assert "HighLatency" in str(summary)


def test_weights_ignored_intervals_span_and_until():
    weighted = rw.alert_summary(INCIDENTS, ALERTS, weights="severity")
    assert weighted.score.recall == pytest.approx((3 * 22 / 45 + 2 * 25 / 90) / 6)
    quiet = rw.alert_summary(INCIDENTS, ALERTS, ignore=[("2024-05-01T16:00", "2024-05-01T18:00")], by="alertname")
    assert (quiet.false_alerts, quiet.alerts, len(quiet.rules)) == (0, 2, 1)
    day = rw.alert_summary(INCIDENTS, ALERTS, span=("2024-05-01", "2024-05-02"), by="alertname")
    assert (day.incidents, day.alerts, day.false_alerts_per_day) == (1, 2, 1.0)
    open_incident = [("2024-05-01T10:00", None)]
    with pytest.raises(ValueError, match="until"):
        rw.alert_summary(open_incident, ALERTS)
    assert rw.alert_summary(open_incident, ALERTS, until="2024-05-01T11:00").found == 1
    later = [*open_incident, ("2024-05-01T12:00", None), ("2024-05-01T09:00", "2024-05-01T09:10")]
    weighed = rw.alert_summary(later, ALERTS, until="2024-05-01T11:00", weights=[3, 5, 1])
    assert weighed.score.recall == pytest.approx(3 / 4 * 22 / 60)
    assert rw.alert_summary(open_incident, [("2024-05-01T12:00", None)], until="2024-05-01T11:00").alerts == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lead": "-5min"}, "takes a duration"),
        ({"lead": -1}, "0 or more"),
        ({"by": "rule"}, "names a column of the alerts; it has start, end, alertname"),
        ({"by": ["a"]}, "3 alerts and 1 rules"),
        ({"span": ("2024-05-02", "2024-05-01")}, "with last after first"),
        ({"weights": [1]}, "3 incidents and 1 weights"),
        ({"span": ("2024-05-01T00:00Z", "2024-05-03T00:00Z")}, "zone"),
    ],
)
def test_rejects_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        rw.alert_summary(INCIDENTS, ALERTS, **options)


def test_rejects_rows():
    with pytest.raises(TypeError, match="pairs of times"):
        rw.alert_summary(np.array([(0, 4)]), ALERTS)


def test_plot_has_a_row_for_each_rule():
    figure = rw.alert_summary(INCIDENTS, ALERTS, by="alertname").plot()
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["incidents", "HighLatency", "DiskFull"]


def test_the_timeline_is_in_the_zone():
    incidents = [("2024-03-31T00:30Z", "2024-03-31T01:30Z")]
    for tz, label, shown in ((None, "", "2024-03-31 01:30:00"), ("Europe/Berlin", "Europe/Berlin", "2024-03-31 03:30:00")):
        axes = rw.alert_summary(incidents, [], tz=tz).plot().axes[0]
        assert axes.get_xlabel() == label
        moment = date2num(np.datetime64("2024-03-31T01:30"))
        assert axes.xaxis.get_major_formatter().format_data_short(moment) == shown


@given(incidents=pairs, alerts=pairs, ignored=pairs, first=st.integers(90, 320), length=st.integers(1, 200))
def test_ignored_intervals_and_span_cut_both_sides_and_are_reported(incidents, alerts, ignored, first, length):
    span = (first, first + length)
    span_minutes = set(range(*span))
    kept = span_minutes - {minute for start, stop in ignored for minute in range(start, stop)}
    assume(kept)
    summary = rw.alert_summary(minutes(incidents), minutes(alerts), span=tuple(minutes([span])[0]), ignore=minutes(ignored), lead="5min")
    within = [naive.left_of(side, span_minutes) for side in (incidents, alerts)]
    left = [naive.left_of(pieces, kept) for pieces, _ in within]
    expected = naive.summary(left[0][0], left[1][0], 5, span)
    assert (summary.incidents, summary.alerts) == (len(left[0][0]), len(left[1][0]))
    assert (summary.found, summary.missed, summary.false_alerts) == (expected["found"], expected["missed"], expected["false"])
    assert summary.days == pytest.approx(len(kept) / 1440)
    assert summary.share_under_alert == pytest.approx(expected["under"] * length / len(kept))
    assert summary.share_under_alert <= 1
    assert summary.false_alerts_per_day == pytest.approx(expected["false"] * 1440 / len(kept))
    exported = summary.to_dict()
    assert exported["cut_to_span"] == {"incidents": within[0][1], "alerts": within[1][1]}
    assert (exported["ignored"]["real"], exported["ignored"]["predicted"]) == (left[0][1], left[1][1])
    assert "cut to the span" in str(summary)
    assert f"real ranges: {left[0][1]['shortened']} shortened" in str(summary)


def test_text_does_not_mention_unused_options():
    summary = rw.alert_summary(INCIDENTS, ALERTS)
    assert (summary.ignored, summary.cut_to_span, summary.to_dict()["ignored"], summary.to_dict()["cut_to_span"]) == (
        None,
        None,
        None,
        None,
    )
    assert "ignored" not in str(summary)
    assert "cut" not in str(summary)


def test_order_of_alerts_does_not_matter():
    reversed_alerts = ALERTS.iloc[::-1]
    one, other = (rw.alert_summary(INCIDENTS, alerts, by="alertname").to_dict() for alerts in (ALERTS, reversed_alerts))
    assert one == other


def test_alerts_within_the_lead_are_not_drawn_as_false():
    early = [("2024-05-01T09:58", "2024-05-01T10:00")]

    def colors(lead):
        figure = rw.alert_summary(INCIDENTS.iloc[:1], early, lead=lead).plot()
        return {
            to_hex(bars.get_facecolor()[0]) for bars in figure.axes[0].collections if len(bars.get_paths()) and len(bars.get_facecolor())
        }

    assert colors("5min") == {"#333333", "#0072b2"}
    assert colors("1min") == {"#d55e00"}, "the missed incident is drawn as an outline"


@given(incidents=pairs, alerts=pairs, data=st.data())
def test_rules_that_always_fire_are_excluded(incidents, alerts, data):
    rules = data.draw(st.lists(st.sampled_from("ab"), min_size=len(alerts), max_size=len(alerts)))
    first, last = (data.draw(st.integers(90, 200)), data.draw(st.integers(201, 360)))
    watchdog = [(80, 400)]
    summary = rw.alert_summary(
        minutes(incidents), minutes([*alerts, *watchdog]), by=[*rules, "Watchdog"], span=tuple(minutes([(first, last)])[0])
    )
    span = set(range(first, last))
    quiet = span - {minute for start, stop in incidents for minute in range(start, stop)}
    expected = set()
    for rule in {*rules, "Watchdog"}:
        own = {minute for (start, stop), name in zip([*alerts, *watchdog], [*rules, "Watchdog"], strict=True) if name == rule
               for minute in range(start, stop)}  # fmt: skip
        if 2 * len(quiet) > len(span) and len(quiet & own) >= 0.95 * len(quiet) and own & span:
            expected.add(rule)
    assert set(summary.always_firing) == expected
    assert summary.alerts == sum(
        rule not in expected and start < last and stop > first
        for (start, stop), rule in zip([*alerts, *watchdog], [*rules, "Watchdog"], strict=True)
    )


def test_the_span_is_that_of_the_rules_that_count():
    watchdog, rules = ALERTS.assign(alertname=["HighLatency", "Watchdog", "HighLatency"]), [0, 2]
    watchdog.loc[1, ["start", "end"]] = pd.to_datetime(["2024-04-01", "2024-06-01"]).to_numpy()
    found, without = (rw.alert_summary(INCIDENTS, alerts, by="alertname") for alerts in (watchdog, watchdog.iloc[rules]))
    assert found.always_firing == ("Watchdog",)
    assert found.to_dict() | {"always_firing": []} == without.to_dict()
    early = rw.alert_summary(INCIDENTS, watchdog, by="alertname", warning_window="1h")
    assert early.early_warning.alarms == 2


def test_ignored_time_does_not_hide_a_rule_that_always_fires():
    watchdog = ALERTS.assign(alertname=["HighLatency", "Watchdog", "HighLatency"])
    watchdog.loc[1, ["start", "end"]] = pd.to_datetime(["2024-04-01", "2024-06-01"]).to_numpy()
    span, half = ("2024-05-01", "2024-05-05"), [("2024-05-01T12:00", "2024-05-02T06:00")]
    found = rw.alert_summary(INCIDENTS, watchdog, by="alertname", span=span, ignore=half)
    assert found.always_firing == ("Watchdog",)
    assert (found.alerts, found.cut_to_span.alerts.shortened) == (2, 0)
    # Silent for a tenth of the time that counts, which is less than 5 % of the span.
    watchdog.loc[1, "start"] = pd.Timestamp("2024-05-01T03:00")
    long = [("2024-05-01T04:00", "2024-05-04T00:00")]
    assert rw.alert_summary(INCIDENTS, watchdog, by="alertname", span=span, ignore=long).always_firing == ()


def test_times_are_shown_in_the_time_zone():
    incidents, alerts = [("2024-03-31T00:30Z", "2024-03-31T01:30Z")], [("2024-03-31T00:40Z", "2024-03-31T00:50Z")]
    assert "2024-03-31 00:30 to 01:30 UTC (1 h)" in str(rw.alert_summary(incidents, alerts))
    berlin = rw.alert_summary(incidents, alerts, tz="Europe/Berlin")
    assert "2024-03-31 01:30 to 03:30 Europe/Berlin (1 h)" in str(berlin)
    assert berlin.to_dict()["span"] == ["2024-03-31T01:30:00+01:00", "2024-03-31T03:30:00+02:00"]
    with pytest.raises(ValueError, match="these times have none"):
        rw.alert_summary([("2024-03-31T00:30", "2024-03-31T01:30")], [], tz="UTC")
    with pytest.raises(ValueError, match="Europe/Berlin"):
        rw.alert_summary(incidents, alerts, tz="Berlin")


def test_resolution_applies_to_the_score():
    model = rw.RangeModel(precision_weight="length")
    with pytest.raises(ValueError, match=r"precision_weight='length' adds up at most .* so give resolution='1s'"):
        rw.alert_summary(INCIDENTS, ALERTS, model=model)
    summary = rw.alert_summary(INCIDENTS, ALERTS, model=model, resolution="1s")
    sides = [rw.Ranges(table[["start", "end"]]) for table in (INCIDENTS, ALERTS)]
    assert summary.score == model.score(*sides, resolution="1s")
    assert summary.score.precision == pytest.approx((22 + 25) / (22 + 20 + 28))
    exact = rw.alert_summary(INCIDENTS, ALERTS)
    assert (summary.found, summary.median_time_to_detect, summary.share_under_alert) == (
        exact.found,
        exact.median_time_to_detect,
        exact.share_under_alert,
    )
    weighted = rw.alert_summary(INCIDENTS, ALERTS, weights="severity", resolution="1s")
    assert weighted.score.recall == pytest.approx((3 * 22 / 45 + 2 * 25 / 90) / 6)


def test_rejects_leads_beyond_a_century():
    with pytest.raises(ValueError, match=r"lead takes a duration.* up to a century"):
        rw.alert_summary(INCIDENTS, ALERTS, lead=timedelta(days=10**7))


def test_ignored_intervals_are_of_the_same_kind_as_the_sides():
    dates, seconds = [("2024-05-01T10:00", "2024-05-01T11:00")], [(5.0, 6.0)]
    with pytest.raises(ValueError, match="incidents has dates, but ignore has seconds"):
        rw.alert_summary(dates, dates, ignore=seconds)
    with pytest.raises(ValueError, match="ignore has dates, but incidents has seconds"):
        rw.alert_summary(seconds, seconds, ignore=dates)
    assert rw.alert_summary(seconds, seconds, ignore=[]).found == 1
