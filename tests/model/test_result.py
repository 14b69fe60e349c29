import math

import pytest

import rangewise as rw
from rangewise.model.bias import BIASES

REAL = [(0, 10), (20, 30), (40, 41), (50, 60)]
PREDICTED = [(8, 12), (20, 22), (24, 26), (40, 41), (70, 71), (50, 60)]


def test_explain():
    text = rw.score(REAL, PREDICTED, cardinality="reciprocal", alpha=0.5).explain()
    assert "R1 [0, 10): 20 % of it found, late: 0.5 + 0.5 x 0.20 = 0.60" in text
    assert "R2 [20, 30): 40 % of it found, mostly its front part, in 2 pieces: 0.5 + 0.5 x 0.40 x 1/2 = 0.60" in text
    assert "R3 [40, 41): all of it found: 0.5 + 0.5 x 1.00 = 1.00" in text
    assert "P1 [8, 12): 50 % of it is real, its front part: 0.50" in text
    assert "P6 [70, 71): false alarm" in text


def test_printing_shows_only_the_costliest_ranges():
    many = [(10 * i, 10 * i + 5) for i in range(100)]
    text = str(rw.score(many, [*many[:50], (502, 505), *many[51:]]))
    assert "R51 [500, 505): 60 % of it found, late: 0.60" in text
    assert "and 90 more" in text
    assert len(text.splitlines()) < 30
    assert "more that lost" not in rw.score(many[:10], many[:10]).explain()
    assert "more that lost" not in str(rw.score(many[:3], many[:3]))


@pytest.mark.parametrize(
    ("predicted", "place"),
    [([(0, 3)], "early"), ([(7, 10)], "late"), ([(4, 6)], "in the middle"), ([(6, 7), (9, 10)], "mostly its back part")],
)
@pytest.mark.parametrize("bias", BIASES)
def test_position_words_do_not_depend_on_the_bias(predicted, place, bias):
    assert f", {place}" in rw.score([(0, 10)], predicted, bias=bias).explain()


def test_tiny_and_nearly_whole_shares():
    text = rw.score([(0, 1000), (2000, 3000)], [(0, 1), (2000, 2999)]).explain()
    assert "under 1 % of it found" in text
    assert "over 99 % of it found" in text


def test_exact_shares_and_rounding():
    def first(positions, length):
        return positions == 1

    text = rw.score([(0, 10), (20, 30)], [(0, 1), (29, 30)], recall_bias=first, alpha=0.125).explain()
    assert "R1 [0, 10): all of it found, weighted by position, early: 0.125 + 0.875 x 1.00 = 1.00" in text
    assert "R2 [20, 30): none of it found, weighted by position, late: 0.125 + 0.875 x 0.00 = 0.12" in text
    assert "over 99 % of it found: 0.999" in rw.score([(0, 1000)], [(0, 999)]).explain()


def test_text_of_counts():
    assert "real       1 range: 1 found, 0 missed" in str(rw.score([(0, 2)], [(0, 1)]))
    assert "real       2 points: 1 found, 1 missed" in str(rw.classical.score([(0, 2)], [(0, 1)]))
    assert "predicted  no ranges, so precision is undefined and counts as 0" in str(rw.score([(0, 2)], []))
    assert str(rw.score([(0, 2)], [], zero_division=math.nan)).endswith("no ranges, so precision is undefined")
    with pytest.raises(ValueError, match="0 or more"):
        rw.score([(0, 2)], []).explain(limit=-1)


def test_html_is_escaped_and_complete():
    html = rw.score(REAL, PREDICTED)._repr_html_()
    assert html.count("<tr>") == 2 + len(REAL) + len(PREDICTED)
    assert "recall_bias='" not in html
    html = rw.score([(3 * at, 3 * at + 1) for at in range(22)], [])._repr_html_()
    assert html.count("<tr>") == 2 + 20
    assert "... and 2 more" in html


def test_rows_as_columns_and_as_rows():
    rows = rw.score(REAL, PREDICTED).real
    assert rows[0].reward == rows.reward[0] == next(iter(rows)).reward == 0.2
    assert list(rows.columns()) == ["start", "stop", "existence", "size", "overlaps", "factor", "reward", "covered", "center"]
    assert rows[-1] == rw.RangeRow(50, 60, True, 1.0, 1, 1.0, 1.0, 10, 0.5)
    assert "4 ranges" in repr(rows)
    assert rows[1:3].start.tolist() == [20, 40]
    assert repr(rw.score([], []).real) == "RangeRows(no ranges)"


def test_rows_of_points():
    rows = rw.classical.score([(0, 3)], [(2, 4)]).predicted
    assert list(zip(rows.start, rows.reward, strict=True)) == [(2, 1.0), (3, 0.0)]


def test_rows_do_not_change_with_the_callers_arrays():
    import numpy as np

    labels = np.array([0, 1, 1, 0])
    score = rw.score(labels, [0, 1, 0, 0])
    labels[:] = 0
    assert len(score.real) == 1


def test_pooled_scores_have_no_rows():
    tally = rw.RangeModel().tally(REAL, PREDICTED)
    assert tally.score().recall == rw.score(REAL, PREDICTED).recall
    with pytest.raises(ValueError, match="one series"):
        _ = tally.score().real
    assert "recall" in str(tally.score())


def test_undefined_scores_print():
    assert "nan" in str(rw.score([], [], zero_division=math.nan))


def test_repr_and_equality_use_the_numbers():
    one, same = rw.score([(0, 4)], [(0, 2)]), rw.score([(5, 9)], [(5, 7)], weights=[3.0])
    assert one == same
    assert repr(one) == f"Score(precision=1.0, recall=0.5, f={one.f!r}, model={one.model!r})"


def test_scores_with_the_same_numbers_are_equal_from_every_source():
    """The score of a pooled curve has the number of predicted points instead of ranges."""
    real, scores = [0, 1, 1, 1, 0, 0, 1, 1], [0.1, 0.2, 0.9, 0.1, 0.3, 0.8, 0.7, 0.2]
    assert rw.pooled_curve({"a": (real, scores)}, model=rw.early).at(0.5) == rw.early.score(real, [score >= 0.5 for score in scores])
