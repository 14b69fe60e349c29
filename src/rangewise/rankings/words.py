"""Explain a ranking to a domain expert, from the differences between the detectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from rangewise.model.model import RangeModel
from rangewise.number_text import listed_text, share_text
from rangewise.rankings.settings import Family, name_of
from rangewise.rankings.tracks import end_to_end
from rangewise.tables import Table

if TYPE_CHECKING:
    from rangewise.rankings.borders import AlphaSegment
    from rangewise.rankings.ranking import Ranking

_CARDINALITY_WORDS = {"one": "Without a penalty for pieces", "reciprocal": "With a 1/x penalty for x pieces"}
# Smaller differences are not mentioned.
_NOTABLE = 0.05
_MOST_EXCEPTIONS = 6


@dataclass(frozen=True)
class RankingFacts:
    """Facts about a detector that do not depend on the settings. ``coverage`` and ``purity`` are means over real and predicted ranges,
    ``place`` is its position in the ranges: 0 is the front, 1 the back."""

    real: int
    touched: int
    coverage: float
    pieces: float
    place: float
    alarms: int
    false: int
    purity: float

    @property
    def false_share(self) -> float:
        return self.false / self.alarms if self.alarms else 0.0


def detector_facts(ranking: Ranking, name: str) -> RankingFacts:
    """Over all series of the ranking."""
    model = RangeModel()
    touched = alarms = false = 0
    sizes: list[float] = []
    shares: list[float] = []
    pieces: list[int] = []
    centers: list[float] = []
    cases = ranking.cases[name]
    joined = end_to_end(cases)
    for sides in [joined[0]] if joined is not None else [case.sides() for case in cases]:
        score = model.score(*sides)
        met = score.real.existence
        touched += int(met.sum())
        sizes += score.real.size.tolist()
        pieces += score.real.overlaps[met].tolist()
        alarms += len(score.predicted)
        shares += score.predicted.size.tolist()
        false += int((~score.predicted.existence).sum())
        centers += score.real.center[met].tolist()
    return RankingFacts(len(sizes), touched, _mean(sizes), _mean(pieces), _mean(centers), alarms, false, _mean(shares))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0


def explain_text(ranking: Ranking) -> str:
    lines = [_headline(ranking)]
    # If each setting has its own threshold, no single set of facts explains them all.
    facts = {} if ranking.follows_settings else {name: detector_facts(ranking, name) for name in ranking.names}
    if len(ranking.names) > 1:
        lines += _chapters(ranking, facts)
    lines += _dominance(ranking)
    if ranking.sees_labels:
        lines.append("Thresholds were chosen using the labels, so the scores are optimistic and the order may be biased.")
    return "\n".join(lines)


def summary_text(ranking: Ranking) -> str:
    """Who leads how often and why, the settings under which others lead, and a small grid of all settings."""
    lines = [_headline(ranking)]
    leading = [name for name, share in sorted(ranking.first.items(), key=lambda item: -item[1]) if share > 0]
    main, all_equal = leading[0], _all_equal(ranking)
    if len(ranking.names) > 1 and not all_equal and not ranking.follows_settings:
        family = next(Family(one.bias, one.cardinality, one.beta) for one in ranking.segments if main in one.leaders)
        reason = _because(ranking, {name: detector_facts(ranking, name) for name in ranking.names}, family, (main,))
        lines += [f"{main} leads{' most often' if len(leading) > 1 else ''}{reason}."] if reason else []
    lines += _dominance(ranking)
    if ranking.sees_labels:
        lines.append("Thresholds were chosen using the labels, so the scores are optimistic and the order may be biased.")
    if len(leading) > 1 and not all_equal:
        exceptions = _exceptions(ranking, main)
        more = [f"  and {len(exceptions) - _MOST_EXCEPTIONS} more, in the grid"] if len(exceptions) > _MOST_EXCEPTIONS else []
        lines += ["", f"Where {main} does not lead at every alpha:", *exceptions[:_MOST_EXCEPTIONS], *more]
        lines += ["", leader_grid(ranking, leading).to_text()]
    settings = ranking.settings
    alphas = f"{settings.low:g}" if settings.low == settings.high else f"{settings.low:g} to {settings.high:g}"
    betas, biases = ", ".join(f"{beta:g}" for beta in settings.betas), ", ".join(map(name_of, settings.biases))
    cardinalities = ", ".join(map(name_of, settings.cardinalities))
    return "\n".join([*lines, "", f"Settings: alpha {alphas}; beta {betas}; bias {biases}; cardinality {cardinalities}."])


def _exceptions(ranking: Ranking, main: str) -> list[str]:
    """One line per sequence of leaders along alpha that is not the main leader alone, with the settings it holds for."""
    families = list(ranking.tracks)
    stories: dict[tuple[tuple[str, ...], ...], list[list[AlphaSegment]]] = {}
    for family in families:
        segments = _segments(ranking, family)
        if any(one.leaders != (main,) for one in segments):
            stories.setdefault(tuple(one.leaders for one in segments), []).append(segments)
    lines = []
    for leaders, alike in sorted(stories.items(), key=lambda item: -len(item[1])):
        parts = [_lead(leaders[0])]
        for at, names in enumerate(leaders[1:], start=1):
            parts.append(f"above alpha {_span([segments[at].start for segments in alike], why='')} {_lead(names)}")
        count = f"{len(alike)} of {len(families)} combinations"
        where = _settings_words([Family(one[0].bias, one[0].cardinality, one[0].beta) for one in alike], families)
        lines.append(f"  {count}{f' ({where})' if where else ''}: {', '.join(parts)}")
    return lines


def _segments(ranking: Ranking, family: Family) -> list[AlphaSegment]:
    return [one for one in ranking.segments if Family(one.bias, one.cardinality, one.beta) == family]


def _settings_words(families: list[Family], of: list[Family]) -> str:
    """What the settings of a sentence have in common; empty for all of them, or if they have too little in common."""
    parts = []
    held = 1
    for values, everywhere, word in (
        ([name_of(one.cardinality) for one in families], {name_of(one.cardinality) for one in of}, "cardinality "),
        ([name_of(one.bias) for one in families], {name_of(one.bias) for one in of}, "bias "),
        ([f"F{one.beta:g}" for one in families], {f"F{one.beta:g}" for one in of}, ""),
    ):
        own = list(dict.fromkeys(values))
        held *= len(own)
        if set(own) != everywhere:
            parts.append(f"{word}{listed_text(own)}")
    return ", ".join(parts) if held == len(families) else "among them " + ", ".join(parts) if parts else ""


def leader_grid(ranking: Ranking, leading: Sequence[str]) -> Table:
    """One row per cardinality and beta, one column per bias; detectors by letter, with the alphas at which the lead changes."""
    letters = {name: chr(ord("A") + at) if at < 26 else f"A{at}" for at, name in enumerate(leading)}
    biases = list(dict.fromkeys(family.bias for family in ranking.tracks))
    rows: dict[tuple[str, str], list[str]] = {}
    for family in ranking.tracks:
        segments = _segments(ranking, family)
        cell = "=".join(letters[name] for name in segments[0].leaders)
        for one in segments[1:]:
            cell += f" {one.start:.2f} ".replace(" 0.", " .") + "=".join(letters[name] for name in one.leaders)
        rows.setdefault((name_of(family.cardinality), f"{family.beta:g}"), []).append(cell)
    notes = [", ".join(f"{letter}: {name}" for name, letter in letters.items()) + ". A .37 B: A leads below alpha 0.37, B above."]
    heads = ["cardinality", "beta", *map(name_of, biases)]
    return Table(heads, [[*key, *cells] for key, cells in rows.items()], "Leader by bias", notes, words=range(len(heads)))


def _headline(ranking: Ranking) -> str:
    leading = sorted((item for item in ranking.first.items() if item[1] > 0), key=lambda item: -item[1])
    if len(ranking.names) == 1:
        return f"{ranking.names[0]} is the only detector, so it leads."
    if _all_equal(ranking):
        return f"{listed_text(ranking.names)} are equal under every setting."
    if len(leading) == 1:
        return f"{leading[0][0]} leads under every setting."
    shares = listed_text([f"{name} under {share_text(share)}" for name, share in leading])
    return f"The leader depends on the settings: {shares} of them."


def _all_equal(ranking: Ranking) -> bool:
    return all(len(segment.leaders) == len(ranking.names) for segment in ranking.segments)


def _chapters(ranking: Ranking, facts: dict[str, RankingFacts]) -> list[str]:
    """One line per cardinality and sequence of leaders."""
    lines = []
    for cardinality, group in groupby(ranking.tracks, key=lambda family: family.cardinality):
        families = list(group)
        opening = _CARDINALITY_WORDS.get(name_of(cardinality), f"With cardinality {name_of(cardinality)}")
        stories: dict[tuple[tuple[str, ...], ...], list[list[AlphaSegment]]] = {}
        for family in families:
            segments = _segments(ranking, family)
            stories.setdefault(tuple(one.leaders for one in segments), []).append(segments)
        crossed = any(crossing.cardinality == cardinality for crossing in ranking.crossings)
        if len(stories) == 1 and len(next(iter(stories))) == 1:
            (leaders,) = next(iter(stories))
            still = "" if crossed else ", and no two detectors change places"
            lines.append(f"{opening}, {_lead(leaders)}{still}{_because(ranking, facts, families[0], leaders)}.")
            continue
        for leaders_along, alike in sorted(stories.items(), key=lambda item: -len(item[1])):
            where = _which([Family(one[0].bias, one[0].cardinality, one[0].beta) for one in alike], families)
            lines.append(f"{opening}{where}, {_story(ranking, facts, leaders_along, alike)}.")
    return lines


def _story(ranking: Ranking, facts: dict[str, RankingFacts], leaders: Sequence[tuple[str, ...]], alike: list[list[AlphaSegment]]) -> str:
    family = Family(alike[0][0].bias, alike[0][0].cardinality, alike[0][0].beta)
    if len(leaders) == 1:
        return f"{_lead(leaders[0])} at every alpha{_because(ranking, facts, family, leaders[0])}"
    words = []
    for at, names in enumerate(leaders):
        border = _span([segments[at].start for segments in alike])
        if at == 0:
            words.append(f"{_lead(names)} for every alpha below {_span([segments[0].stop for segments in alike])}")
        else:
            reason = _because_of(facts, names[0], leaders[at - 1][0], family, rising=True)
            words.append(f"{'above it,' if at == 1 else f'above {border},'} {_lead(names)}{reason}")
    return "; ".join(words)


def _because(ranking: Ranking, facts: dict[str, RankingFacts], family: Family, leaders: tuple[str, ...]) -> str:
    """Against the best of the others, in the middle of the interval of alpha."""
    others = [name for name in ranking.names if name not in leaders]
    if not others:
        return ""
    alpha = (ranking.settings.low + ranking.settings.high) / 2
    values = ranking.scores(alpha=alpha, beta=family.beta, bias=family.bias, cardinality=family.cardinality)
    return _because_of(facts, leaders[0], max(others, key=lambda name: values[name]), family)


def _because_of(facts: dict[str, RankingFacts], leader: str, other: str, family: Family, *, rising: bool = False) -> str:
    """What the leader does better and worse than the other. ``rising``: it took the lead as alpha increased."""
    if not facts:
        return ""
    mine, theirs = facts[leader], facts[other]
    if not theirs.alarms:
        return f", because {other} raises no alarm"
    touches = f"touches {mine.touched} of {mine.real} ranges ({other} {theirs.touched})"
    covers = f"covers {share_text(mine.coverage)} of a range on average ({other} {share_text(theirs.coverage)})"
    false = f"has {_count(mine.false)} false among {mine.alarms:,} alarms ({other} {_count(theirs.false)} of {theirs.alarms:,})"
    purity = f"has alarms that are {share_text(mine.purity)} inside real ranges on average ({other} {share_text(theirs.purity)})"
    rows = [(mine.touched - theirs.touched, touches, 0.5), (mine.coverage - theirs.coverage, covers, _NOTABLE)]
    if abs(theirs.false_share - mine.false_share) >= _NOTABLE:
        rows.append((theirs.false_share - mine.false_share, false, _NOTABLE))
    else:
        rows.append((mine.purity - theirs.purity, purity, _NOTABLE / 5))
    if family.cardinality != "one":
        pieces = f"needs {mine.pieces:.1f} alarms per range found ({other} {theirs.pieces:.1f})"
        rows.append((theirs.pieces - mine.pieces, pieces, 2 * _NOTABLE))
    if family.bias in ("front", "back"):
        sign, where = (1, "earlier") if family.bias == "front" else (-1, "later")
        rows.append((sign * (theirs.place - mine.place), f"covers {where} parts of the ranges than {other}", 2 * _NOTABLE))
    better = [words for gain, words, notable in rows if gain >= notable]
    worse = [words for gain, words, notable in rows if -gain >= notable]
    # The existence reward does not depend on how much was covered, where, or in how many pieces; false alarms still cost.
    forgiven = [words for words in worse if words not in (touches, false, purity)]
    if rising and forgiven and touches not in better:
        gain = f", and it {better[0]}" if better else ""
        return f", because a larger alpha rewards finding a range at all, so it matters less that it {forgiven[-1]}{gain}"
    if not better:
        return ""
    return f", because it {' and '.join(better[:3])}{f', although it {worse[0]}' if worse else ''}"


def _dominance(ranking: Ranking) -> list[str]:
    """Which detectors are never below others, once per pair."""
    lines = []
    for one in ranking.names:
        below = [other for other in ranking.names if other != one and ranking.always(one, other) and not ranking.always(other, one)]
        if below and len(ranking.names) > 2:
            firm = ""
            if ranking.resamples is not None:
                kept = [other for other in below if ranking.firm(one, other)]
                firm = f" (firm against {listed_text(kept)})" if kept else " (not firm)"
            lines.append(f"{one} is never below {listed_text(below)}{firm}.")
    if ranking.resamples is not None:
        family, alpha = ranking.family(), ranking.settings.low
        beta = 1.0 if 1.0 in ranking.settings.betas else family.beta
        sure = ranking.certainty(alpha=alpha, beta=beta, bias=family.bias, cardinality=family.cardinality)
        best = max(sure, key=lambda name: sure[name])
        is_default = (family.bias, family.cardinality, beta, alpha) == ("flat", "one", 1.0, 0.0)
        where = "under the default settings" if is_default else f"with {Family(*family[:2], beta).text} and alpha {alpha:g}"
        lines.append(f"Over {len(ranking.cases[best])} series, {best} leads {where} in {share_text(sure[best])} of the resamples.")
    return lines


def _which(families: list[Family], of: list[Family]) -> str:
    """The biases and betas that a sentence applies to; empty for all of them."""
    if len(families) == len(of):
        return ""
    biases = dict.fromkeys(family.bias for family in families)
    betas = dict.fromkeys(family.beta for family in families)
    everywhere = {name_of(family.bias) for family in of}, {family.beta for family in of}
    parts = []
    if {name_of(bias) for bias in biases} != everywhere[0]:
        parts.append(f"{listed_text([name_of(bias) for bias in biases])} bias")
    if set(betas) != everywhere[1]:
        parts.append(listed_text([f"F{beta:g}" for beta in betas]))
    if len(biases) * len(betas) != len(families):
        parts = [f"{name_of(family.bias)} bias and F{family.beta:g}" for family in families]
    return f" with {listed_text(parts)}"


def _lead(names: Sequence[str]) -> str:
    return f"{names[0]} leads" if len(names) == 1 else f"{listed_text(names)} lead together"


def _span(values: list[float], why: str = " (by bias and beta)") -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}{why}"


def _count(number: int) -> str:
    return "none" if number == 0 else f"{number:,}"
