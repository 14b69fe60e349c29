"""Luminol's two detectors in plain loops, for one channel. Imports nothing of rangewise."""


def moving_average(values):
    averages = [values[0]]
    for value in values[1:]:
        averages.append(0.2 * value + 0.8 * averages[-1])
    return averages


def deviation(values):
    mean = sum(values) / len(values)
    return (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5


def denoise(scores):
    return [0.0 if score < 0.001 * max(scores) else score for score in scores]


def default_scores(values, timestamps):
    by_value = [abs(value - average) for value, average in zip(values, moving_average(values), strict=True)]
    if deviation(values):
        by_value = [score / deviation(values) for score in by_value]
    by_value = denoise(by_value)
    changes = [abs(values[i] - values[i - 1]) / (timestamps[i] - timestamps[i - 1]) for i in range(1, len(values))]
    changes = [changes[0] if changes else 0.0, *changes]
    by_change = [abs(change - average) for change, average in zip(changes, moving_average(changes), strict=True)]
    if deviation(by_change):
        by_change = [score / deviation(by_change) for score in by_change]
    by_change = denoise(by_change)
    scores = []
    for e, d in zip(by_value, by_change, strict=True):
        score = max(e, 0.65 * e + 0.35 * d)
        if e > 0.94:
            score = max(score, d)
        scores.append(score)
    return denoise(scores)


def bitmap_scores(values, lag, future, sections=4):
    """None where luminol uses its default detector."""
    if lag == 0 or future == 0 or len(values) < lag + future or lag + future < 50:
        return None
    lag, future = min(lag, 200), min(future, 200)
    height = (max(values) - min(values)) / sections
    symbols = []
    for value in values:
        symbol = 0
        for section in range(sections):
            if value >= min(values) + section * height:
                symbol = section
        symbols.append(symbol)
    scores = []
    for i in range(len(values)):
        score = 0
        if lag <= i <= len(values) - future:
            before = counts(symbols[i - lag : i])
            after = counts(symbols[i : i + future])
            score = sum((before.get(chunk, 0) - after.get(chunk, 0)) ** 2 for chunk in set(before) | set(after))
        scores.append(float(score))
    return denoise(scores)


def counts(symbols):
    count_of = {}
    for i in range(len(symbols) - 1):
        chunk = symbols[i], symbols[i + 1]
        count_of[chunk] = count_of.get(chunk, 0) + 1
    return count_of
