"""``--threshold`` of commands that score predictions, for detectors with scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from rangewise.checks import once, shown
from rangewise.cli.parameters import number_or_text
from rangewise.files.source import parse_json
from rangewise.files.tables import text_of
from rangewise.inputs.case import Case
from rangewise.metrics.evaluate import NamedMetric
from rangewise.rankings.cases import ThresholdChoice

Thresholds = Annotated[
    list[str] | None,
    typer.Option(
        help="For scores: a number, best-f (uses the labels), or equal-share[:0.05] (the same alert rate for all); NAME=X per detector; or "
        'FILE.json with {"NAME": X} or {"NAME": {"SERIES": X}}.',
        metavar="POLICY",
    ),
]


def read_thresholds(given: Sequence[str]) -> ThresholdChoice:
    """None, one number or rule for all detectors, or one per detector by name."""
    if not given:
        return None
    if len(given) == 1 and given[0].endswith(".json"):
        return _of_file(given[0])
    pairs = [text.rpartition("=") for text in given]
    if len(given) == 1 and not pairs[0][1]:
        return number_or_text(given[0])
    if not all(separator for _, separator, _ in pairs):
        raise ValueError(f"--threshold takes one policy, or NAME=X for each detector; got {', '.join(given)}")
    return once([(name, number_or_text(value)) for name, _, value in pairs], "--threshold")


def check_thresholds_apply(thresholds: ThresholdChoice, cases: Iterable[Case]) -> None:
    """Refuse --threshold if no detector has scores."""
    if thresholds is not None and all(case.scores is None for case in cases):
        raise ValueError("--threshold turns scores into predictions, but no detector has scores; leave it out")


def check_predictions_used(chosen: Sequence[NamedMetric]) -> None:
    """Refuse --threshold if no metric needs predictions."""
    if all(named.metric.needs == "scores" for named in chosen):
        raise ValueError("--threshold turns scores into predictions, but these metrics use all thresholds; leave it out")


def _of_file(path: str) -> dict[str, Any]:
    try:
        thresholds = parse_json(text_of(Path(path).read_bytes(), path), path)
    except OSError as error:
        raise ValueError(f"--threshold {path}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"--threshold {error}") from error
    if not isinstance(thresholds, dict) or not thresholds:
        raise ValueError(f'--threshold {path}: expected {{"NAME": X}} or {{"NAME": {{"SERIES": X}}}}; got {shown(thresholds)}')
    return thresholds
