"""The labels that the authors of the paper published: real and predicted, of seven data sets and three detectors.

IntelLabs/TSAD-Evaluator, folder ``examples``, MIT. One label per point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rangewise.datasets.location import find_file
from rangewise.files.formats.labels import read_labels

DATASETS = ("aapl", "ecg", "machine_temp", "nyc_taxi", "simple", "sine", "space_shuttle", "timeguided")
DETECTORS = ("lstm_ad", "greenhouse", "luminol")


def load_paper_labels(dataset: str, detector: str = "lstm_ad") -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Load (real, predicted) labels of a data set and a detector. ``simple`` is the authors' small example with the detector ``simple``."""
    if dataset not in DATASETS:
        raise ValueError(f"the paper has no data set {dataset!r}; it has {', '.join(DATASETS)}")
    known = ("simple",) if dataset == "simple" else DETECTORS
    if detector not in known:
        raise ValueError(f"{dataset} has no labels of detector {detector!r}; it has {', '.join(known)}")
    real, predicted = (read_labels(find_file(f"paper-labels/{dataset}/{detector}.{side}")) for side in ("real", "pred"))
    return real, predicted
