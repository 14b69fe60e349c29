"""``--ignore`` in every command that scores: the result is that of files cut by hand, and the output says what was cut."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rangewise as rw
from rangewise.cli import run
from rangewise.metrics import METRICS

LENGTH, IGNORED = 60, (20, 30)
REAL = [(5, 12), (25, 35), (45, 50)]
REMAINING = [(5, 12), (30, 35), (45, 50)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    counts = np.ones(LENGTH, dtype=bool)
    counts[slice(*IGNORED)] = False
    for name, ranges in {"real": REAL, "left": REMAINING, "one": [(6, 14), (22, 33)], "two": [(10, 12), (18, 22), (44, 52)]}.items():
        labels = np.zeros(LENGTH, dtype=int)
        for start, stop in ranges:
            labels[start:stop] = 1
        np.savetxt(f"{name}.txt", labels, fmt="%d")
        np.savetxt(f"{name}-cut.txt", labels[counts], fmt="%d")
        np.savetxt(f"{name}-clipped.txt", labels * counts, fmt="%d")
        scores = labels + rng.random(LENGTH)
        np.savetxt(f"{name}-scores.txt", scores)
        np.savetxt(f"{name}-scores-cut.txt", scores[counts])
    (tmp_path / "ignored.csv").write_text("start,end\n20,30\n")
    return tmp_path


def output(capsys, *words):
    assert run(list(words)) == 0
    return capsys.readouterr().out


IGNORE = ("--ignore", "ignored.csv")


POINTWISE = ("auc_pr", "auc_roc", "best_point_fbeta")
"""Metrics that do not use the order of rows: for them, ignored rows are the same as removed rows."""


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.needs == "scores"])
def test_metrics_of_scores_use_the_remaining_rows(files, capsys, name):
    words = ("score", "real.txt", "one-scores.txt", "--metric", name, *IGNORE, "--json")
    if name == "best_affiliation_fbeta":
        assert run(list(words)) == 2
        assert "best_affiliation_fbeta cannot ignore intervals: " in (error := capsys.readouterr().err)
        assert error.endswith("; leave --ignore out\n")
        return
    result = json.loads(output(capsys, *words))
    assert result.pop("ignored") == {"intervals": 1, "real": {"shortened": 1, "removed": 0, "split": 0}}
    assert result == {name: METRICS[name].function(np.loadtxt("real.txt", dtype=int), np.loadtxt("one-scores.txt"), ignore=[IGNORED])}
    if name in POINTWISE:
        assert result == json.loads(output(capsys, "score", "real-cut.txt", "one-scores-cut.txt", "--metric", name, "--json"))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scores_of_ignored_rows_do_not_count(files, capsys):
    """Their values do not matter, but the rows keep their positions."""
    scores = np.loadtxt("one-scores.txt")
    scores[slice(*IGNORED)] = np.linspace(-5, 5, IGNORED[1] - IGNORED[0])
    np.savetxt("other-scores.txt", scores)
    names = [name for name, metric in METRICS.items() if metric.needs == "scores" and name != "best_affiliation_fbeta"]
    words = [word for name in names for word in ("--metric", name)]
    one, other = (output(capsys, "score", "real.txt", file, *words, *IGNORE, "--json") for file in ("one-scores.txt", "other-scores.txt"))
    assert one == other


def test_best_range_fbeta_matches_the_curve(files, capsys):
    result = json.loads(output(capsys, "score", "real.txt", "one-scores.txt", "--metric", "best_range_fbeta", *IGNORE, "--json"))
    curve = json.loads(output(capsys, "curve", "real.txt", "one-scores.txt", *IGNORE, "--json"))
    assert result["best_range_fbeta"] == curve["f"]
    assert curve["ignored"]["real"]["shortened"] == 1
    assert "ignored            1 interval; real ranges: 1 shortened" in output(capsys, "curve", "real.txt", "one-scores.txt", *IGNORE)


def test_compare(files, capsys):
    words = ["--metric", "range_fbeta", "--metric", "point_fbeta", "--json"]
    result = json.loads(output(capsys, "compare", "real.txt", "one.txt", "two.txt", *words, *IGNORE))
    assert result.pop("ignored")["predicted"]["shortened"] == 1
    by_hand = json.loads(output(capsys, "compare", "left.txt", "one-clipped.txt", "two-clipped.txt", *words))
    values = [[detector["metrics"] for detector in each["detectors"]] for each in (result, by_hand)]
    assert values[0] == values[1]


@pytest.mark.parametrize("scored", [False, True])
def test_ranking(scored, files, capsys):
    names = ("one-scores", "two-scores") if scored else ("one", "two")
    words = [word for name in names for word in ("--threshold", f"{name}=1")] if scored else []
    result = json.loads(output(capsys, "ranking", "real.txt", *(f"{name}.txt" for name in names), *words, *IGNORE, "--json"))
    assert result["ignored"]["real"]["shortened"] == 1
    assert "ignored: 1 interval; real ranges: 1 shortened" in output(
        capsys, "ranking", "real.txt", *(f"{name}.txt" for name in names), *words, *IGNORE
    )
    by_hand = json.loads(output(capsys, "ranking", "left.txt", "one-clipped.txt", "two-clipped.txt", "--json"))
    assert [row["leader"][:3] for row in result["map"]] == [row["leader"][:3] for row in by_hand["map"]]
    assert [row["to_alpha"] for row in result["map"]] == [row["to_alpha"] for row in by_hand["map"]]


def test_report(files, capsys):
    out = output(capsys, "report", "real.txt", "one.txt", "two-scores.txt", "--out", "page.html", "--title", "it", *IGNORE)
    assert "ignored: 1 interval; real ranges: 1 shortened, 0 removed, 0 split; predicted: 1 shortened, 0 removed, 0 split\n" in out
    page = (files / "page.html").read_text()
    assert '"--ignore","ignored.csv"' in page
    output(capsys, "report", "left.txt", "one-clipped.txt", "--out", "by-hand.html", "--title", "it")
    output(capsys, "report", "real.txt", "one.txt", "--out", "with.html", "--title", "it", *IGNORE)
    pages = [(files / name).read_text() for name in ("by-hand.html", "with.html")]
    verdicts = [text.split('id="verdict"')[1].split("</header>")[0] + text.split('id="details"')[1].split("</p>")[0] for text in pages]
    chance = re.compile(r"Random predictions with the same alert rate reach ([\d.]+)\.")
    note = '<p class="note">Ignored: 10 of 60 rows.</p>'
    assert verdicts[1].count(note) == 1
    assert chance.sub("", verdicts[0].replace("-clipped", "")).split() == chance.sub("", verdicts[1]).replace(note, "").split()
    real, one = (np.loadtxt(f"{name}.txt", dtype=int) for name in ("real", "one"))
    assert chance.findall(verdicts[1]) == chance.findall(rw.report(real, {"one": one}, ignore=[IGNORED]).verdict)
    assert chance.findall(verdicts[1]) != chance.findall(verdicts[0]), "random predictions must be drawn from fewer points"


MANY = ("--series", "machine", "--real", "label")


@pytest.fixture
def many(tmp_path, monkeypatch):
    """Two machines, with one row per minute."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    start = np.datetime64("2024-05-01T10:00:00", "ns")
    table = pl.DataFrame(
        {
            "machine": np.repeat([1, 2], 30),
            "timestamp": np.tile(start + np.arange(30) * np.timedelta64(1, "m"), 2),
            "label": np.repeat(rng.random(20) < 0.4, 3).astype(int),
            "alarm": np.repeat(rng.random(30) < 0.4, 2).astype(int),
            "score": rng.random(60).round(1),
        }
    )
    table.write_parquet("table.parquet")
    table.with_columns(pl.col("timestamp").dt.to_string("%Y-%m-%d %H:%M:%S")).write_csv("table.csv")
    (tmp_path / "rows.csv").write_text("series,start,end\n2,5,9\n2,20,90\n1,0,4\n")
    (tmp_path / "rows-5-9.csv").write_text("start,end\n5,9\n")
    (tmp_path / "times.csv").write_text("start,end\n2024-05-01T10:05,2024-05-01T10:08\n2024-05-01T10:20:30,2024-05-01T10:20:40\n")
    return table


INTERVALS = {"rows.csv": {1: [(0, 4)], 2: [(5, 9), (20, 90)]}, "times.csv": [(5, 9), (20, 21)]}
"""The end of an interval in times is included; a time between two rows belongs to the row before it."""


@pytest.mark.parametrize("intervals", INTERVALS)
@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_table_of_many_series(many, capsys, name, intervals):
    words = [name, *MANY, "--ignore", intervals]
    expected = rw.score_many(many, series="machine", real="label", predicted="alarm", ignore=INTERVALS[intervals])
    result = json.loads(output(capsys, "score", *words, "--predicted", "alarm", "--json"))
    assert [row["f"] for row in result["series"]] == expected.f.tolist()
    assert result["ignored"] == expected.ignored.to_dict()
    assert f"ignored: {expected.ignored}\n" in output(capsys, "score", *words, "--predicted", "alarm")
    curve = rw.pooled_curve(many, series="machine", real="label", scores="score", ignore=INTERVALS[intervals])
    curve_result = json.loads(output(capsys, "curve", *words, "--scores", "score", "--json"))
    assert (curve_result["thresholds"], curve_result["f"]) == (len(curve), curve.best().score.f)
    assert curve_result["ignored"]["real"] == expected.ignored.to_dict()["real"]
    out = output(capsys, "curve", *words, "--scores", "score", "--threshold", "0.5")
    assert f"ignored            {curve.series_at(0.5).ignored}" in out


@pytest.mark.parametrize(
    ("intervals", "words", "message"),
    [
        ("series,start,end\n3,0,4\n", [], "intervals of '3', which is not one of the 2 series of the table, 1, 2"),
        ("start,end\n4,2\n", [], "is not a range of rows"),
        ("start,end\n2024-05-01T10:05,\n", [], "has no end"),
        ("start,end\n2024-05-01T10:05,2024-05-01T10:06\n", ["--times", "when"], "no column 'when'"),
        ("start,end\n2024-05-01T10:05,2024-05-01T10:06\n", ["--times", "label"], "they count rows, not time"),
    ],
)
@pytest.mark.parametrize("command", [("score", "--predicted", "alarm"), ("curve", "--scores", "score")])
def test_bad_intervals_for_a_table_exit_with_2_and_one_line(many, capsys, command, intervals, words, message):
    Path("ignored.csv").write_text(intervals)
    assert run([command[0], "table.parquet", *MANY, *command[1:], "--ignore", "ignored.csv", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_times_need_a_time_column(many, capsys):
    many.rename({"timestamp": "when"}).write_parquet("renamed.parquet")
    words = ["score", "renamed.parquet", *MANY, "--predicted", "alarm", "--ignore", "times.csv"]
    assert run(words) == 2
    assert "times.csv has times; name the column" in capsys.readouterr().err
    assert "2 intervals in 2 series" in output(capsys, *words, "--times", "when")


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Tables with labels, incidents and ignored intervals, some of them in columns with unusual names."""
    monkeypatch.chdir(tmp_path)
    labels = np.zeros(LENGTH, dtype=int)
    for start, stop in REAL:
        labels[start:stop] = 1
    rows = "".join(f"{row},{label}\n" for row, label in enumerate(labels))
    (tmp_path / "real.csv").write_text("row,is_anom\n" + rows)
    (tmp_path / "ignored.csv").write_text("start,end\n20,30\n")
    (tmp_path / "odd.csv").write_text("note,from,to\nmaintenance,20,30\n")
    (tmp_path / "incidents.csv").write_text("Created At,Closed At\n2024-05-01T10:00,2024-05-01T11:00\n2024-05-01T14:00,2024-05-01T15:00\n")
    (tmp_path / "planned.csv").write_text("start,end\n2024-05-01T09:00,2024-05-01T12:00\n")
    (tmp_path / "planned-odd.csv").write_text("from,to\n2024-05-01T09:00,2024-05-01T12:00\n")


def test_column_options_of_the_sides_do_not_apply_to_the_ignore_file(tables, capsys):
    out = output(capsys, "score", "real.csv", "real.csv", "--column", "is_anom", "--ignore", "ignored.csv", "--json")
    assert json.loads(out)["ignored"]["intervals"] == 1
    assert out == output(
        capsys, "score", "real.csv", "real.csv", "--column", "is_anom", "--format", "csv", "--ignore", "ignored.csv", "--json"
    )
    columns = ["--start-column", "Created At", "--end-column", "Closed At"]
    out = output(capsys, "alerts", "incidents.csv", "incidents.csv", *columns, "--ignore", "planned.csv", "--json")
    assert json.loads(out)["incidents"] == 1


def test_ignore_file_has_its_own_column_options(tables, capsys):
    plain = output(capsys, "score", "real.csv", "real.csv", "--column", "is_anom", "--ignore", "ignored.csv", "--json")
    ignore_options = ["--ignore-start-column", "from", "--ignore-end-column", "to", "--ignore-format", "ranges"]
    assert output(capsys, "score", "real.csv", "real.csv", "--column", "is_anom", "--ignore", "odd.csv", *ignore_options, "--json") == plain
    columns = ["--start-column", "Created At", "--end-column", "Closed At"]
    out = output(capsys, "alerts", "incidents.csv", "incidents.csv", *columns, "--ignore", "planned-odd.csv", *ignore_options[:4], "--json")
    assert json.loads(out)["incidents"] == 1


@pytest.mark.parametrize("command", ["score", "compare", "curve", "ranking", "report", "alerts"])
@pytest.mark.parametrize("option", ["--ignore-format", "--ignore-start-column", "--ignore-end-column"])
def test_ignore_options_need_an_ignore_file(tables, capsys, command, option):
    assert run([command, "real.csv", "real.csv", option, "ranges"]) == 2
    assert capsys.readouterr().err == f"rangewise: {option} is for the --ignore file; give --ignore FILE too\n"


def test_each_side_has_its_own_format(tables, tmp_path, capsys):
    (tmp_path / "pairs.txt").write_text("start,end\n5,12\n25,35\n45,50\n")
    words = ["score", "real.csv", "pairs.txt", "--real-column", "is_anom"]
    out = output(capsys, *words, "--real-format", "csv", "--predicted-format", "ranges")
    assert "F1 1.0000" in out
    assert run([*words, "--format", "csv"]) == 2
    assert output(capsys, *words, "--format", "csv", "--predicted-format", "ranges") == out


@pytest.mark.parametrize(
    "words", [["score"], ["score", "--metric", "auc_pr"], ["compare", "--metric", "vus_pr"], ["curve"], ["report", "--force"]], ids=" ".join
)
def test_labels_to_ignore_are_one_per_point(files, capsys, words):
    """A file of labels of another series, which Python refuses too."""
    Path("other.txt").write_text("0\n1\n" * (LENGTH // 2) + "1\n")
    found = "one.txt" if words == ["score"] else "one-scores.txt"
    assert run([words[0], "real.txt", found, *words[1:], "--ignore", "other.txt"]) == 2
    assert "other.txt has 61 labels, but the series has 60 points; give one label per point" in capsys.readouterr().err


@pytest.mark.parametrize("command", [("score", "--predicted", "alarm"), ("curve", "--scores", "score")])
def test_labels_to_ignore_are_one_per_row_of_every_series(many, capsys, command):
    """Series of 30 rows: a file of as many labels applies to each of them, another is refused, as in Python."""
    words = [command[0], "table.parquet", *MANY, *command[1:]]
    labels = [0] * 5 + [1] * 4 + [0] * 21
    Path("right.txt").write_text("".join(f"{label}\n" for label in labels))
    assert output(capsys, *words, "--ignore", "right.txt", "--json") == output(capsys, *words, "--ignore", "rows-5-9.csv", "--json")
    Path("short.txt").write_text("0\n1\n1\n")
    assert run([*words, "--ignore", "short.txt"]) == 2
    assert capsys.readouterr().err == "rangewise: short.txt has 3 labels, but series 1 has 30 points; give one label per point\n"
    Path("named.csv").write_text("series,label\n" + "".join(f"{name},{label}\n" for name in (1, 2) for label in labels))
    assert run([*words, "--ignore", "named.csv"]) == 2
    message = "rangewise: named.csv has labels and a column 'series'; give the ignored intervals as series,start,end\n"
    assert capsys.readouterr().err == message
