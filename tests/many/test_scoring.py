from decimal import Decimal
from fractions import Fraction

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
    return frame if order == "by series" else frame.with_columns(pl.col("time").rank("ordinal").over("name")).sort("time", "name")


def expected(model):
    frame = table("by series")
    return {name: model.tally(part["real"], part["guess"]) for (name,), part in frame.group_by("name", maintain_order=True)}


@pytest.mark.parametrize("order", ["by series", "mixed"])
@pytest.mark.parametrize(
    "convert",
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
def test_each_series_is_scored_as_a_whole(order, convert, threads):
    scores = score_many(convert(table(order)), **COLUMNS, model=rw.unfragmented, threads=threads)
    tallies = expected(rw.unfragmented)
    assert dict(zip(scores.names, scores.tallies, strict=True)) == tallies
    assert scores.pooled == sum(tallies.values()).score()
    assert scores.macro == rw.macro(scores.tallies)


def consistent(overlaps, length):
    """The built-in cardinality of this name as a custom function."""
    return ((length - 1) / length) ** (overlaps - 1)


@pytest.mark.kernel
def test_means_over_many_ranges_are_rounded_once():
    rng = np.random.default_rng(1)
    real = np.arange(200_000) % 17 < 11  # 11,765 ranges: the last bits of the mean are in the second word of the quotient
    frame = pl.DataFrame({"name": ["a"] * len(real), "real": real, "guess": rng.random(len(real)) < 0.5})
    for model in (rw.RangeModel(bias="front"), rw.RangeModel(alpha=0.3, bias="middle", cardinality="reciprocal")):
        row = score_many(frame, **COLUMNS, model=model).to_polars().row(0, named=True)
        tally = model.tally(real, frame["guess"])
        assert row["recall"] == float(Fraction(tally.real_reward, tally.real_ranges << 94))
        assert row["precision"] == float(Fraction(tally.predicted_reward, tally.predicted_ranges << 94))


@pytest.mark.parametrize("options", [{"cardinality": "consistent"}, {"precision_weight": "length"}])
def test_cardinality_and_precision_weight_by_length(options):
    model = rw.RangeModel(**options)
    frame = table("mixed")
    scores = score_many((frame[start : start + 130] for start in range(0, 1000, 130)), **COLUMNS, model=model, threads=2)
    tallies = expected(model)
    assert dict(zip(scores.names, scores.tallies, strict=True)) == tallies
    assert scores.pooled == sum(tallies.values()).score()
    assert scores.pooled != score_many(frame, **COLUMNS).pooled
    if "cardinality" in options:
        with_function = score_many(frame, **COLUMNS, model=rw.RangeModel(cardinality=consistent))
        assert (with_function.pooled.precision, with_function.pooled.recall) == pytest.approx(
            (scores.pooled.precision, scores.pooled.recall), abs=1e-12
        )


def test_scans_a_parquet_file_lazily(tmp_path):
    table("mixed").write_parquet(tmp_path / "table.parquet", row_group_size=100)
    rows = []
    scores = score_many(pl.scan_parquet(tmp_path / "table.parquet"), **COLUMNS, progress=rows.append)
    assert dict(zip(scores.names, scores.tallies, strict=True)) == expected(rw.RangeModel())
    assert sum(rows) == 1000


def test_rows_and_columns():
    scores = score_many(table("by series"), **COLUMNS)
    assert [row.series for row in scores.rows] == ["b", "a", "c"]
    assert pl.DataFrame(scores.columns())["f"].mean() == pytest.approx(scores.macro.f)
    assert repr(scores).startswith("ManyScores(3 series")


def test_series_may_be_numbers():
    frame = pd.DataFrame({"name": [1, 1, 2], "real": [0, 1, 1], "guess": [1, 1, 1]})
    assert score_many(frame, **COLUMNS).names == (1, 2)


def test_accepts_tables_without_rows():
    scores = score_many(table("by series")[:0], **COLUMNS)
    assert (len(scores), scores.pooled.f) == (0, 0.0)
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
        ("table.parquet", FileNotFoundError, "table.parquet does not exist"),
        ("*.nothing", FileNotFoundError, "no file matches"),
        ([table("mixed"), table("mixed").drop("guess")], ValueError, "batch 1: .*'guess'"),
        ([3], TypeError, "batch 0 is a int"),
        ({1, 2}, TypeError, "a set of tables has no order"),
        (pl.DataFrame({"name": [["a"]], "real": [1], "guess": [1]}), TypeError, r"column 'name' has dtype List\(String\); text, numbers"),
        (pd.DataFrame({"name": ["a"], "real": [Decimal(1)], "guess": [1]}), TypeError, "column 'real': real has dtype object; convert"),
    ],
)
def test_rejects_bad_input(frame, error, message):
    with pytest.raises(error, match=message):
        score_many(frame, **COLUMNS)


def test_rejects_fewer_than_one_thread():
    with pytest.raises(ValueError, match="1 or more"):
        score_many(table("mixed"), **COLUMNS, threads=0)
    for threads in ("2", 1.5):
        with pytest.raises(TypeError, match="threads is a whole number"):
            score_many(table("mixed"), **COLUMNS, threads=threads)


def test_several_columns_and_models():
    frame = table("mixed").with_columns(other=pl.col("guess").reverse())
    columns = {"series": "name", "real": "real"}
    by_column = score_many(frame, **columns, predicted=["guess", "other"])
    assert list(by_column) == ["guess", "other"]
    assert by_column["other"] == score_many(frame, **columns, predicted="other")
    models = [rw.early, rw.late]
    by_column_and_model = score_many(frame, **columns, predicted=["guess", "other"], model=models, threads=2)
    assert by_column_and_model["guess", rw.late] == score_many(frame, **columns, predicted="guess", model=rw.late)
    assert list(by_column_and_model) == [(name, model) for name in ("guess", "other") for model in models]
    with pytest.raises(KeyError, match="under 2 models"):
        by_column_and_model["guess"]
    with pytest.raises(KeyError, match="there is no 'gess'"):
        by_column["gess"]
    assert "other" in str(by_column_and_model)
    assert repr(by_column) == "ManyDetectors(3 series, 'guess', 'other')"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"predicted": ["guess", "guess"]}, ValueError, "'guess' twice"),
        ({"predicted": []}, TypeError, "must name one or several columns"),
        ({"predicted": 1}, TypeError, "must name one or several columns; got 1"),
        ({"predicted": "guess", "model": [rw.early, rw.early]}, ValueError, "models 0 and 1 are equal"),
        ({"predicted": "guess", "model": []}, ValueError, "empty"),
        ({"predicted": "guess", "model": "early"}, TypeError, "a RangeModel or a list"),
        ({"predicted": "guess", "model": ["early"]}, TypeError, "model 0"),
        ({}, ValueError, "give series=, real= and predicted="),
    ],
)
def test_rejects_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        score_many(table("mixed"), series="name", real="real", **options)


def test_accepts_mappings_and_triples():
    tallies = expected(rw.early)
    parts = {name: (part["real"], part["guess"]) for (name,), part in table("by series").group_by("name", maintain_order=True)}
    assert score_many(parts, model=rw.early) == score_many(((name, *sides) for name, sides in parts.items()), model=rw.early)
    assert dict(zip(parts, score_many(parts, model=rw.early).tallies, strict=True)) == tallies
    assert len(score_many({})) == 0
    for frame, message in [
        ({"a": [1]}, "series 'a' is"),
        ([("a", [1])], "series 0"),
        ([("a", [1], [1]), ("a", [1], [1])], "two series"),
        ({"a": ([2], [1])}, "series 'a': real: label 0 is 2"),
        (table("mixed"), "give series=, real= and predicted="),
    ]:
        with pytest.raises(ValueError, match=message):
            score_many(frame)


@pytest.mark.parametrize("kind", ["folder", "pattern", "file"])
def test_reads_parquet_files_in_the_order_of_their_numbers(tmp_path, kind):
    frame = table("by series")
    for number in range(11):
        frame[number * 91 : (number + 1) * 91].write_parquet(tmp_path / f"part-{number}.parquet")
    frame.write_parquet(tmp_path / "whole.pq")
    source = {"folder": tmp_path, "pattern": str(tmp_path / "part-*.parquet"), "file": tmp_path / "whole.pq"}[kind]
    if kind == "folder":
        (tmp_path / "whole.pq").unlink()
    scores = score_many(source, **COLUMNS, model=rw.unfragmented)
    assert dict(zip(scores.names, scores.tallies, strict=True)) == expected(rw.unfragmented)


def test_rejects_bad_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="a folder without Parquet files"):
        score_many(tmp_path, **COLUMNS)
    table("mixed").write_parquet(tmp_path / "a.parquet")
    table("mixed").drop("guess").write_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"b.parquet: the table has no column 'guess'"):
        score_many(tmp_path, **COLUMNS)
    (tmp_path / "b.parquet").write_bytes(b"PAR1 not")
    with pytest.raises(ValueError, match=r"b.parquet: not a Parquet file"):
        score_many(tmp_path, **COLUMNS)


@pytest.mark.parametrize("real", [">i8", ">u2", ">f4", ">f8", "?"])
@pytest.mark.parametrize("series", [">i4", ">u8", ">f8", "U1"])
def test_accepts_numbers_of_the_other_byte_order(real, series):
    names, labels = np.array([1, 1, 2, 2, 2]), np.array([0, 1, 1, 0, 1])
    swapped = pd.DataFrame(
        {
            "name": names.astype(series),
            "real": labels.astype(real),
            "predicted": labels[::-1].astype(">i4"),
            "at": np.arange(5, 0, -1, dtype=">i8"),
        }
    )
    plain = pd.DataFrame(
        {"name": names.astype(series.replace(">", "=")), "real": labels, "predicted": labels[::-1], "at": np.arange(5, 0, -1)}
    )
    for times in (None, "at"):
        columns = {"series": "name", "real": "real", "predicted": "predicted", "times": times}
        assert rw.score_many(swapped, **columns).tallies == rw.score_many(plain, **columns).tallies
    curves = [rw.pooled_curve(table, series="name", real="real", scores="at") for table in (swapped, plain)]
    assert curves[0].recall.tolist() == curves[1].recall.tolist()


def as_arrow(dtype, values):
    return pa.chunked_array([pa.array(values).cast(dtype) if dtype != pa.float16() else pa.array(np.array(values, dtype=np.float16))])


@pytest.mark.parametrize(
    "numbers",
    [
        lambda values: pl.Series(values).cast(pl.Decimal(10, 3)),
        lambda values: pl.Series(values).cast(pl.Int128),
        lambda values: as_arrow(pa.decimal128(38, 3), values),
        lambda values: as_arrow(pa.float16(), values),
        lambda values: pd.Series(as_arrow(pa.decimal128(38, 3), values)).astype(pd.ArrowDtype(pa.decimal128(38, 3))),
        lambda values: pd.Series(values, dtype=np.float16),
    ],
    ids=["polars decimal", "polars int128", "Arrow decimal", "Arrow float16", "pandas decimal", "pandas float16"],
)
def test_numbers_of_databases(numbers):
    """SQL makes decimals of sums and of literals such as 0.5."""
    labels, scores = [0, 1, 1, 0, 1], [0, 2, 3, 1, 2]
    columns = {"name": [1, 1, 1, 2, 2], "real": numbers(labels), "scores": numbers(scores), "at": numbers([3, 2, 1, 1, 2])}
    library = {"polars": pl.DataFrame, "pyarrow": pa.table, "pandas": pd.DataFrame}[type(columns["real"]).__module__.split(".")[0]]
    plain = pl.DataFrame({"name": [1, 1, 1, 2, 2], "real": labels, "scores": scores, "at": [3, 2, 1, 1, 2]})
    for options in ({}, {"times": "at"}):
        chosen = {"series": "name", "real": "real", **options}
        found, expected = (rw.score_many(each, predicted="real", **chosen) for each in (library(columns), plain))
        assert found == expected
        curve, expected = (rw.pooled_curve(each, scores="scores", **chosen) for each in (library(columns), plain))
        assert (curve.thresholds.tolist(), curve.f.tolist()) == (expected.thresholds.tolist(), expected.f.tolist())
    model = rw.RangeModel()
    assert model.curve(columns["real"], columns["scores"]).best() == model.curve(labels, scores).best()
    assert rw.score(columns["real"], columns["real"]).f == 1.0


@pytest.mark.parametrize("dtype", [pa.string_view(), pa.binary_view(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_names_of_every_type_of_arrow(dtype):
    names = pa.array(["a", "a", "b", "b", "b"])
    made = pa.table({"name": names.dictionary_encode() if pa.types.is_dictionary(dtype) else names.cast(dtype), "real": [0, 1, 1, 0, 1]})
    for frame in (made, made.to_batches()):
        found = rw.score_many(frame, series="name", real="real", predicted="real")
        assert [each.decode() if isinstance(each, bytes) else each for each in found.names] == ["a", "b"]
        assert found.real_ranges.tolist() == [1, 2]


def test_names_of_128_bits():
    made = pl.DataFrame({"name": pl.Series([2**100, 2**100, 1], dtype=pl.Int128), "real": [0, 1, 1]})
    assert rw.score_many(made, series="name", real="real", predicted="real").names == (2**100, 1)


def test_rejects_a_client_for_mappings():
    with pytest.raises(ValueError, match="client= shares a table among workers"):
        rw.score_many({"a": ([0, 1], [0, 1])}, client=object())
