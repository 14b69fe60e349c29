"""Manifests: digests of the data and predictions, and exact scores, so that others can verify their results."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from rangewise import __version__

if TYPE_CHECKING:
    from rangewise.bench.results import Results

FORMAT = 1
_RUNS = """
SELECT plan.detector, plan.settings, series.name, plan.repeat, plan.seed, plan.key, result.status, run.detector
FROM plan JOIN series ON series.position = plan.series JOIN run ON run.key = plan.key LEFT JOIN result ON result.key = plan.key
ORDER BY plan.position
"""
_SERIES = ("name", "collection", "data_sha256", "points", "channels", "train", "test_first", "real")


def make_manifest(results: Results) -> dict[str, Any]:
    """Digests of series and predictions, and all scores as hexadecimal floats, as plain values for JSON."""
    store = results.store
    scores: dict[str, dict[str, Any]] = {}
    texts = {metric.text: metric.label for metric in results.metrics}
    for key, metric, status, value, *counts in store.rows(
        "SELECT key, metric, status, value, real_reward, real_ranges, predicted_reward, predicted_ranges FROM score"
    ):
        if metric in texts:
            shown = {"status": status, "value": None if value is None else float(value).hex()}
            scores.setdefault(key, {})[texts[metric]] = shown | ({} if counts[0] is None else {"tally": counts})
    runs = [
        {
            "detector": detector, "source": source, "settings": json.loads(settings), "series": series, "repeat": repeat, "seed": seed,
            "key": key, "status": status or "waiting", "prediction_sha256": _digest(store.prediction(key)), "scores": scores.get(key, {}),
        }
        for detector, settings, series, repeat, seed, key, status, source in store.rows(_RUNS)
    ]  # fmt: skip
    query = f"SELECT {', '.join(_SERIES)} FROM series ORDER BY position"
    series_rows = [dict(zip(_SERIES, row, strict=True)) for row in store.rows(query)]
    for row in series_rows:
        row["train"], row["real"] = json.loads(row["train"]), json.loads(row["real"])
    return {
        "format": FORMAT, "rangewise": __version__, "experiment": results.name,
        "metrics": {metric.label: metric.text for metric in results.metrics}, "series": series_rows, "runs": runs,
    }  # fmt: skip


def differences(expected: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """The differences between two manifests, one sentence each."""
    if not isinstance(expected, dict) or expected.get("format") != FORMAT:
        raise ValueError(f"expected a manifest of format {FORMAT}, as written by rangewise bench manifest")
    said = []
    theirs, ours = ({row["name"]: row for row in each["series"]} for each in (expected, actual))
    for name, row in theirs.items():
        if name not in ours:
            said.append(f"series {name} is missing")
        elif row["data_sha256"] != ours[name]["data_sha256"]:
            said.append(f"series {name} has different data")
    their_runs, our_runs = ({(row["detector"], row["series"], row["repeat"]): row for row in each["runs"]} for each in (expected, actual))
    for place, run in their_runs.items():
        mine, what = our_runs.get(place), f"{place[0]} on {place[1]}"
        if mine is None:
            said.append(f"{what} is missing")
            continue
        if run["status"] != mine["status"]:
            said.append(f"{what} is {mine['status']}, not {run['status']}")
        elif run["prediction_sha256"] != mine["prediction_sha256"]:
            said.append(f"{what} has a different prediction")
        for metric, score in run["scores"].items():
            if metric not in mine["scores"]:
                said.append(f"{what}: {metric} is missing")
            elif score != mine["scores"][metric]:
                said.append(f"{what}: {metric} is {_shown(mine['scores'][metric])}, not {_shown(score)}")
    return said


def _digest(prediction: Any) -> str | None:
    """SHA-256 of the ranges, without scores, which a store may not have."""
    if prediction is None:
        return None
    return hashlib.sha256(prediction.ranges.astype("<i8").tobytes()).hexdigest()


def _shown(score: dict[str, Any]) -> str:
    return score["status"] if score["value"] is None else f"{float.fromhex(score['value']):.17g}"
