"""What the page says first; tests/reports/test_words.py compares it with the page's own copy."""

from dataclasses import replace

import pytest

from rangewise.reports.verdict import DetectorFacts, VerdictFacts, verdict

GOOD = DetectorFacts(
    name="good", f=0.5, found=4, alarms=6, false=1, covered=0.6, alert_rate=0.1, pieces=1.0, baseline=0.1, missed=["R2 (row 9)"]
)
OTHER = replace(GOOD, name="other", f=0.47)


def said(*detectors, **more):
    known = {"real": 5, "real_share": 0.1, "alpha": 0.0, "beta": 1.0, "reciprocal": False, "first": None}
    return " ".join(verdict(VerdictFacts(detectors=detectors, **(known | more))))


@pytest.mark.parametrize(
    ("gap", "words"), [(0.005, "are level"), (0.02, "just ahead of other (0.480)"), (0.3, "well ahead of other (0.200)")]
)
def test_gap(gap, words):
    assert words in said(GOOD, replace(OTHER, f=GOOD.f - gap))


def test_says_what_is_missed_and_what_chance_reaches():
    assert said(GOOD) == (
        "good scores F1 0.500. Random predictions with the same alert rate reach 0.100. "
        "good finds 4 of 5 real ranges with 6 alarms, 1 of them false; it misses R2 (row 9)."
    )
    # The leader's, as in its tile, and not that of a detector with more alarms.
    assert "Random predictions with the same alert rate reach 0.100." in said(GOOD, replace(OTHER, f=0.4, baseline=0.2))
    assert "None of them beats random" in said(*(replace(one, baseline=0.9) for one in (GOOD, OTHER)))
    assert "other does no better than random predictions with the same alert rate (0.900)" in said(GOOD, replace(OTHER, baseline=0.9))


def test_one_hint_at_most():
    assert "If finding a range at all is enough" in said(replace(GOOD, covered=0.01))
    assert "pieces" not in said(replace(GOOD, covered=0.01, pieces=9))
    assert "in 3.5 pieces on average" in said(replace(GOOD, pieces=3.5))
    assert "pieces" not in said(replace(GOOD, pieces=3.5), reciprocal=True)


def test_begins_with_the_warning():
    text = said(replace(GOOD, alert_rate=0.998))
    assert text.startswith("Careful: good has an alert rate of 99.8 %, where 10 % of the points are anomalous, so its score says little.")
    assert not said(GOOD, replace(OTHER, alert_rate=0.998)).startswith("Careful")


def test_stability():
    assert said(GOOD, OTHER, first={"good": 1.0, "other": 0.0}).endswith("It stays first in every setting of the map below.")
    assert said(GOOD, OTHER, first={"good": 0.62, "other": 0.38}).endswith("it leads in 62 %, other in 38 %.")


def test_nothing_real_and_nothing_predicted():
    assert said(GOOD, real=0) == "There are no real ranges, so recall is meaningless and every alarm is false. good raises 6."
    assert "good raises no alarm." in said(replace(GOOD, alarms=0, found=0, false=0, f=0.0))
    assert "No detector scores above 0" in said(replace(GOOD, f=0.0), replace(OTHER, f=float("nan")))
