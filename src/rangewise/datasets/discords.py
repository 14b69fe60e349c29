"""The ECG and Space Shuttle valve series of Keogh, Lin, Fu (HOT SAX, ICDM 2005) from which the paper's data sets were derived.

The series have no official labels. The labels below, with the end included, are those of the repository that we download from.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rangewise.datasets.location import find_file
from rangewise.files.series import Series
from rangewise.files.source import Source
from rangewise.inputs.ranges import Ranges

_ECG = {"qtdbsel102": [(4231, 4429)], "chfdb_chf01_275": [(2331, 2599)]}
_VALVE = {"TEK14": [(1101, 1199), (1456, 1954)], "TEK16": [(4271, 4369)], "TEK17": [(2101, 2144)]}
DISCORDS = (*_ECG, *_VALVE)


def load_discord(name: str) -> Series:
    """Load a series: ``qtdbsel102`` and ``chfdb_chf01_275`` are ECGs with two leads, ``TEK14``, ``TEK16`` and ``TEK17`` are valve traces.

    The timestamps of an ECG are milliseconds since the start of the recording; a valve trace has none.
    """
    if name not in DISCORDS:
        raise ValueError(f"unknown discord series {name!r}; expected one of {', '.join(DISCORDS)}")
    numbers = Source(find_file(f"discords/{name}.txt")).numbers
    if name in _VALVE:
        return Series(name, numbers, real=Ranges.from_inclusive(_VALVE[name]))
    milliseconds: NDArray[np.int64] = np.rint(numbers[:, 0] * 1000).astype(np.int64)
    return Series(name, numbers[:, 1:], milliseconds, Ranges.from_inclusive(_ECG[name]))
