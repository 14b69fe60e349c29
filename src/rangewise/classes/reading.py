"""Classes as input: one class per point, a table ``start, stop, class``, or ranges by class, checked once."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import did_you_mean, shown, shown_names
from rangewise.inputs.case import Case, check_index, same_length
from rangewise.inputs.clocks import Clock, ClockedRanges, on_one_clock, on_rows, row_clock
from rangewise.inputs.instants import is_missing
from rangewise.inputs.ranges import Ranges, RangesLike, named_pair, read_side, trusted_ranges

if TYPE_CHECKING:
    from rangewise.inputs.ignored import Ignored

ClassesLike: TypeAlias = Any
"""One class per point (text, integers, categoricals), a table or triples ``start, stop, class``, or ``{class: ranges}``."""

Names: TypeAlias = "Hashable | Collection[Hashable] | None"

_CLASSES = ("class", "label", "event_label", "trial_type", "eventType", "description")
# Integer classes within this span are numbered with a table instead of a sort.
_NARROW = 1 << 16


@dataclass(frozen=True, eq=False)
class Runs:
    """One class per point as runs: the start of each run, the end of the last, and the index of each class in ``names``."""

    borders: NDArray[np.int64]
    codes: NDArray[np.int64]
    names: tuple[Hashable, ...]

    @property
    def length(self) -> int:
        return int(self.borders[-1])

    def ranges(self, classes: tuple[Hashable, ...]) -> tuple[Ranges, ...]:
        """The ranges of each of these classes; other runs are ignored."""
        places = {name: place for place, name in enumerate(classes)}
        code = np.array([places.get(name, len(classes)) for name in self.names], dtype=np.int64)
        bounds, first = kernel.class_ranges(self.borders, code[self.codes], len(classes))
        edges = first.tolist()
        return tuple(trusted_ranges(bounds[edges[at] : edges[at + 1]]) for at in range(len(classes)))


@dataclass(frozen=True, eq=False)
class ClassSides:
    """The ranges of both sides, class by class, on one clock or on rows; ``length`` is the number of points, where it is known."""

    classes: tuple[Hashable, ...]
    real: tuple[Ranges, ...]
    predicted: tuple[Ranges, ...]
    length: int | None
    ignored: tuple[Ignored, ...] | None = None
    """The ignored intervals and their effect on each class; None without any."""

    @property
    def points(self) -> int | None:
        """The number of points that are not ignored; None if the length is unknown."""
        return self.length - int(self.ignored[0].intervals.lengths.sum()) if self.length is not None and self.ignored else self.length


def read_class_sides(
    real: ClassesLike,
    predicted: ClassesLike,
    *,
    background: Names = None,
    classes: Collection[Hashable] | None = None,
    times: Any = None,
    ignore: RangesLike | None = None,
) -> ClassSides:
    """Both sides without the background and the ignored intervals, checked against each other."""
    sides, length = _read_both(real, predicted)
    left_out = names_of(background, "background")
    known = dict.fromkeys([*sides[0].names, *sides[1].names])
    for name in left_out:
        if name not in known:
            raise ValueError(
                f"background {shown(name)} is not one of the classes; there are {_shown_classes(known)}{_nearest(name, known)}"
            )
    chosen = _chosen(known, left_out, classes)
    by_side = [list(side.ranges(chosen)) for side in sides]
    if times is not None:
        clock = row_clock(times)
        names = ("real", "predicted")
        by_side = [[on_rows(each, clock, name) for each in side] for name, side in zip(names, by_side, strict=True)]
        if length is not None and length != len(clock.index):
            raise ValueError(f"there are {length} points and {len(clock.index)} times; give one time per point")
        length = len(clock.index)
    else:
        by_side = _on_one_clock(chosen, by_side, length)
    if length is not None:
        _check_inside(chosen, sides, by_side, length)
    if ignore is None:
        return ClassSides(chosen, tuple(by_side[0]), tuple(by_side[1]), length)
    # Each class is a case, so that ignored intervals mean the same as everywhere.
    cases: list[Case] = []
    for real_ranges, predicted_ranges in zip(*by_side, strict=True):
        case = Case(real_ranges, predicted_ranges, length=length)
        cases.append(case.ignoring(cases[0].ignored if cases else ignore).with_points())
    kept_real, kept_predicted = zip(*(case.sides() for case in cases), strict=True) if cases else ((), ())
    clippings = tuple(case.clipping for case in cases if case.clipping is not None)
    return ClassSides(chosen, kept_real, kept_predicted, length, clippings)


@dataclass(frozen=True, eq=False)
class _ByClass:
    """A side that came as ranges: those of each class."""

    found: dict[Hashable, Ranges]
    length: int | None

    @property
    def names(self) -> tuple[Hashable, ...]:
        return tuple(self.found)

    def ranges(self, classes: tuple[Hashable, ...]) -> tuple[Ranges, ...]:
        return tuple(self.found.get(name, Ranges()) for name in classes)


def _read_both(real: ClassesLike, predicted: ClassesLike) -> tuple[tuple[Runs | _ByClass, Runs | _ByClass], int | None]:
    """Both sides, and the number of points if a side has it."""
    if not isinstance(real, Mapping) and not isinstance(predicted, Mapping):
        check_index(real, predicted, ("real", "predicted"))
    sides = read_side_of_classes(real, "real"), read_side_of_classes(predicted, "predicted")
    return sides, same_length({"real": sides[0].length, "predicted": sides[1].length}, "points")


def read_side_of_classes(given: ClassesLike, name: str) -> Runs | _ByClass:
    """Read real or predicted classes in any of the accepted forms."""
    if given is None or isinstance(given, (str, bytes, set)):
        raise TypeError(f"{name} is {shown(given)}; expected one class per point, a table start, stop, class, or {{class: ranges}}")
    if isinstance(given, Mapping):
        sides = {key: read_side(ranges, f"{name}, class {shown(key)}") for key, ranges in given.items()}
        lengths = {key: length for key, (_, length) in sides.items() if length is not None}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"{name}: the classes have {', '.join(map(str, lengths.values()))} labels; give the same number for each")
        return _ByClass({key: ranges for key, (ranges, _) in sides.items()}, next(iter(lengths.values()), None))
    if isinstance(given, (list, tuple)):
        if not given:
            return _ByClass({}, None)  # no points or no ranges: empty, in a series of any length
        if all(isinstance(each, (list, tuple)) and len(each) == 3 for each in given):
            return _from_triples(given, name)
    table = _table_of(given)
    return read_runs(given, name) if table is None else _from_table(table, name)


class _NoClass:
    """The class of points between ranges: background for every metric."""

    def __repr__(self) -> str:
        return "no class"


NO_CLASS = _NoClass()


def read_both_runs(real: ClassesLike, predicted: ClassesLike) -> tuple[Runs, Runs]:
    """Both sides as one class per point, for metrics that count points or runs; points between ranges have no class."""
    sides, length = _read_both(real, predicted)
    classes = tuple(dict.fromkeys([*sides[0].names, *sides[1].names]))
    ranges = _on_one_clock(classes, [list(side.ranges(classes)) for side in sides], length)
    if length is None:
        length = max((int(each.stops[-1]) for side in ranges for each in side if len(each)), default=0)
    else:
        _check_inside(classes, sides, ranges, length)
    runs = [
        side if isinstance(side, Runs) else _runs_of(classes, own, length, name)
        for side, own, name in zip(sides, ranges, ("real", "predicted"), strict=True)
    ]
    return runs[0], runs[1]


def in_order_of_time(classes: Sequence[Ranges]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The ranges of all classes in order of time, and the class index of each."""
    bounds = np.concatenate([np.empty((0, 2), dtype=np.int64), *(np.asarray(ranges) for ranges in classes)])
    codes = np.repeat(np.arange(len(classes)), [len(ranges) for ranges in classes])
    order = np.argsort(bounds[:, 0], kind="stable")
    return bounds[order], codes[order]


def _runs_of(classes: tuple[Hashable, ...], ranges: list[Ranges], length: int, name: str) -> Runs:
    """Ranges by class as runs, with runs of no class between them; a point with two classes is an error."""
    bounds, codes = in_order_of_time(ranges)
    for at in np.flatnonzero(bounds[1:, 0] < bounds[:-1, 1])[:1]:
        one, other = (shown(classes[code]) for code in codes[at : at + 2])
        raise ValueError(
            f"{name}: the classes {one} and {other} overlap at {bounds[at + 1, 0]}; this metric counts points, which have one class each"
        )
    borders, of_run, at = [0], [], 0
    for (start, stop), code in zip(bounds.tolist(), codes.tolist(), strict=True):
        if start > at:
            borders.append(start)
            of_run.append(len(classes))
        borders.append(stop)
        of_run.append(code)
        at = stop
    if at < length:
        borders.append(length)
        of_run.append(len(classes))
    return Runs(np.array(borders, dtype=np.int64), np.array(of_run, dtype=np.int64), (*classes, NO_CLASS))


def read_runs(given: ClassesLike, name: str) -> Runs:
    """One class per point. Integers are numbered by the kernel, other values by hash.

    >>> runs = read_runs(["sit", "sit", "walk", "sit"], "real")
    >>> runs.borders.tolist(), runs.codes.tolist(), runs.names
    ([0, 2, 3, 4], [0, 1, 0], ('sit', 'walk'))
    """
    if isinstance(given, Mapping) or given is None or isinstance(given, (str, bytes, set)):
        raise TypeError(f"{name} is {shown(given)}; this metric counts points, so give one class per point")
    values, names = _values(given, name)
    borders = kernel.series_borders(values)
    if names is not None:
        return Runs(borders, values[borders[:-1]], names)
    return Runs(borders, *_numbered(values[borders[:-1]]))


def names_of(given: Names, what: str) -> tuple[Hashable, ...]:
    """One name or several; None is an empty tuple.

    >>> names_of("idle", "background"), names_of(["idle", 0], "background")
    (('idle',), ('idle', 0))
    """
    if given is None:
        return ()
    several = isinstance(given, (list, tuple, set, frozenset, np.ndarray, range))
    names: Iterable[Any] = (given.tolist() if isinstance(given, np.ndarray) else given) if several else (given,)  # type: ignore[assignment]
    listed = tuple(names)
    for name in listed:
        _check_hash(name, f"{what} {shown(name)}")
    return tuple(dict.fromkeys(listed))


def _values(given: Any, name: str) -> tuple[NDArray[Any], tuple[Hashable, ...] | None]:
    """One number per point, and the class of each number; None if the numbers are the classes."""
    if isinstance(given, (list, tuple)):
        plain = {int, bool, float} >= {kind for kind in map(type, given) if not issubclass(kind, (np.number, np.bool_))}
        given = np.asarray(given) if plain else np.fromiter(given, dtype=object, count=len(given))
    elif isinstance(given, range):
        given = np.asarray(given)
    elif isinstance(given, np.ma.MaskedArray):
        for where in np.flatnonzero(np.ma.getmaskarray(given))[:1]:
            raise _missing(name, int(where), "masked")
        given = given.data
    elif not isinstance(given, np.ndarray):
        given = _from_library(given, name)
    if given.ndim != 1:
        raise ValueError(
            f"{name} has shape {given.shape}; expected one class per point (for 0/1 labels with one column per channel: rw.score_channels; "
            "for one column per class: {class: column})"
        )
    kind = given.dtype.kind if given.size else "i"
    if not given.size:
        given = np.empty(0, dtype=np.int64)  # an empty input has no useful type
    if kind in "biu":
        return (given if given.dtype.isnative and given.flags.aligned else given.astype(given.dtype.newbyteorder("="))), None
    if kind == "f":
        for where in np.flatnonzero(np.isnan(given))[:1]:
            raise _missing(name, int(where), "nan")
    if kind not in "OUST":
        raise TypeError(f"{name} has dtype {given.dtype}; classes are text, integers or categories, so convert them, e.g. .astype(int)")
    return _coded(given.tolist(), name)


def _coded(values: list[Any], name: str) -> tuple[NDArray[np.int64], tuple[Hashable, ...]]:
    """Classes of any type, numbered in order of appearance."""
    places: dict[Hashable, int] = {}
    try:
        codes = np.fromiter((places.setdefault(value, len(places)) for value in values), dtype=np.int64, count=len(values))
    except TypeError:
        for where, value in enumerate(values):
            _check_hash(value, f"{name}: class {where} is {shown(value)}")
        raise
    for value, code in places.items():
        if is_missing(value):
            raise _missing(name, int(np.argmax(codes == code)), str(value))
    return codes, tuple(places)


def _from_library(given: Any, name: str) -> NDArray[Any]:
    """A series of another library; categories are converted to their values."""
    import narwhals.stable.v2 as nw

    series = nw.from_native(given, eager_only=True, allow_series=True, pass_through=True)
    if not isinstance(series, nw.Series):
        array = np.asarray(given)
        if array.ndim == 0:
            raise TypeError(f"{name} is {shown(given)}; expected one class per point, a table start, stop, class, or {{class: ranges}}")
        return array
    nulls = series.is_null()
    if nulls.any():
        raise _missing(name, int(nulls.arg_true()[0]), "null")
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return series.to_numpy()
    return np.fromiter(series.to_list(), dtype=object, count=len(series))


def _numbered(values: NDArray[Any]) -> tuple[NDArray[np.int64], tuple[Hashable, ...]]:
    """The number of each integer among the distinct ones, and the distinct ones in order."""
    numbered = kernel.number_classes(values, _NARROW)
    if numbered is None:
        distinct, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.int64), tuple(distinct.tolist())
    codes, firsts = numbered
    return codes, tuple(values[firsts].tolist())


def _table_of(given: Any) -> Any:
    """A table of any library; None if it is not a table."""
    if isinstance(given, (list, tuple, np.ndarray, range)):
        return None
    import narwhals.stable.v2 as nw

    table = nw.from_native(given, eager_only=True, pass_through=True, allow_series=True)
    return table if isinstance(table, nw.DataFrame) else None


def _from_table(table: Any, name: str) -> _ByClass:
    pair, label = named_pair(table.columns, name), next((column for column in _CLASSES if column in table.columns), None)
    if pair is None or label is None:
        raise ValueError(
            f"{name} is a table of {', '.join(map(repr, table.columns))}; classes come as a table with the columns 'start', 'stop' and "
            "'class', or as one column, one class per point"
        )
    codes, names = _coded(table[label].to_list(), f"{name}: column {label!r}")
    by_class = {}
    for code, key in enumerate(names):
        # The names of the two columns say whether they are rows or seconds, stops or durations.
        rows = table.filter((codes == code).tolist()).select(*pair)
        by_class[key] = read_side(rows.to_native(), f"{name}, class {shown(key)}")[0]
    return _ByClass(by_class, None)


def _from_triples(given: Any, name: str) -> _ByClass:
    pairs: dict[Hashable, list[Any]] = {}
    for where, (start, stop, key) in enumerate(given):
        _check_hash(key, f"{name}: the class of range {where} is {shown(key)}")
        if is_missing(key):
            raise _missing(name, where, str(key), "the class of range")
        pairs.setdefault(key, []).append((start, stop))
    return _ByClass({key: read_side(both, f"{name}, class {shown(key)}")[0] for key, both in pairs.items()}, None)


def _chosen(known: dict[Hashable, None], left_out: tuple[Hashable, ...], classes: Collection[Hashable] | None) -> tuple[Hashable, ...]:
    """The classes in the given order, by default sorted by name, or in order of appearance if they cannot be sorted."""
    there = [name for name in known if name not in left_out]
    if classes is None:
        try:
            return tuple(sorted(there))  # type: ignore[type-var]
        except TypeError:
            return tuple(there)
    if isinstance(classes, (str, bytes)):
        raise TypeError(f"classes must be a list of classes; got {shown(classes)}")
    wanted = names_of(classes, "classes:")
    for name in wanted:
        if name in left_out:
            raise ValueError(f"{shown(name)} is in both classes= and background=; remove it from one")
    for name in there:
        if name not in wanted:
            raise ValueError(
                f"class {shown(name)} is not one of classes=, which has {_shown_classes(wanted)}{_nearest(name, wanted)}; "
                "add it, or give it as background="
            )
    return wanted


def _on_one_clock(classes: tuple[Hashable, ...], by_side: list[list[Ranges]], length: int | None) -> list[list[Ranges]]:
    clocks = [ranges.clock for side in by_side for ranges in side if ranges.clock is not None]
    if not clocks:
        return by_side
    called = {
        f"{side}, class {shown(name)}": ranges
        for side, of_side in zip(("real", "predicted"), by_side, strict=True)
        for name, ranges in zip(classes, of_side, strict=True)
    }
    for name, ranges in called.items():
        if ranges.clock is None and (len(ranges) or length is not None):
            raise ValueError(f"{name} is given in rows and others in times; give the times of the rows with times=, one per row")
        if not isinstance(ranges.clock, Clock) and ranges.clock is not None and any(clock != ranges.clock for clock in clocks):
            raise ValueError("the classes use different time indexes, or rows and times; give all on the same one")
    moved = on_one_clock(called)
    clock = next(ranges.clock for ranges in moved if ranges.clock is not None)
    moved = [ClockedRanges(ranges, clock) if ranges.clock is None else ranges for ranges in moved]
    return [moved[: len(classes)], moved[len(classes) :]]


def _check_inside(
    classes: tuple[Hashable, ...], sides: tuple[Runs | _ByClass, Runs | _ByClass], by_side: list[list[Ranges]], length: int
) -> None:
    for side, given, of_side in zip(("real", "predicted"), sides, by_side, strict=True):
        if isinstance(given, Runs):
            continue  # its runs end with its points
        for name, ranges in zip(classes, of_side, strict=True):
            if len(ranges) and ranges.stops[-1] > length:
                raise ValueError(f"{side} has a range of class {shown(name)} that stops at {ranges.stops[-1]}; there are {length} points")


def _check_hash(value: Any, what: str) -> None:
    try:
        hash(value)
    except TypeError:
        raise TypeError(f"{what}; a class is a name: text, a number, anything that can be hashed, not a {type(value).__name__}") from None


def _missing(name: str, where: int, value: str, what: str = "class") -> ValueError:
    return ValueError(
        f"{name}: {what} {where} is missing ({value}); every point needs a class; name points without one and give the name as background="
    )


def _shown_classes(names: Iterable[Hashable]) -> str:
    return shown_names([str(name) for name in names]) or "none"


def _nearest(name: Hashable, known: Iterable[Hashable]) -> str:
    return did_you_mean(name, [str(each) for each in known])
