"""Adjusted metrics of points and events in plain loops, by Garg, Hundman, Ren, Doshi and others. Imports nothing of rangewise."""

import itertools
from fractions import Fraction


def f_beta(precision, recall, beta=1):
    both = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / both if both else 0.0


def divide(part, whole):
    return part / whole if whole else 0.0


def inside(point, ranges):
    return any(start <= point < stop for start, stop in ranges)


def composite(real, labels, beta=1):
    points = [i for i, label in enumerate(labels) if label]
    precision = divide(sum(inside(i, real) for i in points), len(points))
    recall = divide(sum(any(labels[start:stop]) for start, stop in real), len(real))
    return precision, recall, f_beta(precision, recall, beta)


def segment(real, predicted, beta=1):
    """Both sides are ranges."""

    def meets(first, second):
        return first[0] < second[1] and second[0] < first[1]

    caught = sum(any(meets(own, second) for second in predicted) for own in real)
    false_alarms = sum(not any(meets(own, second) for second in real) for own in predicted)
    precision, recall = divide(caught, caught + false_alarms), divide(caught, len(real))
    return precision, recall, f_beta(precision, recall, beta)


def tolerant(real, labels, tolerance, beta=1):
    anomalous = [i for i in range(len(labels)) if inside(i, real)]
    points = [i for i, label in enumerate(labels) if label]
    precision = divide(sum(any(abs(i - j) <= tolerance for j in anomalous) for i in points), len(points))
    recall = divide(sum(any(abs(i - j) <= tolerance for j in points) for i in anomalous), len(anomalous))
    return precision, recall, f_beta(precision, recall, beta)


def _after_a_grant(real, labels, granted, beta, added=0):
    """Precision, recall and F if ``granted(start, stop)`` points of each range are hits; ``added`` is added to the denominators."""
    hits = sum(granted(start, stop) for start, stop in real)
    false_points = sum(label and not inside(i, real) for i, label in enumerate(labels))
    precision, recall = divide(hits, hits + false_points + added), divide(hits, sum(stop - start for start, stop in real) + added)
    return precision, recall, f_beta(precision, recall, beta)


def delayed(real, labels, k, beta=1):
    return _after_a_grant(real, labels, lambda start, stop: stop - start if any(labels[start : min(stop, start + k)]) else 0, beta)


def latency(real, labels, beta=1, added=0):
    def granted(start, stop):
        return next((stop - i for i in range(start, stop) if labels[i]), 0)

    return _after_a_grant(real, labels, granted, beta, added)


def adjusted_area(real, labels, beta=1):
    """PA%K: F is constant between two adjacent shares, so its mean over K is a sum over intervals."""
    shares = sorted({Fraction(0), Fraction(1), *(Fraction(sum(labels[start:stop]), stop - start) for start, stop in real)})
    area = 0
    for low, high in itertools.pairwise(shares):
        k = (low + high) / 2

        def granted(start, stop, k=k):
            hits = sum(labels[start:stop])
            return stop - start if Fraction(hits, stop - start) > k else hits

        area += float(high - low) * _after_a_grant(real, labels, granted, beta)[2]
    return area


def best_adjusted_area(real, scores, beta=1):
    """PA%K with the best threshold for each K, which is constant between two adjacent shares that a range can have."""
    cuts = sorted({Fraction(i, stop - start) for start, stop in real for i in range(stop - start + 1)} | {Fraction(0), Fraction(1)})
    area = 0
    for low, high in itertools.pairwise(cuts):
        best = 0.0
        for threshold in set(scores):
            labels = [int(score >= threshold) for score in scores]

            def granted(start, stop, k=(low + high) / 2, labels=labels):
                hits = sum(labels[start:stop])
                return stop - start if Fraction(hits, stop - start) > k else hits

            best = max(best, _after_a_grant(real, labels, granted, beta)[2])
        area += float(high - low) * best
    return area


def every_threshold(metric, real, scores, *arguments):
    """(threshold, precision, recall, F) at every distinct score, descending, each computed independently."""
    return [(t, *metric(real, [int(score >= t) for score in scores], *arguments)) for t in sorted(set(scores), reverse=True)]
