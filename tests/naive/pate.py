"""PATE in plain loops, as docs/metrics/pate.md defines it. Ranges are half-open."""

import numpy as np


def lengths(buffer, splits, include_zero):
    return [int(buffer * part / splits) for part in range(0 if include_zero else 1, splits + 1)]


def precision_recall(real, predicted, early, delay):
    """Precision and recall of labels for one early and one delay buffer."""
    n = len(predicted)
    hits, missed, behind = 0.0, 0.0, -1  # behind: the last point of the buffer after the previous range
    for k, (start, stop) in enumerate(real):
        first, last = start, stop - 1
        center = (first + last) / 2
        detected = any(predicted[first:stop])
        hits += sum(predicted[first:stop])
        before = max(0, first - early, behind + 1)
        for i in range(before, first):
            if predicted[i] and detected:
                hits += 1 - (center - i) / (center - before)
        behind = min(last + delay, (real[k + 1][0] if k + 1 < len(real) else n) - 1)
        for i in range(stop, behind + 1):
            if predicted[i]:
                hits += 1 - (i - center) / (behind - center)
        missed += _missed(predicted[first:stop])
    count = sum(predicted)
    return (hits / count if count else 0.0), (hits / (hits + missed) if hits + missed else 0.0)


def _missed(inside):
    """The cost of the missed points of one range."""
    length = len(inside)
    if not any(inside):
        return float(length)
    first = inside.index(1)
    run = 0
    while first + run < length and inside[first + run]:
        run += 1
    spread = length * (length - 1) / 2
    return sum(1.0 if i <= run else 1 - (run + 1) * (i - run / 2) / spread for i in range(length) if not inside[i])


def area(real, scores, early, delay, thresholds, interpolation):
    recall, precision, total = 0.0, 1.0, 0.0
    for threshold in thresholds:
        next_precision, next_recall = precision_recall(real, [int(score >= threshold) for score in scores], early, delay)
        if next_recall < recall:
            continue
        total += (next_recall - recall) * (next_precision if interpolation == "step" else (precision + next_precision) / 2)
        recall, precision = next_recall, next_precision
    return total


def published_thresholds(real, scores):
    """250 percentiles of the scores next to which the number of real points changes, from high to low."""
    distinct = sorted(set(scores), reverse=True)
    is_real = [any(start <= i < stop for start, stop in real) for i in range(len(scores))]
    hits = [sum(inside for inside, score in zip(is_real, scores, strict=True) if score >= one) for one in distinct]
    last = len(distinct) - 1
    kept = [
        one for k, one in enumerate(distinct) if k in (0, last) or len(distinct) < 3 or hits[k] != hits[k - 1] or hits[k + 1] != hits[k]
    ]
    return np.percentile(kept, np.linspace(100, 0, 250)).tolist()


def mean_over_pairs(of, early, delay, splits, include_zero):
    values = [of(e, d) for e in lengths(early, splits, include_zero) for d in lengths(delay, splits, include_zero)]
    return sum(values) / len(values)


def f1(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
