"""Affiliation precision and recall as sums over short steps of time, in whole numbers. Imports nothing of rangewise. Huet et al. (2022).

All times are multiplied by 8. Both integrands are linear between multiples of a quarter of a point (2 here), so the value at the middle of
each such step, times its width, is the exact integral.
"""

from fractions import Fraction

UNIT = 8
CELL = 2


def zones(real, length):
    """Each event with its zone: the part of the series that is closer to it than to any other event."""
    parts = []
    for i, (start, stop) in enumerate(real):
        low = (real[i - 1][1] + start) * UNIT // 2 if i else 0
        high = (stop + real[i + 1][0]) * UNIT // 2 if i + 1 < len(real) else length * UNIT
        parts.append((low, high, start * UNIT, stop * UNIT))
    return parts


def distance(x, intervals):
    return min(max(a - x, x - b, 0) for a, b in intervals)


def outside(zone, a, b):
    """How much of a zone lies outside [a, b]."""
    low, high = zone
    return (high - low) - max(0, min(b, high) - max(a, low))


def middles(a, b):
    return range(a + CELL // 2, b, CELL)


def zone_precision(low, high, start, stop, pieces):
    total = 0
    for a, b in pieces:
        for x in middles(a, b):
            d = distance(x, [(start, stop)])
            # At distance 0, every point of the zone is at least as far away.
            total += CELL * (outside((low, high), start - d, stop + d) if d else high - low)
    return Fraction(total, (high - low) * sum(b - a for a, b in pieces))


def zone_recall(low, high, start, stop, pieces):
    total = 0
    for y in middles(start, stop):
        d = distance(y, pieces)
        total += CELL * outside((low, high), y - d, y + d)
    return Fraction(total, (high - low) * (stop - start))


def gain(real, predicted, length):
    """Precision, rescaled so that chance (one half) is 0 (None without predictions), recall, and F where it is defined."""
    precision, recall = affiliation(real, predicted, length)
    if precision is None:
        return None, recall, None
    signed = (precision - Fraction(1, 2)) / Fraction(1, 2)
    if signed < 0:
        return signed, recall, None
    return signed, recall, 2 * signed * recall / (signed + recall) if signed + recall else Fraction(0)


def affiliation(real, predicted, length):
    """Precision (None without predictions) and recall, for at least one real event."""
    precisions, recalls = [], []
    for low, high, start, stop in zones(real, length):
        pieces = [(max(a * UNIT, low), min(b * UNIT, high)) for a, b in predicted if a * UNIT < high and b * UNIT > low]
        if pieces:
            precisions.append(zone_precision(low, high, start, stop, pieces))
        recalls.append(zone_recall(low, high, start, stop, pieces) if pieces else Fraction(0))
    return (sum(precisions) / len(precisions) if precisions else None), sum(recalls) / len(recalls)
