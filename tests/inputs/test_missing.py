"""Missing scores: refused by name, or handled as asked, the same in Python and in the shell."""

import json

import numpy as np
import pytest

import rangewise as rw
from rangewise.cli import run

LABELS = [0, 1, 1, 0, 0, 0, 1, 0, 0, 0]
SCORES = [0.1, 0.9, 0.8, 0.3, 0.4, 0.2, 0.5, 0.1, np.nan, np.nan]


def test_nan_is_an_error_that_names_scores():
    for call in (lambda: rw.RangeModel().curve([0, 1, 0], [0.3, np.nan, 0.5]), lambda: rw.score([0, 1, 0], [1.0, np.nan, 0.5])):
        with pytest.raises(ValueError, match=r"score 1 is nan.*missing='lowest' or\s*missing='ignore'"):
            call()
    with pytest.raises(ValueError, match="label 1 is nan"):
        rw.score([0, 1], [0.0, np.nan])


def test_missing_scores_are_the_lowest_or_ignored():
    lowest = [0.1 if np.isnan(score) else score for score in SCORES]
    for dtype in (np.float64, np.float32):
        scores = np.array(SCORES, dtype=dtype)
        found = rw.RangeModel().curve(LABELS, scores, missing="lowest")
        expected = rw.RangeModel().curve(LABELS, np.array(lowest, dtype=dtype))
        assert np.array_equal(found.thresholds, expected.thresholds)
        assert np.array_equal(found.precision, expected.precision)
    found = rw.RangeModel().curve(LABELS, SCORES, missing="ignore", close_gaps=1)
    expected = rw.RangeModel().curve(LABELS, lowest, ignore=[(8, 10)], close_gaps=1)
    assert np.array_equal(found.recall, expected.recall)
    both = rw.RangeModel().curve(LABELS, SCORES, missing="ignore", ignore=[(0, 1)])
    assert both.at(0.3).ignored is not None
    assert np.array_equal(both.precision, rw.RangeModel().curve(LABELS, lowest, ignore=[(0, 1), (8, 10)]).precision)
    assert len(rw.RangeModel().curve(LABELS, list(range(10)), missing="ignore")) == 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rw.RangeModel().curve(LABELS, SCORES, missing="low"), "missing is one of error, lowest, ignore"),
        (lambda: rw.RangeModel().curve([0, 1], [np.nan, np.nan], missing="lowest"), "all 2 scores are nan"),
        (lambda: rw.score(LABELS, LABELS, missing="lowest"), "missing='lowest' says what scores that are nan mean"),
        (lambda: rw.compare(LABELS, {"a": LABELS}, missing="lowest"), "no detector gives scores"),
        (
            lambda: rw.compare(LABELS, {"a": SCORES, "b": [np.nan, *SCORES[1:]]}, metrics=["range_auc_pr"], missing="ignore"),
            "a and b would be scored on different rows",
        ),
        (lambda: rw.RangeModel().curve([(0, 1)], rw.ScoredRanges([(0, 1, 0.5)]), missing="lowest"), "one score per point"),
    ],
)
def test_bad_input_is_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("missing", ["lowest", "ignore"])
def test_the_shell_does_the_same(tmp_path, capsys, missing):
    real, scores = tmp_path / "real.txt", tmp_path / "scores.txt"
    real.write_text("\n".join(map(str, LABELS)))
    scores.write_text("\n".join(map(str, SCORES)))
    assert run(["curve", str(real), str(scores)]) == 2
    assert "score 8 is nan" in capsys.readouterr().err
    assert run(["curve", str(real), str(scores), "--missing", missing, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["average_precision"] == rw.RangeModel().curve(LABELS, SCORES, missing=missing).average_precision
    assert run(["curve", str(real), "--missing", missing]) == 2
