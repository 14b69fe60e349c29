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
    """The shape of a batch: the number of series and of points; a single series may lack the batch dimension."""

    rows: int
    length: int
    single: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the input."""
        return (self.length,) if self.single else (self.rows, self.length)

    @property
    def borders(self) -> NDArray[np.int64]:
        """The start of each row in the concatenated batch, and the end of the last row."""
        return np.arange(self.rows + 1, dtype=np.int64) * self.length

    def place(self, index: int) -> str:
        """A point of the concatenated batch as an index of the input.

        >>> Rows(3, 10, False).place(25), Rows(1, 10, True).place(5)
        ('[2, 5]', '[5]')
        """
        return f"[{index}]" if self.single else f"[{index // self.length}, {index % self.length}]"


def rows_of(tensor: object, name: str) -> Rows:
    """The shape of a tensor with one series or a batch."""
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name} must be a torch tensor of shape (n,) or (batch, n); got {shown(tensor)}")
    if tensor.dim() not in (1, 2) or not tensor.numel():
        way_out = "; squeeze the channel dimension, e.g. .squeeze(1)" if tensor.dim() == 3 else ""
        raise ValueError(f"{name} have shape {tuple(tensor.shape)}; expected (n,) or (batch, n), with at least one point{way_out}")
    single = tensor.dim() == 1
    return Rows(1 if single else tensor.shape[0], tensor.shape[-1], single)


def check_floating(tensor: torch.Tensor, name: str) -> None:
    if not tensor.is_floating_point():
        raise TypeError(f"{name} must be floating-point numbers; got {tensor.dtype}: use RangeMetric for labels, or call .float()")


def real_ranges(real: Any, rows: Rows, name: str = "real") -> Ranges:
    """The real ranges of all concatenated rows: row i begins at ``i * length``. No range crosses the end of a row.

    ``real`` has labels of the shape of the batch, or a list with labels or ranges for each row; for a single series, without the list.
    """
    if isinstance(real, (torch.Tensor, np.ndarray)) and real.dtype != object:
        array = array_of(real, name)
        if array.shape == rows.shape:
            return label_ranges(array, rows, name)
        if not (rows.single and array.ndim == 2 and array.shape[1] == 2):
            raise ValueError(
                f"the predictions have shape {rows.shape}, but {name} has {array.shape}; give labels of the same shape, or ranges"
            )
    if rows.single:
        return _row_ranges(real, rows, name)
    if not isinstance(real, Sequence) or isinstance(real, (str, bytes)):
        raise TypeError(f"{name} of a batch must be labels of shape {rows.shape}, or a list with Ranges for each row; got {shown(real)}")
    if len(real) != rows.rows:
        raise ValueError(f"{name} has {len(real)} entries for {rows.rows} rows; give Ranges, or labels, for each row")
    shifted = [_row_ranges(one, rows, f"{name}[{row}]")._bounds + row * rows.length for row, one in enumerate(real)]
    return trusted_ranges(np.ascontiguousarray(np.concatenate(shifted)))


def label_ranges(labels: NDArray[Any], rows: Rows, name: str) -> Ranges:
    """The ranges of 0/1 labels of all concatenated rows."""
    if labels.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {labels.dtype}; labels are bool, integers, or floats that are 0.0 or 1.0")
    if labels.dtype.itemsize not in (1, 4, 8) or not labels.dtype.isnative:
        labels = labels.astype(np.float64)
    try:
        return trusted_ranges(kernel.find_series_ranges(np.ascontiguousarray(labels).reshape(-1), rows.borders))
    except kernel.InvalidValueError as error:
        at = int(str(error))
        raise ValueError(f"{name}{rows.place(at)} is {labels.reshape(-1)[at]}; labels are 0 or 1") from None


def _row_ranges(real: Any, rows: Rows, name: str) -> Ranges:
    ranges, labels = read_side(real, name)
    if isinstance(ranges.clock, Clock):
        raise ValueError(f"{name} is in times, but a tensor has no times; give labels, or ranges of points counted from 0")
    if labels is not None and labels != rows.length:
        raise ValueError(f"{name} has {labels} labels for {rows.length} points; give one per point")
    if len(ranges) and ranges.stops[-1] > rows.length:
        raise ValueError(
            f"{name} has the range {ranges[-1]}, outside of the {rows.length} points; ranges are [start, stop), counted from 0"
        )
    return ranges


def read_mask(mask: Any, rows: Rows) -> torch.Tensor | None:
    """The points that are not padding, in the shape of the batch; None for all points."""
    if mask is None:
        return None
    given = mask if isinstance(mask, torch.Tensor) else np.asarray(mask)
    if given.dtype not in (torch.bool, np.bool_):
        raise TypeError(f"mask must be boolean: True for points, False for padding; got dtype {given.dtype}")
    if tuple(given.shape) != rows.shape:
        raise ValueError(f"mask has shape {tuple(given.shape)}, but the predictions have {rows.shape}; give one entry per point")
    # A copy, because torch takes no negative strides and warns about read-only arrays.
    return given if isinstance(given, torch.Tensor) else torch.from_numpy(np.array(given, order="C"))


def counted(real: Any, rows: Rows, mask: Any, ignore_index: int | None) -> tuple[Ranges, torch.Tensor | None]:
    """The real ranges without padding, and a mask of the other points (None for all points).

    Padding is where ``mask`` is False or the label is ``ignore_index``.
    """
    chosen = read_mask(mask, rows)
    if ignore_index is not None:
        labels = array_of(real, "real") if isinstance(real, (torch.Tensor, np.ndarray)) else None
        if labels is None or labels.shape != rows.shape:
            raise ValueError(f"ignore_index needs labels of shape {rows.shape}; got {shown(real)}")
        is_point = labels != ignore_index
        real = np.where(is_point, labels, np.zeros_like(labels))
        chosen = torch.from_numpy(is_point) if chosen is None else chosen.cpu() & torch.from_numpy(is_point)
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
