"""Cases from files: both sides, scores, timestamps and ignored intervals, in any format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.datasets.arguments import read_annotations, read_timestamps
from rangewise.files.annotations import Annotations
from rangewise.files.scores import read_score_file
from rangewise.files.times import TimeRanges
from rangewise.inputs.case import Case, common_length
from rangewise.inputs.clocks import Clock, row_clock
from rangewise.inputs.instants import time_text
from rangewise.inputs.ranges import NO_RANGES, Ranges
from rangewise.inputs.scores import Missing


def read_case(
    real: str | Path,
    predicted: str | Path | None = None,
    *,
    scores: str | Path | None = None,
    column: str | None = None,
    times: str | Path | None = None,
    ignore: str | Path | None = None,
    weights: str | None = None,
    missing: Missing = "error",
    **options: Any,
) -> Case:
    """Read a case from two files in any format: real ranges or labels, and predicted ranges, labels or scores.

    ``column`` names the labels, or the scores, of tables, and ``weights`` the weights of a table of real ranges; ``times`` and ``ignore``
    are files too. The other options are those of :meth:`Case.read <rangewise.inputs.case.Case.read>`.
    """
    uses: set[str] = set()
    annotations = read_annotations(real, column=column if scores is None else None, weights=weights, uses=uses)
    if weights is not None and "weights" not in uses:
        raise ValueError(f"weights={weights!r} names a column of a table of ranges, but {real} is not one")
    if predicted is not None:
        other: Annotations | NDArray[Any] = read_annotations(predicted, column=column)
    else:
        other = read_score_file(str(scores), column, may_miss=missing != "error")
    ignored = None if ignore is None else read_annotations(ignore, joined=True)
    return file_case(annotations, other, times=times, ignore=ignored, missing=missing, **options)


def file_case(
    real: Annotations,
    other: Annotations | NDArray[Any],
    *,
    times: str | Path | None = None,
    timestamps: NDArray[Any] | None = None,
    step: str | None = None,
    ignore: Annotations | None = None,
    length: int | None = None,
    name: str = "",
    **options: Any,
) -> Case:
    """The case of annotations: ``other`` is the predicted side, or scores.

    Ranges in times are mapped to the timestamps of the file ``times`` (``timestamps`` if it was read before), to those of one of the sides,
    or to a grid of ``step``. If both sides are times and there is none of these, they stay in times. The other options are those of
    :meth:`Case.read`.
    """
    annotations = [real, other] if isinstance(other, Annotations) else [real]
    index = read_timestamps(times) if times is not None and timestamps is None else timestamps
    needed = any(isinstance(each.ranges, TimeRanges) for each in (*annotations, *([] if ignore is None else [ignore])))
    if index is None and needed and step is None:
        index = next((each.timestamps for each in annotations if each.timestamps is not None), None)
    # In UTC, without the information whether the file has time zones.
    rows = None if index is None else replace(row_clock(index), zoned=None)
    if step is not None:
        for each in annotations:
            # A table without ranges has neither rows nor times.
            if not isinstance(each.ranges, TimeRanges) and (each.length is not None or len(each.given_ranges())):
                raise ValueError(f"--step maps times to a grid of rows, but {each.name} has rows already; leave it out")
    check_origins((each.name, each.ranges.origin) for each in annotations if isinstance(each.ranges, TimeRanges))
    on_rows = rows is not None or step is not None
    sides = [side_of(each, on_rows) for each in annotations]
    called = (real.name, name or (other.name if isinstance(other, Annotations) else "scores"))
    counted = [each.length for each in annotations] if isinstance(other, Annotations) else [real.length, len(other)]
    known = (*counted, None if rows is None else len(rows.index))
    if all(isinstance(side, Ranges) and side.clock is None for side in sides) or rows is not None:
        plain = tuple(side if side.clock is None else NO_RANGES for side in (*sides, NO_RANGES))[:2]
        points = common_length(
            (*called, str(times or "the timestamps")), (plain[0], plain[1]), known, length if isinstance(other, Annotations) else None
        )
        length = points if length is None else length  # Case.read compares it with scores
    case = Case.read(
        sides[0],
        sides[1] if isinstance(other, Annotations) else None,
        scores=None if isinstance(other, Annotations) else other,
        times=rows,
        step=step,
        ignore=None if ignore is None else side_of(ignore, on_rows or (isinstance(sides[0], Ranges) and sides[0].clock is None)),
        weights=real.weights,
        length=length,
        name=name,
        called=called,
        **options,
    )
    if ignore is not None and isinstance(ignore.ranges, Ranges) and not isinstance(case.clock, Clock):
        from rangewise.inputs.ignored import check_label_count

        check_label_count(ignore.length, case.length, ignore.name)
    return case


def check_origins(files: Iterable[tuple[str, np.datetime64 | None]]) -> None:
    """Seconds since the start of two recordings that began at different times cannot be compared."""
    begun = [(name, origin) for name, origin in files if origin is not None]
    for name, origin in begun[1:]:
        if origin != begun[0][1]:
            raise ValueError(
                f"{begun[0][0]} counts seconds from {time_text(begun[0][1])} and {name} from {time_text(origin)}; "
                "check that they are of the same recording"
            )


def side_of(annotations: Annotations, on_rows: bool) -> Ranges:
    """Ranges of rows unchanged; ranges of times as half-open ranges for the same rows, or on the clock if there are no rows."""
    ranges = annotations.given_ranges()
    if isinstance(ranges, Ranges):
        return ranges
    return ranges.half_open() if on_rows else ranges.on_clock()
