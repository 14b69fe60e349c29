"""Invalid input is rejected in one line with exit code 2: sizes before memory is allocated, numbers before they overflow."""

import json
from pathlib import Path

import pytest
from tests.examples import FIXTURES

from rangewise.cli import run

LABELS, SERIES = str(FIXTURES / "labels.txt"), str(FIXTURES / "series.csv")
HUGE = "1" + "0" * 400
MINUSES = "-" * 5_000 + "1"


@pytest.fixture
def error_of(tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder and returns its error, which must be one line."""
    monkeypatch.chdir(tmp_path)

    def run_it(*words):
        assert run(words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        (line,) = err.splitlines()
        assert line.startswith("rangewise: ")
        assert "internal error" not in line
        assert "not enough memory" not in line
        return line

    return run_it


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "start,end\n15,99999999999999999999\n", "line 2: '99999999999999999999' in column 'end' is not a row"),
        ("a.csv", "start,end\n99999999999999999999,15\n", "line 2: '99999999999999999999' in column 'start' is not a row"),
        ("a.csv", "start,end\n1,2\n15,x\n", "line 3: 'x' in column 'end' is not a row"),
        ("a.csv", "start,end\n9999-12-31,9999-12-31\n", "1678 to 2261"),
        ("a.json", '{"a": [[1' + "0" * 30 + ", 1]]}", "is not a time"),
        ("a.json", '[{"time": 9223372036854.8}]', "is not a time"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.json", '{"a":' * 100_000, "nested too deeply"),
    ],
    ids=range(8),
)
def test_rejects_invalid_values_in_a_file(error_of, tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    assert message in error_of("convert", name, "-", "--to", "ranges")


def test_accepts_the_first_and_last_representable_time(tmp_path, capsys):
    for time, text in (("9223372036854.7", "2262-04-11"), ("-9223372036854.7", "1677-09-21")):
        (tmp_path / "a.json").write_text(f'[{{"time": {time}}}]')
        assert run(["convert", str(tmp_path / "a.json"), "-", "--to", "ranges"]) == 0
        assert text in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["curve", LABELS, LABELS, "--predicted", "x"], "No such option: --predicted; --scores names the column"),
        (["compare", LABELS, LABELS, "--scores", "x"], "No such option: --scores; --predicted names the column, also of scores"),
        (["score", LABELS, LABELS, "--scores", "x"], "No such option: --scores; --predicted names the column, also of scores"),
        (["compare", SERIES, "--series", "a"], "Give a file for each detector; a table of many series alone is for `rangewise score`"),
        (["ranking", SERIES, "--series", "a"], "Give a file for each detector; a table of many series alone is for `rangewise score`"),
        (["compare", LABELS, LABELS, "--repeated-times", "keep"], "No such option: --repeated-times"),
        (["ranking", LABELS, LABELS, "--repeated-times", "keep"], "No such option: --repeated-times"),
        (
            ["score", SERIES, SERIES, "--column", "x"],
            "(--column is for both files; for one of them, use --real-column or --predicted-column)",
        ),
        (["curve", LABELS, SERIES, "--column", "x"], "(--column is for both files; for one of them, use --real-column or --scores-column)"),
        (
            ["curve", LABELS, "mixed.csv"],
            "has the columns 'start', 'end'; name the column of the scores, one per row, e.g. with --scores-column",
        ),
        (["score", LABELS, "mixed.csv", "--metric", "vus_pr"], "name the column of the scores, one per row, e.g. with --predicted-column"),
        (
            ["score", "mixed.csv", "mixed.csv"],
            "times in column 'start' have a time zone, but those in column 'end' have none; write the zone in both\n",
        ),
        (
            ["alerts", "mixed.csv", "mixed.csv"],
            "write the zone in both, or give the zone of times without one with --tz, e.g. --tz Europe/Berlin",
        ),
        (["advise", "--answers", "absent.txt"], "rangewise: absent.txt: No such file or directory"),
        (["alerts", "times.csv", "times.csv", "--lead", "x"], "--lead takes a duration"),
        (["review", "times.csv", "times.csv", "--weeks", "0"], "--weeks is 1 or more"),
    ],
    ids=lambda given: " ".join(given[::3]) if isinstance(given, list) else "",
)
def test_errors_name_the_option_of_this_command(error_of, words, message):
    Path("mixed.csv").write_text("start,end\n2024-05-01T10:00Z,2024-05-01T11:00\n")
    Path("times.csv").write_text("start,end\n2024-05-01,2024-05-02\n")
    assert message in error_of(*words) + "\n"


@pytest.mark.parametrize("value", ["1e400", HUGE, f"-{HUGE}", MINUSES], ids=["infinite", "huge", "low", "deep"])
@pytest.mark.parametrize("setting", ["alpha", "beta", "zero_division"])
def test_rejects_extreme_settings_of_a_model(error_of, setting, value):
    assert setting in error_of("score", LABELS, LABELS, "--model", f"RangeModel({setting}={value})")[:200]


def test_rejects_deeply_nested_setting_of_a_detector(error_of):
    assert "nested too deeply" in error_of("detect", SERIES, "--detector", "moving-z-score", "--set", f"window={MINUSES}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--length", str(10**15)], "a plan of 533333333333 anomalies would take"),
        (["--length", str(10**15), "--base", "walk", "--number", "1"], "a walk of"),
        (["--length", str(10**20)], "length is at most"),
        (["--channels", str(10**9)], "1000000000 channels would take"),
        (["--channels", str(10**9), "--length", "1"], "1000000000 channels would take"),
        (["--number", str(10**12)], "do not fit in 10000 free rows"),
        (["--number", str(10**20)], "number of anomalies is at most"),
        (["--gap", str(2**63)], "gap is at most"),
        (["--gap", str(2**62)], "do not fit in 10000 free rows"),
        (["--lengths", "1", str(2**63)], "the longest length is at most"),
        (["--part", "0", str(2**63)], "the stop of part is at most"),
        (["--strength", "1", "1e400"], "strength is"),
        (["--low", "1e400"], "low is a finite number"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_rejects_too_large_generated_series(error_of, tmp_path, words, message):
    assert message in error_of("generate", "a.csv", *words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content",
    [{"low": int(HUGE)}, {"anomalies": {"strength": [1, int(HUGE)]}}, {"anomalies": {"rate": int(HUGE)}}, {"length": int(HUGE)}],
    ids=["low", "strength", "rate", "length"],
)
def test_rejects_recipe_with_too_large_number(error_of, tmp_path, content):
    (tmp_path / "recipe.json").write_text(json.dumps({"generator": "rangewise", "version": 1, "base": "sine", **content}))
    assert len(error_of("generate", "a.csv", "--recipe", "recipe.json")) < 300


def test_rejects_deeply_nested_recipe(error_of, tmp_path):
    (tmp_path / "recipe.json").write_text("[" * 100_000)
    assert "nested too deeply" in error_of("generate", "a.csv", "--recipe", "recipe.json")


@pytest.mark.parametrize("to", ["labels", "csv"])
def test_rejects_more_labels_than_memory(error_of, tmp_path, to):
    (tmp_path / "a.csv").write_text("start,end\n1,5\n")
    assert "1000000000000 labels would take" in error_of("convert", "a.csv", "-", "--to", to, "--length", str(10**12))


def test_rejects_explanation_larger_than_memory(error_of, tmp_path, capsys):
    (tmp_path / "a.csv").write_text(f"start,end\n0,{2**40}\n")
    assert "1099511627776 points" in error_of("score", "a.csv", "a.csv", "--as-points", "both", "--explain")
    assert run(["score", "a.csv", "a.csv", "--as-points", "both"]) == 0
    assert "F1 1.0000" in capsys.readouterr().out


def test_brackets_in_names_are_not_markup(error_of, tmp_path, capsys):
    assert "'[/x]'" in error_of("detect", SERIES, "--detector", "[/x]")
    (tmp_path / "[red]a.txt").write_bytes((FIXTURES / "labels.txt").read_bytes())
    (tmp_path / "[bold]b.txt").write_bytes((FIXTURES / "labels.txt").read_bytes())
    for command in ("compare", "ranking"):
        assert run([command, LABELS, "[red]a.txt", "[bold]b.txt"]) == 0
        out = capsys.readouterr().out
        assert "[red]a" in out
        assert "[bold]b" in out
    (tmp_path / "many.csv").write_text("name,real,predicted\n[/x],1,1\n[/x],0,1\n")
    assert run(["score", "many.csv", "--series", "name", "--real", "real", "--predicted", "predicted"]) == 0
    assert "[/x]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ranking", "r.txt", "a.txt", "b.txt", "--threshold", "a=1", "--threshold", "a=2"], "--threshold gives a twice, 1.0 and 2.0"),
        (["report", "r.txt", "a.txt", "b.txt", "--out", "x.html", "--threshold", "a=1", "--threshold", "a=2"], "--threshold gives a twice"),
        (["detect", "two.csv", "--detector", "moving-std", "--set", "window=3", "--set", "window=4"], "--set gives window twice, 3 and 4"),
        (["score", "r.txt", "r.txt", "--model", "RangeModel(alpha=0.1, alpha=0.9)"], "alpha is given twice"),
        (
            ["score", "r.txt", "a.txt"],
            "a.txt, line 1: '.1' is not a label; expected 0 or 1 (scores need --threshold; rangewise curve shows every threshold)",
        ),
        (
            ["score", "r.txt", "scores.csv"],
            "scores.csv has one column, score; give the column of labels with --predicted-column (scores need",
        ),
        (
            ["score", "r.txt", "scores.csv", "--predicted-column", "score"],
            "scores.csv, line 2: '0.5' is not a label; expected 0 or 1 (scores need --threshold; rangewise curve shows every threshold)",
        ),
        (["score", "two.csv", "r.txt"], "give the column of labels with --real-column"),
        (["curve", "scores.csv", "a.txt"], "scores.csv has one column, score; give the column of labels with --real-column\n"),
        (["plot", "two.csv", "x.png", "--real", "two.csv"], "give the column of labels with --column"),
        (["score", "mne.txt", "r.txt", "--format", "labels"], "mne.txt, line 1: '#' is not a label; expected 0 or 1"),
        (["score", "remark.txt", "r.txt"], "remark.txt, line 1: '#' is not a label"),
        (["score", "events.csv", "r.txt", "--real-column", "trial_type"], "real is in times, but predicted is in rows"),
        (["score", "lasting.csv", "r.txt"], "for ranges, name the column end; for events in seconds, use the columns onset and duration"),
        (["score", "r.txt", "r.txt", "--ignore", "two.csv"], "ignored intervals are a table with start and end, or a file of labels only"),
        (["alerts", "labels:two.csv", "events.csv"], "give ranges, e.g. a table with start and end"),
        (["score", "same.csv", "--series", "s", "--real", "y", "--predicted", "z"], "several columns named 'y': columns 2 and 3"),
        (["score", "r.txt", "r.txt", "--ignore", "all.csv"], "the ignored intervals cover all 6 points, so nothing is left to score"),
        (["alerts", "times.csv", "times.csv", "--title", "x"], "give --page FILE.html too"),
        (
            ["alerts", "times.csv", "times.csv", "--page", "x.html", "--resolution", "1s"],
            "but --page is exact to the nanosecond; leave one out",
        ),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else None,
)
def test_rejects_ambiguous_and_ineffective_input(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert run(words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


FILES = {
    "r.txt": "0\n1\n1\n1\n1\n0\n",
    "a.txt": ".1\n.2\n.1\n.9\n.8\n.1\n",
    "b.txt": ".3\n.2\n.1\n.9\n.8\n.1\n",
    "two.csv": "a,b\n1,2\n3,4\n",
    "mne.txt": "# MNE-Annotations\n# onset, duration, description\n1.0,2.0,BAD\n",
    "remark.txt": "# a remark\n0\n1\n",
    "events.csv": "onset,duration,trial_type\n1,2,1\n5,1,0\n",
    "lasting.csv": "start,duration\n1,2\n5,1\n",
    "scores.csv": "score\n0.5\n0.2\n",
    "same.csv": "s,y,y,z\nx,0,1,1\n",
    "all.csv": "start,end\n0,6\n",
    "times.csv": "start,end\n2024-05-01T00:00,2024-05-01T01:00\n",
}


def test_table_of_events_is_never_read_as_labels(tmp_path, monkeypatch, capsys):
    """Its lines are events, whichever column is named."""
    monkeypatch.chdir(tmp_path)
    Path("events.csv").write_text("onset,duration,label\n1,2,1\n5,1,0\n")
    Path("same.tsv").write_text("onset\tduration\n1\t2\n5\t1\n")
    for words in (["--real-column", "label"], []):
        assert run(["score", "events.csv", "same.tsv", "--explain", *words]) == 0
        assert capsys.readouterr().out.count("5 s to 6 s") == 2


@pytest.mark.parametrize(("label", "expected"), [("a", "sensitivity 0 "), ("c", "precision 0 "), ("b", "F1 1 ")])
def test_class_on_one_side_only_is_missed_or_false(label, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("real.tsv").write_text("onset\tduration\ttrial_type\n1\t2\ta\n5\t1\tb\n")
    Path("found.tsv").write_text("onset\tduration\ttrial_type\n1\t2\tc\n5\t1\tb\n")
    assert run(["events", "real.tsv", "found.tsv", "--label", label]) == 0
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize("rows", [5, 7])
@pytest.mark.parametrize(
    "words",
    [
        "score r.txt r.txt", "curve r.txt a.txt", "compare r.txt r.txt", "ranking r.txt a.txt b.txt --threshold equal-share",
        "report r.txt a.txt --out x.html", "convert r.txt x.csv --to csv", "convert r.txt x.csv --to ranges", "score pairs.csv r.txt",
    ],
)  # fmt: skip
def test_rejects_times_of_another_number_of_rows(words, rows, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("pairs.csv").write_text("start,end\n2024-05-01T00:01,2024-05-01T00:02\n")
    Path("minutes.csv").write_text("\n".join(["timestamp", *(f"2024-05-01T00:0{row}:00" for row in range(rows))]) + "\n")
    assert run([*words.split(), "--times", "minutes.csv"]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "6" in error
    assert str(rows) in error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("score rows.csv rows.csv --times times.csv", "rows.csv has a range that stops at 9, but times.csv has only 3 times"),
        ("score labels.txt labels.txt --times times.csv", "labels.txt has 5 labels, but times.csv has 3 times; give one time per point"),
        ("score one.csv one.csv --times times.csv --length 4", "length is 4, but there are 3 times; leave length out with times"),
        ("curve labels.txt scores.txt --length 4", "length is 4, but scores.txt has 5 scores; leave length out with scores"),
        ("curve incidents.csv scores.txt", "but scores.txt has one number per row; give the time of each row with --times"),
        ("report incidents.csv a=scores.txt --step 1min", "--step is for two sides in times, but scores.txt has one number per row"),
        ("curve short.txt missing.txt --missing lowest", "all 2 scores of missing.txt are nan; there is nothing to score"),
        ("score incidents.csv incidents.csv --length 5", "but these sides are times; give --span FIRST LAST, or --step"),
        ("score far.csv incidents.csv --times times.csv", "00:02:00; drop such ranges with --outside drop\n"),
    ],
)
def test_numbers_of_points_and_times_that_do_not_fit(error_of, tmp_path, words, said):
    """Each is called what it is: labels, scores or times."""
    minutes = [f"2024-05-01T00:0{minute}" for minute in range(3)]
    files = {
        "rows.csv": ["start,end", "1,3", "6,9"],
        "one.csv": ["start,end", "1,3"],
        "incidents.csv": ["start,end", "2024-05-01T00:00,2024-05-01T00:01"],
        "far.csv": ["start,end", "2025-05-01T00:00,2025-05-01T00:01"],
        "times.csv": ["timestamp", *minutes],
        "labels.txt": "01100",
        "short.txt": "01",
        "scores.txt": ["0.1", "0.5", "0.9", "0.2", "0.3"],
        "missing.txt": ["nan", "nan"],
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines))
    assert said in error_of(*words.split()) + "\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["score", "a.txt", "a.txt", "--fail-under", "f=2", "--junit", "folder"], "folder is a directory; expected the name of a file"),
        (
            ["score", "a.txt", "a.txt", "--fail-under", "f=2", "--junit", "none/j.xml"],
            "none/j.xml cannot be written: the folder none",
        ),
        (["score", "a.txt", ""], "the name of a file is empty; give a file, or - for standard input"),
        (
            ["score", "a.txt", "a.txt", "--metric", "early:alpha=1"],
            "early:alpha=1: a preset has no options; name all of them",
        ),
        (["score", "a.txt", "a.txt", "--metric", "early", "--metric", "early"], "two columns are called 'early'; give each metric once"),
        (["compare", "a.txt", "s.txt", "--threshold", "t=0.5"], "a detector with a threshold is one of s; got 't'"),
        (["ranking", "a.txt", "s.txt", "--threshold", "t=0.5"], "a detector with a threshold is one of s; got 't'"),
        (["curve", "a.txt", "s.txt", "--max-alert-rate", "nan"], "--max-alert-rate is a share of points above 0 and up to 1; got nan"),
    ],
)
def test_a_wrong_option_is_named_first(error_of, tmp_path, words, said):
    """Before any result is printed, and before anything about the files that follows from it."""
    (tmp_path / "folder").mkdir()
    for name, content in {"a.txt": "0\n1\n1\n0\n", "s.txt": "0.1\n0.9\n0.4\n0.4\n"}.items():
        (tmp_path / name).write_text(content)
    assert said in error_of(*words)
