"""``rangewise classes``: files of every kind as input, and text, tables, JSON and a picture as output."""

import json
import re

import pytest

import rangewise as rw
from naive.classes import runs
from rangewise.cli import run

REAL = ["idle"] * 20 + ["walk"] * 30 + ["run"] * 20 + ["idle"] * 10 + ["walk"] * 20
PREDICTED = ["idle"] * 22 + ["walk"] * 20 + ["run"] * 30 + ["idle"] * 5 + ["walk"] * 10 + ["jump"] * 13
EXPECTED = rw.score_classes(REAL, PREDICTED, background="idle")


def time(second):
    return f"2024-05-01T00:{second // 60:02d}:{second % 60:02d}"


def region(first, last, *labels):
    return {"type": "timeserieslabels", "value": {"start": time(first), "end": time(last), "timeserieslabels": list(labels)}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The same two sides in files of every kind."""
    monkeypatch.chdir(tmp_path)
    for name, side in (("real", REAL), ("predicted", PREDICTED)):
        (tmp_path / f"{name}.txt").write_text("\n".join(side) + "\n")
        ranges = [(start, stop, label) for label, start, stop in runs(side) if label != "idle"]
        (tmp_path / f"{name}.csv").write_text("start,end,class\n" + "".join(f"{a},{b},{c}\n" for a, b, c in ranges))
        (tmp_path / f"{name}-times.csv").write_text(
            "start,end,activity\n" + "".join(f"{time(a)},{time(b - 1)},{c}\n" for a, b, c in ranges)
        )
        studio = [{"id": 1, "annotations": [{"result": [region(a, b - 1, c) for a, b, c in ranges]}]}]
        (tmp_path / f"{name}.json").write_text(json.dumps(studio))
    rows = "".join(f"{time(at)},{one},{other}\n" for at, (one, other) in enumerate(zip(REAL, PREDICTED, strict=True)))
    (tmp_path / "both.csv").write_text("timestamp,truth,guess\n" + rows)
    (tmp_path / "index.csv").write_text("timestamp\n" + "".join(f"{time(at)}\n" for at in range(len(REAL))))
    return tmp_path


def output_of(capsys, *words):
    assert run(["classes", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ("real.txt", "predicted.txt", "--background", "idle"),
        ("both.csv", "both.csv", "--real-column", "truth", "--predicted-column", "guess", "--background", "idle"),
        ("real.csv", "predicted.csv"),
        ("real.csv", "predicted.txt", "--background", "idle"),
        ("real.json", "both.csv", "--predicted", "guess", "--background", "idle"),
        ("both.csv", "predicted-times.csv", "--real", "truth", "--background", "idle"),
        ("real-times.csv", "predicted.json", "--times", "index.csv"),
    ],
)
def test_every_kind_of_file(folder, capsys, words):
    assert output_of(capsys, *words) == f"{EXPECTED}\n"


def test_times_without_rows_are_scored_as_times(folder, capsys):
    out = output_of(capsys, "real-times.csv", "real.json", "--by", "range")
    assert "walk 1 2024-05-01 00:00:20 to 00:00:49 (29 s): all found: 1.00" in out
    assert "class_event_fbeta 1.0000" in output_of(capsys, "real-times.csv", "real.json", "--by", "metric")


def test_events_are_named_once(folder, capsys):
    (folder / "events.tsv").write_text("onset\toffset\tevent_label\n0.0\t1.0\tdog\n4.0\t5.5\tdog\n")
    assert "\n  dog 2 4 s to 5.5 s (1.5 s): all found: 1.00\n" in output_of(capsys, "events.tsv", "events.tsv", "--by", "range")


def test_text_output(folder, capsys):
    words = ("real.txt", "predicted.txt", "--background", "idle", "--by")
    assert output_of(capsys, *words, "class") == f"{EXPECTED}\n"
    assert output_of(capsys, *words, "range") == f"{EXPECTED.explain()}\n"
    assert output_of(capsys, *words, "error") == f"{rw.class_event_analysis(REAL, PREDICTED, background='idle')}\n"
    metrics = output_of(capsys, *words, "metric", "--collar", "5")
    assert f"segmental_f1@25   {rw.segmental_f1(REAL, PREDICTED, overlap=0.25, background='idle'):.4f}  " in metrics
    assert f"class_error_rate  {rw.class_error_rate(REAL, PREDICTED, onset_collar=5, background='idle'):.4f}  " in metrics
    assert "class_event" not in output_of(capsys, *words, "metric")
    for kind in ("class", "range", "error", "metric"):
        assert all(len(line) <= 80 for line in output_of(capsys, *words, kind).splitlines())


def test_json_output(folder, capsys):
    words = ("real.txt", "predicted.txt", "--background", "idle", "--json", "--by")
    for kind, keys in (("class", set()), ("range", {"real", "predicted"}), ("error", {"errors"}), ("metric", {"metrics"})):
        result = json.loads(output_of(capsys, *words, kind))
        assert set(result) == {"classes", "averages", "only_predicted", "confusion", "models"} | keys
    result = json.loads(output_of(capsys, *words, "range"))
    assert result["real"][0]["taken_for"] == {"run": pytest.approx(8 / 30)}
    assert result["averages"]["macro"]["f"] == EXPECTED.macro.f


def test_errors_and_metrics_of_times_and_points(folder, capsys):
    words = ("real.json", "both.csv", "--predicted", "guess", "--background", "idle", "--by")
    assert output_of(capsys, *words, "error") == f"{rw.class_event_analysis(REAL, PREDICTED, background='idle')}\n"
    assert "class_event_fbeta" in output_of(capsys, *words, "metric", "--collar", "3")


def test_markdown_and_latex(folder, capsys):
    words = ("real.txt", "predicted.txt", "--background", "idle")
    assert output_of(capsys, *words, "--markdown") == EXPECTED.to_markdown()
    assert output_of(capsys, *words, "--latex") == EXPECTED.to_latex()


def test_model_options_apply_to_every_class(folder, capsys):
    result = json.loads(output_of(capsys, "real.txt", "predicted.txt", "--recall-bias", "front", "--json"))
    expected = rw.score_classes(REAL, PREDICTED, model=rw.RangeModel(recall_bias="front"))
    assert [row["recall"] for row in result["classes"]] == [row.recall for row in expected.rows]
    assert len(result["classes"]) == 4


def test_picture_is_not_overwritten(folder, capsys):
    words = ("classes", "real.txt", "predicted.txt", "--background", "idle", "--confusion", "out.png")
    assert run(words) == 0
    assert (folder / "out.png").read_bytes().startswith(b"\x89PNG")
    assert run(words) == 2
    assert "out.png exists" in capsys.readouterr().err


def test_regions_of_two_annotators_are_joined(folder, capsys):
    studio = [{"annotations": [{"result": [region(0, 9, "a")]}, {"result": [region(5, 19, "a", "b")]}]}]
    (folder / "two.json").write_text(json.dumps(studio))
    result = json.loads(output_of(capsys, "two.json", "two.json", "--json"))
    assert [(row["name"], row["real_ranges"], row["f"]) for row in result["classes"]] == [("a", 1, 1.0), ("b", 1, 1.0)]


@pytest.mark.parametrize(
    ("files", "words", "message"),
    [
        ({}, ["real.txt", "predicted.txt", "--background", "idel"], "background 'idel' is not one of the classes.*did you mean 'idle'"),
        ({}, ["real.txt", "predicted.txt", "--by", "clas"], "--by is one of class, range, error, metric; got 'clas'"),
        ({}, ["real.txt", "predicted.txt", "--confusion", "out.gif"], "pictures are PNG, SVG or PDF"),
        ({}, ["real.txt", "predicted.txt", "--collar", "5"], "--collar is for --by metric"),
        ({}, ["real.txt", "predicted.txt", "--by", "metric", "--collar", "5s"], "--collar must be a number of points unless"),
        ({}, ["real-times.csv", "real-times.csv", "--by", "metric", "--collar", "-1"], "--collar is how far apart .* 0 or more; got -1"),
        ({}, ["real-times.csv", "real-times.csv", "--by", "metric", "--collar", "near"], "--collar takes a duration"),
        ({}, ["real.txt", "predicted.txt", "--markdown", "--latex"], "choose one"),
        ({}, ["real.txt", "predicted.txt", "--by", "range", "--latex"], "leave --by out"),
        ({}, ["-", "-"], "only one"),
        ({"a.txt": "walk\nrun\n"}, ["real.txt", "a.txt"], "real has 100 points and predicted has 2"),
        ({"a.txt": "walk\n\nrun\n"}, ["a.txt", "a.txt"], "a.txt, line 2: the class is missing"),
        ({"a.txt": " \n"}, ["a.txt", "a.txt"], "a.txt is empty; expected one class per line"),
        ({"a.csv": "x,y\n1,a\n"}, ["a.csv", "a.csv"], "has the columns x, y; name the one with the classes with --column"),
        ({"a.csv": "x,class\n1,a\n2,\n"}, ["a.csv", "a.csv"], "a.csv, line 3: the class is missing in column 'class'"),
        ({"a.csv": "start,end,class\n1,5,a\n4,8,a\n"}, ["a.csv", "a.csv"], "a.csv, (class 'a': )?line 3: .* overlaps .* in line 2"),
        ({"a.csv": "start,end,class\n1,5,a\n9,8,b\n"}, ["a.csv", "a.csv"], "a.csv, line 3: 9 to 8 is not a range of rows"),
        ({"a.csv": "start,end\n1,5\n"}, ["a.csv", "a.csv"], "name the one with the classes with --column"),
        ({"a.json": '[{"annotations": [{"result": [{"type": "timeserieslabels", "value": {"start": 0, "end": 1}}]}]}]'},
         ["a.json", "a.json"], "has no label; give every region a class"),
        ({}, ["real-times.csv", "predicted.txt"], "--times, one per row"),
    ],
)  # fmt: skip
def test_bad_input_exits_with_2_and_one_line(folder, capsys, files, words, message):
    for name, content in files.items():
        (folder / name).write_text(content)
    assert run(["classes", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert re.search(message, line), line


IGNORED_ROWS = "start,end\n25,35\n60,70\n"
IGNORED_TIMES = f"start,end\n{time(25)},{time(34)}\n{time(60)},{time(69)}\n"
"""The same rows: a table excludes its ends if they are rows, and includes them if they are times."""


@pytest.mark.parametrize("ignored", [IGNORED_ROWS, IGNORED_TIMES], ids=["rows", "times"])
def test_ignored_intervals_equal_those_of_python(folder, capsys, ignored):
    (folder / "ignored.csv").write_text(ignored)
    columns = ["--real", "truth", "--predicted", "guess", "--background", "idle"]
    printed = json.loads(output_of(capsys, "both.csv", "both.csv", *columns, "--ignore", "ignored.csv", "--json"))
    assert printed == rw.score_classes(REAL, PREDICTED, background="idle", ignore=[(25, 35), (60, 70)]).to_dict()


def test_ignored_intervals_of_sides_in_times(folder, capsys):
    (folder / "ignored.csv").write_text(IGNORED_TIMES)
    of_rows = rw.score_classes(REAL, PREDICTED, background="idle", ignore=[(25, 35), (60, 70)]).to_dict()
    words = ["real-times.csv", "predicted-times.csv", "--times", "index.csv", "--ignore", "ignored.csv", "--json"]
    assert json.loads(output_of(capsys, *words))["classes"] == of_rows["classes"]
    (folder / "ignored.csv").write_text(IGNORED_ROWS)
    assert run(["classes", "real-times.csv", "predicted-times.csv", "--ignore", "ignored.csv"]) == 2
    assert "ignore is in rows, but the sides are in times" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["error", "metric"])
def test_refuses_ignored_intervals_where_they_have_no_meaning(folder, capsys, kind):
    (folder / "ignored.csv").write_text("start,end\n25,34\n")
    assert run(["classes", "real.txt", "predicted.txt", "--by", kind, "--ignore", "ignored.csv"]) == 2
    assert capsys.readouterr().err == f"rangewise: --by {kind} cannot ignore intervals; leave --ignore out\n"
