"""Events and their delay, point by point, in plain loops. Imports nothing of rangewise."""


def meets(first, second):
    return any(i in range(*second) for i in range(*first))


def share_met(own, others):
    """The share of one side's ranges that overlap the other side; 0 if there are none."""
    return sum(any(meets(each, other) for other in others) for each in own) / len(own) if own else 0.0


def delays(real, predicted):
    """Points from the start of each real range to its first predicted point; None if there is none."""
    result = []
    for start, stop in real:
        hits = [i for i in range(start, stop) if any(a <= i < b for a, b in predicted)]
        result.append(hits[0] - start if hits else None)
    return result
