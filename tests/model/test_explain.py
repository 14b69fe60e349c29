"""Where words change in the explanation of a score: a case just inside each border and one just outside."""

import pytest

import rangewise as rw


def line(real, predicted, **options):
    return rw.score(real, predicted, **options).explain().splitlines()[4]


# A quarter of a range that begins at row o lies at o / 3000 of the way that it can go.
@pytest.mark.parametrize(
    ("start", "place"), [(0, "early"), (999, "early"), (1001, "in the middle"), (1999, "in the middle"), (2001, "late")]
)
def test_early_and_late_are_thirds(start, place):
    assert f"25 % of it found, {place}: 0.25" in line([(0, 4000)], [(start, start + 1000)])


@pytest.mark.parametrize(
    ("start", "place"), [(999, "its front part"), (1001, "its middle part"), (1999, "its middle part"), (2001, "its back part")]
)
def test_the_same_words_for_a_prediction(start, place):
    text = rw.score([(start, start + 1000)], [(0, 4000)]).explain()
    assert f"25 % of it is real, {place}: 0.25" in text


@pytest.mark.parametrize(
    ("found", "words"), [(890, "89 % of it found, early"), (899, "90 % of it found, early"), (900, "90 % of it found: 0.90")]
)
def test_what_covers_nine_tenths_lies_nowhere_in_particular(found, words):
    assert words in line([(0, 1000)], [(0, found)])


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (9, "under 1 % of it found"),
        (10, "1 % of it found"),
        (15, "2 % of it found"),
        (990, "99 % of it found"),
        (991, "over 99 % of it found"),
        (999, "over 99 % of it found"),
        (1000, ": all of it found"),
    ],
)
def test_a_share_that_is_neither_nothing_nor_all_never_reads_so(found, words):
    assert words in line([(0, 1000)], [(0, found)])
    for border in ("under", "over"):
        assert (border in line([(0, 1000)], [(0, found)])) == words.startswith(border)


def test_a_limit_of_0_shows_how_many_there_are():
    text = rw.score([(0, 4), (8, 9)], [(1, 2)]).explain(limit=0)
    assert "... and 2 more" in text
    assert "R1" not in text
    with pytest.raises(ValueError, match=r"0 or more, or None for all; got -1"):
        rw.score([(0, 4)], [(1, 2)]).explain(limit=-1)


def test_what_begins_on_time_is_not_late():
    real = [("2024-05-01 10:00", "2024-05-01 11:00")]
    on_time, late = ([(f"2024-05-01 10:0{minute}", "2024-05-01 10:30")] for minute in (0, 1))
    assert "late" not in line(real, on_time)
    assert "1 min late" in line(real, late)
