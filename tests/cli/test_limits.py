"""``rangewise score``: limits, files that have only times, and ranges outside the times."""

import math
from xml.etree import ElementTree

import pytest

from rangewise.cli import run
from rangewise.cli.limits import LimitCheck, LimitReports


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.txt").write_text("0\n1\n1\n1\n1\n0\n")
    (tmp_path / "predicted.txt").write_text("0\n0\n0\n1\n1\n0\n")
    return ["score", "real.txt", "predicted.txt"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--fail-under", "F1=0.6"], 0),
        (["--fail-under", "F1=0.7"], 1),
        (["--fail-under", "f=0.7"], 1),
        (["--metric", "mean_delay", "--fail-under", "mean_delay=2"], 0),
        (["--metric", "mean_delay", "--fail-under", "mean_delay=1.9"], 1),
        (["--metric", "event_recall", "--fail-under", "event_recall=1"], 0),
        (["--metric", "range_recall:bias=front", "--fail-under", "range_recall:bias=front=0.3"], 0),
        (["--metric", "range_recall:bias=front", "--fail-under", "range_recall:bias=front=0.4"], 1),
        (["--metric", "mean_delay", "--metric", "range_recall", "--fail-under", "mean_delay=5", "--fail-under", "range_recall=0.6"], 1),
        (["--metric", "mean_delay", "--fail-under", "f=0.5"], 2),
        (["--metric", "mean_delay", "--fail-under", "mean_delay=x"], 2),
        (["--fail-under", "mean_delay=1"], 2),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else None,
)
def test_exit_code_of_limits(command, words, code, capsys):
    assert run([*command, *words]) == code
    assert len(capsys.readouterr().err.splitlines()) == (code > 0)


def test_message_says_on_which_side_of_the_limit(command, capsys):
    run([*command, "--metric", "mean_delay", "--fail-under", "mean_delay=1"])
    assert capsys.readouterr().err == "rangewise: mean_delay is 2.0000, above 1\n"


def test_file_with_times_only(command, tmp_path, capsys):
    times = [f"2024-05-01T00:0{minute}:00" for minute in range(6)]
    (tmp_path / "times.csv").write_text("\n".join(["timestamp", *times]) + "\n")
    (tmp_path / "ranges.csv").write_text(f"start,end\n{times[1]},{times[4]}\n")
    assert run(["score", "ranges.csv", "real.txt", "--times", "times.csv"]) == 0
    assert "F1 1.0000" in capsys.readouterr().out


def test_dropped_ranges_are_counted_and_not_all_can_be_dropped(command, tmp_path, capsys):
    times = [f"2024-05-01T00:0{minute}:00" for minute in range(6)]
    (tmp_path / "times.csv").write_text("\n".join(["timestamp", *times]) + "\n")
    outside = "2023-01-01,2023-01-02\n2025-01-01,2025-01-02\n"
    (tmp_path / "ranges.csv").write_text(f"start,end\n{outside}{times[1]},{times[4]}\n")
    words = ["score", "ranges.csv", "real.txt", "--times", "times.csv", "--outside", "drop"]
    with pytest.warns(UserWarning, match="ranges.csv: 2 of 3 ranges lie outside the timestamps, .* and are dropped"):
        assert run(words) == 0
    assert "F1 1.0000" in capsys.readouterr().out
    (tmp_path / "ranges.csv").write_text(f"start,end\n{outside}")
    assert run(words) == 2
    assert "all 2 ranges lie outside" in capsys.readouterr().err


def test_junit_has_a_case_per_limit_and_annotations_name_failures(command, tmp_path, capsys):
    words = [*command, "--fail-under", "f=0.9", "--fail-under", "recall=0.4", "--junit", "out.xml", "--annotate"]
    assert run(words) == 1
    assert capsys.readouterr().err == "rangewise: f is 0.6667, below 0.9\n::error title=rangewise score::f is 0.6667, below 0.9\n"
    root = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    cases = {case.get("name"): [failure.get("message") for failure in case] for case in root.iter("testcase")}
    assert cases == {"f >= 0.9": ["f is 0.6667, below 0.9"], "recall >= 0.4": []}
    assert run(words) == 2
    assert "out.xml exists" in capsys.readouterr().err
    assert run([*words, "--force"]) == 1


def test_junit_shows_the_direction_of_a_limit(command, tmp_path):
    assert run([*command, "--metric", "mean_delay", "--fail-under", "mean_delay=2", "--junit", "out.xml"]) == 0
    assert [case.get("name") for case in ElementTree.parse(tmp_path / "out.xml").iter("testcase")] == ["mean_delay <= 2"]


@pytest.mark.parametrize("words", [["--junit", "out.xml"], ["--annotate"]])
def test_junit_and_annotate_need_limits(command, words, capsys):
    assert run([*command, *words]) == 2
    assert "give --fail-under too" in capsys.readouterr().err


def test_annotations_are_escaped(capsys):
    assert LimitReports(annotate=True).write([LimitCheck("90 %\nf", math.nan, 0.5)], "score") == 1
    assert "::error title=rangewise score::90 %25%0Af is nan, below 0.5\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "beta", "code"),
    [
        *[("F2", None, 2), ("F1", None, 0), ("F1.0", None, 0), ("F", "2", 0), ("F2", "2", 0), ("f0.5", "0.5", 0), ("F1", "2", 2)],
        *[("F.", None, 2), ("f.5", ".5", 0)],
    ],
)
def test_rejects_limit_for_f_of_another_beta(command, name, beta, code, capsys):
    assert run([*command, "--fail-under", f"{name}=0.45", *([] if beta is None else ["--beta", beta])]) == code
    if code and name != "F.":
        assert (
            capsys.readouterr().err
            == f"rangewise: --fail-under {name} is not the F that this run prints, F{beta or 1}; add --beta {name[1:]}\n"
        )
