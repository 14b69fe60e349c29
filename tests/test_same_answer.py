"""One question, one answer: a random case goes through every entry point and gives the same number, to the last bit.

A new metric enters by being in ``METRICS``, a new entry point by being in one of the tables below.
"""

import json
import math
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import ignored as naive
from rangewise.bench.metric_choice import MetricChoice
from rangewise.cli import run
from rangewise.inputs.case import CASE_OPTIONS, Case, IgnoreRefusedError
from rangewise.metrics import METRICS
from rangewise.metrics.evaluate import evaluate
from strategies import built_in_models, range_lists

LENGTH = 40
START = np.datetime64("2024-05-01T00:00", "ns")
TIMES = START + np.arange(LENGTH) * np.timedelta64(60, "s")


@st.composite
def drawn_cases(draw):
    """A real side, a prediction, scores with ties, intervals to ignore (overlapping, as rows or times), gaps to close."""
    real, predicted = draw(range_lists(LENGTH)), draw(range_lists(LENGTH))
    levels = draw(st.sampled_from([2, 5, 1000]))
    scores = np.array(draw(st.lists(st.integers(0, levels), min_size=LENGTH, max_size=LENGTH)), dtype=np.float64) / 8
    intervals = draw(st.lists(st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 12)), max_size=3))
    ignore = [(start, min(start + length, LENGTH)) for start, length in intervals]
    return real, predicted, scores, ignore, draw(st.sampled_from([0, 0, 1, 3]))


def labels_of(ranges):
    return rw.Ranges(ranges).to_labels(LENGTH)


def times_of(ranges):
    return [(START + np.timedelta64(60 * start, "s"), START + np.timedelta64(60 * stop, "s")) for start, stop in ranges]


def options_of(ignore, gap, *, as_times):
    chosen = {}
    if ignore:
        chosen["ignore"] = times_of(ignore) if as_times else ignore
    if gap:
        chosen["close_gaps"] = gap
    if as_times:
        chosen["times"] = TIMES
    return chosen


def report_data(page):
    return json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page.html, re.S)[1])


def table_of(real, column):
    return pl.DataFrame({"series": ["a"] * LENGTH, "real": labels_of(real), "found": column, "time": TIMES})


def streamed(model, real, predicted, options):
    """In three chunks; a stream closes no gaps, so they are closed before."""
    closed = rw.Ranges(naive.closed(predicted, options.get("close_gaps", 0)))
    stream, ignored = rw.Stream(model), naive.points_of(options.get("ignore", []))
    for start, stop in ((0, 7), (7, 30), (30, LENGTH)):
        rows = [int(row in ignored) for row in range(start, stop)]
        stream.update(labels_of(real)[start:stop], closed.to_labels(LENGTH)[start:stop], ignore=rows)
    return stream.score().f


# Every entry point that scores a prediction by a model: the model, both sides as rows, the input options -> F.
PREDICTION_ENTRY_POINTS = {
    "rw.score": lambda model, real, predicted, options: model.score(real, predicted, **options).f,
    "labels": lambda model, real, predicted, options: model.score(labels_of(real), labels_of(predicted), **options).f,
    "tally": lambda model, real, predicted, options: model.tally(real, predicted, **options).score().f,
    "Case": lambda model, real, predicted, options: model.score(Case.read(real, predicted, **options)).f,
    "evaluate": lambda model, real, predicted, options: evaluate([Case.read(real, predicted, **options)], [model])[0, 0],
    "compare": lambda model, real, predicted, options: rw.compare(real, {"a": predicted}, metrics=[model], **options).values[0, 0, 0],
    "report": lambda model, real, predicted, options: _number(
        report_data(rw.report(labels_of(real), {"a": predicted}, model=model, baseline=False, **options))["detectors"][0]["score"][2]
    ),
    "score_many": lambda model, real, predicted, options: rw.score_many({"a": (real, predicted)}, model=model, **options).pooled.f,
    "score_many of a table": lambda model, real, predicted, options: (
        rw.score_many(
            table_of(real, labels_of(predicted)), series="series", real="real", predicted="found", model=model, **options
        ).pooled.f
    ),
    "Stream": streamed,
    "bench": lambda model, real, predicted, options: MetricChoice("m", model=str(model)).score(Case.read(real, predicted, **options)).value,
}


def _number(value):
    return {"nan": math.nan}.get(value, value)


def same(found, wanted):
    return (math.isnan(found) and math.isnan(wanted)) or found == wanted


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(drawn_cases(), built_in_models())
def test_a_prediction_has_one_score(drawn, model):
    real, predicted, _, ignore, gap = drawn
    # Labels cannot tell ranges that touch apart.
    real, predicted = (list(rw.Ranges(side).merge_touching()) for side in (real, predicted))
    options = options_of(ignore, gap, as_times=False)
    left = naive.without(real, ignore)[0], naive.without(naive.closed(predicted, gap), ignore)[0]
    wanted = model.score(*left).f
    for name, f in PREDICTION_ENTRY_POINTS.items():
        assert same(f(model, real, predicted, options), wanted), name
    # The same ranges as times of the rows.
    timed = options_of(ignore, gap, as_times=True)
    if ignore or gap:
        assert same(model.score(labels_of(real), labels_of(predicted), **timed).f, wanted)
    assert same(model.score(times_of(real), times_of(predicted), **timed).f, wanted)


# Every entry point that sweeps scores by a model -> (thresholds, recall).
CURVE_ENTRY_POINTS = {
    "curve": lambda model, real, scores, options: model.curve(real, scores, **options),
    "Case": lambda model, real, scores, options: model.curve(Case.read(real, scores=scores, **options)),
    "pooled_curve": lambda model, real, scores, options: rw.pooled_curve({"a": (real, scores)}, model=model, **options),
    "pooled_curve of a table": lambda model, real, scores, options: rw.pooled_curve(
        table_of(real, scores), model=model, series="series", real="real", scores="found", **options
    ),
}


@settings(deadline=None, max_examples=40)
@given(drawn_cases(), built_in_models())
def test_scores_have_one_curve(drawn, model):
    real, _, scores, ignore, gap = drawn
    real = list(rw.Ranges(real).merge_touching())
    options = options_of(ignore, gap, as_times=False)
    left = naive.without(real, ignore)[0]
    thresholds = naive.thresholds(scores.tolist(), gap, ignore)
    wanted = [model.score(left, naive.predicted_at(scores.tolist(), threshold, gap, ignore)) for threshold in thresholds]
    curves = {name: curve_of(model, real, scores, options) for name, curve_of in CURVE_ENTRY_POINTS.items()}
    first = curves["curve"]
    assert first.thresholds.tolist() == thresholds
    for measure in ("precision", "recall"):
        # A sweep adds up in another order than a score.
        assert getattr(first, measure) == approx([getattr(score, measure) for score in wanted], abs=1e-12, nan_ok=True)
    for name, curve in curves.items():
        for measure in ("thresholds", "precision", "recall"):
            assert np.array_equal(getattr(curve, measure), getattr(first, measure), equal_nan=True), (name, measure)
        for threshold, score in zip(thresholds, wanted, strict=True):
            assert same(curve.at(threshold).f, score.f), name


def by_command(arguments, capsys):
    capsys.readouterr()
    assert run(arguments) == 0
    return json.loads(capsys.readouterr().out)


def files_of(folder, real, column, ignore):
    paths = {name: str(folder / f"{name}.txt") for name in ("real", "found")}
    (folder / "real.txt").write_text("\n".join(map(str, labels_of(real).tolist())))
    (folder / "found.txt").write_text("\n".join(map(str, column)))
    options = []
    if ignore:
        (folder / "ignore.csv").write_text("start,stop\n" + "".join(f"{start},{stop}\n" for start, stop in ignore))
        options = ["--ignore", str(folder / "ignore.csv")]
    return paths["real"], paths["found"], options


EXAMPLES = [
    ([(3, 12), (20, 23)], [(0, 5), (7, 9), (15, 22)], [], 0),
    ([(3, 12), (20, 23)], [(0, 5), (7, 9), (15, 22)], [(6, 8), (7, 16)], 0),
    ([(3, 12), (20, 40)], [(0, 5), (7, 9), (15, 22), (36, 40)], [(21, 39)], 2),
    ([(0, 40)], [(4, 5), (8, 9)], [(0, 3), (30, 40)], 3),
]


@pytest.mark.parametrize(("real", "predicted", "ignore", "gap"), EXAMPLES)
@pytest.mark.parametrize("name", METRICS)
def test_a_metric_has_one_value(name, real, predicted, ignore, gap, tmp_path, capsys):
    metric = METRICS[name]
    random = np.random.default_rng(len(predicted))
    scores = random.integers(0, 9, LENGTH) / 8 + labels_of(real) / 4
    column = scores.tolist() if metric.needs == "scores" else labels_of(predicted).tolist()
    options = options_of(ignore, gap, as_times=False)
    given_options = options if metric.needs == "scores" else {**options, "length": LENGTH}
    real_path, path, words = files_of(tmp_path, real, column, ignore)
    words += ["--close-gaps", str(gap)] if gap else []
    try:
        wanted = metric.function(real, scores if metric.needs == "scores" else predicted, **given_options)
    except IgnoreRefusedError:
        with pytest.raises(ValueError, match="cannot ignore intervals"):
            rw.compare(labels_of(real), {"a": np.array(column)}, metrics=[name], **options)
        assert run(["score", real_path, path, "--metric", name, *words]) == 2
        return
    case = (
        Case.read(real, scores=scores, **options)
        if metric.needs == "scores"
        else Case.read(labels_of(real), labels_of(predicted), **options)
    )
    answers = {
        "case": metric.function(case),
        "evaluate": evaluate([case], [name])[0, 0],
        "compare": rw.compare(labels_of(real), {"a": np.array(column)}, metrics=[name], **options).values[0, 0, 0],
        "bench": MetricChoice(name, name=name).score(case).value,
        "score --metric": by_command(["score", real_path, path, "--metric", name, "--json", *words], capsys)[name],
        "compare --metric": by_command(["compare", real_path, path, "--metric", name, "--json", *words], capsys)["detectors"][0]["metrics"][
            name
        ]["value"],
    }
    for entry_point, value in answers.items():
        assert same(math.nan if value is None else value, wanted), entry_point


@pytest.mark.parametrize(("real", "predicted", "ignore", "gap"), EXAMPLES)
def test_the_commands_say_the_same(real, predicted, ignore, gap, tmp_path, capsys):
    model = rw.early
    options = options_of(ignore, gap, as_times=False)
    scores = np.random.default_rng(3).integers(0, 9, LENGTH) / 8 + labels_of(real) / 4
    real_path, path, words = files_of(tmp_path, real, labels_of(predicted).tolist(), ignore)
    words += ["--close-gaps", str(gap)] if gap else []
    wanted = model.score(real, predicted, **options, length=LENGTH)
    told = by_command(["score", real_path, path, "--preset", "early", "--json", *words], capsys)
    assert (told["precision"], told["recall"], told["f"]) == (wanted.precision, wanted.recall, wanted.f)
    (tmp_path / "found.txt").write_text("\n".join(map(str, scores.tolist())))
    curve = model.curve(real, scores, **options)
    threshold = float(curve.thresholds[len(curve) // 2])
    told = by_command(["curve", real_path, path, "--preset", "early", "--threshold", str(threshold), "--json", *words], capsys)
    assert (told["f"], told["average_precision"]) == (curve.at(threshold).f, curve.average_precision)
    page = tmp_path / "page.html"
    assert run(["report", real_path, path, "--preset", "early", "--threshold", str(threshold), "--out", str(page), *words]) == 0
    shown = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', page.read_text(), re.S)[1])
    assert shown["detectors"][0]["score"][2] == curve.at(threshold).f
    assert shown["counted"] == LENGTH - len(naive.points_of(ignore))
    table = tmp_path / "table.csv"
    rows = zip(labels_of(real).tolist(), labels_of(predicted).tolist(), strict=True)
    table.write_text("name,real,found\n" + "".join(f"a,{one},{other}\n" for one, other in rows))
    columns = ["--series", "name", "--real", "real", "--predicted", "found"]
    told = by_command(["score", str(table), *columns, "--preset", "early", "--json", *words], capsys)
    assert told["pooled"]["f"] == wanted.f


def test_every_input_option_is_taken_or_refused_by_name():
    """Options of one metric are options of all: none is passed over in silence."""
    given = {"weights": [1.0], "resolution": "1s", "step": "1min", "span": (TIMES[0], TIMES[-1]), "outside": "drop", "missing": "lowest"}
    assert set(given) | {"times", "ignore", "close_gaps", "length"} == CASE_OPTIONS
    scores = np.linspace(0, 1, LENGTH)
    for metric in METRICS.values():
        second = scores if metric.needs == "scores" else labels_of([(3, 9)])
        for option, value in given.items():
            if option == "weights" and metric.name in ("range_fbeta", "range_recall"):
                continue
            if option == "missing" and metric.needs == "scores":
                continue  # test_missing_scores_mean_the_same_to_every_metric
            with pytest.raises((ValueError, TypeError), match=option if option != "outside" else "outside"):
                metric.function(labels_of([(2, 8)]), second, **{option: value})


@pytest.mark.parametrize("missing", ["lowest", "ignore"])
@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.needs == "scores"])
def test_missing_scores_mean_the_same_to_every_metric(name, missing, tmp_path, capsys):
    """``"lowest"`` is the score filled in, ``"ignore"`` the row ignored: in Python, of a case, and in the shell."""
    real, metric = [(3, 12), (20, 23)], METRICS[name]
    filled = np.random.default_rng(5).integers(1, 9, LENGTH) / 8 + labels_of(real) / 4
    filled[[6, 30, 31]] = filled.min()
    scores = filled.copy()
    scores[[6, 30, 31]] = np.nan
    with pytest.raises(ValueError, match=r"score 6 is nan.*missing='lowest' or missing='ignore'"):
        metric.function(real, scores)
    real_path, path, _ = files_of(tmp_path, real, scores.tolist(), [])
    command = ["score", real_path, path, "--metric", name, "--json", "--missing", missing]
    try:
        wanted = metric.function(real, filled, **({} if missing == "lowest" else {"ignore": [(6, 7), (30, 32)]}))
    except IgnoreRefusedError:
        with pytest.raises(IgnoreRefusedError):
            metric.function(real, scores, missing=missing)
        assert run(command) == 2
        return
    answers = {
        "metric": metric.function(real, scores, missing=missing),
        "case": metric.function(Case.read(real, scores=scores, missing=missing)),
        "compare": rw.compare(real, {"a": scores}, metrics=[name], missing=missing).values[0, 0, 0],
        "score --metric": by_command(command, capsys)[name],
    }
    for entry_point, value in answers.items():
        assert same(value, wanted), entry_point


@given(drawn_cases())
def test_the_case_is_what_loops_find(drawn):
    real, predicted, _, ignore, gap = drawn
    case = Case.read(real, predicted, length=LENGTH, ignore=ignore, close_gaps=gap)
    left, of_real = naive.without(real, ignore)
    kept, of_predicted = naive.without(naive.closed(predicted, gap), ignore)
    assert (list(case.real), list(case.predicted)) == (left, kept)
    assert case.points == LENGTH - len(naive.points_of(ignore))
    clipping = case.clipping
    assert (clipping.real.shortened, clipping.real.removed, clipping.real.split) == of_real
    assert (clipping.predicted.shortened, clipping.predicted.removed, clipping.predicted.split) == of_predicted
