"""Series: values with the ranges that are really anomalous."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.ranges import Ranges, as_ranges


@dataclass(frozen=True, eq=False)
class Series:
    """A time series and its real anomalies. Frozen; checks itself.

    ``values`` has a row a point and a column a channel (one dimension becomes one channel). ``timestamps`` is None, integers or
    ``datetime64``, one a row. ``train`` is the half-open range of rows meant for training, or None.

    >>> series = Series("example", [1.0, 2.0, 9.0, 9.5, 2.0], real=[(2, 4)])
    >>> len(series), series.channels, series.labels.tolist()
    (5, 1, [0, 0, 1, 1, 0])
    """

    name: str
    values: NDArray[np.float64]
    timestamps: NDArray[Any] | None = None
    real: Ranges = field(default_factory=Ranges)
    train: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        if values.ndim == 1:
            values = values[:, np.newaxis]
        if values.ndim != 2:
            raise ValueError(f"series {self.name}: values have shape {values.shape}; expected (points,) or (points, channels)")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        real = as_ranges(self.real, f"series {self.name}: real")
        if len(real) and real.stops[-1] > len(values):
            raise ValueError(f"series {self.name} has {len(values)} points, but a real range stops at {real.stops[-1]}")
        object.__setattr__(self, "real", real)
        if self.timestamps is not None:
            timestamps = np.array(self.timestamps)
            if timestamps.shape != (len(values),):
                raise ValueError(f"series {self.name}: {len(values)} points need as many timestamps; got shape {timestamps.shape}")
            timestamps.flags.writeable = False
            object.__setattr__(self, "timestamps", timestamps)
        if self.train is not None:
            start, stop = self.train
            if not 0 <= start < stop <= len(values):
                raise ValueError(f"series {self.name}: the training part {self.train} is not a half-open range of its {len(values)} rows")

    @property
    def channels(self) -> int:
        return int(self.values.shape[1])

    @property
    def labels(self) -> NDArray[np.uint8]:
        """The real anomalies as 0/1 labels, one a row."""
        return self.real.to_labels(len(self))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Series({self.name!r}, {len(self)} points, {self.channels} channels, {len(self.real)} real ranges)"
