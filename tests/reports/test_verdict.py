"""The verdict at the top of the page. ``test_words.py`` compares it with the JavaScript copy."""

from dataclasses import replace

import pytest

from rangewise.reports.verdict import DetectorFacts, VerdictFacts, verdict

GOOD = DetectorFacts(
    name="good", f=0.5, found=4, alarms=6, false=1, covered=0.6, alert_rate=0.1, pieces=1.0, baseline=0.1, missed=["R2 (row 9)"]
)
OTHER = replace(GOOD, name="other", f=0.47)


def verdict_text(*detectors, **more):
    known = {"real": 5, "real_share": 0.1, "alpha": 0.0, "beta": 1.0, "reciprocal": False, "first": None}
    return " ".join(verdict(VerdictFacts(detectors=detectors, **(known | more))))


@pytest.mark.parametrize(
    ("gap", "words"), [(0.005, "are level"), (0.02, "just ahead of other (0.480)"), (0.3, "well ahead of other (0.200)")]
)
def test_words_for_the_gap_to_the_second(gap, words):
    assert words in verdict_text(GOOD, replace(OTHER, f=GOOD.f - gap))


def test_names_missed_ranges_and_the_random_baseline():
    assert verdict_text(GOOD) == (
        "good scores F1 0.500. Random predictions with the same alert rate reach 0.100. "
        "good finds 4 of 5 real ranges with 6 alarms, 1 of them false; it misses R2 (row 9)."
    )
    # The baseline of the leader, as in its tile, and not of a detector with more alarms.
    assert "Random predictions with the same alert rate reach 0.100." in verdict_text(GOOD, replace(OTHER, f=0.4, baseline=0.2))
    assert "None of them beats random" in verdict_text(*(replace(one, baseline=0.9) for one in (GOOD, OTHER)))
    text = verdict_text(GOOD, replace(OTHER, baseline=0.9))
    assert "other does no better than random predictions with the same alert rate (0.900)" in text


def test_at_most_one_hint():
    assert "If finding a range at all is enough" in verdict_text(replace(GOOD, covered=0.01))
    assert "pieces" not in verdict_text(replace(GOOD, covered=0.01, pieces=9))
    assert "in 3.5 pieces on average" in verdict_text(replace(GOOD, pieces=3.5))
    assert "pieces" not in verdict_text(replace(GOOD, pieces=3.5), reciprocal=True)


def test_warning_comes_first():
    text = verdict_text(replace(GOOD, alert_rate=0.998))
    assert text.startswith("Careful: good has an alert rate of 99.8 %, where 10 % of the points are anomalous, so its score says little.")
    assert not verdict_text(GOOD, replace(OTHER, alert_rate=0.998)).startswith("Careful")


def test_words_for_stability():
    assert verdict_text(GOOD, OTHER, first={"good": 1.0, "other": 0.0}).endswith("It stays first in every setting of the map below.")
    assert verdict_text(GOOD, OTHER, first={"good": 0.62, "other": 0.38}).endswith("it leads in 62 %, other in 38 %.")


def test_words_without_real_ranges_or_alarms():
    assert verdict_text(GOOD, real=0) == "There are no real ranges, so recall is meaningless and every alarm is false. good raises 6."
    assert "good raises no alarm." in verdict_text(replace(GOOD, alarms=0, found=0, false=0, f=0.0))
    assert "No detector scores above 0" in verdict_text(replace(GOOD, f=0.0), replace(OTHER, f=float("nan")))
