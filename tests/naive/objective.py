"""The model of probabilities, in plain loops: the definition of the soft and the swept objective. Imports nothing of ours.

Ranges are half-open pairs; `p` is a list of probabilities. Both objectives equal the model where all probabilities are 0 or 1.
"""

import itertools

from naive import model as naive


def runs_around(p, t):
    """(probability, before, behind) of each run around t that may be drawn when t is on and all others are drawn one by one."""
    sides = []
    for step in (-1, 1):
        found, chance, k = [], 1.0, 0
        while True:
            following = t + step * (k + 1)
            inside = 0 <= following < len(p)
            found.append((chance * (1 - p[following]) if inside else chance, k))
            if not inside:
                break
            chance *= p[following]
            k += 1
        sides.append(found)
    return [(a * b, before, behind) for a, before in sides[0] for b, behind in sides[1]]


def soft_precision(p, real, gamma, bias="flat", weight="range", as_points=None, zero_division=0.0):
    """sum p_t r_t gamma(max(1, y_t)) omega_t / sum p_t / len_t from the expected run around each point."""
    if as_points in ("real", "both"):
        real = naive.points(real)
    top = bottom = 0.0
    for t in range(len(p)):
        around = [r for r in real if r[0] <= t < r[1]]
        if as_points in ("predicted", "both"):
            top, bottom = top + p[t] * len(around), bottom + p[t]
            continue
        runs = runs_around(p, t)
        before = sum(chance * before for chance, before, _ in runs)
        behind = sum(chance * behind for chance, _, behind in runs)
        length = 1 + before + behind
        met = sum(chance * sum(r[0] <= t + behind and r[1] > t - before for r in real) for chance, before, behind in runs)
        omega = {
            "flat": 1 / length,
            "front": 2 * (1 + behind) / (length * (length + 1)),
            "back": 2 * (1 + before) / (length * (length + 1)),
        }
        times = length if weight == "length" else 1
        if around:
            top += p[t] * (gamma(met) if met > 1 else 1) * omega[bias] * times
        bottom += p[t] / length * times
    return top / bottom if bottom else zero_division


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
