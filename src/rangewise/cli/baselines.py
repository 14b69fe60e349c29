"""``--baselines``: rows of detectors that know nothing beside those that are compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.checks import shown_names
from rangewise.cli.detector_files import DetectorFile
from rangewise.inputs.clocks import Clock
from rangewise.inputs.ranges import Ranges
from rangewise.metrics.baselines import DRAWS, all_ones, random_like, shuffled
from rangewise.metrics.named import NamedMetric

Baselines = Annotated[
    bool,
    typer.Option(
        "--baselines",
        help="Add rows of detectors that know nothing: random, as many points as each detector; all ones (of scores: constant).",
    ),
]
_SHOWN = 3


def baseline_rows(chosen: list[NamedMetric], names: Sequence[str], detectors: Sequence[DetectorFile]) -> dict[str, list[float]]:
    """A random row for each detector, the mean of ten draws, and a row of one that always fires."""
    rows = {}
    for name, detector in zip(names, detectors, strict=True):
        drawn = [_random(detector, name, seed).values(chosen) for seed in range(DRAWS)]
        rows[_like(name)] = [float(np.mean(column)) for column in zip(*drawn, strict=True)]
    rows[_always(detectors[0])] = _constant(detectors[0], names[0]).values(chosen)
    return rows


def baseline_sides(detectors: dict[str, DetectorFile]) -> dict[str, Ranges | NDArray[np.float64]]:
    """One random draw like each detector, and one that always fires, as predictions or as scores."""
    made = {_like(name): _random(detector, name, 0) for name, detector in detectors.items()}
    first, detector = next(iter(detectors.items()))
    made[_always(detector)] = _constant(detector, first)
    return {name: one.side for name, one in made.items()}


def _like(name: str) -> str:
    return f"random:{name}"


def _always(detector: DetectorFile) -> str:
    return "all ones" if detector.scores is None else "constant"


def no_better_than_chance(
    chosen: list[NamedMetric], names: Sequence[str], rows: Sequence[Sequence[float]], found: dict[str, list[float]]
) -> Iterator[str]:
    """A sentence for each detector that a baseline reaches under some metric."""
    always = list(found)[-1]
    for name, values in zip(names, rows, strict=True):
        beaten = [
            named.text
            for at, (named, value) in enumerate(zip(chosen, values, strict=True))
            if any(_reaches(named, found[baseline][at], value) for baseline in (_like(name), always))
        ]
        if beaten:
            yield f"{name} is no better than a baseline under {shown_names(beaten, _SHOWN)}"


def _reaches(named: NamedMetric, baseline: float, value: float) -> bool:
    if math.isnan(baseline) or math.isnan(value):
        return False
    return baseline >= value if named.metric.better == "higher" else baseline <= value


def _random(detector: DetectorFile, name: str, seed: int) -> DetectorFile:
    if detector.scores is not None:
        return DetectorFile(name, detector.real, None, shuffled(detector.scores, seed), detector.length)
    assert detector.predicted is not None
    return DetectorFile(name, detector.real, random_like(detector.predicted, _points(detector, name), seed), None, detector.length)


def _constant(detector: DetectorFile, name: str) -> DetectorFile:
    if detector.scores is not None:
        return DetectorFile(name, detector.real, None, np.ones_like(detector.scores), detector.length)
    return DetectorFile(name, detector.real, all_ones(_points(detector, name)), None, detector.length)


def _points(detector: DetectorFile, name: str) -> int:
    if isinstance(detector.real.clock, Clock):
        raise ValueError("--baselines draws rows, but these files tell times only; give --step, e.g. --step 1min, or --times FILE")
    if detector.length is None:
        raise ValueError(
            f"--baselines needs the number of points of the series, which ranges do not tell ({name}); give labels or --times FILE"
        )
    return detector.length
