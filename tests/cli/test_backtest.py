import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rangewise.cli import run

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "backtest"
BOTH = ("incidents.csv", "latency.json")


@pytest.fixture(autouse=True)
def _work_in_a_copy(tmp_path, monkeypatch):
    for path in EXAMPLES.iterdir():
        shutil.copy(path, tmp_path / path.name)
    monkeypatch.chdir(tmp_path)


def invoke(capsys, *arguments):
    code = run(["backtest", *map(str, arguments)])
    out, error = capsys.readouterr()
    return code, out, error


def invoke_json(capsys, *arguments):
    code, out, error = invoke(capsys, *arguments, "--json")
    assert code == 0, error
    return json.loads(out)


def write_table(path, zone="Z"):
    """The same values as a table."""
    results = json.loads(Path("latency.json").read_text())["data"]["result"]
    times = [np.datetime64(int(second), "s") for second, _ in results[0]["values"]]
    columns = {f"api{k}": [float(value) for _, value in result["values"]] for k, result in enumerate(results)}
    frame = pl.DataFrame({"Time": [f"{time}{zone}" for time in times], **columns})
    frame.write_csv(path) if path.endswith(".csv") else frame.write_parquet(path)


def test_json_and_tables_give_the_same_result(capsys):
    base = invoke_json(capsys, *BOTH, "--for", "0,5m")
    assert base["best"]["found"] > 0
    for path in ("values.csv", "values.parquet"):
        write_table(path)
        again = invoke_json(capsys, "incidents.csv", path, "--for", "0,5m")
        assert again["front"] == base["front"]
    for number, rate in (("2", "2/day"), ("0", "0/day")):
        given = (invoke_json(capsys, *BOTH, "--for", "0,5m", "--at-most", text) for text in (number, rate))
        assert next(given) == next(given), "as in Python, a number is per day"
    one = invoke_json(capsys, "incidents.csv", "values.csv", "--value-column", "api0")
    assert one["front"] != base["front"]
    assert invoke_json(capsys, *BOTH, "--label-sets", "each")["front"] != invoke_json(capsys, *BOTH)["front"]


def test_times_near_1970_are_times(capsys):
    values = [[60 * minute, "5" if minute == 2 else "1"] for minute in range(6)]
    Path("v.json").write_text(json.dumps({"data": {"result": [{"metric": {"__name__": "m"}, "values": values}]}}))
    Path("i.csv").write_text("start,end\n1970-01-01T00:02:00Z,1970-01-01T00:03:00Z\n")
    found = invoke_json(capsys, "i.csv", "v.json")
    assert (found["interval"], found["best"]["found"], found["best"]["false_alerts"]) == (60.0, 1, 0)
    assert "1970-01-01 00:02 to 00:03 UTC" in found["each_incident"][0]


def test_durations_as_prometheus_writes_them(capsys):
    Path("i.csv").write_text("start,end\n2024-05-06T09:00:00Z,2024-05-06T12:00:00Z\n")
    code, out, _ = invoke(capsys, "i.csv", "latency.json", "--for", "0,1h30m", "--at-most", "9/day")
    assert (code, "incidents   1" in out) == (0, True)


def test_local_times_need_a_zone(capsys):
    write_table("local.csv", zone="")
    code, _, error = invoke(capsys, "incidents.csv", "local.csv")
    assert (code, error.count("\n")) == (2, 1)
    assert "the times of local.csv have no zone and those of incidents.csv have one" in error
    assert invoke_json(capsys, "incidents.csv", "local.csv", "--tz", "UTC")["front"] == invoke_json(capsys, *BOTH)["front"]


def test_empty_cell_is_an_absent_sample(capsys):
    Path("v.csv").write_text("ts,x\n2024-05-06T00:00Z,1\n2024-05-06T00:01Z,\n2024-05-06T00:02Z,3\n2024-05-06T00:03Z,3\n")
    Path("i.csv").write_text("start,end\n2024-05-06T00:02Z,2024-05-06T00:04Z\n")
    assert invoke_json(capsys, "i.csv", "v.csv", "--for", "1m")["best"]["median_time_to_detect"] == 60.0


def test_writes_rule_and_picture(capsys):
    code, out, error = invoke(capsys, *BOTH, "--for", "5m", "--rule-yaml", "rule.yml", "--expr", "latency", "--plot", "p.svg")
    assert code == 0
    assert "rangewise: wrote rule.yml, evaluated every 1 min" in error
    text = Path("rule.yml").read_text()
    assert 'expr: "latency > ' in text
    assert "    for: 5m\n" in text
    assert "incidents found, of 10" in Path("p.svg").read_text()
    assert invoke(capsys, *BOTH, "--for", "5m", "--rule-yaml", "-", "--expr", "latency")[1] == text
    assert "rule.yml exists" in invoke(capsys, *BOTH, "--rule-yaml", "rule.yml", "--expr", "latency")[2]
    assert "Best rule" in out
    assert "| > " in invoke(capsys, *BOTH, "--markdown")[1]


def test_holdout_and_wishes(capsys):
    result = invoke_json(capsys, *BOTH, "--for", "0,5m", "--holdout", "0.4", "--at-most", "2/day", "--detect-within", "15min")
    assert result["incidents"] + result["holdout"]["later"]["incidents"] == 10
    assert result["wishes"] == {"at_most_per_day": 2.0, "detect_within": 900.0}
    cut = invoke_json(capsys, *BOTH, "--holdout", "2024-05-10T00:00Z")["holdout"]["cut"]
    assert cut == "2024-05-10T00:00:00Z"
    local = invoke_json(capsys, *BOTH, "--holdout", "2024-05-10T00:00", "--tz", "Europe/Berlin")
    assert local["holdout"]["cut"] == "2024-05-10T00:00:00+02:00"
    assert local["summary"]["span"] == ["2024-05-06T02:00:00+02:00", "2024-05-10T00:00:00+02:00"]
    code, _, error = invoke(capsys, *BOTH, "--holdout", "2024-03-31T02:30", "--tz", "Europe/Berlin")
    assert (code, "--holdout: 2024-03-31 02:30:00 does not exist in Europe/Berlin" in error) == (2, True)


def test_no_incidents(capsys):
    Path("quiet.csv").write_text("id,start,end\n")
    code, out, _ = invoke(capsys, "quiet.csv", "latency.json")
    assert code == 0
    assert "There are no incidents in this time span, so no rule can be evaluated." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("incidents.csv latency.json --for soon", "rangewise: --for takes a duration"),
        ("incidents.csv latency.json --op =", "op is one of"),
        ("incidents.csv latency.json --label-sets some", "--label-sets is one of largest, each"),
        ("incidents.csv latency.json --at-most never", "--at-most must be a rate of false alerts, e.g. 1/week"),
        ("incidents.csv latency.json --keep-firing-for soon", "--keep-firing-for takes a duration"),
        ("incidents.csv latency.json --detect-within soon", "--detect-within takes a duration"),
        ("incidents.csv latency.json --at-most 0/day --detect-within 0s --rule-yaml - --expr x", "more false alerts with --at-most\n"),
        ("incidents.csv latency.json --expr x", "--rule-yaml"),
        ("incidents.csv latency.json --rule-yaml r.yml", "--expr"),
        ("incidents.csv latency.json --value-column x", "tables only"),
        ("incidents.csv incidents.csv", "is known to hold times; name it with --time-column"),
        ("incidents.csv incidents.csv --time-column created_at", "no column of numbers"),
        ("incidents.csv words.csv --value-column x", "'much' in column 'x' is not a number"),
        ("incidents.csv empty.json", "found no series"),
        ("incidents.csv latency.json --plot p.txt", "ends in .png"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(capsys, arguments, message):
    Path("words.csv").write_text("time,x\n2024-05-06T00:00Z,1\n2024-05-06T00:01Z,much\n")
    Path("empty.json").write_text('{"status": "success", "data": {"result": []}}')
    code, out, error = invoke(capsys, *arguments.split())
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert message in error
