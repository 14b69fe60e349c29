"""Types of the compiled kernel (``cpp/bindings.cpp``). Internal: rangewise checks the input, the kernel trusts it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

class Rule:
    """How one side of a comparison is rewarded; the numbers of ``bias`` and ``cardinality`` are those of ``cpp/``."""

    def __init__(
        self,
        *,
        bias: int,
        cardinality: int,
        alpha: float,
        as_points: bool,
        weights: NDArray[np.float64] | None = None,
        offsets: NDArray[np.int64] | None = None,
        sizes: NDArray[np.float64] | None = None,
        factors: NDArray[np.float64] | None = None,
    ) -> None: ...

def find_ranges(labels: NDArray[Any]) -> NDArray[np.int64] | int:
    """The (n, 2) ranges of 0/1 labels, or the index of the first label that is neither."""

def tally(real: NDArray[np.int64], predicted: NDArray[np.int64], recall: Rule, precision: Rule) -> tuple[int, int, int, int]:
    """High and low word of the rewards of the real, then of the predicted side, in units of 2**-94."""

def rows(
    own: NDArray[np.int64], other: NDArray[np.int64], rule: Rule
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Overlaps, covered points, size, factor, reward and centre of each range of one side."""

def sweep(
    real: NDArray[np.int64], scores: NDArray[Any], recall: Rule, precision: Rule, zero_division: float
) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.float64]] | int:
    """The 64 bits of each distinct score, descending, precision and recall there; or the index of the first NaN."""

def sweep_overlaps(real: NDArray[np.int64], scores: NDArray[Any], real_points: bool, predicted_points: bool) -> tuple[int, int] | int:
    """The most overlaps of a real and of a predicted range in a sweep; or the index of the first NaN."""

def overlap_counts(own: NDArray[np.int64], other: NDArray[np.int64], other_points: bool) -> NDArray[np.int64]:
    """How many ranges of the other side each range meets."""
