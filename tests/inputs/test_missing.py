"""Missing scores raise an error that locates them, or are handled as requested, in Python and on the command line."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rangewise as rw
from naive import ignored as naive
from rangewise.cli import run
from rangewise.inputs.case import Case
from small_nab import write_nab, write_results

LABELS = [0, 1, 1, 0, 0, 0, 1, 0, 0, 0]
SCORES = [0.1, 0.9, 0.8, 0.3, 0.4, 0.2, 0.5, 0.1, np.nan, np.nan]


def test_rejects_nan_scores_and_labels():
    for call in (lambda: rw.RangeModel().curve([0, 1, 0], [0.3, np.nan, 0.5]), lambda: rw.score([0, 1, 0], [1.0, np.nan, 0.5])):
        with pytest.raises(ValueError, match=r"score 1 is nan.*missing='lowest' or\s*missing='ignore'"):
            call()
    with pytest.raises(ValueError, match="label 1 is nan"):
        rw.score([0, 1], [0.0, np.nan])


def test_missing_scores_become_the_lowest_or_are_ignored():
    lowest = [0.1 if np.isnan(score) else score for score in SCORES]
    for dtype in (np.float64, np.float32):
        scores = np.array(SCORES, dtype=dtype)
        curve = rw.RangeModel().curve(LABELS, scores, missing="lowest")
        expected = rw.RangeModel().curve(LABELS, np.array(lowest, dtype=dtype))
        assert np.array_equal(curve.thresholds, expected.thresholds)
        assert np.array_equal(curve.precision, expected.precision)
    curve = rw.RangeModel().curve(LABELS, SCORES, missing="ignore", close_gaps=1)
    expected = rw.RangeModel().curve(LABELS, lowest, ignore=[(8, 10)], close_gaps=1)
    assert np.array_equal(curve.recall, expected.recall)
    with_both = rw.RangeModel().curve(LABELS, SCORES, missing="ignore", ignore=[(0, 1)])
    assert with_both.at(0.3).ignored is not None
    assert np.array_equal(with_both.precision, rw.RangeModel().curve(LABELS, lowest, ignore=[(0, 1), (8, 10)]).precision)
    assert len(rw.RangeModel().curve(LABELS, list(range(10)), missing="ignore")) == 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rw.RangeModel().curve(LABELS, SCORES, missing="low"), "missing is one of error, lowest, ignore"),
        (lambda: rw.RangeModel().curve([0, 1], [np.nan, np.nan], missing="lowest"), "all 2 scores are nan"),
        (lambda: rw.score(LABELS, LABELS, missing="lowest"), "missing='lowest' is for nan scores"),
        (lambda: rw.compare(LABELS, {"a": LABELS}, missing="lowest"), "no detector has scores"),
        (
            lambda: rw.compare(LABELS, {"a": SCORES, "b": [np.nan, *SCORES[1:]]}, metrics=["range_auc_pr"], missing="ignore"),
            "a and b would be scored on different rows",
        ),
        (lambda: rw.RangeModel().curve([(0, 1)], rw.ScoredRanges([(0, 1, 0.5)]), missing="lowest"), "one score per point"),
    ],
)
def test_rejects_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("missing", ["lowest", "ignore"])
def test_command_line_matches_python(tmp_path, capsys, missing):
    real, scores = tmp_path / "real.txt", tmp_path / "scores.txt"
    real.write_text("\n".join(map(str, LABELS)))
    scores.write_text("\n".join(map(str, SCORES)))
    assert run(["curve", str(real), str(scores)]) == 2
    assert "score 8 is nan" in capsys.readouterr().err
    assert run(["curve", str(real), str(scores), "--missing", missing, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["average_precision"] == rw.RangeModel().curve(LABELS, SCORES, missing=missing).average_precision
    assert run(["curve", str(real), "--missing", missing]) == 2


@pytest.mark.parametrize(
    "convert",
    [
        list,
        lambda scores: np.ma.masked_invalid(np.array(scores, dtype=float)),
        lambda scores: pl.Series(scores, dtype=pl.Float64),
        lambda scores: pl.Series(scores, dtype=pl.Float64).fill_null(float("nan")),
        lambda scores: pd.Series(scores, dtype=float),
        lambda scores: pd.Series(scores, dtype="Float64"),
        lambda scores: pa.chunked_array([scores]),
    ],
)
def test_null_masked_and_none_scores_are_missing(convert):
    scores = [0.1, 0.9, None, 0.25]
    with pytest.raises(ValueError, match="score 2 is nan"):
        Case.read([0, 1, 1, 0], scores=convert(scores))
    assert Case.read([0, 1, 1, 0], scores=convert(scores), missing="lowest").scores.tolist() == [0.1, 0.9, 0.1, 0.25]
    case = Case.read([0, 1, 1, 0], scores=convert(scores), missing="ignore")
    assert (list(case.real), list(case.ignored)) == ([(1, 2)], [(2, 3)])
    assert rw.compare([0, 1, 1, 0], {"a": convert(scores)}, metrics=["range_auc_pr"], missing="ignore").values.shape == (1, 1, 1)


def test_integers_and_float32_with_missing_scores_keep_their_values():
    assert Case.read([0, 1, 1], scores=pl.Series([3, None, 7]), missing="lowest").scores.tolist() == [3.0, 3.0, 7.0]
    single = Case.read([0, 1, 1], scores=pl.Series([0.1, None, 0.7], dtype=pl.Float32), missing="lowest").scores
    assert single.dtype == np.float32
    with pytest.raises(TypeError, match="expected numbers"):
        Case.read([0, 1], scores=["a", None])


@st.composite
def corpora(draw):
    """A few series with missing scores; each has at least one score."""
    corpus = {}
    for name in "abc"[: draw(st.integers(1, 3))]:
        scores = draw(st.lists(st.none() | st.sampled_from([0.5, 1.0, 2.0, 3.5]), min_size=1, max_size=12))
        scores.insert(draw(st.integers(0, len(scores))), draw(st.sampled_from([0.0, 1.0, 4.0])))
        corpus[name] = draw(st.lists(st.integers(0, 1), min_size=len(scores), max_size=len(scores))), scores
    return corpus


def as_table(corpus):
    rows = [(name, *row) for name, sides in corpus.items() for row in zip(*sides, strict=True)]
    return pl.DataFrame(rows, schema={"name": pl.String, "real": pl.Int64, "score": pl.Float64}, orient="row")


@settings(deadline=None)
@given(corpora(), st.sampled_from(["lowest", "ignore"]), st.sampled_from([0, 1, 2]), st.lists(st.integers(0, 12), max_size=2))
def test_pooled_curve_adds_up_the_cases_of_its_series(corpus, missing, gap, starts):
    """The curve equals the sum of one case per series, from a mapping and from tables with nulls or nan."""
    model = rw.RangeModel(alpha=0.2, recall_bias="front")
    ignore = [(start, start + 2) for start in starts]
    filled = {name: naive.filled(scores) for name, (_, scores) in corpus.items()}
    levels, tallies = set(), {}
    for name, (real, _) in corpus.items():
        scores, absent = filled[name]
        ignored = [*ignore, *(absent if missing == "ignore" else [])]
        if len(naive.points_of(ignored) & set(range(len(scores)))) < len(scores):
            levels |= set(naive.thresholds(scores, gap, ignored))
        case = Case.read(real, scores=corpus[name][1], missing=missing, ignore=ignore or None, close_gaps=gap)
        tallies[name] = lambda at, case=case: model.tally(case.at(at))
    table = as_table(corpus)
    options = {"model": model, "missing": missing, "ignore": ignore or None, "close_gaps": gap}
    columns = {"series": "name", "real": "real", "scores": "score"}
    curves = [
        rw.pooled_curve(corpus, **options),
        rw.pooled_curve({name: (np.array(real), np.array(scores, dtype=float)) for name, (real, scores) in corpus.items()}, **options),
        rw.pooled_curve(table, **columns, **options),
        rw.pooled_curve(table.fill_null(float("nan")), **columns, **options),
        rw.pooled_curve(table.to_pandas(), **columns, **options),
        rw.pooled_curve(table.to_arrow(), **columns, **options),
        rw.pooled_curve([table[at : at + 5] for at in range(0, len(table), 5)], **columns, **options),
    ]
    for curve in curves:
        assert curve.thresholds.tolist() == sorted(levels, reverse=True)
        for at in curve.thresholds:
            assert curve.at(at) == sum(tally(at) for tally in tallies.values()).score()


def test_pooled_curve_reports_ignored_rows_without_scores():
    corpus = {"a": ([0, 1, 1, 0], [0.1, None, 0.9, 0.2]), "b": ([1, 1], [0.5, 0.6])}
    curve = rw.pooled_curve(corpus, missing="ignore")
    assert str(curve.ignored) == "1 interval in 1 series: of the real ranges 1 shortened, 0 removed, 0 split"
    assert rw.pooled_curve(corpus, missing="lowest").ignored is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rw.pooled_curve({"a": ([0, 1], [0.5, None])}), "series 'a': score 1 is nan.*missing='lowest'"),
        (lambda: rw.pooled_curve({"a": ([0, 1], [0.5, 0.1])}, missing="low"), "missing is one of error, lowest, ignore"),
        (lambda: rw.pooled_curve({"a": (np.array([0, 1]), np.full(2, np.nan))}, missing="lowest"), "all 2 scores of series 'a' are nan"),
        (
            lambda: rw.pooled_curve(as_table({"a": ([0, 1], [0.5, None])}), series="name", real="real", scores="score"),
            "column 'score': row 1 of the batch is missing; .*missing='lowest'",
        ),
        (
            lambda: rw.pooled_curve(as_table({"a": ([0, None], [0.5, 0.1])}), series="name", real="real", scores="score", missing="lowest"),
            "column 'real': row 1 of the batch is missing; every row needs a value$",
        ),
        (lambda: rw.score_many({"a": ([0, 1], [0, 1])}, missing="lowest"), "missing='lowest' is for nan scores"),
        (lambda: rw.nab_score([(0, 2)], [(0, 1)], length=4, missing="ignore"), "missing='ignore' is for nan scores"),
        (lambda: rw.nab_corpus({"a": ([(0, 1)], [0.5, np.nan])}), "a: score 1 is nan.*missing='lowest'"),
        (lambda: rw.bench.Experiment(name="x", detectors=["z-score"], series=[{}], missing="ignore"), "on different rows"),
        (lambda: rw.bench.Experiment(name="x", detectors=["z-score"], series=[{}], missing="none"), "missing is one of error"),
    ],
)
def test_rejects_missing_values_in_many_series(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("missing", ["lowest", "ignore"])
def test_tables_on_the_command_line_match_python(tmp_path, capsys, missing):
    corpus = {"a": (LABELS, [None if np.isnan(score) else score for score in SCORES]), "b": ([0, 1], [0.3, 0.2])}
    path, columns = tmp_path / "table.csv", ["--series", "name", "--real", "real", "--scores", "score"]
    expected = rw.pooled_curve(corpus, missing=missing)
    for table in (as_table(corpus), as_table(corpus).fill_null(float("nan"))):
        table.write_csv(path)
        assert run(["curve", str(path), *columns]) == 2
        assert "--missing lowest" in capsys.readouterr().err
        assert run(["curve", str(path), *columns, "--missing", missing, "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert (printed["average_precision"], printed["thresholds"]) == (expected.average_precision, len(expected))
    assert run(["score", str(path), "--series", "name", "--real", "real", "--predicted", "real", "--missing", missing]) == 2
    assert "the prediction has no scores" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["lowest", "ignore"])
def test_nab_handles_missing_scores(missing, tmp_path, capsys):
    corpus = {"a": ([(1, 3)], [0.1, None, 0.9, 0.2, None, 0.3]), "b": ([(0, 2)], [0.4, 0.8, None])}
    filled = {name: naive.filled(scores) for name, (_, scores) in corpus.items()}
    ignore = {name: absent for name, (_, absent) in filled.items()} if missing == "ignore" else None
    complete = {name: (real, filled[name][0]) for name, (real, _) in corpus.items()}
    for threshold in (None, 0.2):
        options = {"threshold": threshold, "probation": False}
        result, expected = rw.nab_corpus(corpus, missing=missing, **options), rw.nab_corpus(complete, ignore=ignore, **options)
        assert (result.threshold, result.raw, result.tp, result.fp, result.tn) == (
            expected.threshold,
            expected.raw,
            expected.tp,
            expected.fp,
            expected.tn,
        )
    real, scores = corpus["a"]
    curve = rw.nab_curve(real, scores, probation=False, missing=missing)
    expected = rw.nab_curve(real, filled["a"][0], probation=False, ignore=ignore and ignore["a"])
    assert np.array_equal(curve.raw, expected.raw)
    assert curve.thresholds.tolist() == [0.9, 0.3, 0.2, 0.1]

    folder, results = write_nab(tmp_path / "nab"), write_results(tmp_path / "results")
    changed = sorted(results.glob("*/*.csv"))[-1]
    lines = changed.read_text().splitlines()
    cells = lines[5].split(",")
    cells[lines[0].split(",").index("anomaly_score")] = ""
    lines[5] = ",".join(cells)
    changed.write_text("\n".join(lines) + "\n")
    assert run(["nab", str(folder), str(results)]) == 2
    assert "score 4 is nan" in capsys.readouterr().err
    assert run(["nab", str(folder), str(results), "--missing", missing, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert ("ignored" in printed) == (missing == "ignore")
    if missing == "ignore":
        assert printed["ignored"]["intervals"] == 1


def test_scores_of_ignored_rows_are_not_thresholds_of_nab():
    curve = rw.nab_curve([(0, 2)], [0.1, 0.9, 0.5, 0.2], ignore=[(2, 3)], probation=False)
    assert curve.thresholds.tolist() == [0.9, 0.2, 0.1]
