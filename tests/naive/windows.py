"""Detectors of windows in plain loops: one channel, values as they are compared."""

from math import sqrt


def nearest_distances(values, known, window, normalize=False):
    """A distance for each window of values: to the nearest window of known."""
    library = [_form(known[j : j + window], normalize) for j in range(len(known) - window + 1)]
    found = []
    for i in range(len(values) - window + 1):
        mine = _form(values[i : i + window], normalize)
        found.append(min(sqrt(sum((a - b) ** 2 for a, b in zip(mine, theirs, strict=True)) / window) for theirs in library))
    return found


def calmest(found, window):
    """A score for each point: the smallest of its windows."""
    points = len(found) + window - 1
    return [min(found[i] for i in range(len(found)) if i <= t < i + window) for t in range(points)]


def _form(values, normalize):
    if not normalize:
        return list(values)
    mean = sum(values) / len(values)
    spread = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / max(spread, 0.01) for value in values]
