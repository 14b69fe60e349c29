"""Call the kernel for a model: the rewards of both sides, and every threshold at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.inputs.ranges import Ranges
from rangewise.inputs.scored_ranges import ScoredRanges
from rangewise.model.tally import whole_reward

if TYPE_CHECKING:
    from rangewise.model.model import RangeModel

Side: TypeAlias = Literal["real", "predicted"]


def both_rewards(model: RangeModel, real: Ranges, predicted: Ranges) -> tuple[int, int, int, int]:
    """Rewards and numbers of ranges: (real, predicted, real, predicted)."""
    recall, precision = model._recall, model._precision
    if model.size is not None:
        # A user's size function may treat points in any way, so it gets each point as a range.
        real, predicted = real.points() if recall.as_points else real, predicted.points() if precision.as_points else predicted
        rules = recall.for_rows(real, predicted, False), precision.for_rows(predicted, real, False)
    else:
        rules = tally_rules(model, real, predicted)
        if real._bits is not None and predicted._bits is not None and can_score_bits(model):
            real_reward, predicted_reward, real_count, predicted_count = kernel.tally_bits(real._bits, predicted._bits, *rules)
            return whole_reward(*real_reward), whole_reward(*predicted_reward), real_count, predicted_count
    real_reward, predicted_reward = kernel.tally(real._bounds, predicted._bounds, *rules)
    return whole_reward(*real_reward), whole_reward(*predicted_reward), recall.count(real), precision.count(predicted)


def can_score_bits(model: RangeModel) -> bool:
    """Whether labels can be scored as bits, without their ranges."""
    return model._recall.can_score_bits and model._precision.can_score_bits


def tally_rules(model: RangeModel, real: Ranges, predicted: Ranges) -> tuple[kernel.Rule, kernel.Rule]:
    """The kernel's rules for the sums of real and predicted ranges, of one series or many; not for a user's size function."""
    recall, precision = model._recall, model._precision
    return recall.for_tally(real, predicted, precision.as_points), precision.for_tally(predicted, real, recall.as_points)


def can_sweep(model: RangeModel) -> bool:
    """Whether all thresholds can be evaluated in one pass."""
    return model._precision.can_sweep


def sweep_scores(
    model: RangeModel, real: Ranges, scores: NDArray[Any], **places: Any
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]:
    """Each distinct score, precision and recall there, of a model that :func:`can_sweep`.

    ``places`` is where the scores are in time: ``borders`` of many series (``real`` then counts one point more before every series
    but the first), or the ``rows`` of a series of ``points`` points that have a score.
    """
    recall, precision = model._recall, model._precision
    most_real = most_predicted = 0
    if recall.own_cardinality or precision.own_cardinality:
        most_real, most_predicted = kernel.sweep_overlaps(real._bounds, scores, recall.as_points, precision.as_points, **places)
    rules = recall.for_sweep(real, most_real), precision.for_sweep(None, most_predicted)
    bits, precisions, recalls = kernel.sweep(real._bounds, scores, *rules, model.zero_division, **places)
    wide = {"f": np.float64, "i": np.int64, "u": np.uint64}[scores.dtype.kind]
    return bits.view(wide).astype(scores.dtype, copy=False), precisions, recalls


def sweep_scored(
    model: RangeModel, real: Ranges, scored: ScoredRanges
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Each distinct confidence, precision and recall there, of a model that :func:`can_sweep`. Time follows the number of ranges."""
    recall, precision = model._recall, model._precision
    precision.count(scored.at(-np.inf))  # raises if the lengths would overflow
    count = len(scored)
    borders, places = np.unique(np.concatenate([scored.starts, scored.stops, real.starts, real.stops]), return_inverse=True)
    order = np.argsort(-scored.confidences, kind="stable")
    firsts, lasts = (np.ascontiguousarray(ends[order], dtype=np.int64) for ends in (places[:count], places[count : 2 * count]))
    confidences = scored.confidences[order]
    # The number of ranges at each threshold.
    groups = np.append(np.flatnonzero(confidences[1:] != confidences[:-1]) + 1, count)[:count].astype(np.int64)

    def swept(rules: tuple[kernel.Rule, kernel.Rule]) -> tuple[NDArray[np.float64], NDArray[np.float64], int, int]:
        return kernel.sweep_runs(real._bounds, borders, firsts, lasts, groups, *rules, model.zero_division)

    most_real = most_predicted = 0
    if recall.own_cardinality or precision.own_cardinality:
        plain = [
            kernel.Rule(bias=kernel.Bias.flat, cardinality=kernel.Cardinality.one, alpha=0.0, as_points=each.as_points)
            for each in (recall, precision)
        ]
        *_, most_real, most_predicted = swept((plain[0], plain[1]))
    precisions, recalls, *_ = swept((recall.for_sweep(real, most_real), precision.for_sweep(None, most_predicted)))
    return confidences[groups - 1], precisions, recalls


def side_reward(model: RangeModel, own: Ranges, other: Ranges, *, side: Side) -> int:
    """The rewards of real or predicted ranges, in units of ``2 ** -94``, for parts of a series (``rangewise.stream``)."""
    mine, others = (model._recall, model._precision) if side == "real" else (model._precision, model._recall)
    if model.size is not None:
        own, other = own.points() if mine.as_points else own, other.points() if others.as_points else other
        rule = mine.for_rows(own, other, False)
    else:
        rule = mine.for_tally(own, other, others.as_points)
    reward, _ = kernel.tally(
        own._bounds,
        other._bounds,
        rule,
        kernel.Rule(
            bias=kernel.Bias.flat, cardinality=kernel.Cardinality.one, alpha=0.0, as_points=others.as_points and model.size is None
        ),
    )
    return whole_reward(*reward)


def scores_as_points(model: RangeModel, side: Side) -> bool:
    """Whether every point of this side is scored as a separate range."""
    return model.as_points in (side, "both")


def side_count(model: RangeModel, own: Ranges, *, side: Side) -> int:
    """The divisor of the rewards of one side: its number of ranges as scored."""
    return (model._recall if side == "real" else model._precision).count(own)
