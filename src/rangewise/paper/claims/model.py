"""What the paper says of NAB as related work (section 3) and of its own model (section 4), on small cases and on all published runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rangewise.inputs.ranges import Ranges
from rangewise.metrics.nab.scoring import NAB_PROFILES, nab_score
from rangewise.model.bias import BIASES
from rangewise.model.model import RangeModel
from rangewise.model.presets import classical
from rangewise.paper.claims.ledger import ClaimResult, claim
from rangewise.paper.published import DATASETS, DETECTORS, Labeled, published

RELATED, RECALL, PRECISION, GUIDE = "3 Related work", "4.1 Range-based recall", "4.2 Range-based precision", "4.3 Customization guidelines"

_WHOLE = [(0, 100)]
_SAME = 1e-12


def all_runs() -> Iterator[Labeled]:
    """The 21 published runs."""
    return (published(dataset, detector) for dataset in DATASETS for detector in DETECTORS)


def recall(predicted: list[tuple[int, int]], **settings: object) -> float:
    """The recall of one real range of 100 points."""
    return RangeModel(**settings).score(_WHOLE, predicted).recall  # type: ignore[arg-type]


@claim(RELATED, "NAB scores points, not ranges: detections after the first one in a window change nothing.")
def nab_is_point_based() -> ClaimResult:
    changes = []
    for run in all_runs():
        rows = run.predicted.points().starts
        window = np.searchsorted(run.real.starts, rows, side="right") - 1
        inside = (window >= 0) & (rows < run.real.stops[window])
        _, first = np.unique(window[inside], return_index=True)
        kept = np.sort(np.concatenate([rows[~inside], rows[inside][first]]))
        thinned = Labeled(run.real, Ranges(np.column_stack([kept, kept + 1])), run.length)
        changes.append(abs(thinned.nab() - run.nab()))
    return ClaimResult(
        f"largest change over {len(changes)} runs if only the first detected point of each window is kept: {max(changes):.1g}",
        max(changes) < 1e-9,
    )


@claim(RELATED, "NAB's bias is fixed: an earlier detection never earns less, in every profile.")
def nab_bias_is_fixed() -> ClaimResult:
    falls = {
        profile: np.diff([nab_score([(0, 100)], [(row, row + 1)], length=100, profile=profile, probation=False).raw for row in range(100)])
        for profile in NAB_PROFILES
    }
    first, last = (nab_score([(0, 100)], [(row, row + 1)], length=100, probation=False).raw for row in (0, 99))
    return ClaimResult(
        f"one detection in a window of 100 rows earns {first:.2f} at the first row and {last:.2f} at the last; it falls at every row in "
        "all 3 profiles",
        all(bool((steps < 0).all()) for steps in falls.values()),
    )


@claim(RECALL, "Existence: a single predicted point in a range earns the whole existence reward.")
def existence() -> ClaimResult:
    one, none = recall([(57, 58)], alpha=1.0), recall([(100, 101)], alpha=1.0)
    return ClaimResult(f"alpha 1, one of 100 points: {one:.2f}; one point beside the range: {none:.2f}", (one, none) == (1.0, 0.0))


@claim(RECALL, "Size: the larger the correctly predicted part of a range, the higher its recall.")
def size() -> ClaimResult:
    steps = [np.diff([recall([(0, stop)], recall_bias=bias) for stop in range(1, 101)]) for bias in BIASES]
    return ClaimResult(
        "a prediction that grows from 1 to 100 of 100 points raises recall at each step, under all four biases",
        all((step > 0).all() for step in steps),
    )


@claim(RECALL, "Position: with a bias, the reward of a part depends on where it lies, not only on its size.")
def position() -> ClaimResult:
    earned = {bias: (recall([(0, 25)], recall_bias=bias), recall([(75, 100)], recall_bias=bias)) for bias in ("flat", "front", "back")}
    text = ", ".join(f"{bias} {first:.3f} and {last:.3f}" for bias, (first, last) in earned.items())
    right = earned["flat"][0] == earned["flat"][1] and earned["front"][0] > earned["front"][1] and earned["back"][0] < earned["back"][1]
    return ClaimResult(f"first and last quarter of a range: {text}", right)


@claim(RECALL, "Cardinality: a range found in one piece earns more than one found in several pieces with as many points.")
def cardinality() -> ClaimResult:
    pieces = [(start, start + 10) for start in range(0, 100, 20)]
    whole, split, split_one = recall([(0, 50)], cardinality="reciprocal"), recall(pieces, cardinality="reciprocal"), recall(pieces)
    return ClaimResult(
        f"50 of 100 points with 1/x: in one piece {whole:.2f}, in five {split:.2f}; with cardinality 1, in five {split_one:.2f}",
        whole > split,
    )


@claim(RECALL, "The cardinality factor is 1, its largest value, for a range that overlaps at most one prediction.")
def cardinality_factor() -> ClaimResult:
    rows = [RangeModel(cardinality="reciprocal").score(run.real, run.predicted).real for run in all_runs()]
    factors, overlaps = (np.concatenate([getattr(row, name) for row in rows]) for name in ("factor", "overlaps"))
    alone, many = factors[overlaps <= 1], factors[overlaps > 1]
    computed = (
        f"21 runs: {alone.size} ranges overlap at most one, factor 1; {many.size} overlap several, "
        f"factors {many.min():.3f} to {many.max():.3f}"
    )
    return ClaimResult(computed, bool((alone == 1).all() and (many < 1).all()))


@claim(RECALL, "Recall of a series is the mean of the rewards of its real ranges, each from 0 to 1.")
def recall_is_a_mean() -> ClaimResult:
    scores = [RangeModel(cardinality="reciprocal", recall_bias="front", alpha=0.5).score(run.real, run.predicted) for run in all_runs()]
    error = max(abs(score.recall - float(score.real.reward.mean())) for score in scores)
    inside = all(0 <= reward <= 1 + _SAME for score in scores for reward in score.real.reward)
    return ClaimResult(
        f"21 runs: largest difference from the mean of the rewards {error:.1g}, all rewards in 0..1: {inside}", error < _SAME and inside
    )


@claim(PRECISION, "Precision has no existence reward, so alpha does not change it.")
def precision_ignores_alpha() -> ClaimResult:
    change = max(
        abs(
            RangeModel(alpha=1.0, cardinality="reciprocal").score(*sides).precision
            - RangeModel(cardinality="reciprocal").score(*sides).precision
        )
        for sides in ((run.real, run.predicted) for run in all_runs())
    )
    return ClaimResult(f"largest change of precision in 21 runs between alpha 0 and 1: {change:.1g}", change == 0)


@claim(PRECISION, "Precision is defined like recall, with real and predicted ranges exchanged.")
def precision_mirrors_recall() -> ClaimResult:
    model = RangeModel(cardinality="reciprocal", bias="front")
    gap = max(abs(model.score(run.real, run.predicted).precision - model.score(run.predicted, run.real).recall) for run in all_runs())
    return ClaimResult(f"largest difference in 21 runs, front bias and 1/x on both sides: {gap:.1g}", gap < _SAME)


@claim(GUIDE, "With flat bias, the reward of a range depends only on the size of the overlap, and grows with it.")
def flat_counts_points() -> ClaimResult:
    places = [recall([(start, start + 30)]) for start in range(71)]
    lowest, highest = min(places), max(places)
    return ClaimResult(f"30 of 100 points at any of 71 positions: {lowest:.2f} to {highest:.2f}", highest - lowest < _SAME)


@claim(GUIDE, "Front and back bias weigh earlier and later positions more; middle bias weighs the middle more.")
def biases_are_monotone() -> ClaimResult:
    weights = {bias: np.array([recall([(i, i + 1)], recall_bias=bias) for i in range(100)]) for bias in BIASES}
    steps = {bias: np.diff(by_position) for bias, by_position in weights.items()}
    right = (
        (steps["front"] < 0).all() and (steps["back"] > 0).all() and (steps["middle"][:49] > 0).all() and (steps["middle"][50:] < 0).all()
    )
    text = ", ".join(f"{bias} {by_position[0]:.4f} {by_position[49]:.4f} {by_position[99]:.4f}" for bias, by_position in weights.items())
    return ClaimResult(
        f"weights of positions 1, 50 and 100 of 100: {text}; each rises or falls at every step from its reference point", bool(right)
    )


@claim(GUIDE, "The cardinality factor falls with the number of overlapping ranges, typically as 1/x.")
def reciprocal_falls() -> ClaimResult:
    pieces = {x: [(start, start + 1) for start in range(0, 2 * x, 2)] for x in range(1, 11)}
    factors = [RangeModel(cardinality="reciprocal").score(_WHOLE, predicted).real[0].factor for predicted in pieces.values()]
    text = ", ".join(f"{factor:.3f}" for factor in factors[:5])
    return ClaimResult(f"x = 1 to 5: {text}", all(abs(factor - 1 / x) < _SAME for x, factor in enumerate(factors, 1)))


@claim(GUIDE, "With every point as its own range, alpha 0, cardinality 1 and flat bias, the model is the classical one.")
def subsumes_the_classical_model() -> ClaimResult:
    gap = 0.0
    for run in all_runs():
        precision, found_recall, _ = run.points()
        score = classical.score(run.real, run.predicted)
        gap = max(gap, abs(score.precision - precision), abs(score.recall - found_recall))
    return ClaimResult(f"largest difference of precision or recall from counted points in 21 runs: {gap:.1g}", gap < _SAME)
