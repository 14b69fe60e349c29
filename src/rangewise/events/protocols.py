"""Event scoring of other fields: SzCORE's events with tolerances, NEDC's any-overlap and time-aligned scoring."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from operator import add, attrgetter
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number, shown, unknown_name
from rangewise.events.recording import Recording, read_recording
from rangewise.inputs.ignored import Clipping, pieces_outside
from rangewise.inputs.instants import NANOSECONDS, duration, duration_text
from rangewise.inputs.ranges import RangesLike
from rangewise.number_text import count_text, share_text

_SECOND, _DAY = NANOSECONDS["s"], NANOSECONDS["d"]
_GRID = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*hz\s*", re.IGNORECASE)
# The constant that `timescoring` adds to the minimum overlap.
_GRID_MARGIN = 1e-6
_GRID_SAMPLES = 1.0

Pairs = NDArray[Any]


@dataclass(frozen=True)
class EventProtocol:
    """How events are prepared and matched. Durations are text such as ``"90s"``, a ``timedelta``, or a number of seconds.

    :param join: events less than this apart are joined, on both sides.
    :param split: longer events are split into parts of this length, from their start; None does not split.
    :param tolerance: a prediction counts this long before and after a real event.
    :param min_overlap: a real event is detected if more than this share of it, with its tolerance, is predicted.
    :param credit: ``"event"``: a real event is detected or missed; ``"time"``: partial credit by time (TAES).

    >>> EventProtocol(join=90, tolerance=(30, 60)).tolerance
    (30000000000, 60000000000)
    """

    join: Any = 0
    split: Any = None
    tolerance: Any = (0, 0)
    min_overlap: float = 0.0
    credit: Literal["event", "time"] = "event"

    def __post_init__(self) -> None:
        both = self.tolerance
        if not isinstance(both, (tuple, list)) or len(both) != 2:
            raise ValueError(f"tolerance must be (before, after), two durations; got {shown(both)}")
        object.__setattr__(self, "join", _length("join", self.join))
        object.__setattr__(self, "tolerance", (_length("tolerance before", both[0]), _length("tolerance after", both[1])))
        if self.split is not None:
            object.__setattr__(self, "split", _length("split", self.split))
            if not self.split:
                raise ValueError("split must be above 0; leave it out to keep events whole")
        if not 0.0 <= number("min_overlap", self.min_overlap) < 1.0:
            raise ValueError(f"min_overlap must be from 0 to below 1; got {self.min_overlap}")
        if self.credit not in ("event", "time"):
            raise unknown_name("credit", self.credit, ("event", "time"))
        if self.credit == "time" and (self.tolerance != (0, 0) or self.min_overlap):
            raise ValueError("partial credit by time (TAES) has no tolerance and no min_overlap; leave them out")

    def __str__(self) -> str:
        parts = [f"join events less than {duration_text(self.join)} apart"] if self.join else []
        parts += [] if self.split is None else [f"split them after {duration_text(self.split)}"]
        if self.credit == "time":
            return ", ".join([*parts, "partial credit by time"])
        before, after = self.tolerance
        parts += [f"tolerance {duration_text(before)} before and {duration_text(after)} after"] if before or after else []
        return ", ".join(
            [*parts, f"detected with more than {share_text(self.min_overlap)} overlap" if self.min_overlap else "any overlap detects"]
        )


def _length(name: str, given: Any) -> int:
    # A protocol made from another one has its durations in nanoseconds already.
    nanoseconds = given if isinstance(given, _Nanoseconds) else duration(given, name)
    if nanoseconds < 0:
        raise ValueError(f"{name} must be a duration of 0 or more; got {given!r}")
    return _Nanoseconds(nanoseconds)


class _Nanoseconds(int):
    """A duration that was parsed before."""


PROTOCOLS: Mapping[str, EventProtocol] = MappingProxyType(
    {
        "szcore": EventProtocol(join=90, split=300, tolerance=(30, 60)),
        "ovlp": EventProtocol(),
        "taes": EventProtocol(credit="time"),
    }
)
"""SzCORE's event scoring, NEDC's any-overlap (OVLP), NEDC's time-aligned event scoring (TAES)."""


@dataclass(frozen=True)
class ProtocolCounts:
    """Counts that add up over recordings, and their scores.

    ``references`` are the real events, ``seconds`` the length of the recordings without ignored time (nan if unknown). For samples, all
    counts are seconds.
    """

    true_positives: float
    false_positives: float
    references: float
    seconds: float

    @property
    def false_negatives(self) -> float:
        return self.references - self.true_positives

    @property
    def sensitivity(self) -> float:
        """Detected real events divided by real events; nan without real events."""
        return self.true_positives / self.references if self.references else math.nan

    @property
    def precision(self) -> float:
        """TP / (TP + FP); nan if nothing is predicted and nothing detected."""
        predicted = self.true_positives + self.false_positives
        return self.true_positives / predicted if predicted else math.nan

    @property
    def f1(self) -> float:
        """2 TP / (2 TP + FP + FN); nan without any events."""
        if not self.references + self.false_positives:
            return math.nan
        return 2 * self.true_positives / (2 * self.true_positives + self.false_positives + self.false_negatives)

    @property
    def false_alarms_per_day(self) -> float:
        """False positives per 24 hours that are not ignored; nan if the length of the recording is unknown, or all of it is ignored."""
        return self.false_positives / (self.seconds / 86_400) if self.seconds else math.nan

    def __add__(self, other: ProtocolCounts) -> ProtocolCounts:
        if not isinstance(other, ProtocolCounts):
            return NotImplemented
        return ProtocolCounts(*map(add, self.values, other.values))

    def __radd__(self, other: object) -> ProtocolCounts:
        # sum() starts with 0.
        return self if other == 0 else NotImplemented

    @property
    def values(self) -> tuple[float, float, float, float]:
        return self.true_positives, self.false_positives, self.references, self.seconds


@dataclass(frozen=True)
class IgnoredTime:
    """The number of ignored intervals, their seconds, and their effect on the joined events of each side."""

    intervals: int
    seconds: float
    real: Clipping
    predicted: Clipping

    def __add__(self, other: IgnoredTime) -> IgnoredTime:
        return IgnoredTime(*map(add, vars(self).values(), vars(other).values()))

    def __str__(self) -> str:
        intervals = f"{count_text(self.intervals, 'interval')} of {duration_text(round(self.seconds * _SECOND))}"
        return f"{intervals}; real events: {self.real}; predicted: {self.predicted}"

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class EventRow:
    """One event after joining and splitting, in seconds since the start of the recording, and its result.

    ``credit`` is the predicted share of a real event with its tolerance, without ignored time; for a predicted event it is 1 if true and 0
    if false; under TAES it is the hit of the real event.
    """

    start: float
    stop: float
    counts: bool
    credit: float


@dataclass(frozen=True, eq=False)
class EventScore:
    """Event- and sample-based scores of one recording, or of several that were added with ``+``.

    ``counts`` are of events, ``samples`` of seconds; ``real`` and ``predicted`` have one row per event. The usual scores are attributes:

    >>> score = score_events([(600.0, 650.0)], [(640.0, 660.0), (3000.0, 3010.0)], protocol="szcore", span=(0, 86400))
    >>> score.true_positives, score.false_positives, score.sensitivity, score.precision, score.false_alarms_per_day
    (1, 1, 1.0, 0.5, 1.0)
    """

    protocol: EventProtocol
    counts: ProtocolCounts
    samples: ProtocolCounts
    real: tuple[EventRow, ...] = ()
    predicted: tuple[EventRow, ...] = ()
    ignored: IgnoredTime | None = None
    """The effect of ``ignore``; None without it."""
    _recording: Recording | None = field(default=None, repr=False)

    true_positives = property(attrgetter("counts.true_positives"))
    false_positives = property(attrgetter("counts.false_positives"))
    false_negatives = property(attrgetter("counts.false_negatives"))
    sensitivity = property(attrgetter("counts.sensitivity"))
    precision = property(attrgetter("counts.precision"))
    f1 = property(attrgetter("counts.f1"))
    false_alarms_per_day = property(attrgetter("counts.false_alarms_per_day"))

    def __add__(self, other: EventScore) -> EventScore:
        if not isinstance(other, EventScore):
            return NotImplemented
        if other.protocol != self.protocol:
            raise ValueError("scores of different protocols cannot be added; score both recordings with the same settings")
        ignored = self.ignored + other.ignored if self.ignored and other.ignored else self.ignored or other.ignored
        return EventScore(self.protocol, self.counts + other.counts, self.samples + other.samples, ignored=ignored)

    def __radd__(self, other: object) -> EventScore:
        return self if other == 0 else NotImplemented

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON; undefined scores are None."""
        both = {"events": self.counts, "samples": self.samples}
        values: dict[str, Any] = {kind: _finite({name: getattr(counts, name) for name in _SCORES}) for kind, counts in both.items()}
        return values if self.ignored is None else values | {"ignored": self.ignored.to_dict()}

    def explain(self) -> str:
        """Explain every event."""
        if self._recording is None:
            return str(self)
        lines = [str(self), "", f"protocol   {self.protocol}", "", f"real       {len(self.real)} {_plural('event', len(self.real))}"]
        lines += [f"  R{at} {self._when(row)}: {self._real_text(row)}" for at, row in enumerate(self.real, start=1)]
        lines += ["", f"predicted  {len(self.predicted)} {_plural('event', len(self.predicted))}"]
        lines += [f"  P{at} {self._when(row)}: {self._predicted_text(row)}" for at, row in enumerate(self.predicted, start=1)]
        return "\n".join(lines)

    def _when(self, row: EventRow) -> str:
        assert self._recording is not None
        start, stop = (round(end * _SECOND) for end in (row.start, row.stop))
        return f"{self._recording.text(start)} to {self._recording.text(stop)} ({duration_text(stop - start)})"

    def _real_text(self, row: EventRow) -> str:
        if self.protocol.credit == "time":
            return f"hit {row.credit:.2f}, missed {1 - row.credit:.2f}"
        where = "it and its tolerance" if any(self.protocol.tolerance) else "it"
        if row.counts:
            return f"detected, {share_text(row.credit)} of {where} predicted"
        return "missed" if not row.credit else f"missed, only {share_text(row.credit)} of {where} predicted"

    def _predicted_text(self, row: EventRow) -> str:
        if self.protocol.credit == "time":
            return f"false alarm {row.credit:.2f}"
        return "at a detected event" if row.counts else "false alarm"

    def __str__(self) -> str:
        lines = [f"events   {_headline(self.counts)}", f"samples  {_headline(self.samples, 'false seconds per day')}"]
        return "\n".join(lines if self.ignored is None else [*lines, f"ignored  {self.ignored}"])


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def _headline(counts: ProtocolCounts, rate: str = "false alarms per day") -> str:
    values = counts.sensitivity, counts.precision, counts.f1, counts.false_alarms_per_day
    return "   ".join(f"{name} {value:.4g}" for name, value in zip(("sensitivity", "precision", "F1", rate), values, strict=True))


_AVERAGED = ("sensitivity", "precision", "f1", "false_alarms_per_day")
_SCORES = ("true_positives", "false_positives", "false_negatives", *_AVERAGED)


def _finite(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def score_events(
    real: RangesLike,
    predicted: RangesLike,
    *,
    protocol: str | EventProtocol = "szcore",
    span: Any = None,
    grid: str | None = None,
    ignore: RangesLike | None = None,
    **settings: Any,
) -> EventScore:
    r"""Event- and sample-based scores by a protocol: sensitivity, precision, F1 and false alarms per day.

    On both sides, events less than ``join`` apart are joined, and events longer than ``split`` are split. Each real event is extended by
    ``tolerance``, within the recording. It is detected if the predicted share of its extension is above ``min_overlap``; a predicted event
    is false if it does not overlap the extension of a *detected* event.

    .. math:: Sensitivity = \frac{TP}{N_r}, \quad Precision = \frac{TP}{TP + FP}, \quad F_1 = \frac{2 TP}{2 TP + FP + FN}

    Each is from 0 to 1, higher is better, and nan if undefined. Times are exact to the nanosecond.

    Ignored time does not count, but it is not cut out: events are joined first, then both sides lose ignored time, and an event that is
    cut in the middle counts as two; then they are split. Tolerances extend over ignored time; shares of an extension, samples and days
    exclude it.

    :param real: events as pairs of times, of floats or integers in seconds, tables, or :class:`rangewise.Ranges`; overlapping events are
        joined.
    :param protocol: ``"szcore"`` (join 90 s, split 5 min, tolerance 30 s before and 60 s after), ``"ovlp"`` (NEDC: any overlap), ``"taes"``
        (NEDC: partial credit by time), or an :class:`EventProtocol`.
    :param span: start and end of the recording, e.g. ``(0, 7200)``; needed for false alarms per day.
    :param grid: ``"10Hz"`` rounds as ``timescoring`` 0.0.7 does, to reproduce its numbers; samples are then counted at 1 Hz.
    :param ignore: intervals to ignore, in any form of a side; overlapping intervals are joined.
    :param settings: ``join``, ``split``, ``tolerance`` and ``min_overlap`` override those of the protocol.

    >>> score = score_events([(600, 650)], [(585, 590)], protocol="szcore", span=(0, 7200))
    >>> score.true_positives, score.f1
    (1, 1.0)
    >>> score_events([(600, 650)], [(585, 590)], protocol="szcore", span=(0, 7200), tolerance=(0, 0)).f1
    0.0
    >>> score_events([(600, 650)], [(610, 620), (4000, 4010)], span=(0, 7200), ignore=[(3600, 5400)]).false_positives
    0

    Dan et al. (2024), "SzCORE"; Ziyabari et al. (2019) and Shah et al. (2021) for OVLP and TAES.
    """
    chosen = chosen_protocol(protocol, settings)
    recording = read_recording(real, predicted, span, ignore)
    if grid is not None:
        if ignore is not None:
            raise ValueError("grid= reproduces timescoring, which cannot ignore intervals; leave grid or ignore out")
        return _on_grid(recording, chosen, _rate(grid))
    return _score(recording, chosen)


def chosen_protocol(protocol: str | EventProtocol, settings: Mapping[str, Any]) -> EventProtocol:
    """The protocol of that name, with changed settings."""
    if isinstance(protocol, str):
        if protocol not in PROTOCOLS:
            raise unknown_name("protocol", protocol, PROTOCOLS)
        protocol = PROTOCOLS[protocol]
    if not isinstance(protocol, EventProtocol):
        raise TypeError(f"protocol must be one of {', '.join(PROTOCOLS)} or an EventProtocol; got {shown(protocol)}")
    known = ("join", "split", "tolerance", "min_overlap")
    for name in settings:
        if name not in known:
            raise unknown_name("a setting of a protocol", name, known)
    return replace(protocol, **settings)


def _score(recording: Recording, protocol: EventProtocol) -> EventScore:
    gone = recording.ignored
    seconds = math.nan if recording.duration is None else (recording.duration - recording.ignored_time) / _SECOND
    samples = _sample_counts(_outside(recording.real, gone), _outside(recording.predicted, gone), seconds, _SECOND)
    joined = [_joined(pairs, protocol.join) for pairs in (recording.real, recording.predicted)]
    real, predicted = (_pieces(_outside(pairs, gone), protocol.split) for pairs in joined)
    ignored = None
    if recording.has_ignored:
        ignored = IgnoredTime(len(gone), recording.ignored_time / _SECOND, *(_clipping(pairs, gone) for pairs in joined))
    if protocol.credit == "time":
        hits, false = _time_aligned(real, predicted)
        counts = ProtocolCounts(float(hits.sum()), float(false.sum()), len(real), seconds)
        rows = _rows(real, hits > 0, hits), _rows(predicted, false < 1, false)
        return EventScore(protocol, counts, samples, *rows, ignored, recording)
    extended = _extended(real, protocol.tolerance, recording.duration)
    lengths = extended[:, 1] - extended[:, 0] - _covered(gone, extended)
    covered = _covered(predicted, extended)
    detected = covered > protocol.min_overlap * lengths
    true = _meets(predicted, extended[detected])
    counts = ProtocolCounts(int(detected.sum()), int((~true).sum()), len(real), seconds)
    rows = _rows(real, detected, covered / np.maximum(lengths, 1)), _rows(predicted, true, true.astype(np.float64))
    return EventScore(protocol, counts, samples, *rows, ignored, recording)


def _outside(pairs: Pairs, ignored: Pairs) -> Pairs:
    """The parts of events outside the ignored intervals."""
    return pieces_outside(*pairs.T, *ignored.T)[0] if len(ignored) else pairs


def _clipping(pairs: Pairs, ignored: Pairs) -> Clipping:
    starts, stops = pairs.T
    return Clipping.of(starts, stops, *pieces_outside(starts, stops, *ignored.T))


def _rows(pairs: Pairs, counts: NDArray[np.bool_], credit: Pairs, unit: float = _SECOND) -> tuple[EventRow, ...]:
    cells = zip((pairs / unit).tolist(), counts.tolist(), credit.tolist(), strict=True)
    return tuple(EventRow(start, stop, count, share) for (start, stop), count, share in cells)


def _sample_counts(real: Pairs, predicted: Pairs, seconds: float, unit: float) -> ProtocolCounts:
    both = float(_covered(predicted, real).sum()) / unit
    lengths = [float((pairs[:, 1] - pairs[:, 0]).sum()) / unit for pairs in (real, predicted)]
    return ProtocolCounts(both, lengths[1] - both, lengths[0], seconds)


def _joined(pairs: Pairs, join: float) -> Pairs:
    """Join events less than ``join`` apart; for integers or floats."""
    if not len(pairs) or not join:
        return pairs
    apart = pairs[1:, 0] - pairs[:-1, 1] >= join
    return np.column_stack([pairs[np.append(True, apart), 0], pairs[np.append(apart, True), 1]])


def _pieces(pairs: Pairs, split: float | None) -> Pairs:
    """Split events into parts of ``split``, from their start."""
    if split is None:
        return pairs
    is_long = pairs[:, 1] - pairs[:, 0] > split
    if not is_long.any():
        return pairs
    pieces = [pairs[~is_long]]
    for start, stop in pairs[is_long]:
        # Added one by one, as in the original, because floats round at every step.
        starts = np.cumsum(np.append(start, np.full(int((stop - start) // split) + 1, split, dtype=pairs.dtype)))
        starts = starts[: 1 + int(np.count_nonzero(stop - starts > split))]
        pieces.append(np.column_stack([starts, np.append(starts[1:], stop)]))
    bounds = np.concatenate(pieces)
    return bounds[np.argsort(bounds[:, 0], kind="stable")]


def _extended(real: Pairs, tolerance: tuple[float, float], duration: float | None) -> Pairs:
    starts, stops = real[:, 0] - tolerance[0], real[:, 1] + tolerance[1]
    return np.column_stack([starts, stops] if duration is None else [np.maximum(starts, 0), np.minimum(stops, duration)])


def _covered(events: Pairs, windows: Pairs) -> Pairs:
    """The covered length of each window; the events are sorted and disjoint."""
    if not len(events):
        return np.zeros(len(windows), dtype=events.dtype)
    starts, stops = events[:, 0], events[:, 1]
    before = np.concatenate([np.zeros(1, dtype=events.dtype), np.cumsum(stops - starts)])

    def filled(moments: Pairs) -> Pairs:
        at = np.searchsorted(starts, moments, side="right")
        last = np.maximum(at - 1, 0)
        return before[at] - np.where(at > 0, np.maximum(stops[last] - moments, 0), 0)

    return filled(windows[:, 1]) - filled(windows[:, 0])


def _meets(events: Pairs, windows: Pairs) -> NDArray[np.bool_]:
    """Whether each event overlaps one of the windows, whose starts and ends are ascending."""
    begun = np.searchsorted(windows[:, 0], events[:, 1], side="left")
    ended = np.searchsorted(windows[:, 1], events[:, 0], side="right")
    return np.asarray((begun > ended) & (events[:, 1] > events[:, 0]))


def _time_aligned(real: Pairs, predicted: Pairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """TAES: the hit of each real event, and the false alarm of each predicted event.

    Real events take the predictions that no other has taken, in chronological order. If the first of them ends with the real event or
    later, all further real events that it overlaps are missed, whatever else is predicted there.
    """
    hits, false = np.zeros(len(real)), np.ones(len(predicted))
    taken = np.zeros(len(predicted), dtype=np.bool_)
    spent = np.zeros(len(real), dtype=np.bool_)
    first = np.searchsorted(predicted[:, 1], real[:, 0], side="right")
    last = np.searchsorted(predicted[:, 0], real[:, 1], side="left")
    for event in range(len(real)):
        if spent[event]:
            continue
        start, stop = real[event].tolist()
        untaken = [which for which in range(int(first[event]), int(last[event])) if not taken[which]]
        for which in untaken:
            begin, end = predicted[which].tolist()
            taken[which] = True
            inside = min(stop, end) - max(start, begin)
            hits[event] += inside / (stop - start)
            false[which] = min(1.0, (end - begin - inside) / (stop - start))
        if untaken:
            spent[event + 1 : int(np.searchsorted(real[:, 0], predicted[untaken[0], 1], side="left"))] = True
    return hits, false


def _rate(grid: object) -> float:
    matched = _GRID.fullmatch(grid) if isinstance(grid, str) else None
    if matched is None or not float(matched[1]) > 0:
        raise ValueError(f"grid must be a sampling rate such as '10Hz'; got {shown(grid)}")
    return float(matched[1])


def _on_grid(recording: Recording, protocol: EventProtocol, rate: float) -> EventScore:
    """Score as ``timescoring`` does: exact events, sampled at ``rate`` for their overlaps; samples at 1 Hz."""
    if protocol.credit == "time":
        raise ValueError("grid= reproduces timescoring, which has no partial credit by time; leave grid out")
    if recording.duration is None:
        raise ValueError("grid= needs the start and end of the recording: give span=(first, last)")
    seconds = recording.duration / _SECOND
    join, before, after = (length / _SECOND for length in (protocol.join, *protocol.tolerance))
    split = None if protocol.split is None else protocol.split / _SECOND
    real, predicted = (_pieces(_joined(pairs / _SECOND, join), split) for pairs in (recording.real, recording.predicted))
    points = round(seconds * rate)
    extended = _extended(real, (before, after), points / rate)
    painted, windows = _painted(predicted, rate, points), _painted(extended, rate, points)
    lengths = extended[:, 1] - extended[:, 0]
    share = _covered(painted, windows) / rate / lengths
    detected = share > protocol.min_overlap + _GRID_MARGIN
    true = _meets(painted, windows[detected])
    counts = ProtocolCounts(int(detected.sum()), int((~true).sum()), len(real), points / rate)
    rows = _rows(real, detected, share, 1.0), _rows(predicted, true, true.astype(np.float64), 1.0)
    at_1_hz = [_painted(pairs / _SECOND, _GRID_SAMPLES, round(seconds)) for pairs in (recording.real, recording.predicted)]
    samples = _sample_counts(at_1_hz[0], at_1_hz[1], float(round(seconds)), 1.0)
    return EventScore(protocol, counts, samples, *rows, _recording=recording)


def _painted(pairs: Pairs, rate: float, points: int) -> NDArray[np.int64]:
    """The first and one past the last point of each event on a grid; an event may become empty."""
    return np.minimum(np.rint(pairs * rate).astype(np.int64), points)


@dataclass(frozen=True)
class SubjectScores:
    """Scores by subject, added up over recordings, with mean and standard deviation over subjects (nan is skipped)."""

    subjects: Mapping[str, EventScore]

    def mean(self, name: str, *, samples: bool = False) -> float:
        """The mean of ``"sensitivity"``, ``"precision"``, ``"f1"`` or ``"false_alarms_per_day"`` over subjects."""
        values = self._values(name, samples)
        return float(np.mean(values)) if len(values) else math.nan

    def standard_deviation(self, name: str, *, samples: bool = False) -> float:
        """The population standard deviation over subjects, as SzCORE reports it."""
        values = self._values(name, samples)
        return float(np.std(values)) if len(values) else math.nan

    @property
    def pooled(self) -> EventScore:
        """The events of all subjects together."""
        first, *others = self.subjects.values()
        return sum(others, start=replace(first, real=(), predicted=(), _recording=None))

    def _averages(self, name: str, kind: str) -> dict[str, float]:
        samples = kind == "samples"
        return {"mean": self.mean(name, samples=samples), "standard_deviation": self.standard_deviation(name, samples=samples)}

    def _values(self, name: str, samples: bool) -> NDArray[np.float64]:
        if name not in _AVERAGED:
            raise unknown_name("a score", name, _AVERAGED)
        counts = (each.samples if samples else each.counts for each in self.subjects.values())
        values: NDArray[np.float64] = np.array([getattr(each, name) for each in counts], dtype=np.float64)
        return values[~np.isnan(values)]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        averages = {kind: {name: _finite(self._averages(name, kind)) for name in _AVERAGED} for kind in ("events", "samples")}
        ignored = self.pooled.ignored
        values = averages | {"subjects": {name: score.to_dict() for name, score in self.subjects.items()}}
        return values if ignored is None else values | {"ignored": ignored.to_dict()}

    def __str__(self) -> str:
        width = max(map(len, self.subjects), default=0)
        lines = [f"{name:{width}}  {_headline(score.counts)}" for name, score in self.subjects.items()]
        for kind in ("events", "samples"):
            lines.append(f"{kind}, mean and standard deviation over {len(self.subjects)} {_plural('subject', len(self.subjects))}")
            rate = "false alarms per day" if kind == "events" else "false seconds per day"
            for name, text in zip(_AVERAGED, ("sensitivity", "precision", "F1", rate), strict=True):
                mean, spread = self._averages(name, kind).values()
                lines.append(f"  {text:21} {mean:.4g} ± {spread:.4g}")
        if self.pooled.ignored is not None:
            lines.append(f"ignored  {self.pooled.ignored}")
        return "\n".join(lines)


def average_by_subject(scores: Mapping[str, EventScore | Iterable[EventScore]]) -> SubjectScores:
    """Add up the scores of the recordings of each subject, and average them over subjects, as SzCORE reports them.

    >>> one, other = (score_events([(0, 60)], predicted, span=(0, 3600)) for predicted in ([(0, 60)], []))
    >>> scores = average_by_subject({"sub-01": [one, one], "sub-02": other})
    >>> scores.mean("sensitivity"), scores.standard_deviation("sensitivity")
    (0.5, 0.5)
    """
    if not scores:
        raise ValueError("there are no subjects to average over")
    return SubjectScores({name: each if isinstance(each, EventScore) else _added(name, list(each)) for name, each in scores.items()})


def _added(name: str, scores: Sequence[EventScore]) -> EventScore:
    if not scores:
        raise ValueError(f"subject {name} has no recordings")
    return sum(scores[1:], start=scores[0])
