"""VUS and Range-AUC: the kernel against plain loops, published vectors, edge cases."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pytest import approx

from golden import real_of, vectors
from naive import ignored as naive_ignored
from naive import vus as naive
from rangewise.metrics import range_auc_pr, range_auc_roc, vus_pr, vus_roc
from rangewise.metrics.volumes import VARIANTS
from strategies import range_lists, scored_ranges

VUS = (vus_roc, vus_pr)
RANGE_AUC = (range_auc_roc, range_auc_pr)


@pytest.mark.kernel
@settings(max_examples=150)
@given(scored_ranges(), st.integers(0, 25), st.sampled_from(sorted(VARIANTS)))
@example(([(0, 1), (1, 2), (29, 30)], [1.0] * 30), 6, "timeeval")
@example(([(0, 30)], list(range(30))), 5, "tsb_ad")
def test_range_auc_matches_naive(drawn, buffer, variant):
    real, scores = drawn
    buffer = min(buffer, len(scores))
    expected = naive.range_auc(real, scores, buffer, variant, naive.all_thresholds(scores))
    values = tuple(function(real, scores, buffer=buffer, variant=variant) for function in RANGE_AUC)
    assert values == approx(expected, abs=1e-12)


@pytest.mark.kernel
@settings(max_examples=100)
@given(scored_ranges(), st.integers(0, 25), st.sampled_from(sorted(VARIANTS)), range_lists(30))
def test_ignored_rows_do_not_count_but_keep_their_distance(drawn, buffer, variant, ignore):
    real, scores = drawn
    left, rows = naive_ignored.without(real, ignore)[0], naive_ignored.points_of(ignore)
    if left:
        counted = [score for row, score in enumerate(scores) if row not in rows]
        expected = naive.range_auc(left, scores, buffer, variant, naive.all_thresholds(counted), rows)
        values = tuple(function(real, scores, buffer=buffer, variant=variant, ignore=ignore) for function in RANGE_AUC)
        assert values == approx(expected, abs=1e-12)


@settings(max_examples=60)
@given(scored_ranges(), st.integers(0, 12), st.sampled_from(sorted(VARIANTS)), st.sampled_from(["all", 2, 3, 10, 250]))
def test_vus_matches_naive_at_the_given_thresholds(drawn, buffer, variant, thresholds):
    real, scores = drawn
    buffer = min(buffer, len(scores))
    chosen = naive.all_thresholds(scores) if thresholds == "all" else naive.sampled_thresholds(scores, thresholds)
    values = tuple(function(real, scores, buffer=buffer, variant=variant, thresholds=thresholds) for function in VUS)
    assert values == approx(naive.vus(real, scores, buffer, variant, chosen), abs=1e-12)


@pytest.mark.parametrize(("name", "option", "functions"), [("vus", "max_buffer", VUS), ("range_auc", "buffer", RANGE_AUC)])
def test_matches_published_vectors(name, option, functions):
    for case in vectors(name):
        real, scores, buffer, out = real_of(case), np.array(case["scores"]), case["params"][option], case["out"]
        for variant, thresholds, expected in (
            ("tsb_ad", 250, out["tsbad_250"]),
            ("tsb_ad", "all", out["tsbad_exact"]),
            ("paper", 250, [out["aeon_roc"], out["aeon_pr"]]),
            ("timeeval", 250, [out["timeeval_roc"], out["timeeval_pr"]]),
        ):
            values = [function(real, scores, buffer=buffer, variant=variant, thresholds=thresholds) for function in functions]
            assert values == approx(expected, abs=1e-12), (case["id"], variant, thresholds)


@given(range_lists())
def test_perfect_scores_give_1_with_any_buffer(real):
    if real:
        perfect = np.zeros(60)
        for start, stop in real:
            perfect[start:stop] = 1
        assert vus_pr(real, perfect, buffer=9) == vus_roc(real, perfect, buffer=9) == 1.0


def test_other_variants_also_expect_points_of_the_buffers():
    perfect = np.arange(60) // 5 == 4
    assert vus_pr(perfect, perfect, buffer=9, variant="paper") < vus_pr(perfect, perfect, buffer=9) == 1.0


def test_long_series_matches_naive():
    rng = np.random.default_rng(5)
    real = [(1000, 1010), (1013, 1020), (5000, 5200)]
    scores = np.round(rng.random(6000), 2)
    expected = naive.range_auc(real, scores.tolist(), 30, "tsb_ad", naive.all_thresholds(scores.tolist()))
    assert (range_auc_roc(real, scores, buffer=30), range_auc_pr(real, scores, buffer=30)) == approx(expected, abs=1e-12)


@pytest.mark.parametrize("function", [*VUS, *RANGE_AUC])
class TestEdgeCases:
    def test_no_real_points_give_0(self, function):
        assert function([0, 0, 0], [1, 2, 3], buffer=2) == 0.0
        assert function([], [], buffer=0) == 0.0

    def test_all_points_real_give_1(self, function):
        assert function([1, 1, 1], [1, 2, 3], buffer=2) == 1.0

    def test_constant_scores_give_a_number(self, function):
        assert 0 < function([0, 1, 0, 0, 0, 0], [2] * 6, buffer=2) < 1

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"buffer": -1}, "buffer is 0 or more; got -1"),
            ({"buffer": 4}, "buffer is at most the number of points, 3; got 4"),
            ({"buffer": 2, "variant": "tsbad"}, "did you mean 'tsb_ad'"),
            ({"buffer": 2, "thresholds": "some"}, "2 or more"),
            ({"buffer": 2, "thresholds": 1}, "2 or more"),
            ({"buffer": 2, "thresholds": True}, "2 or more"),
        ],
    )
    def test_rejects_bad_options(self, function, options, message):
        with pytest.raises(ValueError, match=message):
            function([0, 1, 0], [1, 2, 3], **options)

    def test_rejects_fractional_buffers(self, function):
        with pytest.raises(TypeError, match=r"buffer is a whole number; got 1\.5"):
            function([0, 1, 0], [1, 2, 3], buffer=1.5)

    def test_rejects_scores_of_another_length_or_nan(self, function):
        with pytest.raises(ValueError, match="3 labels, but there are 2 scores"):
            function([0, 1, 0], [1, 2], buffer=1)
        for real in ([0, 1, 0], [0, 0, 0]):
            with pytest.raises(ValueError, match="score 1 is nan"):
                function(real, [1, np.nan, 2], buffer=1)
