"""Change points in plain loops. Imports nothing of rangewise. van den Burg and Williams (2020)."""

import itertools
from functools import cache


def most_pairs(real, predicted, margin):
    """The size of a maximum matching by exhaustive search: each real point takes one of its candidates or none."""
    real, predicted = tuple(sorted(real)), tuple(sorted(predicted))

    @cache
    def best(index, used):
        if index == len(real):
            return 0
        most = best(index + 1, used)
        for number, point in enumerate(predicted):
            if number not in used and abs(point - real[index]) <= margin:
                most = max(most, 1 + best(index + 1, used | {number}))
        return most

    return best(0, frozenset())


def f_score(annotators, predicted, margin):
    annotators, predicted = [{0, *own} for own in annotators], {0, *predicted}
    precision = most_pairs(set().union(*annotators), predicted, margin) / len(predicted)
    recall = sum(most_pairs(own, predicted, margin) / len(own) for own in annotators) / len(annotators)
    return 2 * precision * recall / (precision + recall)


def covering(annotators, predicted, length):
    def segments(points):
        edges = sorted({0, *points, length})
        return [set(range(a, b)) for a, b in itertools.pairwise(edges)]

    guesses = segments(predicted)
    totals = [
        sum(len(own) * max(len(own & other) / len(own | other) for other in guesses) for own in segments(real)) for real in annotators
    ]
    return sum(totals) / length / len(annotators)
