"""NAB's score in plain loops: the reference for ``rangewise.metrics.nab``. Imports nothing of rangewise.

Windows are half-open (start, stop) pairs in order; ``detected`` is a set of row numbers. Lavin and Ahmad (2015), section 3.
"""

import math

PROFILES = {"standard": (1.0, 1.0, 0.11), "reward_low_FP_rate": (1.0, 1.0, 0.22), "reward_low_FN_rate": (1.0, 2.0, 0.11)}


def sigma(y):
    return -1.0 if y > 3 else 2 / (1 + math.exp(5 * y)) - 1


def probation_length(length, probation):
    return min(int(0.15 * length), 750) if probation else 0


def counted(windows, length, probation):
    """Windows with a row after the probation."""
    return [window for window in windows if window[1] > probation_length(length, probation)]


def score(windows, detected, length, weights=PROFILES["standard"], probation=True):
    """(raw, tp, fp, fn, tn)"""
    tp_weight, fn_weight, fp_weight = weights
    begin = probation_length(length, probation)
    earned = dict.fromkeys(counted(windows, length, probation), -fn_weight)
    cost = 0.0
    tp = fp = fn = tn = 0
    previous = None
    for i in range(length):
        inside = None
        for start, stop in windows:
            if start <= i < stop:
                inside = (start, stop)
            elif stop <= i:
                previous = (start, stop)
        if i < begin:
            continue
        if inside is not None:
            if i in detected:
                tp += 1
                last = inside[1] - 1
                width = inside[1] - inside[0]
                earned[inside] = max(earned[inside], sigma(-(last - i + 1) / width) / sigma(-1) * tp_weight)
            else:
                fn += 1
        elif i in detected:
            fp += 1
            if previous is None or previous[1] - previous[0] == 1:
                cost += fp_weight
            else:
                cost -= fp_weight * sigma((i - (previous[1] - 1)) / (previous[1] - previous[0] - 1))
        else:
            tn += 1
    return sum(earned.values()) - cost, tp, fp, fn, tn


def normalized(raw, counted, windows, weights, when_none=0.0):
    """The perfect score has all windows; the null score has those that end after the probation."""
    tp_weight, fn_weight, _ = weights
    null, perfect = -fn_weight * counted, tp_weight * windows
    if null == perfect:
        return when_none
    return (raw - null) / (perfect - null)
