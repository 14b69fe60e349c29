import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rangewise as rw
from rangewise.many import score_many

COLUMNS = {"series": "name", "real": "real", "predicted": "guess"}


def table(order):
    rng = np.random.default_rng(0)
    names = np.repeat(["b", "a", "c"], [300, 200, 500])
    frame = pl.DataFrame({"name": names, "time": np.arange(1000), "real": rng.random(1000) < 0.3, "guess": rng.random(1000) < 0.3})
    return frame if order == "one by one" else frame.with_columns(pl.col("time").rank("ordinal").over("name")).sort("time", "name")


def expected(model):
    frame = table("one by one")
    return {name: model.tally(part["real"], part["guess"]) for (name,), part in frame.group_by("name", maintain_order=True)}


@pytest.mark.parametrize("order", ["one by one", "mixed"])
@pytest.mark.parametrize(
    "given",
    [
        lambda frame: frame,
        lambda frame: frame.lazy(),
        lambda frame: frame.to_pandas(),
        lambda frame: frame.to_arrow(),
        lambda frame: frame.to_arrow().to_batches(max_chunksize=7),
        lambda frame: (frame[start : start + 130] for start in range(0, 1000, 130)),
    ],
    ids=["polars", "lazy", "pandas", "arrow", "record batches", "iterator"],
)
@pytest.mark.parametrize("threads", [1, 3])
def test_each_series_is_scored_as_a_whole(order, given, threads):
    found = score_many(given(table(order)), **COLUMNS, model=rw.unfragmented, threads=threads)
    tallies = expected(rw.unfragmented)
    assert dict(zip(found.names, found.tallies, strict=True)) == tallies
    assert found.pooled == sum(tallies.values()).score()
    assert found.macro == rw.macro(found.tallies)


def test_a_parquet_file_read_lazily(tmp_path):
    table("mixed").write_parquet(tmp_path / "table.parquet", row_group_size=100)
    rows = []
    found = score_many(pl.scan_parquet(tmp_path / "table.parquet"), **COLUMNS, progress=rows.append)
    assert dict(zip(found.names, found.tallies, strict=True)) == expected(rw.RangeModel())
    assert sum(rows) == 1000


def test_rows_and_columns():
    found = score_many(table("one by one"), **COLUMNS)
    assert [row.series for row in found.rows] == ["b", "a", "c"]
    assert pl.DataFrame(found.columns())["f"].mean() == pytest.approx(found.macro.f)
    assert repr(found).startswith("ManyScores(3 series")


def test_numbers_name_series_too():
    frame = pd.DataFrame({"name": [1, 1, 2], "real": [0, 1, 1], "guess": [1, 1, 1]})
    assert score_many(frame, **COLUMNS).names == (1, 2)


def test_no_rows():
    found = score_many(table("one by one")[:0], **COLUMNS)
    assert (len(found), found.pooled.f) == (0, 0.0)
    assert score_many(iter([]), **COLUMNS).rows == ()


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        (pl.DataFrame({"name": ["a"], "real": [1]}), ValueError, "no column 'guess'; it has 'name', 'real'"),
        (pl.LazyFrame({"name": ["a"], "real": [1]}), ValueError, "no column 'guess'"),
        (pl.DataFrame({"name": ["a", None], "real": [1, 1], "guess": [1, 1]}), ValueError, "'name': row 1"),
        (pl.DataFrame({"name": ["a", "a"], "real": [1, None], "guess": [1, 1]}), ValueError, "'real': row 1"),
        (pl.DataFrame({"name": ["a", "b"], "real": [1, 2], "guess": [1, 1]}), ValueError, "series 'b'.*label 0 is 2"),
        (pa.table({"name": ["a"], "real": ["x"], "guess": [1]}), TypeError, "series 'a'"),
        (3, TypeError, "expected a polars"),
        ("table.parquet", TypeError, "expected a polars"),
    ],
)
def test_bad_input_is_told(frame, error, message):
    with pytest.raises(error, match=message):
        score_many(frame, **COLUMNS)


def test_threads_are_counted():
    with pytest.raises(ValueError, match="1 or more"):
        score_many(table("mixed"), **COLUMNS, threads=0)
