"""Collections as units: series of one collection are correlated, so intervals and tests use collections instead of series."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rangewise.checks import shown

Unit: TypeAlias = Literal["series", "collection"]
"""The unit of resampling and testing."""


def unit_words(count: int, unit: Unit) -> str:
    """The name of a unit, singular or plural.

    >>> unit_words(1, "collection"), unit_words(3, "collection"), unit_words(3, "series")
    ('collection', 'collections', 'series')
    """
    return unit if unit == "series" or count == 1 else f"{unit}s"


@dataclass(frozen=True, eq=False)
class Groups:
    """The collection of each series: ``place[i]`` is the index in ``names`` of the collection of series i."""

    names: tuple[str, ...]
    place: NDArray[np.int64]

    @classmethod
    def of(cls, groups: Groups | Sequence[object], series: int) -> Groups:
        """The collections of ``series`` series, from one name per series.

        >>> Groups.of(["ecg", "nab", "ecg"], 3).names
        ('ecg', 'nab')
        """
        if isinstance(groups, Groups):
            if len(groups.place) != series:
                raise ValueError(f"groups must have one name for each of {series} series; got {len(groups.place)}")
            return groups
        if isinstance(groups, (str, bytes)) or len(groups) != series:
            got = shown(groups) if isinstance(groups, (str, bytes)) else str(len(groups))
            raise ValueError(f"groups must have one name for each of {series} series; got {got}")
        names, place = np.unique([str(name) for name in groups], return_inverse=True)
        return cls(tuple(names.tolist()), place.astype(np.int64))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of series in each collection."""
        return np.bincount(self.place, minlength=len(self.names))

    def take(self, rows: NDArray[np.bool_]) -> Groups:
        """The collections of some of the series, without empty collections."""
        return Groups.of([self.names[place] for place in self.place[rows]], int(rows.sum()))

    def __len__(self) -> int:
        return len(self.names)


def groups_from_names(series: Sequence[str], pattern: str) -> list[str]:
    r"""The collection of each series: the match of the first group of a regular expression in its name (or of the whole expression).

    >>> groups_from_names(["001_NAB_id_1.csv", "250_UCR_id_9.csv"], r"^\d+_([^_]+)")
    ['NAB', 'UCR']
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"groups {shown(pattern)} is neither a column nor a regular expression: {error}") from None
    collections = []
    for name in series:
        match = compiled.search(name)
        if match is None or match[1 if compiled.groups else 0] is None:
            raise ValueError(f"the pattern {shown(pattern)} does not match the series {shown(name)}; every series needs a collection")
        collections.append(match[1 if compiled.groups else 0])
    return collections


def group_means(values: ArrayLike, groups: Groups | Sequence[object]) -> NDArray[np.float64]:
    """The mean of each collection, by column; nan values are skipped, and a collection without values is nan.

    >>> group_means([[1.0, 0.0], [3.0, float("nan")], [5.0, 4.0]], ["a", "a", "b"]).tolist()
    [[2.0, 0.0], [5.0, 4.0]]
    """
    table = np.asarray(values, dtype=np.float64)
    collections = Groups.of(groups, len(table))
    sums, counts = group_sums(table, collections)
    with np.errstate(invalid="ignore"):
        means: NDArray[np.float64] = np.where(counts > 0, sums / np.maximum(counts, 1), math.nan)
    return means


def group_sums(table: NDArray[np.float64], groups: Groups) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sum and the number of values of each collection; nan values are skipped."""
    known = ~np.isnan(table)
    sums, counts = np.zeros((len(groups), *table.shape[1:])), np.zeros((len(groups), *table.shape[1:]))
    np.add.at(sums, groups.place, np.where(known, table, 0.0))
    np.add.at(counts, groups.place, known.astype(np.float64))
    return sums, counts


def paired_group_means(
    left: NDArray[np.float64], right: NDArray[np.float64], groups: Groups | Sequence[object]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The means of both sides in each collection, over the series that both finished."""
    both = np.isnan(left) | np.isnan(right)
    means = group_means(np.where(both[:, np.newaxis], math.nan, np.column_stack([left, right])), groups)
    return means[:, 0], means[:, 1]


def intraclass_correlation(values: ArrayLike, groups: Groups | Sequence[object]) -> float:
    r"""The intraclass correlation: the share of the variance between collections.

    .. math:: \rho = \frac{B - W}{B + (n_0 - 1) W}, \qquad n_0 = \frac{1}{k - 1} \left( N - \frac{\sum n_g^2}{N} \right)

    B and W are the mean squares between and within k collections of :math:`n_g` values (one-way analysis of variance). At most 1; about 0
    for values that do not depend on their collection. nan values are skipped. The result is nan without two collections, without a
    collection of two values, or if all values are equal.

    >>> round(intraclass_correlation([1.0, 1.1, 3.0, 3.1, 5.0, 5.1], ["a", "a", "b", "b", "c", "c"]), 4)
    0.9988
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(numbers)
    collections = Groups.of(groups, len(numbers)).take(known)
    numbers = numbers[known]
    sizes, count = collections.sizes, len(numbers)
    between, within = len(collections) - 1, count - len(collections)
    if between < 1 or within < 1:
        return math.nan
    means = np.bincount(collections.place, numbers) / sizes
    b = float((sizes * np.square(means - numbers.mean())).sum()) / between
    w = float(np.square(numbers - means[collections.place]).sum()) / within
    size = (count - float(np.square(sizes).sum()) / count) / between
    scale = b + (size - 1.0) * w
    return (b - w) / scale if scale > 0.0 else math.nan


def pair_correlations(values: ArrayLike, groups: Groups | Sequence[object]) -> NDArray[np.float64]:
    """The intraclass correlation of the difference of each pair of columns, which biases paired tests by row."""
    table = np.asarray(values, dtype=np.float64)
    collections = Groups.of(groups, len(table))
    return np.array(
        [
            intraclass_correlation(table[:, i] - table[:, j], collections)
            for i in range(table.shape[1])
            for j in range(i + 1, table.shape[1])
        ]
    )  # fmt: skip
