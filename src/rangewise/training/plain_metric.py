"""What a metric in a training loop needs of torchmetrics, for those who have not installed it: states that add up over processes."""

from __future__ import annotations

from typing import Any

import torch


class PlainMetric(torch.nn.Module):
    """``update``, ``compute``, ``reset`` and calling it, as torchmetrics has them.

    A state is a tensor that is added up over processes (``"sum"``) or the same everywhere (``"max"``), or a list of tensors that are joined
    (``"cat"``). Tensors are buffers: they go where ``.to(device)`` sends the metric.
    """

    def __init__(self) -> None:
        super().__init__()
        self._defaults: dict[str, torch.Tensor | list[torch.Tensor]] = {}
        self._reductions: dict[str, str] = {}

    def add_state(self, name: str, default: torch.Tensor | list[torch.Tensor], dist_reduce_fx: str) -> None:
        """A tensor that ``update`` adds to, or a list that it appends to."""
        known = ("cat",) if isinstance(default, list) else ("sum", "max")
        if dist_reduce_fx not in known:
            raise ValueError(f"dist_reduce_fx of this state is one of {', '.join(known)}; got {dist_reduce_fx!r}")
        self._defaults[name], self._reductions[name] = default, dist_reduce_fx
        if isinstance(default, list):
            setattr(self, name, [])
        else:
            self.register_buffer(name, default.clone(), persistent=False)

    def reset(self) -> None:
        """Forget all updates."""
        for name, default in self._defaults.items():
            setattr(self, name, [] if isinstance(default, list) else default.clone().to(getattr(self, name).device))

    def summed(self, name: str) -> torch.Tensor:
        """A state, added up over all processes where ``torch.distributed`` runs; what this process holds stays as it is."""
        state: torch.Tensor = getattr(self, name)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            state = state.clone()
            torch.distributed.all_reduce(state)
        return state

    def joined(self, name: str) -> list[torch.Tensor]:
        """The tensors of a list, of all processes where ``torch.distributed`` runs."""
        own: list[torch.Tensor] = getattr(self, name)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            everybody: list[list[torch.Tensor]] = [[] for _ in range(torch.distributed.get_world_size())]
            torch.distributed.all_gather_object(everybody, [each.cpu() for each in own])
            return [each for of_one in everybody for each in of_one]
        return own

    def update(self, *args: Any, **options: Any) -> None:
        raise NotImplementedError

    def compute(self) -> torch.Tensor:
        raise NotImplementedError

    def forward(self, *args: Any, **options: Any) -> torch.Tensor:
        """Update, and the value of this batch alone."""
        kept = {name: getattr(self, name) for name in self._defaults}
        self.reset()
        self.update(*args, **options)
        value = self.compute()
        for name, state in kept.items():
            # Lists are joined by + as sums are added; what is the same everywhere stays.
            setattr(self, name, state if self._reductions[name] == "max" else state + getattr(self, name))
        return value
