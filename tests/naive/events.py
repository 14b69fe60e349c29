"""Events and their delay, point by point, in plain loops. Imports nothing of ours."""


def meets(one, other):
    return any(i in range(*other) for i in range(*one))


def share_met(own, others):
    """The share of one side's ranges that meet the other side; 0 when there are none."""
    return sum(any(meets(one, other) for other in others) for one in own) / len(own) if own else 0.0


def delays(real, predicted):
    """Points from the start of each real range to its first predicted point; None when there is none."""
    found = []
    for start, stop in real:
        hits = [i for i in range(start, stop) if any(a <= i < b for a, b in predicted)]
        found.append(hits[0] - start if hits else None)
    return found
