"""Reading tensors: probabilities, labels and ranges of one series or of a batch, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import shown
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ranges import Ranges, array_of, read_side, trusted_ranges


@dataclass(frozen=True)
class Rows:
    """How a batch lies: so many series of so many points; one series may come without the dimension of the batch."""

    rows: int
    length: int
    single: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape as the user gave it."""
        return (self.length,) if self.single else (self.rows, self.length)

    @property
    def borders(self) -> NDArray[np.int64]:
        """Where rows begin when all stand in one line, and where the last one ends."""
        return np.arange(self.rows + 1, dtype=np.int64) * self.length

    def place(self, index: int) -> str:
        """A point of the line as an index of what the user gave.

        >>> Rows(3, 10, False).place(25), Rows(1, 10, True).place(5)
        ('[2, 5]', '[5]')
        """
        return f"[{index}]" if self.single else f"[{index // self.length}, {index % self.length}]"


def rows_of(tensor: object, name: str) -> Rows:
    """The shape of a tensor that is one series or a batch."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name} are a torch tensor of shape (n,) or (batch, n); got {shown(tensor)}")
    if tensor.dim() not in (1, 2) or not tensor.numel():
        way_out = "; squeeze the dimension of the channels, e.g. .squeeze(1)" if tensor.dim() == 3 else ""
        raise ValueError(f"{name} have shape {tuple(tensor.shape)}; expected (n,) or (batch, n), with a point at least{way_out}")
    single = tensor.dim() == 1
    return Rows(1 if single else tensor.shape[0], tensor.shape[-1], single)


def check_floating(tensor: torch.Tensor, name: str) -> None:
    if not tensor.is_floating_point():
        raise TypeError(f"{name} are floating-point numbers; got {tensor.dtype}: labels are for RangeMetric, or call .float()")


def real_ranges(real: Any, rows: Rows, name: str = "real") -> Ranges:
    """The real ranges of all rows in one line: ``[start, stop)`` of row i begins at ``i * length``. None reaches over a row's end.

    ``real`` is labels of the shape of the batch, or for each row labels or ranges; for a single series these without a list around.
    """
    if isinstance(real, (torch.Tensor, np.ndarray)) and real.dtype != object:
        array = array_of(real, name)
        if array.shape == rows.shape:
            return label_ranges(array, rows, name)
        if not (rows.single and array.ndim == 2 and array.shape[1] == 2):
            raise ValueError(
                f"the predictions have shape {rows.shape} and {name} has {array.shape}; give labels of the same shape, or ranges"
            )
    if rows.single:
        return _row_ranges(real, rows, name)
    if not isinstance(real, Sequence) or isinstance(real, (str, bytes)):
        raise TypeError(f"{name} of a batch is labels of shape {rows.shape}, or a list with Ranges for each row; got {shown(real)}")
    if len(real) != rows.rows:
        raise ValueError(f"{name} has {len(real)} entries for {rows.rows} rows; give Ranges, or labels, for each row")
    shifted = [_row_ranges(one, rows, f"{name}[{row}]")._bounds + row * rows.length for row, one in enumerate(real)]
    return trusted_ranges(np.ascontiguousarray(np.concatenate(shifted)))


def label_ranges(labels: NDArray[Any], rows: Rows, name: str) -> Ranges:
    """The ranges of 0/1 labels of all rows in one line."""
    if labels.dtype.kind not in "biuf" or labels.dtype.itemsize not in (1, 4, 8):
        labels = labels.astype(np.float32)
    try:
        return trusted_ranges(kernel.find_series_ranges(np.ascontiguousarray(labels).reshape(-1), rows.borders))
    except kernel.InvalidValueError as error:
        at = int(str(error))
        raise ValueError(f"{name}{rows.place(at)} is {labels.reshape(-1)[at]}; labels are 0 or 1") from None


def _row_ranges(real: Any, rows: Rows, name: str) -> Ranges:
    ranges, labels = read_side(real, name)
    if isinstance(ranges.clock, Clock):
        raise ValueError(f"{name} is given in times, and a tensor has points without times; give labels, or ranges of points from 0 up")
    if labels is not None and labels != rows.length:
        raise ValueError(f"{name} has {labels} labels for {rows.length} points; give one a point")
    if len(ranges) and ranges.stops[-1] > rows.length:
        raise ValueError(f"{name} has the range {ranges[-1]}, outside of the {rows.length} points; ranges are half-open, from 0 up")
    return ranges


def read_mask(mask: Any, rows: Rows) -> torch.Tensor | None:
    """Which points count, of the shape of the batch; None: all of them."""
    if mask is None:
        return None
    found = mask if isinstance(mask, torch.Tensor) else torch.as_tensor(np.asarray(mask))
    if found.dtype != torch.bool:
        raise TypeError(f"mask is True where points count, False where they are padding; got dtype {found.dtype}: e.g. lengths > index")
    if tuple(found.shape) != rows.shape:
        raise ValueError(f"mask has shape {tuple(found.shape)} and the predictions have {rows.shape}; give one entry per point")
    return found


def counted(real: Any, rows: Rows, mask: Any, ignore_index: int | None) -> tuple[Ranges, torch.Tensor | None]:
    """The real ranges of what counts, and a mask of it; None: all points count.

    A point does not count where ``mask`` is False or the label is ``ignore_index``.
    """
    chosen = read_mask(mask, rows)
    if ignore_index is not None:
        labels = real if isinstance(real, torch.Tensor) else torch.as_tensor(np.asarray(real)) if isinstance(real, np.ndarray) else None
        if labels is None or tuple(labels.shape) != rows.shape:
            raise ValueError(f"ignore_index is a value of labels, so give labels of shape {rows.shape}; got {shown(real)}")
        padding = labels == ignore_index
        real = labels.masked_fill(padding, 0)
        chosen = ~padding if chosen is None else chosen.to(padding.device) & ~padding
    ranges = real_ranges(real, rows)
    if chosen is None:
        return ranges, None
    kept = chosen.detach().cpu().numpy().reshape(-1)
    labels_left = ranges.to_labels(rows.rows * rows.length) & kept
    return label_ranges(labels_left.astype(np.uint8), rows, "real"), chosen


def numpy_of(tensor: torch.Tensor, rows: Rows) -> NDArray[Any]:
    """A floating tensor of any device as a contiguous float32 or float64 array with one row per series."""
    wide = tensor.detach().to(device="cpu", dtype=torch.float64 if tensor.dtype == torch.float64 else torch.float32)
    array: NDArray[Any] = wide.contiguous().numpy()
    return array.reshape(rows.rows, rows.length)
