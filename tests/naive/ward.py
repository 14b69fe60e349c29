"""Event analysis of Ward, Lukowicz and Gellersen (2011) in plain loops, in two ways. Imports nothing of rangewise.

``events`` and ``uncovered`` go event by event, over sets of points. ``adjacent`` follows the paper's rule for labels: the category of a
segment depends on the segments before and after it.
"""

from itertools import groupby


def meet(first, second):
    return bool(set(range(*first)) & set(range(*second)))


def events(real, returned):
    """The categories of the real events and of the returned events."""
    real_categories, returned_categories = [], []
    for event in real:
        met = [other for other in returned if meet(event, other)]
        fragmented = len(met) > 1
        merged = any(meet(other, another) for other in met for another in real if another != event)
        real_categories.append(name(met, fragmented, merged, ("deletion", "fragmented", "merged", "fragmented and merged")))
    for event in returned:
        met = [other for other in real if meet(event, other)]
        merging = len(met) > 1
        fragmenting = any(meet(other, another) for other in met for another in returned if another != event)
        returned_categories.append(name(met, fragmenting, merging, ("insertion", "fragmenting", "merging", "fragmenting and merging")))
    return real_categories, returned_categories


def name(met, several, together, names):
    if not met:
        return names[0]
    if several and together:
        return names[3]
    if several:
        return names[1]
    return names[2] if together else "correct"


def uncovered(own, others):
    """The uncovered segments of one side: {kind: (segments, points)}; a kind is none, between, start or end."""
    counts = {"none": [0, 0], "between": [0, 0], "start": [0, 0], "end": [0, 0]}
    for start, stop in own:
        covered = {i for i in range(start, stop) if any(a <= i < b for a, b in others)}
        for is_covered, run in groupby(range(start, stop), key=lambda i, covered=covered: i in covered):
            points = list(run)
            if is_covered:
                continue
            before, after = any(i < points[0] for i in covered), any(i > points[0] for i in covered)
            kind = {(False, False): "none", (True, True): "between", (False, True): "start", (True, False): "end"}[before, after]
            counts[kind][0] += 1
            counts[kind][1] += len(points)
    return counts


def adjacent(real, predicted):
    """Points of each kind for two lists of labels, by the neighbors of each segment."""
    segments = [[pair, len(list(run))] for pair, run in groupby(zip(real, predicted, strict=True))]
    counts = dict.fromkeys(
        (
            "true_positive",
            "deletion",
            "fragmenting",
            "underfill_start",
            "underfill_end",
            "insertion",
            "merge",
            "overfill_start",
            "overfill_end",
        ),
        0,
    )
    for index, (pair, points) in enumerate(segments):
        before = index > 0 and segments[index - 1][0] == (1, 1)
        after = index + 1 < len(segments) and segments[index + 1][0] == (1, 1)
        match pair:
            case (1, 1):
                counts["true_positive"] += points
            case (1, 0):
                kind = {(0, 0): "deletion", (1, 1): "fragmenting", (0, 1): "underfill_start", (1, 0): "underfill_end"}[before, after]
                counts[kind] += points
            case (0, 1):
                kind = {(0, 0): "insertion", (1, 1): "merge", (0, 1): "overfill_start", (1, 0): "overfill_end"}[before, after]
                counts[kind] += points
    return counts
