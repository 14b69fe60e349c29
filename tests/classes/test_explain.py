"""One line per range: the share found, and the classes that the rest was taken for."""

import numpy as np
import pytest
from hypothesis import given, settings

import rangewise as rw
from strategies import class_pairs


def test_rows_show_shares_by_class():
    real = [(100, 150, "walk"), (200, 260, "walk"), (410, 472, "walk")]
    predicted = [(200, 260, "walk"), (410, 448, "walk"), (448, 467, "run"), (600, 610, "run")]
    scores = rw.score_classes(real, predicted)
    assert [str(row) for row in scores.real] == [
        "walk 1 [100, 150): missed: 0.00",
        "walk 2 [200, 260): all found: 1.00",
        "walk 3 [410, 472): 61 % found, 31 % taken for run, 8.1 % missed: 0.61",
    ]
    assert [str(row) for row in scores.predicted] == [
        "walk 1 [200, 260): all is walk: 1.00",
        "walk 2 [410, 448): all is walk: 1.00",
        "run 1 [448, 467): all is walk: 0.00",
        "run 2 [600, 610): all on background: 0.00",
    ]
    assert scores.real[2].taken_for == {"run": pytest.approx(19 / 62)}
    assert scores.real[2].number == 3


def test_explain_shows_the_costliest_ranges():
    scores = rw.score_classes([*"aabbcc"], [*"aabccc"])
    text = scores.explain(limit=1)
    assert "b 1 [2, 4): 50 % found, 50 % taken for c: 0.50" in text
    assert "  ... and 2 more that lost no more than these; explain() shows all" in text
    assert len(scores.explain().splitlines()) == len(text.splitlines()) + 2
    with pytest.raises(ValueError, match="limit must be a number of ranges"):
        scores.explain(-1)


def test_rows_show_times_and_names():
    scores = rw.score_classes([("2024-05-01T10:00", "2024-05-01T10:10", "dog")], [("2024-05-01T10:05", "2024-05-01T10:10", "dog")])
    assert str(scores.real[0]) == "dog 1 2024-05-01 10:00 to 10:10 (10 min): 50 % found, 50 % missed: 0.50"


@settings(max_examples=60)
@given(class_pairs())
def test_shares_of_a_range_sum_to_one_and_rewards_match_the_class(sides):
    scores = rw.score_classes(*sides, model=rw.RangeModel(bias="back", cardinality="reciprocal", alpha=0.3))
    for side in ("real", "predicted"):
        rows = getattr(scores, side)
        assert [row.row.start for row in rows] == sorted(row.row.start for row in rows)
        for row in rows:
            assert row.found + sum(row.taken_for.values()) + row.rest == pytest.approx(1.0)
            assert row.row == getattr(scores[row.name], side)[row.number - 1] or np.isnan(row.row.center)


def test_classical_model_shows_each_point():
    scores = rw.score_classes([*"aab"], [*"abb"], model=rw.classical)
    assert [str(row) for row in scores.real] == [
        "a 1 [0, 1): all found: 1.00", "a 2 [1, 2): all taken for b: 0.00", "b 1 [2, 3): all found: 1.00",
    ]  # fmt: skip
