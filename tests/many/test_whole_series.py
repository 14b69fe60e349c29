"""Gaps closed in a table of many series: what each series by itself gives, however the table comes."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from strategies import series_tables

COLUMNS = {"series": "name", "real": "real", "predicted": ["a", "b"]}


def alone(table, model, column, most, zones):
    """Each series by itself, closed before it is clipped."""
    closed = {
        name: (rw.Ranges.from_labels(part["real"]), rw.Ranges.from_labels(part[column]).close_gaps(most))
        for (name,), part in table.group_by("name", maintain_order=True)
    }
    return [model.score(*sides, ignore=zones) for sides in closed.values()]


@settings(max_examples=80)
@given(series_tables(), st.lists(st.integers(1, 25), max_size=6), st.integers(1, 12), st.sampled_from([None, [(2, 5), (9, 10)]]))
def test_each_series_is_closed_as_a_whole(table, sizes, most, zones):
    cuts = sorted({0, *np.clip(np.cumsum(sizes), 0, len(table)).tolist(), len(table)})
    parts = [table[start:stop] for start, stop in pairwise(cuts)]
    model = rw.RangeModel(cardinality="reciprocal", bias="front", alpha=0.2)
    found = rw.score_many(parts, **COLUMNS, model=model, close_gaps=most, ignore=zones, threads=1 + len(sizes) % 2)
    for column in ("a", "b"):
        expected = alone(table, model, column, most, zones)
        assert found[column].recall.tolist() == [score.recall for score in expected]
        assert found[column].precision.tolist() == [score.precision for score in expected]
        assert [row.series for row in found[column].rows] == table["name"].unique(maintain_order=True).to_list()


def test_files_a_lazy_table_and_a_mapping_agree(tmp_path):
    table = pl.DataFrame({"name": ["x"] * 6 + ["y"] * 4, "real": [0, 1, 1, 1, 1, 0, 1, 1, 1, 1], "guess": [0, 1, 0, 0, 1, 0, 1, 0, 0, 0]})
    for number, part in enumerate((table[:3], table[3:8], table[8:])):
        part.write_parquet(tmp_path / f"{number}.parquet")
    columns = {"series": "name", "real": "real", "predicted": "guess"}
    rows = []
    seen = rw.score_many(tmp_path, **columns, close_gaps=2, progress=rows.append)
    assert sum(rows) == len(table)
    assert seen.recall.tolist() == [1.0, 0.25]
    assert seen == rw.score_many(table.lazy(), **columns, close_gaps=2)
    assert (
        seen.recall.tolist()
        == rw.score_many({"x": (table["real"][:6], table["guess"][:6]), "y": ([(0, 4)], [(0, 1)])}, close_gaps=2).recall.tolist()
    )
    assert rw.score_many(table, **columns, close_gaps=1).recall.tolist() == [0.5, 0.25]


def test_what_cannot_be_closed_is_told(tmp_path):
    table = pl.DataFrame({"name": ["x", "x"], "real": [0, 1], "guess": [0, 3]})
    columns = {"series": "name", "real": "real", "predicted": "guess"}
    table.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: series 'x', column 'guess': .*1 is 3"):
        rw.score_many(tmp_path, **columns, close_gaps=1)
    with pytest.raises(ValueError, match="close_gaps is 0 or more; got -1"):
        rw.score_many(table, **columns, close_gaps=-1)
    with pytest.raises(ValueError, match="workers of a cluster see parts of them"):
        rw.score_many(table, **columns, close_gaps=1, client=object())
    times = [("2024-05-01 10:00", "2024-05-01 11:00")]
    with pytest.raises(ValueError, match="series 'x': close_gaps counts rows"):
        rw.score_many({"x": (times, times)}, close_gaps=1)


def test_no_rows():
    empty = pl.DataFrame({"name": [], "real": [], "guess": []}, schema={"name": pl.String, "real": pl.Int8, "guess": pl.Int8})
    assert len(rw.score_many(empty, series="name", real="real", predicted="guess", close_gaps=3)) == 0
