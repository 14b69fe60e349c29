"""Reading a case point by point: close gaps, then remove ignored points. Imports nothing of rangewise."""


def closed(ranges, most):
    """Ranges with gaps of at most ``most`` points joined; 0 changes nothing."""
    joined = []
    for start, stop in ranges:
        if most and joined and start - joined[-1][1] <= most:
            joined[-1] = (joined[-1][0], stop)
        else:
            joined.append((start, stop))
    return joined


def points_of(intervals):
    return {point for start, stop in intervals for point in range(start, stop)}


def without(ranges, intervals):
    """The remaining pieces of each range, and how many ranges were shortened, removed and split."""
    ignored = points_of(intervals)
    remaining, shortened, removed, split = [], 0, 0, 0
    for start, stop in ranges:
        pieces = []
        for point in range(start, stop):
            if point in ignored:
                continue
            if pieces and pieces[-1][1] == point:
                pieces[-1] = (pieces[-1][0], point + 1)
            else:
                pieces.append((point, point + 1))
        removed += not pieces
        split += len(pieces) > 1
        shortened += len(pieces) == 1 and pieces[0] != (start, stop)
        remaining += pieces
    return remaining, (shortened, removed, split)


def predicted_at(scores, threshold, most, intervals):
    """The ranges that a threshold predicts: gaps are closed first, then ignored points are removed."""
    runs = []
    for point, score in enumerate(scores):
        if score < threshold:
            continue
        if runs and runs[-1][1] == point:
            runs[-1] = (runs[-1][0], point + 1)
        else:
            runs.append((point, point + 1))
    return without(closed(runs, most), intervals)[0]


def thresholds(scores, most, intervals):
    """The distinct scores of the points that count, descending. Closing a gap gives its points the lower score of its two ends."""
    ignored, n, levels = points_of(intervals), len(scores), set()
    for point in range(n):
        if point in ignored:
            continue
        ends = [(a, b) for a in range(max(point - most, 0), point + 1) for b in range(point, min(a + most + 2, n))]
        levels.add(max(min(scores[a], scores[b]) for a, b in ends))
    return sorted(levels, reverse=True)


def filled(scores):
    """Scores with missing ones (None) replaced by the lowest, and the points of the missing ones."""
    lowest = min(score for score in scores if score is not None)
    absent = [(point, point + 1) for point, score in enumerate(scores) if score is None]
    return [lowest if score is None else score for score in scores], absent
