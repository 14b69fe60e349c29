"""``rw.report``: a self-contained HTML report of how good detectors are, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from rangewise.checks import unknown_name
from rangewise.inputs.case import Case, CaseOptions
from rangewise.inputs.ranges import RangesLike, array_of
from rangewise.model.model import RangeModel
from rangewise.rankings.cases import ThresholdChoice, check_names, grid_span, options_of_series, read_detectors
from rangewise.reports.entries import LETTERS
from rangewise.reports.index import series_report
from rangewise.reports.page import Report, SeriesInput, case_content, page_of


def report(
    real: RangesLike | Mapping[Any, RangesLike],
    predicted: Mapping[str, Any],
    *,
    values: Any = None,
    model: RangeModel | None = None,
    thresholds: ThresholdChoice = None,
    title: str | None = None,
    baseline: bool = True,
    **options: Unpack[CaseOptions],
) -> Report:
    """Make a self-contained HTML report: which detector is best, whether to trust it, and what each detector missed.

    The page is interactive without a server or a network: readers can try every threshold and setting. Its numbers are bit-identical to
    those of :meth:`RangeModel.score`.

    For many series, give mappings from the names of the series, as for :func:`rangewise.compare`: ``real={"monday": ranges}`` and
    ``predicted={"mine": {"monday": scores}}``. The page then shows the pooled result and a miniature of each series, worst first, which
    opens the page of the series. It is one file up to 50 MB; above, :meth:`Report.save` writes a folder.

    :param real: the real ranges: labels, pairs, ``Ranges``; or incidents as pairs of times, with alerts as detectors.
    :param predicted: scores (one number per point) or a prediction (0/1 labels, pairs, ``Ranges``) by the name of each detector. An array
        whose values are all 0 or 1 is a prediction; any other array has scores.
    :param values: the values of the series, one number per point (or one row per point, of which the first column is drawn);
        over many series, a mapping from their names.
    :param model: how ranges are scored; ``RangeModel()`` by default.
    :param thresholds: for scores, one for all, one per detector, or one per detector and series: a number, ``"equal-share"`` or
        ``"best-f"``. Without one, the page uses the threshold with the largest F without a high alert rate and says so: it was chosen
        with the labels, so it is an upper bound.
    :param title: the heading.
    :param baseline: compare with random predictions of the same number of points.
    :param options: the input options of :meth:`RangeModel.score` for all detectors, e.g. ``times`` (dates, or numbers for the axis),
        ``ignore`` and ``close_gaps``.

    Needs the extra ``report``. A report without real ranges, without predictions or with one detector is allowed.

    >>> import rangewise as rw
    >>> page = rw.report([0, 1, 1, 0, 0, 0], {"mine": [0.1, 0.8, 0.9, 0.2, 0.1, 0.3]}, thresholds={"mine": 0.5})
    >>> page.verdict
    'mine scores F1 1.000. Random predictions with the same alert rate reach 0.325. mine finds 1 of 1 real range with 1 alarm, none false.'
    """
    if len(check_names(predicted)) > len(LETTERS):
        raise ValueError(f"a page shows up to {len(LETTERS)} detectors; got {len(predicted)}")
    if isinstance(real, Mapping):
        given = _many(real, predicted, thresholds, values, options)
        return series_report(given, model=model, title=title, baseline=baseline)
    axis, options = _axis(values, options, is_read=isinstance(real, Case))
    cases = read_detectors(real, predicted, thresholds, options, needs_threshold=False)[""]
    options = _with_span(options, cases)
    return page_of(case_content(SeriesInput(cases, values, axis, options), model=model, title=title, baseline=baseline))


def _axis(values: Any, options: CaseOptions, *, is_read: bool) -> tuple[Any, CaseOptions]:
    """The time of each row, and the options to read with: numbers are only for the axis, and a column says how long the series is."""
    axis = options.get("times")
    if axis is not None and array_of(axis, "times").dtype.kind in "iuf":
        options = {name: value for name, value in options.items() if name != "times"}  # type: ignore[assignment]
    for name, column in (("values", values), ("times", axis)):
        if column is not None and options.get("length") is None and not is_read and "step" not in options:
            options = {**options, "length": len(array_of(column, name))}
    return axis, options


def _with_span(options: CaseOptions, cases: Mapping[str, Case]) -> CaseOptions:
    """The options with the period that several detectors share, so that the call on the page scores the same grid."""
    if len(cases) < 2 or options.get("step") is None or options.get("span") is not None:
        return options
    return {**options, "span": grid_span(next(iter(cases.values())))}


def _many(
    real: Mapping[Any, Any], predicted: Mapping[str, Any], thresholds: ThresholdChoice, values: Any, options: CaseOptions
) -> dict[Any, SeriesInput]:
    """The cases of each series, and what is drawn with them."""
    if values is not None and not isinstance(values, Mapping):
        raise TypeError(f"real maps series to ranges, so values must map series to values; got {type(values).__name__}")
    for series in values or ():
        if series not in real:
            raise unknown_name("a series in values=", str(series), tuple(map(str, real)))
    drawn: dict[Any, tuple[Any, CaseOptions]] = {}
    for series in real:
        own = options_of_series(options, series)
        drawn[series] = _axis(None if values is None else values.get(series), own, is_read=False)
    names = {name for _, own in drawn.values() for name in own}
    each = {name: {series: own[name] for series, (_, own) in drawn.items() if name in own} for name in names}  # type: ignore[literal-required]
    cases = read_detectors(real, predicted, thresholds, each, needs_threshold=False)  # type: ignore[arg-type]
    return {
        series: SeriesInput(own, None if values is None else values.get(series), drawn[series][0], _with_span(drawn[series][1], own))
        for series, own in cases.items()
    }
