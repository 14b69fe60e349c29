"""Recommendations: what is recommended for a task is computed by the commands that it prints."""

import shlex

import numpy as np
import pytest

from rangewise.cli import run
from rangewise.metrics import METRICS, recommend
from rangewise.metrics.recommendations import QUESTIONS, TASKS, Question


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("job")
    rng = np.random.default_rng(0)
    real = np.zeros(400, dtype=int)
    real[50:90] = real[200:230] = 1
    written = {
        "REAL": "\n".join(map(str, real)),
        "PREDICTED": "\n".join(map(str, np.roll(real, 5))),
        "SCORES": "\n".join(map(str, real + rng.random(400))),
        "INCIDENTS": "start,end\n2024-05-01T10:00,2024-05-01T10:30\n2024-05-01T14:00,2024-05-01T14:10\n",
        "ALERTS": "start,end\n2024-05-01T10:05,2024-05-01T10:20\n2024-05-01T18:00,2024-05-01T18:01\n",
    }
    for name, text in written.items():
        (folder / f"{name}.csv" if "start" in text else folder / name).write_text(text)
    return {name: str(folder / f"{name}.csv" if "start" in text else folder / name) for name, text in written.items()}


@pytest.mark.parametrize("task", TASKS)
def test_what_is_printed_runs_and_computes_what_is_reported(task, files, capsys):
    chosen = recommend(task)
    printed = ""
    for command in chosen.commands:
        words = [files.get(word, word) for word in shlex.split(command.replace("\\\n", " "))]
        assert words[0] == "rangewise"
        assert run([*words[1:], *(["--wide"] if words[1] == "compare" else [])]) == 0, capsys.readouterr().err
        printed += capsys.readouterr().out
    names = {}
    for line in chosen.python:
        exec(line, names)  # the lines of our own table
    for reported in chosen.report:
        name = reported.partition(":")[0]
        assert f"--metric {reported}" in " ".join(chosen.commands) or callable(names[name])
        assert name in METRICS or name in names
    assert bool(printed) == bool(chosen.commands)


@pytest.mark.parametrize("task", TASKS)
def test_chosen_fits_80_columns_and_says_why(task):
    chosen = recommend(task)
    assert max(map(len, str(chosen).splitlines())) <= 80
    for part in (chosen.when, chosen.settings, chosen.why, chosen.literature):
        assert part


def test_questions_lead_to_tasks_and_miss_none_but_the_rough_labels():
    def ends(choice):
        for _, leads in choice.answers:
            yield from ends(leads) if isinstance(leads, Question) else [leads]

    assert {*ends(QUESTIONS), "imprecise labels"} == set(TASKS)


def test_tasks_by_name():
    assert recommend("  Page a  HUMAN ").task == "page a human"
    with pytest.raises(ValueError, match=r"task is one of benchmark table, .*got 'page a humn'; did you mean 'page a human'\?"):
        recommend("page a humn")
    with pytest.raises(ValueError, match="got 3"):
        recommend(3)
