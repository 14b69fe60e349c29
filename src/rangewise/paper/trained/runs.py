"""Our own detectors on the paper's series, end to end: train, predict, store. A finished run is a file, so that a restart resumes."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from rangewise.detectors import Detector, Greenhouse, LuminolDefault, NoValidationRangeWarning
from rangewise.detectors.lstm_ad import LSTMAD
from rangewise.detectors.luminol_default import above
from rangewise.files.series import Series
from rangewise.generate.paper_four import PERIODS, paper_series
from rangewise.inputs.ranges import Ranges
from rangewise.paper.nab_series import FILES, LUMINOL_TAUS, missing_nab, nab_series
from rangewise.paper.part import write_text
from rangewise.paper.published import DATASETS, DETECTORS, Labeled

VALIDATION_ROWS = 2_000
"""Of a generated series, after its 4,000 normal rows: three labeled anomalies, for LSTM-AD's threshold."""
# LSTM-AD's shares of these 6,000 rows: network and error distribution see normal rows alone, the threshold 800 more and the labeled.
_PARTS = (0.4, 0.134)
CLOSE_GAPS = 10
"""LSTM-AD's predictions with gaps of up to this many points are joined."""

FOLDER = "trained"
"""In the output folder: one JSON file per run."""


@dataclass(frozen=True)
class Run:
    """A detector on a data set: its prediction on the test part, and the time it took."""

    dataset: str
    detector: str
    settings: str
    seed: int
    train_rows: int
    test_rows: int
    threshold: float
    fit_seconds: float
    predict_seconds: float
    real: list[list[int]]
    predicted: list[list[int]]
    notes: list[str]

    @property
    def labeled(self) -> Labeled:
        real, predicted = (Ranges(np.array(side, dtype=np.int64).reshape(-1, 2)) for side in (self.real, self.predicted))
        return Labeled(real, predicted, self.test_rows)


def jobs() -> list[tuple[str, str]]:
    """(data set, detector) of all runs that the data folder allows: without NAB's files, only the generated series."""
    absent = bool(missing_nab())
    return [(dataset, detector) for dataset in DATASETS if not (absent and dataset in FILES) for detector in DETECTORS]


def run_all(folder: Path, seeds: Sequence[int], said: Callable[[str, int, int], None]) -> list[Run]:
    """Every run, from its file if it is finished. ``said`` receives the next run, the number of finished runs, and the total.

    Luminol on NAB's series does not depend on a seed and runs only with the first one.
    """
    (folder / FOLDER).mkdir(exist_ok=True)
    wanted = [(*job, seed) for seed in seeds for job in jobs() if seed == seeds[0] or not (job[0] in FILES and job[1] == "luminol")]
    runs = []
    for done, (dataset, detector, seed) in enumerate(wanted):
        said(f"{DETECTORS[detector]} on {DATASETS[dataset]}, seed {seed}", done, len(wanted))
        run = read_run(path := run_path(folder, dataset, detector, seed))
        if run is None:
            run = run_one(dataset, detector, seed)
            write_text(path, json.dumps(asdict(run), indent=1) + "\n")
        runs.append(run)
    return runs


def run_path(folder: Path, dataset: str, detector: str, seed: int) -> Path:
    return folder / FOLDER / f"{dataset}-{detector}-{seed}.json"


def one_line(dataset: str, seed: int) -> Labeled:
    """What ``abs(x - first period) > 0`` predicts on a generated series: without any training."""
    series = series_of(dataset, seed)
    _, test = series.split()
    first_period = np.resize(series.values[: PERIODS[dataset], 0], len(series))
    apart = np.abs(series.values[:, 0] - first_period)[len(series) - len(test) :] > 0
    return Labeled(test.real, Ranges.from_labels(apart), len(test))


def read_run(path: Path) -> Run | None:
    """The finished run in this file; None if there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Run(**{item.name: content[item.name] for item in fields(Run)})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def run_one(dataset: str, detector: str, seed: int) -> Run:
    """Train on the training part, predict the test part."""
    series = series_of(dataset, seed)
    train, test = series.split()
    made = make_detector(detector, dataset, seed)
    learned = train if made.reads_labels else longest_normal_part(train)
    with _kept_warnings() as notes:
        begin = time.perf_counter()
        made.fit(learned.values, learned.real)
        fitted = time.perf_counter()
        labels = made.predict(test.values)
        ended = time.perf_counter()
    return Run(
        dataset,
        detector,
        settings_text(made),
        seed,
        len(learned),
        len(test),
        made.threshold_,
        round(fitted - begin, 2),
        round(ended - fitted, 2),
        np.asarray(test.real).tolist(),
        np.asarray(Ranges.from_labels(labels)).tolist(),
        notes,
    )


def series_of(dataset: str, seed: int) -> Series:
    """NAB's file, cut where the published labels begin, or a generated series."""
    return nab_series(dataset) if dataset in FILES else paper_series(dataset, seed=seed, validation=VALIDATION_ROWS)


def make_detector(name: str, dataset: str, seed: int) -> Detector:
    """Default settings except for gaps, the parts of a generated series, and Luminol's thresholds on NAB's series."""
    if name == "lstm_ad":
        made = LSTMAD(seed=seed, close_gaps=CLOSE_GAPS)
        return made if dataset in FILES else replace(made, parts=_PARTS)
    if name == "greenhouse":
        return Greenhouse(seed=seed)
    return LuminolDefault(threshold=above(LUMINOL_TAUS[dataset])) if dataset in LUMINOL_TAUS else LuminolDefault()


def longest_normal_part(series: Series) -> Series:
    """For a detector that must see no anomaly: the longest stretch between two real ranges."""
    edges = [0, *np.asarray(series.real).ravel().tolist(), len(series)]
    start, stop = max(zip(edges[::2], edges[1::2], strict=True), key=lambda gap: gap[1] - gap[0])
    return Series(series.name, series.values[start:stop])


def settings_text(detector: Detector) -> str:
    """The settings that differ between runs."""
    shown: dict[str, Any] = {
        name: getattr(detector, name, None) for name in ("seed", "close_gaps", "epochs", "hidden", "layers", "look_back", "look_ahead")
    }
    if not detector.close_gaps:
        del shown["close_gaps"]
    return f"{type(detector).__name__}({', '.join(f'{name}={value}' for name, value in shown.items() if value is not None)})"


@contextmanager
def _kept_warnings() -> Iterator[list[str]]:
    """Collect the warnings of a detector for its run."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NoValidationRangeWarning)
        yield notes
    notes += dict.fromkeys(str(warning.message) for warning in caught)
