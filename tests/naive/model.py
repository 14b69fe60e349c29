"""The paper's equations in plain loops: the reference for the kernel. Imports nothing of rangewise.

Ranges are half-open (start, stop) pairs; positions in a range count from 1. Tatbul et al. (2018), equations 3 to 9, figure 2.
"""

import math


def flat(i, length):
    return 1


def front(i, length):
    return length - i + 1


def back(i, length):
    return i


def middle(i, length):
    return i if i <= length / 2 else length - i + 1


def one(overlaps):
    return 1


def reciprocal(overlaps):
    return 1 / overlaps


def consistent(overlaps, length):
    # ((L - 1) / L)^(x - 1), correct even where (L - 1) / L rounds to 1
    return math.exp((overlaps - 1) * math.log1p(-1 / length))


BIASES = {"flat": flat, "front": front, "back": back, "middle": middle}
CARDINALITIES = {"one": one, "reciprocal": reciprocal, "consistent": consistent}


def omega(anomaly_range, overlap_set, delta):
    """Figure 2a: the share of the range's weight that lies in the overlap."""
    start, stop = anomaly_range
    length = stop - start
    my_value = 0
    max_value = 0
    for i in range(1, length + 1):
        bias = delta(i, length)
        max_value += bias
        if start + i - 1 in overlap_set:
            my_value += bias
    return my_value / max_value


def intersection(one_range, other_range):
    return range(max(one_range[0], other_range[0]), min(one_range[1], other_range[1]))


def cardinality_factor(own, overlaps, gamma):
    """Equation 7; a gamma of two arguments also takes the length of the range (Wagner et al., 2023)."""
    arguments = (overlaps, own[1] - own[0])[: gamma.__code__.co_argcount]
    return 1 if overlaps <= 1 else gamma(*arguments)


def overlap_reward(own, others, gamma, delta, size):
    """Equation 6."""
    overlapping = [other for other in others if len(intersection(own, other)) >= 1]
    return cardinality_factor(own, len(overlapping), gamma) * sum(size(own, intersection(own, other), delta) for other in overlapping)


def existence_reward(own, others):
    """Equation 5."""
    return 1 if sum(len(intersection(own, other)) for other in others) >= 1 else 0


def recall_rewards(real, predicted, alpha, gamma, delta, size=omega):
    """Equation 4 for each real range."""
    return [alpha * existence_reward(own, predicted) + (1 - alpha) * overlap_reward(own, predicted, gamma, delta, size) for own in real]


def precision_rewards(real, predicted, gamma, delta, size=omega):
    """Equation 9 for each predicted range."""
    return [overlap_reward(own, real, gamma, delta, size) for own in predicted]


def mean(rewards, zero_division, weights=None):
    """Equations 3 and 8; with weights, Wagner et al. (2023), who weight predicted ranges by their length."""
    weights = weights or [1] * len(rewards)
    return sum(weight * reward for weight, reward in zip(weights, rewards, strict=True)) / sum(weights) if rewards else zero_division


def f_beta(precision, recall, beta):
    if precision == 0 and recall == 0:
        return 0.0
    if math.isnan(precision) or math.isnan(recall):
        return math.nan
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def points(ranges):
    """Every point of the ranges as a unit range."""
    return [(i, i + 1) for start, stop in ranges for i in range(start, stop)]


def score(
    real,
    predicted,
    *,
    alpha=0,
    beta=1,
    recall=(one, flat),
    precision=(one, flat),
    precision_weight="range",
    as_points=None,
    zero_division=0,
    size=omega,
):
    """Precision, recall and F; each side's rule is a pair (gamma, delta)."""
    if as_points in ("real", "both"):
        real = points(real)
    if as_points in ("predicted", "both"):
        predicted = points(predicted)
    weights = [stop - start for start, stop in predicted] if precision_weight == "length" else None
    p = mean(precision_rewards(real, predicted, *precision, size), zero_division, weights)
    r = mean(recall_rewards(real, predicted, alpha, *recall, size), zero_division)
    return p, r, f_beta(p, r, beta)


def ranges_of(labels):
    """Consecutive ones form one range."""
    ranges, start = [], None
    for i, label in enumerate(labels):
        if label and start is None:
            start = i
        if not label and start is not None:
            ranges.append((start, i))
            start = None
    if start is not None:
        ranges.append((start, len(labels)))
    return ranges
