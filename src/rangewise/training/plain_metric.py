"""What a metric in a training loop needs of torchmetrics, for those who have not installed it: states that add up over processes."""

from __future__ import annotations

from typing import Any

import torch


class PlainMetric(torch.nn.Module):
    """``update``, ``compute``, ``reset`` and calling it, as torchmetrics has them; every state is added up over processes.

    States are buffers: they go where ``.to(device)`` sends the metric.
    """

    def __init__(self) -> None:
        super().__init__()
        self._defaults: dict[str, torch.Tensor] = {}

    def add_state(self, name: str, default: torch.Tensor, dist_reduce_fx: str) -> None:
        """A tensor that ``update`` adds to."""
        if dist_reduce_fx != "sum":
            raise ValueError(f"states of a plain metric are added up, so dist_reduce_fx is 'sum'; got {dist_reduce_fx!r}")
        self._defaults[name] = default
        self.register_buffer(name, default.clone(), persistent=False)

    def reset(self) -> None:
        """Forget all updates."""
        for name, default in self._defaults.items():
            setattr(self, name, default.clone().to(getattr(self, name).device))

    def summed(self, name: str) -> torch.Tensor:
        """A state, added up over all processes where ``torch.distributed`` runs; what this process holds stays as it is."""
        state: torch.Tensor = getattr(self, name)
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            state = state.clone()
            torch.distributed.all_reduce(state)
        return state

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
            setattr(self, name, state + getattr(self, name))
        return value
