import json
from pathlib import Path

import numpy as np
import pytest

import rangewise as rw
from care_sets import care_set

GOLDEN = Path(__file__).parents[1] / "data" / "care-scores.json"


def test_matches_the_reference_on_500_sets():
    golden = json.loads(GOLDEN.read_text())["scores"]
    assert len(golden) == 500
    for seed, expected in enumerate(golden):
        events, settings = care_set(seed)
        assert rw.care_score([rw.CareEvent(**event) for event in events], **settings).score == pytest.approx(expected, abs=1e-9), seed


def test_golden_file_covers_every_branch():
    golden = json.loads(GOLDEN.read_text())["scores"]
    assert any(score == 0 for score in golden)
    assert any(0 < score <= 0.5 for score in golden)
    assert any(score > 0.5 for score in golden)


def test_rejects_bad_input():
    normal_event = rw.CareEvent(np.zeros(5, dtype=int), 1, 3, is_anomaly=False)
    with pytest.raises(ValueError, match="at least one anomaly event and one normal event"):
        rw.care_score([normal_event])
    with pytest.raises(ValueError, match="half-open range within the 5 rows"):
        rw.CareEvent(np.zeros(5, dtype=int), 3, 9, is_anomaly=True)
    with pytest.raises(ValueError, match="0 or 1"):
        rw.CareEvent([0.5, 1.0], 0, 1, is_anomaly=True)
    with pytest.raises(ValueError, match="one per row"):
        rw.CareEvent([0, 1], 0, 1, is_anomaly=True, normal=[1])
    with pytest.raises(ValueError, match="nothing to score"):
        rw.CareEvent([0, 1], 0, 1, is_anomaly=True, normal=[0, 0])
    with pytest.raises(ValueError, match="descend"):
        rw.care_score([normal_event, rw.CareEvent([1, 1], 0, 1, is_anomaly=True)], descend=(4, 4))
