import pytest

import rangewise as rw
from rangewise.plots.figure import new_figure
from rangewise.plots.ranking_pictures import draw_bump_chart, draw_order_lines, draw_ranking_map

REAL = [(0, 10), (20, 30)]
DETECTORS = {"thorough": [(0, 10)], "touchy": [(0, 2), (20, 22)], "silent": []}


@pytest.mark.parametrize("alphas", [(0, 1), 0.3])
def test_map_has_a_bar_for_each_segment_and_letters(alphas):
    ranking = rw.ranking(REAL, DETECTORS, alphas=alphas)
    axes = ranking.plot()
    assert len(axes.patches) == len(ranking.segments)
    letters = {text.get_text() for text in axes.texts}
    assert {"A", "B"} & letters
    assert "flat, no penalty" in letters
    if alphas == (0, 1):
        bars = sorted((bar.get_y() + 0.5, bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches)
        rows = list(ranking.tracks)
        expected = sorted((float(rows.index((one.bias, one.cardinality, one.beta))), one.start, one.stop) for one in ranking.segments)
        assert bars == [pytest.approx(row) for row in expected]


def test_draws_on_given_axes():
    ranking = rw.ranking(REAL, DETECTORS)
    for draw in (draw_ranking_map, draw_order_lines, lambda _, ax: draw_bump_chart(rw.compare(REAL, DETECTORS), ax=ax)):
        axes = new_figure(5, 4).add_subplot()
        assert draw(ranking, ax=axes) is axes
        axes.figure.canvas.draw()


def test_order_lines_show_borders_and_names():
    ranking = rw.ranking(REAL, DETECTORS)
    texts = {text.get_text() for text in draw_order_lines(ranking).texts}
    assert "0.37" in texts
    assert {"A  thorough", "B  touchy", "C  silent"} <= texts


def test_equal_leaders_are_both_shown():
    axes = rw.ranking(REAL, {"a": REAL, "b": REAL}).plot()
    assert "A=B" in {text.get_text() for text in axes.texts}
