"""Statistics by their definitions, in plain loops. Imports nothing of rangewise."""

import itertools
import math


def signed_rank_p(differences):
    """Wilcoxon's signed-rank test over all assignments of signs, without zeros."""
    values = [value for value in differences if value != 0]
    if not values:
        return 1.0
    ranks = []
    for value in values:
        below = sum(abs(other) < abs(value) for other in values)
        equal = sum(abs(other) == abs(value) for other in values)
        ranks.append(below + (equal + 1) / 2)
    positive = sum(rank for rank, value in zip(ranks, values, strict=True) if value > 0)
    extreme = min(positive, sum(ranks) - positive)
    count = 0
    for signs in itertools.product((0, 1), repeat=len(values)):
        total = sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        count += total <= extreme
    return min(1.0, 2 * count / 2 ** len(values))


def holm(p):
    adjusted = [None] * len(p)
    highest = 0.0
    for step, index in enumerate(sorted(range(len(p)), key=lambda index: p[index])):
        highest = max(highest, min(1.0, (len(p) - step) * p[index]))
        adjusted[index] = highest
    return adjusted


def pooled(rows, beta=1.0):
    """Precision, recall and F of rows of (real reward, real ranges, predicted reward, predicted ranges)."""
    real_reward = real = predicted_reward = predicted = 0
    for row in rows:
        real_reward += row[0]
        real += row[1]
        predicted_reward += row[2]
        predicted += row[3]
    recall = real_reward / real if real else 0.0
    precision = predicted_reward / predicted if predicted else 0.0
    if precision == 0 and recall == 0:
        return precision, recall, 0.0
    return precision, recall, (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def effective_number(weights):
    """The number of equal weights with the same evenness."""
    total = squares = 0.0
    for weight in weights:
        total += weight
        squares += weight**2
    return total**2 / squares


def freedom(rows, place, value):
    """Degrees of freedom of Student's t: the smallest of n - 1, the effective number of series by ranges minus 1, and that by hits, or by
    misses if those are fewer, but at least 2."""
    fewest = len(rows) - 1
    for side in ((2,), (0,), (0, 2))[place]:
        fewest = min(fewest, effective_number([row[side + 1] for row in rows]) - 1)
        mass = effective_number([row[side] if value <= 0.5 else row[side + 1] - row[side] for row in rows])
        fewest = min(fewest, max(2, mass))
    return max(1, fewest)


def jackknife_logit(rows, place, quantile):
    """The interval of a pooled score from leaving out each row in turn; ``quantile(df)`` is a quantile of Student's t."""
    value = pooled(rows)[place]
    logits = []
    for number in range(len(rows)):
        share = pooled(rows[:number] + rows[number + 1 :])[place]
        logits.append(math.log(share / (1 - share)))
    mean = sum(logits) / len(logits)
    spread = math.sqrt((len(rows) - 1) / len(rows) * sum((each - mean) ** 2 for each in logits))
    middle, t = math.log(value / (1 - value)), quantile(freedom(rows, place, value))
    return tuple(1 / (1 + math.exp(-(middle + side * t * spread))) for side in (-1, 1))


def ranks(row):
    """1 is the best (largest); ties share their mean rank."""
    return [sum(other > value for other in row) + (sum(other == value for other in row) + 1) / 2 for value in row]


def group_means(values, groups):
    """The mean of each group, in the order of their names; None is a missing value."""
    means = []
    for name in sorted(set(groups)):
        members = [value for value, group in zip(values, groups, strict=True) if group == name and value is not None]
        means.append(sum(members) / len(members) if members else None)
    return means


def intraclass_correlation(values, groups):
    """One-way analysis of variance with groups of unequal size."""
    names, count = sorted(set(groups)), len(values)
    mean = sum(values) / count
    between = within = squares = 0.0
    for name in names:
        members = [value for value, group in zip(values, groups, strict=True) if group == name]
        middle = sum(members) / len(members)
        between += len(members) * (middle - mean) ** 2
        within += sum((value - middle) ** 2 for value in members)
        squares += len(members) ** 2
    between /= len(names) - 1
    within /= count - len(names)
    size = (count - squares / count) / (len(names) - 1)
    return (between - within) / (between + (size - 1) * within)


def jackknife_of_mean(values, groups):
    """The standard error of the mean over series, from leaving out each group in turn."""
    names = sorted(set(groups))
    without = []
    for name in names:
        rest = [value for value, group in zip(values, groups, strict=True) if group != name]
        without.append(sum(rest) / len(rest))
    middle = sum(without) / len(names)
    return math.sqrt((len(names) - 1) / len(names) * sum((value - middle) ** 2 for value in without))
