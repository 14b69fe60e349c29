"""Range-AUC and VUS in plain loops, as docs/metrics/vus.md defines the three variants. Ranges are half-open."""

from math import sqrt


def weights(real, n, buffer, variant):
    """How much each point counts as a hit: 1 inside a range, between 0 and 1 on the slopes."""
    half = buffer // 2
    values = [0.0] * n
    for start, stop in real:
        for i in range(start, stop):
            values[i] = 1.0
    if half == 0:
        return values
    for i in range(n):
        if any(start <= i < stop for start, stop in real):
            continue
        slopes = []
        for start, stop in real:
            distance = start - i if i < start else i - (stop - 1)
            reach = half - 1 if variant == "paper" and i >= stop else half
            if distance > reach:
                continue
            if variant == "timeeval":
                slopes.append(1 / sqrt(2) + (1 - 1 / sqrt(2)) * (half - distance) / half)
            else:
                slopes.append(sqrt(1 - distance / buffer))
        if slopes:
            values[i] = max(slopes) if variant == "timeeval" else min(sum(slopes), 1.0)
    return values


def zones(real, n, buffer, variant, weight):
    """Lists of points; a zone is hit if one of its points is predicted."""
    half = buffer // 2
    if variant == "paper":  # runs of points with a weight
        result = []
        for i in range(n):
            if weight[i] > 0:
                if i and weight[i - 1] > 0:
                    result[-1].append(i)
                else:
                    result.append([i])
        return result
    if variant == "timeeval":  # one per range, one point too long at the end
        return [[i for i in range(max(start - half, 0), min(stop + half + 1, n)) if weight[i] > 0] for start, stop in real]
    result = []
    for start, stop in real:
        first, last = start - half, stop - 1 + half
        if result and result[-1][1] >= first:
            result[-1][1] = last
        else:
            result.append([first, last])
    return [list(range(max(first, 0), min(last, n - 1) + 1)) for first, last in result]


def range_auc(real, scores, buffer, variant, thresholds, ignored=()):
    """The areas under ROC and PR at descending thresholds. Ignored points have neither label nor score, but count for distances."""
    n = len(scores)
    counted = n - len(ignored)
    weight = weights(real, n, buffer, variant)
    around = zones(real, n, buffer, variant, weight)
    anomalous = sum(stop - start for start, stop in real)
    inside = [any(start <= i < stop for start, stop in real) for i in range(n)]
    curve = []
    for threshold in thresholds:
        predicted = [score >= threshold and i not in ignored for i, score in enumerate(scores)]
        hits = sum(weight[i] for i in range(n) if predicted[i])
        buffered = sum(weight[i] for i in range(n) if not inside[i] and i not in ignored and (predicted[i] or variant != "tsb_ad"))
        positives = anomalous + buffered / 2
        existence = sum(any(predicted[i] for i in zone) for zone in around) / len(around)
        count = sum(predicted)
        false_rate = (count - hits) / (counted - positives) if anomalous < counted else 0.0
        curve.append((min(hits / positives, 1) * existence, false_rate, hits / count))
    roc = pr = recall = false_rate = 0.0
    precision = 1.0
    for next_recall, next_false, next_precision in curve:
        roc += (recall + next_recall) / 2 * (next_false - false_rate)
        pr += (next_recall - recall) * (next_precision if variant == "tsb_ad" else (precision + next_precision) / 2)
        recall, false_rate, precision = next_recall, next_false, next_precision
    roc += (recall + 1) / 2 * (1 - false_rate)
    return roc, pr


def all_thresholds(scores):
    return sorted(set(scores), reverse=True)


def sampled_thresholds(scores, count):
    ordered, n = sorted(scores, reverse=True), len(scores)
    count = min(count, n)
    return [ordered[int(j * (n - 1) / (count - 1))] if count > 1 else ordered[0] for j in range(count)]


def vus(real, scores, buffer, variant, thresholds):
    areas = [range_auc(real, scores, length, variant, thresholds) for length in range(buffer + 1)]
    return tuple(sum(each[index] for each in areas) / len(areas) for index in (0, 1))
