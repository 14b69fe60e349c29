import numpy as np
import pytest

import rangewise as rw
from rangewise.plots.figure import new_figure, save_figure

REAL, PREDICTED = [(2, 6), (10, 14), (20, 22)], [(3, 7), (16, 18)]


def test_lanes_show_found_missed_and_false_ranges():
    score = rw.score(REAL, PREDICTED)
    axes = score.plot()
    bars = [collection for collection in axes.collections if collection.get_paths()]
    real_found, real_missed, predicted_found, false = (len(bar.get_paths()) for bar in bars)
    assert (real_found, real_missed, predicted_found, false) == (1, 2, 1, 1)
    texts = [text.get_text() for text in axes.texts]
    assert texts == [f"{row.reward:.2f}" for row in (*score.real, *score.predicted)]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["predicted\nprecision 0.38", "real\nrecall 0.25"]


def test_draws_on_given_axes_and_without_ranges():
    axes = new_figure(5, 2).add_subplot()
    assert rw.score([], []).plot(ax=axes) is axes
    axes.figure.canvas.draw()


def test_many_ranges_have_no_numbers_and_times_have_dates():
    many = [(4 * at, 4 * at + 2) for at in range(40)]
    assert not rw.score(many, many).plot().texts
    day = np.datetime64("2024-05-01T00:00", "ns")
    hours = [(day + np.timedelta64(a, "h"), day + np.timedelta64(b, "h")) for a, b in ((1, 3), (7, 8))]
    axes = rw.score(hours, hours[:1]).plot()
    assert axes.get_xlabel().startswith("time")
    axes.figure.canvas.draw()


@pytest.mark.parametrize(("name", "begin"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_saved_picture_has_the_format_of_its_suffix_and_is_reproducible(tmp_path, name, begin):
    contents = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        save_figure(rw.score(REAL, PREDICTED).plot().figure, tmp_path / folder / name)
        contents.append((tmp_path / folder / name).read_bytes())
    assert contents[0].startswith(begin)
    assert contents[0] == contents[1]


def test_rejects_pooled_score():
    pooled = sum([rw.RangeModel().tally(REAL, PREDICTED)] * 2, start=rw.RangeModel().tally([], [])).score()
    with pytest.raises(ValueError, match="no rows"):
        pooled.plot()
