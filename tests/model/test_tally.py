import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from rangewise.model.tally import f_score, f_scores
from strategies import quadratic, side_pairs

pytestmark = pytest.mark.kernel

MODEL = rw.RangeModel(alpha=0.3, recall_bias="front", cardinality="reciprocal")


@given(st.lists(side_pairs(), min_size=1, max_size=6), st.randoms())
def test_order_and_grouping_do_not_matter_to_the_last_bit(series, random):
    tallies = [MODEL.tally(*sides) for sides in series]
    total = sum(tallies)
    random.shuffle(tallies)
    cut = random.randint(0, len(tallies))
    groups = [sum(part) for part in (tallies[:cut], tallies[cut:]) if part]
    assert sum(groups) == total
    assert sum(groups).score() == total.score()


@given(st.lists(side_pairs(), min_size=1, max_size=6))
def test_pooled_is_one_long_series_and_macro_is_the_mean(series):
    # Placed far apart, many series are one long series.
    apart = [[(start + 1000 * i, stop + 1000 * i) for i, sides in enumerate(series) for start, stop in sides[side]] for side in (0, 1)]
    tallies = [MODEL.tally(*sides) for sides in series]
    assert sum(tallies).score() == MODEL.tally(*apart).score()
    # Series without a real range have no recall.
    scores = [MODEL.score(*sides) for sides in series if sides[0]]
    macro = rw.macro(tallies)
    for part in ("precision", "recall", "f"):
        mean = sum(getattr(score, part) for score in scores) / len(scores) if scores else math.nan
        assert getattr(macro, part) == approx(mean, nan_ok=True)
    assert macro.undefined_recall == sum(not real for real, _ in series)
    assert macro.undefined_precision == sum(not predicted for _, predicted in series)


def test_macro_skips_nan():
    model = rw.RangeModel(zero_division=math.nan)
    macro = rw.macro([model.tally([(0, 4)], [(0, 2)]), model.tally([], [(0, 2)])])
    assert (macro.recall, macro.series, macro.undefined_recall) == (0.5, 2, 1)
    assert math.isnan(rw.macro([]).f)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0, 1e200, math.inf])
def test_f_of_numbers_and_of_arrays_agree(beta):
    values = [0.0, 0.25, 1.0, math.nan]
    pairs = [(precision, recall) for precision in values for recall in values]
    expected = [f_score(*pair, beta) for pair in pairs]
    assert f_scores(*np.array(pairs).T, beta) == approx(expected, nan_ok=True, abs=0)
    for (precision, recall), f in zip(pairs, expected, strict=True):
        assert math.isnan(f) == (math.isnan(precision) or math.isnan(recall))
        assert f == 0 or math.isnan(f) or precision * recall > 0


def test_dict_pickle_and_size():
    tally = MODEL.tally([(0, 10), (20, 30)], [(0, 2), (4, 6)])
    assert rw.Tally.from_dict(json.loads(json.dumps(tally.to_dict()))) == tally
    assert pickle.loads(pickle.dumps(tally)) == tally
    assert len(pickle.dumps(tally)) < 600
    own = rw.RangeModel(cardinality=quadratic).tally([(0, 10)], [(0, 2), (4, 6)])
    assert rw.Tally.from_dict(own.to_dict(), functions={"quadratic": quadratic}) == own


def test_rejects_bad_input():
    with pytest.raises(ValueError, match="different models"):
        rw.early.tally([1], [1]) + rw.late.tally([1], [1])
    with pytest.raises(ValueError, match="several"):
        rw.macro([rw.early.tally([1], [1]), rw.late.tally([1], [1])])
    with pytest.raises(TypeError):
        rw.early.tally([1], [1]) + 3
    good = rw.early.tally([1], [1]).to_dict()
    with pytest.raises(ValueError, match="keys"):
        rw.Tally.from_dict({"model": good["model"]})
    with pytest.raises(TypeError, match=r"a tally is read from a mapping with the keys model, real_reward, .*; got None"):
        rw.Tally.from_dict(None)
    with pytest.raises(ValueError, match="whole numbers"):
        rw.Tally.from_dict(good | {"real_reward": -1})
    for name in ("real_reward", "real_ranges", "predicted_reward", "predicted_ranges"):
        with pytest.raises(ValueError, match="whole numbers"):
            rw.Tally.from_dict(good | {name: True})


@given(side_pairs(), st.sampled_from([*rw.PRESETS.values(), rw.RangeModel(precision_weight="length"), rw.RangeModel(as_points="both")]))
def test_every_tally_round_trips_through_its_dict(sides, model):
    tally = model.tally(*sides)
    assert rw.Tally.from_dict(json.loads(json.dumps(tally.to_dict()))) == tally


@pytest.mark.parametrize(("name", "reward"), [("real_reward", 64 << 94), ("real_reward", (1 << 94) + 1), ("predicted_reward", 2 << 94)])
def test_rejects_rewards_above_1_per_range(name, reward):
    exported = rw.early.tally([(0, 4)], [(2, 6)]).to_dict()
    with pytest.raises(ValueError, match=rf"{name} is .* and {name.replace('reward', 'ranges')} is 1; a range earns at most 1"):
        rw.Tally.from_dict(exported | {name: reward})
