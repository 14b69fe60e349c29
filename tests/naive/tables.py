"""What the rows of a table of many series mean, in plain loops: their order, and ignored intervals."""


def rows_of(names, times=None):
    """The rows of each series, in the order in which series first come; by time where there are times, and as they come otherwise."""
    found = {}
    for row, name in enumerate(names):
        found.setdefault(name, []).append(row)
    if times is not None:
        for rows in found.values():
            rows.sort(key=lambda row: times[row])  # rows of the same time stay as they come
    return found


def ignored_rows(intervals, count):
    """Which of so many rows lie in intervals of rows."""
    return [any(start <= row < stop for start, stop in intervals) for row in range(count)]


def joined(intervals):
    """Intervals that overlap, as one; those that only touch stay two."""
    found = []
    for start, stop in sorted(intervals):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return found


def ignored_times(intervals, times):
    """Which rows intervals of times mean: the rows in each, or else the row before it, if there is one and a row behind it."""
    found = [False] * len(times)
    for start, stop in joined(intervals):
        inside = [row for row, time in enumerate(times) if start <= time < stop]
        before = [row for row, time in enumerate(times) if time < start]
        behind = [row for row, time in enumerate(times) if time >= stop]
        if not inside and before and behind:
            inside = before[-1:]
        for row in inside:
            found[row] = True
    return found


def left(labels, ignored):
    """Labels of the rows that count."""
    return [0 if out else label for label, out in zip(labels, ignored, strict=True)]
