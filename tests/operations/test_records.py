"""Files of on-call tools: formats, files without records, time zones, duplicates, flapping alerts."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from rangewise.cli import run
from rangewise.operations.records import join_flaps, read_records

FIXTURES = Path(__file__).parents[1] / "files" / "examples"
INCIDENT = "id,start,end\nINC-1,2024-05-01T10:00:00Z,2024-05-01T10:40:00Z\n"
ALERT = {"labels": {"alertname": "Latency"}, "startsAt": "2024-05-01T10:05:00Z", "endsAt": "2024-05-01T10:30:00Z"}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("incidents.csv").write_text(INCIDENT)
    Path("alerts.json").write_text(json.dumps([ALERT]))


def run_command(capsys, *arguments):
    code = run([str(argument) for argument in arguments])
    out, error = capsys.readouterr()
    return code, out, error


def summary(capsys, incidents="incidents.csv", alerts="alerts.json", *more):
    code, out, error = run_command(capsys, "alerts", incidents, alerts, "--json", *more)
    assert code == 0, error
    return json.loads(out), error


@pytest.mark.parametrize("name", ["alertmanager-webhook", "pagerduty", "opsgenie", "grafana-states"])
def test_reads_formats_of_other_tools(name):
    records = read_records(str(FIXTURES / f"{name}.json"), "alerts")
    assert sorted(str(time)[11:19] for time in records.firsts) == ["02:00:00", "07:00:05"]
    assert sorted(str(time)[11:19] for time in records.lasts) == ["04:00:00", "07:00:05"]
    assert records.zoned is True


def test_webhooks_without_a_resolution_are_open():
    notification = {"version": "4", "alerts": [{**ALERT, "status": "firing", "endsAt": "2024-05-01T10:10:00Z", "fingerprint": "a"}]}
    Path("hook.json").write_text(json.dumps(notification))
    with pytest.raises(ValueError, match="has no end"):
        read_records("hook.json", "alerts")
    assert str(read_records("hook.json", "alerts", until="2024-05-01T11:00Z").lasts[0])[11:16] == "11:00"


def test_reads_active_alerts_of_prometheus(capsys):
    result, error = summary(
        capsys, "incidents.csv", FIXTURES / "prometheus-alerts.json", "--until", "2024-05-01T11:00Z", "--keep-always-firing"
    )
    assert result["alerts"] == 1
    assert "1 pending alert is skipped" in error
    assert "activeAt, when they became pending" in error


def test_rejects_opsgenie_alerts_without_an_end():
    Path("o.json").write_text(json.dumps([{"id": "1", "status": "closed", "createdAt": "2024-05-01T10:00:00Z"}]))
    with pytest.raises(ValueError, match="both 'closedAt' and 'report'"):
        read_records("o.json", "alerts")
    Path("o.json").write_text(json.dumps([{"id": "1", "status": "open", "createdAt": "2024-05-01T10:00:00Z"}]))
    with pytest.raises(ValueError, match="has no end"):
        read_records("o.json", "alerts")


def test_skips_pending_series(capsys):
    def series(state, first, count):
        values = [[1714557600 + 60 * (first + step), "1"] for step in range(count)]
        return {"metric": {"__name__": "ALERTS", "alertname": "Latency", "alertstate": state}, "values": values}

    Path("range.json").write_text(json.dumps({"data": {"result": [series("pending", 0, 3), series("firing", 3, 20)]}}))
    result, error = summary(capsys, "incidents.csv", "range.json")
    assert result["median_time_to_detect"] == 180.0
    assert '1 pending series is skipped: only alertstate="firing" is used' in error


def test_rejects_a_start_with_a_time_zone_and_an_end_without(capsys):
    Path("mixed.csv").write_text("id,start,end\nA,2024-05-01T12:00:00+02:00,2024-05-01T13:30:00\n")
    code, out, error = run_command(capsys, "alerts", "mixed.csv", "alerts.json")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert "'start' have a time zone, but those in column 'end' have none" in error
    assert "--tz Europe/Berlin" in error
    result, _ = summary(capsys, "mixed.csv", "alerts.json", "--tz", "Europe/Berlin")
    assert result["span"] == ["2024-05-01T12:00:00+02:00", "2024-05-01T13:30:00+02:00"]


def test_local_times_need_a_time_zone(capsys):
    Path("local.csv").write_text("id,start,end\nA,2024-05-01 12:00,2024-05-01 12:40\n")
    code, _, error = run_command(capsys, "alerts", "local.csv", "alerts.json")
    assert code == 2
    assert "the times of local.csv have no zone and those of alerts.json have one" in error
    result, _ = summary(capsys, "local.csv", "alerts.json", "--tz", "Europe/Berlin")
    assert (result["found"], result["median_time_to_detect"]) == (1, 300.0)
    text = run_command(capsys, "alerts", "local.csv", "alerts.json", "--tz", "Europe/Berlin")[1]
    assert "2024-05-01 12:00 to 12:40 Europe/Berlin (40 min)" in text
    assert "2024-05-01 10:00 to 10:40 UTC (40 min)" in run_command(capsys, "alerts", "incidents.csv", "alerts.json")[1]


@pytest.mark.parametrize(
    ("time", "message"), [("2024-03-31 02:30", "does not exist in Europe/Berlin"), ("2024-10-27 02:30", "happens twice in Europe/Berlin")]
)
def test_rejects_hours_that_clocks_skip_or_repeat(capsys, time, message):
    Path("local.csv").write_text(f"id,start,end\nA,{time},2024-12-01 12:40\n")
    code, _, error = run_command(capsys, "alerts", "local.csv", "alerts.json", "--tz", "Europe/Berlin")
    assert code == 2
    assert message in error


def test_accepts_utc_as_a_word(capsys):
    Path("words.csv").write_text("id,start,end\nA,2024-05-01 10:00:00 UTC,2024-05-01 10:40:00 UTC\n")
    assert summary(capsys, "words.csv")[0]["median_time_to_detect"] == 300.0


def test_detects_alertmanager_alerts_with_annotations(capsys):
    Path("a.json").write_text(
        json.dumps([{**ALERT, "annotations": {"summary": "slow"}, "fingerprint": "1f", "status": {"state": "active"}}])
    )
    assert summary(capsys, "incidents.csv", "a.json")[0]["found"] == 1


@pytest.mark.parametrize(
    "quiet", ["[]", "start,end,alertname\n", "Created At;Resolved At\n", '{"data": {"result": []}}', '{"data": {"alerts": []}}']
)
def test_accepts_files_without_records(capsys, quiet):
    Path("quiet").write_text(quiet)
    assert summary(capsys, "incidents.csv", "quiet")[0]["missed"] == 1
    assert summary(capsys, "quiet", "alerts.json")[0]["false_alerts"] == 1
    assert summary(capsys, "quiet", "quiet")[0]["incidents"] == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "bad is empty; expected incidents with times, e.g. a table with columns start and end (no incidents: only the line of names"),
        ("\ufeff\n", "bad is empty; expected incidents with times"),
        ("502 Bad Gateway", "bad is neither a table nor JSON; expected incidents with times"),
        ("{}", "bad has 0 series"),
    ],
)
def test_what_is_no_file_of_incidents_is_said(capsys, content, message):
    Path("bad").write_text(content)
    for words in (["bad", "alerts.json"], ["incidents.csv", "bad"], ["incidents.csv", "alerts.json", "--ignore", "bad"]):
        code, out, error = run_command(capsys, "alerts", *words)
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert message.replace("incidents", "alerts" if words[1] == "bad" else "intervals" if len(words) > 2 else "incidents") in error


def test_states_of_grafana_with_numbers_as_text():
    changes = [
        {"time": 1714557600000, "newState": state, "id": number, "alertName": "A"} for state, number in (("Normal", "10"), ("Alerting", 9))
    ]
    Path("states.json").write_text(json.dumps(changes))
    found = read_records("states.json", "alerts")
    assert (len(found), found.lasts[0] - found.firsts[0]) == (1, np.timedelta64(0))


@pytest.mark.parametrize(
    "columns", ["Created At,Resolved At", "created_on,resolved_on", "triggered_at,closedAt", "impact_start_date,impact_end_date"]
)
def test_detects_column_names_of_tools(capsys, columns):
    Path("i.csv").write_text(f"id,{columns}\nA,2024-05-01T10:00:00Z,2024-05-01T10:40:00Z\n")
    assert summary(capsys, "i.csv")[0]["found"] == 1


def test_errors_about_unknown_columns_name_the_option(capsys):
    Path("i.csv").write_text("id,von,bis\nA,2024-05-01T10:00:00Z,2024-05-01T10:40:00Z\n")
    code, _, error = run_command(capsys, "alerts", "i.csv", "alerts.json")
    assert (code, error.count("\n")) == (2, 1)
    assert "i.csv: none of the columns id, von, bis is recognized as starts; name one with --start-column" in error
    Path("a.csv").write_text("rule,seen,gone\nx,2024-05-01T10:05:00Z,2024-05-01T10:40:00Z\n")
    columns = [
        "--incidents-start-column",
        "von",
        "--incidents-end-column",
        "bis",
        "--alerts-start-column",
        "seen",
        "--alerts-end-column",
        "gone",
    ]
    assert summary(capsys, "i.csv", "a.csv", *columns)[0]["found"] == 1
    assert summary(capsys, "i.csv", "alerts.json", *columns[:4], "--alerts-format", "alertmanager")[0]["found"] == 1


def test_duplicates_are_reported_and_counted_once(capsys):
    Path("twice.csv").write_text(INCIDENT + INCIDENT.splitlines()[1].replace("10:40", "10:50") + "\n")
    Path("twice.json").write_text(json.dumps([ALERT | {"fingerprint": "f1"}] * 2 + [ALERT | {"fingerprint": "f2"}]))
    result, error = summary(capsys, "twice.csv", "twice.json")
    assert (result["incidents"], result["alerts"]) == (1, 2)
    assert "twice.csv: 1 duplicate counted once: INC-1" in error
    assert "twice.json: 1 duplicate counted once: Latency f1" in error


@pytest.mark.parametrize("column", ["ID", "Incident Number", "incident_id", "Number"])
def test_the_number_of_an_incident_under_the_names_of_other_tools(capsys, column):
    Path("twice.csv").write_text(f"{column},Opened At,Resolved At\n" + 2 * INCIDENT.splitlines(keepends=True)[1])
    told, error = summary(capsys, "twice.csv")
    assert told["incidents"] == 1
    assert "1 duplicate counted once: INC-1" in error


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("until", [[], ["--until", "2024-05-02T00:00Z"]])
def test_an_open_record_of_an_incident_that_has_ended(capsys, order, until):
    lines = ["INC-1,2024-05-01T10:00:00Z,\n", "INC-1,2024-05-01T10:00:00Z,2024-05-01T10:40:00Z\n"]
    Path("twice.csv").write_text("id,start,end\n" + "".join(lines[::order]))
    told, error = summary(capsys, "twice.csv", "alerts.json", *until)
    assert (told["incidents"], told["span"][1]) == (1, "2024-05-01T10:40:00Z")
    assert "1 duplicate counted once: INC-1" in error


def test_ignored_intervals_may_share_an_id(capsys):
    many = alerts_of(("Latency", "12:05", "12:10"), ("Latency", "14:05", "14:10"))
    Path("weekly.csv").write_text("id,start,end\nMW,2024-05-01T12:00Z,2024-05-01T13:00Z\nMW,2024-05-01T14:00Z,2024-05-01T15:00Z\n")
    told, error = summary(capsys, "incidents.csv", many, "--ignore", "weekly.csv")
    assert (told["alerts"], told["ignored"]["intervals"], error) == (0, 2, "")


def alerts_of(*rows):
    labels = [{"alertname": name} for name, _, _ in rows]
    starts, ends = ([f"2024-05-01T{row[k]}:00Z" for row in rows] for k in (1, 2))
    Path("many.json").write_text(
        json.dumps([{"labels": label, "startsAt": a, "endsAt": b} for label, a, b in zip(labels, starts, ends, strict=True)])
    )
    return "many.json"


def test_excludes_rules(capsys):
    many = alerts_of(("Latency", "10:05", "10:30"), ("Disk", "12:00", "12:10"), ("Watchdog", "09:00", "18:00"))
    result, error = summary(capsys, "incidents.csv", many)
    assert (result["alerts"], result["always_firing"]) == (2, ["Watchdog"])
    assert "1 alerts of Watchdog are excluded" in error
    assert summary(capsys, "incidents.csv", many, "--keep-always-firing")[0]["alerts"] == 3
    assert summary(capsys, "incidents.csv", many, "--exclude-rule", "Disk")[0]["false_alerts"] == 0
    code, _, error = run_command(capsys, "alerts", "incidents.csv", many, "--exclude-rule", "Dusk")
    assert code == 2
    assert "did you mean 'Disk'?" in error


def test_joins_flaps(capsys):
    many = alerts_of(
        ("Latency", "10:05", "10:10"), ("Latency", "10:14", "10:20"), ("Disk", "10:12", "10:13"), ("Latency", "10:30", "10:31")
    )
    result, error = summary(capsys, "incidents.csv", many, "--join-flaps", "5min")
    assert result["alerts"] == 3
    assert "1 alert joined to the previous one, at most 5 min earlier" in error
    assert len(join_flaps(read_records(many, "alerts"), "10min")) == 2
    with pytest.raises(ValueError, match="takes a duration"):
        join_flaps(read_records(many, "alerts"), "soon")


def test_a_flapping_watchdog_is_left_out_of_summary_and_review_alike(capsys):
    hours = np.datetime64("2024-04-29T00:00", "m") + np.arange(7 * 24) * np.timedelta64(60, "m")
    flaps = [{"labels": {"alertname": "Watchdog"}, "startsAt": f"{hour}:00Z", "endsAt": f"{hour + np.timedelta64(54, 'm')}:00Z"}
             for hour in hours]  # fmt: skip
    Path("flaps.json").write_text(json.dumps([ALERT, *flaps]))
    week = {"alerts": ["--span", "2024-04-29T00:00Z", "2024-05-06T00:00Z"], "review": ["--weeks", "1", "--end", "2024-05-06"]}
    for joined, expected in (([], []), (["--join-flaps", "10min"], ["Watchdog"])):
        for command, words in week.items():
            printed = json.loads(run_command(capsys, command, "incidents.csv", "flaps.json", *words, *joined, "--json")[1])
            assert printed["always_firing"] == expected, command


def test_flaps_of_records_with_numbers_are_joined():
    rows = [("10:05", "10:10"), ("10:12", "10:20")]
    Path("o.json").write_text(
        json.dumps(
            [
                {"id": f"id{k}", "tinyId": str(k), "alias": f"id{k}", "message": "Latency", "status": "closed",
                 "createdAt": f"2024-05-01T{a}:00Z", "closedAt": f"2024-05-01T{b}:00Z"}
                for k, (a, b) in enumerate(rows)
            ]
        )
    )  # fmt: skip
    Path("a.csv").write_text(
        "Alert,ID,Start,End\n" + "".join(f"Latency,{k},2024-05-01T{a}:00Z,2024-05-01T{b}:00Z\n" for k, (a, b) in enumerate(rows))
    )
    for path in ("o.json", "a.csv"):
        assert len(join_flaps(read_records(path, "alerts"), "5min")) == 1, path


def test_until_now(capsys):
    Path("open.csv").write_text("id,start,end\nA,2024-05-01T10:00:00Z,\n")
    result, _ = summary(capsys, "open.csv", "alerts.json", "--until", "now")
    assert result["found"] == 1
    assert re.match(r"20\d\d-", result["span"][1])
    assert np.datetime64(result["span"][1].removesuffix("Z")) > np.datetime64("2025-01-01")
