"""One page per series: its report with all detectors that finished it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from rangewise.bench.metric_choice import split_reference
from rangewise.checks import check_size
from rangewise.inputs.case import CaseOptions
from rangewise.inputs.ranges import Ranges
from rangewise.rankings.cases import read_detectors
from rangewise.reports.page import SeriesInput, case_content, page_of

if TYPE_CHECKING:
    from rangewise.bench.results import Results, SeriesRow


def write_series_pages(results: Results, folder: Path, metric: str | None = None, *, back: str) -> dict[str, str]:
    """Write a page for each series that a detector finished, with a link ``back`` to the file beside the folder; returns the links to
    them, from beside the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    model = split_reference(metric or results.metric, results.metrics)[0].range_model
    links = {}
    for number, series in enumerate(results.series):
        detectors, thresholds = _given(results, series)
        if not detectors:
            continue
        name = f"{number:04d}-{re.sub(r'[^A-Za-z0-9]+', '-', series.name).strip('-')}.html"
        values = results.values_of(series.name)
        real = Ranges(np.array(series.real, dtype=np.int64).reshape(-1, 2))
        length: CaseOptions = {"length": series.points - series.test_first}
        cases = read_detectors(real, detectors, thresholds, length, needs_threshold=False)[""]
        given = SeriesInput(cases, None if values is None else values[series.test_first :, 0])
        origin = (results.name, f"../{quote(back)}#series")
        page_of(case_content(given, model=model, title=f"{series.name}, {results.name}", baseline=False, back=origin)).save(folder / name)
        links[series.name] = f"{folder.name}/{name}"
    return links


def _given(results: Results, series: SeriesRow) -> tuple[dict[str, Any], dict[str, float]]:
    """The scores and the threshold of each detector, or its prediction."""
    detectors: dict[str, Any] = {}
    thresholds: dict[str, float] = {}
    for name in results.detectors:
        prediction = results.prediction(name, series.name)
        if prediction is None:
            continue
        length = series.points - series.test_first
        check_size(8 * length, 0, f"series {series.name!r} of {length} points")
        labels = Ranges(prediction.ranges).to_labels(length)
        scores, threshold = prediction.scores, prediction.threshold
        whole = scores is not None and threshold is not None and bool(np.isfinite(scores).all()) and len(np.unique(scores)) > 2
        if whole and bool(((scores >= threshold) == labels.astype(bool)).all()):
            detectors[name], thresholds[name] = scores, threshold
        else:
            detectors[name] = labels
    return detectors, thresholds
