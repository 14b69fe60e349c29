"""The files of detectors, and the values that named metrics give them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from inspect import signature

import numpy as np
from numpy.typing import NDArray

from rangewise.cli.inputs import Reading
from rangewise.inputs.ignored import Ignored, rows_left
from rangewise.inputs.ranges import Ranges, as_ranges
from rangewise.metrics import Metric
from rangewise.metrics.named import NamedMetric


@dataclass(frozen=True, eq=False)
class DetectorFile:
    """What was read of one detector: its anomalies, or its scores where a metric asks for them."""

    name: str
    real: Ranges
    predicted: Ranges | None
    scores: NDArray[np.float64] | None
    length: int | None
    zoned: tuple[Ranges, NDArray[np.float64], Ranges] | None = None
    """Real ranges, scores and zones before the rows of zones were taken out, for metrics that know better what to do with zones."""

    def values(self, chosen: list[NamedMetric]) -> list[float]:
        """The value of each metric; scores that are labels serve both kinds."""
        return [self._value(named) for named in chosen]

    def _value(self, named: NamedMetric) -> float:
        if self.zoned is not None and "ignore" in signature(named.metric.function).parameters:
            real, scores, zones = self.zoned
            return replace(named, options=named.options | {"ignore": zones}).value(real, scores, len(scores), self.name)
        return named.value(self.real, self._second(named.metric), self.length, self.name)

    @property
    def side(self) -> Ranges | NDArray[np.float64]:
        """Its scores where it has some, else its anomalies."""
        if self.scores is not None:
            return self.scores
        assert self.predicted is not None
        return self.predicted

    def _second(self, metric: Metric) -> Ranges | NDArray[np.float64]:
        return as_ranges(self.scores) if self.scores is not None and metric.needs == "labels" else self.side


def metric_values(chosen: list[NamedMetric], real: str, predicted: str, reading: Reading) -> list[float]:
    """The value of each metric for one detector's file."""
    return read_detector(chosen, real, predicted, reading).values(chosen)


def read_detector(chosen: list[NamedMetric], real: str, predicted: str, reading: Reading) -> DetectorFile:
    """One detector's file: scores when a metric asks for them, anomalies otherwise."""
    if any(named.metric.needs == "scores" for named in chosen):
        ranges, scores = reading.real_and_scores(real, predicted)
        odd = np.flatnonzero((scores != 0) & (scores != 1))
        for named in chosen:
            if named.metric.needs == "labels" and odd.size:
                raise ValueError(
                    f"{named.text} needs 0/1 labels, but {predicted} holds {scores[odd[0]]:g}; "
                    "score labels and scores in two runs, or label the scores at a threshold first"
                )
        zones = reading.zones(ranges, reading.real(real))
        if zones is None:
            return DetectorFile(predicted, ranges, None, scores, len(scores))
        left, kept, clipping = rows_left(ranges, scores, zones)
        reading.ignored.append(Ignored(zones, clipping, None))
        return DetectorFile(predicted, left, None, kept, len(kept), (ranges, scores, zones))
    try:
        sides, length = reading.sides(real, predicted)
    except ValueError as error:
        # Of several detectors, the user must know whose file it is.
        raise error if predicted in str(error) else ValueError(f"{predicted}: {error}") from error
    return DetectorFile(predicted, *sides, None, length)
