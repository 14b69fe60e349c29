"""Ranges: labels, pairs and tables are converted to :class:`Ranges` and checked here, for all metrics."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise import kernel
from rangewise.checks import check_memory, shown, whole
from rangewise.threads import threads_for

if TYPE_CHECKING:
    from rangewise.inputs.clocks import Clock, RowClock

RangesLike: TypeAlias = "Ranges | ArrayLike | Any"
"""A side: 0/1 labels, half-open pairs of rows or times, or :class:`Ranges`, as arrays, lists, series or tables of any library."""
Names: TypeAlias = "tuple[str, ...] | None"
"""The name of each range."""

_SHOWN_IN_REPR = 6
# Labels are kept as bits only if they are few or the bits are not much larger than the ranges. The kernel counts them in 31 bits.
_FEW_LABELS, _MOST_BITS = 4096, 2**31
ONSET, DURATION = "onset", "duration"
"""Numbers in a column named onset are seconds; a column named duration has the length of each range."""
STARTS, STOPS = ("start", ONSET), ("stop", "end", "offset")


class Ranges:
    """A sorted set of disjoint half-open integer ranges ``[start, stop)``. Immutable.

    Touching ranges, such as ``[3, 8)`` and ``[8, 9)``, stay separate; :meth:`merge_touching` joins them.

    >>> ranges = Ranges([(12, 13), (3, 8)])
    >>> ranges
    Ranges([(3, 8), (12, 13)])
    >>> len(ranges), ranges.lengths.tolist()
    (2, [5, 1])
    >>> list(ranges)
    [(3, 8), (12, 13)]
    """

    __slots__ = ("_bounds",)
    _bounds: NDArray[np.int64]
    clock: Clock | RowClock | None = None
    """The mapping to times (``rangewise.inputs.clocks``); None for rows without times."""
    _bits: kernel.LabelBits | None = None
    """The labels that the ranges are from, if they are kept."""

    def __new__(cls, pairs: ArrayLike | Any = (), *more: Any) -> Ranges:
        if cls is Ranges and isinstance(pairs, Ranges) and pairs.clock is not None:
            return pairs
        timed = _read_times(pairs, "ranges") if cls is Ranges and may_be_times(pairs) else None
        return object.__new__(cls) if timed is None else timed

    def __init__(self, pairs: ArrayLike | Any = ()) -> None:
        if isinstance(pairs, Ranges):
            bounds = pairs._bounds
        else:
            array = array_of(pairs, "ranges")
            if array.ndim == 1 and array.size:
                raise ValueError(f"ranges has shape {array.shape}; expected (start, stop) pairs (labels: Ranges.from_labels)")
            bounds = _checked_pairs(array, "ranges")
        object.__setattr__(self, "_bounds", bounds)

    @classmethod
    def from_labels(cls, labels: ArrayLike | Any) -> Ranges:
        """The runs of ones in 0/1 labels: adjacent anomalous points form one range.

        >>> Ranges.from_labels([0, 1, 1, 0, 1])
        Ranges([(1, 3), (4, 5)])
        """
        array = array_of(labels, "labels")
        if array.ndim != 1:
            raise ValueError(f"labels has shape {array.shape}; labels have one dimension")
        return _from_label_array(array, "labels")

    @classmethod
    def from_inclusive(cls, pairs: ArrayLike | Any) -> Ranges:
        """Ranges given by their first and last point.

        >>> Ranges.from_inclusive([(3, 7)])
        Ranges([(3, 8)])
        """
        given = _integer_pairs(array_of(pairs, "ranges"), "ranges")
        reversed_pairs = np.flatnonzero(given[:, 1] < given[:, 0])
        if reversed_pairs.size:
            first = int(reversed_pairs[0])
            raise ValueError(f"ranges: range {first} is {_pair(given, first)}; the last point must not be before the first")
        return cls(np.column_stack([given[:, 0], given[:, 1] + 1]))

    @classmethod
    def joined(cls, pairs: ArrayLike | Any) -> Ranges:
        """Ranges of rows or times in any order. Overlapping ranges are joined; touching ranges stay separate.

        >>> Ranges.joined([(5, 9), (0, 4), (3, 5)])
        Ranges([(0, 5), (5, 9)])
        """
        from rangewise.inputs.clocks import read_times

        times = read_times(pairs, "ranges") if may_be_times(pairs) else None
        if times is not None:
            return times.joined()
        return joined_rows(array_of(pairs, "ranges"), "ranges")

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first point of each range."""
        return self._bounds[:, 0]

    @property
    def stops(self) -> NDArray[np.int64]:
        """One past the last point of each range."""
        return self._bounds[:, 1]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of points of each range."""
        return self.stops - self.starts

    def to_labels(self, length: int) -> NDArray[np.uint8]:
        """0/1 labels of a series of ``length`` points.

        >>> Ranges([(1, 3)]).to_labels(5).tolist()
        [0, 1, 1, 0, 0]
        """
        length = operator.index(length)
        if len(self) and length < self.stops[-1]:
            raise ValueError(f"length is {length}, but the last range stops at {self.stops[-1]}; give at least {self.stops[-1]}")
        if length < 0:
            raise ValueError(f"length must be 0 or more; got {length}")
        check_memory(2 * length, f"{length} labels")
        edges = np.zeros(length + 1, dtype=np.int8)
        edges[self.starts] += 1
        # Where two ranges touch, the edges cancel.
        edges[self.stops] -= 1
        return np.cumsum(edges[:-1], dtype=np.int8).view(np.uint8)

    def points(self) -> Ranges:
        """The same points as unit ranges.

        >>> Ranges([(3, 6)]).points()
        Ranges([(3, 4), (4, 5), (5, 6)])
        """
        lengths = self.lengths
        points = int(lengths.sum(dtype=np.float64))
        check_memory(4 * 8 * points, f"{points} points as separate ranges")
        before = np.cumsum(lengths) - lengths
        starts = np.arange(int(lengths.sum()), dtype=np.int64) + np.repeat(self.starts - before, lengths)
        return trusted_ranges(np.column_stack([starts, starts + 1]))

    def merge_touching(self) -> Ranges:
        """Join ranges that touch.

        >>> Ranges([(3, 8), (8, 9), (12, 13)]).merge_touching()
        Ranges([(3, 9), (12, 13)])
        """
        return self.close_gaps(0)

    def close_gaps(self, max_gap: int) -> Ranges:
        """Join ranges with at most ``max_gap`` points between them; 0 joins touching ranges.

        >>> Ranges([(3, 8), (10, 11), (14, 15)]).close_gaps(2)
        Ranges([(3, 11), (14, 15)])
        """
        max_gap = whole("max_gap", max_gap, least=0)
        if not len(self):
            return self
        apart = self.starts[1:] - self.stops[:-1] > max_gap
        starts = self.starts[np.concatenate(([True], apart))]
        stops = self.stops[np.concatenate((apart, [True]))]
        return trusted_ranges(np.column_stack([starts, stops]))

    def __len__(self) -> int:
        return len(self._bounds)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((start, stop) for start, stop in self._bounds.tolist())

    @overload
    def __getitem__(self, index: int) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, index: slice) -> Ranges: ...
    def __getitem__(self, index: int | slice) -> tuple[int, int] | Ranges:
        if isinstance(index, slice):
            return trusted_ranges(self._bounds[index]) if index.step in (None, 1) else Ranges(self._bounds[index])
        start, stop = self._bounds[index].tolist()
        return start, stop

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False and dtype is not None and np.dtype(dtype) != self._bounds.dtype:
            raise ValueError(f"ranges are int64; {np.dtype(dtype)} needs a copy")
        return np.array(self._bounds, dtype=dtype) if copy or dtype is not None else self._bounds

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranges):
            return NotImplemented
        return np.array_equal(self._bounds, other._bounds)

    def __hash__(self) -> int:
        return hash(self._bounds.tobytes())

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Ranges is immutable; make a new one")

    def __reduce__(self) -> tuple[Any, ...]:
        return Ranges, (np.array(self._bounds),)

    def __repr__(self) -> str:
        if len(self) <= _SHOWN_IN_REPR:
            return f"Ranges({list(self)})"
        shown = ", ".join(str(self[i]) for i in range(_SHOWN_IN_REPR // 2))
        return f"Ranges([{shown}, ..., {self[-1]}], {len(self)} ranges)"


class _LabelRanges(Ranges):
    """Ranges of labels, of which only the bits are kept; the bounds are computed on first access."""

    __slots__ = ("_bits",)
    _bits: kernel.LabelBits

    def __getattr__(self, name: str) -> Any:
        # Python calls this only if an attribute is not set. Two threads may both compute the bounds, which are the same.
        if name != "_bounds":
            raise AttributeError(f"'Ranges' object has no attribute {name!r}")
        bounds = self._bits.ranges()
        object.__setattr__(self, "_bounds", bounds)
        return bounds


def as_ranges(ranges: RangesLike, name: str = "ranges") -> Ranges:
    """Convert a side in any form to :class:`Ranges`. One dimension means labels, two columns mean half-open pairs.

    >>> as_ranges([0, 1, 1, 0]) == as_ranges([(1, 3)])
    True
    """
    return read_side(ranges, name)[0]


def read_side(given: RangesLike, name: str, *, bits: bool = False) -> tuple[Ranges, int | None]:
    """The ranges, and the number of points if labels were given. ``name`` is the name of the side in errors.

    With ``bits``, labels with dense ranges are kept as bits, for a model that can score them.
    """
    if type(given) is np.ndarray and given.ndim == 1:
        return _from_label_array(given, name, bits), len(given)
    if isinstance(given, Ranges):
        return given, None
    if isinstance(given, (list, tuple)) and not given:
        return NO_RANGES, None  # no labels or no ranges, of a series of any length
    if may_be_times(given) and (timed := _read_times(given, name)) is not None:
        return timed, None
    array = array_of(given, name)
    if array.ndim == 1:
        return _from_label_array(array, name, bits), len(array)
    return trusted_ranges(_checked_pairs(array, name)), None


def _read_times(given: Any, name: str) -> Ranges | None:
    """A side that may be times, as ranges on a clock; None if it is not."""
    from rangewise.inputs.clocks import read_times

    times = read_times(given, name)
    try:
        return None if times is None else times.ranges()
    except ValueError:
        # Only 0 and 1: reading labels of two channels as rows says so.
        if isinstance(given, (list, tuple, np.ndarray)) and _channel_hint(np.asarray(given)):
            return None
        raise


def may_be_times(given: Any) -> bool:
    """Whether pairs are times, such as floats, which are seconds, rather than rows or labels; of a table, :func:`read_times` says it.

    Labels and rows are detected without further imports.
    """
    if type(given) is np.ndarray:
        return given.ndim == 2 and given.dtype.kind in ("MmOUf" if given.shape[1] == 2 else "MmOU")
    if isinstance(given, (list, tuple)):
        pair = given[0] if given else None
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            return False
        # NumPy treats a timedelta as a number.
        if not isinstance(pair[0], (int, float, np.number, np.bool_)) or isinstance(pair[0], np.timedelta64):
            return True
        try:
            kind = np.asarray(given).dtype.kind
        except ValueError:
            return False  # ragged: reading it as rows says so
        # Without a float among them, NumPy makes floats of integers that are too large.
        return kind == "f" and any(isinstance(end, (float, np.floating)) for pair in given for end in pair)
    # Tables and indexes of other libraries have types.
    return not isinstance(given, (Ranges, range, np.ndarray, str, bytes, dict, set, type(None)))


def joined_rows(pairs: NDArray[Any], name: str) -> Ranges:
    """Ranges of rows in any order, with overlapping ones joined."""
    given = _integer_pairs(pairs, name)
    bounds, _ = join(given[:, 0], given[:, 1])
    # An invalid pair is an error.
    return trusted_ranges(_checked_pairs(np.concatenate([bounds, given[given[:, 1] <= given[:, 0]][:1]]), name))


def join(starts: NDArray[np.int64], stops: NDArray[np.int64], names: Names = None) -> tuple[NDArray[np.int64], Names]:
    """Sorted bounds and names, with ranges that share a point joined; touching ranges stay separate."""
    # Most input is sorted, and checking that is much faster than sorting.
    order = np.arange(len(starts)) if np.all(starts[1:] >= starts[:-1]) else np.argsort(starts, kind="stable")
    starts, reach = starts[order], np.maximum.accumulate(stops[order])
    first = np.concatenate(([True], starts[1:] >= reach[:-1]))[: len(starts)]
    bounds = np.column_stack([starts[first], reach[np.append(first[1:], True)[: len(starts)]]])
    return bounds, None if names is None else join_names([names[row] for row in order.tolist()], first)


def join_names(names: Sequence[str], first: NDArray[np.bool_]) -> tuple[str, ...]:
    """The name of each joined range: the different names of its parts, of which one is the ``first``."""
    groups: list[dict[str, None]] = []
    for name, is_first in zip(names, first.tolist(), strict=True):
        if is_first:
            groups.append({})
        groups[-1] |= {name: None} if name else {}
    return tuple(" + ".join(group) for group in groups)


def trusted_ranges(bounds: NDArray[np.int64]) -> Ranges:
    """Ranges from an array that is sorted, disjoint and not shared; nothing is checked or copied."""
    bounds.flags.writeable = False
    ranges = object.__new__(Ranges)
    object.__setattr__(ranges, "_bounds", bounds)
    return ranges


NO_RANGES = trusted_ranges(np.empty((0, 2), dtype=np.int64))


def array_of(given: Any, name: str, what: str = "label") -> NDArray[Any]:
    """Anything array-like as an array; data frames are read through narwhals, which is loaded only for them. ``what`` names one entry.

    Missing values are errors, except for missing scores, which become nan.
    """
    if isinstance(given, np.ndarray):
        # A plain array is known without numpy.ma, which takes a sixth of NumPy's own time to load.
        return given if type(given) is np.ndarray or not isinstance(given, np.ma.MaskedArray) else _unmasked(given, name, what)
    if given is None or isinstance(given, (str, bytes, dict, set)):
        raise TypeError(f"{name} is {shown(given)}; expected 0/1 labels, (start, stop) pairs or Ranges")
    if not isinstance(given, (list, tuple, range)):
        import narwhals.stable.v2 as nw

        native = nw.from_native(given, eager_only=True, allow_series=True, pass_through=True)
        if isinstance(native, nw.Series):
            native = plain_numbers(native)
            nulls = native.is_null()
            if nulls.any() and what != "score":
                raise _missing(name, what, int(nulls.arg_true()[0]))
            given = _with_nan(native, nulls) if nulls.any() else native.to_numpy()
        elif isinstance(native, nw.DataFrame):
            given = _pair_columns(native, name).to_numpy()
    if type(given).__module__ == "torch":
        given = given.detach().cpu()
        given = given.float() if "bfloat16" in str(given.dtype) else given
    try:
        array = np.asarray(given)
    except ValueError as error:
        _refuse_python_ranges(given, name)
        raise ValueError(f"{name} is ragged; expected 0/1 labels or (start, stop) pairs of equal length") from error
    if array.ndim == 2 and isinstance(given, (list, tuple)):
        _refuse_python_ranges(given, name)
    if array.ndim == 0:
        raise TypeError(f"{name} is {shown(given)}; expected 0/1 labels, (start, stop) pairs or Ranges")
    if what == "score" and array.dtype.kind == "O" and all(value is None or isinstance(value, (int, float, np.number)) for value in array):
        return array.astype(np.float64)  # None becomes nan
    return array


def plain_numbers(series: Any) -> Any:
    """A narwhals series whose numbers NumPy has: decimals, which SQL makes of sums and literals, and 128-bit integers become floats."""
    import narwhals.stable.v2 as nw

    return series.cast(nw.Float64()) if series.dtype in (nw.Decimal, nw.Int128, nw.UInt128) else series


def _with_nan(series: Any, nulls: Any) -> NDArray[Any]:
    """A series of numbers with nan for missing values; float32 stays float32."""
    known: NDArray[Any] = series.drop_nulls().to_numpy()
    if known.dtype.kind not in "biuf":
        return np.asarray(series.to_numpy())
    values = np.full(len(series), np.nan, dtype=known.dtype if known.dtype.kind == "f" else np.float64)
    values[~nulls.to_numpy()] = known
    return values


def named_pair(columns: Sequence[str], name: str) -> tuple[str, str] | None:
    """The columns with starts and stops (or durations), by their names; None if the names are unknown.

    >>> named_pair(["id", "start", "end"], "real"), named_pair(["onset", "duration"], "real"), named_pair(["a", "b"], "real")
    (('start', 'end'), ('onset', 'duration'), None)
    """
    start = next((column for column in STARTS if column in columns), None)
    stop = next((column for column in (*STOPS, DURATION) if column in columns), None)
    if start == ONSET and DURATION in columns:
        stop = DURATION
    if start is not None and stop is not None:
        return start, stop
    for column in columns[1:2] if len(columns) == 2 else ():
        if any(word in column.lower() for word in (DURATION, "length")):
            raise ValueError(
                f"{name}: a table of two columns has starts and stops, but column {column!r} looks like a length; "
                f"name the columns {STARTS[0]} and {DURATION}, or give stops"
            )
    return None


def _pair_columns(table: Any, name: str) -> Any:
    """The columns of starts and stops, if their names are known, otherwise all columns."""
    pair = named_pair(table.columns, name)
    if pair is None:
        return table
    start, stop = table[pair[0]], table[pair[1]]
    return table.select(start.alias("start"), (start + stop if pair[1] == DURATION else stop).alias("stop"))


def _refuse_python_ranges(given: Any, name: str) -> None:
    """Refuse Python ranges: NumPy converts ``range(1, 3)`` to the numbers 1 and 2, which would be read as one pair."""
    if range in map(type, given):
        number, entry = next((number, entry) for number, entry in enumerate(given) if isinstance(entry, range))
        raise TypeError(f"{name}: entry {number} is {entry}; write a range as a pair, ({entry.start}, {entry.stop})")


def _unmasked(given: np.ma.MaskedArray[Any, Any], name: str, what: str) -> NDArray[Any]:
    hidden = np.argwhere(np.ma.getmaskarray(given))
    if len(hidden) and what == "score":
        values = np.array(given.data, dtype=given.dtype if given.dtype.kind == "f" else np.float64)
        values[np.ma.getmaskarray(given)] = np.nan
        return values
    if len(hidden):
        raise _missing(name, what if given.ndim == 1 else "range", int(hidden[0][0]))
    return np.asarray(given.data)


def _missing(name: str, what: str, where: int) -> ValueError:
    rule = "labels are 0 or 1" if what == "label" else "a range has a start and a stop"
    return ValueError(f"{name}: {what} {where} is missing; {rule}, so fill or drop it first")


def _from_label_array(labels: NDArray[Any], name: str, keep_bits: bool = False) -> Ranges:
    kind = labels.dtype.kind
    if kind not in "biuf":
        if kind == "O":
            odd = next((i for i, value in enumerate(labels) if not isinstance(value, (Number, np.bool_))), None)
            if odd is not None:
                raise TypeError(f"{name}: label {odd} is {shown(labels[odd])}; labels are 0 or 1")
            raise TypeError(f"{name} has dtype object; convert the labels first, e.g. with .astype(int)")
        raise TypeError(f"{name} has dtype {labels.dtype}; labels are bool, integers, or floats that are 0.0 or 1.0")
    if kind == "f" and labels.itemsize not in (4, 8):
        labels = labels.astype(np.float64)
    if labels.itemsize > 1 and not (labels.dtype.isnative and labels.flags.aligned):
        labels = labels.astype(labels.dtype.newbyteorder("="))
    threads = threads_for(labels.nbytes // 8)
    try:
        if keep_bits and (len(labels) <= _FEW_LABELS or (len(labels) < _MOST_BITS and kernel.have_dense_ranges(labels))):
            ranges: Ranges = object.__new__(_LabelRanges)
            object.__setattr__(ranges, "_bits", kernel.LabelBits(labels, threads))
        else:
            ranges = object.__new__(Ranges)
            object.__setattr__(ranges, "_bounds", kernel.find_ranges(labels, threads))
    except kernel.InvalidValueError as error:
        raise _not_a_label(labels, int(str(error)), name) from None
    return ranges


def _not_a_label(labels: NDArray[Any], index: int, name: str) -> ValueError:
    """The error for an invalid label, with a hint for common mistakes; numbers that include nan are scores."""
    value, hint = labels[index], ""
    if labels.dtype.kind == "f" and np.isnan(value) and not np.isin(labels[~np.isnan(labels)], (0, 1)).all():
        return ValueError(
            f"{name}: score {index} is nan, and scores are not labels; pass scores to RangeModel.curve, with missing='lowest' or "
            "missing='ignore' for nan"
        )
    if labels.dtype.kind in "iu" and len(labels) == 2 and labels[1] > labels[0] >= 0:
        hint = f" (one range is [({labels[0]}, {labels[1]})])"
    elif value == -1:
        hint = " (if -1 means anomalous, give labels == -1)"
    elif labels.dtype.kind == "f" and not np.isnan(value):
        hint = " (turn scores into labels with a threshold, or pass them to RangeModel.curve)"
    return ValueError(f"{name}: label {index} is {value}; labels are 0 or 1{hint}")


def _integer_pairs(array: NDArray[Any], name: str) -> NDArray[np.int64]:
    if array.size == 0 and array.ndim <= 2:
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        way_out = ""
        if array.ndim == 2:
            several = "; for labels with one column per channel, use rw.score_channels"
            way_out = "; for labels, give one dimension, e.g. with .ravel()" if array.shape[1] == 1 else several
        raise ValueError(f"{name} has shape {array.shape}; expected labels of one dimension or (start, stop) pairs of two columns{way_out}")
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"{name} are pairs of dtype {array.dtype}; starts and stops must be row numbers; map times or fractions to rows first"
            f"{_channel_hint(array)}"
        )
    if array.dtype.kind == "u" and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name}: {array.max()} does not fit a 64-bit signed integer")
    return array.astype(np.int64)


def _checked_pairs(array: NDArray[Any], name: str) -> NDArray[np.int64]:
    """Sorted, disjoint, non-empty pairs in a new array."""
    pairs = np.ascontiguousarray(_integer_pairs(array, name))
    if kernel.are_ranges(pairs):
        pairs.flags.writeable = False
        return pairs
    starts, stops = pairs[:, 0], pairs[:, 1]
    empty = np.flatnonzero(stops <= starts)
    if empty.size:
        first = int(empty[0])
        raise ValueError(
            f"{name}: range {first} is {_pair(pairs, first)}; a range [start, stop) stops after it starts "
            f"(inclusive ends: Ranges.from_inclusive){_channel_hint(pairs)}"
        )
    negative = np.flatnonzero(starts < 0)
    if negative.size:
        first = int(negative[0])
        raise ValueError(f"{name}: range {first} is {_pair(pairs, first)}; points are counted from 0")
    if np.any(starts[1:] < starts[:-1]):
        order = np.argsort(starts, kind="stable")
    else:
        order = np.arange(len(pairs))
    pairs = np.ascontiguousarray(pairs[order])
    clashes = np.flatnonzero(pairs[1:, 0] < pairs[:-1, 1])
    if clashes.size:
        first = int(clashes[0])
        raise ValueError(
            f"{name}: range {order[first]} {_pair(pairs, first)} and range {order[first + 1]} {_pair(pairs, first + 1)} overlap; "
            f"the ranges of one side must be disjoint{_channel_hint(pairs)}"
        )
    pairs.flags.writeable = False
    return pairs


def _channel_hint(pairs: NDArray[Any]) -> str:
    """A hint for two columns of only 0 and 1, which are probably labels of two channels."""
    labels = len(pairs) > 1 and pairs.dtype.kind in "biuf" and bool(np.isin(pairs, (0, 1)).all())
    return " (labels of two channels: rw.score_channels)" if labels else ""


def _pair(pairs: NDArray[np.int64], index: int) -> str:
    return f"[{pairs[index, 0]}, {pairs[index, 1]})"
