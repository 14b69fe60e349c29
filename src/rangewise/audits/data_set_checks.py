"""Checks of the data set as a whole: the positions of its anomalies, and whether it has enough series to separate detectors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist

import numpy as np

from rangewise.audits.finding import Finding
from rangewise.audits.series_checks import first_scored, scored_ranges
from rangewise.bench.statistics import min_possible_p
from rangewise.files.series import Series
from rangewise.number_text import share_text

_SURE = 0.001
_LEVEL = 0.05
_LATE = 0.6


def check_data_set(all_series: Sequence[Series]) -> Iterator[Finding]:
    """Findings about the whole data set."""
    places = []
    for series in all_series:
        real, first = scored_ranges(series), first_scored(series)
        if len(real):
            places.append(float(np.mean((real.starts + real.stops) / 2 - first)) / (len(series) - first))
    if not places:
        return
    # The mean of this many uniform positions in 0..1 is nearly normal; means of several anomalies vary less.
    mean = sum(places) / len(places)
    p = 1.0 - NormalDist(0.5, math.sqrt(1 / 12 / len(places))).cdf(mean)
    if p < _SURE and mean > _LATE:
        message = f"anomalies lie on average at {share_text(mean)} of the scored part (evenly spread: 50 %, p = {p:.1g})"
        yield Finding("position", "", message)
    if min_possible_p(len(places)) > _LEVEL:
        message = f"{len(places)} series with anomalies: even a detector that wins on all of them has p = {min_possible_p(len(places)):.2g}"
        yield Finding("power", "", message)
