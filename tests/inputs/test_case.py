"""Cases: the input of one call is read and checked together."""

import numpy as np
import pandas as pd
import pytest

import rangewise as rw
from rangewise.inputs.case import Case, read_pair
from rangewise.thresholds import BestF


@pytest.mark.parametrize("read", [read_pair, Case.read, rw.score, rw.metrics.point_fbeta])
def test_rejects_pandas_series_with_different_indexes(read):
    real, shifted = pd.Series([0, 1, 0]), pd.Series([0, 1, 0], index=[0, 2, 1])
    with pytest.raises(ValueError, match=r"different indexes, first at position 1: 1 and 2; .*\.to_numpy\(\)"):
        read(real, shifted)
    read(real, pd.Series([0, 1, 1], index=pd.RangeIndex(3)))
    read(real.to_numpy(), shifted)
    read(real, shifted.to_numpy())


def test_rejects_scores_with_another_index():
    real, scores = pd.Series([0, 1, 0]), pd.Series([0.1, 0.9, 0.2], index=["a", "b", "c"])
    with pytest.raises(ValueError, match="real and scores have different indexes, first at position 0: 0 and a"):
        rw.RangeModel().curve(real, scores)
    case = Case.read(real.to_numpy(), scores=scores)
    assert (list(case.real), case.scores.tolist()) == ([(1, 2)], [0.1, 0.9, 0.2])


TWO = np.array(["2024-05-01T10:00", "2024-05-01T10:01"], dtype="M8[ns]")


def test_outside_is_for_a_side_in_times():
    """An empty list may be times, as the incidents of a quiet day. Detectors in rows may stand next to one in times."""
    far = [("2024-05-01T10:00", "2024-05-01T10:01"), ("2024-05-02", "2024-05-03")]
    options = {"times": TWO, "outside": "drop"}
    assert list(Case.read([], [0, 1], **options).predicted) == [(1, 2)]
    with pytest.warns(UserWarning, match="1 of 2 ranges lie outside the timestamps"):
        assert list(Case.read(far, scores=[0.1, 0.2], **options).real) == [(0, 1)]
    with pytest.warns(UserWarning, match="1 of 2 ranges lie outside the timestamps"):
        table = rw.compare([0, 1], {"a": [0, 1], "b": far, "c": [(1, 2)]}, metrics=["range_recall"], **options)
    assert table.values[0, :, 0].tolist() == [1.0, 0.0, 1.0]
    for call in (
        lambda: rw.compare([0, 1], {"a": [0, 1], "b": [0.1, 0.2]}, metrics=["auc_pr"], **options),
        lambda: rw.RangeModel().curve([0, 1], [0.1, 0.2], **options),
        lambda: rw.RangeModel().curve([0, 1], rw.ScoredRanges([(0, 1, 0.5)]), **options),
        lambda: rw.score([0, 1], [0, 1], **options),
        lambda: rw.report([0, 1], {"a": [0, 1]}, **options),
        lambda: rw.ranking([0, 1], {"a": [0, 1], "b": [1, 0]}, **options),
    ):
        with pytest.raises(ValueError, match="outside='drop' is for ranges outside times=, but no side is in times; leave it out"):
            call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rw.score(np.ma.array([0, 1, 0], mask=[0, 0, 1]), [0, 1, 0]), "real: label 2 is missing"),
        (lambda: rw.score([0, 1, 0], np.ma.array([0, 1, 0], mask=[1, 0, 0])), "predicted: label 0 is missing"),
        (lambda: rw.score([(1, 2)], np.ma.array([(1, 2), (3, 4)], mask=[(0, 0), (0, 1)])), "predicted: range 1 is missing"),
        (
            lambda: rw.RangeModel().curve([0, 1], np.ma.array([0.5, 0.1], mask=[0, 1])),
            "score 1 is nan; .*missing='lowest'",
        ),
        (lambda: rw.RangeModel().curve([0, 1], pd.Series([0.5, None], dtype="Float64")), "score 1 is nan"),
    ],
)
def test_masked_values_are_missing(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_accepts_masked_arrays_without_masked_values():
    assert rw.score(np.ma.array([0, 1, 1]), np.ma.array([0, 1, 1], mask=False)).f == 1.0


def test_accepts_torch_tensors():
    torch = pytest.importorskip("torch")
    labels, scores = torch.tensor([0.0, 1.0], requires_grad=True), torch.tensor([0.25, 0.75], dtype=torch.bfloat16, requires_grad=True)
    assert rw.score(labels, [0, 1]).f == 1.0
    assert rw.RangeModel().curve([0, 1], scores).thresholds.tolist() == [0.75, 0.25]


def test_the_last_row_of_a_grid_lasts_a_whole_step():
    """Ranges that begin after the time of the last row were once dropped silently."""
    early, late = ("2024-05-01T10:00", "2024-05-01T10:02"), ("2024-05-01T10:05:10", "2024-05-01T10:05:30")
    real, predicted = Case.read([early, late], [early], step="1min").rows("it")
    assert (list(real), list(predicted)) == ([(0, 2), (5, 6)], [(0, 2)])
    span = ("2024-05-01T10:01", "2024-05-01T10:05:20")
    assert list(Case.read([early, late], [early], step="1min", span=span).real) == [(0, 1), (4, 5)]
    assert list(Case.read([early, late], [early], step="1min", span=(span[0], "2024-05-01T10:05:10")).real) == [(0, 1)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Case.read([0, 1]), "give either predicted ranges or scores="),
        (lambda: Case.read([0, 1], [0, 1], scores=[0.1, 0.2]), "give either predicted ranges or scores="),
        (lambda: Case.read([(0, 1)], [(0, 1)], times=["2024-05-01"], resolution="1s"), "give one of times= and resolution="),
        (lambda: Case.read([0, 1], [0, 1], span=("2024-05-01", "2024-05-02")), "span= is for sides in times, but these are rows"),
        (lambda: Case.read([0, 1], scores=[0.1, 0.2], step="1min"), "step= is for two sides in times"),
        (lambda: Case.read([0, 1], [0, 1], length=3), "length is 3, but there are 2 labels"),
        (lambda: Case.read([(0, 4)], [(1, 2)], length=3), "length is 3, but real has a range that stops at 4"),
        (lambda: Case.read([0, 1], [0, 1, 0]), "real has 2 labels and predicted has 3; both sides describe the same points"),
        (lambda: Case.read([0, 1, 0], [0, 1, 0], ignore=[0, 1]), "ignore has 2 labels, but the series has 3 points"),
        (
            lambda: Case.read([0, 1], [0, 1], outside="drop"),
            "outside='drop' is for ranges outside times=, which is not given; leave it out",
        ),
        (
            lambda: Case.read([0, 1], [0, 1], times=TWO, outside="drop"),
            "outside='drop' is .* times=, but no side is in times; leave it out",
        ),
        (
            lambda: Case.read([(0, 1)], [0, 1], times=TWO, outside="drop"),
            "outside='drop' is .* times=, but no side is in times; leave it out",
        ),
        (lambda: Case.read([0, 1], scores=[0.1, 0.2], times=TWO, outside="drop"), "outside='drop' is .*, but no side is in times"),
        (lambda: Case.read([0, 1], [0, 1], times=TWO, outside="nonsense"), "outside is one of error, drop; got 'nonsense'"),
        (lambda: Case.read([0, 1], [0, 1], close_gaps="5min"), "the rows have no times; give times=, or a number of rows"),
        (lambda: Case.read([0, 1], [0, 1], close_gaps=-1), "close_gaps is 0 or more; got -1"),
        (lambda: Case.read([0, 1], scores=[0.1, float("nan")]), "score 1 is nan"),
        (lambda: Case.read([0, 1], [0, 1]).at(0.5), "only a case of scores has thresholds"),
        (lambda: Case.read([0, 1], scores=[0.1, 0.2]).at(float("nan")), "a threshold must be a number; got nan"),
        (lambda: rw.score(Case.read([0, 1], [0, 1]), [0, 1]), "takes no second side"),
        (lambda: rw.score(Case.read([0, 1], [0, 1]), ignore=[(0, 1)]), "no input options; give them to Case.read"),
        (lambda: rw.score([0, 1]), "takes the real and the predicted side, or a Case"),
    ],
)
def test_rejects_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_close_gaps_takes_durations():
    times = np.datetime64("2024-05-01T10:00") + np.arange(8) * np.timedelta64(1, "m")
    labels = [0, 1, 0, 0, 1, 0, 0, 0]
    assert list(Case.read(labels, labels, times=times, close_gaps="2min").predicted) == [(1, 5)]
    assert list(Case.read(labels, labels, times=times, close_gaps="119s").predicted) == [(1, 2), (4, 5)]
    pairs = [("2024-05-01T10:00", "2024-05-01T10:10"), ("2024-05-01T10:14", "2024-05-01T10:20")]
    assert len(Case.read(pairs, pairs, close_gaps="4min").predicted) == 1
    assert len(Case.read(pairs, pairs, close_gaps="3min").predicted) == 2
    with pytest.raises(ValueError, match="counts rows, but both sides are times"):
        Case.read(pairs, pairs, close_gaps=3)
    with pytest.raises(ValueError, match="not evenly spaced"):
        Case.read(labels, labels, times=np.append(times[:-1], times[-1] + np.timedelta64(9, "m")), close_gaps="2min")


def test_thresholds_are_compared_in_the_dtype_of_the_scores():
    scores = np.array([0.7, 0.1], dtype=np.float32)
    case = Case.read([1, 0], scores=scores)
    for threshold in (0.7, np.float64(0.7), np.float32(0.7)):
        assert list(case.at(threshold).predicted) == [(0, 1)]
        assert rw.RangeModel().curve([1, 0], scores, thresholds=[threshold]).recall.tolist() == [1.0]
        assert rw.pooled_curve({"a": ([1, 0], scores)}).at(threshold).recall == 1.0


def test_buffers_do_not_reach_across_ignored_rows():
    """A buffer of two points does not reach across three ignored rows. If these were cut out, the rows around them would be neighbors."""
    labels = np.array([0, 0, 1, 1, 0, 0, 0, 0, 0, 0])
    scores = np.array([0.1, 0.2, 0.6, 0.8, 0, 0, 0, 0.7, 0.1, 0.3])
    with_ignored_rows = rw.metrics.range_auc_pr(labels, scores, buffer=4, ignore=[(4, 7)])
    assert with_ignored_rows < rw.metrics.range_auc_pr(np.delete(labels, [4, 5, 6]), np.delete(scores, [4, 5, 6]), buffer=4)


TIMES, OTHER_TIMES = (pd.date_range(day, periods=6, freq="min") for day in ("2024-05-01", "2025-05-01"))
LABELS, SCORES = [0, 0, 1, 1, 0, 0], [0.1, 0.2, 0.9, 0.8, 0.1, 0.3]
REAL, OTHER_REAL = pd.Series(LABELS, index=TIMES), pd.Series(LABELS, index=OTHER_TIMES)
OTHER_SCORES = pd.Series(SCORES, index=OTHER_TIMES)
PAIRS = [("2024-05-01T00:02", "2024-05-01T00:04")]


@pytest.mark.parametrize(
    "call",
    [
        lambda: rw.score(REAL, LABELS, times=OTHER_TIMES),
        lambda: rw.score(LABELS, REAL, times=OTHER_TIMES.to_numpy()),
        lambda: rw.score(REAL, REAL, times=[str(time) for time in OTHER_TIMES]),
        lambda: rw.score(pd.Series(LABELS), LABELS, times=pd.Series(TIMES, index=range(6, 12))),
        lambda: rw.score(PAIRS, OTHER_REAL, times=TIMES),
        lambda: rw.RangeModel().curve(PAIRS, OTHER_SCORES, times=TIMES),
        lambda: rw.score(REAL, LABELS, ignore=OTHER_REAL),
        lambda: rw.score(LABELS, REAL, ignore=OTHER_REAL),
        lambda: rw.RangeModel().curve(REAL, SCORES, ignore=OTHER_REAL),
        lambda: rw.Stream().update(REAL, OTHER_REAL),
        lambda: rw.Stream().update_scores(REAL, OTHER_SCORES, threshold=0.5),
        lambda: rw.ranking(REAL, {"a": OTHER_REAL, "b": REAL}),
        lambda: rw.ranking(LABELS, {"a": OTHER_REAL, "b": REAL}),
        lambda: rw.compare(REAL, {"a": OTHER_SCORES}, thresholds=0.5),
        lambda: rw.compare(LABELS, {"a": OTHER_SCORES, "b": REAL}, thresholds=0.5),
        lambda: rw.report(REAL, {"a": OTHER_SCORES}),
        lambda: rw.report(LABELS, {"a": OTHER_SCORES, "b": REAL}),
        lambda: BestF().choose(OTHER_SCORES, REAL),
        lambda: rw.score_many({"x": (REAL, OTHER_REAL)}),
        lambda: rw.pooled_curve({"x": (REAL, OTHER_SCORES)}),
        lambda: rw.score_channels({"x": REAL}, {"x": OTHER_REAL}),
        lambda: rw.score_classes(REAL, OTHER_REAL),
        lambda: rw.metrics.vus_pr(REAL, OTHER_SCORES),
    ],
)
def test_every_entry_point_rejects_different_indexes(call):
    with pytest.raises(ValueError, match=r"first at position 0: .*\.to_numpy\(\)"):
        call()


def test_accepts_equal_indexes():
    expected = rw.score(LABELS, LABELS)
    for times in (TIMES, pd.Series(TIMES), pd.Series(TIMES, index=TIMES), TIMES.to_numpy(), list(TIMES)):
        assert rw.score(REAL, REAL.copy(), times=times) == expected
    assert rw.score(pd.Series(LABELS), LABELS, times=pd.Series(TIMES)) == expected
    assert rw.score(REAL, REAL, ignore=pd.Series([0, 0, 0, 0, 1, 1], index=TIMES)).f == 1.0
    assert BestF().choose(pd.Series(SCORES, index=TIMES), REAL) == pytest.approx((0.3 * 0.8) ** 0.5)


EVERY_POINT = [(0, 6)]


@pytest.mark.parametrize(
    "call",
    [
        lambda: rw.score(LABELS, LABELS, ignore=EVERY_POINT),
        lambda: rw.score([(2, 4)], [(2, 4)], length=6, ignore=[1] * 6),
        lambda: rw.score(PAIRS, PAIRS, span=("2024-05-01T00:02", "2024-05-01T00:04"), ignore=PAIRS),
        lambda: rw.RangeModel().curve(LABELS, SCORES, ignore=EVERY_POINT),
        lambda: rw.metrics.point_fbeta(LABELS, LABELS, ignore=EVERY_POINT),
        lambda: rw.metrics.vus_pr(LABELS, SCORES, ignore=EVERY_POINT),
        lambda: rw.metrics.evaluate([Case.read(LABELS, LABELS, ignore=EVERY_POINT)], ["range_fbeta"]),
        lambda: rw.compare(LABELS, {"a": LABELS}, ignore=EVERY_POINT),
        lambda: rw.ranking(LABELS, {"a": LABELS, "b": LABELS}, ignore=EVERY_POINT),
        lambda: rw.report(LABELS, {"a": SCORES}, ignore=EVERY_POINT),
        lambda: rw.alert_summary(PAIRS, PAIRS, ignore=PAIRS),
    ],
)
def test_rejects_cases_with_every_point_ignored(call):
    with pytest.raises(ValueError, match=r"ignored intervals cover all .* nothing is left to score"):
        call()


def test_tallies_and_streams_accept_parts_with_every_point_ignored():
    empty = rw.RangeModel().tally([], [])
    assert rw.RangeModel().tally(LABELS, LABELS, ignore=EVERY_POINT) == empty
    stream = rw.Stream().update(LABELS, LABELS, ignore=EVERY_POINT).update_scores(LABELS, SCORES, threshold=0.5, ignore=EVERY_POINT)
    assert (len(stream), stream.tally()) == (12, empty)
    assert stream.update(LABELS, LABELS).score().f == 1.0


def test_scores_sides_whose_ranges_are_all_ignored():
    """Points are left to score: pairs do not say where the series ends, and these labels have other points."""
    assert rw.score([(2, 4)], [(2, 4)], ignore=EVERY_POINT).f == 0.0
    assert rw.score(LABELS, LABELS, ignore=[(2, 4)]).f == 0.0


@pytest.mark.parametrize(
    "option", [{"resolution": "1h"}, {"step": "1h"}, {"span": ("2024-01-01", "2024-01-02")}], ids=lambda option: next(iter(option))
)
def test_rejects_time_options_for_labels_without_ranges(option):
    for sides in (([0, 0], [0, 0]), ([0, 0], []), ([], [0, 0])):
        with pytest.raises(ValueError, match="is for sides in times, but these are rows"):
            rw.score(*sides, **option)


def test_checks_durations_even_if_both_sides_are_empty():
    assert rw.score([], [], resolution="1h").f == 0
    for option in ("resolution", "step"):
        with pytest.raises(ValueError, match=f"{option} takes a duration"):
            rw.score([], [], **{option: "nonsense"})


@pytest.mark.parametrize("span", [(0, 20), (0.0, 20.0), ("0", "20"), (np.timedelta64(0, "s"), np.timedelta64(20, "s"))])
def test_a_span_in_seconds(span):
    """It is text on the command line."""
    assert rw.metrics.affiliation([(4.0, 6.0)], [(6.0, 8.0)], span=span).zone_stops.tolist() == [20 * 10**9]
