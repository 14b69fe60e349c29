"""Detectors of windows in plain loops, for one channel of preprocessed values."""

from math import sqrt


def nearest_distances(values, known, window, normalize=False):
    """The distance of each window of values to the nearest window of known values."""
    library = [_form(known[j : j + window], normalize) for j in range(len(known) - window + 1)]
    distances = []
    for i in range(len(values) - window + 1):
        form = _form(values[i : i + window], normalize)
        distances.append(min(sqrt(sum((a - b) ** 2 for a, b in zip(form, known_form, strict=True)) / window) for known_form in library))
    return distances


def calmest(scores, window):
    """The score of each point: the smallest score of its windows."""
    points = len(scores) + window - 1
    return [min(scores[i] for i in range(len(scores)) if i <= t < i + window) for t in range(points)]


def _form(values, normalize):
    if not normalize:
        return list(values)
    mean = sum(values) / len(values)
    spread = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / max(spread, 0.01) for value in values]
