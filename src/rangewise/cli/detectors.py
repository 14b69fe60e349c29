"""The files of detectors as cases, for metrics of predictions and of scores."""

from __future__ import annotations

from collections.abc import Sequence

from rangewise.cli.inputs import Reading
from rangewise.inputs.case import Case
from rangewise.metrics.named import NamedMetric


def detector_case(chosen: Sequence[NamedMetric], reading: Reading, real: str, file: str, name: str = "") -> Case:
    """One detector's file: scores when a metric asks for them, a prediction otherwise. 0 and 1 serve both kinds."""
    if not any(named.metric.needs == "scores" for named in chosen):
        return reading.case(real, file, name)
    case = reading.score_case(real, file, name, as_labels=True)
    for named in chosen:
        if named.metric.needs == "labels" and case.predicted is None and named.asked_for:
            assert case.scores is not None
            first = case.scores[(case.scores != 0) & (case.scores != 1)][0]
            raise ValueError(
                f"{named.text} needs 0/1 labels, but {file} holds {first:g}; score labels and scores in two runs, "
                "or label the scores at a threshold first"
            )
    return case
