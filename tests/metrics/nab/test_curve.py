"""The choice of a threshold. ``test_scoring.py`` compares the values of the curve with the naive version."""

import math

import numpy as np
import pytest

from rangewise.metrics.nab.curve import best_entry


@pytest.mark.parametrize(
    ("thresholds", "raw", "null", "expected"),
    [
        ([3.0, 2.0, 1.0], [1.0, 5.0, 5.0], 0.0, 1),  # of two equal scores, the higher threshold
        ([3.0, 2.0], [-1.0, -2.0], -1.0, None),  # equal to detecting nothing: detect nothing
        ([3.0, 2.0], [-1.0, -2.0], -3.0, 0),
        ([3.0, 2.0], [-1.0, -2.0], 0.0, None),
        ([math.inf, 2.0], [-1.0, -2.0], -1.0, 0),  # with an infinite score, no threshold detects nothing
        ([math.inf, 2.0], [-1.0, -2.0], 0.0, 0),
        ([], [], 0.0, None),
    ],
)
def test_best_entry(thresholds, raw, null, expected):
    assert best_entry(np.array(thresholds), np.array(raw), null) == expected
