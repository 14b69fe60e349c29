"""RangeMetric: the model as a metric in a training loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from rangewise.checks import number, shown, unknown_name
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.model.rewards import both_rewards
from rangewise.model.tally import Tally
from rangewise.training.plain_metric import PlainMetric
from rangewise.training.relaxations import TARGETS, TargetName
from rangewise.training.tensors import Rows, label_ranges, numpy_of, real_ranges, rows_of

if TYPE_CHECKING:
    _Base = PlainMetric
else:
    try:
        from torchmetrics import Metric as _Base
    except ImportError:
        _Base = PlainMetric

LIMB_BITS = 31
"""Rewards are whole numbers of up to 127 bits; in parts of so many bits, sums over 2**32 updates stay exact in int64."""
_LIMBS = 5
_LIMB = (1 << LIMB_BITS) - 1


class RangeMetric(_Base):
    r"""Precision, recall or F of the model over all batches, pooled: rewards and ranges add up, exactly, over updates and processes.

    .. math:: Recall = \frac{\sum_{series} \sum_i Recall_T(R_i, P)}{\sum_{series} N_r}, \quad
              Precision = \frac{\sum_{series} \sum_i Precision_T(R, P_i)}{\sum_{series} N_p}

    From 0 to 1, higher is better; ``zero_division`` of the model where a side is empty. A ``torchmetrics.Metric`` where torchmetrics is
    installed; without it a module with the same methods. Each row is a series of its own: no range reaches from one into the next.

    :param model: a :class:`rangewise.RangeModel`.
    :param threshold: floating-point predictions are anomalous from here up; labels (bool or integers) are taken as they are.
    :param side: what :meth:`compute` gives: ``"f"``, ``"precision"`` or ``"recall"``. :meth:`tally` has all of them.

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

    def __init__(self, model: RangeModel | None = None, *, threshold: float = 0.5, side: TargetName = "f", **options: Any) -> None:
        super().__init__(**options)
        self.model = RangeModel() if model is None else model
        if not isinstance(self.model, RangeModel):
            raise TypeError(f"a metric is made of a RangeModel; got {shown(model)}")
        self.threshold = number("threshold", threshold)
        if np.isnan(self.threshold):
            raise ValueError("threshold is a number; got nan")
        if side not in TARGETS:
            raise unknown_name("side", side, TARGETS)
        self.side = side
        self.add_state("rewards", torch.zeros((2, _LIMBS), dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("ranges", torch.zeros(2, dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, predicted: torch.Tensor, real: Any) -> None:
        """Add a series, (n,), or a batch of them, (batch, n).

        ``predicted`` are scores or labels of any dtype and device; ``real`` are labels of the same shape, or ranges: for a batch a list
        of :class:`rangewise.Ranges`.
        """
        rows = rows_of(predicted, "predictions")
        found = _predicted_ranges(predicted, rows, self.threshold)
        reward = both_rewards(self.model, real_ranges(real, rows), found)
        limbs = [[one >> LIMB_BITS * k & _LIMB for k in range(_LIMBS)] for one in reward[:2]]
        self.rewards = self.rewards + torch.tensor(limbs, device=self.rewards.device)
        self.ranges = self.ranges + torch.tensor(reward[2:], device=self.ranges.device)

    def compute(self) -> torch.Tensor:
        """The value over all updates, and over all processes, as a tensor without dimensions."""
        return torch.tensor(getattr(self.tally().score(), self.side), dtype=torch.get_default_dtype(), device=self.rewards.device)

    def tally(self) -> Tally:
        """What was added so far, as a :class:`rangewise.Tally`: ``.score()`` has precision, recall and F.

        With torchmetrics that of this process, unless states are synced; without it that of all processes.
        """
        real, predicted = (sum(int(limb) << LIMB_BITS * k for k, limb in enumerate(side)) for side in self._state("rewards").tolist())
        real_ranges, predicted_ranges = self._state("ranges").tolist()
        return Tally(self.model, real, real_ranges, predicted, predicted_ranges)

    def _state(self, name: str) -> torch.Tensor:
        # torchmetrics has added up over processes before compute.
        state: torch.Tensor = self.summed(name) if isinstance(self, PlainMetric) else getattr(self, name)
        return state


def _predicted_ranges(predicted: torch.Tensor, rows: Rows, threshold: float) -> Ranges:
    if not predicted.is_floating_point():
        return label_ranges(predicted.detach().cpu().numpy(), rows, "predictions")
    scores = numpy_of(predicted, rows)
    missing = np.flatnonzero(np.isnan(scores).reshape(-1))
    if missing.size:
        raise ValueError(f"predictions{rows.place(int(missing[0]))} is nan; a score is a number")
    return label_ranges(scores >= threshold, rows, "predictions")
