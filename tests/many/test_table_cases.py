"""``score_many(metrics=...)``, and series named by several columns."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rangewise as rw
from rangewise.many.table_cases import table_cases
from rangewise.metrics import METRICS

NAMED = {"series": ["region", "host"], "real": "real", "predicted": "labels"}


def random_table(seed=0, rows=40):
    """A table with the shuffled rows of six series, and each series alone."""
    random = np.random.default_rng(seed)
    alone, parts = {}, []
    for region in ("eu", "us"):
        for host in (1, 2, 3):
            real, labels = (random.random((2, rows)) < 0.3).astype(int)
            scores, times = random.random(rows), np.arange(rows)
            if (region, host) == ("us", 3):
                real = labels = np.zeros(rows, dtype=int)
            alone[region, host] = {"real": real, "labels": labels, "scores": scores}
            columns = {"region": [region] * rows, "host": [host] * rows, "time": times, "real": real, "labels": labels, "scores": scores}
            parts.append(pl.DataFrame(columns))
    mixed = pl.concat(parts)[random.permutation(6 * rows).tolist()]
    return mixed, alone


def test_several_columns_may_name_a_series():
    table, alone = random_table()
    ordered = table.sort("time")
    expected = {name: rw.score(own["real"], own["labels"]).f for name, own in alone.items()}
    from_polars = rw.score_many(ordered, **NAMED)
    for scores in (
        from_polars,
        rw.score_many(ordered.to_pandas(), **NAMED),
        rw.score_many(ordered.to_arrow(), **NAMED),
        rw.score_many([ordered[:100], ordered[100:]], **NAMED),
        rw.score_many(table, times="time", **NAMED),
    ):
        assert dict(zip(scores.names, scores.f.tolist(), strict=True)) == expected
    assert from_polars.keys == ("region", "host")
    assert from_polars.to_polars().columns[:3] == ["region", "host", "precision"]
    assert from_polars.to_polars().filter(pl.col("region") == "eu")["host"].sort().to_list() == [1, 2, 3]
    assert str(from_polars).startswith("region/host ")
    assert "eu/1 " in str(from_polars)
    assert rw.score_many(ordered, series=["region", "host"], real="real", predicted=["labels"])["labels"].keys == ("region", "host")
    ignored = rw.score_many(ordered, ignore={("eu", 2): [(0, 40)]}, **NAMED)
    assert ignored.real_ranges[ignored.names.index(("eu", 2))] == 0
    assert ignored == rw.score_many(ordered, ignore={"eu/2": [(0, 40)]}, **NAMED)
    curve = rw.pooled_curve(ordered, series=["region", "host"], real="real", scores="scores")
    assert set(curve.names) == set(alone)


@pytest.mark.parametrize(
    "convert", [lambda table: table, pl.DataFrame.to_pandas, lambda table: [table[:70], table[70:]], pl.DataFrame.lazy]
)
def test_metrics_match_each_series_alone(convert):
    table, alone = random_table(1)
    chosen = ["vus_pr", "event_fbeta", rw.early]
    results = rw.score_many(convert(table), series=["region", "host"], real="real", predicted=["labels"], times="time", metrics=chosen)
    assert set(results.series) == set(alone)
    for name, values in zip(results.series, results.values[:, 0].tolist(), strict=True):
        own = alone[name]["real"], alone[name]["labels"]
        expected = [METRICS["vus_pr"].function(*own), METRICS["event_fbeta"].function(*own), rw.early.score(*own).f]
        assert values == (pytest.approx([np.nan] * 3, nan_ok=True) if name == ("us", 3) else expected)
    assert results.healthy_series == 1
    assert results.to_polars(by_series=True).columns == ["region", "host", "detector", "vus_pr", "event_fbeta", "early"]


def test_metrics_with_scores_ignored_rows_gaps_and_files(tmp_path):
    table, alone = random_table(2)
    table.sort("time").write_parquet(tmp_path / "a.parquet")
    options = {"ignore": {"eu/1": [(3, 9)]}, "close_gaps": 2, "metrics": ["auc_pr"]}
    results = rw.score_many(tmp_path / "a.parquet", series=["region", "host"], real="real", predicted=["scores", "labels"], **options)
    at = results.series.index(("eu", 1))
    for row, column in enumerate(("scores", "labels")):
        own = alone["eu", 1]
        assert results.values[at, row, 0] == METRICS["auc_pr"].function(own["real"], own[column], ignore=[(3, 9)], close_gaps=2)
    dated = table.with_columns(pl.from_epoch("time").alias("time"))
    timed = rw.score_many(
        dated, series=["region", "host"], real="real", predicted="labels", times="time", metrics=["point_fbeta"],
        ignore=[("1970-01-01T00:00:03", "1970-01-01T00:00:09")],
    )  # fmt: skip
    expected = METRICS["point_fbeta"].function(alone["eu", 1]["real"], alone["eu", 1]["labels"], ignore=[(3, 9)])
    assert timed.values[timed.series.index(("eu", 1)), 0, 0] == expected


@pytest.mark.parametrize("missing", ["lowest", "ignore"])
@pytest.mark.parametrize("make", [lambda table: table, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow, pl.DataFrame.lazy])
def test_missing_scores_are_those_of_the_series_alone(make, missing):
    table, alone = random_table(3)
    gaps = np.random.default_rng(4).random(len(table)) < 0.2
    for nothing in (None, float("nan")):
        holey = table.with_columns(pl.when(pl.Series(gaps)).then(pl.lit(nothing, pl.Float64)).otherwise("scores").alias("scores"))
        columns = {"series": ["region", "host"], "real": "real", "predicted": "scores", "times": "time", "metrics": ["auc_pr", "vus_pr"]}
        found = rw.score_many(make(holey), **columns, missing=missing)
        for name, values in zip(found.series, found.values[:, 0].tolist(), strict=True):
            own = holey.filter(region=name[0], host=name[1]).sort("time")["scores"].to_numpy()
            expected = [METRICS[metric].function(alone[name]["real"], own, missing=missing) for metric in ("auc_pr", "vus_pr")]
            assert values == (pytest.approx([np.nan] * 2, nan_ok=True) if name == ("us", 3) else expected)
        with pytest.raises(ValueError, match=r"is (missing|nan).*, or say how to treat missing scores: missing='lowest'"):
            rw.score_many(make(holey), **columns)


def test_values_that_are_drawn_are_not_scores():
    holey = pl.DataFrame({"name": [1, 1], "real": [0, 1], "scores": [0.5, None], "values": [1.0, None]})
    with pytest.raises(ValueError, match=r"column 'values': row 1 of the batch is missing; every row needs a value$"):
        table_cases(holey, series="name", real="real", predicted=["scores"], values="values", missing="lowest")
    found = table_cases(holey, series="name", real="real", predicted=["scores"], missing="lowest")
    assert found[1].cases["scores"].scores.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"series": []}, "series names a column, or several in a list"),
        ({"series": ["region", "region"]}, "names a column twice"),
        ({"series": ["region", 3]}, "series names a column, or several in a list"),
        ({"series": ["region", "hst"]}, "the table has no column 'hst'"),
        ({"metrics": ["vus_pr"], "model": rw.early}, "metrics= takes the place of model="),
        ({"metrics": ["vus_pr"], "ignore": {"eu/9": [(0, 1)]}}, "ignore has intervals of 'eu/9'"),
        ({"metrics": ["vus_pr"], "times": "real"}, "two rows have the same time|have the same time"),
        ({"metrics": ["VUS-PR"]}, "did you mean 'vus_pr'"),
        ({"metrics": ["vus_pr"], "real": None}, "metrics= scores a table"),
        ({"metrics": ["vus_pr"], "missing": "lowest"}, "missing='lowest' is for nan scores, but no column of predicted= has scores"),
        ({"missing": "lowest"}, "missing='lowest' is for nan scores, but the prediction has no scores"),
    ],
)
def test_rejects_bad_options(options, message):
    table, _ = random_table()
    with pytest.raises((ValueError, TypeError), match=message):
        rw.score_many(table, **(NAMED | options))


def test_rejects_tables_without_rows():
    with pytest.raises(ValueError, match="no rows"):
        rw.score_many(pd.DataFrame({"region": [], "host": [], "real": [], "labels": []}), metrics=["vus_pr"], **NAMED)


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_metrics_ignore_the_rows_that_a_model_ignores(zone):
    """Also where times repeat, where they have a time zone, and where no row of a series is left."""
    start = np.datetime64("2024-05-01T00:00", "ms")
    minutes = [0, 1, 1, 1, 5, 6, 0, 0, 1]
    table = pl.DataFrame({"name": [*"aaaaaabbb"], "real": [0, 1, 1, 1, 1, 0, 1, 1, 0], "found": [0, 0, 1, 0, 1, 1, 1, 0, 1]})
    times = pl.Series("time", np.array([start + np.timedelta64(60_000 * minute, "ms") for minute in minutes]))
    table = table.with_columns(times.dt.replace_time_zone(zone) if zone else times)
    columns = {"series": "name", "real": "real", "predicted": "found", "times": "time", "repeated_times": "keep"}
    text = "2024-05-01T00:0{}" + ("Z" if zone else "")
    for pair in (((1, 2),), ((2, 4),), ((0, 1), (3, 6)), ((0, 2),)):
        ignore = [(text.format(first), text.format(last)) for first, last in pair]
        wanted = {row.series: row.f if row.real_ranges else math.nan for row in rw.score_many(table, ignore=ignore, **columns).rows}
        found = rw.score_many(table, ignore=ignore, metrics=[rw.RangeModel()], **columns)
        assert dict(zip(found.series, found.values[:, 0, 0].tolist(), strict=True)) == pytest.approx(wanted, nan_ok=True)
