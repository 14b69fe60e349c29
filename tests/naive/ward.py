"""Event analysis of Ward, Lukowicz and Gellersen (2011) in plain loops, twice. Imports nothing of ours.

``events`` and ``uncovered`` go event by event, over sets of points; ``adjacent`` follows the paper's own rule for labels: the category
of a segment depends on the segments before and after it.
"""

from itertools import groupby


def meet(one, other):
    return bool(set(range(*one)) & set(range(*other)))


def events(real, returned):
    """The categories of the real and of the returned events."""
    of_real, of_returned = [], []
    for event in real:
        met = [other for other in returned if meet(event, other)]
        fragmented = len(met) > 1
        merged = any(meet(other, another) for other in met for another in real if another != event)
        of_real.append(name(met, fragmented, merged, ("deletion", "fragmented", "merged", "fragmented and merged")))
    for event in returned:
        met = [other for other in real if meet(event, other)]
        merging = len(met) > 1
        fragmenting = any(meet(other, another) for other in met for another in returned if another != event)
        of_returned.append(name(met, fragmenting, merging, ("insertion", "fragmenting", "merging", "fragmenting and merging")))
    return of_real, of_returned


def name(met, in_pieces, together, names):
    if not met:
        return names[0]
    if in_pieces and together:
        return names[3]
    if in_pieces:
        return names[1]
    return names[2] if together else "correct"


def uncovered(own, others):
    """Of one side: {kind: (segments, points)} with kinds none, between, start, end."""
    found = {"none": [0, 0], "between": [0, 0], "start": [0, 0], "end": [0, 0]}
    for start, stop in own:
        covered = {i for i in range(start, stop) if any(a <= i < b for a, b in others)}
        for is_covered, run in groupby(range(start, stop), key=lambda i, covered=covered: i in covered):
            points = list(run)
            if is_covered:
                continue
            before, after = any(i < points[0] for i in covered), any(i > points[0] for i in covered)
            kind = {(False, False): "none", (True, True): "between", (False, True): "start", (True, False): "end"}[before, after]
            found[kind][0] += 1
            found[kind][1] += len(points)
    return found


def adjacent(real, predicted):
    """Points of each kind for two label lists, by the neighbors of each segment."""
    segments = [[pair, len(list(run))] for pair, run in groupby(zip(real, predicted, strict=True))]
    found = dict.fromkeys(
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
    for at, (pair, points) in enumerate(segments):
        before = at > 0 and segments[at - 1][0] == (1, 1)
        after = at + 1 < len(segments) and segments[at + 1][0] == (1, 1)
        match pair:
            case (1, 1):
                found["true_positive"] += points
            case (1, 0):
                kind = {(0, 0): "deletion", (1, 1): "fragmenting", (0, 1): "underfill_start", (1, 0): "underfill_end"}[before, after]
                found[kind] += points
            case (0, 1):
                kind = {(0, 0): "insertion", (1, 1): "merge", (0, 1): "overfill_start", (1, 0): "overfill_end"}[before, after]
                found[kind] += points
    return found
