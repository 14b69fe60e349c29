"""The picture of a confusion matrix: its cells, labels and axes."""

import pytest
from matplotlib.figure import Figure

import rangewise as rw

SCORES = rw.score_classes([*"aaaabbbb--"], [*"aabbbbbb-a"], background="-")


def cell_texts(ax):
    return {(round(text.get_position()[0]), round(text.get_position()[1])): text.get_text() for text in ax.texts if text.get_text()}


def test_cells_show_shares():
    ax = SCORES.plot_confusion()
    assert cell_texts(ax) == {(0, 0): "50 %", (1, 0): "50 %", (1, 1): "100 %"}
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "missed"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]


def test_counts_have_a_background_row():
    ax = SCORES.plot_confusion(counts=True)
    assert cell_texts(ax) == {(0, 0): "1", (1, 1): "1", (0, 2): "1"}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "background"]


def test_draws_on_given_axes():
    ax = Figure().add_subplot()
    assert SCORES.plot_confusion(ax=ax) is ax
    assert ax.images[0].get_array().shape == (2, 3, 4)


@pytest.mark.parametrize(("count", "cells_with_text"), [(0, 0), (1, 1), (30, 0)])
def test_any_number_of_classes(count, cells_with_text, tmp_path):
    side = {name: [(name, name + 1)] for name in range(count)}
    ax = rw.score_classes(side, side).plot_confusion(counts=count == 1)
    assert len(cell_texts(ax)) == cells_with_text
    ax.figure.savefig(tmp_path / "drawn.png")


def test_small_share_is_not_shown_as_0():
    scores = rw.score_classes({"a": [(0, 1000)]}, {"a": [(0, 998)], "b": [(998, 1000)]})
    assert cell_texts(scores.plot_confusion())[1, 0] == "<1 %"
