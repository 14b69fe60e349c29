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
_FIRST, _NEXT = -1, -2
"""Instead of the number of a series: the first point of a row that is a separate series, and a point that follows the one before it."""


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
        self.add_state("rewards", torch.zeros((2, _LIMBS), dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("ranges", torch.zeros(2, dtype=torch.int64), dist_reduce_fx="sum")
        # One row per point: score, label, position and series.
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
        earlier = self._earlier_windows()
        if earlier is not None and earlier != (window_starts is not None):
            raise _mixed("an earlier update had window_starts=" if earlier else "an earlier update had no window_starts=")
        if window_starts is not None or self._keeps:
            self._keep(predicted, scores, ranges, rows, counts, window_starts, series)
            return
        alarms = label_ranges(scores if scores.dtype == np.uint8 else self._at(predicted, scores, counts), rows, "predictions")
        reward = both_rewards(self.model, ranges, alarms)
        limbs = [[one >> LIMB_BITS * k & _LIMB for k in range(_LIMBS)] for one in reward[:2]]
        self.rewards = self.rewards + torch.tensor(limbs, device=self.rewards.device)
        self.ranges = self.ranges + torch.tensor(reward[2:], device=self.ranges.device)

    def _at(self, predicted: torch.Tensor, scores: NDArray[Any], counts: torch.Tensor | None) -> NDArray[np.bool_]:
        """The prediction at the threshold, without padding."""
        labels = scores >= _own_threshold(self.threshold, predicted)
        return labels if counts is None else labels & counts.detach().cpu().numpy().reshape(labels.shape)

    def _keep(
        self, predicted: torch.Tensor, scores: NDArray[Any], real: Ranges, rows: Rows, counts: torch.Tensor | None, starts: Any, series: Any
    ) -> None:
        values = scores.astype(np.float64)
        if predicted.is_floating_point():
            # What equals the threshold in its own type equals it here, too.
            values[scores == _own_threshold(self.threshold, predicted)] = self.threshold
        elif not 0.0 < self.threshold <= 1.0:
            values += self.threshold - 0.5  # a label is above or below any threshold
        labels = real.to_labels(values.size)
        inside = np.arange(rows.length) + np.zeros((rows.rows, 1))
        if starts is None:
            positions, owners = inside, np.where(inside == 0, _FIRST, _NEXT)
        else:
            positions = inside + _per_row(starts, rows, "window_starts")[:, None]
            owners = np.zeros_like(inside) if series is None else inside * 0 + _per_row(series, rows, "series")[:, None]
        table = np.stack([each.reshape(-1) for each in (values, labels, positions, owners)], axis=1).astype(np.float64)
        if counts is not None:
            points = np.flatnonzero(counts.detach().cpu().numpy())
            table = table[points]
            if starts is None:
                # Padding ends a series.
                table[np.diff(points, prepend=-2) != 1, 3] = _FIRST
        # Joined along the first dimension.
        self.kept = [*self.kept, torch.from_numpy(np.ascontiguousarray(table)).to(self.rewards.device)]

    def _earlier_windows(self) -> bool | None:
        """Whether earlier updates had windows; None if there were none."""
        for each in [self.kept] if isinstance(self.kept, torch.Tensor) else self.kept:
            if each.numel():
                return bool(each[0, 3] >= 0)
        return False if bool(self.ranges.any()) else None

    def _joined(self) -> JoinedSeries | None:
        """All stored points; None if there are none."""
        kept = self.joined("kept") if isinstance(self, PlainMetric) else self.kept
        tensors = [each for each in ([kept] if isinstance(kept, torch.Tensor) else kept) if each.numel()]
        if not tensors:
            return None
        scores, labels, positions, series = torch.cat([each.cpu() for each in tensors]).numpy().T
        alone = series < 0
        if alone.any():
            if not alone.all():
                raise _mixed("some updates had window_starts= and some had none")
            positions, series = np.arange(len(series)), np.cumsum(series == _FIRST)
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
            if not self._keeps and bool(self._state("ranges").any()):
                raise _mixed("some updates had window_starts= and some had none")
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


def _own_threshold(threshold: float, predicted: torch.Tensor) -> float:
    """The threshold in the type of the scores, so that the float32 score nearest to 0.7 reaches 0.7."""
    return float(torch.tensor(threshold, dtype=predicted.dtype).item())


def _mixed(what: str) -> ValueError:
    return ValueError(f"{what}; give it in every update, or in none")


def _identity(*settings: Any) -> torch.Tensor:
    """Small numbers that differ if the settings do; states are compared with a tolerance."""
    model, *others = settings
    digest = hashlib.blake2b(f"{model.short_hash} {others}".encode(), digest_size=16).digest()
    return torch.tensor(list(digest), dtype=torch.int64)


def _per_row(given: Any, rows: Rows, name: str) -> NDArray[np.int64]:
    array = np.atleast_1d(given.detach().cpu().numpy() if isinstance(given, torch.Tensor) else np.asarray(given))
    if array.shape != (rows.rows,) or array.dtype.kind not in "iu":
        raise ValueError(f"{name} has shape {array.shape} and dtype {array.dtype}; expected one integer for each of {rows.rows} rows")
    if (array < 0).any():
        raise ValueError(f"{name} must be 0 or more; got {array.min()}")
    return array.astype(np.int64)
