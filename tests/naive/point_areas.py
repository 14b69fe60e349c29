"""Areas under point-wise curves in plain loops; labels are 0 or 1."""


def auc_roc(labels, scores):
    """How often an anomalous point scores higher than a normal one; a tie counts half."""
    anomalous = [score for score, label in zip(scores, labels, strict=True) if label]
    normal = [score for score, label in zip(scores, labels, strict=True) if not label]
    pairs = [(a > b) + (a == b) / 2 for a in anomalous for b in normal]
    return sum(pairs) / len(pairs)


def counts(labels, scores):
    """Hits and predicted points at each distinct score, descending."""
    for threshold in sorted(set(scores), reverse=True):
        inside = [label for label, score in zip(labels, scores, strict=True) if score >= threshold]
        yield sum(inside), len(inside)


def auc_pr(labels, scores, interpolation):
    area, before, precision = 0.0, 0, 1.0
    for hits, count in counts(labels, scores):
        height = hits / count if interpolation == "step" else (hits / count + precision) / 2
        area += (hits - before) / sum(labels) * height
        before, precision = hits, hits / count
    return area


def best_f(labels, scores, beta):
    return max((1 + beta**2) * hits / (beta**2 * sum(labels) + count) for hits, count in counts(labels, scores))
