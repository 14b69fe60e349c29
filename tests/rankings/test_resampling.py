import numpy as np
import pytest
from pytest import approx

import rangewise as rw
from rangewise.inputs.case import Case
from rangewise.model.tally import UNIT_BITS
from rangewise.rankings.ranking import Ranking
from rangewise.rankings.settings import read_settings
from rangewise.rankings.tracks import count, count_series, end_to_end, kernel_models


def make_many(seed=0, series=12):
    random = np.random.default_rng(seed)
    real = {f"s{i}": random.random(40) > 0.7 for i in range(series)}
    noise = {"good": 0.05, "fair": 0.25, "poor": 0.5}
    return real, {name: {key: labels ^ (random.random(40) < share) for key, labels in real.items()} for name, share in noise.items()}


def test_pooled_tallies_give_the_scores_and_the_order():
    real, predicted = make_many()
    ranking = rw.ranking(real, predicted, resamples=50)
    for model in (rw.RangeModel(alpha=0.3, beta=2, recall_bias="front", cardinality="reciprocal"), rw.RangeModel()):
        here = {"alpha": model.alpha, "beta": model.beta, "bias": model.recall_bias, "cardinality": model.recall_cardinality}
        pooled = {name: sum(model.tally(real[key], own[key]) for key in real).score().f for name, own in predicted.items()}
        assert ranking.scores(**here) == approx(pooled)
        assert ranking.order(model) == sorted(pooled, key=pooled.get, reverse=True)


def test_certainty_is_the_share_of_resamples_in_which_each_leads():
    real, predicted = make_many()
    ranking = rw.ranking(real, predicted, resamples=40, seed=7)
    keys = list(real)
    draws = np.random.default_rng(7).multinomial(len(keys), np.full(len(keys), 1 / len(keys)), size=40)
    model = rw.RangeModel(alpha=0.9, recall_bias="back")
    wins = dict.fromkeys(predicted, 0)
    below = 0
    for draw in draws:
        scores = {
            name: sum((model.tally(real[key], own[key]) for key, times in zip(keys, draw, strict=True) for _ in range(times))).score().f
            for name, own in predicted.items()
        }
        wins[max(scores, key=scores.get)] += 1 / 40
        below += scores["fair"] < scores["poor"]
    assert ranking.certainty(alpha=0.9, bias="back") == approx(wins)
    assert ranking.dominance("fair", "poor") <= 1 - below / 40


def test_dominance_of_one_resampled_series_is_that_of_the_series():
    real, predicted = make_many(series=3)
    # Every resample of one series is that series.
    one = rw.ranking({"s0": real["s0"]}, {name: {"s0": own["s0"]} for name, own in predicted.items()}, resamples=3)
    for a in predicted:
        for b in predicted:
            assert one.dominance(a, b) == float(one.always(a, b)), (a, b)


def test_clear_dominance_is_firm():
    real = {i: [(0, 10)] for i in range(10)}
    ranking = rw.ranking(real, {"all": {i: [(0, 10)] for i in real}, "half": {i: [(0, 5)] for i in real}, "none": dict.fromkeys(real, ())})
    assert ranking.firm("all", "half")
    assert not ranking.firm("half", "all")
    assert ranking.firm("half", "none")
    assert not ranking.firm("none", "half")
    assert {row["certainty"] for row in ranking.table() if row["leader"] == "all"} == {1.0}
    assert "all is never below half and none (firm against half and none)" in ranking.explain()


def test_rejects_resampling_one_series():
    ranking = rw.ranking([(0, 10)], {"a": []})
    assert isinstance(ranking, Ranking)
    with pytest.raises(ValueError, match="one series cannot be resampled"):
        ranking.certainty()


def test_rejects_bad_series():
    with pytest.raises(ValueError, match="real is empty"):
        rw.ranking({}, {"a": {}})
    with pytest.raises(TypeError, match="a must too"):
        rw.ranking({"s": [(0, 3)]}, {"a": [(0, 3)]})
    with pytest.raises(ValueError, match="'t' is in one of them only"):
        rw.ranking({"s": [(0, 3)]}, {"a": {"s": [], "t": []}})
    with pytest.raises(ValueError, match="series 's': a"):
        rw.ranking({"s": [(0, 3)]}, {"a": {"s": [(3, 2)]}})
    with pytest.raises(ValueError, match="best-f"):
        rw.ranking({"s": [(0, 3)]}, {"a": {"s": [0.5, 0.2, 0.1]}}, thresholds="best-f")
    with pytest.raises(ValueError, match="resamples"):
        rw.ranking({"s": [(0, 3)]}, {"a": {"s": []}}, resamples=0)


def near_the_end(position, length):
    return position


@pytest.mark.parametrize(
    ("biases", "place"), [(("flat", "front"), 0), (near_the_end, 0), ("back", 2**61)], ids=["built-in", "custom bias", "large positions"]
)
def test_counting_series_together_matches_counting_each_alone(biases, place):
    real, predicted = make_many(series=5)
    real["empty"] = [0] * 40
    cases = [
        Case(
            *(rw.Ranges(np.asarray(rw.Ranges.from_labels(side)) + place) for side in (real[name], predicted["fair"].get(name, real["s0"])))
        )
        for name in real
    ]
    assert (end_to_end(cases) is None) == bool(place)
    models = kernel_models(read_settings(biases=biases))
    alone = [count(models, case) for case in cases]
    together = count_series(models, cases)
    assert together.real_ranges.tolist() == [one.real_ranges for one in alone]
    assert together.predicted_ranges.tolist() == [one.predicted_ranges for one in alone]
    for one, rewards in zip(alone, together.rewards, strict=True):
        assert (2.0**UNIT_BITS * rewards[:-1]).T.tolist() == approx(np.array([one.overlap, one.correct], dtype=float))
        assert 2.0**UNIT_BITS * rewards[-1, 0] == approx(one.existence)
    total = together.total()
    assert total.overlap == tuple(map(sum, zip(*(one.overlap for one in alone), strict=True)))
    assert total.correct == tuple(map(sum, zip(*(one.correct for one in alone), strict=True)))
    assert total.existence == sum(one.existence for one in alone)


def test_dominance_of_resamples_matches_a_grid_of_alphas():
    real, predicted = make_many(series=4)
    ranking = rw.ranking(real, predicted, resamples=30, betas=(0.5, 2)).resamples
    grid = [
        ranking._f(at, alpha, beta) for at in range(ranking.precision.shape[2]) for beta in (0.5, 2) for alpha in np.linspace(0, 1, 200)
    ]
    below = np.array([f[:, :, None] < f[:, None, :] * (1 - 1e-12) for f in grid]).any(axis=0)
    assert ranking.never_below().tolist() == (~below).mean(axis=0).tolist()
