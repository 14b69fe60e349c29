"""Thresholds chosen on the first rows of a series, in plain loops."""

from naive.model import ranges_of, score


def best_threshold(real, scores, max_alert_rate=None):
    """The threshold with the largest F among those that predict at most a share of the points; the highest if several tie."""
    best, best_f = float("inf"), -1.0
    for threshold in sorted(set(scores), reverse=True):
        labels = [int(value >= threshold) for value in scores]
        if max_alert_rate is not None and sum(labels) / len(labels) > max_alert_rate:
            continue
        f = score(ranges_of(real), ranges_of(labels))[2]
        if f > best_f:
            best, best_f = threshold, f
    return best


def quietest_threshold(scores, max_alert_rate):
    """The lowest threshold that predicts at most a share of the points."""
    within = [value for value in set(scores) if sum(other >= value for other in scores) / len(scores) <= max_alert_rate]
    return min(within, default=float("inf"))
