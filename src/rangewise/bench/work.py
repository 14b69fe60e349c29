"""The work inside a worker: fit a detector, predict, and score. Exceptions become results."""

from __future__ import annotations

import random
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.bench.metric_choice import MetricChoice, Scored
from rangewise.bench.processes import peak_bytes, reset_peak
from rangewise.bench.published_detector import PublishedDetector
from rangewise.bench.runs import Run, parts
from rangewise.bench.series_choice import load_checked
from rangewise.detectors.base import Detector, DetectorLike, TooShortError
from rangewise.inputs.case import Case
from rangewise.inputs.ignored import without
from rangewise.inputs.ranges import Ranges
from rangewise.inputs.scores import Missing, close_gaps, fill_missing

Status = Literal["ok", "error", "timeout", "memory", "crash", "skipped"]
STATUSES: tuple[Status, ...] = ("ok", "error", "timeout", "memory", "crash", "skipped")
ON_ALL_ROWS = "fitted on all rows, without labels"
_SHOWN_MESSAGE = 500


@dataclass(frozen=True)
class Prediction:
    """A detector's prediction on the scored part."""

    ranges: NDArray[np.int64]
    scores: NDArray[np.float64] | None
    """One score per row; None if the store has none."""
    threshold: float | None


@dataclass(frozen=True)
class Outcome:
    """The end of a run. Only ``ok`` has a prediction."""

    key: str
    status: Status
    message: str = ""
    traceback: str = ""
    prediction: Prediction | None = None
    seconds_fit: float | None = None
    seconds_score: float | None = None
    peak_memory: int | None = None


@dataclass(frozen=True)
class Job:
    """The input of a worker: a run, the metrics to compute, and the prediction if the store has it already."""

    run: Run
    metrics: tuple[MetricChoice, ...]
    kept: Prediction | None = None


def predict(run: Run) -> Outcome:
    """The run's prediction; an exception becomes an outcome with its last line and its traceback."""
    reset_peak()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            prediction, fit_seconds, score_seconds = _predict(run)
        notes = _notes(run)
        notes += dict.fromkeys(_line(warning.message) for warning in caught if issubclass(warning.category, UserWarning))
        return Outcome(run.key, "ok", _shortened("; ".join(notes)), "", prediction, fit_seconds, score_seconds, peak_bytes())
    except TooShortError as error:
        return Outcome(run.key, "skipped", _line(error))
    except MemoryError as error:
        return Outcome(run.key, "memory", f"MemoryError: {_line(error)}".rstrip(": "), traceback.format_exc())
    except Exception as error:
        return Outcome(run.key, "error", f"{type(error).__name__}: {_line(error)}", traceback.format_exc())


def judge(job: Job, prediction: Prediction) -> dict[str, Scored]:
    """Each metric on the prediction, by its text."""
    series = job.run.series
    case = Case.read(
        as_rows(series.real), Ranges(prediction.ranges), length=series.test_points, ignore=as_rows(series.ignored), name=series.name
    )
    if prediction.scores is not None:
        case = replace(case, scores=prediction.scores)
    return {metric.text: metric.score(case) for metric in job.metrics}


def _notes(run: Run) -> list[str]:
    if isinstance(run.detector, PublishedDetector):
        return run.detector.notes
    return [ON_ALL_ROWS] if run.series.train is None else []


def _predict(run: Run) -> tuple[Prediction, float, float]:
    series = load_checked(run.series.choice, run.series.data)
    ignored = as_rows(run.series.ignored)
    if isinstance(run.detector, PublishedDetector):
        begin = time.process_time()
        published, predicted, chosen = run.detector.read(series, run.series.choice.group, run.series.test_first, run.missing)
        ranges = np.asarray(without(predicted, ignored)[0], dtype=np.int64).reshape(-1, 2)
        return Prediction(ranges, published, chosen), 0.0, time.process_time() - begin
    train, test = parts(series)
    first, stop = train or (0, len(series))
    _seed_everything(run.seed)
    detector = run.detector.make(run.seed)
    # CPU time, because wall-clock time depends on the load of the machine.
    begin = time.process_time()
    if train is not None and isinstance(detector, Detector):
        detector.fit(series.values[first:stop], series.labels[first:stop])
    else:
        detector.fit(series.values[first:stop])
    fitted = time.process_time()
    scores, labels, threshold = found_by(detector, test.values, run.missing)
    ended = time.process_time()
    ranges = np.asarray(without(Ranges.from_labels(labels), ignored)[0], dtype=np.int64).reshape(-1, 2)
    return Prediction(ranges, scores, threshold), fitted - begin, ended - fitted


def as_rows(bounds: Sequence[tuple[int, int]]) -> Ranges:
    """Ranges of rows, from a plan."""
    return Ranges(np.array(bounds, dtype=np.int64).reshape(-1, 2))


def found_by(
    detector: DetectorLike, values: NDArray[np.float64], missing: Missing = "error"
) -> tuple[NDArray[np.float64], NDArray[np.uint8], float | None]:
    """One score and one label per point, and the threshold if there is one, of any kind of detector."""
    scores = np.asarray(detector.decision_function(values), dtype=np.float64).ravel()
    if len(scores) != len(values):
        raise ValueError(f"decision_function gave {len(scores)} scores for {len(values)} points; expected one per point")
    outliers_are_low = any(kind.__name__ == "OutlierMixin" and kind.__module__.startswith("sklearn.") for kind in type(detector).__mro__)
    scores, _ = fill_missing(-scores if outliers_are_low else scores, missing)
    if isinstance(detector, Detector):
        # Metrics and rules of an experiment use scores with gaps closed as by the detector.
        return close_gaps(scores, detector.close_gaps), detector.labels(scores), float(detector.threshold_)
    labels = np.asarray(detector.predict(values)).ravel()
    if outliers_are_low:
        labels = labels == -1  # scikit-learn's outliers
    if len(labels) != len(values) or not np.isin(labels, (0, 1)).all():
        shown = np.unique(labels)[:5].tolist()
        raise ValueError(
            f"predict gave {len(labels)} labels of {shown} for {len(values)} points; expected one label per point, 0 or 1 (anomalous)"
        )
    threshold: Any = getattr(detector, "threshold_", None)
    return scores, labels.astype(np.uint8), float(threshold) if isinstance(threshold, (int, float, np.number)) else None


def _seed_everything(seed: int) -> None:
    """For detectors that draw from the global generators."""
    random.seed(seed)
    np.random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def _line(error: object) -> str:
    return _shortened(" ".join(str(error).split()))


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_MESSAGE else f"{text[:_SHOWN_MESSAGE]}..."
