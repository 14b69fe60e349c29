import io

import pytest

import rangewise as rw
from rangewise.cli import run
from rangewise.rankings.questions import ADVISED_TASKS


def test_answers_from_a_file_are_repeatable(tmp_path, capsys):
    answers = tmp_path / "answers.txt"
    answers.write_text("1\n2\n=   # no idea\n2\n1\n1\n1\n2\n1\n1\n")
    outputs = []
    for _ in range(2):
        assert run(["advise", "--answers", str(answers)]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert "answer  3" in outputs[0]
    assert "no preference" in outputs[0]
    line = next(line for line in outputs[0].splitlines() if line.startswith("RangeModel("))
    text, _, digest = line.partition(" #")
    assert rw.RangeModel.parse(text).short_hash == digest
    assert f'--model "{text}"' in outputs[0]


def test_printed_command_works(tmp_path, capsys):
    answers = tmp_path / "answers.txt"
    answers.write_text("1\n" * 10)
    run(["advise", "--answers", str(answers), "--questions", "3"])
    out = capsys.readouterr().out
    model = out.rpartition('--model "')[2].strip().rstrip('"')
    (tmp_path / "labels.txt").write_text("0\n1\n1\n")
    assert run(["score", str(tmp_path / "labels.txt"), str(tmp_path / "labels.txt"), "--model", model]) == 0


def test_invalid_answer_is_asked_again_and_q_stops(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("maybe\n1\nq\n"))
    assert run(["advise"]) == 0
    out = capsys.readouterr().out
    assert "please answer 1, 2" in out
    assert "2. Which prediction do you prefer?" in out
    assert "agrees with 1 of 1 answers" in out


@pytest.mark.parametrize("task", ADVISED_TASKS)
def test_task_prints_the_settings_it_decides(monkeypatch, capsys, task):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run(["advise", "--task", task]) == 0
    out = capsys.readouterr().out
    assert f"For {task} the paper recommends: biases {ADVISED_TASKS[task]['biases']}" in out
    assert f"recall_bias='{ADVISED_TASKS[task]['biases']}'" in out


def test_judgements_from_a_csv(tmp_path, capsys):
    for name, labels in (("real", "0110"), ("good", "0110"), ("bad", "1001")):
        (tmp_path / f"{name}.txt").write_text("\n".join(labels))
    (tmp_path / "pairs.csv").write_text("real,preferred,other\nreal.txt,good.txt,bad.txt\n")
    assert run(["advise", "--judgements", str(tmp_path / "pairs.csv")]) == 0
    assert "agrees with 1 of 1 judgements" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "medcal"], "did you mean 'medical'"),
        (["--answers", "absent.txt"], "absent.txt"),
        (["--answers", "a", "--judgements", "b"], "give one of them"),
        (["--questions", "11"], "10"),
    ],
)
def test_rejects_bad_options(capsys, options, message):
    assert run(["advise", *options]) == 2
    assert message in capsys.readouterr().err


def test_error_names_the_wrong_answer_in_a_file(tmp_path, capsys):
    (tmp_path / "answers.txt").write_text("1\nleft\n")
    assert run(["advise", "--answers", str(tmp_path / "answers.txt")]) == 2
    assert "line 2: an answer is 1, 2, = or q; got 'left'" in capsys.readouterr().err
