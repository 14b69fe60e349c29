"""Data files assembled from NumPy arrays of a public repository.

The repository has each series as consecutive ``train.npy`` and ``test.npy``, with ``..._label.npy`` and, for KPIs,
``..._timestamp.npy``. The result is compared with a recorded checksum, to detect changes of the arrays or of this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Assembly:
    """The arrays of a folder that are needed, and the function that assembles them."""

    arrays: tuple[str, ...]
    text: Callable[[Arrays], str]


def _joined(arrays: Arrays, ending: str) -> list[Any]:
    joined: list[Any] = np.concatenate([arrays[f"train{ending}"], arrays[f"test{ending}"]]).ravel().tolist()
    return joined


def kpi_text(arrays: Arrays) -> str:
    """``timestamp,value,label``, values to nine digits.

    >>> halves = ("train", "test")
    >>> numbers = {"_timestamp": [60.0], "": [0.25], "_label": [1.0]}
    >>> kpi_text({half + ending: np.array(value) for half in halves for ending, value in numbers.items()})
    'timestamp,value,label\\n60,0.25,1\\n60,0.25,1\\n'
    """
    columns = (_joined(arrays, ending) for ending in ("_timestamp", "", "_label"))
    lines = (f"{int(time)},{float(f'{value:.9g}')!r},{int(label)}\n" for time, value, label in zip(*columns, strict=True))
    return "timestamp,value,label\n" + "".join(lines)


def ucr_values(arrays: Arrays) -> str:
    """One value per line, to eight digits; the anomaly is in the name of the file.

    >>> ucr_values({"train": np.array([1.0, -0.0]), "test": np.array([2.5])})
    '1\\n0\\n2.5\\n'
    """
    return "".join(f"{value + 0.0:.8g}\n" for value in _joined(arrays, ""))


_HALVES = ("train", "test")
KPI = Assembly(tuple(f"{half}{ending}" for half in _HALVES for ending in ("", "_label", "_timestamp")), kpi_text)
UCR = Assembly(_HALVES, ucr_values)
