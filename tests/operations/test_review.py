import json
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import alerts as naive
from rangewise.cli import run
from rangewise.operations.review import Period

DAY = 1440
START = np.datetime64("2024-04-08T00:00", "m")


def similar_weeks(rng, weeks=8, *, late=2.0, missing=0.15, noisy_days=0.3, per_week=6):
    """Similar weeks: some incidents per week, most of them found, some flapping alerts, and days with bursts of false alerts."""
    incidents, alerts, rules = [], [], []
    for week in range(weeks):
        for _ in range(rng.poisson(per_week)):
            start = int(week * 7 * DAY + rng.integers(0, 7 * DAY - 120))
            length = int(rng.integers(10, 90))
            incidents.append((start, start + length))
            if rng.random() >= missing:
                delay = min(int(rng.exponential(late)), length - 1)
                for flap in range(1 + rng.poisson(0.3)):
                    alerts.append((start + delay + flap, start + length + int(rng.exponential(3)) + flap + 1))
                    rules.append(str(rng.choice(["Latency", "Errors"])))
    for day in range(7 * weeks):
        if rng.random() < noisy_days:
            for _ in range(1 + rng.poisson(3)):
                start = int(day * DAY + rng.integers(0, DAY - 20))
                alerts.append((start, start + 5))
                rules.append(str(rng.choice(["Disk", "Latency"])))
    return incidents, alerts, rules


def minutes(pairs):
    return (START + np.array(pairs, dtype=np.int64).reshape(-1, 2)).astype("datetime64[ns]")


def review_of(incidents, alerts, rules, **more):
    return rw.review(minutes(incidents), minutes(alerts), by=rules, end=str(START + 8 * 7 * DAY), **more)


def test_similar_weeks_are_rarely_called_worse():
    rng = np.random.default_rng(5)
    simulations = 120
    worse = sum(review_of(*similar_weeks(rng)).is_worse for _ in range(simulations))
    assert worse <= 0.05 * simulations


def test_detects_a_worse_week():
    rng = np.random.default_rng(11)
    incidents, alerts, rules = similar_weeks(rng)
    last = 7 * 7 * DAY
    kept = [place for place, (start, _) in enumerate(alerts) if start < last or rules[place] == "Disk"]
    missed = review_of(incidents, [alerts[k] for k in kept], [rules[k] for k in kept])
    assert missed.changes[0].verdict == "worse"
    noisy = [(last + day * DAY + 60 * k, last + day * DAY + 60 * k + 5) for day in range(7) for k in range(15)]
    loud = review_of(incidents, [*alerts, *noisy], [*rules, *["Disk"] * len(noisy)])
    verdicts = {change.measure: change.verdict for change in loud.changes}
    assert verdicts["false_alerts"] == "worse"
    assert [change.measure for change in loud.worse_rules] == ["Disk"]
    assert loud.is_worse
    assert "false alerts per day" in str(loud)
    assert "Disk" in str(loud).partition("Rules that got worse")[2]
    quiet = review_of(
        incidents, *zip(*[(pair, rule) for pair, rule in zip(alerts, rules, strict=True) if pair[0] < last or rule != "Disk"], strict=True)
    )
    assert not quiet.is_worse


def test_weeks_before_the_first_record_are_no_quiet_weeks():
    """They would lower the rates of earlier weeks, and a rule that always fires would count as one that finds everything."""
    rng = np.random.default_rng(3)
    incidents, alerts, rules = similar_weeks(rng, weeks=3)
    end = START + 3 * 7 * DAY
    alerts.append((0, 3 * 7 * DAY))
    rules.append("Watchdog")
    given = {"by": rules, "end": str(end)}
    exact = rw.review(minutes(incidents), minutes(alerts), weeks=3, **given)
    more = rw.review(minutes(incidents), minutes(alerts), weeks=8, **given)
    assert (exact.weeks_without_records, more.weeks_without_records) == (0, 5)
    assert more.always_firing == exact.always_firing == ("Watchdog",)
    assert more.to_dict() | {"weeks_without_records": 0} == exact.to_dict()
    assert "The last week against the 2 weeks before:" in str(more)
    assert "Left out:\n  5 weeks before the first incident or alert" in str(more)
    assert "Left out" not in str(exact)
    # A quiet week after the first record counts, and so does the last one.
    assert len(rw.review(minutes([(0, 10)]), [], end=str(end)).weeks) == 3
    alone = rw.review(minutes([(20 * DAY, 20 * DAY + 10)]), [], end=str(end))
    assert len(alone.weeks) == 1
    assert "nothing to compare it with; give an earlier review" in str(alone)


def test_weekly_counts_match_plain_loops():
    rng = np.random.default_rng(2)
    incidents, alerts, rules = similar_weeks(rng)
    result = review_of(incidents, alerts, rules, keep_always_firing=True)
    for number, week in enumerate(result.weeks):
        first, last = number * 7 * DAY, (number + 1) * 7 * DAY
        own = [pair for pair in incidents if first <= pair[0] < last]
        met = [[k for k, (a, b) in enumerate(alerts) if a < stop and b > start] for start, stop in own]
        false = [sum(not any(a < stop and b > start for start, stop in incidents) and day * DAY <= a < (day + 1) * DAY for a, b in alerts)
                 for day in range(number * 7, number * 7 + 7)]  # fmt: skip
        assert (len(week.incidents), week.found) == (len(own), sum(bool(each) for each in met))
        assert list(week.false_alerts) == false
        assert week.alerts == sum(first <= a < last for a, _ in alerts)
        flaps = [len(each) - len({rules[k] for k in each}) for each in met if each]
        assert week.flaps_per_incident == (pytest.approx(np.mean(flaps)) if flaps else None)
        under = {minute for a, b in alerts for minute in range(a, b)} - {minute for a, b in incidents for minute in range(a, b)}
        assert week.noise == pytest.approx(sum(first <= minute < last for minute in under))
        assert sum(map(sum, week.false_by_rule.values())) == sum(false)


WEEKS = 3


@st.composite
def records_with_ignored(draw):
    """Incidents, alerts with rules and ignored intervals of three weeks, in units of three hours; intervals may overlap."""

    def pairs(most, longest):
        drawn = draw(st.lists(st.tuples(st.integers(0, 56 * WEEKS - 2), st.integers(1, longest)), max_size=most, unique=True))
        return [(start, min(start + length, 56 * WEEKS)) for start, length in drawn]

    alerts = pairs(12, 12)
    rules = draw(st.lists(st.sampled_from("ab"), min_size=len(alerts), max_size=len(alerts)))
    return pairs(8, 12), alerts, rules, pairs(4, 80)


def in_threes(pairs):
    return minutes([(180 * start, 180 * stop) for start, stop in pairs])


@given(records_with_ignored(), st.integers(0, 4))
@settings(deadline=None, max_examples=80)
def test_ignored_time_does_not_count(drawn, lead):
    """The weeks match plain loops over the pieces that are left, and alert_summary over the whole."""
    incidents, alerts, rules, ignore = drawn
    skipped = min((start for start, _ in incidents + alerts), default=0) // 56  # weeks before the first record
    left = set(range(56 * WEEKS)) - {unit for start, stop in ignore for unit in range(start, stop)}
    assume(max(left, default=0) >= 56 * skipped)
    end = str(START + WEEKS * 7 * DAY)
    options = {"by": rules, "lead": timedelta(hours=3 * lead), "ignore": in_threes(ignore), "keep_always_firing": True}
    result = rw.review(in_threes(incidents), in_threes(alerts), weeks=WEEKS, end=end, **options)
    real, real_changes = naive.left_of(incidents, left)
    by_alert = [(piece, rule) for alert, rule in zip(alerts, rules, strict=True) for piece in naive.left_of([alert], left)[0]]
    fired = [piece for piece, _ in by_alert]
    assert vars(result.ignored.real) == real_changes
    assert vars(result.ignored.predicted) == naive.left_of(alerts, left)[1]

    def met(start, stop):
        return [(a, b) for a, b in fired if a < stop and b > start - lead]

    false = [(a, rule) for (a, b), rule in by_alert if not any((a, b) in met(*each) for each in real)]
    noise = {unit for a, b in fired for unit in range(a, b)} - {unit for a, b in real for unit in range(a, b)}
    assert result.weeks_without_records == skipped == WEEKS - len(result.weeks)
    for number, week in enumerate(result.weeks, skipped):
        days = [range(day * 8, day * 8 + 8) for day in range(number * 7, number * 7 + 7)]
        first, last = days[0][0], days[-1][-1] + 1
        own = [each for each in real if first <= each[0] < last]
        assert (len(week.incidents), week.found) == (len(own), sum(bool(met(*each)) for each in own))
        assert week.days_left == tuple(sum(unit in left for unit in day) / 8 for day in days)
        assert week.false_alerts == tuple(sum(a in day for a, _ in false) for day in days)
        assert week.false_by_rule == {
            rule: tuple(sum(a in day for a, own_rule in false if own_rule == rule) for day in days) for rule in {own for _, own in by_alert}
        }
        assert week.alerts == sum(first <= a < last for a in (a for a, _ in fired))
        assert week.noise == 180 * sum(first <= unit < last for unit in noise)
        expected = None if not week.days else pytest.approx(sum(week.false_alerts) / (sum(first <= unit < last for unit in left) / 8))
        assert week.false_alerts_per_day == expected
    joined = Period.joined(result.weeks)
    summary = rw.alert_summary(in_threes(incidents), in_threes(alerts), span=(str(START + skipped * 7 * DAY), end), **options)
    assert (joined.found, joined.missed, joined.alerts) == (summary.found, summary.missed, summary.alerts)
    assert (joined.days, joined.false_alerts_per_day) == (pytest.approx(summary.days), pytest.approx(summary.false_alerts_per_day))
    assert {rule.rule: rule for rule in result.rules} == {rule.rule: rule for rule in summary.rules}
    assert result.ignored.to_dict() == summary.ignored.to_dict()


def test_days_are_compared_with_days_of_the_same_length():
    """One false alert in each quarter of a day that counts. More of the time before is ignored, so the rate per day stays the same."""
    quarters = [(360 * quarter, 360 * quarter + 5) for quarter in range(4 * 7 * 8)]
    half_days = [(day * DAY, day * DAY + DAY // 2) for day in range(7 * 7)]
    result = review_of([], quarters, ["a"] * len(quarters), ignore=minutes(half_days))
    assert [week.days for week in result.weeks] == [3.5] * 7 + [7.0]
    assert {week.false_alerts_per_day for week in result.weeks} == {4.0}
    false = result.changes[-1]
    assert (false.measure, false.now, false.before, false.verdict) == ("false_alerts", 4.0, 4.0, "too few incidents to tell")
    assert not result.worse_rules
    # Two hours of every Sunday are maintenance: Sundays are compared with Sundays, and the test still detects a worse week.
    sundays = [(day * DAY, day * DAY + 120) for day in range(6, 56, 7)]
    rng = np.random.default_rng(1)
    counts = np.append(rng.poisson(1, 49), rng.poisson(8, 7))
    alerts = [(day * DAY + 200 + 10 * k, day * DAY + 205 + 10 * k) for day, count in enumerate(counts) for k in range(count)]
    loud = review_of([], alerts, ["a"] * len(alerts), ignore=minutes(sundays))
    assert loud.changes[-1].verdict == "worse"
    assert [rule.measure for rule in loud.worse_rules] == ["a"]


def test_similar_weeks_with_maintenance_are_rarely_called_worse():
    """Before the last week, 0 to 12 hours of each day are ignored."""
    rng = np.random.default_rng(6)
    simulations = 100
    worse = 0
    for _ in range(simulations):
        ignore = [(day * DAY, day * DAY + 1 + 60 * int(rng.integers(0, 13))) for day in range(7 * 7)]
        worse += review_of(*similar_weeks(rng), ignore=minutes(ignore)).is_worse
    assert worse <= 0.05 * simulations


def test_an_ignored_week_has_no_rate():
    incidents, alerts, rules = similar_weeks(np.random.default_rng(3))
    result = review_of(incidents, alerts, rules, ignore=minutes([(7 * 7 * DAY, 8 * 7 * DAY)]))
    last = result.weeks[-1]
    assert (last.days, last.false_alerts_per_day, last.incidents, last.alerts) == (0.0, None, (), 0)
    assert {change.verdict for change in result.changes} == {"too few incidents to tell"}
    row = next(line for line in str(result).splitlines() if line.startswith("2024-05-27"))
    assert " ".join(row.split()) == "2024-05-27 to 2024-06-02 0 0 0 - - 0.00 0 s - -"
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["weeks"][-1]["summary"]["days"] == 0
    later = review_of(incidents, alerts, rules, against=json.loads(json.dumps(result.to_dict())))
    assert later.changes[-1].before == pytest.approx(sum(sum(week.false_alerts) for week in result.weeks) / 49)
    with pytest.raises(ValueError, match="the ignored intervals cover all of the time, so nothing is left to score"):
        review_of(incidents, alerts, rules, ignore=minutes([(0, 8 * 7 * DAY)]))
    with pytest.raises(ValueError, match="incidents has dates, but ignore has seconds"):
        review_of(incidents, alerts, rules, ignore=[(5.0, 6.0)])
    assert review_of(incidents, alerts, rules, ignore=[]).to_dict() == review_of(incidents, alerts, rules).to_dict() | {
        "ignored": {"intervals": 0, "real": NOTHING, "predicted": NOTHING}
    }


NOTHING = {"shortened": 0, "removed": 0, "split": 0}


def test_a_watchdog_fires_always_where_time_counts():
    """Ignored time is no part of the time in which a rule would have to fire."""
    ignore = [(week * 7 * DAY, week * 7 * DAY + 5 * DAY) for week in range(8)]
    watchdog = [(start + 5 * DAY, start + 7 * DAY) for start, _ in ignore]
    incidents, alerts, rules = similar_weeks(np.random.default_rng(7))
    found = [
        review_of(incidents, [*alerts, *watchdog], [*rules, *["Watchdog"] * 8], **chosen).always_firing
        for chosen in ({}, {"ignore": minutes(ignore)})
    ]
    assert found == [(), ("Watchdog",)]


def test_rules_and_weeks_count_the_same_alerts():
    """Alerts that began before the first week, or go on after the last, and an incident that began before."""
    day = ["2024-05-05T23:00", "2024-05-06T01:00"], ["2024-05-19T23:00", "2024-05-20T02:00"]
    alerts = [
        *day,
        ("2024-05-06T00:20", "2024-05-06T00:30"),
        ("2024-05-07T10:00", "2024-05-07T10:30"),
        ("2024-05-05T22:00", "2024-05-06T03:00"),
    ]
    result = rw.review(
        [("2024-05-05T23:30", "2024-05-06T00:40")],
        alerts,
        by=["a", "a", "a", "b", "old"],
        weeks=2,
        end="2024-05-20",
        keep_always_firing=True,
    )
    assert [(rule.rule, rule.alerts, rule.false_alerts, rule.precision) for rule in result.rules] == [("a", 2, 1, 0.5), ("b", 1, 1, 0.0)]
    assert sum(week.alerts for week in result.weeks) == 3
    assert sum(sum(week.false_alerts) for week in result.weeks) == 2


def test_few_incidents_give_no_verdict():
    result = rw.review([("2024-05-01T10:00", "2024-05-01T10:30"), ("2024-05-08T10:00", "2024-05-08T10:30")], [], weeks=2)
    assert [week.missed for week in result.weeks] == [1, 1]
    assert {change.verdict for change in result.changes[:4]} == {"too few incidents to tell"}
    assert "too few incidents to tell" in str(result)
    alone = rw.review([("2024-05-01T10:00", "2024-05-01T10:30")], [], weeks=1)
    assert not alone.changes
    assert "nothing to compare it with" in str(alone)


def test_compares_with_an_earlier_review():
    rng = np.random.default_rng(4)
    earlier = review_of(*similar_weeks(rng))
    exported = json.loads(json.dumps(earlier.to_dict(), allow_nan=False))
    assert Period.joined([Period.read(week) for week in exported["weeks"]]) == Period.joined(earlier.weeks)
    bad = review_of(*similar_weeks(rng, missing=1.0), against=exported)
    assert bad.is_worse
    assert bad.against.startswith("the review of 2024-04-08 to 2024-06-02")
    assert not review_of(*similar_weeks(rng), against=earlier).is_worse
    for wrong in ({}, {"weeks": []}, {"weeks": [{"first": "x"}]}):
        with pytest.raises(ValueError, match="review"):
            review_of(*similar_weeks(rng), against=wrong)


def test_days_follow_the_time_zone():
    incidents, alerts = [("2024-03-30T23:30Z", "2024-03-30T23:50Z")], [("2024-04-06T21:30Z", "2024-04-06T21:40Z")]
    berlin = rw.review(incidents, alerts, weeks=1, tz="Europe/Berlin", end="2024-04-07")
    assert (berlin.weeks[0].first, berlin.weeks[0].last) == ("2024-03-31", "2024-04-06")
    assert berlin.weeks[0].incidents[0].start == "2024-03-31T00:30:00+01:00"
    assert berlin.weeks[0].false_alerts == (0, 0, 0, 0, 0, 0, 1)
    with pytest.raises(ValueError, match="give end="):
        rw.review([], [])
    assert rw.review([], [], end="2024-04-07", weeks=2).weeks[-1].found == 0


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        assert not any(name in ("src", "href") for name, _ in attributes), "the page must be self-contained"


def test_page_and_text():
    rng = np.random.default_rng(9)
    incidents, alerts, rules = similar_weeks(rng)
    result = review_of(incidents, alerts, [f"<{rule}>" for rule in rules])
    page = _Page()
    page.feed(result.to_html())
    assert page.tags.count("tr") == 9
    assert "<Disk>" not in result.to_html()
    assert "&lt;Disk&gt;" in result.to_html()
    assert "| week |" in result.to_markdown()
    first = result.rules[0]
    assert (first.rule, first.found_alone) == ("<Disk>", 0)
    assert "disable it" in str(result).partition("Rules to change first")[2]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    incidents, alerts, rules = similar_weeks(np.random.default_rng(1))
    Path("i.csv").write_text("id,start,end\n" + "".join(f"I{k},{a}Z,{b}Z\n" for k, (a, b) in enumerate(minutes(incidents).astype("M8[s]"))))
    rows = zip(minutes(alerts).astype("M8[s]"), rules, strict=True)
    Path("a.json").write_text(
        json.dumps([{"labels": {"alertname": rule}, "startsAt": f"{a}Z", "endsAt": f"{b}Z"} for (a, b), rule in rows])
    )


@pytest.mark.usefixtures("files")
def test_command(capsys):
    assert run(["review", "i.csv", "a.json", "--weeks", "4", "--page", "r.html", "--end", "2024-06-03"]) == 0
    out = capsys.readouterr().out
    assert "2024-05-27 to 2024-06-02" in out
    assert "The last week against the 3 weeks before:" in out
    assert Path("r.html").read_text().startswith("<!doctype html>")
    assert run(["review", "i.csv", "a.json", "--json"]) == 0
    Path("last.json").write_text(capsys.readouterr().out, encoding="utf-8-sig")  # as Windows writes it
    assert run(["review", "i.csv", "a.json", "--against", "last.json", "--markdown"]) == 0
    Path("none.json").write_text("[]")
    capsys.readouterr()
    assert run(["review", "i.csv", "none.json", "--against", "last.json", "--weeks", "2", "--end", "2024-06-03"]) == 1
    assert "worse: share found" in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_command_ignores_intervals_like_python(capsys):
    ignore = [(20 * DAY, 22 * DAY + 300), (52 * DAY, 54 * DAY)]
    Path("planned.csv").write_text("from,to\n" + "".join(f"{a}Z,{b}Z\n" for a, b in minutes(ignore).astype("M8[s]")))
    incidents, alerts, rules = similar_weeks(np.random.default_rng(1))
    sides = [[tuple(f"{time}Z" for time in pair) for pair in minutes(side).astype("M8[s]")] for side in (incidents, alerts, ignore)]
    expected = rw.review(*sides[:2], by=rules, end="2024-06-03", ignore=sides[2])
    words = ["review", "i.csv", "a.json", "--end", "2024-06-03", "--ignore", "planned.csv", "--ignore-start-column", "from"]
    words += ["--ignore-end-column", "to"]
    assert run([*words, "--json", "--page", "r.html"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [week["days_left"] for week in printed["weeks"]] == [list(week.days_left) for week in expected.weeks]
    for week in (*printed["weeks"], *(plain := json.loads(json.dumps(expected.to_dict())))["weeks"]):
        for incident in week["incidents"]:
            incident.pop("name")
    assert printed == plain
    assert run([*words, "--wide"]) == 0
    assert str(expected.ignored) in capsys.readouterr().out
    page = Path("r.html").read_text()
    assert page == expected.to_html()
    assert str(expected.ignored) in page
    assert ">5.79</td>" in page
    assert run(["review", "i.csv", "a.json", "--ignore-start-column", "from"]) == 2
    assert "--ignore-start-column is for the --ignore file" in capsys.readouterr().err
    assert run(["review", "-", "a.json", "--ignore", "-"]) == 2
    assert "only one file can be standard input" in capsys.readouterr().err


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"false_alerts": ["x"] * 7}, "false_alerts is a whole number; got 'x'"),
        ({"false_alerts": [0.5] * 7}, "false_alerts is a whole number; got 0.5"),
        ({"false_alerts": [-1] * 7}, "false_alerts is 0 or more; got -1"),
        ({"false_alerts": []}, "false_alerts has one number for each of 7 days"),
        ({"false_by_rule": {"Disk": [1]}}, "false_by_rule has one number for each of 7 days"),
        ({"days_left": [1.0] * 6}, "days_left has one number for each of 7 days"),
        ({"days_left": [1.5] * 7}, "days_left is a share of a day, so it is in 0..1; got 1.5"),
        ({"first": 5}, "first is text; got 5"),
        ({"incidents": [{"name": "", "start": "", "found": "yes"}]}, "found is true or false; got 'yes'"),
        ({"incidents": [{"name": "", "start": "", "found": True, "time_to_detect": "5"}]}, "time_to_detect is a number; got '5'"),
        ({"incidents": [{"name": ""}]}, "'found' is missing"),
    ],
)
def test_a_damaged_earlier_review_is_one_line(capsys, change, message):
    assert run(["review", "i.csv", "a.json", "--weeks", "1", "--json"]) == 0
    earlier = json.loads(capsys.readouterr().out)
    earlier["weeks"][0].update(change)
    Path("last.json").write_text(json.dumps(earlier))
    assert run(["review", "i.csv", "a.json", "--against", "last.json"]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert message in error


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("text", ["[" * 100_000, '{"weeks": ' + "1" * 5000 + "}", '{"weeks": [', "[]", '{"weeks": [1]}'])
def test_a_file_that_is_no_review_is_one_line(capsys, text):
    Path("last.json").write_text(text)
    assert run(["review", "i.csv", "a.json", "--against", "last.json"]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert "review" in error


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--weeks 0", "weeks is 1 or more"),
        ("--page r.txt", "ends in .html"),
        ("--against i.csv", "not JSON"),
        ("--end soon", "ISO 8601"),
        ("--by team", "no label or column 'team'"),
    ],
)
def test_bad_input_is_a_one_line_error(capsys, arguments, message):
    assert run(["review", "i.csv", "a.json", *arguments.split()]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert message in error


def test_seconds_have_no_weeks():
    with pytest.raises(ValueError, match="a review of weeks needs dates"):
        rw.review([(5.0, 6.0)], [(5.0, 6.0)])
    with pytest.raises(ValueError, match="lead must be 0 or more"):
        rw.review([("2024-05-08T10:00", "2024-05-08T10:30")], [], lead=-5)
    with pytest.raises(ValueError, match="applies to dates"):
        rw.alert_summary([(5.0, 6.0)], [(5.0, 6.0)], tz="Europe/Berlin")


def test_text_shows_durations():
    result = rw.review([("2024-05-08T10:00", "2024-05-08T10:30")], [("2024-05-08T10:05", "2024-05-08T10:40")], weeks=1)
    week = result.weeks[0]
    assert week.median("time_to_detect") == timedelta(minutes=5).total_seconds()
    assert str(result).splitlines()[1].split()[6:] == ["5", "min", "0.00", "10", "min", "10", "min", "0.00"]
