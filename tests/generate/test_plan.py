import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rangewise.datasets import Anomalies
from rangewise.generate.plan import draw_plan
from rangewise.inputs.ranges import Ranges


@st.composite
def cases(draw):
    """(anomalies, length, taken): short series with little or much free space, sometimes with ranges that are already taken."""
    length = draw(st.integers(1, 400))
    start = draw(st.integers(0, length - 1))
    part = draw(st.sampled_from([None, (start, draw(st.integers(start + 1, length)))]))
    shortest = draw(st.integers(1, 12))
    anomalies = Anomalies(
        number=draw(st.integers(0, 12)), lengths=(shortest, shortest + draw(st.integers(0, 9))), gap=draw(st.integers(1, 8)), part=part
    )
    taken, position = [], 0
    for gap, size in draw(st.lists(st.tuples(st.integers(0, 80), st.integers(1, 20)), max_size=4)):
        if position + gap + size > length:
            break
        taken.append((position + gap, position + gap + size))
        position += gap + size
    return anomalies, length, Ranges(taken)


@given(case=cases(), seed=st.integers(0, 2**70), channels=st.integers(1, 3))
def test_plan_satisfies_the_request_or_raises(case, seed, channels):
    anomalies, length, taken = case
    try:
        plan = draw_plan(anomalies, length=length, channels=channels, seed=seed, taken=taken)
    except ValueError:
        with pytest.raises(ValueError, match="do not fit"):
            draw_plan(anomalies, length=length, channels=channels, seed=seed, taken=taken)
        return
    assert len(plan.ranges) == anomalies.number
    low, high = anomalies.part or (0, length)
    everything = sorted([*plan.ranges, *taken])
    for start, stop in plan.ranges:
        assert low <= start < stop <= high
        assert anomalies.lengths[0] <= stop - start <= anomalies.lengths[1]
        for other_start, other_stop in everything:
            if (other_start, other_stop) != (start, stop):
                assert other_start >= stop + anomalies.gap or other_stop + anomalies.gap <= start
    assert all(0 <= channel < channels for channel in plan.channels)
    assert all(0.5 <= strength <= 1.5 for strength in plan.strengths)
    assert set(plan.signs) <= {-1.0, 1.0}


@given(gap=st.integers(1, 5), lengths=st.lists(st.integers(1, 9), min_size=1, max_size=8), seed=st.integers(0, 99))
def test_accepts_an_exact_fit_and_rejects_one_row_less(gap, lengths, seed):
    needed = sum(lengths) + gap * (len(lengths) - 1)
    anomalies = Anomalies(exact_lengths=lengths, gap=gap)
    plan = draw_plan(anomalies, length=needed, channels=1, seed=seed)
    assert sorted(plan.ranges.lengths.tolist()) == sorted(lengths)
    assert (plan.ranges[0][0], plan.ranges[-1][1]) == (0, needed)
    if needed > 1:
        with pytest.raises(ValueError, match="do not fit"):
            draw_plan(anomalies, length=needed - 1, channels=1, seed=seed)


def test_long_series_have_the_documented_distributions():
    length = 4_000_000
    plan = draw_plan(Anomalies(kinds=["mean", "trend"], rate=0.1, strength=(1, 3)), length=length, channels=1, seed=1)
    ranges = plan.ranges
    assert ranges.lengths.sum() / length == pytest.approx(0.1, rel=0.02)
    assert (ranges.lengths.min(), ranges.lengths.max()) == (50, 100)
    assert ranges.lengths.mean() == pytest.approx(75, rel=0.02)
    assert plan.strengths.mean() == pytest.approx(2, rel=0.02)
    assert plan.signs.mean() == pytest.approx(0, abs=0.05)
    assert plan.kinds.mean() == pytest.approx(0.5, abs=0.03)
    # Positions are uniform: each tenth has the same number, within five standard deviations.
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
def test_rejects_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Anomalies(**settings)


@pytest.mark.parametrize("settings", [{"lengths": 5}, {"strength": 1.0}, {"part": "ab"}, {"gap": 1.5}, {"number": True}])
def test_rejects_wrong_types(settings):
    with pytest.raises(TypeError, match="got"):
        Anomalies(**settings)


def test_rejects_impossible_plans():
    with pytest.raises(ValueError, match=r"part is \(0, 11\), but the series has 10 rows"):
        draw_plan(Anomalies(part=(0, 11)), length=10, channels=1, seed=0)
    with pytest.raises(ValueError, match="up to 11 points do not fit in 10 rows"):
        draw_plan(Anomalies(number=1, lengths=(2, 11)), length=10, channels=1, seed=0)
    with pytest.raises(ValueError, match=r"a rate of 0.01 in 1000 rows is less than one anomaly of 50 to 100 points; give a number"):
        draw_plan(Anomalies(rate=0.01, lengths=(50, 100)), length=1000, channels=1, seed=0)
    assert len(draw_plan(Anomalies(rate=0, lengths=(50, 100)), length=1000, channels=1, seed=0).ranges) == 0
