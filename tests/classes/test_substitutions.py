"""Ward's categories per class, and which errors are confusions with another class."""

import json
from dataclasses import asdict

import polars as pl
import pytest
from hypothesis import given, settings

from naive import classes as naive
from rangewise.classes import class_event_analysis
from rangewise.cli import run
from rangewise.metrics import event_analysis
from strategies import class_pairs, overlapping_classes

KINDS = (("deletion", "fragmenting", "underfill_start", "underfill_end"), ("insertion", "merge", "overfill_start", "overfill_end"))


@settings(max_examples=60)
@given(class_pairs())
def test_matches_naive(sides):
    left_out = ["-"] if "-" in {*sides[0], *sides[1]} else []
    _compare(class_event_analysis(*sides, background=left_out), *(naive.by_class(side, left_out) for side in sides))


@settings(max_examples=60)
@given(overlapping_classes())
def test_matches_naive_where_classes_overlap(sides):
    _compare(class_event_analysis(*sides), *sides)


def _compare(analysis, real, predicted):
    for name in analysis:
        assert analysis[name] == event_analysis(real.get(name, []), predicted.get(name, []))
        other = analysis.substituted[name]
        for kinds, own, others in zip(KINDS, (real, predicted), (predicted, real), strict=True):
            assert [getattr(other, kind) for kind in kinds] == naive.substituted(own, others, name)
            # A substitution is one of the class's own errors.
            assert all(getattr(other, kind) <= getattr(analysis[name].points, kind) for kind in kinds)


def test_without_background_every_error_is_a_substitution():
    analysis = class_event_analysis([*"aabbb"], [*"abbaa"])
    for name in "ab":
        points, other = analysis[name].points, analysis.substituted[name]
        assert (points.real - points.true_positive, points.returned - points.true_positive) == (other.real, other.returned)


def test_is_a_mapping_with_short_lines():
    analysis = class_event_analysis(["walking"] * 3 + ["running"], ["walking"] * 4)
    assert (list(analysis), len(analysis)) == (["running", "walking"], 2)
    assert repr(analysis) == "ClassEventAnalysis(running, walking)"
    assert all(len(line) <= 80 for line in str(analysis).splitlines())
    with pytest.raises(KeyError, match="there is no class 'x'"):
        analysis["x"]


def test_events_in_times_are_in_seconds():
    real = [(0.5, 10.25, "dog"), (20.0, 30.0, "car")]
    predicted = [(1.0, 9.0, "dog"), (19.5, 24.0, "car"), (25.0, 31.0, "dog")]
    tables = [pl.DataFrame(side, schema=["onset", "offset", "class"], orient="row") for side in (real, predicted)]
    rows = [[(int(4 * start), int(4 * stop), name) for start, stop, name in side] for side in (real, predicted)]
    in_times, in_rows = class_event_analysis(*tables), class_event_analysis(*rows)
    assert (in_times.unit, in_rows.unit) == ("seconds", "points")
    for name in ("car", "dog"):
        assert in_times[name].unit == "seconds"
        for seconds, points in ((in_times[name].points, in_rows[name].points), (in_times.substituted[name], in_rows.substituted[name])):
            assert asdict(seconds) == {kind: count / 4 for kind, count in asdict(points).items()}
    lines = [line.split() for line in str(in_times).splitlines()]
    assert ["real", "seconds", "true", "positive", "substitution", "missed", "total"] in lines
    assert ["dog", "8", "0", "1.75", "9.75"] in lines
    assert ["dog", "8", "5", "1", "14"] in lines


def test_command_prints_the_seconds_of_python(tmp_path, capsys):
    (tmp_path / "real.csv").write_text("onset,offset,class\n0.5,10.25,dog\n20,30,car\n")
    (tmp_path / "found.csv").write_text("onset,offset,class\n1,9,dog\n19.5,24,car\n25,31,dog\n")
    paths = [str(tmp_path / name) for name in ("real.csv", "found.csv")]
    analysis = class_event_analysis(*map(pl.read_csv, paths))
    assert run(["classes", *paths, "--by", "error"]) == 0
    assert capsys.readouterr().out == f"{analysis}\n"
    assert run(["classes", *paths, "--by", "error", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["errors"]
    for name, own in analysis.items():
        assert printed[name]["points"] == asdict(own.points)
        assert printed[name]["substituted_points"] == asdict(analysis.substituted[name])
