"""Gaps between predictions, closed threshold by threshold."""


def closed_marks(marks, most):
    """0/1 marks with every gap of at most so many points between two marked ones filled."""
    filled = list(marks)
    last = None
    for point, marked in enumerate(marks):
        if not marked:
            continue
        if last is not None and point - last - 1 <= most:
            for between in range(last + 1, point):
                filled[between] = 1
        last = point
    return filled


def marks_at(scores, threshold, most):
    """What a threshold marks once the gaps are closed."""
    return closed_marks([int(score >= threshold) for score in scores], most)
