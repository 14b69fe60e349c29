"""Where the words of an explanation change: a case just inside each border and one just outside."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rangewise as rw
from rangewise.inputs.instants import duration_text
from rangewise.model.explain import row_text
from strategies import built_in_models, side_pairs

DAY, MINUTE = np.datetime64("2024-05-01", "ns"), np.timedelta64(1, "m")


def line(real, predicted, **options):
    return rw.score(real, predicted, **options).explain().splitlines()[4]


# A quarter of a range of 4000 points can begin at rows 0 to 3000; thirds of these are early, in the middle and late.
@pytest.mark.parametrize(
    ("start", "place"), [(0, "early"), (999, "early"), (1001, "in the middle"), (1999, "in the middle"), (2001, "late")]
)
def test_early_and_late_are_thirds(start, place):
    assert f"25 % of it found, {place}: 0.25" in line([(0, 4000)], [(start, start + 1000)])


@pytest.mark.parametrize(
    ("start", "place"), [(999, "its front part"), (1001, "its middle part"), (1999, "its middle part"), (2001, "its back part")]
)
def test_parts_of_a_prediction_are_thirds(start, place):
    text = rw.score([(start, start + 1000)], [(0, 4000)]).explain()
    assert f"25 % of it is real, {place}: 0.25" in text


@pytest.mark.parametrize(
    ("covered", "words"), [(890, "89 % of it found, early"), (899, "90 % of it found, early"), (900, "90 % of it found: 0.90")]
)
def test_no_position_is_named_from_nine_tenths_on(covered, words):
    assert words in line([(0, 1000)], [(0, covered)])


@pytest.mark.parametrize(
    ("covered", "words"),
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
def test_partial_shares_never_read_as_nothing_or_all(covered, words):
    assert words in line([(0, 1000)], [(0, covered)])
    for border in ("under", "over"):
        assert (border in line([(0, 1000)], [(0, covered)])) == words.startswith(border)


def test_limit_of_0_shows_only_the_count():
    text = rw.score([(0, 4), (8, 9)], [(1, 2)]).explain(limit=0)
    assert "... and 2 more" in text
    assert "R1" not in text
    with pytest.raises(ValueError, match=r"0 or more, or None for all; got -1"):
        rw.score([(0, 4)], [(1, 2)]).explain(limit=-1)


def test_detection_on_time_is_not_late():
    real = [("2024-05-01 10:00", "2024-05-01 11:00")]
    on_time, late = ([(f"2024-05-01 10:0{minute}", "2024-05-01 10:30")] for minute in (0, 1))
    assert "late" not in line(real, on_time)
    assert "1 min late" in line(real, late)


def words_of(line):
    """The words of a line about the position and the number of pieces."""
    return [word.strip() for word in line.partition(": ")[2].rpartition(": ")[0].split(",")]


@given(sides=side_pairs(), model=built_in_models(), minutes=st.booleans())
def test_every_word_agrees_with_the_points(sides, model, minutes):
    """Each line is checked against its points, counted one by one."""
    model = replace(model, as_points=None)
    if minutes:
        score = model.score(*(DAY + MINUTE * np.array(side, dtype=np.int64).reshape(-1, 2) for side in sides))
    else:
        score = model.score(*sides)
    for own, other, rows, lettered in ((*sides, score.real, "R"), (*sides[::-1], score.predicted, "P")):
        covering = {point for start, stop in other for point in range(start, stop)}
        for index, ((start, stop), row) in enumerate(zip(sorted(own), rows, strict=True)):
            line = row_text(model, lettered, index, row, "x")
            places = [point - start for point in range(start, stop) if point in covering]
            length, met = stop - start, sum(a < stop and start < b for a, b in other)
            if not places:
                assert line.endswith(": 0")
                assert ("missed" if lettered == "R" else "false alarm") in line
                continue
            share, words = line.partition(": ")[2].partition(" of it")[0], words_of(line)
            flat = (model.recall_bias if lettered == "R" else model.precision_bias) == "flat"
            if flat:
                percent = 100 * len(places) / length
                assert (share == "all") == (len(places) == length)
                if share not in ("all", "under 1 %", "over 99 %"):
                    assert abs(float(share.split()[0]) - percent) <= 0.5
                    assert 1 <= percent <= 99
            assert (f"in {met} {'pieces' if lettered == 'R' else 'real ranges'}" in words) == (met > 1)
            mean = np.mean(places) + 0.5
            slack = length - len(places)
            place = (mean - len(places) / 2) / slack if slack else 0.5
            late = next((word for word in words if word.endswith("late")), "")
            if late:
                assert 0 not in places
                assert late == "late" or (minutes and late == f"{duration_text(places[0] * 60 * 10**9)} late")
            if "early" in words:
                assert places[0] <= slack / 3
            if "in the middle" in words:
                assert 0 not in places
                assert length - 1 not in places
            for word, right in (("front", place < 0.5), ("back", place > 0.5)):
                if any(f"its {word} part" in each for each in words):
                    assert right
            reward = line.rpartition(": ")[2].rpartition("= ")[2].removeprefix("over ")
            assert float(reward) == pytest.approx(row.reward, abs=0.00501)
            assert (float(reward) == 1) <= (row.reward == 1)
            assert (float(reward) == 0) <= (row.reward == 0)


def test_nearly_full_rewards_never_read_as_1():
    assert line([(0, 10**6)], [(0, 10**6 - 1)]).endswith("over 99 % of it found: over 0.9999")
    assert line([(0, 10**4)], [(0, 10**4 - 1)]).endswith("over 99 % of it found: 0.9999")
    assert line([(0, 2**60)], [(0, 2**60 - 1)]).startswith("  R1 [0, 1152921504606846976): over 99 % of it found")
    assert line([(0, 4)], [(0, 2)], alpha=0.99999).endswith("0.99999 + 1e-05 x 0.50 = over 0.9999")
