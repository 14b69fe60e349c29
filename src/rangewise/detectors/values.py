"""Converts a series in any form to a finite array with one row per point and one column per channel."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.checks import unknown_name
from rangewise.files.series import Series

Values: TypeAlias = "Series | ArrayLike | Any"
"""Input of a detector: (points,) or (points, channels), as lists, arrays, data frames or a :class:`~rangewise.datasets.Series`."""

Impute: TypeAlias = Literal["linear", "previous"]
IMPUTE = ("linear", "previous")
# How far from a straight line its values may be, in parts of its rise; and what spread around it is at least counted, in parts of theirs.
_STRAIGHT, _LEAST_SPREAD = 0.01, 0.001


def read_values(values: Values, impute: Impute | None = None) -> NDArray[np.float64]:
    """A finite array of shape (points, channels); ``impute`` fills missing and infinite values, which are errors without it.

    >>> read_values([1.0, float("nan"), 3.0], impute="linear").ravel().tolist()
    [1.0, 2.0, 3.0]
    """
    array = _two_dimensions(values.values if isinstance(values, Series) else values)
    if not len(array):
        raise ValueError("there are no values; a detector needs at least one point")
    missing = ~np.isfinite(array)
    if not missing.any():
        return array
    if impute is None:
        row, channel = np.argwhere(missing)[0]
        where = f"row {row}" if array.shape[1] == 1 else f"row {row}, channel {channel}"
        raise ValueError(
            f"values: {where} is {array[row, channel]} ({_count(int(missing.sum()))} not finite); "
            "fill or drop it, or use impute='linear' or impute='previous'"
        )
    return _filled(array, missing, impute)


def check_impute(impute: object) -> None:
    if impute is not None and impute not in IMPUTE:
        raise unknown_name("impute", impute, IMPUTE)


def mean_and_spread(array: NDArray[np.float64], *, constant_is_error: bool = True) -> dict[str, NDArray[np.float64]]:
    """Mean and standard deviation of each channel; a constant channel gets a standard deviation of 1.

    A series that is constant in all channels is an error, unless ``constant_is_error`` is False.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        spread = array.std(axis=0)
    if not np.isfinite(spread).all():
        raise ValueError(f"values as large as {np.abs(array).max():g} have no finite standard deviation; divide them by a constant first")
    # Because of rounding, the standard deviation of a constant column is not always 0.
    constant = array.max(axis=0) == array.min(axis=0)
    if constant.all() and constant_is_error:
        raise ValueError(
            f"all {len(array)} training values are constant, {array[0, 0]:g} in the first channel, so their standard deviation is 0: "
            "give a longer training part"
        )
    return {"mean": array.mean(axis=0), "spread": np.where(constant, 1.0, spread)}


def straight_slopes(array: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The slope per row of each channel that is a straight line without doubt, and 0 for the others.

    No value at ``rows`` may be further from the least-squares line than a hundredth of what the line rises or falls over them.

    >>> straight_slopes(np.array([[0.0, 0.0], [2.0, 5.0], [4.0, 1.0], [6.0, 6.0]]), np.arange(4)).tolist()
    [2.0, 0.0]
    """
    times = rows - rows.mean()
    values = array[rows] - array[rows].mean(axis=0)
    slopes: NDArray[np.float64] = times @ values / max(float(times @ times), 1.0)
    off = np.abs(values - times[:, np.newaxis] * slopes).max(axis=0)
    return np.where(off < _STRAIGHT * np.abs(slopes) * (times[-1] - times[0]), slopes, 0.0)


def without_line(array: NDArray[np.float64], slopes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Channels with a slope around a line of this slope, whose height is the median of the distances from it; the others as they are.

    >>> without_line(np.array([[10.0], [12.0], [99.0], [16.0]]), np.array([2.0])).ravel().tolist()
    [0.0, 0.0, 85.0, 0.0]
    """
    if not slopes.any():
        return array
    level = array - np.arange(len(array))[:, np.newaxis] * slopes
    return np.where(slopes != 0.0, level - np.median(level, axis=0), array)


def line_scale(
    level: NDArray[np.float64], scale: dict[str, NDArray[np.float64]], slopes: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """The scale of channels whose line was removed, from the ``scale`` before; of an exact line, only rounding errors are left."""
    spread = np.maximum(level.std(axis=0), _LEAST_SPREAD * scale["spread"])
    return {"mean": np.where(slopes != 0.0, level.mean(axis=0), scale["mean"]), "spread": np.where(slopes != 0.0, spread, scale["spread"])}


def _two_dimensions(values: Any) -> NDArray[np.float64]:
    expected = "expected numbers of shape (points,) or (points, channels)"
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"values are not all numbers: {error}; {expected}") from error
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"values have shape {array.shape}; {expected}")
    return array


def _filled(array: NDArray[np.float64], missing: NDArray[np.bool_], impute: Impute) -> NDArray[np.float64]:
    filled = array.copy()
    rows = np.arange(len(array))
    for channel in np.flatnonzero(missing.any(axis=0)):
        known = rows[~missing[:, channel]]
        if not len(known):
            raise ValueError(f"values: channel {channel} has no finite value to fill the others from; drop the channel")
        column = array[:, channel]
        if impute == "linear":
            filled[:, channel] = np.interp(rows, known, column[known])
        else:
            # Before the first known value there is no previous one: use the first.
            last_known = np.searchsorted(known, rows, side="right") - 1
            filled[:, channel] = column[known[np.maximum(last_known, 0)]]
    return filled


def _count(count: int) -> str:
    return "1 value is" if count == 1 else f"{count:,} values are"
