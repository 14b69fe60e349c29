"""eTaPR and TaPR point by point, in plain loops. Imports nothing of rangewise. Hwang et al. (2019, 2022)."""

import math

from naive.granted import f_beta


def overlap(real, k, prediction, zone):
    """Points of a prediction in range k, plus the weights of its points in the zone of ``zone + 1`` points after the range."""
    start, stop = real[k]
    total = sum(start <= i < stop for i in range(*prediction))
    first, last = stop, stop + zone
    if k + 1 < len(real) and last > real[k + 1][0]:
        last = real[k + 1][0] - 1
    if first < last:
        for i in range(*prediction):
            if first <= i <= last:
                total += 1 / (1 + math.exp(-6 + 12 * (i - first) / (last - first)))
    return total


def length(pair):
    return pair[1] - pair[0]


def etapr(real, predicted, theta_p, theta_r, delta):
    """Precision and recall; 0 for a side without ranges."""
    table = [[overlap(real, k, other, int(delta * (length(own) - 1))) for other in predicted] for k, own in enumerate(real)]
    while True:
        before = [row[:] for row in table]
        for k, own in enumerate(real):
            if 0 < sum(table[k]) / length(own) < theta_r:
                table[k] = [0] * len(predicted)
        for j, other in enumerate(predicted):
            if 0 < sum(row[j] for row in table) / length(other) < theta_p:
                for row in table:
                    row[j] = 0
        if table == before:
            break
    covered = [sum(table[k]) / length(own) for k, own in enumerate(real)]
    recall = [(1 + min(1, share)) / 2 if share >= theta_r else 0 for share in covered]
    right = [sum(row[j] for row in table) / length(other) for j, other in enumerate(predicted)]
    precision = [math.sqrt(length(p)) * (1 + share) / 2 if share >= theta_p else 0 for p, share in zip(predicted, right, strict=True)]
    weight = sum(math.sqrt(length(other)) for other in predicted)
    return sum(precision) / weight if predicted else 0.0, sum(recall) / len(real) if real else 0.0


def tapr_fbeta(real, predicted, alpha, delta, theta):
    table = [[overlap(real, k, other, delta) for other in predicted] for k in range(len(real))]

    def mean(shares):
        return sum(alpha * (share >= theta) + (1 - alpha) * min(1, share) for share in shares) / len(shares) if shares else 0.0

    recall = mean([sum(table[k]) / length(own) for k, own in enumerate(real)])
    precision = mean([sum(row[j] for row in table) / length(other) for j, other in enumerate(predicted)])
    return f_beta(precision, recall)
