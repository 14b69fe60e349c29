import io
import json

import pytest

from rangewise.cli import run
from rangewise.metrics.choosing import JOBS


def ask(capsys, monkeypatch, answers, *words):
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    code = run(["choose", *words])
    out, error = capsys.readouterr()
    return code, out, error


def test_a_job_by_name(capsys, monkeypatch):
    code, out, error = ask(capsys, monkeypatch, "", "--job", "page a human")
    assert (code, error) == (0, "")
    assert "rangewise alerts INCIDENTS ALERTS" in out
    assert "Add --baselines" in out
    assert max(map(len, out.splitlines())) <= 80


def test_json_and_the_list(capsys, monkeypatch):
    code, out, _ = ask(capsys, monkeypatch, "", "--job", "old paper", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["report"] == list(JOBS["old paper"].report)
    assert found["always"]
    code, out, _ = ask(capsys, monkeypatch, "", "--list")
    assert code == 0
    assert all(job in out for job in JOBS)
    assert max(map(len, out.splitlines())) <= 80
    assert list(json.loads(ask(capsys, monkeypatch, "", "--list", "--json")[1])) == list(JOBS)


@pytest.mark.parametrize(
    ("answers", "jobs"),
    [
        ("2\n1\n1\n", ["page a human"]),
        ("1\n4\n2\n", ["one anomaly a series", "imprecise labels"]),
        ("3\n", ["regime changes"]),
        ("4\n", ["several classes"]),
    ],
)
def test_questions(answers, jobs, capsys, monkeypatch):
    code, out, _ = ask(capsys, monkeypatch, answers)
    assert code == 0
    assert [line.split(maxsplit=1)[1] for line in out.splitlines() if line.startswith("job:")] == jobs


def test_a_mistyped_answer_is_asked_again(capsys, monkeypatch):
    code, out, _ = ask(capsys, monkeypatch, "no\n5\n0\n3\n")
    assert code == 0
    assert out.count("please answer a number from 1 to 4") == 3


@pytest.mark.parametrize(
    ("answers", "words", "message"),
    [
        ("2\n", [], "no answer; answer the questions on standard input, or give --job"),
        ("", ["--json"], "--json asks no questions; give --job"),
        ("", ["--job", "early warnin"], "did you mean 'early warning'?"),
    ],
)
def test_refusals(answers, words, message, capsys, monkeypatch):
    code, _, error = ask(capsys, monkeypatch, answers, *words)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1
