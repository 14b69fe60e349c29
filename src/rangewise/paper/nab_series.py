"""The three series of the paper that come from NAB, and the rows that the published labels belong to."""

from __future__ import annotations

from functools import cache

from rangewise.datasets.location import local_path
from rangewise.datasets.nab import read_nab
from rangewise.files.series import Series

FILES = {
    "nyc_taxi": ("realKnownCause/nyc_taxi.csv", 8_013),
    "aapl": ("realTweets/Twitter_volume_AAPL.csv", 4_013),
    "machine_temp": ("realKnownCause/machine_temperature_system_failure.csv", 5_013),
}
"""The file, and the row of the first label; the labels reach to the end of the file."""

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
    series = read_nab(local_path("nab"), file)
    return Series(dataset, series.values, series.timestamps, series.real, train=(0, first))
