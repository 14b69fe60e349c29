"""Read detectors as cases from a mapping of names, for one series or many, with a threshold for detectors that give scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from rangewise.checks import number, unknown_name
from rangewise.inputs.case import Case, CaseOptions, check_index, check_options, check_outside, may_have_times, read_pair
from rangewise.inputs.clocks import RowClock, span_of
from rangewise.inputs.instants import NANOSECONDS, as_times
from rangewise.inputs.ranges import Ranges, RangesLike, read_side
from rangewise.inputs.scores import Missing, is_scores, threshold_of
from rangewise.model.model import RangeModel

ThresholdChoice: TypeAlias = "float | str | Mapping[str, float | str | Mapping[Any, float]] | None"
"""One threshold for all detectors or one per detector (or per detector and series): a number, ``"best-f"``, ``"equal-share"`` or
``"equal-share:0.05"``."""

BEST_F, EQUAL_SHARE = "best-f", "equal-share"


def read_detectors(
    real: Any,
    predicted: Any,
    thresholds: ThresholdChoice,
    options: CaseOptions,
    *,
    needs_threshold: bool = True,
    grids_only: bool = True,
) -> dict[Any, dict[str, Case]]:
    """The case of each detector, by series; a single series has the name ``""``.

    A detector of scores is put at its threshold, except for ``"best-f"``. Where no threshold is chosen, ``needs_threshold`` makes it an
    error. Over many series an option may be a mapping from series to its value. All detectors of a series have one period:
    :func:`shared_span`, which explains ``grids_only``.
    """
    check_options(options)
    check_thresholds(thresholds, check_names(predicted))
    cases: dict[Any, dict[str, Case]] = {}
    if isinstance(real, Mapping):
        _check_same_series(real, predicted, options)
        for series in real:
            given = {name: each[series] for name, each in predicted.items()}
            own = options_of_series(options, series)
            cases[series] = _read_series(real[series], given, series, thresholds, own, needs_threshold, grids_only)
    else:
        cases[""] = _read_series(real, predicted, "", thresholds, options, needs_threshold, grids_only)
    if options.get("missing", "error") != "error" and all(case.scores is None for own in cases.values() for case in own.values()):
        raise ValueError("missing= is for nan scores, but no detector has scores; leave it out")
    check_thresholds_used(cases, thresholds)
    for each in cases.values():
        check_same_ignored(each, options.get("missing", "error"))
    return cases


def check_thresholds_used(series: Mapping[Any, Mapping[str, Case]], thresholds: ThresholdChoice) -> None:
    """Refuse a threshold for all detectors if none has scores."""
    if thresholds is not None and all(case.scores is None for own in series.values() for case in own.values()):
        raise ValueError("thresholds= turns scores into predictions, but no detector has scores; leave it out")


def check_same_ignored(cases: Mapping[str, Case], missing: Missing) -> None:
    """Raise unless all detectors are scored on the same rows, also if ``missing="ignore"`` removes some rows."""
    first = next(iter(cases))
    for name, case in cases.items() if missing == "ignore" else ():
        if not np.array_equal(np.asarray(case.ignored), np.asarray(cases[first].ignored)):
            raise ValueError(
                f"{first} and {name} would be scored on different rows, because different scores are missing; "
                "give missing='lowest', or ignore= with the rows where any score is missing"
            )


def shared_span(cases: Iterable[Case], *, grids_only: bool = True) -> tuple[str, str] | None:
    """The period of all cases in times together, as ``span=`` takes it; None if they have the same one, or a period was chosen.

    Without ``span=`` a case covers the time from its first start to its last end. Detectors that are compared need one period: otherwise a
    false alarm that is far away gives its detector a longer series, and each detector has another grid of ``step=``. Without a grid, the
    period has an effect on metrics only (affiliation), not on the range model; ``grids_only`` leaves these cases out.
    """
    spans = {(first, last): case for case in cases for first, last in _own_span(case, grids_only)}
    if len(spans) < 2:
        return None
    starts, stops = zip(*spans, strict=True)
    return _span_texts(min(starts), max(stops), next(iter(spans.values())))


def grid_span(case: Case) -> tuple[str, str] | None:
    """The period of the grid of a case, as ``span=`` takes it; None without a grid."""
    return next((_span_texts(first, last, case) for first, last in _own_span(case, grids_only=True)), None)


def _own_span(case: Case, grids_only: bool) -> list[tuple[int, int]]:
    """The first and the last nanosecond of a grid, or of sides in times without a chosen period; empty for anything else."""
    clock = case.clock
    if isinstance(clock, RowClock):
        return [] if clock.end is None or not len(clock.index) else [(int(clock.index[0].astype(np.int64)), clock.end)]
    if grids_only or clock is None or case.length is not None or case.clipping is not None:
        return []
    first, last, _ = span_of(None, *case.sides())
    return [(first, last)] if first < last else []


def _span_texts(first: int, last: int, case: Case) -> tuple[str, str]:
    clock = case.clock
    assert clock is not None
    if clock.elapsed:
        return str(first / NANOSECONDS["s"]), str(last / NANOSECONDS["s"])
    texts = [str(time).rstrip("0").rstrip(".") + ("Z" if clock.zoned else "") for time in as_times([first, last], elapsed=False)]
    return texts[0], texts[1]


def _read_series(
    real: RangesLike,
    predicted: Mapping[str, Any],
    series: Any,
    thresholds: ThresholdChoice,
    options: CaseOptions,
    needs_threshold: bool,
    grids_only: bool,
) -> dict[str, Case]:
    where = "" if series == "" else f"series {series!r}: "
    first = next(iter(predicted), "")
    for name, given in predicted.items():
        check_index(predicted[first], given, (f"{where}{first}", name))
    real = _read_once(real)
    if options.get("outside", "error") != "error":
        ranges = [(name, given) for name, given in predicted.items() if not isinstance(given, Case) and not is_scores(given, name)]
        check_outside(options["outside"], options.get("times"), ("real", real), *ranges)
    cases = {name: read_detector(real, given, name, where, options) for name, given in predicted.items()}
    if options.get("span") is None and not any(isinstance(given, Case) for given in predicted.values()):
        span = shared_span(cases.values(), grids_only=grids_only)
        if span is not None:
            cases = {name: read_detector(real, given, name, where, {**options, "span": span}) for name, given in predicted.items()}
    if needs_threshold:
        for name, case in cases.items():
            if case.predicted is None and threshold_rule(thresholds, name, series) is None:
                raise ValueError(
                    f"{where}{name} holds scores, not 0 and 1; give a threshold, e.g. thresholds={{{name!r}: 0.5}} "
                    f"(--threshold {name}=0.5), or the rule best-f or equal-share for all detectors"
                )
    return put_at_thresholds(cases, thresholds, series)


def _read_once(real: RangesLike) -> RangesLike:
    """Pairs of rows as ranges, so that they are not read again for each detector; anything else as given, and errors are left to later."""
    if not isinstance(real, (list, tuple)):
        return real
    try:
        ranges, points = read_side(real, "real")
    except (TypeError, ValueError):
        return real
    return ranges if len(ranges) and points is None and ranges.clock is None else real


def put_at_thresholds(cases: Mapping[str, Case], thresholds: ThresholdChoice, series: Any = "") -> dict[str, Case]:
    """Cases of scores with the prediction at their threshold, if there is one; ``"best-f"`` needs a model and is applied later."""
    check_thresholds(thresholds, list(cases))
    put: dict[str, Case] = {}
    for name, case in cases.items():
        rule = threshold_rule(thresholds, name, series)
        if case.scores is None:
            if isinstance(thresholds, Mapping) and name in thresholds:
                raise ValueError(f"thresholds: {name} is a prediction without scores, so it has no threshold")
            put[name] = case
        else:
            put[name] = case if rule is None or rule == BEST_F or case.threshold is not None else case.at(chosen_threshold(case, rule))
    return put


def read_detector(real: RangesLike, given: Any, name: str, where: str, options: CaseOptions) -> Case:
    """One detector: scores, or a prediction where the values are 0 and 1, pairs or times."""
    if isinstance(given, Case):
        return replace(given.alone(name, None, options).with_points(), name=given.name or name)
    if not options and isinstance(real, Ranges) and (case := _read_rows(real, given, name)) is not None:
        return case
    scored = is_scores(given, f"{where}{name}")
    names = (f"{where}real" if where else "real", name)
    try:
        if options.get("outside", "error") != "error" and not (
            may_have_times(real, names[0]) or (not scored and may_have_times(given, name))
        ):
            # It is for another detector of the series, which is in times.
            options = {option: value for option, value in options.items() if option != "outside"}  # type: ignore[assignment]
        if scored:
            return Case.read(real, scores=given, name=name, called=names, **options).with_points()
        # A prediction next to detectors with scores has no missing scores.
        own = {option: value for option, value in options.items() if option != "missing"}
        return Case.read(real, given, name=name, called=names, **own).with_points()  # type: ignore[arg-type]
    except (ValueError, TypeError) as error:
        if name in str(error) and where in str(error):
            raise
        raise type(error)(f"{where}{name}: {error}") from None


def _read_rows(real: Ranges, given: Any, name: str) -> Case | None:
    """A prediction of pairs of rows, without the steps that options need; None otherwise, and for errors, which are reported later."""
    if not isinstance(given, (list, tuple)) or not given or not isinstance(given[0], (list, tuple)):
        return None
    try:
        own, predicted, points = read_pair(real, given)
    except (TypeError, ValueError):
        return None
    return Case(own, predicted, length=points, name=name) if own.clock is None and predicted.clock is None else None


def at_best_f(case: Case, model: RangeModel) -> Case:
    """A case of scores at the threshold with the largest F of a model, which uses the labels; any other case unchanged."""
    if case.predicted is not None:
        return case
    return case.at(model.curve(case).best(warn=False).threshold)


def chosen_threshold(case: Case, rule: float | str) -> Any:
    """The threshold that a rule chooses for a case of scores: a number, or ``"equal-share"`` of the points that count."""
    if not isinstance(rule, str):
        return rule
    scores = case.counted_scores
    share = _share(rule, int(case.real.lengths.sum()) / max(len(scores), 1))
    # The alert rate nearest to this share, the higher threshold on ties; it may predict nothing.
    values, numbers = np.unique(scores, return_counts=True)
    predicted = np.concatenate([[0], np.cumsum(numbers[::-1])])
    at = int(np.argmin(np.abs(predicted - share * len(scores))))
    return threshold_of(values[::-1][at - 1]) if at else float(np.inf)


def _share(rule: str, real_share: float) -> float:
    """The share of points to predict: as given, or the share of anomalous points."""
    given = rule.partition(":")[2]
    if not given:
        return real_share
    try:
        share = float(given)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"equal-share needs a share of points in 0..1, like 'equal-share:0.05'; got {rule!r}")
    return share


def threshold_rule(thresholds: ThresholdChoice, name: str, series: Any) -> float | str | None:
    """The threshold or rule of a detector on a series; None where it has none."""
    if not isinstance(thresholds, Mapping):
        return thresholds
    if name not in thresholds:
        return None
    own = thresholds[name]
    if isinstance(own, Mapping):
        if series not in own:
            raise ValueError(f"thresholds: {name} has no threshold for series {series!r}")
        return own[series]
    return own


def threshold_rules(thresholds: ThresholdChoice) -> list[float | str | None]:
    """The thresholds and rules of all detectors and series."""
    if not isinstance(thresholds, Mapping):
        return [thresholds]
    return [rule for own in thresholds.values() for rule in (own.values() if isinstance(own, Mapping) else (own,))]


def check_names(predicted: Any) -> list[str]:
    """The names of the detectors, which are text."""
    if not isinstance(predicted, Mapping):
        raise TypeError(f"predicted must map names to detectors: {{'a': ranges, 'b': ranges}}; got {type(predicted).__name__}")
    if not predicted:
        raise ValueError("predicted is empty; give at least one detector, like {'a': ranges}")
    for name in predicted:
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"a detector's name must be text that is not empty; got {name!r}")
    return list(predicted)


def _check_same_series(real: Mapping[Any, Any], predicted: Mapping[str, Any], options: CaseOptions) -> None:
    """Check that real has at least one series, each detector the same ones, and options no others."""
    if not real:
        raise ValueError("real is empty; give at least one series, like {'monday': ranges}")
    for name, given in predicted.items():
        if not isinstance(given, Mapping):
            raise TypeError(f"real maps series to ranges, so {name} must too: {{series: ranges}}; got {type(given).__name__}")
        if odd := [series for series in (*real, *given) if series not in given or series not in real]:
            raise ValueError(f"{name} and real name different series: {odd[0]!r} is in one of them only")
    for option, value in options.items():
        for series in value if isinstance(value, Mapping) else ():
            if series not in real:
                raise unknown_name(f"a series in {option}=", str(series), tuple(map(str, real)))


def options_of_series(options: CaseOptions, series: Any) -> CaseOptions:
    """The options of one series; an option given by series is dropped if this series has none."""
    own = {name: value.get(series) if isinstance(value, Mapping) else value for name, value in options.items()}
    return {name: value for name, value in own.items() if value is not None}  # type: ignore[return-value]


def check_thresholds(thresholds: ThresholdChoice, names: list[str]) -> None:
    """Check that every threshold is a number or a rule, for a known detector."""
    if isinstance(thresholds, Mapping):
        for name, own in thresholds.items():
            if name not in names:
                raise unknown_name("a detector with a threshold", name, tuple(names))
            for value in own.values() if isinstance(own, Mapping) else (own,):
                _check_rule(value, f"the threshold of {name}")
    elif thresholds is not None:
        _check_rule(thresholds, "thresholds")


def _check_rule(rule: Any, what: str) -> None:
    if isinstance(rule, str):
        name, _, given = rule.partition(":")
        if name not in (BEST_F, EQUAL_SHARE):
            raise unknown_name(f"{what} is a number, or a rule that", rule, (BEST_F, EQUAL_SHARE))
        if name == BEST_F and given:
            raise ValueError(f"{what}: best-f takes no number; got {rule!r}")
        if name == EQUAL_SHARE:
            _share(rule, 0.0)
    elif np.isnan(number(what, rule)):
        raise ValueError(f"{what} is nan; give a number that scores can reach")
