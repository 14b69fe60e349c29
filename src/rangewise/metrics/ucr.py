"""The score of the UCR anomaly archive: does the highest score lie in the anomaly?"""

from __future__ import annotations

import warnings
from typing import Any, Unpack

import numpy as np

from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import RangesLike
from rangewise.metrics.buffers import checked_buffer

_LEAST_TOLERANCE = 100


def ucr_score(real: RangesLike | Case, scores: Any = None, *, tolerance: int | None = None, **options: Unpack[CaseOptions]) -> float:
    r"""1 when the point of the highest score lies in a real range or at most ``tolerance`` points beside it, else 0.

    .. math:: [\exists k: a_k - tol \le \arg\max_i s_i \le b_k + tol]

    ``tolerance`` is the longer of 100 points and the length of the range when it is left out, as in the UCR archive, whose series have
    one anomaly each: over a corpus, take the mean. 0 or 1, higher is better; 0 when nothing is real. Of several highest scores the first
    counts; when they do not agree, a warning says so.

    >>> ucr_score([(5, 8)], [0, 0, 0, 0.9, 0, 0.1, 0.2, 0.1, 0, 0], tolerance=1)
    0.0
    >>> ucr_score([(5, 8)], [0, 0, 0, 0.9, 0, 0.1, 0.2, 0.1, 0, 0], tolerance=2)
    1.0

    Wu and Keogh (TKDE 2021).
    """
    case = Case.of_scores(real, scores, options, "ucr_score")
    ranges, values, rows = case.real, case.counted_scores, case.counted
    reach = np.maximum(_LEAST_TOLERANCE, ranges.lengths)
    if tolerance is not None:
        reach = np.full(len(ranges), checked_buffer("tolerance", tolerance, ranges))
    if not len(ranges):
        return 0.0
    highest = np.flatnonzero(values == values.max())
    if rows is not None:
        highest = rows[highest]
    # A long range's reach may begin and end beyond a short neighbor's: of the reaches that began, the furthest end counts.
    order = np.argsort(ranges.starts - reach)
    furthest = np.maximum.accumulate((ranges.stops + reach)[order])
    before = np.searchsorted((ranges.starts - reach)[order], highest, side="right") - 1
    hit = (before >= 0) & (highest < furthest[np.maximum(before, 0)])
    if hit.any() != hit.all():
        warnings.warn(
            f"{len(highest)} points share the highest score and {int(hit.sum())} of them lie in a real range; the first decides",
            stacklevel=2,
        )
    return float(hit[0])
