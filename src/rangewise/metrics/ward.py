"""Event analysis of Ward, Lukowicz and Gellersen (2011): the kind of error of each event and each segment of points.

Precision and recall say how much is wrong; this says what: events missed or invented, fragmented or merged, begun or ended too early
or too late. Their terms: the real events, and the *returned* events, which are the predicted ranges.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.clocks import Clock
from rangewise.inputs.instants import NANOSECONDS
from rangewise.inputs.ranges import Ranges, RangesLike
from rangewise.metrics.overlaps import Overlaps, overlaps_of
from rangewise.model.tally import share
from rangewise.number_text import amount_text
from rangewise.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REAL_CATEGORIES = ("correct", "deletion", "fragmented", "merged", "fragmented and merged")
RETURNED_CATEGORIES = ("correct", "insertion", "fragmenting", "merging", "fragmenting and merging")


@dataclass(frozen=True)
class WardSegments:
    """One number per kind of segment. In a segment, neither side changes.

    The first five make up the real events, ``true_positive`` and the last four the returned ones.
    """

    true_positive: float
    deletion: float
    fragmenting: float
    underfill_start: float
    underfill_end: float
    insertion: float
    merge: float
    overfill_start: float
    overfill_end: float

    @property
    def real(self) -> float:
        """The total of the real side."""
        return self.true_positive + self.deletion + self.fragmenting + self.underfill_start + self.underfill_end

    @property
    def returned(self) -> float:
        """The total of the returned side."""
        return self.true_positive + self.insertion + self.merge + self.overfill_start + self.overfill_end

    def in_seconds(self, clock: Clock) -> WardSegments:
        """Numbers of ticks of a clock as seconds."""
        return WardSegments(*(getattr(self, each.name) * clock.tick / NANOSECONDS["s"] for each in fields(self)))


@dataclass(frozen=True)
class EventAnalysis:
    """Every event and every segment in its category; printing shows the table, :meth:`plot` the diagram.

    ``real_events`` and ``returned_events`` hold the category of each event, in the order of the ranges. ``segments`` counts the segments
    of each kind, ``points`` the points in them: ``points.real`` is the number of real points, ``points.returned`` of predicted ones. For
    events in times, ``points`` is in seconds, and ``unit`` is ``"seconds"``.

    >>> analysis = event_analysis([(0, 10), (20, 30), (34, 40)], [(2, 4), (6, 12), (22, 40), (50, 52)])
    >>> analysis.real_events
    ('fragmented', 'merged', 'merged')
    >>> analysis.returned_events
    ('fragmenting', 'fragmenting', 'merging', 'insertion')
    >>> print(analysis)
    real events                   returned events
    correct                    0  correct                      0
    deletion                   0  insertion                    1
    fragmented                 1  fragmenting                  2
    merged                     2  merging                      1
    fragmented and merged      0  fragmenting and merging      0
    total                      3  total                        4
    <BLANKLINE>
    real points    segments  points  returned points  segments  points
    true positive         4      20  true positive           4      20
    deletion              0       0  insertion               1       2
    fragmenting           1       2  merge                   1       4
    underfill start       2       4  overfill start          0       0
    underfill end         0       0  overfill end            1       2
    total                 7      26  total                   7      28
    """

    real_events: tuple[str, ...] = field(repr=False)
    returned_events: tuple[str, ...] = field(repr=False)
    segments: WardSegments
    points: WardSegments
    unit: str = "points"
    """The unit of ``points``: ``"points"`` or ``"seconds"``."""

    @property
    def real_counts(self) -> dict[str, int]:
        """How many real events there are of each category; they add up to the number of real events."""
        return _counts(self.real_events, REAL_CATEGORIES)

    @property
    def returned_counts(self) -> dict[str, int]:
        """How many returned events there are of each category; they add up to the number of returned events."""
        return _counts(self.returned_events, RETURNED_CATEGORIES)

    def plot(self) -> Figure:
        """The event analysis diagram: one bar, the real events from the left, the returned ones from the right, the correct shared."""
        from rangewise.plots.ward_diagram import event_analysis_diagram

        return event_analysis_diagram(self)

    def __str__(self) -> str:
        pairs = zip(_rows(self.real_counts), _rows(self.returned_counts), strict=True)
        events = Table(["real events", "", "returned events", ""], [(*left, *right) for left, right in pairs], words=(0, 2))
        segments = []
        for real, returned in zip(_SEGMENTS_OF_REAL, _SEGMENTS_OF_RETURNED, strict=True):
            row: list[Any] = []
            for name in (real, returned):
                shown = "total" if name in ("real", "returned") else name.replace("_", " ")
                row += [shown, *(amount_text(getattr(counts, name)) for counts in (self.segments, self.points))]
            segments.append(row)
        columns = [f"real {self.unit}", "segments", self.unit, f"returned {self.unit}", "segments", self.unit]
        return f"{events.to_text()}\n\n{Table(columns, segments, words=(0, 3)).to_text()}"


def event_analysis(real: RangesLike | Case, predicted: RangesLike | None = None, **options: Unpack[CaseOptions]) -> EventAnalysis:
    r"""The category of every real and every returned event, and of every segment.

    A real event without overlap is a *deletion*; one that several returned events overlap is *fragmented*; one that shares a returned event
    with another real event is *merged*; it can be both; otherwise it is *correct*. A returned event that overlaps no real event is an
    *insertion*; one that overlaps several is *merging*; one that is a piece of a fragmented event is *fragmenting*; it can be both.
    So the correct events are the pairs that overlap each other and nothing else; their number is the same on both sides.

    Points of a real event that are not predicted are *underfill* before its first and after its last predicted point, *fragmenting*
    between two, *deletion* when there are none; points of a returned event that are not real are *overfill*, *merge* and *insertion* in
    the same way. Without events all counts are 0. For events in times, points are seconds.

    >>> event_analysis([(0, 4)], [(1, 6)]).real_counts["correct"]
    1

    Ward, Lukowicz and Gellersen (2011), sections 3 and 4.
    """
    case = Case.of_labels(real, predicted, options, "event_analysis")
    real_ranges, returned = case.sides()
    of_real, of_returned = overlaps_of(real_ranges, returned), overlaps_of(returned, real_ranges)
    fragmented, merging = of_real.count > 1, of_returned.count > 1
    misses, overs = _uncovered(real_ranges, returned, of_real), _uncovered(returned, real_ranges, of_returned)
    hits = int(of_real.count.sum()), int(of_real.covered.sum())
    segments, points = (WardSegments(hits[i], *misses[i], *overs[i]) for i in (0, 1))
    clock = case.clock if isinstance(case.clock, Clock) else None
    return EventAnalysis(
        _categories(REAL_CATEGORIES, of_real, fragmented, of_real.any_met(merging)),
        _categories(RETURNED_CATEGORIES, of_returned, of_returned.any_met(fragmented), merging),
        segments,
        points if clock is None else points.in_seconds(clock),
        "points" if clock is None else "seconds",
    )


def ward_precision(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    r"""Share of the returned events that are correct: they overlap one real event, which no other returned event overlaps.

    .. math:: Precision = \frac{C}{N_p}

    From 0 to 1, higher is better; ``zero_division`` when nothing is predicted.

    >>> ward_precision([(0, 10), (20, 30)], [(2, 4), (6, 12), (22, 40)])
    0.3333333333333333
    """
    events = event_analysis(real, predicted, **options).returned_events
    return share(events.count("correct"), len(events), zero_division)


def ward_recall(
    real: RangesLike | Case, predicted: RangesLike | None = None, *, zero_division: float = 0.0, **options: Unpack[CaseOptions]
) -> float:
    r"""Share of the real events that are correct: they overlap one returned event, which overlaps no other real event.

    .. math:: Recall = \frac{C}{N_r}

    From 0 to 1, higher is better; ``zero_division`` when there are no real events.

    >>> ward_recall([(0, 10), (20, 30)], [(2, 4), (6, 12), (22, 40)])
    0.5
    """
    events = event_analysis(real, predicted, **options).real_events
    return share(events.count("correct"), len(events), zero_division)


_SEGMENTS_OF_REAL = ("true_positive", "deletion", "fragmenting", "underfill_start", "underfill_end", "real")
_SEGMENTS_OF_RETURNED = ("true_positive", "insertion", "merge", "overfill_start", "overfill_end", "returned")


def _categories(
    names: tuple[str, ...], overlaps: Overlaps, in_pieces: NDArray[np.bool_], run_together: NDArray[np.bool_]
) -> tuple[str, ...]:
    """``names``: correct, not overlapped, fragmented, merged, both."""
    met = overlaps.count > 0
    codes = np.where(met, 2 * in_pieces + 3 * run_together, 1)
    # 2 and 3 together make 5; the names have both at 4.
    return tuple(names[i] for i in np.minimum(codes, 4).tolist())


def _uncovered(own: Ranges, other: Ranges, overlaps: Overlaps) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Segments, and points in them, that the other side leaves uncovered: of whole events, between its ranges, at the start, at the end."""
    met = overlaps.count > 0
    begin, end = overlaps.begin[met], overlaps.end[met]
    whole = own.lengths[~met]
    start, stop = begin - own.starts[met], own.stops[met] - end
    between = end - begin - overlaps.covered[met]
    # Ranges of the other side that touch leave no segment between them.
    gaps = np.concatenate(([0], np.cumsum(other.starts[1:] > other.stops[:-1])))
    gaps_between = gaps[overlaps.last[met] - 1] - gaps[overlaps.first[met]]
    segments = len(whole), int(gaps_between.sum()), int(np.count_nonzero(start)), int(np.count_nonzero(stop))
    return segments, tuple(int(part.sum()) for part in (whole, between, start, stop))


def _counts(events: tuple[str, ...], names: tuple[str, ...]) -> dict[str, int]:
    counted = Counter(events)
    return {name: counted[name] for name in names}


def _rows(counts: dict[str, int]) -> list[tuple[str, str]]:
    return [(name, str(count)) for name, count in (*counts.items(), ("total", sum(counts.values())))]
