"""The confusion as a picture: what is drawn on which axes, and which words are in it."""

import pytest
from matplotlib.figure import Figure

import rangewise as rw

SCORES = rw.score_classes([*"aaaabbbb--"], [*"aabbbbbb-a"], background="-")


def texts(ax):
    return {(round(each.get_position()[0]), round(each.get_position()[1])): each.get_text() for each in ax.texts if each.get_text()}


def test_shares_are_written_where_they_belong():
    ax = SCORES.plot_confusion()
    assert texts(ax) == {(0, 0): "50 %", (1, 0): "50 %", (1, 1): "100 %"}
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "missed"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]


def test_counts_have_a_row_of_background():
    ax = SCORES.plot_confusion(counts=True)
    assert texts(ax) == {(0, 0): "1", (1, 1): "1", (0, 2): "1"}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "background"]


def test_it_is_drawn_on_the_axes_it_is_given():
    ax = Figure().add_subplot()
    assert SCORES.plot_confusion(ax=ax) is ax
    assert ax.images[0].get_array().shape == (2, 3, 4)


@pytest.mark.parametrize(("count", "written"), [(0, 0), (1, 1), (30, 0)])
def test_any_number_of_classes(count, written, tmp_path):
    side = {name: [(name, name + 1)] for name in range(count)}
    ax = rw.score_classes(side, side).plot_confusion(counts=count == 1)
    assert len(texts(ax)) == written
    ax.figure.savefig(tmp_path / "drawn.png")


def test_a_small_share_is_not_nothing():
    scores = rw.score_classes({"a": [(0, 1000)]}, {"a": [(0, 998)], "b": [(998, 1000)]})
    assert texts(scores.plot_confusion())[1, 0] == "<1 %"
