"""Ranking: which detector leads under which settings, with exact borders."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import combinations, pairwise, permutations
from typing import TYPE_CHECKING, Any, Unpack

from rangewise.checks import unknown_name
from rangewise.inputs.case import Case, CaseOptions
from rangewise.model.bias import BIASES, BiasChoice
from rangewise.model.cardinality import CardinalityChoice
from rangewise.model.model import RangeModel
from rangewise.model.result import Score
from rangewise.model.tally import Tally
from rangewise.number_text import share_text
from rangewise.rankings.borders import AlphaSegment, AlphaStretch, Crossing, Track, crossing_beta, crossing_places, order_of, stretches
from rangewise.rankings.cases import BEST_F, EQUAL_SHARE, ThresholdChoice, at_best_f, read_detectors, threshold_rules
from rangewise.rankings.resampling import FIRM, RankingResamples, resample
from rangewise.rankings.settings import BETAS, PAPER_CARDINALITIES, Family, Settings, name_of, read_settings
from rangewise.rankings.tracks import case_tracks, count_series, kernel_models, tracks_of_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Ranking:
    """Detectors ranked under many settings at once; made by :func:`ranking`.

    A prediction without alarms scores 0 everywhere, and every prediction scores 0 without real ranges. Detectors whose scores differ only
    by rounding are equal: they share a lead in :attr:`first`, :meth:`leader` returns the one given first, :meth:`leaders` returns all.
    """

    names: tuple[str, ...]
    settings: Settings
    tracks: Mapping[Family, tuple[Track, ...]] = field(repr=False)
    cases: Mapping[str, tuple[Case, ...]] = field(repr=False)
    """The case of each detector on each series."""
    thresholds: ThresholdChoice = None
    resamples: RankingResamples | None = field(default=None, repr=False)

    @property
    def sees_labels(self) -> bool:
        """Whether thresholds were chosen using the labels, so that the scores are optimistic."""
        chosen = any(case.scores is not None for series in self.cases.values() for case in series)
        return chosen and any(rule in (BEST_F, EQUAL_SHARE) for rule in threshold_rules(self.thresholds))

    @property
    def follows_settings(self) -> bool:
        """Whether each setting has its own threshold."""
        return any(case.predicted is None for series in self.cases.values() for case in series)

    @cached_property
    def _stretches(self) -> dict[Family, dict[tuple[int, int], list[AlphaStretch]]]:
        low, high = self.settings.low, self.settings.high
        return {
            family: {
                (one, other): stretches(tracks[one], tracks[other], family.beta, low, high)
                for one, other in combinations(range(len(tracks)), 2)
            }
            for family, tracks in self.tracks.items()
        }

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """Every border at which two detectors change places, by family of settings and then along alpha.

        For a single alpha, the borders are those in beta, between the lowest and the highest beta of the settings.
        """
        if self.settings.low == self.settings.high:
            return self._crossings_between(self.settings.low, self.settings.betas[0], self.settings.betas[-1])
        crossings = []
        for family, pairs in self._stretches.items():
            here = []
            for (one, other), along in pairs.items():
                for alpha, order in crossing_places(along):
                    first, second = (one, other) if order > 0 else (other, one)
                    here.append(Crossing(self.names[first], self.names[second], *family, alpha))
            crossings += sorted(here, key=lambda crossing: crossing.alpha)
        return tuple(crossings)

    def crossings_in_beta(self, alpha: float) -> tuple[Crossing, ...]:
        """Every beta above 0 at which two detectors change places, at this alpha; ``first`` is ahead below it.

        Linear in beta squared, so there is at most one for each pair, bias and cardinality. Not available for ``thresholds="best-f"``,
        where thresholds depend on beta.

        >>> crossings = ranking([(0, 10)], {"short": [(0, 4)], "long": [(0, 20)]}).crossings_in_beta(0.0)
        >>> [(one.first, one.second, round(one.beta, 3)) for one in crossings if one.bias == "flat"]
        [('short', 'long', 0.816), ('short', 'long', 0.816)]
        """
        return self._crossings_between(RangeModel(alpha=alpha).alpha, 0.0, float("inf"))

    def _crossings_between(self, alpha: float, low: float, high: float) -> tuple[Crossing, ...]:
        if self.follows_settings:
            raise ValueError("with thresholds='best-f' thresholds depend on beta, so there is no single border; give {name: number}")
        crossings = []
        for family, tracks in self.tracks.items():
            if family.beta != self.settings.betas[0]:
                continue  # the lines are the same for every beta
            here = []
            for one, other in combinations(range(len(tracks)), 2):
                lines = tracks[one].line(alpha), tracks[other].line(alpha)
                beta = crossing_beta(*lines, alpha)
                if beta is None or not low < beta < high:
                    continue
                # Below the border precision decides.
                first, second = (one, other) if lines[0].precision > lines[1].precision else (other, one)
                here.append(Crossing(self.names[first], self.names[second], family.bias, family.cardinality, beta, alpha))
            crossings += sorted(here, key=lambda crossing: crossing.beta)
        return tuple(crossings)

    @cached_property
    def segments(self) -> tuple[AlphaSegment, ...]:
        """The map: for each family of settings the intervals of alpha, in ascending order, with their leaders."""
        segments: list[AlphaSegment] = []
        low, high = self.settings.low, self.settings.high
        for family, tracks in self.tracks.items():
            pairs = self._stretches[family]
            edges = sorted({low, high, *(stretch.start for along in pairs.values() for stretch in along)})
            here: list[AlphaSegment] = []
            for start, stop in pairwise(edges) if low < high else [(low, high)]:
                leaders = self._leaders(tracks, (start + stop) / 2, family.beta)
                if here and here[-1].leaders == leaders:
                    here[-1] = AlphaSegment(*family, here[-1].start, stop, leaders)
                else:
                    here.append(AlphaSegment(*family, start, stop, leaders))
            segments += here
        return tuple(segments)

    def _leaders(self, tracks: tuple[Track, ...], alpha: float, beta: float) -> tuple[str, ...]:
        values = [track.f(alpha, beta) for track in tracks]
        best = max(values)
        return tuple(name for name, value in zip(self.names, values, strict=True) if not order_of(value, best))

    def family(self, bias: BiasChoice | None = None, cardinality: CardinalityChoice | None = None) -> Family:
        """The family of this bias and cardinality; by default that of the default model, or the first of the settings."""
        settings = self.settings
        asked_bias = ("flat" if "flat" in settings.biases else settings.biases[0]) if bias is None else bias
        asked = ("one" if "one" in settings.cardinalities else settings.cardinalities[0]) if cardinality is None else cardinality
        if asked_bias not in settings.biases:
            raise unknown_name("a bias of this ranking", asked_bias, tuple(map(name_of, settings.biases)))
        if asked not in settings.cardinalities:
            raise unknown_name("a cardinality of this ranking", asked, tuple(map(name_of, settings.cardinalities)))
        return Family(asked_bias, asked, settings.betas[0])

    def _tracks(self, beta: float, bias: BiasChoice | None, cardinality: CardinalityChoice | None) -> tuple[Track, ...]:
        family = self.family(bias, cardinality)._replace(beta=RangeModel(beta=beta).beta)
        if family in self.tracks:
            return self.tracks[family]
        if self.follows_settings:
            known = ", ".join(f"{known:g}" for known in self.settings.betas)
            raise ValueError(f"with thresholds='best-f' thresholds depend on beta; this ranking has beta {known}, not {beta:g}")
        return self.tracks[family._replace(beta=self.settings.betas[0])]

    def leaders(
        self, *, alpha: float = 0.0, beta: float = 1.0, bias: BiasChoice | None = None, cardinality: CardinalityChoice | None = None
    ) -> tuple[str, ...]:
        """All detectors that share the best F under one setting."""
        return self._leaders(self._tracks(beta, bias, cardinality), RangeModel(alpha=alpha).alpha, beta)

    def leader(
        self, *, alpha: float = 0.0, beta: float = 1.0, bias: BiasChoice | None = None, cardinality: CardinalityChoice | None = None
    ) -> str:
        """The detector with the best F under one setting, the first on ties. Any alpha and beta; a bias and cardinality of the settings."""
        return self.leaders(alpha=alpha, beta=beta, bias=bias, cardinality=cardinality)[0]

    def scores(
        self, *, alpha: float = 0.0, beta: float = 1.0, bias: BiasChoice | None = None, cardinality: CardinalityChoice | None = None
    ) -> dict[str, float]:
        """F of each detector under one setting."""
        tracks, checked = self._tracks(beta, bias, cardinality), RangeModel(alpha=alpha).alpha
        return {name: track.f(checked, beta) for name, track in zip(self.names, tracks, strict=True)}

    @cached_property
    def first(self) -> dict[str, float]:
        """The share of the settings, by length of alpha, in which each detector leads; ties are split. They add up to 1."""
        leads: dict[str, list[float]] = {name: [] for name in self.names}
        low, high = self.settings.low, self.settings.high
        for segment in self.segments:
            length = (segment.stop - segment.start) / (high - low) if high > low else 1.0
            for name in segment.leaders:
                leads[name].append(length / len(segment.leaders))
        return {name: math.fsum(lengths) / len(self.tracks) for name, lengths in leads.items()}

    def always(self, one: str, other: str) -> bool:
        """Whether ``one`` is never below ``other`` under any of the settings; equal is not below.

        >>> result = ranking([(0, 10)], {"half": [(0, 5)], "all": [(0, 10)]})
        >>> result.always("all", "half"), result.always("half", "all")
        (True, False)
        """
        at, other_at = self._index(one), self._index(other)
        if at == other_at:
            return True
        pair, sign = ((at, other_at), 1) if at < other_at else ((other_at, at), -1)
        return all(sign * stretch.order >= 0 for pairs in self._stretches.values() for stretch in pairs[pair])

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise unknown_name("a detector of this ranking", name, self.names)
        return self.names.index(name)

    def certainty(
        self, *, alpha: float = 0.0, beta: float = 1.0, bias: BiasChoice | None = None, cardinality: CardinalityChoice | None = None
    ) -> dict[str, float]:
        """Over many series: the share of resamples in which each detector leads under one setting. They add up to 1.

        >>> real = {day: [(0, 10)] for day in range(20)}
        >>> result = ranking(real, {"a": {day: [(0, 9)] for day in real}, "b": {day: [(0, 4 + day % 8)] for day in real}})
        >>> result.certainty()
        {'a': 1.0, 'b': 0.0}
        """
        family = self.family(bias, cardinality)
        at = list(dict.fromkeys((one.cardinality, one.bias) for one in self.tracks)).index((family.cardinality, family.bias))
        shares = self._resampled().lead_shares(at, RangeModel(alpha=alpha).alpha, RangeModel(beta=beta).beta)
        return dict(zip(self.names, shares, strict=True))

    def firm(self, one: str, other: str) -> bool:
        """Over many series: whether ``one`` is never below ``other``, under any setting, in 95 % of the resamples."""
        return self.dominance(one, other) >= FIRM

    def dominance(self, one: str, other: str) -> float:
        """Over many series: the share of resamples in which ``one`` is never below ``other`` under any of the settings."""
        return float(self._never_below[self._index(one), self._index(other)])

    @cached_property
    def _never_below(self) -> Any:
        return self._resampled().never_below()

    def _resampled(self) -> RankingResamples:
        if self.resamples is None:
            raise ValueError("one series cannot be resampled; give many, as {series: ranges}, to see how certain the ranking is")
        return self.resamples

    def explain(self) -> str:
        """The ranking as text: which detector leads in which interval of alpha, and why."""
        from rangewise.rankings.words import explain_text

        return explain_text(self)

    def __str__(self) -> str:
        from rangewise.rankings.words import summary_text

        return summary_text(self)

    def order(self, model: RangeModel) -> list[str]:
        """The detectors from best to worst F under any model; ties in the order given."""
        scores = {name: self._score(name, model).f for name in self.names}
        return sorted(self.names, key=lambda name: -scores[name])

    def _score(self, name: str, model: RangeModel) -> Score:
        cases = self.cases[name]
        if len(cases) == 1:
            return model.score(at_best_f(cases[0], model))
        return sum((model.tally(case) for case in cases), start=Tally(model, 0, 0, 0, 0)).score()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the map: which detector leads where, with exact borders; ``.figure.savefig(...)`` saves it. Needs matplotlib."""
        from rangewise.plots.ranking_pictures import draw_ranking_map

        return draw_ranking_map(self, ax=ax)

    def table(self) -> list[dict[str, Any]]:
        """The map as rows, for a data frame of any library: cardinality, bias, beta, the interval of alpha, the leader.

        >>> ranking([(0, 10)], {"half": [(0, 5)], "all": [(0, 10)]}, betas=1, biases="flat", cardinalities="one").table()
        [{'cardinality': 'one', 'bias': 'flat', 'beta': 1.0, 'from_alpha': 0.0, 'to_alpha': 1.0, 'leader': 'all'}]

        Over many series, ``certainty`` too: the share of resamples in which the leader leads in the middle of the interval.
        """
        rows: list[dict[str, Any]] = [
            {
                "cardinality": name_of(segment.cardinality),
                "bias": name_of(segment.bias),
                "beta": segment.beta,
                "from_alpha": segment.start,
                "to_alpha": segment.stop,
                "leader": " = ".join(segment.leaders),
            }
            for segment in self.segments
        ]
        if self.resamples is not None:
            for row, segment in zip(rows, self.segments, strict=True):
                alpha = (segment.start + segment.stop) / 2
                sure = self.certainty(alpha=alpha, beta=segment.beta, bias=segment.bias, cardinality=segment.cardinality)
                row["certainty"] = sum(sure[name] for name in segment.leaders)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The ranking as ``rangewise ranking --json`` prints it."""
        crossings = [asdict(each) | {"bias": name_of(each.bias), "cardinality": name_of(each.cardinality)} for each in self.crossings]
        thresholds = {name: cases[0].threshold for name, cases in self.cases.items()}
        return {
            "detectors": list(self.names),
            "first": self.first,
            "crossings": crossings,
            "map": self.table(),
            "always": [[one, other] for one, other in permutations(self.names, 2) if self.always(one, other)],
            "thresholds": {name: value for name, value in thresholds.items() if value is not None and math.isfinite(value)},
            "sees_labels": self.sees_labels,
            "explanation": self.explain(),
        }

    def __repr__(self) -> str:
        shares = ", ".join(f"{name} {share_text(share)}" for name, share in sorted(self.first.items(), key=lambda item: -item[1]))
        return f"Ranking(first: {shares}; {len(self.crossings)} crossings)"


def ranking(
    real: Any,
    predicted: Mapping[str, Any],
    *,
    alphas: Any = (0, 1),
    betas: Any = BETAS,
    biases: Any = tuple(BIASES),
    cardinalities: Any = PAPER_CARDINALITIES,
    thresholds: ThresholdChoice = None,
    precision_bias: BiasChoice = "flat",
    resamples: int = 1000,
    seed: int = 0,
    **options: Unpack[CaseOptions],
) -> Ranking:
    r"""Rank detectors under all settings of the model. Exact: the borders are roots, not samples.

    Recall is linear in alpha and precision does not depend on it, so A and B change places where

    .. math:: \beta^2 P_A P_B (R_A - R_B) + R_A R_B (P_A - P_B) = 0, \qquad R = O + \alpha (E - O)

    :param predicted: the detectors by name: ranges, 0/1 labels, or scores (an array whose values are not all 0 or 1).
    :param alphas: an interval (lowest, highest), in 0..1.
    :param betas, biases, cardinalities: values; a bias applies to recall, a cardinality to recall and precision.
    :param thresholds: for scores, one for all or one per detector: a number; ``"best-f"``, the best threshold for each setting (this uses
        the labels: ``Ranking.sees_labels``); or ``"equal-share"``, the same alert rate for all: the share of anomalous
        points, or the given one in ``"equal-share:0.05"``.
    :param precision_bias: the bias of precision, the same under all settings.
    :param resamples, seed: over many series, the number of bootstrap resamples of the series, and their seed.
    :param options: the input options of :meth:`rangewise.RangeModel.score` for all detectors, e.g. ``ignore`` and ``close_gaps``; over
        many series, a mapping from series to value.

    Over many series ``real`` and each detector are ``{series: ranges}``. The ranking then uses the sum of their tallies (every range counts
    the same), with its certainty (:meth:`Ranking.certainty`, :meth:`Ranking.firm`). F lies in 0..1, and is 0 without alarms.

    >>> result = ranking([(0, 10), (20, 30)], {"thorough": [(0, 10)], "touchy": [(0, 2), (20, 22)]}, biases="flat", betas=1)
    >>> [(one.first, one.second, one.cardinality, round(one.alpha, 3)) for one in result.crossings]
    [('thorough', 'touchy', 'one', 0.375), ('thorough', 'touchy', 'reciprocal', 0.375)]
    >>> result.leader(alpha=0.2), result.leader(alpha=0.8), result
    ('thorough', 'touchy', Ranking(first: touchy 62 %, thorough 37 %; 2 crossings))
    """
    settings = read_settings(alphas, betas, biases, cardinalities, precision_bias)
    cases = read_detectors(real, predicted, thresholds, options)
    if not isinstance(real, Mapping):
        return ranking_of_cases(settings, cases[""], thresholds)
    by_name = {name: tuple(series[name] for series in cases.values()) for name in predicted}
    if any(case.predicted is None for own in by_name.values() for case in own):
        raise ValueError(f"thresholds={BEST_F!r} is for one series; for many give {{name: number}} or 'equal-share'")
    models = kernel_models(settings)
    counts = [count_series(models, own) for own in by_name.values()]
    tracks = [tracks_of_lines(settings, row.total().lines()) for row in counts]
    drawn = resample(settings, counts, resamples, seed)
    return Ranking(tuple(predicted), settings, _by_family(settings, tracks), by_name, thresholds, drawn)


def ranking_of_cases(settings: Settings, cases: Mapping[str, Case], thresholds: ThresholdChoice = None) -> Ranking:
    """The ranking of detectors on one series, whose cases were read before."""
    tracks = [case_tracks(settings, case) for case in cases.values()]
    by_name = {name: (case,) for name, case in cases.items()}
    return Ranking(tuple(cases), settings, _by_family(settings, tracks), by_name, thresholds)


def _by_family(settings: Settings, tracks: list[dict[Family, Track]]) -> dict[Family, tuple[Track, ...]]:
    return {family: tuple(track[family] for track in tracks) for family in settings.families()}
