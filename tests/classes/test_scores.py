"""``ClassScores``: averages, tables and text."""

import json
import math

import pytest
from hypothesis import given, settings

import rangewise as rw
from strategies import class_pairs

REAL = [*"aaaabbbb----cccccccc"]
PREDICTED = [*"aaaaaabb-d--cccc----"]


@pytest.fixture
def scores():
    return rw.score_classes(REAL, PREDICTED, background="-")


def test_averages_are_over_classes_with_real_ranges(scores):
    with_real = [row for row in scores.rows if row.real_ranges]
    assert [row.name for row in with_real] == ["a", "b", "c"]
    assert scores.only_predicted == ("d",)
    for name in ("precision", "recall", "f"):
        values = [getattr(row, name) for row in with_real]
        assert getattr(scores.macro, name) == pytest.approx(sum(values) / 3)
        assert getattr(scores.weighted_by_points, name) == pytest.approx((4 * values[0] + 4 * values[1] + 8 * values[2]) / 16)
    # The false alarm of d counts where ranges are pooled: four predicted ranges.
    assert scores.micro.precision == pytest.approx((4 / 6 + 1 + 1 + 0) / 4)
    assert (scores.macro.classes, scores.micro.classes) == (3, 4)
    assert "only predicted: d; counts only in micro" in str(scores)


@settings(max_examples=60)
@given(class_pairs())
def test_average_weighted_by_ranges_has_the_recall_of_micro(sides):
    scores = rw.score_classes(*sides)
    assert scores.weighted.recall == pytest.approx(scores.micro.recall)


@settings(max_examples=60)
@given(class_pairs())
def test_averages_lie_between_the_classes(sides):
    scores = rw.score_classes(*sides)
    values = [row.f for row in scores.rows if row.real_ranges]
    for average in (scores.macro, scores.weighted, scores.weighted_by_points):
        assert min(values) - 1e-12 <= average.f <= max(values) + 1e-12


def test_averages_skip_nan():
    scores = rw.score_classes([*"aabb"], [*"aaaa"], model=rw.RangeModel(zero_division=math.nan))
    assert math.isnan(scores["b"].precision)
    assert (scores.macro.precision, scores.macro.recall) == (0.5, 0.5)


def test_no_real_ranges_give_no_macro_average():
    scores = rw.score_classes({}, {"a": [(0, 2)]})
    assert math.isnan(scores.macro.f)
    assert (scores.micro.precision, scores.micro.recall) == (0.0, 0.0)
    assert scores.confusion.counts.tolist() == [[1, 0]]
    empty = rw.score_classes([], [])
    assert math.isnan(empty.macro.f)
    assert empty.micro.f == 0.0
    assert len(empty) == 0
    assert str(empty).startswith("class")


def test_selects_a_class_by_name(scores):
    assert scores["a"].recall == 1.0
    assert scores["c"].real[0].reward == 0.5
    assert [*scores] == ["a", "b", "c", "d"]
    with pytest.raises(KeyError, match="there is no class 'e'; there are a, b, c, d"):
        scores["e"]


def test_tables(scores):
    assert scores.to_markdown().splitlines()[2].startswith("| a |")
    assert scores.to_latex().count(r"\midrule") == 2
    assert r"weighted by points" in scores.to_latex()
    assert scores.to_polars()["class"].to_list() == scores.to_pandas()["class"].tolist() == ["a", "b", "c", "d"]
    assert scores.to_csv().splitlines()[0] == "class,precision,recall,f,real_ranges,predicted_ranges"
    html = rw.score_classes(["<b>"], ["<b>"])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert all(len(line) <= 80 for line in str(scores).splitlines())


def test_writes_csv_files(scores, tmp_path):
    assert scores.to_csv(tmp_path / "found.csv") is None
    assert (tmp_path / "found.csv").read_text() == scores.to_csv()


def test_json_has_no_nan():
    exported = rw.score_classes({}, {"a": [(0, 2)]}).to_dict()
    assert json.loads(json.dumps(exported, allow_nan=False))["averages"]["macro"]["f"] is None


def test_equality_and_repr(scores):
    assert scores == rw.score_classes(REAL, PREDICTED, background="-")
    assert scores != rw.score_classes(REAL, REAL, background="-")
    assert scores != "scores"
    assert repr(scores).startswith("ClassScores(4 classes, macro F 0.")
