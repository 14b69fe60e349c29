"""The model on probabilities in plain loops: the reference for the soft and the swept objective. Imports nothing of rangewise.

Ranges are half-open pairs; `p` is a list of probabilities. If all probabilities are 0 or 1, both objectives equal the model.
"""

import itertools

from naive import model as naive


def runs_around(p, t):
    """(probability, points before, points after) of each possible run around t, if t is 1 and all other points are drawn independently."""
    sides = []
    for step in (-1, 1):
        one_side, chance, k = [], 1.0, 0
        while True:
            following = t + step * (k + 1)
            inside = 0 <= following < len(p)
            one_side.append((chance * (1 - p[following]) if inside else chance, k))
            if not inside:
                break
            chance *= p[following]
            k += 1
        sides.append(one_side)
    return [(a * b, before, after) for a, before in sides[0] for b, after in sides[1]]


def soft_precision(p, real, gamma, bias="flat", weight="range", as_points=None, zero_division=0.0):
    """sum p_t r_t gamma(max(1, y_t)) omega_t / sum p_t / len_t from the expected run around each point."""
    if as_points in ("real", "both"):
        real = naive.points(real)
    numerator = denominator = 0.0
    for t in range(len(p)):
        around = [r for r in real if r[0] <= t < r[1]]
        if as_points in ("predicted", "both"):
            numerator, denominator = numerator + p[t] * len(around), denominator + p[t]
            continue
        runs = runs_around(p, t)
        before = sum(chance * before for chance, before, _ in runs)
        after = sum(chance * after for chance, _, after in runs)
        length = 1 + before + after
        met = sum(chance * sum(r[0] <= t + after and r[1] > t - before for r in real) for chance, before, after in runs)
        omega = {
            "flat": 1 / length,
            "front": 2 * (1 + after) / (length * (length + 1)),
            "back": 2 * (1 + before) / (length * (length + 1)),
        }
        factor = length if weight == "length" else 1
        if around:
            numerator += p[t] * (gamma(met) if met > 1 else 1) * omega[bias] * factor
        denominator += p[t] / length * factor
    return numerator / denominator if denominator else zero_division


def soft_recall(p, real, gamma, delta=naive.flat, alpha=0.0, as_points=None, zero_division=0.0):
    """alpha max p + (1 - alpha) gamma(max(1, total rise)) sum w p, averaged over the real ranges."""
    if as_points in ("real", "both"):
        real = naive.points(real)
    rewards = []
    for start, stop in real:
        length = stop - start
        weights = [delta(i, length) for i in range(1, length + 1)]
        inside = p[start:stop]
        size = sum(w * q for w, q in zip(weights, inside, strict=True)) / sum(weights)
        pieces = inside[0] + sum(max(0.0, b - a) for a, b in itertools.pairwise(inside))
        if as_points in ("predicted", "both"):
            pieces = sum(inside)
        factor = gamma(*(pieces, length)[: gamma.__code__.co_argcount]) if pieces > 1 else 1
        rewards.append(alpha * max(inside) + (1 - alpha) * factor * size)
    return sum(rewards) / len(rewards) if rewards else zero_division


def swept(p, value_of):
    """The integral over tau in 0..1 of value_of({t : p_t >= tau}), where `value_of` takes 0/1 labels."""
    levels = sorted({*p, 0.0, 1.0}, reverse=True)
    total = 0.0
    for high, low in itertools.pairwise(levels):
        total += (high - low) * value_of([int(q >= high) for q in p])
    return total
