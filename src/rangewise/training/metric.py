"""RangeMetric: the model as a metric in a training loop."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from rangewise.checks import number, shown, unknown_name
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.model.rewards import both_rewards
from rangewise.model.tally import Tally
from rangewise.training.kept_scores import JoinedSeries
from rangewise.training.plain_metric import PlainMetric
from rangewise.training.relaxations import TARGETS
from rangewise.training.tensors import Rows, counted, label_ranges, numpy_of, rows_of

if TYPE_CHECKING:
    _Base = PlainMetric
else:
    try:
        from torchmetrics import Metric as _Base
    except ImportError:
        _Base = PlainMetric

MetricTarget: TypeAlias = Literal["f", "recall", "precision", "best_f", "average_precision"]
METRIC_TARGETS = (*TARGETS, "best_f", "average_precision")
LIMB_BITS = 31
"""Rewards are integers of up to 127 bits; split into parts of this many bits, sums over 2**32 updates stay exact in int64."""
_LIMBS = 5
_LIMB = (1 << LIMB_BITS) - 1


class RangeMetric(_Base):
    r"""Precision, recall or F of the model over all batches, pooled: rewards and ranges add up, exactly, over updates and processes.

    .. math:: Recall = \frac{\sum_{series} \sum_i Recall_T(R_i, P)}{\sum_{series} N_r}, \quad
              Precision = \frac{\sum_{series} \sum_i Precision_T(R, P_i)}{\sum_{series} N_p}

    From 0 to 1, higher is better; ``zero_division`` of the model if a side is empty. A ``torchmetrics.Metric`` if torchmetrics is
    installed, otherwise a module with the same methods. Each row is a separate series: no range continues in the next row.

    :param model: a :class:`rangewise.RangeModel`.
    :param threshold: floating-point predictions at or above it are anomalous; labels (bool or integers) are used directly.
    :param target: the result of :meth:`compute`: ``"f"``, ``"precision"`` or ``"recall"`` at the threshold (:meth:`tally` has all of them);
        ``"best_f"``, the largest F of any threshold over all updates, or ``"average_precision"``; these two store the scores of an epoch.
    :param logits: whether predictions are logits, to which the sigmoid is applied before the threshold.
    :param ignore_index: labels with this value are padding, which is ignored.

    >>> metric = RangeMetric(RangeModel(), threshold=0.5)
    >>> metric.update(torch.tensor([0.1, 0.2, 0.9, 0.8]), torch.tensor([0, 1, 1, 0]))
    >>> metric.update(torch.tensor([0.1, 0.9, 0.9, 0.2]), torch.tensor([0, 1, 1, 0]))
    >>> metric.compute()
    tensor(0.7500)
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False

    rewards: torch.Tensor
    ranges: torch.Tensor
    identity: torch.Tensor
    kept: list[torch.Tensor]

    def __init__(
        self,
        model: RangeModel | None = None,
        *,
        threshold: float = 0.5,
        target: MetricTarget = "f",
        logits: bool = False,
        ignore_index: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.model = RangeModel() if model is None else model
        if not isinstance(self.model, RangeModel):
            raise TypeError(f"model must be a RangeModel; got {shown(model)}")
        self.threshold = number("threshold", threshold)
        if np.isnan(self.threshold):
            raise ValueError("threshold must be a number; got nan")
        if target not in METRIC_TARGETS:
            raise unknown_name("target", target, METRIC_TARGETS)
        self.target = target
        self.logits = logits
        self.ignore_index = ignore_index
        self._keeps = target not in TARGETS
        self._series = 0
        self.add_state("rewards", torch.zeros((2, _LIMBS), dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("ranges", torch.zeros(2, dtype=torch.int64), dist_reduce_fx="sum")
        # One row each for scores, labels, positions and series.
        self.add_state("kept", [], dist_reduce_fx="cat")
        # A MetricCollection merges metrics whose states are equal after the first batch, which is wrong for two models.
        self.add_state("identity", _identity(self.model, self.threshold, logits, ignore_index, self._keeps), dist_reduce_fx="max")

    def update(self, predicted: torch.Tensor, real: Any, *, mask: Any = None, window_starts: Any = None, series: Any = None) -> None:
        """Add a series, (n,), or a batch of them, (batch, n).

        ``predicted`` are scores or labels of any dtype and device; ``real`` are labels of the same shape, or ranges: for a batch a list
        of :class:`rangewise.Ranges`.

        :param mask: False for padding, in the same shape.
        :param window_starts: the position of each row in its series: windows are joined to series before scoring, and a point in several
            windows gets the mean of its scores. Give it in every update, or in none.
        :param series: with ``window_starts``, the number of the series of each row; by default there is one series.
        """
        rows = rows_of(predicted, "predictions")
        ranges, counts = counted(real, rows, mask, self.ignore_index)
        scores = _scores(predicted, rows, self.logits, counts)
        if window_starts is None and series is not None:
            raise ValueError("series= is the series of each window; give window_starts= too")
        if window_starts is not None or self._keeps:
            if window_starts is not None and bool(self.ranges.any()):
                raise ValueError("an earlier update had no window_starts=; give it in every update, or in none")
            self._keep(scores, ranges, rows, counts, window_starts, series)
            return
        alarms = label_ranges(scores if scores.dtype == np.uint8 else _at(scores, self.threshold, counts), rows, "predictions")
        reward = both_rewards(self.model, ranges, alarms)
        limbs = [[one >> LIMB_BITS * k & _LIMB for k in range(_LIMBS)] for one in reward[:2]]
        self.rewards = self.rewards + torch.tensor(limbs, device=self.rewards.device)
        self.ranges = self.ranges + torch.tensor(reward[2:], device=self.ranges.device)

    def _keep(self, scores: NDArray[Any], real: Ranges, rows: Rows, counts: torch.Tensor | None, window_starts: Any, series: Any) -> None:
        points = rows.rows * rows.length
        if window_starts is None:
            # Every row is a separate series; processes count separately.
            first = self._series + (_rank() << 40)
            starts, owners = np.zeros(rows.rows, dtype=np.int64), np.arange(rows.rows, dtype=np.int64) + first
            self._series += rows.rows
        else:
            starts = _per_row(window_starts, rows, "window_starts")
            owners = np.zeros(rows.rows, dtype=np.int64) if series is None else _per_row(series, rows, "series")
        positions = (starts[:, None] + np.arange(rows.length)).reshape(-1)
        table = np.stack(
            [scores.reshape(-1).astype(np.float64), real.to_labels(points).astype(np.float64), positions.astype(np.float64),
             np.repeat(owners, rows.length).astype(np.float64)]
        )  # fmt: skip
        if counts is not None:
            table = table[:, counts.detach().cpu().numpy().reshape(-1)]
        # Joined along the first dimension: one row per point.
        self.kept = [*self.kept, torch.from_numpy(np.ascontiguousarray(table.T)).to(self.rewards.device)]

    def _joined(self) -> JoinedSeries | None:
        """All stored points; None if there are none."""
        kept = self.joined("kept") if isinstance(self, PlainMetric) else self.kept
        tensors = [each for each in ([kept] if isinstance(kept, torch.Tensor) else kept) if each.numel()]
        if not tensors:
            return None
        table = torch.cat([each.cpu() for each in tensors]).numpy()
        scores, labels, positions, series = table.T
        return JoinedSeries.of(scores, labels, positions.astype(np.int64), series.astype(np.int64))

    def compute(self) -> torch.Tensor:
        """The value over all updates and all processes, as a scalar tensor."""
        value = self._over_thresholds() if self._keeps else getattr(self.tally().score(), self.target)
        return torch.tensor(value, dtype=torch.get_default_dtype(), device=self.rewards.device)

    def _over_thresholds(self) -> float:
        joined = self._joined()
        if joined is None or not len(joined.scores):
            return self.model.zero_division
        curve = joined.curve(self.model)
        return curve.average_precision if self.target == "average_precision" else float(np.max(curve.f))

    def tally(self) -> Tally:
        """The result so far, as a :class:`rangewise.Tally`: ``.score()`` has precision, recall and F at the threshold.

        With torchmetrics it is that of this process, unless states are synced; without torchmetrics it is that of all processes.
        """
        joined = self._joined()
        if joined is not None:
            real, predicted, real_ranges, predicted_ranges = both_rewards(self.model, *joined.sides(self.threshold))
            return Tally(self.model, real, real_ranges, predicted, predicted_ranges)
        real, predicted = (sum(int(limb) << LIMB_BITS * k for k, limb in enumerate(side)) for side in self._state("rewards").tolist())
        real_ranges, predicted_ranges = self._state("ranges").tolist()
        return Tally(self.model, real, real_ranges, predicted, predicted_ranges)

    def _state(self, name: str) -> torch.Tensor:
        # torchmetrics sums over processes before compute.
        state: torch.Tensor = self.summed(name) if isinstance(self, PlainMetric) else getattr(self, name)
        return state


def _scores(predicted: torch.Tensor, rows: Rows, logits: bool, counts: torch.Tensor | None) -> NDArray[Any]:
    """Labels as uint8, or scores; padding is 0, or the lowest score."""
    kept = None if counts is None else counts.to(predicted.device)
    if not predicted.is_floating_point():
        if logits:
            raise TypeError(f"logits must be floating-point numbers; got {predicted.dtype}: leave logits out for labels")
        labels = predicted if kept is None else predicted.masked_fill(~kept, 0)
        array = labels.detach().cpu().numpy()
        label_ranges(array, rows, "predictions")
        return np.asarray(array).astype(np.uint8)
    given = torch.sigmoid(predicted) if logits else predicted
    scores = numpy_of(given if kept is None else given.masked_fill(~kept, -torch.inf), rows)
    missing = np.flatnonzero(np.isnan(scores).reshape(-1))
    if missing.size:
        raise ValueError(f"predictions{rows.place(int(missing[0]))} is nan; scores must be numbers")
    return scores


def _at(scores: NDArray[Any], threshold: float, counts: torch.Tensor | None) -> NDArray[np.bool_]:
    """The prediction at a threshold, without padding."""
    predicted = scores >= threshold
    return predicted if counts is None else predicted & counts.detach().cpu().numpy().reshape(predicted.shape)


def _identity(*settings: Any) -> torch.Tensor:
    """Small numbers that differ if the settings do; states are compared with a tolerance."""
    model, *others = settings
    digest = hashlib.blake2b(f"{model.short_hash} {others}".encode(), digest_size=16).digest()
    return torch.tensor(list(digest), dtype=torch.int64)


def _rank() -> int:
    ready = torch.distributed.is_available() and torch.distributed.is_initialized()
    return torch.distributed.get_rank() if ready else 0


def _per_row(given: Any, rows: Rows, name: str) -> NDArray[np.int64]:
    array = np.atleast_1d(given.detach().cpu().numpy() if isinstance(given, torch.Tensor) else np.asarray(given))
    if array.shape != (rows.rows,) or array.dtype.kind not in "iu":
        raise ValueError(f"{name} has shape {array.shape} and dtype {array.dtype}; expected one integer for each of {rows.rows} rows")
    if (array < 0).any():
        raise ValueError(f"{name} must be 0 or more; got {array.min()}")
    return array.astype(np.int64)
