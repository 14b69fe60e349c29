"""The values that a rule sees, one per evaluation step: a regular grid of times, with absent samples as nan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import check_memory, shown
from rangewise.inputs.instants import as_times, duration, duration_text, read_row_times, time_text

LOOKBACK = 300 * 10**9
"""How old a sample may be when a rule is evaluated, in nanoseconds: Prometheus' default, five minutes."""


@dataclass(frozen=True, eq=False)
class EvaluationSteps:
    """``values`` has one row per label set and one column per step; step i is evaluated at ``first + i * interval`` nanoseconds."""

    values: NDArray[np.float64]
    first: int
    interval: int
    names: tuple[str, ...]
    zoned: bool | None
    elapsed: bool = False
    """Whether times are seconds since the start of a recording instead of dates."""

    @property
    def count(self) -> int:
        return int(self.values.shape[1])

    @property
    def span(self) -> tuple[int, int]:
        """From the first step to one interval after the last."""
        return self.first, self.first + self.count * self.interval

    def times(self, steps: Any) -> Any:
        """When steps are evaluated, in nanoseconds."""
        return self.first + np.asarray(steps, dtype=np.int64) * self.interval

    def moment(self, nanoseconds: Any) -> Any:
        """Nanoseconds as a date, or as time since the start of the recording."""
        return as_times(np.array([nanoseconds]), self.elapsed)[0]


def read_steps(values: Any, times: Any = None, interval: Any = None, lookback: Any = None) -> EvaluationSteps:
    """Put values on the grid of evaluation steps. The samples of each label set count as if it were alone.

    Samples that lie on the grid count at their own step only, as in the answer of a range query. Where the samples do not lie on the grid,
    each step sees the newest sample that is younger than ``lookback``, by default five minutes, as Prometheus 3 does. (Version 2 also
    sees a sample of exactly that age.)
    """
    table, names = _read_values(values)
    every = None if interval is None else duration(interval, "interval")
    if every is not None and every <= 0:
        raise ValueError(f"interval, the time between two evaluations of the rule, must be above 0; got {interval!r}")
    if not table.shape[1]:
        raise ValueError("values are empty; a backtest needs at least one sample")
    if times is None:
        if every is None:
            raise ValueError("values without times need interval=, the time between two values, e.g. interval='1min'")
        if lookback is not None:
            raise ValueError(
                "lookback= applies to samples between evaluation steps, but values without times are one per step; drop lookback="
            )
        return EvaluationSteps(table, 0, every, names, None)
    index = read_row_times(times, "times")
    instants = index.nanoseconds
    if len(instants) != table.shape[1]:
        raise ValueError(f"there are {table.shape[1]} values and {len(instants)} times; give one time per value")
    if (back := np.flatnonzero(np.diff(instants) <= 0)).size:
        row = int(back[0]) + 1
        raise ValueError(
            f"times, row {row}: {time_text(index.times[row])} is not after the previous time; sort the rows and drop duplicates"
        )
    # A nan beside values of other label sets is no sample of this one: label sets may be sampled at different times.
    absent = np.isnan(table)
    sampled = [~missing | absent.all(axis=0) for missing in absent]
    between_rows = _natural_interval(instants)
    natural = min((own for rows in sampled if (own := _natural_interval(instants[rows]))), default=between_rows)
    if every is None:
        if natural is None:
            raise ValueError(
                "the times are not regular, so the evaluation interval of the rule is unknown; give interval= (--interval), e.g. 1min"
            )
        every = natural
    first = int(instants[0])
    count = (int(instants[-1]) - first) // every + 1
    check_memory(16 * count * len(table), f"{count:,} evaluation steps of {duration_text(every)}")
    oldest = LOOKBACK if lookback is None else duration(lookback, "lookback")
    if oldest <= 0:
        raise ValueError(f"lookback, the maximum age of a sample, must be above 0; got {lookback!r}")
    values = np.full((len(table), count), np.nan)
    grid = first + np.arange(count, dtype=np.int64) * every
    for row, (own, rows) in enumerate(zip(table, sampled, strict=True)):
        samples, moments = own[rows], instants[rows]
        if not len(moments):
            continue
        if lookback is None and every in (natural, between_rows) and not ((moments - first) % every).any():
            values[row, (moments - first) // every] = samples
            continue
        newest = np.searchsorted(moments, grid, side="right") - 1
        fresh = (newest >= 0) & (grid - moments[newest] < oldest)
        values[row, fresh] = samples[newest[fresh]]
    return EvaluationSteps(values, first, every, names, index.zoned, index.elapsed)


def _natural_interval(instants: NDArray[np.int64]) -> int | None:
    """The usual time between two samples if all times are multiples of it, else None."""
    if len(instants) < 2:
        return None
    gaps = np.diff(instants)
    lengths, counts = np.unique(gaps, return_counts=True)
    usual = int(lengths[np.argmax(counts)])
    return usual if not (gaps % usual).any() else None


def _read_values(values: Any) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    if isinstance(values, Mapping):
        names = tuple(map(str, values))
        columns = [_column(column, name) for name, column in zip(names, values.values(), strict=True)]
    else:
        names, columns = _table_columns(values)
    if not columns:
        raise ValueError("values have no columns; give one column per label set")
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise ValueError(
            f"the label sets have {' and '.join(map(str, sorted(lengths)))} values; give equally many, nan where a sample is absent"
        )
    return np.array(columns, dtype=np.float64), names


def _table_columns(values: Any) -> tuple[tuple[str, ...], list[NDArray[np.float64]]]:
    if not isinstance(values, (np.ndarray, list, tuple)):
        import narwhals.stable.v2 as nw

        given = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
        if isinstance(given, nw.DataFrame):
            return tuple(given.columns), [_column(given[name].to_numpy(), name) for name in given.columns]
        if isinstance(given, nw.Series):
            return (str(given.name or ""),), [_column(given.to_numpy(), "values")]
    array = np.asarray(values)
    if array.ndim == 2:
        return tuple(f"label set {k}" for k in range(array.shape[1])), [_column(array[:, k], "values") for k in range(array.shape[1])]
    return ("",), [_column(array, "values")]


def _column(values: Any, name: str) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name or 'values'} have shape {array.shape}; expected one number per sample")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name or 'values'} must be numbers, nan where a sample is absent; got {shown(array.ravel()[0])}") from error
