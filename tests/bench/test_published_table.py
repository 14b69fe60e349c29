import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rangewise as rw
from rangewise.bench.statistics import compare_all
from rangewise.cli import run

ROWS = 24


def make_table(seed=0):
    """Three detectors on series of three collections: on every series high beats middle, and middle beats low."""
    random = np.random.default_rng(seed)
    group = [f"g{number % 3}" for number in range(ROWS)]
    base = random.random(ROWS) * 0.5
    return {
        "file": [f"{number:03d}_{name}_x.csv" for number, name in enumerate(group)],
        "low": (base * 0.5).tolist(),
        "high": (base + 0.3).tolist(),
        "middle": (base + 0.1 * random.random(ROWS)).tolist(),
        "length": list(range(100, 100 + ROWS)),
        "ratio": [0.5] * ROWS,
        "collection": group,
    }


def test_order_columns_and_units():
    table = rw.bench.table(make_table(), groups="collection", resamples=200)
    assert table.detectors == ("high", "middle", "low")
    assert table.left_out == ("length", "ratio")
    assert table.by_series.units == ROWS
    assert table.by_collection.units == 3
    assert table.by_series.separated == 3
    assert table.by_collection.separated == 0
    assert table.believed is table.by_collection
    assert set(table.without) == {"g0", "g1", "g2"}
    assert table.without["g0"] == ("high", 1.0)


def test_pattern_gives_the_same_collections_as_a_column():
    by_column = rw.bench.table(make_table(), groups="collection", resamples=100)
    by_pattern = rw.bench.table(make_table(), groups=r"^\d+_([^_]+)", resamples=100)
    by_list = rw.bench.table(make_table(), groups=make_table()["collection"], resamples=100)
    assert by_column.by_collection == by_pattern.by_collection == by_list.by_collection
    assert by_column.groups.names == by_pattern.groups.names


def test_frames_files_and_mappings_agree(tmp_path):
    frame = pl.DataFrame(make_table())
    frame.write_csv(tmp_path / "scores.csv")
    frame.write_parquet(tmp_path / "scores.parquet")
    tables = [
        rw.bench.table(source, groups="collection", resamples=50, name="scores").to_dict()
        for source in (make_table(), frame, frame.to_pandas(), tmp_path / "scores.csv", str(tmp_path / "scores.parquet"))
    ]
    assert all(each == tables[0] for each in tables)


def test_leaves_out_series_without_a_score_of_every_detector():
    rows = make_table()
    rows["low"][3] = float("nan")
    rows["high"][5] = None
    table = rw.bench.table(rows, groups="collection", resamples=50)
    assert (len(table.series), table.all_series) == (ROWS - 2, ROWS)
    assert "22 of 24 series have a score of every detector" in str(table)


def test_equal_detectors_share_the_best_mean():
    rows = {"file": ["a", "b", "c"], "x": [0.3, 0.2, 0.1], "y": [0.1, 0.2, 0.3], "z": [0.0, 0.1, 0.1]}
    summary = rw.bench.table(rows, resamples=50).summary()
    assert summary.startswith("x and y have the best mean, 0.2000, of 3 detectors. x is first in")
    assert "No test separates x from 2 of the others." in summary
    alone = rw.bench.table({"file": ["a", "b"], "x": [0.1, 0.2]}, groups=["g", "g"], resamples=50).summary()
    assert "of 1 detector. It is first in 100 % of the resamples of 2 series, and in 100 % of the resamples of 1 collection." in alone


def test_tests_are_called_exact_only_where_they_are():
    random = np.random.default_rng(0)
    rows = {"file": list(range(250)), "x": random.random(250).tolist(), "y": random.random(250).tolist(), "group": [*"abcde"] * 50}
    by_series = rw.bench.table(rows, resamples=10)
    assert "exact" not in str(by_series)
    assert "the normal approximation for more than 200 differences" in by_series.pair_table().notes[0]
    by_collection = rw.bench.table(rows, groups="group", resamples=10)
    assert "exact signed-rank tests on the means of collections" in str(by_collection)
    assert by_collection.pair_table().notes[0].startswith("Exact signed-rank tests over collections")
    assert "exact" not in by_collection.pair_table("series").notes[0]


def test_the_level_is_that_of_the_table_everywhere():
    found = rw.bench.table(make_table(), groups="collection", resamples=10, level=0.9)
    assert "[90 % by series]" in str(found)
    title = found.plot_forest().get_title(loc="left")
    assert title == "thick: 90 % interval by series; thin: 90 % interval by collection"
    assert "[95 % by series]" in str(rw.bench.table(make_table(), resamples=10))


def test_scores_of_any_size_have_the_same_statistics():
    rows = make_table()
    tiny = {name: [value * 1e-300 for value in values] if name in ("high", "low", "middle") else values for name, values in rows.items()}
    found, expected = (
        rw.bench.table(each, groups="collection", detectors=["high", "low", "middle"], resamples=100) for each in (tiny, rows)
    )
    assert found.by_series.first_shares == expected.by_series.first_shares
    assert found.by_collection.first_shares == expected.by_collection.first_shares
    assert found.by_series.separated == expected.by_series.separated


@pytest.mark.parametrize("missing", [None, float("nan"), "", " "])
def test_every_series_needs_a_collection(missing):
    rows = make_table()
    rows["collection"][4] = missing
    with pytest.raises(ValueError, match=r"column 'collection' has no collection for the series '004_g1_x.csv'"):
        rw.bench.table(rows, groups="collection", resamples=10)
    with pytest.raises(ValueError, match=r"groups has no collection for the series '004_g1_x.csv'"):
        rw.bench.table(rows, groups=rows["collection"], resamples=10)
    rows["low"][4] = None
    assert len(rw.bench.table(rows, groups="collection", resamples=10).groups) == 3


def test_lower_is_better_reverses_the_order():
    table = rw.bench.table(make_table(), resamples=50, higher_is_better=False)
    assert table.detectors == ("low", "middle", "high")
    assert table.by_series.first_shares["low"] == 1.0
    assert table.by_collection is None
    assert table.correlations is None


def test_pairs_match_compare_all():
    table = rw.bench.table(make_table(), groups="collection", resamples=50)
    expected = compare_all(table.detectors, table.values, groups=make_table()["collection"])
    assert list(table.by_collection.pairs) == expected


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (["high", "low"], {"high", "low"}),
        ("low..middle", {"low", "high", "middle"}),
        (["m*", "low"], {"middle", "low"}),
        ("ratio", {"ratio"}),
    ],
)
def test_detectors_by_name_range_and_pattern(selection, expected):
    assert set(rw.bench.table(make_table(), detectors=selection, resamples=10).detectors) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"detectors": "hgh"}, "no column 'hgh' for a detector; it has .*did you mean 'high'"),
        ({"detectors": "middle..low"}, "'low' comes before 'middle'"),
        ({"series": "name"}, "no column 'name' for series"),
        ({"series": "collection"}, "has the series 'g0' twice"),
        ({"groups": "(z)"}, "does not match the series"),
        ({"detectors": ["collection"]}, "has 'g0' for the series '000_g0_x.csv'; expected a score"),
        ({"resamples": 0}, "resamples is 1 or more; got 0"),
        ({"seed": -1}, "seed is 0 or more; got -1"),
        ({"level": 2}, "level must be between 0 and 1, such as 0.95; got 2"),
    ],
)
def test_rejects_bad_options(change, message):
    with pytest.raises(ValueError, match=message):
        rw.bench.table(make_table(), **change)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"file": ["a"]}, "got 1 columns"),
        ({"file": [], "a": []}, "no rows"),
        ({"file": ["a"], "x": ["text"]}, "no column has only numbers between 0 and 1"),
        ({"file": ["a", "b"], "x": [0.1]}, "one value per series; got lengths"),
        ({"file": ["a", "b"], "x": [float("nan"), 0.5], "y": [0.5, None]}, "no series has scores of all 2 detectors"),
    ],
)
def test_rejects_bad_tables(rows, message):
    with pytest.raises(ValueError, match=message):
        rw.bench.table(rows, resamples=10)


def test_every_format_has_every_detector(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    pl.DataFrame(make_table()).write_csv(path)
    common = ["bench", "table", str(path), "--groups", "collection", "--resamples", "50"]
    pictures = ["--html", str(tmp_path / "page.html"), "--forest", str(tmp_path / "f.svg"), "--diagram", str(tmp_path / "d.png")]
    assert run([*common, *pictures]) == 0
    output = capsys.readouterr().out
    assert "high has the best mean" in output
    assert "Columns left out: length, ratio." in output
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "high has the best mean" in page
    for option, beginning in (("--markdown", "high has"), ("--latex", r"\begin{table}")):
        assert run([*common, option]) == 0
        output = capsys.readouterr().out
        assert output.startswith(beginning)
        assert all(name in output for name in ("high", "middle", "low"))
    assert run([*common, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["by_collection"]["units"] == 3
    assert [row["detector"] for row in data["by_series"]["detectors"]] == ["high", "middle", "low"]


def test_command_reports_errors(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    pl.DataFrame(make_table()).write_csv(path)
    for arguments, message in (
        ([str(path), "--level", "2"], "--level must be between"),
        ([str(path), "--json", "--latex"], "choose one"),
        ([str(path), "--forest", "x.gif"], "--forest needs a file name that ends in"),
        ([str(path), "--detectors", "nobody"], "no column 'nobody'"),
        ([str(tmp_path / "absent.csv")], "absent.csv"),
    ):
        assert run(["bench", "table", *arguments]) == 2
        assert message in capsys.readouterr().err


def test_simulate_command(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    pl.DataFrame(make_table()).write_csv(path)
    assert run(["bench", "simulate", "--sizes", "5,5,5,5,5,5,5", "--correlations", "0.5", "--trials", "40"]) == 0
    assert "correlation 0.50 within 7 collections (35 series)" in capsys.readouterr().out
    assert run(["bench", "simulate", str(path), "--groups", "collection", "--trials", "20", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["collections"] for row in rows] == [3] * len(rows)
    for arguments, message in (
        ([], "give either FILE"),
        ([str(path)], "FILE needs --groups"),
        (["--sizes", "5,x"], "--sizes takes numbers separated by commas"),
        (["--sizes", "5,5", "--groups", "x"], "describe FILE; give FILE too"),
    ):
        assert run(["bench", "simulate", *arguments]) == 2
        assert message in capsys.readouterr().err


TABLES = Path(os.environ.get("RANGEWISE_DATA", "absent")) / "published-tables" / "tsb-ad"


@pytest.mark.skipif(not TABLES.is_dir(), reason="needs RANGEWISE_DATA with published-tables")
def test_tsb_ad_by_collection():
    table = rw.bench.table(TABLES / "uni_mergedTable_VUS-PR.csv", groups=r"^\d+_([^_]+)")
    assert (len(table.detectors), len(table.series), len(table.groups)) == (32, 350, 23)
    assert table.detectors[0] == "Sub-PCA"
    assert (table.by_series.separated, table.by_collection.separated) == (274, 40)
    assert table.by_series.first_shares["Sub-PCA"] == pytest.approx(0.76, abs=0.01)
    assert table.by_collection.first_shares["Sub-PCA"] == pytest.approx(0.415, abs=0.01)
    assert table.correlations == pytest.approx((0.26, 0.36, 0.44), abs=0.005)
    assert len(table.by_series.not_separated_from("Sub-PCA")) == 9
