"""Rankings in exact fractions: the score of a prediction, which of two is ahead, and how often they swap. Imports nothing of rangewise."""

from fractions import Fraction
from itertools import pairwise

from naive import model as naive


def earned(real, predicted, bias, cardinality):
    """(precision, overlap, existence) as fractions. The bias is for recall, precision is flat, the cardinality is for both."""
    existence = [Fraction(naive.existence_reward(own, predicted)) for own in real]
    overlap = [_overlap(own, predicted, naive.BIASES[bias], cardinality) for own in real]
    precision = [_overlap(own, real, naive.flat, cardinality) for own in predicted]
    return tuple(sum(rewards) / len(rewards) if rewards else Fraction(0) for rewards in (precision, overlap, existence))


def _overlap(own, others, delta, cardinality):
    start, stop = own
    length = stop - start
    met = [overlap for other in others if len(overlap := naive.intersection(own, other))]
    weight = sum(delta(i, length) for i in range(1, length + 1))
    covered = sum(delta(point - start + 1, length) for overlap in met for point in overlap)
    share = Fraction(covered, weight)
    return share / len(met) if cardinality == "reciprocal" and len(met) > 1 else share


def f(parts, alpha, beta):
    precision, overlap, existence = parts
    recall = alpha * existence + (1 - alpha) * overlap
    if precision == 0 or recall == 0:
        return Fraction(0)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def changes(one, other, beta):
    """How often two predictions swap ranks for alpha in 0..1, from the signs of the quadratic at 0, at 1 and at its vertex."""
    if 0 in (one[0], other[0]) or one[1:] == (0, 0) or other[1:] == (0, 0):
        return 0  # F is 0 at every alpha
    ends = [_ahead(one, other, beta, alpha) for alpha in (Fraction(0), Fraction(1))]
    middle = _ahead(one, other, beta, Fraction(1, 2))
    # q(alpha) = c0 + c1 alpha + c2 alpha^2 through three points
    c2 = 2 * (ends[0] + ends[1] - 2 * middle)
    c1 = ends[1] - ends[0] - c2
    signs = [_sign(ends[0]), _sign(ends[1])]
    if c2 and 0 < -c1 / (2 * c2) < 1:
        signs.insert(1, _sign(ends[0] - c1 * c1 / (4 * c2)))
    if signs[0] == 0:
        # The quadratic is 0 at its end. Just inside, the first derivative that is not 0 decides.
        signs[0] = _sign(c1) or _sign(c2)
    if signs[-1] == 0:
        signs[-1] = _sign(-(c1 + 2 * c2)) or _sign(c2)
    signs = [sign for sign in signs if sign]
    return sum(before != after for before, after in pairwise(signs))


def _ahead(one, other, beta, alpha):
    recalls = [alpha * existence + (1 - alpha) * overlap for _, overlap, existence in (one, other)]
    return beta**2 * one[0] * other[0] * (recalls[0] - recalls[1]) + recalls[0] * recalls[1] * (one[0] - other[0])


def _sign(number):
    return (number > 0) - (number < 0)
