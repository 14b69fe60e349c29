"""NAB, the score of the Numenta Anomaly Benchmark, for one series: early detections earn more, false rows cost.

Lavin and Ahmad, "Evaluating Real-time Anomaly Detection Algorithms - the Numenta Anomaly Benchmark", ICMLA 2015. A real range is
a *window* here, and every predicted row counts separately. All thresholds: ``nab_curve.py``; many series: ``nab_corpus.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import checked_zero_division, flag, unknown_name
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.model.explain import costliest
from rangewise.number_text import share_text

_PROBATION_SHARE, _PROBATION_MOST = 0.15, 750
_FAR = 3.0
"""The number of window lengths after a window from which a false row costs its full weight."""


@dataclass(frozen=True, kw_only=True)
class NabProfile:
    """What finding a window earns (``tp``), what missing it costs (``fn``), and what a false row costs at most (``fp``).

    >>> NabProfile(tp=1.0, fn=2.0, fp=0.5)
    NabProfile(tp=1.0, fn=2.0, fp=0.5)
    """

    tp: float = 1.0
    fn: float = 1.0
    fp: float = 0.11

    def __post_init__(self) -> None:
        for item in fields(self):
            given = getattr(self, item.name)
            try:
                weight = float(given)
            except (TypeError, ValueError):
                raise TypeError(f"profile: the weight {item.name} is a number; got {given!r}") from None
            if not 0.0 <= weight < math.inf:
                raise ValueError(f"profile: the weight {item.name} is 0 or more, and finite; got {given}")
            object.__setattr__(self, item.name, weight)


NAB_PROFILES: dict[str, NabProfile] = {
    "standard": NabProfile(),
    "reward_low_FP_rate": NabProfile(fp=0.22),
    "reward_low_FN_rate": NabProfile(fn=2.0),
}
"""The three profiles that NAB publishes scores for."""

ProfileLike: TypeAlias = str | NabProfile | Mapping[str, float]


@dataclass(frozen=True, slots=True)
class NabWindow:
    """What one window earned: ``value``, by the ``first`` of its ``detected`` rows (None when it was missed).

    ``counted`` is False when the window ends inside the probation: then it neither earns nor costs.
    """

    start: int
    stop: int
    detected: int
    first: int | None
    value: float
    counted: bool


@dataclass(frozen=True, slots=True)
class NabFalseRow:
    """What one detected row outside all windows cost: ``value``, 0 or less.

    ``window`` is the index of the window before it (None when there is none), ``after`` the rows since that window's last one.
    """

    row: int
    window: int | None
    after: int | None
    value: float


@dataclass(frozen=True)
class NabScore:
    """NAB's score of one series: ``raw``, what windows earn and false rows cost; ``normalized``, 0 for no detection, 1 for a perfect one.

    ``tp fp fn tn`` count rows after the probation, as NAB's published tables do. ``windows`` and ``false_rows`` hold a row for each
    window and each false row; printing the score explains it.

    >>> score = nab_score([(30, 40)], [(32, 33), (45, 46)], length=60)
    >>> score.tp, score.fp, score.fn, score.tn
    (1, 1, 9, 40)
    >>> round(score.raw, 4), round(score.normalized, 4)
    (0.8747, 0.9373)
    >>> print(score)
    NAB raw 0.8747   normalized 0.9373
    profile    NabProfile(tp=1.0, fn=1.0, fp=0.11), the first 9 of 60 rows on probation
    windows    1 counted, 1 found, 0 missed
      W1 [30, 40): found at row 32, 20 % in: +0.9771
    false rows 1 of 41 outside the windows
      row 45: 6 after W1: -0.1024
    """

    raw: float
    normalized: float
    tp: int
    fp: int
    fn: int
    tn: int
    profile: NabProfile
    probation: int
    length: int
    _real: Ranges = field(repr=False, compare=False)
    _detected: NDArray[np.int64] = field(repr=False, compare=False)

    @cached_property
    def windows(self) -> tuple[NabWindow, ...]:
        """A row for each window."""
        rewards = WindowRewards(self._real, self._detected, self.profile, self.probation)
        columns = (self._real.starts, self._real.stops, rewards.detected, rewards.first, rewards.value, rewards.counted)
        return tuple(
            NabWindow(start, stop, detected, first if detected else None, value, counted)
            for start, stop, detected, first, value, counted in zip(*(column.tolist() for column in columns), strict=True)
        )

    @cached_property
    def false_rows(self) -> tuple[NabFalseRow, ...]:
        """A row for each detected row outside all windows."""
        rows, window, value = false_values(self._real, self._detected, self.profile)
        after = rows - self._real.stops[window] + 1 if len(self._real) else rows
        return tuple(
            NabFalseRow(row, None if before < 0 else before, None if before < 0 else since, cost)
            for row, before, since, cost in zip(rows.tolist(), window.tolist(), after.tolist(), value.tolist(), strict=True)
        )

    def explain(self, limit: int | None = None) -> str:
        """The score in words, one line per window and per false row; with ``limit``, only that many of each: those that cost the most."""
        return "\n".join(_lines(self, limit))

    def __str__(self) -> str:
        return self.explain(limit=10)


def nab_score(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    profile: ProfileLike = "standard",
    probation: bool = True,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> NabScore:
    r"""NAB's score of the detected rows ``predicted``, given the windows ``real``.

    With :math:`\sigma(y) = 2 / (1 + e^{5y}) - 1`, and -1 for :math:`y > 3`:

    .. math::

        raw = \sum_{windows} \max_{i\ detected} tp \frac{\sigma(-(r - i + 1) / w)}{\sigma(-1)}
            + \sum_{false\ i} fp\,\sigma\left(\frac{i - r}{w - 1}\right)

    where the window's last row is r and it has w rows; for a false row, it is the window before it, and without one
    :math:`\sigma` is -1. A window without a detected row costs ``fn``. The first min(0.15 n, 750) rows are NAB's probation, when a
    detector may still learn: they neither earn nor cost and are in no count. ``normalized`` is
    :math:`(raw - null) / (perfect - null)`, null = -fn x windows, perfect = tp x windows.

    At most 1 when normalized, without a lower bound; higher is better. ``zero_division`` is the normalized score without windows to
    find. ``length``, the number of rows, is needed when neither side is given as labels. ``profile`` is the name of one of NAB's
    three or a :class:`NabProfile` of one's own weights. Sides that are times need a grid, a row every ``step`` over ``span``.

    >>> nab_score([0, 0, 1, 1, 1, 0], [0, 0, 1, 0, 0, 0]).normalized
    1.0
    >>> nab_score([(2, 5)], [(0, 1)], length=6, profile="reward_low_FN_rate").raw
    -2.11

    Lavin and Ahmad (2015), section 3.
    """
    weights = as_profile(profile)
    case = Case.of_labels(real, predicted, options, "nab_score")
    windows, detected_ranges, rows = case.series("NAB counts rows and skips a probation")
    skipped = probation_rows(rows) if flag("probation", probation) else 0
    detected = detected_ranges.points().starts
    detected = detected[detected >= skipped]
    return score_rows(windows, detected, rows, weights, skipped, zero_division, ignored=case.ignored)


def nab_normalized(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    profile: ProfileLike = "standard",
    probation: bool = False,
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""NAB's normalized score as a plain float. Without a probation by default, so that every range of a short series counts.

    .. math:: \frac{raw - null}{perfect - null}

    At most 1, without a lower bound; higher is better. 0 when nothing is predicted, ``zero_division`` when nothing is real.
    ``length`` matters only to the probation. See :func:`nab_score`.

    >>> nab_normalized([(2, 5)], [(2, 3)])
    1.0
    """
    zero_division = checked_zero_division(zero_division)
    case = Case.of_labels(real, predicted, options, "nab_normalized")
    if case.length is None and not flag("probation", probation):
        case = replace(case, length=max((int(side.stops[-1]) for side in case.rows("NAB") if len(side)), default=0))
    return nab_score(case, profile=profile, probation=probation, zero_division=zero_division).normalized


def as_profile(profile: ProfileLike) -> NabProfile:
    """A profile's name, weights by name (also as NAB's profiles.json calls them) or a profile, as a profile."""
    if isinstance(profile, NabProfile):
        return profile
    if isinstance(profile, str):
        if profile not in NAB_PROFILES:
            raise unknown_name("profile", profile, tuple(NAB_PROFILES))
        return NAB_PROFILES[profile]
    if isinstance(profile, Mapping):
        weights = {str(name).removesuffix("Weight"): weight for name, weight in profile.items()}
        weights.pop("tn", None)  # NAB's files have it, NAB's score does not use it.
        names = tuple(item.name for item in fields(NabProfile))
        for name in weights:
            if name not in names:
                raise unknown_name("profile: a weight", name, names)
        return NabProfile(**weights)
    raise TypeError(f"profile is one of {', '.join(NAB_PROFILES)} or a NabProfile; got {profile!r}")


def probation_rows(length: int) -> int:
    """How many rows at the front of a series are its probation."""
    return min(math.floor(_PROBATION_SHARE * length), _PROBATION_MOST)


def normalize(raw: Any, counted: int, windows: int, profile: NabProfile, zero_division: float) -> Any:
    """Raw scores (one or an array) on the scale where no detection is 0 and a perfect one is 1.

    ``perfect`` is of all windows, including those inside the probation, which no detector can find, as in NAB's own normalization;
    ``null`` is of those that count.
    """
    null, perfect = -profile.fn * counted, profile.tp * windows
    if perfect == null:
        return raw * 0.0 + zero_division
    return (raw - null) / (perfect - null)


def sigmoid(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """From 1 far before 0, through 0 at 0, to -1 after it."""
    return np.where(y > _FAR, -1.0, 2.0 / (1.0 + np.exp(5.0 * np.minimum(y, _FAR))) - 1.0)


def window_value(rows_left: NDArray[np.int64], lengths: NDArray[np.int64], profile: NabProfile) -> NDArray[np.float64]:
    """What a detection earns when ``rows_left`` rows of its window remain, its own included: all at the first row."""
    return sigmoid(-rows_left / lengths) / _SIGMOID_AT_FIRST_ROW * profile.tp


_SIGMOID_AT_FIRST_ROW = sigmoid(np.array([-1.0]))


class WindowRewards:
    """The rewards of the windows, one array per column."""

    def __init__(self, windows: Ranges, detected: NDArray[np.int64], profile: NabProfile, probation: int) -> None:
        before = np.searchsorted(detected, windows.starts)
        self.detected = np.searchsorted(detected, windows.stops) - before
        self.counted = windows.stops > probation  # has a row after it
        # The earliest row earns the most, so no other matters. A window that was missed has no row: any will do.
        self.first = np.append(detected, 0)[before]
        earned = window_value(np.where(self.detected > 0, windows.stops - self.first, 0), windows.lengths, profile)
        self.value = np.where(self.detected > 0, earned, np.where(self.counted, -profile.fn, 0.0))


def false_values(
    windows: Ranges, rows: NDArray[np.int64], profile: NabProfile
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Those of the ``rows`` outside all windows, the index of the window before each (-1: none), and what each costs."""
    before = np.searchsorted(windows.starts, rows, side="right") - 1
    outside = before < 0
    if len(windows):
        outside |= rows >= windows.stops[before]
    rows, before = rows[outside], before[outside]
    y = np.full(len(rows), np.inf)
    later = before >= 0
    near, after = before[later], rows[later]
    span = windows.lengths[near] - 1
    # After a window of one row NAB divides by zero; the limit, infinitely many window lengths away, costs all of the weight.
    y[later] = np.divide(after - windows.stops[near] + 1, span, out=np.full(len(after), np.inf), where=span > 0)
    return rows, before, sigmoid(y) * profile.fp


def score_rows(
    windows: Ranges, detected: NDArray[np.int64], length: int, profile: NabProfile, probation: int, zero_division: float, *, ignored: Ranges
) -> NabScore:
    """The score of detected rows that are sorted, distinct and after the probation."""
    rewards = WindowRewards(windows, detected, profile, probation)
    false, _, costs = false_values(windows, detected, profile)
    raw = math.fsum([*rewards.value.tolist(), *costs.tolist()])
    tp, fp = int(rewards.detected.sum()), len(false)
    inside = int(np.maximum(windows.stops - np.maximum(windows.starts, probation), 0).sum())
    normalized = float(normalize(raw, int(rewards.counted.sum()), len(windows), profile, zero_division))
    left_out = int(np.maximum(np.minimum(ignored.stops, length) - np.maximum(ignored.starts, probation), 0).sum())
    counts = (tp, fp, inside - tp, length - probation - left_out - inside - fp)
    return NabScore(raw, normalized, *counts, profile, probation, length, windows, detected)


def _lines(score: NabScore, limit: int | None) -> list[str]:
    windows, false_rows = score.windows, score.false_rows
    counted = [window for window in windows if window.counted]
    missed = sum(window.first is None for window in counted)
    return [
        f"NAB raw {score.raw:.4f}   normalized {score.normalized:.4f}",
        f"profile    {score.profile}, the first {score.probation:,} of {score.length:,} rows on probation",
        f"windows    {len(counted):,} counted, {len(counted) - missed:,} found, {missed:,} missed",
        *_costliest([window.value for window in windows], [_window_text(*item) for item in enumerate(windows)], limit),
        f"false rows {score.fp:,} of {score.fp + score.tn:,} outside the windows",
        *_costliest([row.value for row in false_rows], [_false_text(row) for row in false_rows], limit),
    ]


def _costliest(values: list[float], texts: list[str], limit: int | None) -> list[str]:
    """The lines of those that cost the most, in order of time."""
    shown = costliest(values, limit)
    rest = [f"  ... and {len(values) - len(shown):,} more that cost less; explain() shows all"] if len(shown) < len(values) else []
    return [f"  {texts[index]}" for index in shown] + rest


def _window_text(index: int, window: NabWindow) -> str:
    name = f"W{index + 1} [{window.start}, {window.stop})"
    if not window.counted:
        return f"{name}: inside the probation, not counted: 0"
    if window.first is None:
        return f"{name}: missed: {window.value:+.4f}"
    late = (window.first - window.start) / (window.stop - window.start)
    place = "at once" if window.first == window.start else f"at row {window.first}, {share_text(late)} in"
    return f"{name}: found {place}: {window.value:+.4f}"


def _false_text(row: NabFalseRow) -> str:
    place = "before any window" if row.window is None else f"{row.after:,} after W{row.window + 1}"
    return f"row {row.row}: {place}: {row.value:+.4f}"
