"""Ward's categories for several classes: each class against the rest, with substitutions by other classes (Ward et al., 2011)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rangewise.checks import shown
from rangewise.classes.confusion import wrong_ranges
from rangewise.classes.reading import ClassesLike, Names, read_class_sides
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ignored import pieces_outside
from rangewise.inputs.ranges import Ranges, trusted_ranges
from rangewise.metrics.overlaps import overlaps_of
from rangewise.metrics.ward import EventAnalysis, WardSegments, event_analysis
from rangewise.number_text import amount_text
from rangewise.tables import Table


@dataclass(frozen=True, repr=False)
class ClassEventAnalysis(Mapping["Hashable", EventAnalysis]):
    """The :class:`EventAnalysis` of each class, by its name, and the points of its errors that are substitutions.

    ``substituted["walk"]`` has, for each kind of error, the points at which the other side has another class: ``real`` counts walk that was
    predicted as another class, ``returned`` other classes predicted as walk. The remaining ``analysis["walk"].points`` were
    missed altogether, or lie on background. For events in times, both are in seconds, and ``unit`` is ``"seconds"``.
    """

    analyses: dict[Hashable, EventAnalysis]
    substituted: dict[Hashable, WardSegments] = field(repr=False)
    unit: str = "points"

    def __getitem__(self, name: Hashable) -> EventAnalysis:
        if name not in self.analyses:
            raise KeyError(f"there is no class {shown(name)}; there are {', '.join(map(str, self.analyses))}")
        return self.analyses[name]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.analyses)

    def __len__(self) -> int:
        return len(self.analyses)

    def __repr__(self) -> str:
        return f"ClassEventAnalysis({', '.join(map(str, self.analyses))})"

    def __str__(self) -> str:
        events = {"real": ["correct", "deletion", "fragmented", "merged", "both"]}
        events |= {"returned": ["correct", "insertion", "fragmenting", "merging", "both"]}
        points = {"real": ["true positive", "substitution", "missed"], "returned": ["true positive", "substitution", "false"]}
        tables = {
            (kind, side): [[f"{side} {kind if kind == 'events' else self.unit}", *names, "total"]]
            for kind, words in (("events", events), ("points", points))
            for side, names in words.items()
        }
        for name, analysis in self.analyses.items():
            for side, counts in (("real", analysis.real_counts), ("returned", analysis.returned_counts)):
                whole, right = getattr(analysis.points, side), analysis.points.true_positive
                taken = getattr(self.substituted[name], side)
                tables["events", side].append([str(name), *map(str, counts.values()), str(sum(counts.values()))])
                tables["points", side].append([str(name), *map(amount_text, (right, taken, round(whole - right - taken, 9), whole))])
        return "\n\n".join(Table(columns, rows).to_text() for columns, *rows in tables.values())


def class_event_analysis(
    real: ClassesLike, predicted: ClassesLike, *, background: Names = None, classes: Collection[Hashable] | None = None
) -> ClassEventAnalysis:
    """Put every event of every class in one of Ward's categories, and separate substitutions from missed and false points.

    Each class is analyzed against the rest by :func:`rangewise.metrics.event_analysis`. A point of a real event at which its class is not
    predicted is a *substitution* where another class is that is not real there, and missed where none is; a point of a returned event at
    which its class is not real is a substitution where another class is real that is not predicted there, and false where none is. Sides
    are those of :func:`rangewise.score_classes`.

    >>> analysis = class_event_analysis([*"aaaabbbb----"], [*"aa--aabb--b-"], background="-")
    >>> print(analysis)
    real events  correct  deletion  fragmented  merged  both  total
    a                  1         0           0       0     0      1
    b                  1         0           0       0     0      1
    <BLANKLINE>
    returned events  correct  insertion  fragmenting  merging  both  total
    a                      1          1            0        0     0      2
    b                      1          1            0        0     0      2
    <BLANKLINE>
    real points  true positive  substitution  missed  total
    a                        2             0       2      4
    b                        2             2       0      4
    <BLANKLINE>
    returned points  true positive  substitution  false  total
    a                            2             2      0      4
    b                            2             0      1      3
    >>> analysis["a"].real_counts["correct"], analysis.substituted["b"].underfill_start
    (1, 2)

    Ward, Lukowicz and Gellersen (2011), sections 3 and 5.
    """
    sides = read_class_sides(real, predicted, background=background, classes=classes)
    analyses, substituted = {}, {}
    wrong = wrong_ranges(sides.predicted, sides.real), wrong_ranges(sides.real, sides.predicted)
    clock = next((each.clock for each in (*sides.real, *sides.predicted) if isinstance(each.clock, Clock)), None)
    for at, name in enumerate(sides.classes):
        own, returned = sides.real[at], sides.predicted[at]
        analyses[name] = event_analysis(own, returned)
        points = WardSegments(
            0,
            *_substituted(own, returned, _others(wrong[0], at)),
            *_substituted(returned, own, _others(wrong[1], at)),
        )
        substituted[name] = points if clock is None else points.in_seconds(clock)
    return ClassEventAnalysis(analyses, substituted, "points" if clock is None else "seconds")


def _others(classes: Sequence[Ranges], at: int) -> Ranges:
    """The points of all other classes."""
    rest = [np.asarray(ranges) for place, ranges in enumerate(classes) if place != at]
    return Ranges.joined(np.concatenate(rest)) if rest else Ranges()


def _substituted(own: Ranges, other: Ranges, others: Ranges) -> tuple[int, int, int, int]:
    """Points that ``other`` leaves uncovered and ``others`` cover: of whole events, between its ranges, at the start, at the end."""
    zones = other.merge_touching()
    bounds, source, _ = pieces_outside(own.starts, own.stops, zones.starts, zones.stops)
    met = overlaps_of(own, other)
    covered = overlaps_of(trusted_ranges(bounds), others).covered
    unmet = (met.count == 0)[source]
    before, behind = ~unmet & (bounds[:, 1] <= met.begin[source]), ~unmet & (bounds[:, 0] >= met.end[source])
    whole, between, start, end = (int(covered[kind].sum()) for kind in (unmet, ~unmet & ~before & ~behind, before, behind))
    return whole, between, start, end
