"""Classes in plain loops, point by point. Imports nothing but the naive model.

A side is a list of classes, one per point, or ``{class: [(start, stop), ...]}`` if classes overlap.
"""

from fractions import Fraction
from itertools import combinations, groupby

from naive import model


def runs(side):
    """(class, start, stop) of each run."""
    result, start = [], 0
    for name, points in groupby(side):
        length = len(list(points))
        result.append((name, start, start + length))
        start += length
    return result


def by_class(side, background=()):
    """The ranges of each class; a side that is given by class is returned without the background."""
    if isinstance(side, dict):
        return {name: ranges for name, ranges in side.items() if name not in background}
    ranges_of_class = {}
    for name, start, stop in runs(side):
        if name not in background:
            ranges_of_class.setdefault(name, []).append((start, stop))
    return ranges_of_class


def holders(classes, point):
    """The classes that cover a point."""
    return [name for name, ranges in classes.items() if any(start <= point < stop for start, stop in ranges)]


def taking(name, others, beside, point):
    """The class itself if the other side has it at this point; otherwise the classes that only the other side has."""
    present = holders(others, point)
    return [name] if name in present else [other for other in present if other not in holders(beside, point)]


def range_shares(own, name, others, beside, bias):
    """The share of each class in one range of class ``name``, weighted by a bias; None has the share without a class.

    ``beside`` has the classes of the range's own side.
    """
    start, stop = own
    weights = {point: model.BIASES[bias](point - start + 1, stop - start) for point in range(start, stop)}
    weight_of = {}
    for point, weight in weights.items():
        takers = taking(name, others, beside, point) or [None]
        for other in takers:
            weight_of[other] = weight_of.get(other, 0.0) + weight / len(takers)
    total = sum(weights.values())
    return {other: share / total for other, share in weight_of.items()}


def shares(real, predicted, names, bias="flat"):
    """The matrix of shares: one row per name with real ranges, one column per name, and a last column for what was missed."""
    matrix = []
    for name in names:
        ranges = real.get(name, [])
        if not ranges:
            continue
        of_ranges = [range_shares(own, name, predicted, real, bias) for own in ranges]
        matrix.append([sum(each.get(other, 0.0) for each in of_ranges) / len(of_ranges) for other in [*names, None]])
    return matrix


def counts(real, predicted, names):
    """The matrix of counts: each range counts for the class with its largest flat share. The last row has predictions on background."""
    matrix = []
    for name in names:
        if not real.get(name):
            continue
        row = [0] * (len(names) + 1)
        for start, stop in real[name]:
            covered = [Fraction(0)] * len(names)
            for point in range(start, stop):
                takers = taking(name, predicted, real, point)
                for other in takers:
                    covered[names.index(other)] += Fraction(1, len(takers))
            best = max(covered)
            if not best:
                row[-1] += 1
            elif covered[names.index(name)] == best:
                row[names.index(name)] += 1
            else:
                row[covered.index(best)] += 1
        matrix.append(row)
    on_background = [
        sum(not any(holders(real, point) for point in range(start, stop)) for start, stop in predicted.get(name, [])) for name in names
    ]
    return [*matrix, [*on_background, 0]]


def segment_counts(real, predicted, overlap, background=()):
    """(correct, wrong, missed), as MS-TCN's program counts them."""
    real_runs = [run for run in runs(real) if run[0] not in background]
    predicted_runs = [run for run in runs(predicted) if run[0] not in background]
    used = [False] * len(real_runs)
    right = wrong = 0
    for name, start, stop in predicted_runs:
        ious = []
        for other, low, high in real_runs:
            common = min(stop, high) - max(start, low)
            union = max(stop, high) - min(start, low)
            ious.append(common / union if name == other else 0.0)
        best = ious.index(max(ious)) if ious else None
        if best is not None and ious[best] >= overlap and not used[best]:
            used[best] = True
            right += 1
        else:
            wrong += 1
    return right, wrong, used.count(False)


def edit(real, predicted, background=()):
    first, second = ([name for name, _, _ in runs(side) if name not in background] for side in (real, predicted))
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) + 1):
        for j in range(len(second) + 1):
            if not i or not j:
                table[i][j] = i + j
            else:
                table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (first[i - 1] != second[j - 1]))
    longest = max(len(first), len(second))
    return 1 - table[-1][-1] / longest if longest else 1.0


def may_pair(real, predicted, onset, offset, share):
    length = real[1] - real[0]
    return abs(real[0] - predicted[0]) <= onset and abs(real[1] - predicted[1]) <= max(offset, share * length)


def most_pairs(allowed, rows, columns):
    """The largest number of allowed (row, column) pairs without a common row or column, by trying all sets from the largest size."""
    pairs = [(row, column) for row in range(rows) for column in range(columns) if allowed(row, column)]
    for size in range(min(rows, columns), 0, -1):
        for chosen in combinations(pairs, size):
            if len({row for row, _ in chosen}) == size == len({column for _, column in chosen}):
                return size
    return 0


def alignments(rows, columns, allowed):
    """Every set of allowed (row, column) pairs without a common row or column, including the empty set."""
    if not rows:
        yield []
        return
    row, rest = rows[0], rows[1:]
    yield from alignments(rest, columns, allowed)
    for column in columns:
        if allowed(row, column):
            for others in alignments(rest, [each for each in columns if each != column], allowed):
                yield [(row, column), *others]


def event_counts(real, predicted, onset, offset, share):
    """(real, predicted, pairs of the same class, pairs of different classes) of the alignment with the most pairs of the same class,
    then of different classes."""
    real_events, predicted_events = ([(name, event) for name, ranges in side.items() for event in ranges] for side in (real, predicted))

    def allowed(row, column):
        return may_pair(real_events[row][1], predicted_events[column][1], onset, offset, share)

    best = (0, 0)
    for pairs in alignments(range(len(real_events)), range(len(predicted_events)), allowed):
        right = sum(real_events[row][0] == predicted_events[column][0] for row, column in pairs)
        best = max(best, (right, len(pairs) - right))
    return len(real_events), len(predicted_events), *best


def accuracy(real, predicted, background=()):
    points = [(one, other) for one, other in zip(real, predicted, strict=True) if one not in background]
    return sum(one == other for one, other in points) / len(points) if points else 0.0


def macro_frame_f1(real, predicted, background=()):
    f_scores = []
    for name in sorted({*real} - {*background}):
        right = sum(one == other == name for one, other in zip(real, predicted, strict=True))
        wrong = sum((one == name) != (other == name) for one, other in zip(real, predicted, strict=True))
        f_scores.append(2 * right / (2 * right + wrong))
    return sum(f_scores) / len(f_scores) if f_scores else 0.0


def substituted(own, other, name):
    """Points of a class to which the other side gives another class: in whole events, between correct points, at the start, at the end."""
    counts_by_position = [0, 0, 0, 0]
    for start, stop in own.get(name, []):
        classes_at = [taking(name, other, own, point) for point in range(start, stop)]
        right = [index for index, present in enumerate(classes_at) if name in present]
        for index, present in enumerate(classes_at):
            if name not in present and present:
                counts_by_position[0 if not right else 2 if index < right[0] else 3 if index > right[-1] else 1] += 1
    return counts_by_position
