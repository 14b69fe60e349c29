"""EventTable: the events of one file, in any order, possibly overlapping, with the class, the confidence and the annotator of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.files.annotations import Annotations
from rangewise.files.times import TimeRanges
from rangewise.inputs.clocks import TimePairs
from rangewise.inputs.instants import MOST_SECONDS, NANOSECONDS, as_times, time_text
from rangewise.inputs.ranges import Ranges

Unit = Literal["rows", "seconds", "dates"]

# Names of columns and keys in many formats, in lower case; if several are present, the first is used.
CLASS_NAMES = (
    "class", "label", "labels", "trial_type", "eventtype", "event_type", "event_label", "description", "annotation", "activity", "state",
    "type",
)  # fmt: skip
CONFIDENCE_NAMES = ("confidence", "score", "severity", "probability", "anomaly_score")
ANNOTATOR_NAMES = ("annotator", "rater", "annotator_id", "rater_id")
MISSING = ("", "n/a", "na", "nan", "none", "null")


@dataclass(frozen=True, eq=False)
class EventTable:
    """``starts`` and ``stops`` are integers: rows, or nanoseconds since the start of the recording or since 1970 (``unit``).

    ``classes``, ``confidences`` and ``annotators`` have one entry per event, or are None if the file has none. ``duration`` is the length
    of the recording in nanoseconds and ``origin`` its start, if the file has them. ``annotator_names`` are all annotators of the recording,
    including those without events, if the file has them. ``refused`` and ``unreadable`` count the answers of a
    language model without events because it refused, or because they could not be parsed.
    """

    name: str
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    unit: Unit
    classes: tuple[str, ...] | None = None
    confidences: NDArray[np.float64] | None = None
    annotators: tuple[str, ...] | None = None
    annotator_names: tuple[str, ...] | None = None
    duration: int | None = None
    origin: np.datetime64 | None = None
    length: int | None = None
    refused: int = 0
    unreadable: int = 0

    def __post_init__(self) -> None:
        for row in np.flatnonzero(self.stops < self.starts)[:1].tolist():
            raise ValueError(f"{self.name}: event {row}, {self.text(row)}, ends before it starts")

    def __len__(self) -> int:
        return len(self.starts)

    def chosen(self, keep: NDArray[np.bool_]) -> EventTable:
        """The events where ``keep`` is true."""

        def some(values: Any) -> Any:
            return None if values is None else tuple(value for value, kept in zip(values, keep, strict=True) if kept)

        confidences = None if self.confidences is None else self.confidences[keep]
        return replace(
            self, starts=self.starts[keep], stops=self.stops[keep], classes=some(self.classes), confidences=confidences,
            annotators=some(self.annotators),
        )  # fmt: skip

    def only(self, classes: Collection[str]) -> EventTable:
        """The events of these classes, possibly none."""
        if self.classes is None:
            raise ValueError(f"{self.name} has no classes to choose from; leave --label out")
        chosen = self.chosen(np.array([name in classes for name in self.classes], dtype=np.bool_))
        # The other annotators found no events of these classes.
        return replace(chosen, annotator_names=self._all_annotators())

    def _all_annotators(self) -> tuple[str, ...] | None:
        if self.annotators is None:
            return self.annotator_names
        return tuple(dict.fromkeys([*(self.annotator_names or ()), *self.annotators]))

    def by_class(self) -> dict[str, EventTable]:
        """The events of each class."""
        return self._by(self.classes, self.classes, "classes")

    def by_annotator(self) -> dict[str, EventTable]:
        """The events of each annotator, possibly none. An event without annotator is an error."""
        for row, name in enumerate(self.annotators or ()):
            if name.lower() in MISSING:
                raise ValueError(f"{self.name}: event {row}, {self.text(row)}, has no annotator; give every event one")
        return self._by(self.annotators, self._all_annotators(), "annotators")

    def _by(self, keys: tuple[str, ...] | None, names: tuple[str, ...] | None, what: str) -> dict[str, EventTable]:
        if keys is None or names is None:
            raise ValueError(f"{self.name} has no {what}")
        return {name: self.chosen(np.array(keys, dtype=object) == name) for name in dict.fromkeys(names)}

    def as_seconds(self) -> EventTable:
        """Integers that were read as rows, as seconds."""
        if self.unit != "rows":
            return self
        return replace(self, starts=self.starts * NANOSECONDS["s"], stops=self.stops * NANOSECONDS["s"], unit="seconds")

    def ranges(self) -> Ranges:
        """The ranges of rows or times; overlapping ranges are joined. An event without length lasts a nanosecond."""
        if self.unit == "rows":
            return Ranges.joined(np.column_stack([self.starts, self.stops]))
        return self.pairs().joined()

    def pairs(self) -> TimePairs:
        """Starts and stops as given, on a clock."""
        stops = np.maximum(self.stops, self.starts + 1)
        return TimePairs(self.starts, stops, None, self.name, self.classes, self.unit == "seconds")

    def given_ranges(self) -> Ranges | TimeRanges:
        """The events as in the file, in rows or times."""
        if self.unit == "rows":
            return self.ranges()
        firsts, lasts = (as_times(side, self.unit == "seconds") for side in (self.starts, self.stops))
        return TimeRanges(firsts, lasts, self.name, inclusive=False, names=self.classes, origin=self.origin)

    def annotations(self) -> Annotations:
        """All events as anomalies."""
        return Annotations(self.name, self.given_ranges(), self.length)

    def text(self, row: int) -> str:
        """An event as text."""
        if self.unit == "rows":
            return f"{self.starts[row]} to {self.stops[row]}"
        return " to ".join(time_text(as_times(side[row : row + 1], self.unit == "seconds")[0]) for side in (self.starts, self.stops))


def nanoseconds(seconds: Any, name: str) -> NDArray[np.int64]:
    """Seconds as integer nanoseconds; ``name`` is that of the file, for errors."""
    values = np.asarray(seconds, dtype=np.float64)
    for value in values[~(np.abs(values) < MOST_SECONDS)].reshape(-1)[:1]:
        raise ValueError(f"{name}: {value:g} s is not a valid time since the start of a recording; expected less than a century")
    return np.rint(values * NANOSECONDS["s"]).astype(np.int64)


def column_of(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The first column with one of these names, in any case."""
    return next((column for name in names for column in columns if column.lower() == name), None)


def numbers_or_none(texts: Sequence[str], place: Callable[[int], str]) -> NDArray[np.float64] | None:
    """Confidences of a column; None if all are missing."""
    if all(text.lower() in MISSING for text in texts):
        return None
    numbers = np.empty(len(texts))
    for row, text in enumerate(texts):
        try:
            numbers[row] = float(text)
        except ValueError:
            raise ValueError(f"{place(row)}: {text!r} is not a confidence; expected a number") from None
        if np.isnan(numbers[row]):
            raise ValueError(f"{place(row)}: the confidence is nan; expected a number")
    return numbers
