"""RangeLoss: the model as the loss of a network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch.autograd.function import once_differentiable
from torch.nn import functional

from rangewise import kernel
from rangewise.checks import number
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.training.relaxations import BatchRule, Derivative, Relaxation, RelaxedModel, TargetName, read_derivatives
from rangewise.training.tensors import Rows, check_floating, counted, numpy_of, rows_of


class RangeLoss(torch.nn.Module):
    r"""``1 - F`` of the model for probabilities instead of labels; equal to that of the metric if all of them are 0 or 1.

    .. math:: L(p, R) = 1 - F_T(p, R) + w \cdot BCE(p, R)

    ``soft`` uses expectations in the equations, in O(n): :math:`S_i = \sum w_t p_t`, existence :math:`\max p_t`, pieces
    :math:`\max(1, p_a + \sum (p_t - p_{t-1})^+)` for a real range; for precision each point with its expected run around it. ``sweep`` is
    the mean of the exact F over all thresholds, :math:`\int_0^1 F_T(\{t : p_t \ge \tau\}) d\tau`, in O(n log n). From 0 to 1 without
    ``bce_weight``, lower is better. It is a loss for fine-tuning: train with cross-entropy first (``docs/pytorch.md``).

    :param model: a :class:`rangewise.RangeModel` without a size function.
    :param relaxation: ``"soft"`` or ``"sweep"``. ``sweep`` supports all four biases and any cardinality; ``soft`` does not support
        ``middle`` for precision, and needs ``derivative`` for a custom cardinality.
    :param target: ``"f"``, ``"recall"`` or ``"precision"``: what is maximized. The loss is 1 minus it.
    :param bce_weight: the weight :math:`w` of the binary cross-entropy that is added, 0 or more.
    :param logits: whether the input is logits, to which the sigmoid is applied.
    :param batch: ``"pooled"``: rewards and ranges of all rows add up to one F, as :class:`RangeMetric` does; ``"mean"``: the mean of the
        losses of the rows, of which those without a real range have no gradient.
    :param ignore_index: labels with this value are padding, which does not count for F or for the cross-entropy.
    :param derivative: ``(overlaps) -> slope`` of a custom cardinality, at 1, 2, 3, ...; or a dict by side.

    If no row has a real range, recall is ``zero_division``, F is constant and its gradient 0; only the cross-entropy has a gradient.

    >>> loss = RangeLoss(RangeModel(cardinality="reciprocal"))
    >>> p = torch.tensor([0.1, 0.8, 0.9, 0.2], requires_grad=True)
    >>> value = loss(p, [(1, 3)])
    >>> round(value.item(), 3)
    0.137
    >>> value.backward()
    >>> [slope < 0 for slope in p.grad.tolist()]
    [False, True, True, False]
    """

    def __init__(
        self,
        model: RangeModel | None = None,
        *,
        relaxation: Relaxation = "soft",
        target: TargetName = "f",
        bce_weight: float = 0.0,
        logits: bool = False,
        batch: BatchRule = "pooled",
        ignore_index: int | None = None,
        derivative: Derivative | Mapping[str, Derivative] | None = None,
    ) -> None:
        super().__init__()
        self.model = RangeModel() if model is None else model
        self.bce_weight = number("bce_weight", bce_weight)
        if not 0.0 <= self.bce_weight < math.inf:
            raise ValueError(f"bce_weight must be 0 or more; got {bce_weight}")
        self.logits = logits
        self.ignore_index = ignore_index
        self._relaxed = RelaxedModel(self.model, relaxation, target, batch, read_derivatives(derivative))
        self._relaxed.check_derivatives_used(one_for_both=not isinstance(derivative, Mapping))

    def forward(self, probabilities: torch.Tensor, real: Any, *, mask: Any = None) -> torch.Tensor:
        """The loss of one series, (n,), or of a batch, (batch, n).

        ``real`` is labels of the same shape, as a tensor or an array, or ranges: for one series pairs or :class:`rangewise.Ranges`, for
        a batch a list of them. ``mask`` has the same shape and is False for padding; padding has no gradient and may be nan.
        """
        name = "logits" if self.logits else "probabilities"
        rows = rows_of(probabilities, name)
        check_floating(probabilities, name)
        ranges, counts = counted(real, rows, mask, self.ignore_index)
        if counts is not None:
            counts = counts.to(probabilities.device)
            # Never predicted: a logit that is infinitely low, or a probability of 0.
            probabilities = torch.where(counts, probabilities, -torch.inf if self.logits else 0.0)
        given = torch.sigmoid(probabilities) if self.logits else probabilities
        score: torch.Tensor = _Relaxed.apply(given, self._relaxed, ranges, rows, self.logits)  # type: ignore[no-untyped-call]
        loss = 1.0 - score.mean()
        if self.bce_weight:
            labels = torch.from_numpy(ranges.to_labels(rows.rows * rows.length)).to(probabilities).reshape(rows.shape)
            entropy = functional.binary_cross_entropy_with_logits if self.logits else functional.binary_cross_entropy
            if counts is not None:
                probabilities, labels = probabilities[counts], labels[counts]
            if labels.numel():  # the mean over no points is nan
                loss = loss + self.bce_weight * entropy(probabilities, labels)
        return loss

    def extra_repr(self) -> str:
        relaxed = self._relaxed
        settings = f"relaxation={relaxed.relaxation!r}, target={relaxed.target!r}, bce_weight={self.bce_weight:g}, batch={relaxed.batch!r}"
        return f"{self.model}, {settings}"


class _Relaxed(torch.autograd.Function):
    """The kernel returns the value and the gradient in one call; the backward pass only scales the gradient."""

    @staticmethod
    def forward(ctx: Any, probabilities: torch.Tensor, relaxed: RelaxedModel, real: Ranges, rows: Rows, logits: bool) -> torch.Tensor:
        wanted = bool(ctx.needs_input_grad[0])
        array = numpy_of(probabilities, rows)
        try:
            values, gradient = relaxed(array, real, threads=torch.get_num_threads(), gradient=wanted)
        except kernel.InvalidValueError as error:
            at = int(str(error))
            raise _no_probability(array.reshape(-1)[at], rows.place(at), logits) from None
        if gradient is not None:
            ctx.save_for_backward(torch.from_numpy(gradient).reshape(rows.shape).to(probabilities))
        return torch.from_numpy(values).to(device=probabilities.device, dtype=torch.from_numpy(array[:0]).dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, outer: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (gradient,) = ctx.saved_tensors
        scale = outer.to(gradient.dtype)
        return gradient * (scale if scale.numel() == 1 else scale.unsqueeze(1)), None, None, None, None


def _no_probability(value: float, place: str, logits: bool) -> ValueError:
    if math.isnan(value):
        return ValueError(f"{'logits' if logits else 'probabilities'}{place} is nan: training diverged; lower the learning rate")
    return ValueError(f"probabilities{place} is {value:g}; probabilities must be from 0 to 1. For logits, use RangeLoss(..., logits=True)")
