import json
import subprocess
import sys

import numpy as np
import pytest

import rangewise as rw
from rangewise.cli import run


@pytest.fixture
def files(tmp_path):
    (tmp_path / "real.txt").write_text("0\n1\n1\n0\n1\n")
    (tmp_path / "predicted.txt").write_text("0\r\n1\r\n0\r\n0\r\n1\r\n")
    (tmp_path / "table.csv").write_text("time,label,guess\na,0,0\nb,1,1\nc,1.0,0\nd,False,0\ne,1,1\n")
    return tmp_path


def invoke(capsys, *arguments):
    code = run([str(argument) for argument in arguments])
    out, error = capsys.readouterr()
    return code, out, error


def test_score(files, capsys):
    code, out, error = invoke(capsys, "score", files / "real.txt", files / "predicted.txt")
    assert (code, error) == (0, "")
    assert out.split() == ["precision", "1.0000", "recall", "0.7500", "F1", "0.8571"]


def test_json(files, capsys):
    code, out, _ = invoke(capsys, "score", files / "real.txt", files / "predicted.txt", "--json", "--recall-bias", "back", "--explain")
    result = json.loads(out)
    assert code == 0
    assert result["recall"] == pytest.approx((1 / 3 + 1) / 2)
    assert result["model"] == "RangeModel(recall_bias='back')"
    assert result["real"][0]["reward"] == pytest.approx(1 / 3)


def test_json_writes_nan_as_null(files, capsys):
    (files / "none.txt").write_text("0 0 0 0 0")
    _, out, _ = invoke(capsys, "score", files / "real.txt", files / "none.txt", "--json", "--zero-division", "nan")
    assert json.loads(out)["precision"] is None


def test_every_model_option(files, capsys):
    arguments = "--preset early --alpha 0.5 --beta 2 --bias back --recall-bias middle --precision-bias front --cardinality reciprocal"
    arguments += " --recall-cardinality one --precision-cardinality reciprocal --as-points real --zero-division 1"
    code, out, _ = invoke(capsys, "score", files / "real.txt", files / "predicted.txt", "--json", *arguments.split())
    assert code == 0
    assert json.loads(out)["model"] == (
        "RangeModel(alpha=0.5, beta=2.0, recall_bias='middle', precision_bias='front', precision_cardinality='reciprocal', "
        "as_points='real', zero_division=1.0)"
    )


def test_printed_model_round_trips(files, capsys):
    text = "RangeModel(alpha=0.5, recall_bias='front')"
    _, out, _ = invoke(capsys, "score", files / "real.txt", files / "predicted.txt", "--json", "--model", text)
    assert json.loads(out)["model"] == text


def test_as_points_is_the_classical_model(files, capsys):
    _, out, _ = invoke(capsys, "score", files / "real.txt", files / "predicted.txt", "--json", "--as-points", "both")
    assert json.loads(out)["recall"] == pytest.approx(2 / 3)


def test_csv_columns(files, capsys, monkeypatch):
    code, out, _ = invoke(capsys, "score", files / "table.csv", files / "table.csv", "--column", "label")
    assert code == 0
    assert "F1 1.0000" in out


def test_explain(files, capsys):
    _, out, _ = invoke(capsys, "score", files / "real.txt", files / "predicted.txt", "--explain")
    assert "R1 [1, 3): 50 % of it found, early: 0.50" in out


def test_fail_under(files, capsys):
    both = files / "real.txt", files / "predicted.txt"
    assert invoke(capsys, "score", *both, "--fail-under", "f=0.8")[0] == 0
    code, _, error = invoke(capsys, "score", *both, "--fail-under", "f=0.9", "--fail-under", "recall=0.1")
    assert code == 1
    assert error.strip() == "rangewise: f is 0.8571, below 0.9"


def test_standard_input(files):
    command = [sys.executable, "-m", "rangewise", "score", str(files / "real.txt"), "-", "--json"]
    completed = subprocess.run(command, input="0 1 0 0 1", capture_output=True, text=True, check=True)
    assert json.loads(completed.stdout)["recall"] == 0.75


def test_version_help_and_metrics(capsys):
    assert invoke(capsys, "--version")[1].startswith("rangewise 0.")
    assert "Commands" in invoke(capsys)[1]
    code, out, _ = invoke(capsys, "metrics")
    assert code == 0
    assert "range_fbeta" in out


@pytest.mark.parametrize(
    ("real", "predicted", "options", "message"),
    [
        ("missing.txt", "real.txt", "", "missing.txt does not exist"),
        (".", "real.txt", "", "is a directory"),
        ("empty.txt", "real.txt", "", "is empty"),
        ("binary.bin", "real.txt", "", "binary"),
        ("words.txt", "real.txt", "", "line 2: 'yes' is not a label"),
        ("two.txt", "real.txt", "", "line 1: '2' is not a label"),
        ("glued.txt", "real.txt", "", "line 1: '01' is not a label"),
        ("short.txt", "real.txt", "", "short.txt has 2 labels and"),
        ("table.csv", "real.txt", "", "--real-column"),
        ("table.csv", "table.csv", "--column lable", "no column 'lable'; it has 'time', 'label', 'guess'"),
        ("table.csv", "table.csv", "--column time", "line 2: 'a' is not a label"),
        ("ragged.csv", "table.csv", "--column label", "ragged.csv"),
        ("-", "-", "", "standard input"),
        ("real.txt", "real.txt", "--alpha 2", "0..1"),
        ("real.txt", "real.txt", "--alpha much", "--alpha"),
        ("real.txt", "real.txt", "--bias frnt", "did you mean 'front'"),
        ("real.txt", "real.txt", "--preset erly", "did you mean 'early'"),
        ("real.txt", "real.txt", "--preset early --model RangeModel()", "choose one"),
        ("real.txt", "real.txt", "--model nonsense", "a model prints"),
        ("real.txt", "real.txt", "--as-points all", "both"),
        ("real.txt", "real.txt", "--fail-under 0.5", "NAME=VALUE"),
        ("real.txt", "real.txt", "--fail-under f=x", "a number"),
        ("real.txt", "real.txt", "--color red", "--color"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(files, capsys, real, predicted, options, message):
    (files / "empty.txt").write_text(" \n")
    (files / "binary.bin").write_bytes(b"\x00\x01\x02")
    (files / "words.txt").write_text("1\nyes\n")
    (files / "two.txt").write_text("2\n")
    (files / "glued.txt").write_text("01\n")
    (files / "short.txt").write_text("0\n1\n")
    (files / "ragged.csv").write_text("time,label\na,0\nb,1,5,6\n")
    sides = [name if name == "-" else files / name for name in (real, predicted)]
    code, out, error = invoke(capsys, "score", *sides, *options.split())
    assert code == 2
    assert out == ""
    assert error.startswith("rangewise: ")
    assert error.count("\n") == 1
    assert message in error


def test_labels_may_be_floats_and_words(files, capsys):
    (files / "floats.txt").write_text("0.0\n1.0\ntrue\nFalse\n1\n")
    assert "F1 1.0000" in invoke(capsys, "score", files / "real.txt", files / "floats.txt")[1]


class TestInternalErrors:
    """A crash exits with 70 and prints one line that asks for a report: no traceback, and not the exit code of a failed limit."""

    @pytest.fixture
    def broken(self, monkeypatch):
        import rangewise.cli.metrics as command

        def crash(*arguments, **options):
            raise KeyError("a [/bug] of ours")

        monkeypatch.setattr(command, "METRICS", property(crash))
        monkeypatch.setattr("rangewise.cli.commands.run_command", crash)

    def test_prints_one_line(self, broken, capsys):
        assert run(["metrics"]) == 70
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.count("\n") == 1
        assert "please report it" in output.err
        assert "KeyError: 'a [/bug] of ours'" in output.err

    def test_debug_variable_shows_the_traceback(self, broken, capsys, monkeypatch):
        monkeypatch.setenv("RANGEWISE_DEBUG", "1")
        assert run(["metrics"]) == 70
        assert "Traceback" in capsys.readouterr().err


def test_alert_rate_is_printed(tmp_path, capsys):
    (tmp_path / "real.txt").write_text("0\n1\n1\n0\n")
    (tmp_path / "predicted.txt").write_text("0\n1\n0\n0\n")
    arguments = ["score", str(tmp_path / "real.txt"), str(tmp_path / "predicted.txt")]
    assert run([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["alert_rate"] == 0.25
    assert run([*arguments, "--explain"]) == 0
    assert "alert rate 25 % of all points" in capsys.readouterr().out


class TestThreshold:
    """``score --threshold`` equals ``Case.at``, for the model and for metrics."""

    @pytest.fixture
    def pair(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "real.txt").write_text("0\n1\n1\n0\n0\n")
        (tmp_path / "scores.txt").write_text("0.1\n0.9\n0.4\n0.4\nnan\n")
        return rw.Case.read([0, 1, 1, 0, 0], scores=[0.1, 0.9, 0.4, 0.4, np.nan], missing="lowest")

    @pytest.mark.parametrize("threshold", ["0.1", "0.4", "0.5", "1"])
    def test_is_the_score_of_the_case_at_the_threshold(self, pair, capsys, threshold):
        score = rw.RangeModel(alpha=0.5).score(pair.at(float(threshold)))
        assert run(["score", "real.txt", "scores.txt", "--threshold", threshold, "--missing", "lowest", "--alpha", "0.5", "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["precision"], answer["recall"], answer["f"]) == (score.precision, score.recall, score.f)
        assert answer["alert_rate"] == score.alert_rate

    def test_applies_to_metrics_of_predictions(self, pair, capsys):
        metrics = ["--metric", "point_precision", "--metric", "auc_roc"]
        assert run(["score", "real.txt", "scores.txt", "--threshold", "0.4", "--missing", "lowest", *metrics, "--json"]) == 0
        values = rw.metrics.evaluate([pair.at(0.4)], ["point_precision", "auc_roc"])[0]
        assert list(json.loads(capsys.readouterr().out).values()) == values.tolist()

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["real.txt", "real.txt", "--threshold", "0.5"], "--threshold turns scores into predictions, but real.txt has no scores"),
            (["real.txt", "scores.txt", "--threshold", "nan", "--missing", "lowest"], "threshold"),
            (["real.txt", "scores.txt", "--threshold", "0.5"], "nan"),
            (["real.txt", "real.txt", "--threshold", "0.5", "--metric", "auc_roc"], "these metrics use all thresholds"),
            (["table.csv", "--series", "s", "--real", "r", "--predicted", "p", "--threshold", "0.5"], "--threshold is for one series"),
            (["real.txt", "scores.txt", "--threshold", "0.5", "--missing", "lowest", "--predicted-format", "labels"], "--predicted-format"),
        ],
    )
    def test_refuses_what_has_no_threshold(self, pair, tmp_path, capsys, words, message):
        (tmp_path / "table.csv").write_text("s,r,p\na,1,1\n")
        assert run(["score", *words]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1


def test_outside_needs_a_side_in_times(tmp_path, monkeypatch, capsys):
    """Ignored intervals in times may lie outside anyway. One detector in times suffices."""
    monkeypatch.chdir(tmp_path)
    minutes = [f"2024-05-01T10:{minute:02}" for minute in range(10)]
    (tmp_path / "stamps.csv").write_text("timestamp\n" + "\n".join(minutes) + "\n")
    (tmp_path / "rows.txt").write_text("0\n0\n1\n1\n0\n0\n0\n1\n0\n0\n")
    far = f"start,end\n{minutes[2]},{minutes[3]}\n2024-05-02,2024-05-03\n"
    (tmp_path / "far.csv").write_text(far)
    refused = "rangewise: --outside is for ranges in times outside the timestamps of rows, but no side has times that are mapped to rows"
    for words in (["score", "rows.txt", "rows.txt"], ["compare", "rows.txt", "rows.txt"]):
        assert run([*words, "--times", "stamps.csv", "--ignore", "far.csv", "--outside", "drop"]) == 2
        assert capsys.readouterr().err == f"{refused}; leave it out\n"
        assert run([*words, "--times", "stamps.csv", "--ignore", "far.csv"]) == 0
    words = ["compare", "rows.txt", "rows.txt", "far.csv", "--times", "stamps.csv", "--metric", "range_recall"]
    with pytest.warns(UserWarning, match="far.csv: 1 of 2 ranges lie outside the timestamps"):
        assert run([*words, "--outside", "drop"]) == 0
