"""One question, one answer: a random case goes through every entry point and gives the same number, to the last bit.

A new metric enters by being in ``METRICS``, a new entry point by being in one of the tables below.
"""

import inspect
import json
import math
import re
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pytest import approx
from sklearn.base import BaseEstimator

import rangewise as rw
from naive import ignored as naive
from rangewise.bench.metric_choice import MetricChoice
from rangewise.cli import run
from rangewise.cli.commands import COMMANDS
from rangewise.cli.inputs import FileOptions
from rangewise.datasets import read_case
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


class Predicts(BaseEstimator):
    """An estimator that predicts what it was given."""

    def __init__(self, labels):
        self.labels = labels

    def predict(self, rows):
        return self.labels


def class_f(model, real, predicted):
    sides = [np.where(labels_of(side), "anomaly", "normal") for side in (real, predicted)]
    return rw.score_classes(*sides, background="normal", classes=["anomaly"], model=model).rows[0].f


# Entry points without input options: the model, both sides as they are scored -> F.
PLAIN_ENTRY_POINTS = {
    "score_channels": lambda model, real, predicted: (
        rw.score_channels(labels_of(real)[:, None], labels_of(predicted)[:, None], model=model).pooled.f
    ),
    "score_classes": class_f,
    "sklearn_scorer": lambda model, real, predicted: rw.sklearn_scorer(model)(
        Predicts(labels_of(predicted)), np.zeros((LENGTH, 1)), labels_of(real)
    ),
    "ScoredRanges": lambda model, real, predicted: model.curve(real, rw.ScoredRanges(predicted, [0.5] * len(predicted))).at(0.5).f,
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
    for name, f in PLAIN_ENTRY_POINTS.items():
        assert same(f(model, *left), wanted), name
    # The same ranges as times of the rows.
    timed = options_of(ignore, gap, as_times=True)
    if ignore or gap:
        assert same(model.score(labels_of(real), labels_of(predicted), **timed).f, wanted)
    assert same(model.score(times_of(real), times_of(predicted), **timed).f, wanted)


RANKED = {"bias": st.sampled_from(["flat", "front", "back", "middle"]), "cardinality": st.sampled_from(["one", "reciprocal"])}


@settings(deadline=None, max_examples=30)
@given(drawn_cases(), st.fixed_dictionaries(RANKED), st.sampled_from([0.0, 0.25, 0.75, 1.0]), st.sampled_from([0.5, 1.0, 2.0]))
def test_a_ranking_has_the_scores_of_the_model(drawn, family, alpha, beta):
    """A ranking follows lines in alpha, so its F may differ from the model's in the last bit; the order of the model is exact."""
    real, predicted, _, ignore, gap = drawn
    options = options_of(ignore, gap, as_times=False)
    lanes = {"a": predicted, "b": [(3, 9)], "none": []}
    model = rw.RangeModel(alpha=alpha, beta=beta, recall_bias=family["bias"], cardinality=family["cardinality"])
    wanted = {name: model.score(real, lane, **options, length=LENGTH).f for name, lane in lanes.items()}
    ranked = rw.ranking(real, lanes, **options, length=LENGTH)
    assert ranked.scores(alpha=alpha, beta=beta, **family) == approx(wanted, abs=1e-12)
    assert [wanted[name] for name in ranked.order(model)] == sorted(wanted.values(), reverse=True)


def weighted_f(real, predicted, weights, options):
    return rw.score(real, predicted, weights=weights, **options).f


def alerted_f(real, predicted, weights, options):
    """Incidents and alerts in times, with the gaps closed before, because alerts are counted one by one."""
    closed = naive.closed(predicted, options.get("close_gaps", 0))
    ignore = {"ignore": times_of(options["ignore"])} if "ignore" in options else {}
    return rw.alert_summary(
        times_of(real), times_of(closed), weights=weights, span=(TIMES[0], times_of([(0, LENGTH)])[0][1]), **ignore
    ).score.f


# Every entry point that weights real ranges: both sides as rows, the weights, the input options -> F.
WEIGHTED_ENTRY_POINTS = {
    "rw.score": weighted_f,
    "labels": lambda real, predicted, weights, options: weighted_f(labels_of(real), labels_of(predicted), weights, options),
    "times": lambda real, predicted, weights, options: weighted_f(
        times_of(real),
        times_of(predicted),
        weights,
        {**options, "times": TIMES, **({"ignore": times_of(options["ignore"])} if "ignore" in options else {})},
    ),
    "Case": lambda real, predicted, weights, options: rw.score(Case.read(real, predicted, weights=weights, **options)).f,
    "metric": lambda real, predicted, weights, options: METRICS["range_fbeta"].function(real, predicted, weights=weights, **options),
    "evaluate": lambda real, predicted, weights, options: evaluate(
        [Case.read(real, predicted, weights=weights, **options)], ["range_fbeta"]
    )[0, 0],
    "compare": lambda real, predicted, weights, options: rw.compare(
        real, {"a": predicted}, metrics=["range_fbeta"], weights=weights, **options
    ).values[0, 0, 0],
    "alert_summary": alerted_f,
}
# Those that have no weights refuse them by name.
UNWEIGHTED_ENTRY_POINTS = {
    "tally": lambda real, predicted, weights: rw.RangeModel().tally(real, predicted, weights=weights),
    "ranking": lambda real, predicted, weights: rw.ranking(real, {"a": predicted, "b": []}, weights=weights),
    "report": lambda real, predicted, weights: rw.report(labels_of(real), {"a": predicted}, weights=weights),
    "score_many": lambda real, predicted, weights: rw.score_many({"a": (real, predicted)}, weights=weights),
    "Stream": lambda real, predicted, weights: rw.Stream().update(real, predicted, length=LENGTH, weights=weights),
    "curve": lambda real, predicted, weights: rw.early.curve(real, np.linspace(0, 1, LENGTH), weights=weights),
    "pooled_curve": lambda real, predicted, weights: rw.pooled_curve({"a": (real, np.linspace(0, 1, LENGTH))}, weights=weights),
}


@settings(deadline=None, max_examples=40)
@given(drawn_cases(), st.data())
def test_weights_mean_the_same_everywhere(drawn, data):
    real, predicted, _, ignore, gap = drawn
    real, predicted = (list(rw.Ranges(side).merge_touching()) for side in (real, predicted))
    weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(real), max_size=len(real)))
    options = options_of(ignore, gap, as_times=False)
    left, kept = naive.without(real, ignore)[0], naive.without(naive.closed(predicted, gap), ignore)[0]
    # Both parts of a range that was cut have its weight.
    weight_of = [next(weight for (start, stop), weight in zip(real, weights, strict=True) if start <= part[0] < stop) for part in left]
    wanted = rw.score(left, kept, weights=weight_of).f
    for name, f in WEIGHTED_ENTRY_POINTS.items():
        assert same(f(real, predicted, weights, options), wanted), name
    if real:
        for name, call in UNWEIGHTED_ENTRY_POINTS.items():
            with pytest.raises((ValueError, TypeError), match="weights"):
                call(real, predicted, weights)
            assert name


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


@dataclass
class Asked:
    """One case as files: labels, a table of many series, ranges in times."""

    folder: Path
    real: list
    predicted: list
    ignore: list
    gap: int
    capsys: object

    def words(self):
        """The input options."""
        return [*self.ignored("ignore.csv", self.ignore), *(["--close-gaps", str(self.gap)] if self.gap else [])]

    def ignored(self, name, intervals):
        return ["--ignore", self.ranges(name, intervals)] if intervals else []

    def closed(self):
        """The prediction, for commands that close no gaps."""
        return naive.closed(self.predicted, self.gap)

    def labels(self, name, ranges):
        return self.text(name, "".join(f"{label}\n" for label in labels_of(ranges).tolist()))

    def ranges(self, name, pairs):
        return self.text(name, "start,stop\n" + "".join(f"{start},{stop}\n" for start, stop in pairs))

    def text(self, name, content):
        path = self.folder / name
        path.write_text(content)
        return str(path)

    def sides(self):
        return self.labels("real.txt", self.real), self.labels("found.txt", self.predicted)

    def json(self, *words):
        return by_command([*words, "--json"], self.capsys)


def by_report(asked):
    """What the page shows and what ``--json`` prints."""
    page = asked.folder / "page.html"
    words = ["report", *asked.sides(), "--preset", "early", "--no-baseline", "--out", str(page), "--force", *asked.words()]
    (printed,) = asked.json(*words)["detectors"]
    assert [printed[key] for key in ("precision", "recall", "f")] == shown_on(page)["detectors"][0]["score"]
    return printed["f"]


def shown_on(page):
    return json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', page.read_text(), re.S)[1])


def by_table(asked):
    rows = zip(labels_of(asked.real).tolist(), labels_of(asked.predicted).tolist(), strict=True)
    table = asked.text("table.csv", "name,real,found\n" + "".join(f"a,{one},{other}\n" for one, other in rows))
    columns = ["--series", "name", "--real", "real", "--predicted", "found"]
    return asked.json("score", table, *columns, "--preset", "early", *asked.words())["pooled"]["f"]


def by_alerts(asked):
    """Ranges of rows as times; at the resolution of a row, because a bias depends on how many positions a range has."""
    paths = [asked.ranges(f"{name}-times.csv", times_of(side)) for name, side in (("real", asked.real), ("found", asked.closed()))]
    ignored = asked.ignored("ignore-times.csv", times_of(asked.ignore))
    span = map(str, times_of([(0, LENGTH)])[0])  # otherwise ignored intervals may cover all of the time
    return asked.json("alerts", *paths, "--preset", "early", "--resolution", "1min", "--span", *span, *ignored)["score"]["f"]


def by_bench(asked):
    """A whole run: an experiment, a store, a process, an export."""
    rows = "".join(f"{row},{label}\n" for row, label in enumerate(labels_of(asked.real).tolist()))
    asked.text("a.csv", "value,label\n" + rows)
    asked.labels("a.txt", asked.closed())
    ignore = f'ignore = "{asked.ranges("ignore.csv", asked.ignore)}"\n' if asked.ignore else ""
    detector = '[[detector]]\nname = "other"\npredictions = "{series}.txt"\n'
    entries = f'{detector}[[series]]\npath = "a.csv"\n[[metric]]\nmodel = "early"\n'
    experiment = asked.text("e.toml", f'name = "e"\nbaselines = false\n{ignore}{entries}')
    store, out = str(asked.folder / "e.rwbench"), asked.folder / "e.csv"
    assert run(["bench", "run", experiment, "--store", store, "--workers", "1"]) == 0
    assert run(["bench", "export", store, str(out)]) == 0
    return pl.read_csv(out)["f"][0]


# Every command that scores by the model: one case as files -> F under the preset ``early``.
COMMAND_ENTRY_POINTS = {
    "score": lambda asked: asked.json("score", *asked.sides(), "--preset", "early", *asked.words())["f"],
    "score of a table": by_table,
    "compare": lambda asked: asked.json("compare", *asked.sides(), "--metric", "early", *asked.words())["detectors"][0]["metrics"]["early"][
        "value"
    ],
    "curve": lambda asked: asked.json("curve", *asked.sides(), "--preset", "early", "--threshold", "1", *asked.words())["f"],
    "report": by_report,
    "alerts": by_alerts,
    "bench": by_bench,
}
OTHER_COMMANDS = {
    "ranking": "prints leaders, not scores: test_a_ranking_has_the_scores_of_the_model",
    "classes": "one case per class: tests/classes",
    "events": "protocols of other fields, in seconds: tests/events",
    "backtest": "every threshold of an alert rule, compared with alert_summary: tests/operations",
    "review": "alerts by week, compared with alert_summary: tests/operations",
    "nab": "NAB's own score: tests/metrics/nab",
    "advise": "chooses a model", "detect": "writes scores", "audit": "checks data", "metrics": "lists metrics", "convert": "writes files",
    "plot": "draws", "generate": "writes series", "paper": "compared with the paper's numbers", "demo": "calls the commands above",
    "data": "downloads", "schema": "prints schemas",
}  # fmt: skip
"""Commands that give no F of a prediction under a model, and why or where they are compared."""


def test_every_command_is_compared_or_says_why_not():
    assert {name.partition(" ")[0] for name in COMMAND_ENTRY_POINTS} | set(OTHER_COMMANDS) == set(COMMANDS)


OTHER_FUNCTIONS = {
    "range_fbeta": "in METRICS", "range_precision": "in METRICS", "range_recall": "in METRICS",
    "ranking": "test_a_ranking_has_the_scores_of_the_model", "macro": "test_means_over_series_are_the_same_everywhere",
    "nab_score": "NAB's own score: tests/metrics/nab", "nab_curve": "tests/metrics/nab", "nab_corpus": "tests/metrics/nab",
    "tsb_ad": "columns that are in METRICS: tests/metrics/test_leaderboard.py",
    "frame_accuracy": "several classes: tests/classes", "macro_frame_f1": "tests/classes", "edit_score": "tests/classes",
    "segmental_f1": "tests/classes", "class_event_fbeta": "tests/classes", "class_error_rate": "tests/classes",
    "class_event_analysis": "tests/classes",
    "score_events": "protocols of other fields, in seconds: tests/events", "average_by_subject": "adds up score_events",
    "backtest": "compared with alert_summary: tests/operations", "review": "compared with alert_summary: tests/operations",
    "early_warning": "alarms before events: tests/operations", "warning_curve": "tests/operations", "care_score": "tests/operations",
    "fit_model": "chooses a model", "audit": "checks data",
    "as_ranges": "reads", "close_gaps": "changes scores", "set_threads": "sets threads",
}  # fmt: skip
"""Public functions that give no F of a prediction under a model, and why or where they are compared."""


def test_every_public_function_is_compared_or_says_why_not():
    tables = (PREDICTION_ENTRY_POINTS, PLAIN_ENTRY_POINTS, WEIGHTED_ENTRY_POINTS, CURVE_ENTRY_POINTS)
    compared = {name.removeprefix("rw.").partition(" ")[0] for table in tables for name in table}
    functions = {name for name in rw.__all__ if inspect.isfunction(getattr(rw, name))}
    assert functions - compared == set(OTHER_FUNCTIONS)


def by_read_case(asked):
    ignore = {"ignore": asked.ranges("ignore.csv", asked.ignore)} if asked.ignore else {}
    return rw.early.score(read_case(*asked.sides(), close_gaps=asked.gap, **ignore)).f


FILE_ENTRY_POINTS = COMMAND_ENTRY_POINTS | {"read_case": by_read_case}


@pytest.mark.parametrize(("real", "predicted", "ignore", "gap"), EXAMPLES)
@pytest.mark.parametrize("name", FILE_ENTRY_POINTS)
def test_files_have_the_score_of_arrays(name, real, predicted, ignore, gap, tmp_path, capsys):
    wanted = rw.early.score(real, predicted, **options_of(ignore, gap, as_times=False), length=LENGTH).f
    assert FILE_ENTRY_POINTS[name](Asked(tmp_path, real, predicted, ignore, gap, capsys)) == wanted


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(drawn_cases())
def test_files_have_the_score_of_arrays_in_random_cases(tmp_path_factory, capsys, drawn):
    real, predicted, _, ignore, gap = drawn
    real, predicted = (list(rw.Ranges(side).merge_touching()) for side in (real, predicted))
    assume(real and predicted and len(naive.points_of(ignore)) < LENGTH)
    wanted = rw.early.score(real, predicted, **options_of(ignore, gap, as_times=False), length=LENGTH).f
    asked = Asked(tmp_path_factory.mktemp("asked"), real, predicted, ignore, gap, capsys)
    for name, f in FILE_ENTRY_POINTS.items():
        if name != "bench":  # a process per run: the examples above
            assert f(asked) == wanted, name


@pytest.mark.parametrize(("real", "predicted", "ignore", "gap"), EXAMPLES)
def test_the_commands_of_scores_say_the_same(real, predicted, ignore, gap, tmp_path, capsys):
    model, options = rw.early, options_of(ignore, gap, as_times=False)
    scores = np.random.default_rng(3).integers(0, 9, LENGTH) / 8 + labels_of(real) / 4
    asked = Asked(tmp_path, real, predicted, ignore, gap, capsys)
    paths = asked.sides()[0], asked.text("found.txt", "".join(f"{score}\n" for score in scores.tolist()))
    curve = model.curve(real, scores, **options)
    threshold = float(curve.thresholds[len(curve) // 2])
    told = asked.json("curve", *paths, "--preset", "early", "--threshold", str(threshold), *asked.words())
    assert (told["f"], told["average_precision"]) == (curve.at(threshold).f, curve.average_precision)
    page = tmp_path / "page.html"
    assert run(["report", *paths, "--preset", "early", "--threshold", str(threshold), "--out", str(page), *asked.words()]) == 0
    shown = shown_on(page)
    assert shown["detectors"][0]["score"][2] == curve.at(threshold).f
    assert shown["counted"] == LENGTH - len(naive.points_of(ignore))


def test_means_over_series_are_the_same_everywhere(tmp_path, capsys):
    """Three series, one without an anomaly: the means are over the other two."""
    sides = {"a": ([(3, 12), (20, 23)], [(0, 5), (7, 9)]), "b": ([], [(4, 8)]), "c": ([(30, 38)], [(33, 40)])}
    model = rw.early
    wanted = rw.macro([model.tally(*pair) for pair in sides.values()]).f
    real, predicted = ({name: labels_of(pair[side]) for name, pair in sides.items()} for side in (0, 1))
    table = pl.concat([table_of(own, labels_of(found)).with_columns(series=pl.lit(name)) for name, (own, found) in sides.items()])
    for name, (own, found) in sides.items():
        (tmp_path / f"{name}.csv").write_text("value,label\n" + "".join(f"0,{label}\n" for label in labels_of(own).tolist()))
        (tmp_path / f"{name}.txt").write_text("".join(f"{label}\n" for label in labels_of(found).tolist()))
    experiment = rw.bench.Experiment(
        name="e", detectors=[{"name": "d", "predictions": "{series}.txt"}], series=[f"{name}.csv" for name in sides], metrics=["early"],
        folder=tmp_path, baselines=False, average="macro",
    )  # fmt: skip
    table.write_csv(tmp_path / "table.csv")
    words = ["score", str(tmp_path / "table.csv"), "--series", "series", "--real", "real", "--predicted", "found", "--preset", "early"]
    answers = {
        "score_many": rw.score_many(sides, model=model).macro.f,
        "score_many of a table": rw.score_many(table, series="series", real="real", predicted="found", model=model).macro.f,
        "compare": rw.compare(real, {"d": predicted}, metrics=[model]).mean[0, 0],
        "bench": rw.bench.run(experiment, workers=1).leaderboard(resamples=10).standings[0].macro.value,
        "score": by_command([*words, "--json"], capsys)["macro"]["f"],
    }
    assert answers == dict.fromkeys(answers, approx(wanted, abs=1e-15))


def test_every_input_option_is_taken_or_refused_by_name():
    """Options of one metric are options of all: none is passed over in silence."""
    given = {"weights": [1.0], "resolution": "1s", "step": "1min", "span": (TIMES[0], TIMES[-1]), "outside": "drop", "missing": "lowest"}
    assert set(given) | {"times", "ignore", "close_gaps", "length"} == CASE_OPTIONS
    assert {each.name for each in fields(FileOptions)} >= CASE_OPTIONS, "commands have the options of functions"
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
