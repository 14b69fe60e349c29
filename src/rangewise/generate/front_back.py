"""The symmetric scenario of the paper's Table 2: the same hits, at the front or at the back of the real ranges.

The paper published two scores (F1 0.42 and 0.11), but not the ranges. These are our own and have the same two scores: four long
real ranges, each with its first (last) quarter predicted, and six short false alarms, so that two in five predicted ranges are hits.
The second scenario is the mirror image of the first. The false alarms lie shortly before (after) a real range, where NAB's
scoring, which forgives a late alarm, cancels the reward for an early detection.
"""

from __future__ import annotations

from rangewise.inputs.ranges import Ranges

_LENGTH = 6_400
_REAL_LENGTH = 400
_REAL_STARTS = (1_200, 2_400, 3_600, 4_800)
_FALSE_LENGTH = 4
# How far a false alarm begins before the start of each of the four real ranges.
_FALSE_LEADS = ((80,), (60, 100), (80,), (60, 100))


def front_predicted() -> tuple[Ranges, Ranges]:
    """(real, predicted) where every real range is predicted in its first quarter.

    >>> from rangewise import RangeModel
    >>> real, predicted = front_predicted()
    >>> round(RangeModel(recall_bias="front").score(real, predicted).f, 2)
    0.42
    >>> round(RangeModel(recall_bias="back").score(real, predicted).f, 2)
    0.11

    Tatbul et al. (2018), Table 2, Front-Predicted.
    """
    real = [(start, start + _REAL_LENGTH) for start in _REAL_STARTS]
    hits = [(start, start + _REAL_LENGTH // 4) for start in _REAL_STARTS]
    alarms = [start - lead for start, leads in zip(_REAL_STARTS, _FALSE_LEADS, strict=True) for lead in leads]
    return Ranges(real), Ranges(hits + [(alarm, alarm + _FALSE_LENGTH) for alarm in alarms])


def back_predicted() -> tuple[Ranges, Ranges]:
    """(real, predicted) where every real range is predicted in its last quarter: the mirror image of :func:`front_predicted`.

    >>> from rangewise import RangeModel
    >>> real, predicted = back_predicted()
    >>> round(RangeModel(recall_bias="front").score(real, predicted).f, 2)
    0.11
    >>> round(RangeModel(recall_bias="back").score(real, predicted).f, 2)
    0.42

    Tatbul et al. (2018), Table 2, Back-Predicted.
    """
    real, predicted = front_predicted()
    return _mirrored(real), _mirrored(predicted)


def _mirrored(ranges: Ranges) -> Ranges:
    return Ranges([(_LENGTH - stop, _LENGTH - start) for start, stop in ranges])
