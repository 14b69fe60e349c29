"""The choice of a threshold; what the curve itself holds is compared with the twin in ``test_scoring.py``."""

import math

import numpy as np
import pytest

from rangewise.metrics.nab.curve import best_entry


@pytest.mark.parametrize(
    ("thresholds", "raw", "null", "expected"),
    [
        ([3.0, 2.0, 1.0], [1.0, 5.0, 5.0], 0.0, 1),  # of a draw the highest threshold
        ([3.0, 2.0], [-1.0, -2.0], -1.0, None),  # a draw with detecting nothing: nothing
        ([3.0, 2.0], [-1.0, -2.0], -3.0, 0),
        ([3.0, 2.0], [-1.0, -2.0], 0.0, None),
        ([math.inf, 2.0], [-1.0, -2.0], -1.0, 0),  # an infinite score has taken the threshold at which nothing is detected
        ([math.inf, 2.0], [-1.0, -2.0], 0.0, 0),
        ([], [], 0.0, None),
    ],
)
def test_a_draw(thresholds, raw, null, expected):
    assert best_entry(np.array(thresholds), np.array(raw), null) == expected
