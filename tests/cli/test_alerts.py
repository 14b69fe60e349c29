import json
import re
from pathlib import Path

import pytest

from rangewise.cli import run
from rangewise.number_text import share_text

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "alerts"
BOTH = ("incidents.csv", "alerts.json")


@pytest.fixture(autouse=True)
def _work_in_a_copy(tmp_path, monkeypatch):
    for path in EXAMPLES.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "open.csv").write_text("opened;resolved\n2024-05-01T10:02:00Z;\n")
    (tmp_path / "named.tsv").write_text("first seen\tgone\n2024-05-01 10:02Z\t2024-05-01 10:47 UTC\n")
    (tmp_path / "late.csv").write_text("start,end\n2024-05-01,9999-05-01\n")
    (tmp_path / "late.json").write_text('[{"startsAt": "9999-05-01T10:09:00Z", "endsAt": "9999-05-01T10:10:00Z"}]')
    monkeypatch.chdir(tmp_path)


def invoke(capsys, *arguments):
    code = run([str(argument) for argument in arguments])
    out, error = capsys.readouterr()
    return code, out, error


def test_text_and_markdown(capsys):
    code, out, error = invoke(capsys, "alerts", *BOTH, "--lead", "5min", "--by", "alertname", "--plot", "t.png", "--wide")
    assert (code, error) == (0, "")
    assert "3: 2 found (or up to 5 min before), 1 missed" in out
    assert "median 3 min 30 s" in out
    assert re.search(r"DiskFull +2 +2 +0\.00 +0 +- +0 +30\.0 +30\.0", out)
    assert Path("t.png").stat().st_size > 1000
    assert "| incidents | 3: 2 found" in invoke(capsys, "alerts", *BOTH, "--markdown")[1]


def test_json_and_limits(capsys):
    summary = json.loads(invoke(capsys, "alerts", *BOTH, "--json")[1])
    assert (summary["found"], summary["false_alerts"], summary["median_time_to_detect"]) == (2, 2, 210.0)
    assert invoke(capsys, "alerts", *BOTH, "--fail-under", "found_share=0.6", "--fail-under", "missed=1")[0] == 0
    code, _, error = invoke(capsys, "alerts", *BOTH, "--fail-under", "false_alerts=1")
    assert (code, error) == (1, "rangewise: false_alerts is 2, above 1\n")
    assert invoke(capsys, "alerts", *BOTH, "--fail-under", "range_recall=0.8")[2] == "rangewise: range_recall is 0.496296, below 0.8\n"
    assert invoke(capsys, "alerts", *BOTH, "--fail-under", "median_time_to_detect=5min")[0] == 0
    assert invoke(capsys, "alerts", *BOTH, "--fail-under", "median_time_to_detect=3min")[2] == (
        "rangewise: median_time_to_detect is 210, above 180\n"
    )
    code, _, error = invoke(capsys, "alerts", *BOTH, "--fail-under", "recall=0.8")
    assert (code, "use found_share for the share of incidents found, or range_recall" in error) == (2, True)


def test_ignored_intervals_do_not_count_in_any_command_that_scores(capsys):
    assert json.loads(invoke(capsys, "alerts", *BOTH, "--ignore", "maintenance.csv", "--json")[1])["false_alerts"] == 1
    result = json.loads(invoke(capsys, "score", *BOTH, "--ignore", "maintenance.csv", "--json")[1])
    assert result["ignored"]["predicted"] == {"shortened": 0, "removed": 1, "split": 0}
    assert "predicted: 0 shortened, 1 removed" in invoke(capsys, "score", *BOTH, "--ignore", "maintenance.csv")[1]
    assert "predicted: 0 shortened, 1 removed" in " ".join(invoke(capsys, "compare", *BOTH, "--ignore", "maintenance.csv")[1].split())
    Path("real.txt").write_text("0\n1\n1\n0\n")
    Path("scores.txt").write_text("0\n1\n1\n1\n")
    Path("ignored.csv").write_text("start,end\n3,4\n")
    assert json.loads(invoke(capsys, "curve", "real.txt", "scores.txt", "--ignore", "ignored.csv", "--json")[1])["precision"] == 1.0


def test_ranges_keep_names_and_times(capsys):
    result = json.loads(invoke(capsys, "score", *BOTH, "--json", "--explain")[1])
    assert [row["name"] for row in result["real"]] == ["INC-1", "INC-2", "INC-3"]
    assert (result["real"][0]["start"], result["real"][0]["delay"]) == ("2024-05-01T10:02:00", 420.0)
    sentence = "R1 INC-1 2024-05-01 10:02 to 10:47 UTC (45 min): 49 % of it found, 7 min late: 0.49"
    assert sentence in invoke(capsys, "score", *BOTH, "--explain")[1]
    assert "INC-1" in invoke(capsys, "score", *BOTH, "--explain", "--step", "1min")[1]


def test_a_timeline_of_two_files(capsys):
    assert invoke(capsys, "plot", "incidents.csv", "two.svg", "--predicted", "alerts.json")[0] == 0
    assert "predicted" in Path("two.svg").read_text()


def test_metrics_that_count_rows_need_a_grid(capsys):
    code, _, error = invoke(capsys, "score", *BOTH, "--metric", "nab_normalized")
    assert (code, "--step 1min" in error) == (2, True)
    assert invoke(capsys, "score", *BOTH, "--metric", "nab_normalized", "--step", "1min")[0] == 0
    assert "--step" in invoke(capsys, "compare", *BOTH)[1]
    assert invoke(capsys, "score", *BOTH, "--metric", "median_delay")[1].split() == ["median_delay", "210.0000"]


def test_open_incidents_and_other_columns(capsys):
    code, _, error = invoke(capsys, "score", "open.csv", "alerts.json")
    assert (code, "--until" in error, error.count("\n")) == (2, True, 1)
    assert invoke(capsys, "score", "open.csv", "alerts.json", "--until", "2024-05-01T11:00")[0] == 0
    code, out, _ = invoke(capsys, "score", "named.tsv", "alerts.json", "--start-column", "first seen", "--end-column", "gone", "--json")
    assert (code, json.loads(out)["recall"]) == (0, pytest.approx(22 / 45))
    assert invoke(capsys, "convert", "incidents.csv", "out.json", "--to", "alertmanager")[0] == 0
    assert json.loads(Path("out.json").read_text())[0]["labels"]["id"] == "INC-1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("alerts incidents.csv late.csv", "line 2"),
        ("score late.csv late.csv", "1678 to 2261"),
        ("alerts incidents.csv late.json", "alert 0, startsAt"),
        ("alerts incidents.csv alerts.json --by rule", "no label or column 'rule'; it has alertname"),
        ("alerts incidents.csv alerts.json --lead soon", "takes a duration"),
        ("alerts incidents.csv alerts.json --fail-under x=1", "NAME=VALUE"),
        ("alerts incidents.csv alerts.json --plot t.txt", "ends in .png"),
        ("score incidents.csv alerts.json --until never", "ISO 8601"),
        ("score incidents.csv alerts.json --start-column x", "no column"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(capsys, arguments, message):
    code, out, error = invoke(capsys, *arguments.split())
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert re.search(message, error)


def test_html_page(capsys):
    pytest.importorskip("jinja2")
    assert invoke(capsys, "alerts", *BOTH, "--by", "alertname", "--page", "a.html")[0] == 0
    html = Path("a.html").read_text()
    assert "incidents.csv against alerts.json" in html
    assert "DiskFull" in html
    assert invoke(capsys, "alerts", *BOTH, "--page", "b.html")[0] == 0
    assert "--page needs a file name that ends in .html" in invoke(capsys, "alerts", *BOTH, "--page", "b.png")[2]
    assert "a.html exists" in invoke(capsys, "alerts", *BOTH, "--page", "a.html")[2]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--ignore", "maintenance.csv"),
        ("--ignore", "maintenance.csv", "--span", "2024-05-01T10:20Z", "2024-05-03T00:00Z"),
        ("--span", "2024-05-01T12:20", "2024-05-03T02:00", "--tz", "Europe/Berlin"),
    ],
)
def test_page_and_json_agree(capsys, words):
    pytest.importorskip("jinja2")
    summary = json.loads(invoke(capsys, "alerts", *BOTH, *words, "--page", "same.html", "--json")[1])
    page = Path("same.html").read_text()
    assert f"<dt>incidents found</dt><dd>{summary['found']} of {summary['incidents']}</dd>" in page
    assert f"<dt>incidents missed</dt><dd>{summary['missed']}</dd>" in page
    assert f"<dt>false alerts a day</dt><dd>{summary['false_alerts_per_day']:.2f}</dd>" in page
    assert f"<dt>of the time under alert</dt><dd>{share_text(summary['share_under_alert'])}</dd>" in page


def test_page_uses_the_options_of_the_command(capsys):
    pytest.importorskip("jinja2")
    words = ["alerts", *BOTH, "--by", "alertname", "--lead", "5min", "--tz", "Europe/Berlin", "--title", "Last week"]
    code, _, error = invoke(capsys, *words, "--page", "berlin.html")
    assert (code, error) == (0, "")
    html = Path("berlin.html").read_text()
    assert "<h1>Last week</h1>" in html
    assert "2024-05-01 12:02 to 2024-05-04 05:10 Europe/Berlin" in html
    assert "Of 3 incidents, alerts found 2 (or fired up to 5 min before) and missed 1; of 5 alerts, 2 were false." in html
    assert "scores best" not in html.partition("<script")[0]
    assert "2024-05-02 10:00 · 30 min" in html  # the missed incident, in Berlin time
    assert "all rules" in html
    assert "--title is the heading of the HTML page" in invoke(capsys, *words)[2]


def test_report_of_files_with_times(capsys):
    pytest.importorskip("jinja2")
    code, out, error = invoke(capsys, "report", *BOTH, "--out", "r.html")
    assert (code, error) == (0, "")
    assert "finds 2 of 3 real ranges" in out
    Path("rows.txt").write_text("0\n1\n")
    error = invoke(capsys, "report", "incidents.csv", "rows.txt", "--out", "s.html")[2]
    assert error.startswith("rangewise: rows.txt: real is in times, but predicted is in rows; give the time of each row with --times")


def test_junit_of_alerts(tmp_path, capsys):
    words = ["alerts", *BOTH, "--fail-under", "false_alerts=1", "--fail-under", "found=1", "--junit", "out.xml", "--annotate"]
    code, _, error = invoke(capsys, *words)
    assert code == 1
    assert "::error title=rangewise alerts::false_alerts is 2, above 1" in error
    junit = (tmp_path / "out.xml").read_text()
    assert 'failures="1"' in junit
    assert 'name="false_alerts &lt;= 1"' in junit
