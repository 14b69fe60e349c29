"""The three series of the paper that come from NAB, and the rows of them that the published labels are for."""

from __future__ import annotations

from functools import cache

from rangewise.datasets.location import local_path
from rangewise.datasets.nab import read_nab
from rangewise.files.series import Series
from rangewise.inputs.ranges import Ranges

FILES = {
    "nyc_taxi": ("realKnownCause/nyc_taxi.csv", 8_013),
    "aapl": ("realTweets/Twitter_volume_AAPL.csv", 4_013),
    "machine_temp": ("realKnownCause/machine_temperature_system_failure.csv", 5_013),
}
"""File, and its row that label 0 is for; the labels go to the file's end."""

LUMINOL_TAUS = {"nyc_taxi": 1.98, "aapl": 2.2, "machine_temp": 1.3233}
"""With these the default detector of Luminol gives the published labels."""


def missing_nab() -> list[str]:
    """The files of NAB that are needed and not in the data folder."""
    names = ["nab/labels/combined_windows.json", *(f"nab/data/{file}" for file, _ in FILES.values())]
    return [name for name in names if not local_path(name).is_file()]


@cache
def nab_series(dataset: str) -> Series:
    """The whole file; the training part is what comes before the published labels."""
    file, first = FILES[dataset]
    found = read_nab(local_path("nab"), file)
    return Series(dataset, found.values, found.timestamps, found.real, train=(0, first))


def nab_windows(dataset: str) -> Ranges:
    return nab_series(dataset).real
