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


def made(seed=0):
    """Two detectors in three collections: a wins by little on most series of the first, b on the others."""
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
    found = rw.bench.table(made(), groups="collection", resamples=200)
    assert found.detectors == ("high", "middle", "low")
    assert found.left_out == ("length", "ratio")
    assert found.by_series.units == ROWS
    assert found.by_collection.units == 3
    assert found.by_series.separated == 3
    assert found.by_collection.separated == 0
    assert found.believed is found.by_collection
    assert set(found.without) == {"g0", "g1", "g2"}
    assert found.without["g0"] == ("high", 1.0)


def test_a_pattern_gives_the_collections_of_a_column():
    a = rw.bench.table(made(), groups="collection", resamples=100)
    b = rw.bench.table(made(), groups=r"^\d+_([^_]+)", resamples=100)
    c = rw.bench.table(made(), groups=made()["collection"], resamples=100)
    assert a.by_collection == b.by_collection == c.by_collection
    assert a.groups.names == b.groups.names


def test_frames_files_and_mappings_say_the_same(tmp_path):
    frame = pl.DataFrame(made())
    frame.write_csv(tmp_path / "scores.csv")
    frame.write_parquet(tmp_path / "scores.parquet")
    found = [
        rw.bench.table(source, groups="collection", resamples=50, name="scores").to_dict()
        for source in (made(), frame, frame.to_pandas(), tmp_path / "scores.csv", str(tmp_path / "scores.parquet"))
    ]
    assert all(each == found[0] for each in found)


def test_series_that_somebody_did_not_finish_are_left_out():
    rows = made()
    rows["low"][3] = float("nan")
    rows["high"][5] = None
    found = rw.bench.table(rows, groups="collection", resamples=50)
    assert (len(found.series), found.all_series) == (ROWS - 2, ROWS)
    assert "22 of 24 series have a score of every detector" in str(found)


def test_lower_is_better_turns_the_order():
    found = rw.bench.table(made(), resamples=50, higher_is_better=False)
    assert found.detectors == ("low", "middle", "high")
    assert found.by_series.first_shares["low"] == 1.0
    assert found.by_collection is None
    assert found.correlations is None


def test_pairs_are_those_of_the_statistics():
    found = rw.bench.table(made(), groups="collection", resamples=50)
    expected = compare_all(found.detectors, found.values, groups=made()["collection"])
    assert list(found.by_collection.pairs) == expected


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (["high", "low"], {"high", "low"}),
        ("low..middle", {"low", "high", "middle"}),
        (["m*", "low"], {"middle", "low"}),
        ("ratio", {"ratio"}),
    ],
)
def test_detectors_by_name_range_and_pattern(wish, expected):
    assert set(rw.bench.table(made(), detectors=wish, resamples=10).detectors) == expected


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"detectors": "hgh"}, "no column 'hgh' for a detector; it has .*did you mean 'high'"),
        ({"detectors": "middle..low"}, "'low' comes before 'middle'"),
        ({"series": "name"}, "no column 'name' for series"),
        ({"series": "collection"}, "has the series 'g0' twice"),
        ({"groups": "(z)"}, "does not match the series"),
        ({"detectors": ["collection"]}, "has 'g0' for the series '000_g0_x.csv'; expected a score"),
    ],
)
def test_bad_input(change, says):
    with pytest.raises(ValueError, match=says):
        rw.bench.table(made(), **change)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({"file": ["a"]}, "got 1 columns"),
        ({"file": [], "a": []}, "no rows"),
        ({"file": ["a"], "x": ["text"]}, "no column has only numbers between 0 and 1"),
        ({"file": ["a", "b"], "x": [0.1]}, "one value per series; got lengths"),
        ({"file": ["a", "b"], "x": [float("nan"), 0.5], "y": [0.5, None]}, "no series has scores of all 2 detectors"),
    ],
)
def test_bad_tables(rows, says):
    with pytest.raises(ValueError, match=says):
        rw.bench.table(rows, resamples=10)


def test_every_form_has_every_detector(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    pl.DataFrame(made()).write_csv(path)
    common = ["bench", "table", str(path), "--groups", "collection", "--resamples", "50"]
    pictures = ["--html", str(tmp_path / "page.html"), "--forest", str(tmp_path / "f.svg"), "--diagram", str(tmp_path / "d.png")]
    assert run([*common, *pictures]) == 0
    out = capsys.readouterr().out
    assert "high has the best mean" in out
    assert "Columns left out: length, ratio." in out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert "high has the best mean" in page
    for form, begins in (("--markdown", "high has"), ("--latex", r"\begin{table}")):
        assert run([*common, form]) == 0
        out = capsys.readouterr().out
        assert out.startswith(begins)
        assert all(name in out for name in ("high", "middle", "low"))
    assert run([*common, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["by_collection"]["units"] == 3
    assert [row["detector"] for row in data["by_series"]["detectors"]] == ["high", "middle", "low"]


def test_commands_complain_in_one_line(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    pl.DataFrame(made()).write_csv(path)
    for words, says in (
        ([str(path), "--level", "2"], "--level must be between"),
        ([str(path), "--json", "--latex"], "choose one"),
        ([str(path), "--forest", "x.gif"], "--forest needs a file name that ends in"),
        ([str(path), "--detectors", "nobody"], "no column 'nobody'"),
        ([str(tmp_path / "absent.csv")], "absent.csv"),
    ):
        assert run(["bench", "table", *words]) == 2
        assert says in capsys.readouterr().err


def test_simulate(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    pl.DataFrame(made()).write_csv(path)
    assert run(["bench", "simulate", "--sizes", "5,5,5,5,5,5,5", "--correlations", "0.5", "--trials", "40"]) == 0
    assert "correlation 0.50 within 7 collections (35 series)" in capsys.readouterr().out
    assert run(["bench", "simulate", str(path), "--groups", "collection", "--trials", "20", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["collections"] for row in rows] == [3] * len(rows)
    for words, says in (
        ([], "give either FILE"),
        ([str(path)], "FILE needs --groups"),
        (["--sizes", "5,x"], "--sizes takes numbers separated by commas"),
        (["--sizes", "5,5", "--groups", "x"], "describe FILE; give FILE too"),
    ):
        assert run(["bench", "simulate", *words]) == 2
        assert says in capsys.readouterr().err


TABLES = Path(os.environ.get("RANGEWISE_DATA", "absent")) / "published-tables" / "tsb-ad"


@pytest.mark.skipif(not TABLES.is_dir(), reason="needs RANGEWISE_DATA with published-tables")
def test_tsb_ad_under_collections():
    found = rw.bench.table(TABLES / "uni_mergedTable_VUS-PR.csv", groups=r"^\d+_([^_]+)")
    assert (len(found.detectors), len(found.series), len(found.groups)) == (32, 350, 23)
    assert found.detectors[0] == "Sub-PCA"
    assert (found.by_series.separated, found.by_collection.separated) == (274, 40)
    assert found.by_series.first_shares["Sub-PCA"] == pytest.approx(0.76, abs=0.01)
    assert found.by_collection.first_shares["Sub-PCA"] == pytest.approx(0.415, abs=0.01)
    assert found.correlations == pytest.approx((0.26, 0.36, 0.44), abs=0.005)
    assert len(found.by_series.not_separated_from("Sub-PCA")) == 9
