"""Every entry point gives the same number for the same case, to the last bit.

A new metric is tested once it is in ``METRICS``, a new entry point once it is in one of the tables below.
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
    """Real ranges, a prediction, scores with ties, ignored intervals that may overlap, and the length of gaps to close."""
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


def stream_f(model, real, predicted, options):
    """F of a stream of three chunks. A stream does not close gaps, so they are closed before."""
    closed = rw.Ranges(naive.closed(predicted, options.get("close_gaps", 0)))
    stream, ignored = rw.Stream(model), naive.points_of(options.get("ignore", []))
    for start, stop in ((0, 7), (7, 30), (30, LENGTH)):
        rows = [int(row in ignored) for row in range(start, stop)]
        stream.update(labels_of(real)[start:stop], closed.to_labels(LENGTH)[start:stop], ignore=rows)
    return stream.score().f


# Every entry point that scores a prediction with a model: the model, both sides as rows, the input options -> F.
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
    "Stream": stream_f,
    "bench": lambda model, real, predicted, options: MetricChoice("m", model=str(model)).score(Case.read(real, predicted, **options)).value,
}


class FixedEstimator(BaseEstimator):
    """An estimator that predicts given labels."""

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
        FixedEstimator(labels_of(predicted)), np.zeros((LENGTH, 1)), labels_of(real)
    ),
    "ScoredRanges": lambda model, real, predicted: model.curve(real, rw.ScoredRanges(predicted, [0.5] * len(predicted))).at(0.5).f,
}


def _number(value):
    return {"nan": math.nan}.get(value, value)


def same(value, expected):
    return (math.isnan(value) and math.isnan(expected)) or value == expected


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(drawn_cases(), built_in_models())
def test_score_is_the_same_everywhere(drawn, model):
    real, predicted, _, ignore, gap = drawn
    # Labels cannot separate touching ranges.
    real, predicted = (list(rw.Ranges(side).merge_touching()) for side in (real, predicted))
    options = options_of(ignore, gap, as_times=False)
    remaining = naive.without(real, ignore)[0], naive.without(naive.closed(predicted, gap), ignore)[0]
    expected = model.score(*remaining).f
    for name, f in PREDICTION_ENTRY_POINTS.items():
        assert same(f(model, real, predicted, options), expected), name
    for name, f in PLAIN_ENTRY_POINTS.items():
        assert same(f(model, *remaining), expected), name
    # The same ranges as times.
    time_options = options_of(ignore, gap, as_times=True)
    if ignore or gap:
        assert same(model.score(labels_of(real), labels_of(predicted), **time_options).f, expected)
    assert same(model.score(times_of(real), times_of(predicted), **time_options).f, expected)


RANKED = {"bias": st.sampled_from(["flat", "front", "back", "middle"]), "cardinality": st.sampled_from(["one", "reciprocal"])}


@settings(deadline=None, max_examples=30)
@given(drawn_cases(), st.fixed_dictionaries(RANKED), st.sampled_from([0.0, 0.25, 0.75, 1.0]), st.sampled_from([0.5, 1.0, 2.0]))
def test_ranking_matches_scores(drawn, family, alpha, beta):
    """A ranking interpolates over alpha, so its F may differ from the model's in the last bit; its order is exact."""
    real, predicted, _, ignore, gap = drawn
    options = options_of(ignore, gap, as_times=False)
    predictions = {"a": predicted, "b": [(3, 9)], "none": []}
    model = rw.RangeModel(alpha=alpha, beta=beta, recall_bias=family["bias"], cardinality=family["cardinality"])
    expected = {name: model.score(real, prediction, **options, length=LENGTH).f for name, prediction in predictions.items()}
    ranked = rw.ranking(real, predictions, **options, length=LENGTH)
    assert ranked.scores(alpha=alpha, beta=beta, **family) == approx(expected, abs=1e-12)
    assert [expected[name] for name in ranked.order(model)] == sorted(expected.values(), reverse=True)


def weighted_f(real, predicted, weights, options):
    return rw.score(real, predicted, weights=weights, **options).f


def alert_summary_f(real, predicted, weights, options):
    """Incidents and alerts in times. Gaps are closed before, because the summary counts alerts one by one."""
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
    "alert_summary": alert_summary_f,
}
# Entry points without weights reject them by name.
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
def test_weighted_score_is_the_same_everywhere(drawn, data):
    real, predicted, _, ignore, gap = drawn
    real, predicted = (list(rw.Ranges(side).merge_touching()) for side in (real, predicted))
    weights = data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(real), max_size=len(real)))
    options = options_of(ignore, gap, as_times=False)
    remaining_real, remaining_predicted = naive.without(real, ignore)[0], naive.without(naive.closed(predicted, gap), ignore)[0]
    # Both parts of a split range keep its weight.
    weighted = list(zip(real, weights, strict=True))
    part_weights = [next(weight for (start, stop), weight in weighted if start <= part[0] < stop) for part in remaining_real]
    expected = rw.score(remaining_real, remaining_predicted, weights=part_weights).f
    for name, f in WEIGHTED_ENTRY_POINTS.items():
        assert same(f(real, predicted, weights, options), expected), name
    if real:
        for call in UNWEIGHTED_ENTRY_POINTS.values():
            with pytest.raises((ValueError, TypeError), match="weights"):
                call(real, predicted, weights)


# Every entry point that computes the curve of scores: the model, the real ranges, the scores, the input options -> curve.
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
def test_curve_is_the_same_everywhere(drawn, model):
    real, _, scores, ignore, gap = drawn
    real = list(rw.Ranges(real).merge_touching())
    options = options_of(ignore, gap, as_times=False)
    remaining_real = naive.without(real, ignore)[0]
    thresholds = naive.thresholds(scores.tolist(), gap, ignore)
    expected = [model.score(remaining_real, naive.predicted_at(scores.tolist(), threshold, gap, ignore)) for threshold in thresholds]
    curves = {name: curve_of(model, real, scores, options) for name, curve_of in CURVE_ENTRY_POINTS.items()}
    first = curves["curve"]
    assert first.thresholds.tolist() == thresholds
    for measure in ("precision", "recall"):
        # A curve sums in another order than a score.
        assert getattr(first, measure) == approx([getattr(score, measure) for score in expected], abs=1e-12, nan_ok=True)
    for name, curve in curves.items():
        for measure in ("thresholds", "precision", "recall"):
            assert np.array_equal(getattr(curve, measure), getattr(first, measure), equal_nan=True), (name, measure)
        for threshold, score in zip(thresholds, expected, strict=True):
            assert same(curve.at(threshold).f, score.f), name


def run_json(arguments, capsys):
    capsys.readouterr()
    assert run(arguments) == 0
    return json.loads(capsys.readouterr().out)


def write_files(folder, real, column, ignore):
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
def test_metric_is_the_same_everywhere(name, real, predicted, ignore, gap, tmp_path, capsys):
    metric = METRICS[name]
    random = np.random.default_rng(len(predicted))
    scores = random.integers(0, 9, LENGTH) / 8 + labels_of(real) / 4
    column = scores.tolist() if metric.needs == "scores" else labels_of(predicted).tolist()
    options = options_of(ignore, gap, as_times=False)
    given_options = options if metric.needs == "scores" else {**options, "length": LENGTH}
    real_path, path, words = write_files(tmp_path, real, column, ignore)
    words += ["--close-gaps", str(gap)] if gap else []
    try:
        expected = metric.function(real, scores if metric.needs == "scores" else predicted, **given_options)
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
        "score --metric": run_json(["score", real_path, path, "--metric", name, "--json", *words], capsys)[name],
        "compare --metric": run_json(["compare", real_path, path, "--metric", name, "--json", *words], capsys)["detectors"][0]["metrics"][
            name
        ]["value"],
    }
    for entry_point, value in answers.items():
        assert same(math.nan if value is None else value, expected), entry_point


@dataclass
class CaseFiles:
    """One case as files, and the options of commands for them."""

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
        """The prediction with closed gaps, for commands that do not close them."""
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
        return run_json([*words, "--json"], self.capsys)


def report_f(files):
    """F of ``--json``, which must be F on the page."""
    page = files.folder / "page.html"
    words = ["report", *files.sides(), "--preset", "early", "--no-baseline", "--out", str(page), "--force", *files.words()]
    (printed,) = files.json(*words)["detectors"]
    assert [printed[key] for key in ("precision", "recall", "f")] == read_page_data(page)["detectors"][0]["score"]
    return printed["f"]


def read_page_data(page):
    return json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', page.read_text(), re.S)[1])


def table_f(files):
    rows = zip(labels_of(files.real).tolist(), labels_of(files.predicted).tolist(), strict=True)
    table = files.text("table.csv", "name,real,found\n" + "".join(f"a,{one},{other}\n" for one, other in rows))
    columns = ["--series", "name", "--real", "real", "--predicted", "found"]
    return files.json("score", table, *columns, "--preset", "early", *files.words())["pooled"]["f"]


def alerts_f(files):
    """Ranges as times, at the resolution of one row, because a bias depends on the number of positions in a range."""
    paths = [files.ranges(f"{name}-times.csv", times_of(side)) for name, side in (("real", files.real), ("found", files.closed()))]
    ignored = files.ignored("ignore-times.csv", times_of(files.ignore))
    span = map(str, times_of([(0, LENGTH)])[0])  # without it, ignored intervals may cover the whole span
    return files.json("alerts", *paths, "--preset", "early", "--resolution", "1min", "--span", *span, *ignored)["score"]["f"]


def bench_f(files):
    """F of a whole run: experiment, store, process and export."""
    rows = "".join(f"{row},{label}\n" for row, label in enumerate(labels_of(files.real).tolist()))
    files.text("a.csv", "value,label\n" + rows)
    files.labels("a.txt", files.closed())
    ignore = f'ignore = "{files.ranges("ignore.csv", files.ignore)}"\n' if files.ignore else ""
    detector = '[[detector]]\nname = "other"\npredictions = "{series}.txt"\n'
    entries = f'{detector}[[series]]\npath = "a.csv"\n[[metric]]\nmodel = "early"\n'
    experiment = files.text("e.toml", f'name = "e"\nbaselines = false\n{ignore}{entries}')
    store, out = str(files.folder / "e.rwbench"), files.folder / "e.csv"
    assert run(["bench", "run", experiment, "--store", store, "--workers", "1"]) == 0
    assert run(["bench", "export", store, str(out)]) == 0
    return pl.read_csv(out)["f"][0]


# Every command that scores with a model: one case as files -> F under the preset ``early``.
COMMAND_ENTRY_POINTS = {
    "score": lambda files: files.json("score", *files.sides(), "--preset", "early", *files.words())["f"],
    "score of a table": table_f,
    "compare": lambda files: files.json("compare", *files.sides(), "--metric", "early", *files.words())["detectors"][0]["metrics"]["early"][
        "value"
    ],
    "curve": lambda files: files.json("curve", *files.sides(), "--preset", "early", "--threshold", "1", *files.words())["f"],
    "report": report_f,
    "alerts": alerts_f,
    "bench": bench_f,
}
OTHER_COMMANDS = {
    "ranking": "prints leaders, not scores: test_ranking_matches_scores",
    "classes": "one case per class: tests/classes",
    "events": "protocols of other fields, in seconds: tests/events",
    "backtest": "every threshold of an alert rule, compared with alert_summary: tests/operations",
    "review": "alerts by week, compared with alert_summary: tests/operations",
    "nab": "NAB's own score: tests/metrics/nab",
    "advise": "chooses a model", "detect": "writes scores", "audit": "checks data", "metrics": "lists metrics", "convert": "writes files",
    "plot": "draws", "generate": "writes series", "paper": "compared with the paper's numbers", "demo": "calls the commands above",
    "data": "downloads", "schema": "prints schemas",
}  # fmt: skip
"""Commands that print no F of a prediction under a model, and why, or where they are compared."""


def test_every_command_is_compared_or_excluded_with_a_reason():
    assert {name.partition(" ")[0] for name in COMMAND_ENTRY_POINTS} | set(OTHER_COMMANDS) == set(COMMANDS)


OTHER_FUNCTIONS = {
    "range_fbeta": "in METRICS", "range_precision": "in METRICS", "range_recall": "in METRICS",
    "ranking": "test_ranking_matches_scores", "macro": "test_means_over_series_are_the_same_everywhere",
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
"""Public functions that return no F of a prediction under a model, and why, or where they are compared."""


def test_every_public_function_is_compared_or_excluded_with_a_reason():
    tables = (PREDICTION_ENTRY_POINTS, PLAIN_ENTRY_POINTS, WEIGHTED_ENTRY_POINTS, CURVE_ENTRY_POINTS)
    compared = {name.removeprefix("rw.").partition(" ")[0] for table in tables for name in table}
    functions = {name for name in rw.__all__ if inspect.isfunction(getattr(rw, name))}
    assert functions - compared == set(OTHER_FUNCTIONS)


def read_case_f(files):
    ignore = {"ignore": files.ranges("ignore.csv", files.ignore)} if files.ignore else {}
    return rw.early.score(read_case(*files.sides(), close_gaps=files.gap, **ignore)).f


FILE_ENTRY_POINTS = COMMAND_ENTRY_POINTS | {"read_case": read_case_f}


@pytest.mark.parametrize(("real", "predicted", "ignore", "gap"), EXAMPLES)
@pytest.mark.parametrize("name", FILE_ENTRY_POINTS)
def test_files_score_like_arrays(name, real, predicted, ignore, gap, tmp_path, capsys):
    expected = rw.early.score(real, predicted, **options_of(ignore, gap, as_times=False), length=LENGTH).f
    assert FILE_ENTRY_POINTS[name](CaseFiles(tmp_path, real, predicted, ignore, gap, capsys)) == expected


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(drawn_cases())
def test_files_score_like_arrays_in_random_cases(tmp_path_factory, capsys, drawn):
    real, predicted, _, ignore, gap = drawn
    real, predicted = (list(rw.Ranges(side).merge_touching()) for side in (real, predicted))
    assume(real and predicted and len(naive.points_of(ignore)) < LENGTH)
    expected = rw.early.score(real, predicted, **options_of(ignore, gap, as_times=False), length=LENGTH).f
    files = CaseFiles(tmp_path_factory.mktemp("case"), real, predicted, ignore, gap, capsys)
    for name, f in FILE_ENTRY_POINTS.items():
        if name != "bench":  # too slow, because it starts a process; the examples above cover it
            assert f(files) == expected, name


@pytest.mark.parametrize(("real", "predicted", "ignore", "gap"), EXAMPLES)
def test_commands_for_scores_match_python(real, predicted, ignore, gap, tmp_path, capsys):
    model, options = rw.early, options_of(ignore, gap, as_times=False)
    scores = np.random.default_rng(3).integers(0, 9, LENGTH) / 8 + labels_of(real) / 4
    files = CaseFiles(tmp_path, real, predicted, ignore, gap, capsys)
    paths = files.sides()[0], files.text("found.txt", "".join(f"{score}\n" for score in scores.tolist()))
    curve = model.curve(real, scores, **options)
    threshold = float(curve.thresholds[len(curve) // 2])
    printed = files.json("curve", *paths, "--preset", "early", "--threshold", str(threshold), *files.words())
    assert (printed["f"], printed["average_precision"]) == (curve.at(threshold).f, curve.average_precision)
    page = tmp_path / "page.html"
    assert run(["report", *paths, "--preset", "early", "--threshold", str(threshold), "--out", str(page), *files.words()]) == 0
    page_data = read_page_data(page)
    assert page_data["detectors"][0]["score"][2] == curve.at(threshold).f
    assert page_data["counted"] == LENGTH - len(naive.points_of(ignore))


def test_means_over_series_are_the_same_everywhere(tmp_path, capsys):
    """Three series, one without an anomaly: the means are over the other two."""
    sides = {"a": ([(3, 12), (20, 23)], [(0, 5), (7, 9)]), "b": ([], [(4, 8)]), "c": ([(30, 38)], [(33, 40)])}
    model = rw.early
    expected = rw.macro([model.tally(*pair) for pair in sides.values()]).f
    real, predicted = ({name: labels_of(pair[side]) for name, pair in sides.items()} for side in (0, 1))
    table = pl.concat([table_of(pair[0], labels_of(pair[1])).with_columns(series=pl.lit(name)) for name, pair in sides.items()])
    for name, (real_ranges, predicted_ranges) in sides.items():
        (tmp_path / f"{name}.csv").write_text("value,label\n" + "".join(f"0,{label}\n" for label in labels_of(real_ranges).tolist()))
        (tmp_path / f"{name}.txt").write_text("".join(f"{label}\n" for label in labels_of(predicted_ranges).tolist()))
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
        "score": run_json([*words, "--json"], capsys)["macro"]["f"],
    }
    assert answers == dict.fromkeys(answers, approx(expected, abs=1e-15))


def test_every_input_option_is_used_or_rejected_by_name():
    """Every metric uses an input option or rejects it; none is silently ignored."""
    values = {"weights": [1.0], "resolution": "1s", "step": "1min", "span": (TIMES[0], TIMES[-1]), "outside": "drop", "missing": "lowest"}
    assert set(values) | {"times", "ignore", "close_gaps", "length"} == CASE_OPTIONS
    assert {each.name for each in fields(FileOptions)} >= CASE_OPTIONS, "commands have the options of functions"
    scores = np.linspace(0, 1, LENGTH)
    for metric in METRICS.values():
        second = scores if metric.needs == "scores" else labels_of([(3, 9)])
        for option, value in values.items():
            if option == "weights" and metric.name in ("range_fbeta", "range_recall"):
                continue
            if option == "missing" and metric.needs == "scores":
                continue  # test_missing_scores_are_handled_the_same_everywhere
            with pytest.raises((ValueError, TypeError), match=option):
                metric.function(labels_of([(2, 8)]), second, **{option: value})


@pytest.mark.parametrize("missing", ["lowest", "ignore"])
@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.needs == "scores"])
def test_missing_scores_are_handled_the_same_everywhere(name, missing, tmp_path, capsys):
    """``"lowest"`` fills in the lowest score, ``"ignore"`` ignores the row: in Python, in a ``Case`` and on the command line."""
    real, metric = [(3, 12), (20, 23)], METRICS[name]
    filled = np.random.default_rng(5).integers(1, 9, LENGTH) / 8 + labels_of(real) / 4
    filled[[6, 30, 31]] = filled.min()
    scores = filled.copy()
    scores[[6, 30, 31]] = np.nan
    with pytest.raises(ValueError, match=r"score 6 is nan.*missing='lowest' or missing='ignore'"):
        metric.function(real, scores)
    real_path, path, _ = write_files(tmp_path, real, scores.tolist(), [])
    command = ["score", real_path, path, "--metric", name, "--json", "--missing", missing]
    try:
        expected = metric.function(real, filled, **({} if missing == "lowest" else {"ignore": [(6, 7), (30, 32)]}))
    except IgnoreRefusedError:
        with pytest.raises(IgnoreRefusedError):
            metric.function(real, scores, missing=missing)
        assert run(command) == 2
        return
    answers = {
        "metric": metric.function(real, scores, missing=missing),
        "case": metric.function(Case.read(real, scores=scores, missing=missing)),
        "compare": rw.compare(real, {"a": scores}, metrics=[name], missing=missing).values[0, 0, 0],
        "score --metric": run_json(command, capsys)[name],
    }
    for entry_point, value in answers.items():
        assert same(value, expected), entry_point


@given(drawn_cases())
def test_case_matches_naive(drawn):
    real, predicted, _, ignore, gap = drawn
    case = Case.read(real, predicted, length=LENGTH, ignore=ignore, close_gaps=gap)
    remaining_real, real_clipping = naive.without(real, ignore)
    remaining_predicted, predicted_clipping = naive.without(naive.closed(predicted, gap), ignore)
    assert (list(case.real), list(case.predicted)) == (remaining_real, remaining_predicted)
    assert case.points == LENGTH - len(naive.points_of(ignore))
    clipping = case.clipping
    assert (clipping.real.shortened, clipping.real.removed, clipping.real.split) == real_clipping
    assert (clipping.predicted.shortened, clipping.predicted.removed, clipping.predicted.split) == predicted_clipping
