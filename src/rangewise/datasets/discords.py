"""The ECG and Space Shuttle valve series of Keogh, Lin, Fu (HOT SAX, ICDM 2005) that the paper's data sets grew from.

The series carry no official labels. Those below are unofficial ones in use, with the end included, as the repository that we fetch the
series from marks them.
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
    """``qtdbsel102`` and ``chfdb_chf01_275`` are ECGs of two leads, ``TEK14``, ``TEK16`` and ``TEK17`` valve traces of one channel.

    The timestamps of an ECG are milliseconds from the start of its recording; a valve trace has none.
    """
    if name not in DISCORDS:
        raise ValueError(f"there is no discord series {name!r}; there are {', '.join(DISCORDS)}")
    found = Source(find_file(f"discords/{name}.txt")).numbers()
    if name in _VALVE:
        return Series(name, found, real=Ranges.from_inclusive(_VALVE[name]))
    milliseconds: NDArray[np.int64] = np.rint(found[:, 0] * 1000).astype(np.int64)
    return Series(name, found[:, 1:], milliseconds, Ranges.from_inclusive(_ECG[name]))
