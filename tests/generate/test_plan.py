import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rangewise.datasets import Anomalies
from rangewise.generate.plan import draw_plan
from rangewise.inputs.ranges import Ranges


@st.composite
def demands(draw):
    """(wanted, length, taken): small series, tight or roomy, sometimes with ranges that are taken already."""
    length = draw(st.integers(1, 400))
    start = draw(st.integers(0, length - 1))
    part = draw(st.sampled_from([None, (start, draw(st.integers(start + 1, length)))]))
    shortest = draw(st.integers(1, 12))
    wanted = Anomalies(
        number=draw(st.integers(0, 12)), lengths=(shortest, shortest + draw(st.integers(0, 9))), gap=draw(st.integers(1, 8)), part=part
    )
    taken, at = [], 0
    for gap, size in draw(st.lists(st.tuples(st.integers(0, 80), st.integers(1, 20)), max_size=4)):
        if at + gap + size > length:
            break
        taken.append((at + gap, at + gap + size))
        at += gap + size
    return wanted, length, Ranges(taken)


@given(demand=demands(), seed=st.integers(0, 2**70), channels=st.integers(1, 3))
def test_a_plan_keeps_its_word_or_says_that_it_cannot(demand, seed, channels):
    wanted, length, taken = demand
    try:
        plan = draw_plan(wanted, length=length, channels=channels, seed=seed, taken=taken)
    except ValueError:
        with pytest.raises(ValueError, match="do not fit"):
            draw_plan(wanted, length=length, channels=channels, seed=seed, taken=taken)
        return
    assert len(plan.ranges) == wanted.number
    low, high = wanted.part or (0, length)
    everything = sorted([*plan.ranges, *taken])
    for start, stop in plan.ranges:
        assert low <= start < stop <= high
        assert wanted.lengths[0] <= stop - start <= wanted.lengths[1]
        for other_start, other_stop in everything:
            if (other_start, other_stop) != (start, stop):
                assert other_start >= stop + wanted.gap or other_stop + wanted.gap <= start
    assert all(0 <= channel < channels for channel in plan.channels)
    assert all(0.5 <= strength <= 1.5 for strength in plan.strengths)
    assert set(plan.signs) <= {-1.0, 1.0}


@given(gap=st.integers(1, 5), lengths=st.lists(st.integers(1, 9), min_size=1, max_size=8), seed=st.integers(0, 99))
def test_what_just_fits_is_placed_and_one_row_less_is_refused(gap, lengths, seed):
    needed = sum(lengths) + gap * (len(lengths) - 1)
    wanted = Anomalies(exact_lengths=lengths, gap=gap)
    plan = draw_plan(wanted, length=needed, channels=1, seed=seed)
    assert sorted(plan.ranges.lengths.tolist()) == sorted(lengths)
    assert (plan.ranges[0][0], plan.ranges[-1][1]) == (0, needed)
    if needed > 1:
        with pytest.raises(ValueError, match="do not fit"):
            draw_plan(wanted, length=needed - 1, channels=1, seed=seed)


def test_a_long_series_has_the_stated_distributions():
    length = 4_000_000
    plan = draw_plan(Anomalies(kinds=["mean", "trend"], rate=0.1, strength=(1, 3)), length=length, channels=1, seed=1)
    ranges = plan.ranges
    assert ranges.lengths.sum() / length == pytest.approx(0.1, rel=0.02)
    assert (ranges.lengths.min(), ranges.lengths.max()) == (50, 100)
    assert ranges.lengths.mean() == pytest.approx(75, rel=0.02)
    assert plan.strengths.mean() == pytest.approx(2, rel=0.02)
    assert plan.signs.mean() == pytest.approx(0, abs=0.05)
    assert plan.kinds.mean() == pytest.approx(0.5, abs=0.03)
    # No place is preferred: as many in each tenth, within five standard deviations.
    counts = np.histogram(ranges.starts, bins=10, range=(0, length))[0]
    assert abs(counts - len(ranges) / 10).max() < 5 * np.sqrt(len(ranges) / 10)
    assert abs(np.corrcoef(ranges.lengths[1:], ranges.lengths[:-1])[0, 1]) < 0.05


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kinds": ["mean", "tend"]}, "did you mean 'trend'"),
        ({"kinds": []}, "name at least one kind"),
        ({"rate": 1.0}, "rate is the part of the points"),
        ({"rate": float("nan")}, "rate is the part of the points"),
        ({"lengths": (20, 10)}, r"lengths is \(shortest, longest\)"),
        ({"lengths": (0, 10)}, "the shortest length is 1 or more"),
        ({"lengths": (1, 2), "exact_lengths": [3]}, "give one of them"),
        ({"number": 2, "exact_lengths": [3]}, "drop number="),
        ({"exact_lengths": [0]}, "an exact length is 1 or more"),
        ({"gap": 0}, "gap is 1 or more"),
        ({"strength": (0, 1)}, "strength is .* above 0"),
        ({"strength": (1, float("inf"))}, "strength is .* above 0"),
        ({"part": (5, 5)}, "part is a half-open range"),
        ({"part": (-1, 5)}, "the start of part is 0 or more"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Anomalies(**settings)


@pytest.mark.parametrize("settings", [{"lengths": 5}, {"strength": 1.0}, {"part": "ab"}, {"gap": 1.5}, {"number": True}])
def test_wrong_types(settings):
    with pytest.raises(TypeError, match="got"):
        Anomalies(**settings)


def test_impossible_places():
    with pytest.raises(ValueError, match=r"part is \(0, 11\), but the series has 10 rows"):
        draw_plan(Anomalies(part=(0, 11)), length=10, channels=1, seed=0)
    with pytest.raises(ValueError, match="up to 11 points do not fit in 10 rows"):
        draw_plan(Anomalies(number=1, lengths=(2, 11)), length=10, channels=1, seed=0)
    with pytest.raises(ValueError, match=r"a rate of 0.01 in 1000 rows is less than one anomaly of 50 to 100 points; give a number"):
        draw_plan(Anomalies(rate=0.01, lengths=(50, 100)), length=1000, channels=1, seed=0)
    assert len(draw_plan(Anomalies(rate=0, lengths=(50, 100)), length=1000, channels=1, seed=0).ranges) == 0
