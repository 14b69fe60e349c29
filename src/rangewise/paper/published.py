"""The labels that the authors published, as ranges, with the names that the paper prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from rangewise.datasets.location import local_path
from rangewise.datasets.paper_labels import load_paper_labels
from rangewise.inputs.ranges import Ranges
from rangewise.metrics.nab.scoring import nab_score

DATASETS = {
    "machine_temp": "Machine-Temp",
    "timeguided": "Time-Guided",
    "ecg": "ECG",
    "sine": "Sine",
    "space_shuttle": "Space-Shuttle",
    "nyc_taxi": "NYC-Taxi",
    "aapl": "Twitter-AAPL",
}
"""Folder of the labels, and the name in the paper."""

DETECTORS = {"lstm_ad": "LSTM-AD", "greenhouse": "Greenhouse", "luminol": "Luminol"}


@dataclass(frozen=True)
class Labeled:
    """Real and predicted ranges of a series of ``length`` points."""

    real: Ranges
    predicted: Ranges
    length: int

    def points(self) -> tuple[float, float, float]:
        """Classical precision, recall and F1, by counting points: not through the range model, so that it can be checked against it."""
        real, predicted = (side.to_labels(self.length).astype(bool) for side in (self.real, self.predicted))
        hits = int(np.count_nonzero(real & predicted))
        precision, recall = (hits / max(int(np.count_nonzero(side)), 1) for side in (predicted, real))
        return precision, recall, harmonic(precision, recall)

    def nab(self, profile: str = "standard") -> float:
        """NAB's normalized score: 0 for no detection, 1 for a perfect one, no lower bound. Every point counts: there is no probation."""
        return nab_score(self.real, self.predicted, length=self.length, profile=profile, probation=False).normalized


Source: TypeAlias = Callable[[str, str], Labeled]
"""Where the labels of a data set and a detector come from: the authors', or our own runs."""


@cache
def published(dataset: str, detector: str) -> Labeled:
    """Neighboring anomalous points are one range, as in the paper."""
    real, predicted = load_paper_labels(dataset, detector)
    return Labeled(Ranges.from_labels(real), Ranges.from_labels(predicted), len(real))


def missing_labels() -> list[str]:
    """The files of labels that are not in the data folder."""
    names = [f"paper-labels/{dataset}/{detector}.{side}" for dataset in DATASETS for detector in DETECTORS for side in ("real", "pred")]
    return [name for name in names if not local_path(name).is_file()]


def harmonic(precision: float, recall: float) -> float:
    """F1, and 0 when both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
