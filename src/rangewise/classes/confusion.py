"""The confusion matrix of ranges: the class predicted for each real range, by share and by largest overlap."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rangewise.classes.reading import ClassSides, in_order_of_time
from rangewise.inputs.ignored import pieces_outside
from rangewise.inputs.ranges import Ranges, trusted_ranges
from rangewise.metrics.overlaps import overlaps_of
from rangewise.model.bias import BiasChoice
from rangewise.model.model import RangeModel
from rangewise.model.rows import side_rows
from rangewise.number_text import count_text, score_text
from rangewise.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MISSED, BACKGROUND = "missed", "background"


@dataclass(frozen=True, eq=False, repr=False)
class Confusion:
    r"""The classes predicted for real ranges. Rows are real classes, columns predicted ones; the last column is missed.

    ``shares`` has one row per class with real ranges, :attr:`real`: the share of a range that was predicted as each class, weighted by
    the bias of recall and averaged over the ranges of the class. Its rows sum to 1.

    .. math:: S_{c,c'} = \frac{1}{N_r(c)} \sum_i \omega(R_{c,i}, R_{c,i} \cap P_{c'}, \delta)

    If classes overlap, a point with its own class among the predicted ones is correct; any other point is split equally between the
    classes that are predicted but not real there. A car heard behind a dog is not an error about the dog.

    ``counts`` counts whole ranges by the class with the largest share in this sense, with equal weights for all points; ties go to the
    correct class, then to the first one. Ranges without any share are missed. The last row counts the predicted ranges that overlap no
    real range.
    """

    real: tuple[Hashable, ...]
    """The classes with real ranges: the rows."""
    predicted: tuple[Hashable, ...]
    """All classes: the columns, before the last."""
    shares: NDArray[np.float64]
    counts: NDArray[np.int64]

    def table(self, *, counts: bool = False) -> Table:
        """The matrix as text."""
        rows = [*map(str, self.real), *([BACKGROUND] if counts else [])]
        values = self.counts if counts else self.shares
        body = [[count_text(value) if counts else score_text(value) for value in row] for row in values.tolist()]
        if counts:
            body[-1][-1] = ""  # neither real nor predicted: not a range
        columns = ["real \\ predicted", *map(str, self.predicted), MISSED]
        return Table(columns, [[name, *row] for name, row in zip(rows, body, strict=True)])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return {
            "rows": [*map(str, self.real), BACKGROUND],
            "columns": [*map(str, self.predicted), MISSED],
            "shares": self.shares.tolist(),
            "counts": self.counts.tolist(),
        }

    def plot(self, ax: Axes | None = None, *, counts: bool = False) -> Axes:
        """Plot the matrix on ``ax`` or on a new figure. Needs the extra ``plots``."""
        from rangewise.plots.confusion_picture import draw_confusion

        return draw_confusion(self, ax, counts=counts)

    def __repr__(self) -> str:
        return f"Confusion({len(self.real)} real classes, {len(self.predicted)} classes)"

    def __str__(self) -> str:
        return f"{self.table().to_text()}\n\n{self.table(counts=True).to_text()}"


def confusion_of(sides: ClassSides, models: Sequence[RangeModel]) -> Confusion:
    """The confusion of real and predicted ranges; each class's model gives the bias."""
    there = [at for at, ranges in enumerate(sides.real) if len(ranges)]
    split = Split(sides.predicted, sides.real)
    shares = np.zeros((len(there), len(sides.classes) + 1))
    counts = np.zeros((len(there) + 1, len(sides.classes) + 1), dtype=np.int64)
    for row, at in enumerate(there):
        of_class = split.shares(sides.real[at], at, models[at].recall_bias)
        shares[row, :-1] = of_class.mean(axis=0)
        shares[row, -1] = max(0.0, 1.0 - shares[row, :-1].sum())
        counts[row] = split.counts(sides.real[at], at)
    everything = Ranges.joined(in_order_of_time(sides.real)[0])
    counts[-1, :-1] = [np.count_nonzero(overlaps_of(_plain(ranges), everything).count == 0) for ranges in sides.predicted]
    return Confusion(tuple(sides.classes[at] for at in there), sides.classes, shares, counts)


class Split:
    """The ranges of several classes; every point is split between the classes there, as seen from the other side.

    A class that is both real and predicted at a point is correct there, and takes no share from others.
    """

    def __init__(self, classes: Sequence[Ranges], others: Sequence[Ranges]) -> None:
        self._classes = [_plain(ranges) for ranges in classes]
        self._wrong = wrong_ranges(classes, others)
        self._holders: NDArray[np.bool_] | None = None
        bounds = in_order_of_time(self._classes)[0]
        if np.any(bounds[1:, 0] < np.maximum.accumulate(bounds[:, 1])[:-1]):
            self._cuts = np.unique(np.concatenate([bounds, in_order_of_time(self._wrong)[0]]))
            self._holders, self._takers = (
                np.column_stack([self._held(ranges) for ranges in side]) for side in (self._classes, self._wrong)
            )

    def shares(self, own: Ranges, at: int, bias: BiasChoice) -> NDArray[np.float64]:
        """The share of each range of ``own``, which is of class ``at``, that each class holds: one row per range, one column per class."""
        model = RangeModel(recall_bias=bias)
        own = _plain(own)
        shares = np.zeros((len(own), len(self._classes)))
        for other in range(len(self._classes)):
            for part, pieces in self._pieces(at, other):
                if len(pieces):
                    shares[:, other] += part * side_rows(model, own, pieces, side="real").size
        return shares

    def counts(self, own: Ranges, at: int) -> NDArray[np.int64]:
        """The number of ranges of ``own``, of class ``at``, by the class with the largest share, and the number without any."""
        shares = self.shares(own, at, "flat")
        most = shares.max(axis=1, keepdims=True)
        # Equal shares may be different sums of thirds.
        largest = shares >= most * (1.0 - 1e-9)
        winner = np.where(largest[:, at], at, largest.argmax(axis=1))
        return np.bincount(np.where(most[:, 0] > 0, winner, len(self._classes)), minlength=len(self._classes) + 1)

    def _held(self, ranges: Ranges) -> NDArray[np.bool_]:
        """Whether each stretch between two cuts lies in the ranges."""
        edges = np.zeros(len(self._cuts), dtype=np.int64)
        np.add.at(edges, np.searchsorted(self._cuts, ranges.starts), 1)
        np.add.at(edges, np.searchsorted(self._cuts, ranges.stops), -1)
        return np.cumsum(edges)[:-1] > 0

    def _pieces(self, at: int, other: int) -> list[tuple[float, Ranges]]:
        """Where class ``other`` takes points that class ``at`` does not have, and its share of each point there."""
        if other == at:
            return [(1.0, self._classes[at])]
        if self._holders is None:
            return [(1.0, self._wrong[other])]
        free = self._takers[:, other] & ~self._holders[:, at]
        sharing = self._takers.sum(axis=1)
        stretches = np.column_stack([self._cuts[:-1], self._cuts[1:]])
        numbers = np.unique(sharing[free]).tolist()
        return [(1.0 / number, trusted_ranges(stretches[free & (sharing == number)])) for number in numbers]


def wrong_ranges(classes: Sequence[Ranges], others: Sequence[Ranges]) -> list[Ranges]:
    """The parts of the ranges of each class where the other side does not have that class."""
    wrong = []
    for ranges, right in zip(classes, others, strict=True):
        zones = _plain(right).merge_touching()
        bounds, _, _ = pieces_outside(ranges.starts, ranges.stops, zones.starts, zones.stops)
        wrong.append(trusted_ranges(bounds))
    return wrong


def _plain(ranges: Ranges) -> Ranges:
    """The same ranges without a clock, which shares do not need."""
    return ranges if type(ranges) is Ranges else trusted_ranges(np.array(ranges))
