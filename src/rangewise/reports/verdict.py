"""The verdict: the first two to five sentences of the page. ``assets/words.js`` updates them when a setting changes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from rangewise.curve import is_high_alert_rate
from rangewise.number_text import count_text, listed_text, share_text

_LEVEL, _JUST_AHEAD = 0.01, 0.05
_BY_WORTH = attrgetter("worth")


@dataclass(frozen=True, kw_only=True)
class DetectorFacts:
    """The facts about one detector at its threshold."""

    name: str
    f: float
    found: int
    """The number of real ranges that it finds."""
    alarms: int
    false: int
    covered: float
    """Share of the anomalous points that it finds."""
    alert_rate: float
    """Share of points, or of time, predicted anomalous."""
    pieces: float
    """The mean number of pieces in which it finds a range."""
    baseline: float | None
    """F of random predictions of the same number of points."""
    missed: Sequence[str]
    """The first real ranges that it misses, as text."""

    @property
    def worth(self) -> float:
        """F, by which detectors are ordered; an undefined one is below all others."""
        return -1.0 if math.isnan(self.f) else self.f

    def to_dict(self, real: int, precision: float, recall: float) -> dict[str, Any]:
        """The numbers by name; ``real`` is the number of real ranges."""
        return {
            "name": self.name,
            "precision": precision,
            "recall": recall,
            "f": self.f,
            "found": self.found,
            "missed": real - self.found,
            "alarms": self.alarms,
            "false_alarms": self.false,
            "covered": self.covered,
            "alert_rate": self.alert_rate,
            "random_f": self.baseline,
        }


@dataclass(frozen=True, kw_only=True)
class VerdictFacts:
    """The facts that the verdict needs."""

    real: int
    real_share: float
    alpha: float
    beta: float
    reciprocal: bool
    detectors: Sequence[DetectorFacts]
    first: Mapping[str, float] | None
    """The share of the map of settings in which each detector leads; None for one detector."""


def verdict(facts: VerdictFacts) -> list[str]:
    """A warning if needed, leader and gap, random predictions, found and missed ranges, one hint, and whether other settings agree."""
    return ["".join(headline(facts)), *details(facts)]


def headline(facts: VerdictFacts) -> list[str]:
    """The first sentence in parts: every second one is a name, shown in bold."""
    if not facts.real:
        quiet = min(facts.detectors, key=lambda detector: detector.alarms)
        who = f" raises the fewest, {quiet.alarms:,}." if len(facts.detectors) > 1 else f" raises {quiet.alarms:,}."
        return ["There are no real ranges, so recall is meaningless and every alarm is false. ", quiet.name, who]
    order = sorted(facts.detectors, key=_BY_WORTH, reverse=True)
    leader, label, value = order[0], f"F{facts.beta:g}", three_digits(order[0].f)
    warning = ""
    if is_high_alert_rate(leader.alert_rate, facts.real_share):
        shares = f"an alert rate of {share_text(leader.alert_rate)}, where {share_text(facts.real_share)} of the points are anomalous"
        warning = f"Careful: {leader.name} has {shares}, so its score says little. Raise its threshold. "
    if len(order) == 1:
        return [warning, leader.name, f" scores {label} {value}."]
    if not leader.f > 0:
        return [f"{warning}No detector scores above 0: {label} is {value} for all {len(order)}."]
    following = order[1]
    gap, next_value = leader.worth - following.worth, three_digits(following.f)
    if gap < _LEVEL:
        return [warning, leader.name, " and ", following.name, f" are level: {label} {value} and {next_value}."]
    ahead = "just" if gap < _JUST_AHEAD else "well"
    return [warning, leader.name, f" scores best: {label} {value}, {ahead} ahead of ", following.name, f" ({next_value})."]


def details(facts: VerdictFacts) -> list[str]:
    """The sentences after the headline."""
    if not facts.real:
        return []
    order = sorted(facts.detectors, key=_BY_WORTH, reverse=True)
    leader, first, said = order[0], facts.first, [_random(order), _finds(order[0], facts.real)]
    if leader.covered < 0.1 and leader.found * 2 >= facts.real and facts.alpha < 1:
        share = share_text(leader.covered)
        said.append(
            f"It covers only {share} of the anomalous points. If finding a range at all is enough, give that more weight with alpha."
        )
    elif leader.pieces > 2 and not facts.reciprocal:
        said.append(
            f"It finds a range in {leader.pieces:.1f} pieces on average. If each piece is a separate alarm, use the reciprocal cardinality."
        )
    if first is not None:
        rivals = sorted((name for name in first if name != leader.name and first[name] > 0), key=lambda name: -first[name])
        shares = listed_text([f"{name} in {share_text(first[name])}" for name in rivals[:2]])
        lead = f"In the map of settings below it leads in {share_text(first[leader.name])}, {shares}."
        said.append(lead if rivals else "It stays first in every setting of the map below.")
    return [sentence for sentence in said if sentence]


def tiles(facts: VerdictFacts) -> list[tuple[str, str]]:
    """The leader's numbers, each with its name; without real ranges those of the quietest detector."""
    if not facts.real:
        quiet = min(facts.detectors, key=lambda detector: detector.alarms)
        return [("alarms, all false", f"{quiet.alarms:,}"), ("alert rate", share_text(quiet.alert_rate))]
    leader = max(facts.detectors, key=_BY_WORTH)
    label = f"F{facts.beta:g}"
    shown = [
        (label, three_digits(leader.f)),
        ("real ranges found", f"{leader.found:,} of {facts.real:,}"),
        ("false alarms", f"{leader.false:,} of {leader.alarms:,}"),
        ("alert rate", share_text(leader.alert_rate)),
    ]
    if leader.baseline is not None:
        shown.append((f"{label} of random predictions", three_digits(leader.baseline)))
    if facts.first is not None:
        shown.append(("settings where it leads", share_text(facts.first[leader.name])))
    return shown


def three_digits(value: float) -> str:
    """A score with three digits, where only 0 and 1 are printed as 0 and 1.

    >>> three_digits(0.01336), three_digits(0.00004), three_digits(0.99999)
    ('0.013', '4e-05', 'over 0.999')
    """
    if math.isnan(value):
        return "undefined"
    text = f"{value:.3f}"
    if text == "0.000" and value > 0:
        return f"{value:.1g}"
    return "over 0.999" if text == "1.000" and value < 1 else text


def _random(order: Sequence[DetectorFacts]) -> str:
    known = [(detector, detector.baseline) for detector in order if detector.baseline is not None and not math.isnan(detector.baseline)]
    if not known:
        return ""
    weak = [(detector, baseline) for detector, baseline in known if not detector.f > baseline]
    if not weak:
        # The leader's alert rate, as in the tile.
        return f"Random predictions with the same alert rate reach {three_digits(known[0][1])}."
    most = three_digits(max(baseline for _, baseline in weak))
    if len(weak) == len(order) > 1:
        return f"None of them beats random predictions with the same alert rate ({most})."
    names = listed_text([detector.name for detector, _ in weak])
    return f"{names} {'does' if len(weak) == 1 else 'do'} no better than random predictions with the same alert rate ({most})."


def _finds(leader: DetectorFacts, real: int) -> str:
    if not leader.alarms:
        return f"{leader.name} raises no alarm."
    if leader.false == 0:
        errors = "none false"
    elif leader.false == leader.alarms:
        errors = "and it is false" if leader.alarms == 1 else "all false"
    else:
        errors = f"{leader.false:,} of them false"
    text = f"{leader.name} finds {leader.found:,} of {count_text(real, 'real range')} with {count_text(leader.alarms, 'alarm')}, {errors}"
    if not leader.missed:
        return f"{text}."
    more = real - leader.found - len(leader.missed)
    missed = f"{', '.join(leader.missed)} and {more:,} more" if more > 0 else listed_text(leader.missed)
    return f"{text}; it misses {missed}."
