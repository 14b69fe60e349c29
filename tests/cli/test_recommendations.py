"""``rangewise metrics --for``, ``--ask`` and ``--tasks``."""

import io
import json

import pytest

from rangewise.cli import run
from rangewise.metrics.recommendations import TASKS


def invoke(capsys, monkeypatch, answers, *words):
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    monkeypatch.setenv("COLUMNS", "80")
    code = run(["metrics", *words])
    out, error = capsys.readouterr()
    return code, out, error


def test_task_by_name(capsys, monkeypatch):
    code, out, error = invoke(capsys, monkeypatch, "", "--for", "page a human")
    assert (code, error) == (0, "")
    assert "rangewise alerts INCIDENTS ALERTS" in out
    assert "Add --baselines" in out
    assert max(map(len, out.splitlines())) <= 80


def test_json_and_list_of_tasks(capsys, monkeypatch):
    code, out, _ = invoke(capsys, monkeypatch, "", "--for", "old paper", "--json")
    result = json.loads(out)
    assert code == 0
    assert result["report"] == list(TASKS["old paper"].report)
    assert result["always"]
    code, out, _ = invoke(capsys, monkeypatch, "", "--tasks")
    assert code == 0
    assert all(task in out for task in TASKS)
    assert max(map(len, out.splitlines())) <= 80
    assert list(json.loads(invoke(capsys, monkeypatch, "", "--tasks", "--json")[1])) == list(TASKS)


@pytest.mark.parametrize(
    ("answers", "tasks"),
    [
        ("2\n1\n1\n", ["page a human"]),
        ("1\n4\n2\n", ["one anomaly per series", "imprecise labels"]),
        ("3\n", ["regime changes"]),
        ("4\n", ["several classes"]),
    ],
)
def test_answers_lead_to_tasks(answers, tasks, capsys, monkeypatch):
    code, out, _ = invoke(capsys, monkeypatch, answers, "--ask")
    assert code == 0
    assert [line.split(maxsplit=1)[1] for line in out.splitlines() if line.startswith("task:")] == tasks


def test_invalid_answer_is_asked_again(capsys, monkeypatch):
    code, out, _ = invoke(capsys, monkeypatch, "no\n5\n0\n3\n", "--ask")
    assert code == 0
    assert out.count("please answer a number from 1 to 4") == 3


@pytest.mark.parametrize(
    ("answers", "words", "message"),
    [
        ("2\n", ["--ask"], "no answer; answer the questions on standard input, or give --for TASK"),
        ("", ["--json"], "give --for TASK or --tasks"),
        ("", ["--for", "old paper", "--ask"], "--for and --ask ask for different things"),
        ("", ["vus_pr", "--family", "range"], "NAME and --family ask for different things"),
        ("", ["--tasks", "--wide"], "--wide is for lists of metrics"),
        ("", ["--for", "early warnin"], "did you mean 'early warning'?"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(answers, words, message, capsys, monkeypatch):
    code, _, error = invoke(capsys, monkeypatch, answers, *words)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1
