"""Scores on a cluster of two local processes, which listen only on the loopback interface."""

import os

import distributed
import numpy as np
import polars as pl
import pytest

import rangewise as rw

COLUMNS = {"series": "name", "real": "real", "predicted": ["a", "b"]}


@pytest.fixture(scope="module")
def client():
    settings = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as connected:
        yield connected


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(7)
    lengths = rng.integers(1, 60, 40)
    names = np.repeat([f"series {number}" for number in range(40)], lengths)
    columns = {name: np.repeat(rng.random(lengths.sum()) < 0.4, 3)[: lengths.sum()] for name in ("real", "a", "b")}
    return pl.DataFrame({"name": names, **columns})


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """Files that cut series in the middle. The order of their numbers is not that of their names."""
    path = tmp_path_factory.mktemp("parts")
    for number, start in enumerate(range(0, len(table), 97)):
        table[start : start + 97].write_parquet(path / f"part-{number}.parquet")
    return path


def test_scores_parquet_files(client, table, folder):
    models, rows = [rw.unfragmented, rw.late, rw.classical], []
    local = rw.score_many(table, **COLUMNS, model=models)
    results = rw.score_many(folder, **COLUMNS, model=models, client=client, progress=rows.append)
    assert dict(results) == dict(local)
    assert sum(rows) == len(table)
    assert len(rows) == len(list(folder.iterdir()))


def test_many_files_share_tasks(client, table, tmp_path):
    for number, start in enumerate(range(0, len(table), 29)):
        table[start : start + 29].write_parquet(tmp_path / f"part-{number}.parquet")
    files, rows = len(list(tmp_path.iterdir())), []
    results = rw.score_many(tmp_path, **COLUMNS, model=rw.late, client=client, progress=rows.append)
    assert dict(results) == dict(rw.score_many(table, **COLUMNS, model=rw.late))
    assert sum(rows) == len(table)
    assert len(rows) == -(-files // 3) < files, "two threads, at most eight tasks each"


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("with_client", [False, True])
def test_scores_a_dask_dataframe(client, table, shuffled, with_client):
    import dask.dataframe as dd

    rows = table.sample(fraction=1.0, shuffle=True, seed=1) if shuffled else table
    frame = dd.from_pandas(rows.to_pandas(), npartitions=7, sort=False)
    results = rw.score_many(frame, **COLUMNS, model=rw.early, client=client if with_client else None)
    assert dict(results) == dict(rw.score_many(rows, **COLUMNS, model=rw.early))


INTERVALS = {"rows": [(3, 8), (20, 21)], "some series": {"series 3": [(0, 5)], "series 17": [(2, 90)]}, "times": None}


@pytest.mark.parametrize("intervals", INTERVALS)
@pytest.mark.parametrize("gaps", [0, 2])
def test_gaps_ignored_intervals_and_shuffled_rows(client, table, tmp_path, intervals, gaps):
    """Files and partitions cut series; their rows are shuffled if a time column gives the order."""
    import dask.dataframe as dd

    start = np.datetime64("2024-05-01", "ns")
    rows = table.with_columns(time=pl.lit(start) + pl.duration(minutes=pl.int_range(pl.len()).over("name")))
    timed = [(start + np.timedelta64(first, "m"), start + np.timedelta64(last, "m")) for first, last in INTERVALS["rows"]]
    options = {"ignore": timed, "times": "time"} if intervals == "times" else {"ignore": INTERVALS[intervals]}
    local = rw.score_many(table, **COLUMNS, ignore=INTERVALS[intervals] or INTERVALS["rows"], close_gaps=gaps)
    parts = [rows[first : first + 97] for first in range(0, len(rows), 97)]
    if intervals == "times":
        parts = [part.sample(fraction=1.0, shuffle=True, seed=number) for number, part in enumerate(parts)]
    for number, part in enumerate(parts):
        part.write_parquet(tmp_path / f"part-{number}.parquet")
    frame = dd.concat([dd.from_pandas(part.to_pandas(), npartitions=1, sort=False) for part in parts])
    for source, source_client in [(tmp_path, client), (tmp_path, None), (frame, None), (frame, client)]:
        results = rw.score_many(source, **COLUMNS, **options, close_gaps=gaps, client=source_client)
        for name in results:
            expected = dict(zip(local[name].names, local[name].tallies, strict=True))
            assert dict(zip(results[name].names, results[name].tallies, strict=True)) == expected
            assert results[name].ignored == local[name].ignored
    curve = rw.pooled_curve(frame, series="name", real="real", scores="a", **options)
    assert curve.recall.tolist() == rw.pooled_curve(tmp_path, series="name", real="real", scores="a", **options).recall.tolist()


def test_rejects_rows_that_go_back_in_time(client, table, tmp_path):
    rows = table.with_columns(time=pl.int_range(pl.len()).over("name"))
    for number, first in enumerate([97, 0]):
        rows[first : first + 97].write_parquet(tmp_path / f"part-{number}.parquet")
    with pytest.raises(ValueError, match=r"column 'time', series .*sort the rows by time"):
        rw.score_many(tmp_path, **COLUMNS, times="time", client=client)


def test_recovers_from_a_worker_that_dies(client, table, folder, tmp_path):
    marker = tmp_path / "died"

    def deadly(positions, length):
        if not marker.exists():
            marker.touch()
            os._exit(1)
        return positions * 1.0

    scores = rw.score_many(folder, series="name", real="real", predicted="a", model=rw.RangeModel(recall_bias=deadly), client=client)
    assert marker.exists()
    assert (
        scores.recall.tolist()
        == rw.score_many(table, series="name", real="real", predicted="a", model=rw.RangeModel(recall_bias="back")).recall.tolist()
    )


def test_errors_name_the_file_and_series(client, table, tmp_path):
    table.write_parquet(tmp_path / "good.parquet")
    wrong = pl.when(pl.col("name") == "series 3").then(2).otherwise(pl.col("a").cast(pl.Int64))
    table.with_columns(a=wrong).write_parquet(tmp_path / "worse.parquet")
    with pytest.raises(ValueError, match=r"worse.parquet: series 'series 3', column 'a': predicted: label 0 is 2"):
        rw.score_many(tmp_path, **COLUMNS, client=client)


def test_rejects_bad_input(client, table, tmp_path):
    import dask.dataframe as dd

    with pytest.raises(FileNotFoundError, match="a folder without Parquet files"):
        rw.score_many(tmp_path, **COLUMNS, client=client)
    with pytest.raises(TypeError, match="give a Dask DataFrame"):
        rw.score_many(table, **COLUMNS, client=client)
    with pytest.raises(TypeError, match=r"a distributed.Client; got 'tcp"):
        rw.score_many(tmp_path, **COLUMNS, client="tcp://127.0.0.1:8786")
    with pytest.raises(ValueError, match="no column 'b'"):
        rw.score_many(dd.from_pandas(table.drop("b").to_pandas(), npartitions=2), **COLUMNS, client=client)
    frame = dd.from_pandas(table.with_columns(b=pl.lit("x")).to_pandas(), npartitions=2, sort=False)
    with pytest.raises(TypeError, match=r"partition \d: series 'series \d+', column 'b'"):
        rw.score_many(frame, **COLUMNS, client=client)
