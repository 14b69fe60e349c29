"""A minimal replacement of torchmetrics, if it is not installed: states that add up over processes."""

from __future__ import annotations

from typing import Any

import torch


class PlainMetric(torch.nn.Module):
    """``update``, ``compute``, ``reset`` and ``forward``, as in torchmetrics.

    A state is a tensor that is summed over processes (``"sum"``) or equal in all (``"max"``), or a list of tensors that are concatenated
    (``"cat"``). Tensors are buffers, which ``.to(device)`` moves.
    """

    def __init__(self) -> None:
        super().__init__()
        self._defaults: dict[str, torch.Tensor | list[torch.Tensor]] = {}
        self._reductions: dict[str, str] = {}
        self._in_batch = False

    def add_state(self, name: str, default: torch.Tensor | list[torch.Tensor], dist_reduce_fx: str) -> None:
        """A tensor that ``update`` adds to, or a list that it appends to."""
        known = ("cat",) if isinstance(default, list) else ("sum", "max")
        if dist_reduce_fx not in known:
            raise ValueError(f"dist_reduce_fx of this state must be one of {', '.join(known)}; got {dist_reduce_fx!r}")
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
        """A state, summed over all processes if ``torch.distributed`` runs; the state of this process does not change."""
        state: torch.Tensor = getattr(self, name)
        if self._shared():
            state = state.clone()
            torch.distributed.all_reduce(state)
        return state

    def joined(self, name: str) -> list[torch.Tensor]:
        """The tensors of a list, of all processes if ``torch.distributed`` runs."""
        own: list[torch.Tensor] = getattr(self, name)
        if self._shared():
            everybody: list[list[torch.Tensor]] = [[] for _ in range(torch.distributed.get_world_size())]
            torch.distributed.all_gather_object(everybody, [each.cpu() for each in own])
            return [each for of_one in everybody for each in of_one]
        return own

    def update(self, *args: Any, **options: Any) -> None:
        raise NotImplementedError

    def compute(self) -> torch.Tensor:
        raise NotImplementedError

    def forward(self, *args: Any, **options: Any) -> torch.Tensor:
        """Update, and return the value of this batch."""
        kept = {name: getattr(self, name) for name in self._defaults}
        self.reset()
        self._in_batch = True
        try:
            self.update(*args, **options)
            value = self.compute()
            # + adds sums and concatenates lists; states that are equal everywhere stay.
            kept |= {name: state + getattr(self, name) for name, state in kept.items() if self._reductions[name] != "max"}
        finally:
            self._in_batch = False
            for name, state in kept.items():
                setattr(self, name, state)
        return value

    def _shared(self) -> bool:
        """Whether there are other processes, whose states count too; not for the value of a batch."""
        return not self._in_batch and torch.distributed.is_available() and torch.distributed.is_initialized()
