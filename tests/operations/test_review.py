import json
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import rangewise as rw
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
    Path("last.json").write_text(capsys.readouterr().out)
    assert run(["review", "i.csv", "a.json", "--against", "last.json", "--markdown"]) == 0
    Path("none.json").write_text("[]")
    capsys.readouterr()
    assert run(["review", "i.csv", "none.json", "--against", "last.json", "--weeks", "2", "--end", "2024-06-03"]) == 1
    assert "worse: share found" in capsys.readouterr().err


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"false_alerts": ["x"] * 7}, "false_alerts is a whole number; got 'x'"),
        ({"false_alerts": [0.5] * 7}, "false_alerts is a whole number; got 0.5"),
        ({"false_alerts": [-1] * 7}, "false_alerts is 0 or more; got -1"),
        ({"false_alerts": []}, "false_alerts has one number for each of 7 days"),
        ({"false_by_rule": {"Disk": [1]}}, "false_by_rule has one number for each of 7 days"),
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
