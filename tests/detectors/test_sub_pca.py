import numpy as np
import pytest

import rangewise as rw
from naive.windows import calmest
from rangewise.detectors import SubPCA


def test_scores_are_distances_from_the_components():
    rng = np.random.default_rng(0)
    known, values = (np.sin(np.arange(points) / 3) + rng.normal(0, 0.2, points) for points in (300, 80))
    detector = SubPCA(window=6, share=0.9).fit(known)
    mean, spread = known.mean(), known.std()
    windows, rows = (np.lib.stride_tricks.sliding_window_view((each - mean) / spread, 6) for each in (known, values))
    center = windows.mean(axis=0)
    _, sizes, directions = np.linalg.svd(windows - center, full_matrices=False)
    kept = 1 + int(np.argmax(np.cumsum(sizes**2) / np.sum(sizes**2) >= 0.9))
    assert detector._state["components"].shape == (6, kept)
    residuals = rows - center
    residuals = residuals - residuals @ directions[:kept].T @ directions[:kept]
    np.testing.assert_allclose(detector.decision_function(values), calmest(np.sqrt((residuals**2).mean(axis=1)), 6), atol=1e-9)


def test_predicted_range_keeps_its_edges():
    values = np.sin(np.arange(3000) / 20)
    values[2000:2040] += 0.4
    assert rw.Ranges.from_labels(SubPCA().fit(values[:1500]).predict(values)) == rw.Ranges([(2000, 2040)])


def test_fitting_in_pieces_gives_the_same_scores(monkeypatch):
    values = np.random.default_rng(3).normal(size=(500, 2)).cumsum(axis=0)
    whole = SubPCA(window=10).fit(values).decision_function(values)
    monkeypatch.setattr("rangewise.detectors.sub_pca._AT_ONCE", 64)
    np.testing.assert_allclose(SubPCA(window=10).fit(values).decision_function(values), whole, atol=1e-9)


@pytest.mark.parametrize("share", [0.0, 1.0, 2])
def test_rejects_bad_shares(share):
    with pytest.raises(ValueError, match="share, the explained share of the variance"):
        SubPCA(share=share)
