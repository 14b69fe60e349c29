"""Random sets of CARE events. They use only ``random.Random``, which gives the same numbers on every machine."""

import random


def care_set(seed):
    """The events as dicts, and the settings of the score."""
    rng = random.Random(seed)
    events = []
    kinds = [True, False, *(rng.random() < 0.5 for _ in range(rng.randrange(5)))]
    for is_anomaly in kinds:
        length = rng.randrange(20, 160)
        start = rng.randrange(1, length - 10)
        stop = rng.randrange(start + 1, length + 1)
        inside, outside = rng.random(), rng.random() ** 3
        predicted = [int(rng.random() < (inside if start <= row < stop else outside)) for row in range(length)]
        share = rng.choice([0.0, 0.1, 0.4])
        normal = [int(rng.random() >= share) for _ in range(length)]
        normal[0] = 1  # at least one row before the event counts
        events.append({"predicted": predicted, "start": start, "stop": stop, "is_anomaly": is_anomaly, "normal": normal})
    settings = {
        "coverage_beta": rng.choice([0.5, 1.0, 2.0]),
        "reliability_beta": rng.choice([0.5, 1.0]),
        "criticality_threshold": rng.choice([1, 5, 10, 30]),
        "min_fraction": rng.choice([None, None, 0.1, 0.3]),
        "descend": rng.choice([(1, 4), (1, 4), (1, 2), (0, 1), (1, 3)]),
        "until_event_end": rng.random() < 0.3,
    }
    return events, settings
