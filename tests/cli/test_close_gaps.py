"""``--close-gaps`` of the commands that score, draw or convert predictions."""

import json

import pytest

from rangewise.cli import run
from rangewise.cli.commands import COMMANDS, load_command
from small_nab import write_nab, write_results


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real.txt").write_text("0\n1\n1\n1\n1\n0\n")
    (tmp_path / "pred.txt").write_text("0\n1\n0\n0\n1\n0\n")
    (tmp_path / "scores.txt").write_text("0.1\n0.8\n0.2\n0.3\n0.9\n0.15\n")
    (tmp_path / "ignored.csv").write_text("start,end\n2,3\n")
    (tmp_path / "table.csv").write_text("series,real,score\na,1,0.8\na,1,0.2\na,1,0.9\nb,0,0.9\nb,1,0.8\n")
    (tmp_path / "values.csv").write_text("timestamp,value,label\n" + "".join(f"2024-01-01T00:0{i}:00,{i},{i % 2}\n" for i in range(5)))
    (tmp_path / "minutes.csv").write_text("timestamp\n" + "".join(f"2024-01-01T00:0{i}:00\n" for i in range(6)))
    (tmp_path / "real.csv").write_text("start,end\n2024-01-01T00:00:00,2024-01-01T00:05:00\n")
    (tmp_path / "pred.csv").write_text("start,end\n2024-01-01T00:00:00,2024-01-01T00:02:00\n2024-01-01T00:03:00,2024-01-01T00:05:00\n")


@pytest.mark.parametrize(
    ("files", "gap", "recall"),
    [
        ("real.txt pred.txt", 0, 0.5),
        ("real.txt pred.txt", 1, 0.5),
        ("real.txt pred.txt", 2, 1.0),
        ("real.csv pred.csv --step 1min", 1, 1.0),
        ("real.csv pred.csv", "59s", 0.8),
        ("real.csv pred.csv", "1min", 1.0),
        ("values.csv values.csv --times values.csv", "0min", 1.0),
        ("real.txt pred.txt --times minutes.csv", "1min", 0.5),
        ("real.txt pred.txt --times minutes.csv", "2min", 1.0),
    ],
)
def test_score_joins_predicted_ranges(folder, capsys, files, gap, recall):
    assert run(["score", *files.split(), "--close-gaps", str(gap), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["recall"] == recall


def test_compare_joins_predicted_ranges(folder, capsys):
    assert run(["compare", "real.txt", "pred.txt", "--metric", "point_fbeta", "--close-gaps", "2", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith(",1.0")


def test_compare_joins_scores_at_every_threshold(folder, capsys):
    assert run(["compare", "real.txt", "scores.txt", "--metric", "auc_pr", "--close-gaps", "2", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith(",1.0")


def test_curve_chooses_the_threshold_of_joined_predictions(folder, capsys):
    assert run(["curve", "real.txt", "scores.txt", "--close-gaps", "2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["best_threshold"], result["f"], result["close_gaps"]) == (0.8, 1.0, 2)
    assert run(["curve", "real.txt", "scores.txt", "--close-gaps", "2"]) == 0
    assert "gaps of up to 2 rows are closed; use the threshold with the same --close-gaps" in capsys.readouterr().out
    assert run(["curve", "real.txt", "scores.txt"]) == 0
    assert "gaps" not in capsys.readouterr().out


def test_curve_of_a_table_joins_within_each_series(folder, capsys):
    assert (
        run(
            [
                "curve",
                "table.csv",
                "--series",
                "series",
                "--real",
                "real",
                "--scores",
                "score",
                "--close-gaps",
                "3",
                "--threshold",
                "0.8",
                "--json",
            ]
        )
        == 0
    )
    result = json.loads(capsys.readouterr().out)
    assert (result["recall"], result["precision"], result["close_gaps"]) == (1.0, 0.75, 3)


def test_score_of_a_table_joins_predicted_ranges(folder, capsys):
    with open("labels.csv", "w") as file:
        file.write("series,real,alarm\n" + "".join(f"pump,{a},{b}\n" for a, b in zip("011110", "010010", strict=True)) + "fan,1,1\n")
    columns = ["--series", "series", "--real", "real", "--predicted", "alarm"]
    for gap, recall in ((1, 0.75), (2, 1.0)):
        assert run(["score", "labels.csv", *columns, "--close-gaps", str(gap), "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
        assert (result["pooled"]["recall"], result["close_gaps"]) == (recall, gap)


def test_gaps_are_closed_before_intervals_are_ignored(folder, capsys):
    """A gap that is partly ignored is closed as the detector would close it."""
    for arguments in ("score real.txt pred.txt", "curve real.txt scores.txt --threshold 0.8"):
        assert run([*arguments.split(), "--close-gaps", "2", "--ignore", "ignored.csv", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["recall"] == 1.0


def test_ranking_joins_predictions_and_scores(folder, capsys):
    for files in ("pred.txt", "scores.txt --threshold scores=0.8"):
        assert run(f"ranking real.txt {files} --close-gaps 2 --json".split()) == 0
        result = json.loads(capsys.readouterr().out)
        assert result["close_gaps"] == 2
        assert "leads" in result["explanation"]


def test_report_says_that_gaps_are_closed_and_how_to_score_again(folder, capsys):
    assert run(["report", "real.txt", "scores.txt", "pred.txt", "--close-gaps", "2", "--out", "page.html"]) == 0
    assert capsys.readouterr().out.startswith("scores and pred are level: F1 1.000 and 1.000.")
    with open("page.html") as page:
        text = page.read()
    assert "Gaps of up to 2 points between predictions are closed, at every threshold." in text
    assert '"rangewise","curve","real.txt","scores.txt","--close-gaps","2"' in text


def test_nab_joins_detections(tmp_path, capsys):
    arguments = ["nab", str(write_nab(tmp_path / "nab")), str(write_results(tmp_path / "results")), "--profile", "standard", "--json"]
    for gap in (0, 3):
        assert run([*arguments, "--close-gaps", str(gap)]) == 0
        assert json.loads(capsys.readouterr().out).get("close_gaps", 0) == gap


def test_convert_writes_joined_ranges(folder, capsysbinary):
    assert run(["convert", "pred.txt", "-", "--to", "ranges", "--close-gaps", "2"]) == 0
    assert capsysbinary.readouterr().out.split() == [b"start,end", b"1,5"]
    assert run(["convert", "pred.txt", "-", "--to", "labels", "--times", "minutes.csv", "--close-gaps", "2min"]) == 0
    assert capsysbinary.readouterr().out.split() == [b"0", b"1", b"1", b"1", b"1", b"0"]
    assert run(["convert", "values.csv", "-", "--to", "labels", "--close-gaps", "1min"]) == 0
    assert capsysbinary.readouterr().out.split() == [b"0", b"1", b"1", b"1", b"0"]


def test_plot_draws_joined_ranges(folder, monkeypatch):
    drawn = []
    monkeypatch.setattr("rangewise.files.series.Series.plot", lambda series, predicted: drawn.append(list(predicted)))
    monkeypatch.setattr("rangewise.cli.outputs.save_picture", lambda figure, target: None)
    assert run(["plot", "values.csv", "out.png", "--predicted", "values.csv", "--close-gaps", "1"]) == 0
    assert run(["plot", "values.csv", "out.png", "--predicted", "values.csv", "--close-gaps", "1min"]) == 0
    assert run(["plot", "values.csv", "out.png", "--predicted", "values.csv"]) == 0
    assert drawn == [[(1, 4)], [(1, 4)], [(1, 2), (3, 4)]]


def test_timeline_draws_joined_ranges(folder, monkeypatch):
    drawn = []
    monkeypatch.setattr("rangewise.plots.timeline.draw_timeline", lambda incidents, lanes: drawn.append(len(lanes["predicted"][0])))
    monkeypatch.setattr("rangewise.cli.outputs.save_picture", lambda figure, target: None)
    for gap in ([], ["--close-gaps", "59s"], ["--close-gaps", "1min"]):
        assert run(["plot", "real.csv", "out.png", "--predicted", "pred.csv", *gap]) == 0
    assert drawn == [2, 2, 1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_option_or_says_what_to_do(name, capsys):
    """Groups of commands are skipped."""
    command = load_command(name)
    if hasattr(command, "commands") or any("--close-gaps" in parameter.opts for parameter in command.params):
        return
    assert run([name, "--close-gaps", "2"]) == 2
    error = capsys.readouterr().err
    assert "`rangewise convert IN OUT --close-gaps N`" in error or "so there are no gaps to close" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("score real.txt pred.txt --close-gaps -1", "is 0 or more; got -1"),
        (
            "score real.csv pred.csv --close-gaps 2",
            "--close-gaps 2 counts rows, but both sides are times; give a duration, e.g. --close-gaps 5min",
        ),
        ("curve real.txt scores.txt --close-gaps -1", "--close-gaps is 0 or more; got -1"),
        (
            "curve real.txt scores.txt --close-gaps 1.5",
            "--close-gaps takes an integer number of rows, or a duration, e.g. 30s, 5min or 1h; got '1.5'",
        ),
        ("curve table.csv --series series --real real --scores score --close-gaps -1", "--close-gaps is 0 or more; got -1"),
        ("ranking real.txt scores.txt --threshold best-f --close-gaps -1", "--close-gaps is 0 or more; got -1"),
        (
            "ranking real.csv pred.csv --close-gaps 2",
            "pred.csv: --close-gaps 2 counts rows, but both sides are times; give a duration",
        ),
        ("report real.txt scores.txt --close-gaps two", "--close-gaps takes an integer number of rows, or a duration"),
        (
            "report real.csv pred.csv --close-gaps 2",
            "pred.csv: --close-gaps 2 counts rows, but both sides are times; give a duration",
        ),
        ("nab nowhere results --close-gaps -1", "--close-gaps is 0 or more; got -1"),
        ("nab nowhere results --close-gaps 5min", "--close-gaps takes a number of rows; got 5min"),
        ("score real.txt pred.txt --close-gaps -5min", "--close-gaps takes an integer number of rows, or a duration"),
        ("score real.txt pred.txt --close-gaps 5min", "--close-gaps 5min is a duration, but the rows have no times; give --times"),
        ("plot values.csv out.png --close-gaps 1", "give them with --predicted FILE"),
        ("plot real.csv out.png --predicted pred.csv --close-gaps 1", "real.csv has only times"),
        ("convert pred.csv - --to labels --close-gaps 1", "give a file with the timestamps of the rows with --times"),
        ("score table.csv --series series --real real --predicted real --close-gaps -1", "--close-gaps is 0 or more; got -1"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(folder, capsys, arguments, message):
    assert run(arguments.split()) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
