"""Find the settings that agree with an expert's pairwise preferences between predictions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.case import Case, read_pair
from rangewise.inputs.ranges import Ranges
from rangewise.model.bias import BIASES, BiasChoice
from rangewise.model.cardinality import CardinalityChoice
from rangewise.model.model import RangeModel
from rangewise.number_text import share_text
from rangewise.rankings.borders import Track, stretches
from rangewise.rankings.settings import BETAS, PAPER_CARDINALITIES, Family, Settings, read_settings
from rangewise.rankings.tracks import case_tracks

# Prefer an alpha with few digits if it agrees with the same judgements.
_DIGITS = (2, 3, 4, 5, 6)


class Judgement(NamedTuple):
    """An expert prefers ``preferred`` to ``other``."""

    real: Ranges
    preferred: Ranges
    other: Ranges


@dataclass(frozen=True)
class AlphaInterval:
    """The settings of one family with alpha strictly between ``start`` and ``stop`` agree with all judgements."""

    bias: BiasChoice
    cardinality: CardinalityChoice
    beta: float
    start: float
    stop: float


@dataclass(frozen=True, eq=False)
class Cells:
    """All settings, split where the outcome of any judgement changes: one row per cell, one column per judgement."""

    families: tuple[Family, ...]
    starts: NDArray[np.float64]
    stops: NDArray[np.float64]
    agrees: NDArray[np.bool_]

    @property
    def lengths(self) -> NDArray[np.float64]:
        return self.stops - self.starts


@dataclass(frozen=True, eq=False)
class ModelFit:
    """The settings that agree with an expert's judgements; made by :func:`fit_model`.

    ``model`` has the largest margin: its alpha can change by ``margin`` either way, more than in any other setting, before it
    disagrees with another judgement. If no setting agrees with all judgements, it agrees with the largest possible number.
    """

    model: RangeModel
    margin: float
    judgements: tuple[Judgement, ...] = field(repr=False)
    settings: Settings = field(repr=False)
    cells: Cells = field(repr=False)

    @property
    def agreed(self) -> int:
        """How many judgements the model agrees with."""
        return int(self.cells.agrees.sum(axis=1).max(initial=0))

    @cached_property
    def intervals(self) -> tuple[AlphaInterval, ...]:
        """The settings that agree with all judgements: exact intervals of alpha per family; empty if judgements contradict each other."""
        intervals: list[AlphaInterval] = []
        cells = self.cells
        for at in np.flatnonzero(cells.agrees.all(axis=1)).tolist():
            family, start, stop = cells.families[at], float(cells.starts[at]), float(cells.stops[at])
            last = intervals[-1] if intervals else None
            if last is not None and (last.bias, last.cardinality, last.beta) == family and last.stop == start:
                intervals[-1] = AlphaInterval(*family, last.start, stop)
            else:
                intervals.append(AlphaInterval(*family, start, stop))
        return tuple(intervals)

    @cached_property
    def families(self) -> dict[Family, int]:
        """The number of judgements that each family of settings satisfies at its best alpha."""
        counts: dict[Family, int] = {}
        for family, satisfied in zip(self.cells.families, self.cells.agrees.sum(axis=1).tolist(), strict=True):
            counts[family] = max(counts.get(family, 0), satisfied)
        return counts

    @cached_property
    def contradictions(self) -> tuple[tuple[int, ...], ...]:
        """Judgements that no setting can satisfy together, by index from 0: single ones, pairs, or the smallest group found.

        A larger group is listed only if no single judgement and no pair explains the contradiction.
        """
        agrees = self.cells.agrees
        if agrees.all(axis=1).any():
            return ()
        possible = agrees.any(axis=0)
        contradictions: list[tuple[int, ...]] = [(at,) for at in np.flatnonzero(~possible).tolist()]
        together = agrees.T.astype(np.int64) @ agrees.astype(np.int64)
        contradictions += [pair for pair in combinations(np.flatnonzero(possible).tolist(), 2) if not together[pair]]
        return tuple(contradictions) if contradictions else (_smallest_group(agrees),)

    def __str__(self) -> str:
        number = len(self.judgements)
        lines = [f"{self.model} agrees with {self.agreed} of {number} judgements"]
        if self.intervals:
            left = sum(one.stop - one.start for one in self.intervals) / float(self.cells.lengths.sum() or 1.0)
            lines.append(f"{share_text(left)} of the settings agree with all of them:")
            lines += [
                f"  {Family(one.bias, one.cardinality, one.beta).text}: alpha {one.start:.3g} to {one.stop:.3g}" for one in self.intervals
            ]
        else:
            lines.append("no setting agrees with all of them; these contradict each other:")
            lines += [f"  {' and '.join(f'judgement {at + 1}' for at in group)}" for group in self.contradictions]
        return "\n".join(lines)


def fit_model(
    judgements: Iterable[Any] | str | PathLike[str],
    *,
    alphas: Any = (0, 1),
    betas: Any = BETAS,
    biases: Any = tuple(BIASES),
    cardinalities: Any = PAPER_CARDINALITIES,
    precision_bias: BiasChoice = "flat",
) -> ModelFit:
    """Find the settings under which the preferred prediction of each judgement has the higher F.

    A judgement is ``(real, preferred, other)``, each as in :func:`rangewise.score`; or give a CSV file with the columns
    ``real``, ``preferred`` and ``other`` that name files. Settings are those of :func:`ranking`. A setting under which both score the
    same does not agree. Without judgements every setting agrees.

    >>> early, late = [(0, 4)], [(6, 10)]
    >>> fit = fit_model([([(0, 10)], early, late)], betas=1, cardinalities="one")
    >>> fit.model.recall_bias, fit.agreed, [(one.bias, one.start, one.stop) for one in fit.intervals]
    ('front', 1, [('front', 0.0, 1.0)])
    >>> fit_model([([(0, 10)], early, late), ([(0, 10)], late, early)]).contradictions
    ((0, 1),)
    """
    settings = read_settings(alphas, betas, biases, cardinalities, precision_bias)
    read = tuple(_read(at, given) for at, given in enumerate(_given(judgements)))
    pairs = [(case_tracks(settings, Case(one.real, one.preferred)), case_tracks(settings, Case(one.real, one.other))) for one in read]
    cells = make_cells(settings, pairs)
    model, margin = _widest(settings, cells)
    return ModelFit(model, margin, read, settings, cells)


def make_cells(settings: Settings, pairs: Sequence[tuple[dict[Family, Track], dict[Family, Track]]]) -> Cells:
    """The cells of all judgements; ``pairs`` are the tracks of the preferred and the other prediction."""
    families: list[Family] = []
    edges_of: list[NDArray[np.float64]] = []
    rows: list[NDArray[np.bool_]] = []
    low, high = settings.low, settings.high
    for family in settings.families():
        along = [stretches(one[family], other[family], family.beta, low, high) for one, other in pairs]
        edges = np.unique([low, high, *(stretch.start for pair in along for stretch in pair)])
        if low == high:
            edges = np.array([low, high])
        middles = (edges[:-1] + edges[1:]) / 2
        agrees = np.empty((len(middles), len(pairs)), dtype=bool)
        for column, pair in enumerate(along):
            at = np.searchsorted([stretch.start for stretch in pair], middles, side="right") - 1
            agrees[:, column] = np.array([stretch.order > 0 for stretch in pair])[np.maximum(at, 0)]
        families += [family] * len(middles)
        edges_of.append(np.column_stack([edges[:-1], edges[1:]]))
        rows.append(agrees)
    bounds = np.concatenate(edges_of)
    return Cells(tuple(families), bounds[:, 0], bounds[:, 1], np.concatenate(rows))


def _given(judgements: Iterable[Any] | str | PathLike[str]) -> Iterable[Any]:
    if not isinstance(judgements, (str, PathLike)):
        if not isinstance(judgements, Iterable):
            raise TypeError(f"judgements must be a list of (real, preferred, other), or the path of a CSV file; got {judgements!r:.60}")
        return judgements
    from rangewise.datasets.judgement_files import read_judgements

    return read_judgements(judgements)


def _read(at: int, given: Any) -> Judgement:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable) or len(sides := list(given)) != 3:
        raise TypeError(f"judgement {at} is {given!r:.60}; expected (real, preferred, other)")
    try:
        real, preferred, _ = read_pair(sides[0], sides[1])
        return Judgement(real, preferred, read_pair(sides[0], sides[2])[1])
    except (ValueError, TypeError) as error:
        raise type(error)(f"judgement {at}: {error}") from None


def _widest(settings: Settings, cells: Cells) -> tuple[RangeModel, float]:
    """The middle of the longest interval of alpha that satisfies most judgements, and how far it is from its ends."""
    counts = cells.agrees.sum(axis=1)
    runs: list[tuple[Family, float, float, NDArray[np.bool_]]] = []
    for at in np.flatnonzero(counts == counts.max()).tolist():
        family, start, stop, agreed = cells.families[at], float(cells.starts[at]), float(cells.stops[at]), cells.agrees[at]
        if runs and runs[-1][0] == family and runs[-1][2] == start and np.array_equal(runs[-1][3], agreed):
            start = runs.pop()[1]
        runs.append((family, start, stop, agreed))
    # Ties: the beta nearest to the default 1, then the first given.
    family, start, stop, _ = max(runs, key=lambda run: (round(run[2] - run[1], 12), -abs(math.log(run[0].beta))))
    alpha = (start + stop) / 2
    for digits in _DIGITS:
        if abs(round(alpha, digits) - alpha) <= 0.05 * (stop - start):
            alpha = round(alpha, digits)
            break
    return settings.model(family.bias, family.cardinality, beta=family.beta, alpha=alpha), min(alpha - start, stop - alpha)


def _smallest_group(agrees: NDArray[np.bool_]) -> tuple[int, ...]:
    """A minimal set of judgements that contradict each other: without any one of them, the others agree."""
    group = list(range(agrees.shape[1]))
    for at in list(group):
        without = [other for other in group if other != at]
        if not agrees[:, without].all(axis=1).any():
            group = without
    return tuple(group)
