import numpy as np

import rangewise as rw
from rangewise.rankings.words import leader_grid

REAL = [(i * 100, i * 100 + 20) for i in range(8)]
DETECTORS = {
    "lstm": [(i * 100, i * 100 + 18) for i in range(4)],
    "luminol": [(i * 100 + 5, i * 100 + 8) for i in range(7)],
}


def test_explains_who_leads_where_and_why():
    text = rw.ranking(REAL, DETECTORS, biases="flat", betas=1).explain()
    assert "Without a penalty for pieces, lstm leads for every alpha below 0.46; above it, luminol leads" in text
    assert "because it touches 7 of 8 ranges (lstm 4), although it covers 13 % of a range on average (lstm 45 %)" in text


def test_explains_that_the_order_never_changes():
    ranking = rw.ranking(REAL, {"all": REAL, "half": REAL[:4]})
    text = ranking.explain()
    assert text.startswith("all leads under every setting.")
    assert text.count("no two detectors change places") == 2
    assert "touches 8 of 8 ranges (half 4)" in text


def test_explains_pieces_and_positions():
    pieces = {"whole": [(0, 10)], "pieces": [(0, 3), (4, 7), (8, 10)]}
    text = rw.ranking([(0, 10)], pieces, cardinalities="reciprocal").explain()
    assert "needs 1.0 alarms per range found (pieces 3.0)" in text
    text = rw.ranking([(0, 10)], {"early": [(0, 4)], "late": [(6, 10)]}, biases=["front"]).explain()
    assert "covers earlier parts of the ranges than late" in text


def test_explains_single_equal_and_silent_detectors():
    assert rw.ranking(REAL, {"only": REAL}).explain().startswith("only is the only detector, so it leads.")
    assert rw.ranking(REAL, {"a": REAL, "b": REAL}).explain().startswith("a and b are equal under every setting")
    assert "because b raises no alarm" in rw.ranking(REAL, {"a": REAL, "b": []}).explain()
    assert "equal" in rw.ranking([], {"a": [], "b": []}).explain()


def test_equal_detectors_have_no_leader_and_no_reason():
    for found in (rw.ranking(REAL, {"a": REAL, "b": REAL}), rw.ranking([], {"a": [], "b": [(0, 2)]})):
        lines = str(found).splitlines()
        assert lines[0] == "a and b are equal under every setting."
        assert not any(word in str(found) for word in ("leads", "because", "lead together"))


def test_certainty_is_of_a_setting_of_the_ranking():
    """a leads only where alpha is small, which this ranking leaves out."""
    real = {day: [(0, 10), (20, 30)] for day in "mno"}
    detectors = {"a": {day: [(0, 10)] for day in real}, "b": {day: [(0, 2), (20, 22)] for day in real}}
    found = rw.ranking(real, detectors, alphas=(0.5, 1), betas=2, biases="front", cardinalities="reciprocal")
    assert found.explain().startswith("b leads under every setting.")
    assert "Over 3 series, b leads with front, reciprocal, beta 2 and alpha 0.5 in 100 % of the resamples." in found.explain()
    assert "a leads under the default settings in 100 %" in rw.ranking(real, detectors).explain()


def test_thresholds_that_saw_the_labels_are_marked():
    scores = np.random.default_rng(0).random(800)
    text = rw.ranking(REAL, {"a": scores, "b": scores[::-1]}, thresholds="best-f").explain()
    assert "the scores are optimistic" in text
    assert "because" not in text  # each setting has its own threshold


def test_explains_that_coverage_matters_less_with_alpha():
    detectors = {"whole": [(0, 10), (20, 30), (50, 52), (60, 62)], "dots": [(2, 4), (22, 24), (70, 71)]}
    text = rw.ranking([(0, 10), (20, 30)], detectors, betas=1, biases="flat", cardinalities="one").explain()
    assert "so it matters less that it covers 20 % of a range on average (whole 100 %)" in text


def test_grid_and_exceptions_agree_with_the_leaders():
    """Every cell of the grid names the leaders on both sides of its borders; the counts of the exceptions add up."""
    random = np.random.default_rng(7)
    for _ in range(6):
        starts = random.choice(40, 12, replace=False) * 20
        detectors = {
            name: sorted((int(start), int(start + random.integers(1, 18))) for start in random.choice(starts, 8, replace=False))
            for name in ("a", "b", "c")
        }
        ranking = rw.ranking([(int(start), int(start) + 15) for start in sorted(starts[:9])], detectors)
        text = str(ranking)
        leading = [name for name, share in sorted(ranking.first.items(), key=lambda item: -item[1]) if share > 0]
        if len(leading) == 1:
            assert "Leader by bias" not in text
            continue
        grid = leader_grid(ranking, leading)
        letters = dict(zip("ABC", leading, strict=False))
        for cardinality, beta, *cells in grid.rows:
            for bias, cell in zip(grid.columns[2:], cells, strict=True):
                parts = cell.split()
                borders = [0.0, *map(float, parts[1::2]), 1.0]
                for leaders, low, high in zip(parts[::2], borders, borders[1:], strict=False):
                    if high - low > 0.02:  # borders are shown to two digits
                        where = {"alpha": (low + high) / 2, "beta": float(beta), "bias": bias, "cardinality": cardinality}
                        assert {letters[letter] for letter in leaders.split("=")} == set(ranking.leaders(**where))
        alone = sum(cell == "A" for row in grid.rows for cell in row[2:])
        assert alone + sum(int(line.split()[0]) for line in text.splitlines() if " of 24 combinations" in line) == 24
