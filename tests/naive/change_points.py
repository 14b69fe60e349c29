"""Change points in plain loops. Imports nothing of ours. van den Burg and Williams (2020)."""

import itertools
from functools import cache


def most_pairs(real, predicted, margin):
    """The size of a maximum matching, tried out: each real place takes one of its candidates or none."""
    real, predicted = tuple(sorted(real)), tuple(sorted(predicted))

    @cache
    def best(at, used):
        if at == len(real):
            return 0
        found = best(at + 1, used)
        for number, place in enumerate(predicted):
            if number not in used and abs(place - real[at]) <= margin:
                found = max(found, 1 + best(at + 1, used | {number}))
        return found

    return best(0, frozenset())


def f_score(annotators, predicted, margin):
    annotators, predicted = [{0, *own} for own in annotators], {0, *predicted}
    precision = most_pairs(set().union(*annotators), predicted, margin) / len(predicted)
    recall = sum(most_pairs(own, predicted, margin) / len(own) for own in annotators) / len(annotators)
    return 2 * precision * recall / (precision + recall)


def covering(annotators, predicted, length):
    def segments(places):
        edges = sorted({0, *places, length})
        return [set(range(a, b)) for a, b in itertools.pairwise(edges)]

    guesses = segments(predicted)
    totals = [
        sum(len(own) * max(len(own & other) / len(own | other) for other in guesses) for own in segments(real)) for real in annotators
    ]
    return sum(totals) / length / len(annotators)
