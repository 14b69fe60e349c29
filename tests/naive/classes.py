"""Classes in plain loops, point by point. Imports nothing of ours but the naive model.

A side is a list of classes, one a point, or for classes that overlap ``{class: [(start, stop), ...]}``.
"""

from fractions import Fraction
from itertools import combinations, groupby

from naive import model


def runs(side):
    """(class, start, stop) of each run."""
    found, at = [], 0
    for name, points in groupby(side):
        length = len(list(points))
        found.append((name, at, at + length))
        at += length
    return found


def by_class(side, background=()):
    """The ranges of each class; what is given by class already stays."""
    if isinstance(side, dict):
        return {name: ranges for name, ranges in side.items() if name not in background}
    found = {}
    for name, start, stop in runs(side):
        if name not in background:
            found.setdefault(name, []).append((start, stop))
    return found


def holders(classes, point):
    """The classes that hold a point."""
    return [name for name, ranges in classes.items() if any(start <= point < stop for start, stop in ranges)]


def taking(name, others, beside, point):
    """The class itself where the other side has it, else those that the other side alone has."""
    there = holders(others, point)
    return [name] if name in there else [other for other in there if other not in holders(beside, point)]


def range_shares(own, name, others, beside, bias):
    """What each class holds of one range of class ``name``, weighted by a bias; what nobody holds is under None.

    ``beside`` are the classes of the range's own side.
    """
    start, stop = own
    weights = {point: model.BIASES[bias](point - start + 1, stop - start) for point in range(start, stop)}
    found = {}
    for point, weight in weights.items():
        there = taking(name, others, beside, point) or [None]
        for other in there:
            found[other] = found.get(other, 0.0) + weight / len(there)
    whole = sum(weights.values())
    return {other: share / whole for other, share in found.items()}


def shares(real, predicted, names, bias="flat"):
    """The matrix of shares: a row for each name with real ranges, a column for each name, and what was missed."""
    matrix = []
    for name in names:
        ranges = real.get(name, [])
        if not ranges:
            continue
        found = [range_shares(own, name, predicted, real, bias) for own in ranges]
        matrix.append([sum(each.get(other, 0.0) for each in found) / len(found) for other in [*names, None]])
    return matrix


def counts(real, predicted, names):
    """The matrix of counts, with the row of predictions on background: each range under the class with the largest flat share of it."""
    matrix = []
    for name in names:
        if not real.get(name):
            continue
        row = [0] * (len(names) + 1)
        for start, stop in real[name]:
            covered = [Fraction(0)] * len(names)
            for point in range(start, stop):
                there = taking(name, predicted, real, point)
                for other in there:
                    covered[names.index(other)] += Fraction(1, len(there))
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
    """(right, wrong, missed), as the program of MS-TCN counts them."""
    of_real = [run for run in runs(real) if run[0] not in background]
    of_predicted = [run for run in runs(predicted) if run[0] not in background]
    used = [False] * len(of_real)
    right = wrong = 0
    for name, start, stop in of_predicted:
        ious = []
        for other, low, high in of_real:
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
    one, other = ([name for name, _, _ in runs(side) if name not in background] for side in (real, predicted))
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) + 1):
        for j in range(len(other) + 1):
            if not i or not j:
                table[i][j] = i + j
            else:
                table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (one[i - 1] != other[j - 1]))
    longest = max(len(one), len(other))
    return 1 - table[-1][-1] / longest if longest else 1.0


def may_pair(real, predicted, onset, offset, share):
    length = real[1] - real[0]
    return abs(real[0] - predicted[0]) <= onset and abs(real[1] - predicted[1]) <= max(offset, share * length)


def most_pairs(allowed, rows, columns):
    """The largest set of allowed (row, column) that share none: tries every size, from the largest, over every choice."""
    pairs = [(row, column) for row in range(rows) for column in range(columns) if allowed(row, column)]
    for size in range(min(rows, columns), 0, -1):
        for chosen in combinations(pairs, size):
            if len({row for row, _ in chosen}) == size == len({column for _, column in chosen}):
                return size
    return 0


def alignments(rows, columns, allowed):
    """Every set of allowed (row, column) that share none, the empty one included."""
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
    """(real, predicted, pairs of one class, pairs of two classes): of all alignments that with the most pairs of one class, then of two."""
    ours, theirs = ([(name, event) for name, ranges in side.items() for event in ranges] for side in (real, predicted))

    def allowed(row, column):
        return may_pair(ours[row][1], theirs[column][1], onset, offset, share)

    best = (0, 0)
    for pairs in alignments(range(len(ours)), range(len(theirs)), allowed):
        right = sum(ours[row][0] == theirs[column][0] for row, column in pairs)
        best = max(best, (right, len(pairs) - right))
    return len(ours), len(theirs), *best


def accuracy(real, predicted, background=()):
    points = [(one, other) for one, other in zip(real, predicted, strict=True) if one not in background]
    return sum(one == other for one, other in points) / len(points) if points else 0.0


def macro_frame_f1(real, predicted, background=()):
    found = []
    for name in sorted({*real} - {*background}):
        right = sum(one == other == name for one, other in zip(real, predicted, strict=True))
        wrong = sum((one == name) != (other == name) for one, other in zip(real, predicted, strict=True))
        found.append(2 * right / (2 * right + wrong))
    return sum(found) / len(found) if found else 0.0


def substituted(own, other, name):
    """Points of each event of a class that the other side gives to another class: whole, between, start, end."""
    found = [0, 0, 0, 0]
    for start, stop in own.get(name, []):
        held = [taking(name, other, own, point) for point in range(start, stop)]
        right = [at for at, there in enumerate(held) if name in there]
        for at, there in enumerate(held):
            if name not in there and there:
                found[0 if not right else 2 if at < right[0] else 3 if at > right[-1] else 1] += 1
    return found
