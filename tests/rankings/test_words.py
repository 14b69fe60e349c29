import numpy as np

import rangewise as rw

REAL = [(i * 100, i * 100 + 20) for i in range(8)]
DETECTORS = {
    "lstm": [(i * 100, i * 100 + 18) for i in range(4)],
    "luminol": [(i * 100 + 5, i * 100 + 8) for i in range(7)],
}


def test_says_who_leads_from_where_and_why():
    text = rw.ranking(REAL, DETECTORS, biases="flat", betas=1).explain()
    assert "Without a penalty for pieces, lstm leads for every alpha below 0.46; above it, luminol leads" in text
    assert "because it touches 7 of 8 ranges (lstm 4), although it covers 13 % of a range on average (lstm 45 %)" in text


def test_says_when_nobody_changes_places():
    found = rw.ranking(REAL, {"all": REAL, "half": REAL[:4]})
    text = str(found)
    assert text.startswith("all leads under every setting.")
    assert text.count("no two detectors change places") == 2
    assert "touches 8 of 8 ranges (half 4)" in text


def test_pieces_and_position_are_named_where_they_count():
    pieces = {"whole": [(0, 10)], "pieces": [(0, 3), (4, 7), (8, 10)]}
    text = rw.ranking([(0, 10)], pieces, cardinalities="reciprocal").explain()
    assert "needs 1.0 alarms per range found (pieces 3.0)" in text
    text = rw.ranking([(0, 10)], {"early": [(0, 4)], "late": [(6, 10)]}, biases=["front"]).explain()
    assert "covers earlier parts of the ranges than late" in text


def test_alone_equal_and_silent():
    assert rw.ranking(REAL, {"only": REAL}).explain().startswith("only is the only detector, so it leads.")
    assert rw.ranking(REAL, {"a": REAL, "b": REAL}).explain().startswith("a and b are equal under every setting")
    assert "because b raises no alarm" in rw.ranking(REAL, {"a": REAL, "b": []}).explain()
    assert "equal" in rw.ranking([], {"a": [], "b": []}).explain()


def test_thresholds_that_saw_the_labels_are_marked():
    scores = np.random.default_rng(0).random(800)
    text = rw.ranking(REAL, {"a": scores, "b": scores[::-1]}, thresholds="best-f").explain()
    assert "the scores are optimistic" in text
    assert "because" not in text  # every setting has a threshold of its own


def test_alpha_forgives_coverage_and_pieces_not_false_alarms():
    whole = {"whole": [(0, 10), (20, 30), (50, 52), (60, 62)], "dots": [(2, 4), (22, 24), (70, 71)]}
    text = rw.ranking([(0, 10), (20, 30)], whole, betas=1, biases="flat", cardinalities="one").explain()
    assert "so it matters less that it covers 20 % of a range on average (whole 100 %)" in text
