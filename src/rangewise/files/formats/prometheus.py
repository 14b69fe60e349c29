"""Prometheus alerts: the response of ``query_range`` to ``ALERTS{alertstate="firing"}``.

Samples are ``[seconds since 1970, "value"]``. A nonzero sample is firing. A range goes from its first to its last firing sample, both
included; a gap longer than the step ends it. On a clock, without rows, the last sample lasts until the next one. Alerts of the response
with another ``alertstate`` than firing are skipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise.files.formats.alertmanager import alert_names, text_labels
from rangewise.files.formats.base import Format, dated_times
from rangewise.files.source import Source, SourceLike, as_source, json_bytes
from rangewise.files.times import Outside, TimeRanges
from rangewise.inputs.instants import NANOSECONDS, from_epoch, time_index, to_epoch
from rangewise.inputs.ranges import Ranges

_MOST_SAMPLES = 1_000_000
_STATE = "alertstate"


def read_prometheus(path: SourceLike, timestamps: NDArray[Any], *, step: float | None = None, outside: Outside = "error") -> Ranges:
    """Read the alerts as rows of the timestamps; alerts that share a row are joined.

    ``step`` is the step of the query in seconds; by default the shortest time between two samples of an alert.
    """
    return prometheus_times(as_source(path), step).rows(timestamps, outside)


def prometheus_times(source: Source, step: float | None = None) -> TimeRanges:
    if step is not None and not step > 0:
        raise ValueError(f"step must be a number of seconds above 0; got {step}")
    results, notes = _firing(query_result(source))
    alerts = [_samples(alert, f"{source.name}, result {where}") for where, alert in enumerate(results)]
    gaps = [np.diff(times) for times, _ in alerts if len(times) > 1]
    limit = round(step * NANOSECONDS["s"]) if step else min((int(gap.min()) for gap in gaps), default=0)
    firsts, lasts = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    labels: list[dict[str, str]] = []
    for result, (times, firing) in zip(results, alerts, strict=True):
        lit = times[firing]
        ends = np.diff(lit) > limit
        firsts.append(lit[np.concatenate(([True], ends))[: len(lit)]])
        lasts.append(lit[np.concatenate((ends, [True]))[: len(lit)]])
        labels += [text_labels(result.get("metric"))] * len(lasts[-1])
    first, last = (np.concatenate(side).astype("datetime64[ns]") for side in (firsts, lasts))
    # On a clock, an alert that fires at a sample fires until the next sample.
    return TimeRanges(first, last, source.name, holds=limit, names=alert_names(labels), labels=tuple(labels), zoned=True, notes=notes)


def _firing(results: list[Any]) -> tuple[list[Any], tuple[str, ...]]:
    """The firing series, without series of ``ALERTS`` that are pending."""
    kept = [each for each in results if text_labels(isinstance(each, dict) and each.get("metric")).get(_STATE, "firing") == "firing"]
    pending = len(results) - len(kept)
    note = f'{pending} pending series {"is" if pending == 1 else "are"} skipped: only alertstate="firing" is used'
    return kept, (note,) if pending else ()


def query_result(source: Source) -> list[Any]:
    answer = source.json
    if isinstance(answer, dict) and answer.get("status") == "error":
        raise ValueError(f"{source.name}: Prometheus answered with an error: {answer.get('error')}")
    data = answer.get("data") if isinstance(answer, dict) else None
    result = data.get("result") if isinstance(data, dict) else None
    if not isinstance(result, list):
        raise ValueError(f"{source.name}: a response of query_range has 'data' with 'result', a list")
    return result


def _samples(alert: Any, where: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Times in nanoseconds, and whether the alert was firing."""
    samples = alert.get("values") if isinstance(alert, dict) else None
    if not isinstance(samples, list) or not all(isinstance(sample, list) and len(sample) == 2 for sample in samples):
        raise ValueError(f"{where}: expected 'values', a list of [seconds, \"value\"] (use query_range, not query)")
    times = from_epoch([sample[0] for sample in samples], "s", where).astype(np.int64)
    back = np.flatnonzero(np.diff(times) <= 0)
    if back.size:
        raise ValueError(f"{where}, sample {back[0] + 1}: its time is not after the previous sample")
    try:
        return times, np.array([float(sample[1]) != 0 for sample in samples], dtype=np.bool_)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: a sample's value is not a number: {error}") from error


def prometheus_text(times: TimeRanges, timestamps: NDArray[Any] | None = None) -> bytes:
    """A response of ``query_range`` with one alert per range.

    The step is the largest that hits all timestamps; without timestamps, the largest that hits the ends of all ranges.
    """
    firsts, lasts = (to_epoch(side, "ms", "Prometheus") for side in (times.firsts, times.lasts))
    gaps = lasts - firsts if timestamps is None else np.diff(to_epoch(time_index(timestamps), "ms", "Prometheus"))
    step = int(np.gcd.reduce(gaps)) if len(gaps) else 0
    samples = int((lasts - firsts).sum() // step) if step else 0
    if samples > _MOST_SAMPLES:
        raise ValueError(f"a step of {step} ms would need {samples} samples; choose a format with starts and ends of ranges")
    alerts = []
    for number, (first, last) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True), start=1):
        at = range(first, last + 1, step) if step else [first]
        metric = {"__name__": "ALERTS", "alertname": "anomaly", "alertstate": "firing", "range": str(number)}
        alerts.append({"metric": metric, "values": [[each / 1000, "1"] for each in at]})
    return json_bytes({"status": "success", "data": {"resultType": "matrix", "result": alerts}})


def is_answer(source: Source) -> bool:
    """Whether it is an object with a status or data, as in a response of Prometheus."""
    if not isinstance(source.json, dict) or "alerts" in source.json:
        return False
    data = source.json.get("data")
    return (
        ("status" in source.json or data is not None) and not isinstance(data, list) and not (isinstance(data, dict) and "alerts" in data)
    )


FORMAT = Format(
    name="prometheus",
    about="a response of Prometheus' query_range",
    end="included",
    kinds=("json",),
    looks=is_answer,
    reads=lambda source, how: prometheus_times(source),
    writes=lambda annotations, name: prometheus_text(dated_times(annotations, "prometheus", "ms"), annotations.timestamps),
)
