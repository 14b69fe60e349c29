"""``--ignore`` in every command that scores: the same as files that were cut by hand, and it is said what was cut."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rangewise as rw
from rangewise.cli import run
from rangewise.metrics import METRICS

LENGTH, ZONE = 60, (20, 30)
REAL = [(5, 12), (25, 35), (45, 50)]
LEFT = [(5, 12), (30, 35), (45, 50)]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    counts = np.ones(LENGTH, dtype=bool)
    counts[slice(*ZONE)] = False
    for name, ranges in {"real": REAL, "left": LEFT, "one": [(6, 14), (22, 33)], "two": [(10, 12), (18, 22), (44, 52)]}.items():
        labels = np.zeros(LENGTH, dtype=int)
        for start, stop in ranges:
            labels[start:stop] = 1
        np.savetxt(f"{name}.txt", labels, fmt="%d")
        np.savetxt(f"{name}-cut.txt", labels[counts], fmt="%d")
        np.savetxt(f"{name}-clipped.txt", labels * counts, fmt="%d")
        scores = labels + rng.random(LENGTH)
        np.savetxt(f"{name}-scores.txt", scores)
        np.savetxt(f"{name}-scores-cut.txt", scores[counts])
    (tmp_path / "zone.csv").write_text("start,end\n20,30\n")
    return tmp_path


def ask(capsys, *words):
    assert run(list(words)) == 0
    return capsys.readouterr().out


IGNORE = ("--ignore", "zone.csv")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_metrics_of_scores_see_the_rows_that_are_left(files, capsys):
    names = [name for name, metric in METRICS.items() if metric.needs == "scores" and "range_f" not in name and "range_average" not in name]
    words = [word for name in names for word in ("--metric", name)]
    found = json.loads(ask(capsys, "score", "real.txt", "one-scores.txt", *words, *IGNORE, "--json"))
    assert found.pop("ignored") == {"zones": 1, "real": {"clipped": 1, "emptied": 0, "cut": 0}}
    assert found == json.loads(ask(capsys, "score", "real-cut.txt", "one-scores-cut.txt", *words, "--json"))


def test_range_metrics_of_scores_are_those_of_the_curve(files, capsys):
    found = json.loads(ask(capsys, "score", "real.txt", "one-scores.txt", "--metric", "best_range_f", *IGNORE, "--json"))
    curve = json.loads(ask(capsys, "curve", "real.txt", "one-scores.txt", *IGNORE, "--json"))
    assert found["best_range_f"] == curve["f"]
    assert curve["ignored"]["real"]["clipped"] == 1
    assert "1 zone" in ask(capsys, "curve", "real.txt", "one-scores.txt", *IGNORE)


def test_compare(files, capsys):
    words = ["--metric", "range_fbeta", "--metric", "point_fbeta", "--json"]
    found = json.loads(ask(capsys, "compare", "real.txt", "one.txt", "two.txt", *words, *IGNORE))
    assert found.pop("ignored")["predicted"]["clipped"] == 1
    by_hand = json.loads(ask(capsys, "compare", "left.txt", "one-clipped.txt", "two-clipped.txt", *words))
    values = [[detector["metrics"] for detector in each["detectors"]] for each in (found, by_hand)]
    assert values[0] == values[1]


@pytest.mark.parametrize("scored", [False, True])
def test_ranking(scored, files, capsys):
    names = ("one-scores", "two-scores") if scored else ("one", "two")
    words = [word for name in names for word in ("--threshold", f"{name}=1")] if scored else []
    found = json.loads(ask(capsys, "ranking", "real.txt", *(f"{name}.txt" for name in names), *words, *IGNORE, "--json"))
    assert found["ignored"]["real"]["clipped"] == 1
    assert "ignored: 1 zone" in ask(capsys, "ranking", "real.txt", *(f"{name}.txt" for name in names), *words, *IGNORE)
    by_hand = json.loads(ask(capsys, "ranking", "left.txt", "one-clipped.txt", "two-clipped.txt", "--json"))
    assert [row["leader"][:3] for row in found["map"]] == [row["leader"][:3] for row in by_hand["map"]]
    assert [row["to_alpha"] for row in found["map"]] == [row["to_alpha"] for row in by_hand["map"]]


def test_report(files, capsys):
    out = ask(capsys, "report", "real.txt", "one.txt", "two-scores.txt", "--out", "page.html", "--title", "it", *IGNORE)
    assert "ignored: 1 zone: of the real ranges 1 clipped" in out
    page = (files / "page.html").read_text()
    assert '"--ignore","zone.csv"' in page
    ask(capsys, "report", "left.txt", "one-clipped.txt", "--out", "by-hand.html", "--title", "it")
    ask(capsys, "report", "real.txt", "one.txt", "--out", "with.html", "--title", "it", *IGNORE)
    verdicts = [(files / name).read_text().split("<h1")[1].split("</section>")[0] for name in ("by-hand.html", "with.html")]
    assert verdicts[0].replace("-clipped", "") == verdicts[1]


MANY = ("--series", "machine", "--real", "label")


@pytest.fixture
def many(tmp_path, monkeypatch):
    """Two machines, a row a minute."""
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
    (tmp_path / "times.csv").write_text("start,end\n2024-05-01T10:05,2024-05-01T10:08\n2024-05-01T10:20:30,2024-05-01T10:20:40\n")
    return table


ZONES = {"rows.csv": {1: [(0, 4)], 2: [(5, 9), (20, 90)]}, "times.csv": [(5, 9), (20, 21)]}
"""The end of a time in a file is included; what falls between two rows means the one before it."""


@pytest.mark.parametrize("zones", ZONES)
@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_a_table_of_many_series(many, capsys, name, zones):
    words = [name, *MANY, "--ignore", zones]
    wanted = rw.score_many(many, series="machine", real="label", predicted="alarm", ignore=ZONES[zones])
    found = json.loads(ask(capsys, "score", *words, "--predicted", "alarm", "--json"))
    assert [row["f"] for row in found["series"]] == wanted.f.tolist()
    assert found["ignored"] == wanted.ignored.to_dict()
    assert f"ignored: {wanted.ignored}\n" in ask(capsys, "score", *words, "--predicted", "alarm")
    curve = rw.pooled_curve(rw.RangeModel(), many, series="machine", real="label", scores="score", ignore=ZONES[zones])
    swept = json.loads(ask(capsys, "curve", *words, "--scores", "score", "--json"))
    assert (swept["thresholds"], swept["f"]) == (len(curve), curve.best().score.f)
    assert swept["ignored"]["real"] == wanted.ignored.to_dict()["real"]
    assert f"ignored            {curve.series_at(0.5).ignored}" in ask(capsys, "curve", *words, "--scores", "score", "--at", "0.5")


@pytest.mark.parametrize(
    ("zones", "words", "message"),
    [
        ("series,start,end\n3,0,4\n", [], "zones of '3', which is none of the 2 series of the table, 1, 2"),
        ("start,end\n4,2\n", [], "is no range of rows"),
        ("start,end\n2024-05-01T10:05,\n", [], "still open"),
        ("start,end\n2024-05-01T10:05,2024-05-01T10:06\n", ["--times", "when"], "no column 'when'"),
        ("start,end\n2024-05-01T10:05,2024-05-01T10:06\n", ["--times", "label"], "they count rows, not time"),
    ],
)
@pytest.mark.parametrize("command", [("score", "--predicted", "alarm"), ("curve", "--scores", "score")])
def test_bad_zones_of_many_series_are_one_line(many, capsys, command, zones, words, message):
    Path("zones.csv").write_text(zones)
    assert run([command[0], "table.parquet", *MANY, *command[1:], "--ignore", "zones.csv", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_times_need_a_column(many, capsys):
    many.rename({"timestamp": "when"}).write_parquet("renamed.parquet")
    words = ["score", "renamed.parquet", *MANY, "--predicted", "alarm", "--ignore", "times.csv"]
    assert run(words) == 2
    assert "times.csv gives times; name the column" in capsys.readouterr().err
    assert "2 zones in 2 series" in ask(capsys, *words, "--times", "when")
