"""Types of the compiled kernel (``cpp/bindings*.cpp``). Internal: rangewise checks the input, the kernel trusts it."""

from enum import Enum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

vectors: str
"""Which vector instructions the kernel uses: none, avx2 or avx512."""

class InvalidValueError(ValueError):
    """A label, score or probability that is none; the text is its index."""

class Bias(Enum):
    """Positional biases: those with a closed form, then those that a user's function fills."""

    flat = ...
    front = ...
    back = ...
    middle = ...
    table = ...
    sized = ...

class Cardinality(Enum):
    """Overlap cardinalities: our own, then those that a user's function fills."""

    one = ...
    reciprocal = ...
    consistent = ...
    table = ...
    by_length = ...
    each = ...

class VolumeVariant(Enum):
    """Whose definition of Range-AUC."""

    tsb_ad = ...
    paper = ...
    timeeval = ...

class Rule:
    """How one side of a comparison is rewarded."""

    def __init__(
        self,
        *,
        bias: Bias,
        cardinality: Cardinality,
        alpha: float,
        as_points: bool,
        weights: NDArray[np.float64] | None = None,
        offsets: NDArray[np.int64] | None = None,
        sizes: NDArray[np.float64] | None = None,
        factors: NDArray[np.float64] | None = None,
        factor_offsets: NDArray[np.int64] | None = None,
        weigh_by_length: bool = False,
    ) -> None: ...

RewardParts: TypeAlias = tuple[int, int, int]
"""A sum of rewards: high and low word in units of 2**-94, and whole ones beside them."""

def find_ranges(labels: NDArray[Any], threads: int = 1) -> NDArray[np.int64]:
    """The (n, 2) ranges of 0/1 labels."""

def are_ranges(pairs: NDArray[np.int64]) -> bool:
    """Whether pairs are ranges: none empty or before point 0, in order, and disjoint."""

def have_dense_ranges(labels: NDArray[Any]) -> bool:
    """Whether there is more than about one range per 400 labels."""

class LabelBits:
    """0/1 labels as bits, fewer than 2**31."""

    def __init__(self, labels: NDArray[Any], threads: int = 1) -> None: ...
    def ranges(self) -> NDArray[np.int64]:
        """The (n, 2) ranges of the labels."""

def tally(real: NDArray[np.int64], predicted: NDArray[np.int64], recall: Rule, precision: Rule) -> tuple[RewardParts, RewardParts]:
    """The rewards of the real and of the predicted side."""

def tally_bits(real: LabelBits, predicted: LabelBits, recall: Rule, precision: Rule) -> tuple[RewardParts, RewardParts, int, int]:
    """The rewards of the real and of the predicted side, and their numbers of ranges.

    The rules have a flat bias and a built-in cardinality; they do not score points as ranges or weigh ranges by their length.
    """

def rows(
    own: NDArray[np.int64], other: NDArray[np.int64], rule: Rule, other_points: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Overlaps, covered points, size, factor, reward and center of each range of one side; the other side may count as points."""

def sweep(
    real: NDArray[np.int64],
    scores: NDArray[Any],
    recall: Rule,
    precision: Rule,
    zero_division: float,
    borders: NDArray[np.int64] | None = None,
    rows: NDArray[np.int64] | None = None,
    points: int = 0,
) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.float64]]:
    """The 64 bits of each distinct score, descending, precision and recall there.

    With ``borders`` the scores are of many series, and ``real`` counts one point more before every series but the first. With ``rows``
    they are those of these rows of a series of ``points`` points; the other rows are never predicted.
    """

def sweep_overlaps(
    real: NDArray[np.int64],
    scores: NDArray[Any],
    real_points: bool,
    predicted_points: bool,
    borders: NDArray[np.int64] | None = None,
    rows: NDArray[np.int64] | None = None,
    points: int = 0,
) -> tuple[int, int]:
    """The most overlaps of a real and of a predicted range in a sweep."""

def sweep_runs(
    real: NDArray[np.int64],
    borders: NDArray[np.int64],
    firsts: NDArray[np.int64],
    lasts: NDArray[np.int64],
    groups: NDArray[np.int64],
    recall: Rule,
    precision: Rule,
    zero_division: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, int]:
    """Precision and recall after each group of ranges with a confidence, and the most overlaps of a real and of a predicted range.

    ``borders`` ascend and hold every start and stop; ranges are segments ``[first, last)`` between them, the most confident first, and
    ``groups`` says after how many ranges each threshold is.
    """

def overlap_counts(own: NDArray[np.int64], other: NDArray[np.int64], other_points: bool) -> NDArray[np.int64]:
    """How many ranges of the other side each range meets."""

def point_areas(
    real: NDArray[np.int64], scores: NDArray[Any], beta: float, rows: NDArray[np.int64] | None = None, points: int = 0
) -> tuple[float, float, float, float]:
    """ROC area, PR area by steps and by trapezoids, and the largest F of points."""

def volume(
    real: NDArray[np.int64],
    scores: NDArray[Any],
    variant: VolumeVariant,
    first: int,
    last: int,
    picks: NDArray[np.int64] | None,
    rows: NDArray[np.int64] | None = None,
    points: int = 0,
) -> tuple[float, float]:
    """Mean ROC and PR area over the buffer lengths first..last, at all thresholds or those at the picks."""

def pate(
    real: NDArray[np.int64],
    scores: NDArray[Any],
    early: NDArray[np.int64],
    delay: NDArray[np.int64],
    picks: NDArray[np.int64] | None,
    steps: bool,
    first_f: bool,
    rows: NDArray[np.int64] | None = None,
    points: int = 0,
) -> NDArray[np.float64]:
    """PATE of each pair of buffer lengths: areas, or F at the highest threshold."""

def best_affiliation_fbeta(real: NDArray[np.int64], scores: NDArray[Any], beta: float) -> float:
    """The largest F of affiliation over all thresholds."""

def series_borders(names: NDArray[Any]) -> NDArray[np.int64]:
    """Where a column changes, with both ends: 0, ..., its length. No names give [0]."""

def number_classes(values: NDArray[Any], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The number of each integer among the distinct ones in order, and the index at which each of those first occurs.

    ``values`` are contiguous. None if they span ``most`` integers or more.
    """

def class_ranges(borders: NDArray[np.int64], codes: NDArray[np.int64], classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The (n, 2) ranges of class 0, of class 1 and so on, and where those of each begin. ``codes`` are those of the runs between borders;
    a run of code ``classes`` is of none."""

def find_series_ranges(labels: NDArray[Any], borders: NDArray[np.int64]) -> NDArray[np.int64]:
    """The (n, 2) ranges of 0/1 labels, none over a border between series."""

def tally_series(
    real: NDArray[np.int64], predicted: NDArray[np.int64], borders: NDArray[np.int64], recall: Rule, precision: Rule
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Of each series: four words (high and low of both rewards), numbers of real and predicted ranges, and where its ranges begin."""

def mean_rewards(high: NDArray[np.uint64], low: NDArray[np.uint64], counts: NDArray[np.int64], zero_division: float) -> NDArray[np.float64]:
    """The average reward of each series, correctly rounded; ``zero_division`` where there is no range."""

def firing_levels(values: NDArray[np.uint32], hold: int, keep: int) -> NDArray[np.uint32]:
    """The highest rank at which a rule fires at each step; rank 0 is an absent sample."""

def rule_outcomes(
    levels: NDArray[np.uint32], steps: int, ranks: int, incidents: NDArray[np.int64], interval: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """At each rank from 1: incidents found, alerts, false alerts, firing steps, and the median time to detect and reset time.

    ``levels`` has a row of ``steps`` for each label set. An incident is its first step, the step after its last, and its onset and end in
    nanoseconds after the first step; ``interval`` is the time between steps.
    """

class Target(Enum):
    """What training maximizes."""

    f = ...
    recall = ...
    precision = ...

def lstm_forecasts(
    values: NDArray[np.float64],
    weights: NDArray[np.float32],
    *,
    hidden: int,
    layers: int,
    ahead: int,
    mean: NDArray[np.float64],
    whitening: NDArray[np.float64],
    far: float,
    hold: int,
    first: int,
) -> NDArray[np.float64]:
    """The forecasts that a stacked LSTM makes at each point, flat: (1 or 2, points, ahead, channels).

    ``weights`` are for each layer those from its input, those from its own last output and two biases of its gates, then those of the
    linear layer and its bias; all input by input. With ``hold``, a second network reads the forecast of at most ``hold`` points in a
    row whose whitened error vector has a squared length above ``far``, from point ``first`` on; after ``first`` points in a row that
    are not, it goes on with the state of the first network.
    """

def lstm_squared_error(
    values: NDArray[np.float32],
    starts: NDArray[np.int64],
    weights: NDArray[np.float32],
    *,
    hidden: int,
    layers: int,
    ahead: int,
    steps: int,
    warm_up: int,
    gradient: bool,
    masks: NDArray[np.float32] | None = None,
) -> tuple[float, NDArray[np.float32] | None]:
    """The mean squared error of a stacked LSTM's forecasts, and its gradient by the weights.

    Each sequence begins at one of ``starts`` and has ``steps`` points. At each of them from ``warm_up`` on, the next ``ahead`` points are
    forecast. ``masks`` are factors for the outputs of each layer, flat: (layers, steps, sequences, hidden).
    """

def lstm_last_forecasts(
    values: NDArray[np.float32],
    starts: NDArray[np.int64],
    weights: NDArray[np.float32],
    *,
    hidden: int,
    layers: int,
    ahead: int,
    steps: int,
) -> NDArray[np.float32]:
    """The forecasts that a stacked LSTM makes at the last of ``steps`` points from each start, flat: (sequences, ahead, channels)."""

def soft_objective(
    probabilities: NDArray[Any],
    real: NDArray[np.int64],
    recall: Rule,
    precision: Rule,
    *,
    target: Target,
    beta: float,
    zero_division: float,
    pooled: bool,
    threads: int,
    gradient: bool,
    recall_slopes: NDArray[np.float64] | None = None,
    precision_slopes: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """The soft objective of each row, or of all, and its gradient.

    ``probabilities`` have a row a series; ``real`` counts points through all rows, and no range reaches over the end of one.
    """

def swept_objective(
    probabilities: NDArray[Any],
    real: NDArray[np.int64],
    recall: Rule,
    precision: Rule,
    *,
    target: Target,
    beta: float,
    zero_division: float,
    pooled: bool,
    threads: int,
    gradient: bool,
) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """The objective's mean over all thresholds, of each row or of all, and its gradient."""
