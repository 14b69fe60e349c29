"""Thresholds chosen on the first part of each series, so that the part that is scored stays unseen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from rangewise.checks import number, share_of_points, unknown_name, whole
from rangewise.inputs.case import Case
from rangewise.model.model import RangeModel
from rangewise.rankings.cases import (
    BEST_F,
    EQUAL_SHARE,
    ThresholdChoice,
    check_thresholds,
    check_thresholds_used,
    chosen_threshold,
    threshold_rule,
)

ValidationPart: TypeAlias = "float | Mapping[Any, float] | None"
"""How many rows at the beginning of each series are for validation: a share below 1, a whole number of rows, or one of them per series."""


def choose_thresholds(
    series: Mapping[Any, Mapping[str, Case]],
    thresholds: ThresholdChoice,
    validation: ValidationPart = None,
    max_alert_rate: float | None = None,
    model: RangeModel | None = None,
) -> dict[Any, dict[str, Case]]:
    """The case of each detector at its threshold, without the rows for validation; cases of scores without a rule are unchanged.

    A rule chooses on the rows for validation; without them, on all rows, which are those that are scored. ``"best-f"`` has the largest F
    of the model there. Where the rows for validation have no anomaly, it is the lowest threshold within ``max_alert_rate``.
    """
    chosen = thresholds if thresholds is not None or validation is None else BEST_F
    check_thresholds(chosen, list(next(iter(series.values()))))
    limit = None if max_alert_rate is None else share_of_points("max_alert_rate", max_alert_rate)
    _check_used(series, chosen, validation, limit)
    placed: dict[Any, dict[str, Case]] = {}
    for name, cases in series.items():
        placed[name] = {}
        for detector, case in cases.items():
            where = detector if name == "" else f"series {name!r}: {detector}"
            rows = 0 if validation is None else _rows(validation, name, case, where)
            seen = case if validation is None else case.part(0, rows)
            scored = case if validation is None else case.part(rows, case.length)
            rule = threshold_rule(chosen, detector, name)
            if validation is not None and rule == BEST_F and limit is None and not len(seen.real) and case.scores is not None:
                raise ValueError(
                    f"{where}: the validation part has no anomaly to choose a threshold by; give max_alert_rate=, which then decides "
                    "alone, a larger validation part, or thresholds= of your own"
                )
            if case.scores is not None and case.threshold is None and rule is not None:
                scored = scored.at(_threshold(seen, rule, limit, model or RangeModel(), where))
            placed[name][detector] = scored
    return placed


def saw_labels(series: Mapping[Any, Mapping[str, Case]], thresholds: ThresholdChoice, validation: ValidationPart) -> tuple[str, ...]:
    """The detectors whose threshold was chosen with the labels that they are scored on."""
    if validation is not None:
        return ()
    first = next(iter(series.values()))
    return tuple(
        detector
        for detector in first
        if any(cases[detector].scores is not None and threshold_rule(thresholds, detector, name) in (BEST_F, EQUAL_SHARE)
               for name, cases in series.items())
    )  # fmt: skip


def _threshold(case: Case, rule: float | str, limit: float | None, model: RangeModel, where: str) -> Any:
    if rule != BEST_F:
        return chosen_threshold(case, rule)
    if not len(case.counted_scores):
        raise ValueError(f"{where}: there are no scores to choose a threshold from")
    if not len(case.real) and limit is not None:
        # The lowest score at which the share of predicted points is at most the limit; infinite where there is none.
        values, counts = np.unique(case.counted_scores, return_counts=True)
        within = int(np.searchsorted(np.cumsum(counts[::-1]) / counts.sum(), limit, side="right"))
        return values[::-1][within - 1].item() if within else np.inf
    try:
        return model.curve(case).best(max_alert_rate=limit, warn=False).threshold
    except ValueError:
        if limit is None:
            raise
        return np.inf  # every score alarms too often, so none does


def _rows(validation: ValidationPart, series: Any, case: Case, where: str) -> int:
    """How many rows of a series are for validation."""
    own = validation.get(series) if isinstance(validation, Mapping) else validation
    if own is None:
        raise ValueError(f"validation has no entry for series {series!r}; give one for each series, or one for all")
    if case.length is None:
        raise ValueError(f"{where}: validation= counts rows, and ranges do not contain it; give labels, times= or length=")
    if isinstance(own, float) or not isinstance(own, (int, np.integer)):
        share = number("validation", own)
        if not 0.0 < share < 1.0:
            raise ValueError(f"validation is a share of the rows above 0 and below 1, or a whole number of rows; got {own!r}")
        rows = int(round(share * case.length, 6))  # 0.29 of 100 rows are 29, though the product is below 29
    else:
        rows = whole("validation", own, least=1)
    if not 0 < rows < case.length:
        raise ValueError(f"{where}: {rows} of {case.length} rows are for validation; leave some for each part")
    return rows


def _check_used(series: Mapping[Any, Mapping[str, Case]], chosen: ThresholdChoice, validation: ValidationPart, limit: float | None) -> None:
    """Raise an error for an option without effect."""
    for detector, own in chosen.items() if isinstance(chosen, Mapping) else ():
        if not any(cases[detector].scores is not None for cases in series.values()):
            raise ValueError(f"thresholds: {detector} is a prediction without scores, so it has no threshold")
        for name in own if isinstance(own, Mapping) else ():
            if name not in series:
                raise unknown_name(f"a series in thresholds= of {detector}", str(name), tuple(map(str, series)))
    if isinstance(validation, Mapping):
        for name in validation:
            if name not in series:
                raise unknown_name("a series in validation=", str(name), tuple(map(str, series)))
    if not isinstance(chosen, Mapping) and validation is None:
        check_thresholds_used(series, chosen)
    rules = {
        threshold_rule(chosen, detector, name)
        for name, cases in series.items()
        for detector, case in cases.items()
        if case.scores is not None
    }
    if validation is not None and not any(isinstance(rule, str) for rule in rules):
        raise ValueError(
            "validation= is where a rule chooses the threshold of scores, and no detector has a rule here: give scores with "
            "thresholds='best-f' or 'equal-share', or leave it out"
        )
    if limit is not None and BEST_F not in rules:
        raise ValueError("max_alert_rate= limits thresholds='best-f', which no detector of scores has here; leave it out")
