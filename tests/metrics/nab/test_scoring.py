"""NAB's score of one series, over all thresholds and of a corpus, compared with the naive version."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from naive import nab as naive_nab
from rangewise.metrics import NAB_PROFILES, NabProfile, nab_normalized
from strategies import range_lists, side_pairs

profiles = st.one_of(
    st.sampled_from(sorted(naive_nab.PROFILES)),
    st.tuples(*[st.sampled_from([0.0, 0.11, 1.0, 3.5])] * 3).map(lambda weights: NabProfile(tp=weights[0], fn=weights[1], fp=weights[2])),
)


def weights_of(profile):
    return naive_nab.PROFILES[profile] if isinstance(profile, str) else (profile.tp, profile.fn, profile.fp)


def rows_of(ranges):
    return {row for start, stop in ranges for row in range(start, stop)}


class TestOneSeries:
    @settings(max_examples=200)
    @given(side_pairs(), profiles, st.booleans(), st.integers(60, 90))
    def test_matches_naive(self, sides, profile, probation, length):
        real, predicted = sides
        result = rw.nab_score(real, predicted, length=length, profile=profile, probation=probation)
        raw, *counts = naive_nab.score(real, rows_of(predicted), length, weights_of(profile), probation)
        assert result.raw == approx(raw, rel=0, abs=1e-12)
        assert [result.tp, result.fp, result.fn, result.tn] == counts
        windows = len(naive_nab.counted(real, length, probation))
        assert result.normalized == approx(naive_nab.normalized(raw, windows, len(real), weights_of(profile)), rel=0, abs=1e-12)

    @settings(max_examples=100)
    @given(side_pairs(), profiles, st.booleans())
    def test_rows_sum_to_the_score(self, sides, profile, probation):
        result = rw.nab_score(*sides, length=60, profile=profile, probation=probation)
        assert math.fsum(row.value for row in (*result.windows, *result.false_rows)) == result.raw
        assert sum(window.detected for window in result.windows) == result.tp
        assert len(result.false_rows) == result.fp
        assert len(result.windows) == len(sides[0])
        for window in result.windows:
            assert (window.first is None) == (window.detected == 0)
            assert window.first is None or window.start <= window.first < window.stop
        for row in result.false_rows:
            assert row.value <= 0.0
            if row.window is not None:
                assert row.row == result.windows[row.window].stop - 1 + row.after
        assert result.explain().count("\n") == 3 + len(result.windows) + len(result.false_rows)

    @settings(max_examples=100)
    @given(side_pairs(), profiles, st.integers(0, 1000))
    def test_shifting_both_sides_does_not_change_the_score_without_probation(self, sides, profile, shift):
        moved = [[(a + shift, b + shift) for a, b in side] for side in sides]
        options = {"profile": profile, "probation": False}
        assert rw.nab_score(*moved, length=60 + shift, **options).raw == rw.nab_score(*sides, length=60, **options).raw

    @settings(max_examples=100)
    @given(range_lists(), profiles)
    def test_perfect_and_empty_predictions(self, real, profile):
        weights = NAB_PROFILES[profile] if isinstance(profile, str) else profile
        perfect, nothing = (rw.nab_score(real, side, length=60, profile=profile, probation=False) for side in (real, []))
        assert perfect.raw == weights.tp * len(real)
        assert nothing.raw == -weights.fn * len(real)
        if real and weights.tp + weights.fn:
            assert (nothing.normalized, perfect.normalized) == (0.0, 1.0)

    @settings(max_examples=100)
    @given(side_pairs(), st.integers(0, 59))
    def test_one_more_false_row_never_pays(self, sides, row):
        real, predicted = sides
        more = rw.Ranges.from_labels([int(i in rows_of(predicted) or i == row) for i in range(60)])
        if row not in rows_of(real):
            assert rw.nab_score(real, more, length=60).raw <= rw.nab_score(real, predicted, length=60).raw + 1e-12

    def test_example_by_hand(self):
        # The window has 10 rows. From row 32 on, 8 of them remain. Row 45 is 6 rows after the last row; the first and last row are 9 apart.
        sigma = naive_nab.sigma
        result = rw.nab_score([(30, 40)], [(32, 33), (45, 46)], length=60)
        assert result.raw == approx(sigma(-0.8) / sigma(-1) + 0.11 * sigma(6 / 9))
        assert result.windows[0].first == 32
        assert result.false_rows[0].after == 6

    def test_labels_and_ranges_give_the_same_score(self):
        real, predicted = rw.Ranges([(30, 40)]), rw.Ranges([(32, 33), (45, 50)])
        by_ranges = rw.nab_score(real, predicted, length=60)
        assert rw.nab_score(real.to_labels(60), predicted.to_labels(60)) == by_ranges
        assert rw.nab_score(real, predicted.to_labels(60)) == by_ranges
        assert rw.nab_score(real.to_labels(60).tolist(), list(predicted), length=60) == by_ranges

    def test_row_far_from_a_window_costs_the_full_weight(self):
        assert rw.nab_score([(30, 32)], [(50, 51)], length=100).false_rows[0].value == -0.11
        assert rw.nab_score([(30, 32)], [(20, 21)], length=100).false_rows[0].value == -0.11

    def test_row_after_a_window_of_one_row_costs_the_full_weight(self):
        result = rw.nab_score([(30, 31)], [(30, 32)], length=60)
        assert result.windows[0].value == 1.0
        assert result.false_rows[0].value == -0.11

    def test_windows_within_and_across_the_probation(self):
        inside = rw.nab_score([(2, 10), (40, 50)], [(2, 10), (40, 41)], length=100)
        assert inside.probation == 15
        assert inside.windows[0].counted is False
        # NAB's own normalization expects a perfect detector to find this window too, which is impossible.
        assert (inside.raw, inside.normalized, inside.tp, inside.fp) == (1.0, approx(2 / 3), 1, 0)
        # A window across the end of the probation keeps its whole length, so its best remaining row earns less than the full weight.
        across = rw.nab_score([(10, 20)], [(10, 20)], length=100)
        assert across.windows[0].first == 15
        assert across.raw == approx(naive_nab.sigma(-0.5) / naive_nab.sigma(-1))
        # A false row still belongs to the window before it.
        assert rw.nab_score([(2, 15)], [(15, 16)], length=100).false_rows[0].window == 0

    def test_probation_has_at_most_750_rows(self):
        assert [rw.nab_score([], [], length=length).probation for length in (0, 6, 7, 4999, 5000, 10**6)] == [0, 0, 1, 749, 750, 750]

    def test_no_windows(self):
        result = rw.nab_score([], [(50, 52)], length=100)
        assert result.raw == -0.22
        assert result.normalized == 0.0
        assert math.isnan(rw.nab_score([], [(50, 52)], length=100, zero_division=math.nan).normalized)
        assert rw.nab_score([], []).raw == 0.0
        assert rw.nab_score([], [0] * 50 + [1, 1] + [0] * 48) == result
        assert rw.nab_score([0] * 50 + [1, 1] + [0] * 48, []).raw == -1.0

    def test_custom_weights(self):
        profile = NabProfile(tp=1, fn=1, fp=0.22)
        sides = [(30, 40)], [(50, 60)]
        named = rw.nab_score(*sides, length=90, profile="reward_low_FP_rate")
        assert rw.nab_score(*sides, length=90, profile=profile) == named
        assert rw.nab_score(*sides, length=90, profile={"fp": 0.22}) == named
        weights_of_nab = {"tpWeight": 1.0, "fnWeight": 1.0, "fpWeight": 0.22, "tnWeight": 1.0}
        assert rw.nab_score(*sides, length=90, profile=weights_of_nab) == named

    def test_text_explains_each_window_and_row(self):
        text = str(rw.nab_score([(2, 10), (30, 40), (60, 70), (80, 90)], [(30, 31), (62, 63), (20, 21), (75, 76)], length=100))
        for line in (
            "windows    3 counted, 2 found, 1 missed",
            "W1 [2, 10): inside the probation, not counted: 0",
            "W2 [30, 40): found at once: +1.0000",
            "W3 [60, 70): found at row 62, 20 % in: +0.9771",
            "W4 [80, 90): missed: -1.0000",
            "row 75: 6 after W3: -0.1024",
        ):
            assert line in text
        assert "... and 20 more" in str(rw.nab_score([], [(60, 90)], length=100))

    @pytest.mark.parametrize(
        ("arguments", "options", "error", "message"),
        [
            (([(3, 5)], [(3, 4)]), {}, ValueError, "length is missing"),
            ((rw.Ranges([(3, 5)]), []), {}, ValueError, "length is missing: NAB counts rows"),
            (([(3, 5)], [(3, 4)]), {"length": 4}, ValueError, "length is 4, but real has a range that stops at 5"),
            (([0, 1], [0, 1]), {"length": 3}, ValueError, "length is 3, but there are 2 labels"),
            (([0, 1], [0, 1, 1]), {}, ValueError, "real has 2 labels and predicted has 3"),
            (([(3, 5)], [(3, 4)]), {"length": 4.5}, TypeError, "length is a whole number; got 4.5"),
            (([], []), {"length": -1}, ValueError, "0 or more; got -1"),
            (([0, 1], [0, 1]), {"profile": "standart"}, ValueError, "did you mean 'standard'"),
            (([0, 1], [0, 1]), {"profile": 3}, TypeError, "NabProfile"),
            (([0, 1], [0, 1]), {"profile": {"fpp": 1}}, ValueError, "did you mean 'fp'"),
            (([0, 1], [0, 1]), {"profile": {"fp": -1}}, ValueError, "0 or more"),
            (([0, 1], [0, 1]), {"profile": {"fp": math.nan}}, ValueError, "finite"),
            (([0, 1], [0, 1]), {"profile": {"fp": "much"}}, TypeError, "is a number; got 'much'"),
        ],
    )
    def test_rejects_bad_input(self, arguments, options, error, message):
        with pytest.raises(error, match=message):
            rw.nab_score(*arguments, **options)


@settings(max_examples=100)
@given(side_pairs())
def test_nab_normalized_matches_nab_score(sides):
    expected = rw.nab_score(*sides, length=60, probation=False).normalized
    assert nab_normalized(*sides) == expected
    assert nab_normalized(*sides, length=60, probation=True) == rw.nab_score(*sides, length=60).normalized


@st.composite
def scored_series(draw):
    """Pairs of windows and scores of 30 to 40 rows; few distinct scores, to have ties."""
    levels = np.array([-math.inf, -1.0, -0.0, 0.0, 0.25, 1e300, math.inf][-draw(st.integers(1, 7)) :])
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    length = draw(st.integers(30, 40))
    scores = generator.choice(levels, length) if draw(st.booleans()) else generator.random(length)
    return draw(range_lists(longest=30)), scores


class TestAllThresholds:
    @settings(max_examples=200)
    @given(scored_series(), profiles, st.booleans())
    def test_every_entry_matches_naive_and_nab_score(self, series, profile, probation):
        real, scores = series
        options = {"profile": profile, "probation": probation}
        curve = rw.nab_curve(real, scores, **options)
        assert curve.thresholds.tolist() == sorted(set(scores.tolist()), reverse=True)
        assert len(curve.raw) == len(curve.normalized) == len(curve)
        for threshold, raw, normalized in zip(curve.thresholds, curve.raw, curve.normalized, strict=True):
            detected = set(np.flatnonzero(scores >= threshold).tolist())
            expected = naive_nab.score(real, detected, len(scores), weights_of(profile), probation)[0]
            separate = rw.nab_score(real, scores >= threshold, **options)
            assert raw == approx(expected, rel=0, abs=1e-12)
            assert (raw, normalized) == approx((separate.raw, separate.normalized), rel=0, abs=1e-12)

    @settings(max_examples=100)
    @given(scored_series(), profiles)
    def test_best_is_the_maximum_or_detecting_nothing(self, series, profile):
        real, scores = series
        curve = rw.nab_curve(real, scores, profile=profile)
        best = curve.best()
        nothing = rw.nab_score(real, [], length=len(scores), profile=profile)
        assert (curve.nothing.raw, curve.nothing.normalized) == (nothing.raw, nothing.normalized)
        assert best.raw == max([*curve.raw, *([] if math.inf in scores else [nothing.raw])])
        assert best.raw == approx(rw.nab_score(real, scores >= best.threshold, profile=profile).raw, rel=0, abs=1e-12)

    def test_sums_do_not_drift(self):
        generator = np.random.default_rng(7)
        scores = generator.random(400_000)
        real = [(start, start + 900) for start in range(5_000, 390_000, 40_000)]
        curve = rw.nab_curve(real, scores)
        for index in [*generator.integers(0, len(curve), 20).tolist(), len(curve) - 1]:
            assert curve.raw[index] == approx(rw.nab_score(real, scores >= curve.thresholds[index]).raw, rel=0, abs=1e-9)

    def test_curve_of_nothing(self):
        assert len(rw.nab_curve([], [])) == 0
        assert rw.nab_curve([], []).best() == (math.inf, 0.0, 0.0)
        no_windows = rw.nab_curve([], [0.5, 0.7], zero_division=math.nan)
        assert no_windows.raw.tolist() == [-0.11, -0.22]
        assert np.isnan(no_windows.normalized).all()
        assert "0 at inf" in repr(rw.nab_curve([(3, 4)], np.ones(100)))

    @pytest.mark.parametrize(
        ("real", "scores", "error", "message"),
        [
            ([(1, 2)], [0.1, math.nan, 0.3, math.nan], ValueError, "^score 1 is nan"),
            ([(1, 5)], [0.1, 0.2], ValueError, "stops at 5, but there are only 2 scores"),
            ([0, 1, 0], [0.1, 0.2], ValueError, "real has 3 labels, but there are 2 scores"),
            ([(1, 2)], ["a", "b"], TypeError, "expected numbers"),
            ([(1, 2)], [[0.1], [0.2]], ValueError, r"shape \(2, 1\)"),
        ],
    )
    def test_rejects_bad_input(self, real, scores, error, message):
        with pytest.raises(error, match=message):
            rw.nab_curve(real, scores)


class TestCorpus:
    @settings(max_examples=100)
    @given(st.lists(scored_series(), max_size=3), profiles)
    def test_search_finds_the_best_of_all_thresholds(self, files, profile):
        result = rw.nab_corpus(iter(files), profile=profile)
        weights = weights_of(profile)

        def naive_raw(threshold):
            detected = [set(np.flatnonzero(scores >= threshold).tolist()) for _, scores in files]
            return sum(naive_nab.score(real, rows, len(scores), weights)[0] for (real, scores), rows in zip(files, detected, strict=True))

        assert result.raw == approx(naive_raw(result.threshold), rel=0, abs=1e-12)
        # With infinite scores, no threshold detects nothing: the threshold inf detects them.
        for threshold in {math.inf, *(score for _, scores in files for score in scores.tolist())}:
            assert result.raw >= naive_raw(threshold) - 1e-12
        windows = sum(len(naive_nab.counted(real, len(scores), True)) for real, scores in files)
        assert result.normalized == approx(
            100 * naive_nab.normalized(result.raw, windows, sum(len(real) for real, _ in files), weights), rel=0, abs=1e-9
        )

    @settings(max_examples=100)
    @given(st.lists(scored_series(), min_size=1, max_size=3), st.sampled_from([-2.0, -1.0, 0.25, 0.3, 2.0, math.inf]))
    def test_score_at_a_threshold_is_the_sum_over_files(self, files, threshold):
        result = rw.nab_corpus(files, threshold=threshold)
        separate = [rw.nab_score(real, scores >= threshold) for real, scores in files]
        assert result.threshold == threshold
        assert [file.score for file in result.files] == separate
        for name in ("raw", "tp", "fp", "fn", "tn"):
            assert getattr(result, name) == approx(sum(getattr(score, name) for score in separate))
            assert [getattr(file, name) for file in result.files] == [getattr(score, name) for score in separate]

    def test_corpus_of_one_file_matches_its_curve(self):
        scores = np.random.default_rng(3).random(200)
        result, best = rw.nab_corpus([([(50, 60)], scores)]), rw.nab_curve([(50, 60)], scores).best()
        assert (result.threshold, result.raw, result.normalized) == approx((best.threshold, best.raw, 100 * best.normalized))

    def test_names_and_text(self):
        result = rw.nab_corpus({"a": ([(2, 4)], [0.1, 0.7, 0.9, 0.1]), "b": ([], [0.8, 0.1, 0.2])})
        assert [file.name for file in result.files] == ["a", "b"]
        assert str(result).startswith("NAB 100.00 of 100 at threshold 0.9, raw 1.0000, 2 files\n  a: +1.0000, 1 tp, 0 fp")
        assert rw.nab_corpus([]).normalized == 0.0

    @pytest.mark.parametrize(
        ("files", "options", "error", "message"),
        [
            ({"a": ([], [0.1]), "b": ([(1, 2)], [0.1])}, {}, ValueError, "b: real has a range that stops at 2"),
            ([([], [0.1]), ([], [math.nan])], {}, ValueError, "file 1: score 0 is nan"),
            ([([], [0.1]), 7], {}, TypeError, "file 1: expected a pair"),
            ([([(-1, 2)], [0.1])], {}, ValueError, "file 0: real: range 0"),
            ([([], [0.1])], {"threshold": math.nan}, ValueError, "threshold is nan"),
            ([([], [0.1])], {"threshold": "0.5"}, ValueError, "give a number"),
            ([([], [0.1])], {"profile": "low"}, ValueError, "profile is one of"),
        ],
    )
    def test_rejects_bad_input(self, files, options, error, message):
        with pytest.raises(error, match=message):
            rw.nab_corpus(files, **options)
