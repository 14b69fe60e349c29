"""Krippendorff's alpha of 0/1 labels from its coincidence matrix, in plain loops. Imports nothing of rangewise."""


def alpha(rows):
    """``rows`` has one list of labels per annotator; None where it is undefined."""
    annotators, units = len(rows), len(rows[0])
    coincidences = {(a, b): 0.0 for a in (0, 1) for b in (0, 1)}
    for unit in range(units):
        values = [row[unit] for row in rows]
        for i, first in enumerate(values):
            for j, second in enumerate(values):
                if i != j:
                    coincidences[first, second] += 1 / (annotators - 1)
    counts = {a: coincidences[a, 0] + coincidences[a, 1] for a in (0, 1)}
    total = counts[0] + counts[1]
    expected = 2 * counts[0] * counts[1] / (total * (total - 1))
    observed = (coincidences[0, 1] + coincidences[1, 0]) / total
    return None if expected == 0 else 1 - observed / expected
