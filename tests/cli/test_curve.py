import json

import numpy as np
import polars as pl
import pytest

import rangewise as rw
from rangewise.cli import run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    labels = np.repeat(rng.random(50) < 0.2, 10).astype(int)
    scores = rng.random(500) + labels
    (tmp_path / "real.txt").write_text("\n".join(map(str, labels)))
    (tmp_path / "scores.txt").write_text("\n".join(map(repr, scores.tolist())))
    pl.DataFrame({"label": labels, "score": scores}).write_csv(tmp_path / "both.csv")
    return tmp_path


def invoke(capsys, line):
    code = run(line.split())
    out, error = capsys.readouterr()
    return code, out, error


def test_best_threshold_and_average_precision(folder, capsys):
    code, out, error = invoke(capsys, "curve real.txt scores.txt --recall-bias front --cardinality reciprocal --json")
    assert (code, error) == (0, "")
    result = json.loads(out)
    table = pl.read_csv(folder / "both.csv")
    curve = rw.RangeModel(recall_bias="front", cardinality="reciprocal").curve(table["label"], table["score"])
    assert result["best_threshold"] == curve.best().threshold
    assert result["average_precision"] == curve.average_precision
    assert result["f"] == curve.best().score.f
    assert invoke(capsys, "curve both.csv both.csv --real-column label --scores-column score")[0] == 0


def test_precision_weight(folder, capsys):
    """The option reaches the model in score and curve, and an unknown value is rejected."""
    table = pl.read_csv(folder / "both.csv")
    labels, guess = table["label"], (table["score"] > 0.9).cast(int)
    (folder / "guess.txt").write_text("\n".join(map(str, guess)))
    model = rw.RangeModel(precision_weight="length")
    code, out, _ = invoke(capsys, "score real.txt guess.txt --precision-weight length --json")
    assert code == 0
    assert json.loads(out)["precision"] == model.score(labels, guess).precision != rw.score(labels, guess).precision
    code, out, _ = invoke(capsys, "curve real.txt scores.txt --precision-weight length --json")
    assert code == 0
    assert json.loads(out)["average_precision"] == model.curve(labels, table["score"]).average_precision
    for command in ("score real.txt guess.txt", "curve real.txt scores.txt"):
        code, _, error = invoke(capsys, f"{command} --precision-weight lenght")
        assert code == 2
        assert "did you mean 'length'?" in error


def test_explain(folder, capsys):
    _, out, _ = invoke(capsys, "curve real.txt scores.txt --explain")
    assert "best threshold" in out
    assert "R1 [" in out


def test_writes_csv_and_picture(folder, capsys):
    assert invoke(capsys, "curve real.txt scores.txt --csv curve.csv --plot curve.png")[0] == 0
    table = pl.read_csv(folder / "curve.csv")
    assert table.columns == ["threshold", "precision", "recall", "f"]
    assert len(table) == 500
    assert (folder / "curve.png").stat().st_size > 10_000
    assert not list(folder.glob(".*part*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("real.txt missing.txt", "missing.txt does not exist"),
        ("real.txt rated.csv", "name the column"),
        ("real.txt both.csv --scores-column scroe", "'label', 'score'"),
        ("real.txt short.txt", "real.txt has 500 labels and short.txt has 2;"),
        ("real.txt nan.txt", "score 1 is nan"),
        ("real.txt scores.txt --plot curve.jpg", ".png"),
        ("real.txt scores.txt --csv nowhere/curve.csv", "nowhere"),
        ("- -", "standard input"),
        ("real.txt scores.txt --bias frnt", "did you mean 'front'"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(folder, capsys, arguments, message):
    (folder / "short.txt").write_text("0.5\n1.5\n")
    (folder / "rated.csv").write_text("time,rating\n1,0.5\n")
    (folder / "nan.txt").write_text("0.5\nnan\n")
    code, out, error = invoke(capsys, f"curve {arguments}")
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert message in error


def test_printed_threshold_round_trips(tmp_path, capsys):
    """Rounded up at ten digits, the threshold 2/3 would exclude the score that it was chosen for."""
    (tmp_path / "real.txt").write_text("0\n1\n1\n0\n")
    (tmp_path / "scores.txt").write_text(f"0.1\n{2 / 3!r}\n0.9\n0.2\n")
    words = ["curve", str(tmp_path / "real.txt"), str(tmp_path / "scores.txt")]
    assert run(words) == 0
    best = capsys.readouterr().out
    threshold = next(line.split()[-1] for line in best.splitlines() if line.startswith("best threshold"))
    assert run([*words, "--threshold", threshold]) == 0
    assert next(line for line in best.splitlines() if "there" in line) in capsys.readouterr().out


def test_scores_of_32_bits_are_compared_as_such(folder, capsys):
    """As in Python and in a table of many series: the float32 score nearest to 0.7 reaches the threshold 0.7."""
    real, scores = [0, 1, 0, 1, 0, 0], np.array([0.1, 0.7, 0.2, 0.9, 0.1, 0.0], dtype=np.float32)
    pl.DataFrame({"name": ["a"] * 6, "real": real, "score": scores}).write_parquet("s.parquet")
    of_scores = "--real-column real --scores-column score --threshold 0.7 --json"
    answers = {
        "curve": json.loads(invoke(capsys, f"curve s.parquet s.parquet {of_scores}")[1])["f"],
        "table": json.loads(invoke(capsys, f"curve s.parquet --series name {of_scores}")[1])["f"],
        "report": json.loads(invoke(capsys, f"report s.parquet a=s.parquet {of_scores}")[1])["detectors"][0]["f"],
    }
    words = "compare s.parquet a=s.parquet --real-column real --predicted-column score --threshold 0.7 --metric range_fbeta --json"
    answers["compare"] = json.loads(invoke(capsys, words)[1])["detectors"][0]["metrics"]["range_fbeta"]["value"]
    assert rw.RangeModel().curve(real, scores).at(0.7).f == 1.0
    assert answers == dict.fromkeys(answers, 1.0)
