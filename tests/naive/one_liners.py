"""One-liners in plain loops over one channel of scaled values."""

from statistics import median


def around(values, i, window):
    first = i - window // 2
    return values[max(0, first) : max(0, first + window)]


def absolute_difference(values):
    return [abs(values[i] - values[i - 1]) if i else 0.0 for i in range(len(values))]


def moving_std(values, window):
    deviations = []
    for i in range(len(values)):
        near = around(values, i, window)
        mean = sum(near) / len(near)
        deviations.append((sum((value - mean) ** 2 for value in near) / len(near)) ** 0.5)
    return deviations


def moving_range(values, window):
    return [max(around(values, i, window)) - min(around(values, i, window)) for i in range(len(values))]


def median_deviation(values, window):
    return [abs(values[i] - median(around(values, i, window))) for i in range(len(values))]


def seasonal_difference(values, period):
    return [abs(values[i] - values[i - period]) if i >= period else 0.0 for i in range(len(values))]
