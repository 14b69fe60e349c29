"""Recorded series by name: KPIs of the AIOps challenge, the UCR anomaly archive, SKAB, and the discords of HOT SAX.

``rangewise data get aiops-kpi ucr skab discords`` downloads them; ``rangewise data list`` has their sources and licenses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import did_you_mean
from rangewise.datasets.location import find_file, registry
from rangewise.files.formats.ucr import read_ucr
from rangewise.files.series import Series
from rangewise.files.source import Source
from rangewise.inputs.ranges import Ranges

_SKAB_CHANNELS = 8
_ECG = {"qtdbsel102": [(4231, 4429)], "chfdb_chf01_275": [(2331, 2599)]}
_VALVE = {"TEK14": [(1101, 1199), (1456, 1954)], "TEK16": [(4271, 4369)], "TEK17": [(2101, 2144)]}
"""The labels, with the end included."""
DISCORDS = (*_ECG, *_VALVE)


def kpi_names() -> tuple[str, ...]:
    """The identifiers of the 22 KPIs in the challenge.

    >>> kpi_names()[0], len(kpi_names())
    ('05f10d3a-239c-3bef-9bdc-a2feeb0037aa', 22)
    """
    return tuple(_files("aiops-kpi", "_tr_"))


def ucr_names() -> tuple[str, ...]:
    """The available series of the UCR archive, such as ``001_UCR_Anomaly_DISTORTED1sddb40``, without the numbers at the end.

    >>> ucr_names()[0], len(ucr_names())
    ('001_UCR_Anomaly_DISTORTED1sddb40', 150)
    """
    return tuple(_ucr_files())


def skab_names() -> tuple[str, ...]:
    """The 34 labeled series of SKAB, such as ``valve1/0``.

    >>> skab_names()[-1], len(skab_names())
    ('valve2/3', 34)
    """
    return tuple(_skab_files())


def load_kpi(name: str) -> Series:
    """Load a KPI of a web company, with one row per minute or per five minutes; the first half is for training.

    A unique prefix of the name is enough.

    NetManAIOps/KPI-Anomaly-Detection (MIT), from CSTCloudOps/datasets.
    """
    files = _files("aiops-kpi", "_tr_")
    full = next((each for each in files if each.startswith(name)), None) if sum(each.startswith(name) for each in files) == 1 else None
    file = _chosen(full or name, files, "KPI")
    table = Source(find_file(file)).table
    times = np.rint(table.numbers("timestamp")).astype("datetime64[s]")
    train = int(file.rpartition("_tr_")[2].partition(".")[0])
    return Series(full or name, table.numbers("value"), times, Ranges.from_labels(table.labels("label")), (0, train))


def load_ucr(name: str) -> Series:
    """Load a series of the UCR anomaly archive, with one anomaly after a normal training part.

    Wu and Keogh, Current time series anomaly detection benchmarks are flawed, TKDE 2021. No license is stated: research use, cite it.
    """
    return read_ucr(find_file(_chosen(name, _ucr_files(), "series of the UCR archive")))


def load_skab(name: str) -> Series:
    """Load a recording of eight sensors of a water loop with a fault, about one row per second; the first 400 rows are for training.

    Katser and Kozitsin, Skoltech anomaly benchmark, 2020; GPL-3.0.
    """
    table = Source(find_file(_chosen(name, _skab_files(), "series of SKAB"))).table
    channels = table.columns[1 : 1 + _SKAB_CHANNELS]
    values = np.column_stack([table.numbers(channel) for channel in channels])
    return Series(f"skab {name}", values, table.times("datetime"), Ranges.from_labels(table.labels("anomaly")), (0, 400))


def load_discord(name: str) -> Series:
    """Load a series: ``qtdbsel102`` and ``chfdb_chf01_275`` are ECGs with two leads, ``TEK14``, ``TEK16`` and ``TEK17`` are valve traces.

    The timestamps of an ECG are milliseconds since the start of the recording; a valve trace has none. The series have no official
    labels; these come from the repository that we download from. The paper's data sets were derived from the series.

    Keogh, Lin and Fu, HOT SAX, ICDM 2005.
    """
    if name not in DISCORDS:
        raise ValueError(f"unknown discord series {name!r}; expected one of {', '.join(DISCORDS)}")
    numbers = Source(find_file(f"discords/{name}.txt")).numbers
    if name in _VALVE:
        return Series(name, numbers, real=Ranges.from_inclusive(_VALVE[name]))
    milliseconds: NDArray[np.int64] = np.rint(numbers[:, 0] * 1000).astype(np.int64)
    return Series(name, numbers[:, 1:], milliseconds, Ranges.from_inclusive(_ECG[name]))


def _files(collection: str, before: str) -> dict[str, str]:
    """The files of a collection, by the part of the name before a text."""
    names = (file for file in registry() if file.startswith(f"{collection}/") and before in file)
    return {file.rpartition("/")[2].partition(before)[0]: file for file in names}


def _ucr_files() -> dict[str, str]:
    return {file.rpartition("/")[2].rsplit("_", 3)[0]: file for file in registry() if file.startswith("ucr/")}


def _skab_files() -> dict[str, str]:
    return {file.removeprefix("skab/data/").removesuffix(".csv"): file for file in registry() if file.startswith("skab/data/")}


def _chosen(name: str, files: dict[str, str], what: str) -> str:
    if name not in files:
        raise ValueError(f"unknown {what} {name!r}; expected one of {len(files)}, such as {next(iter(files))}{did_you_mean(name, files)}")
    return files[name]
