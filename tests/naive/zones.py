"""Zones that do not count, point by point."""


def without(ranges, zones):
    """What is left of each range, and how many were clipped, emptied and cut."""
    ignored = {point for start, stop in zones for point in range(start, stop)}
    left, clipped, emptied, cut = [], 0, 0, 0
    for start, stop in ranges:
        pieces = []
        for point in range(start, stop):
            if point in ignored:
                continue
            if pieces and pieces[-1][1] == point:
                pieces[-1] = (pieces[-1][0], point + 1)
            else:
                pieces.append((point, point + 1))
        emptied += not pieces
        cut += len(pieces) > 1
        clipped += len(pieces) == 1 and pieces[0] != (start, stop)
        left += pieces
    return left, (clipped, emptied, cut)
