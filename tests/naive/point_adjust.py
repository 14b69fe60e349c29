"""Point-adjust and PA%K point by point, in plain loops. Imports nothing of rangewise. Xu et al. (2018); Kim et al. (2022)."""

from fractions import Fraction


def adjust(real, labels, k):
    """The predicted labels; real ranges of which more than k % is predicted are set to 1."""
    adjusted = list(labels)
    for start, stop in real:
        hits = sum(labels[start:stop])
        if Fraction(hits, stop - start) > Fraction(k) / 100:
            for i in range(start, stop):
                adjusted[i] = 1
    return adjusted


def counts(real, labels, k):
    """True positives, false positives, false negatives."""
    adjusted = adjust(real, labels, k)
    anomalous = [any(start <= i < stop for start, stop in real) for i in range(len(labels))]
    pairs = list(zip(anomalous, adjusted, strict=True))
    return (
        sum(1 for a, b in pairs if a and b),
        sum(1 for a, b in pairs if not a and b),
        sum(1 for a, b in pairs if a and not b),
    )


def scores(real, labels, k, beta=1):
    """Precision, recall and F; 0 for a division by 0."""
    tp, fp, fn = counts(real, labels, k)
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    both = beta**2 * precision + recall
    return precision, recall, (1 + beta**2) * precision * recall / both if both else 0.0


def curve(real, values, k, beta=1):
    """(threshold, precision, recall, F) at every distinct score, descending, each computed independently."""
    return [(t, *scores(real, [int(value >= t) for value in values], k, beta)) for t in sorted(set(values), reverse=True)]
