"""The commands that a recommendation prints run and compute the metrics that it recommends."""

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
    contents = {
        "REAL": "\n".join(map(str, real)),
        "PREDICTED": "\n".join(map(str, np.roll(real, 5))),
        "SCORES": "\n".join(map(str, real + rng.random(400))),
        "INCIDENTS": "start,end\n2024-05-01T10:00,2024-05-01T10:30\n2024-05-01T14:00,2024-05-01T14:10\n",
        "ALERTS": "start,end\n2024-05-01T10:05,2024-05-01T10:20\n2024-05-01T18:00,2024-05-01T18:01\n",
    }
    for name, text in contents.items():
        (folder / f"{name}.csv" if "start" in text else folder / name).write_text(text)
    return {name: str(folder / f"{name}.csv" if "start" in text else folder / name) for name, text in contents.items()}


@pytest.mark.parametrize("task", TASKS)
def test_printed_commands_compute_the_recommended_metrics(task, files, capsys):
    recommendation = recommend(task)
    printed = ""
    for command in recommendation.commands:
        arguments = [files.get(word, word) for word in shlex.split(command.replace("\\\n", " "))]
        assert arguments[0] == "rangewise"
        assert run([*arguments[1:], *(["--wide"] if arguments[1] == "compare" else [])]) == 0, capsys.readouterr().err
        printed += capsys.readouterr().out
    names = {}
    for line in recommendation.python:
        exec(line, names)  # these lines come from the library's own table
    for metric in recommendation.report:
        name = metric.partition(":")[0]
        assert f"--metric {metric}" in " ".join(recommendation.commands) or callable(names[name])
        assert name in METRICS or name in names
    assert bool(printed) == bool(recommendation.commands)


@pytest.mark.parametrize("task", TASKS)
def test_recommendation_fits_80_columns_and_gives_reasons(task):
    recommendation = recommend(task)
    assert max(map(len, str(recommendation).splitlines())) <= 80
    for part in (recommendation.when, recommendation.settings, recommendation.why, recommendation.literature):
        assert part


def test_questions_lead_to_all_tasks_except_imprecise_labels():
    def final_tasks(question):
        for _, target in question.answers:
            yield from final_tasks(target) if isinstance(target, Question) else [target]

    assert {*final_tasks(QUESTIONS), "imprecise labels"} == set(TASKS)


def test_tasks_by_name():
    assert recommend("  Page a  HUMAN ").task == "page a human"
    with pytest.raises(ValueError, match=r"task is one of benchmark table, .*got 'page a humn'; did you mean 'page a human'\?"):
        recommend("page a humn")
    with pytest.raises(ValueError, match="got 3"):
        recommend(3)
