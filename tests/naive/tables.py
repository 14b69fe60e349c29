"""Tables of many series in plain loops: the order of rows, and ignored intervals."""


def rows_of(names, times=None):
    """The rows of each series, in the order in which the series first appear; sorted by time if there are times."""
    rows_by_name = {}
    for row, name in enumerate(names):
        rows_by_name.setdefault(name, []).append(row)
    if times is not None:
        for rows in rows_by_name.values():
            rows.sort(key=lambda row: times[row])  # rows with the same time keep their order
    return rows_by_name


def ignored_rows(intervals, count):
    """Whether each of ``count`` rows is in an interval of rows."""
    return [any(start <= row < stop for start, stop in intervals) for row in range(count)]


def joined(intervals):
    """Overlapping intervals are joined; those that only touch stay separate."""
    result = []
    for start, stop in sorted(intervals):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(stop, result[-1][1]))
        else:
            result.append((start, stop))
    return result


def ignored_times(intervals, times):
    """Whether each row is in an interval of times. An interval between two rows ignores the row before it."""
    ignored = [False] * len(times)
    for start, stop in joined(intervals):
        inside = [row for row, time in enumerate(times) if start <= time < stop]
        before = [row for row, time in enumerate(times) if time < start]
        behind = [row for row, time in enumerate(times) if time >= stop]
        if not inside and before and behind:
            inside = before[-1:]
        for row in inside:
            ignored[row] = True
    return ignored


def left(labels, ignored):
    """The labels, with 0 for ignored rows."""
    return [0 if out else label for label, out in zip(labels, ignored, strict=True)]
