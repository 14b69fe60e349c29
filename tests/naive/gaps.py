"""Closing gaps between predictions, for each threshold."""


def closed_marks(marks, most):
    """0/1 labels with every gap of at most ``most`` points between two ones filled."""
    filled = list(marks)
    last = None
    for point, label in enumerate(marks):
        if not label:
            continue
        if last is not None and point - last - 1 <= most:
            for between in range(last + 1, point):
                filled[between] = 1
        last = point
    return filled


def marks_at(scores, threshold, most):
    """The labels at a threshold after closing the gaps."""
    return closed_marks([int(score >= threshold) for score in scores], most)
