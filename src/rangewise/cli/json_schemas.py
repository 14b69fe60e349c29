"""What ``--json`` prints, command by command, as JSON Schema: `rangewise schema COMMAND` prints it, and tests compare it with real runs.

Shapes are written short: a type by name (``number?`` may be null), a dict for an object (keys with ? may be absent, ``*`` stands for any
other key), a list for an array, a tuple for a shape and its description, and :class:`Either` for alternatives.
"""

from __future__ import annotations

from typing import Any

VERSION = 1
"""The version of all schemas. New keys keep it. A key that goes away or changes its type raises it, with a line in CHANGELOG.md."""


class Either:
    """One of several shapes."""

    def __init__(self, *shapes: Any) -> None:
        self.shapes = shapes


_TYPES = {"number": "number", "integer": "integer", "text": "string", "flag": "boolean"}
_PLACE = Either("number", "text")
_SECONDS = ("number?", "seconds")
_SCORES = {"precision": "number?", "recall": "number?", "f": "number?"}
_CLIPPED = {"shortened": "integer", "removed": "integer", "split": "integer"}
_CHANGED = "what --ignore changed: how many ranges were shortened, removed or split"
_IGNORED = ({"intervals": "integer", "real": _CLIPPED, "predicted": _CLIPPED}, _CHANGED)
_IGNORED_MANY = ({"intervals": "integer", "series": "integer", "real": _CLIPPED, "predicted": _CLIPPED}, _CHANGED)
_IGNORED_EVENTS = ({"intervals": "integer", "seconds": "number", "real": _CLIPPED, "predicted": _CLIPPED}, _CHANGED)
_IGNORED_NAB = ({"intervals": "integer", "series": "integer", "real": _CLIPPED}, _CHANGED)
_CLOSED = (Either("integer", "text"), "--close-gaps, as it was given")
_MODEL = ("text", "the settings of the model, as --model reads them")
_RANGE = {
    "start": (_PLACE, "the first row, a time in ISO 8601, or seconds"),
    "stop": (_PLACE, "the row after the last one, or the end"),
    "existence": ("flag", "whether anything of it is covered"),
    "size": "number",
    "overlaps": ("integer", "by how many ranges it is covered"),
    "factor": ("number", "the cardinality factor"),
    "reward": "number",
    "covered": ("number", "rows or seconds that are covered"),
    "center": ("number?", "the mean place of what is covered: 0 is the front, 1 the back"),
    "delay?": _SECONDS,
    "name?": "text",
    "weight?": "number",
}
_THRESHOLD = {
    "thresholds": ("integer", "number of distinct scores"),
    "average_precision": "number?",
    "best_threshold?": ("number?", "where F is best; with --threshold, `threshold` stands here instead"),
    "threshold?": "number?",
    **_SCORES,
    "model": _MODEL,
    "ignored?": _IGNORED,
    "close_gaps?": _CLOSED,
}
_REPORTED = {
    "name": "text",
    **_SCORES,
    "found": ("integer", "real ranges"),
    "missed": "integer",
    "alarms": ("integer", "predicted ranges"),
    "false_alarms": "integer",
    "covered": ("number", "share of the anomalous points, or of their time"),
    "alert_rate": ("number", "share of all points, or of the time"),
    "random_f": ("number?", "F of random predictions of as many points; null without a baseline"),
}
_AT_THRESHOLD = {"threshold": "number?", "threshold_rule": ("text?", "given, or best: chosen with the labels; null for predictions")}
_PAGE = {
    "title": "text",
    "verdict": ("text", "the first sentences of the page"),
    "model": _MODEL,
    "real": ("integer", "real ranges"),
    "page": ("text", "the file that was written"),
}
_RULE = {
    "rule": "text",
    "alerts": "integer",
    "false_alerts": "integer",
    "precision": "number?",
    "found": ("integer", "incidents"),
    "median_time_to_detect": _SECONDS,
    "found_alone": ("integer", "incidents that no other rule found"),
    "minutes_of_noise": "number",
    "avoidable_noise": ("number", "minutes of noise that would vanish without the rule"),
}
_WARNING = {
    "window": {"earliest": ("number", "seconds before the event"), "latest": "number"},
    "cooldown": _SECONDS,
    "median_lead": _SECONDS,
    "events": "integer",
    "warned": "integer",
    "sensitivity": "number?",
    "alarms": "integer",
    "suppressed": "integer",
    "late": "integer",
    "false_alarms": "integer",
    "false_alarms_per_day": "number?",
    "time_in_warning": ("number?", "share of the time"),
    "improvement_over_chance": "number?",
    "p_shift": "number?",
    "p_binomial": "number?",
    "leads": [_SECONDS],
}
_ALERTS = {
    "incidents": "integer",
    "found": "integer",
    "missed": "integer",
    "found_share": "number?",
    "alerts": "integer",
    "false_alerts": "integer",
    "false_alerts_per_day": "number?",
    "false_alerts_per_week": "number?",
    "alerts_per_incident": "number?",
    "incidents_per_alert": "number?",
    "median_time_to_detect": _SECONDS,
    "p90_time_to_detect": _SECONDS,
    "worst_time_to_detect": _SECONDS,
    "median_reset_time": _SECONDS,
    "time_under_false_alert": _SECONDS,
    "share_under_alert": "number?",
    "span": (["text"], "first and last time"),
    "days": ("number", "days that are not ignored"),
    "lead": _SECONDS,
    "score": {**_SCORES, "model": _MODEL},
    "rules": [_RULE],
    "noisiest": (["text"], "the rules with the most noise"),
    "worst_missed": (["text"], "the longest incidents that were missed"),
    "ignored": Either("null", _IGNORED),
    "cut_to_span": Either("null", {"incidents": _CLIPPED, "alerts": _CLIPPED}),
    "always_firing": (["text"], "rules that were left out because they always fire"),
    "early_warning": Either("null", _WARNING),
    "zone": ("text", "the time zone of all times"),
}
_OUTCOME = {
    "threshold": "number",
    "for": _SECONDS,
    "keep_firing_for": _SECONDS,
    "lowest": (
        "number?",
        "any threshold between this and `highest` has this outcome; this end is included for > and <=, `highest` for >= and <",
    ),
    "highest": "number?",
    "found": "integer",
    "found_share": "number",
    "false_alerts": "integer",
    "false_alerts_per_day": "number",
    "median_time_to_detect": _SECONDS,
    "median_reset_time": _SECONDS,
}
_PERIOD = {
    "first": "text",
    "last": "text",
    "incidents": [
        {"name": "text", "start": "text", "found": "flag", "time_to_detect": _SECONDS, "reset_time": _SECONDS, "flaps": "integer?"}
    ],
    "false_alerts": (["integer"], "one number per day"),
    "noise": ("number", "minutes"),
    "alerts": "integer",
    "days_left": (["number"], "share of each day that is not ignored"),
    "false_by_rule": {"*": ["integer"]},
    "summary": {
        "found": "integer",
        "missed": "integer",
        "median_time_to_detect": _SECONDS,
        "median_reset_time": _SECONDS,
        "flaps_per_incident": "number?",
        "false_alerts_per_day": ("number?", "per day that is left; null if all days are ignored"),
        "days": ("number", "days without ignored time"),
    },
}
_CHANGE = {
    "measure": "text",
    "now": "number?",
    "before": "number?",
    "verdict": "text",
    "p_worse": "number",
    "low": ("number?", "the exact 95 % interval of `now`"),
    "high": "number?",
}
_AVERAGE = {**_SCORES, "classes": "integer"}
_POINTS = dict.fromkeys(
    (
        "true_positive",
        "deletion",
        "fragmenting",
        "underfill_start",
        "underfill_end",
        "insertion",
        "merge",
        "overfill_start",
        "overfill_end",
    ),
    "number",
)
_CLASS_RANGE = {"class": "text", "number": "integer", **_RANGE, "found": "number", "taken_for": {"*": "number"}, "rest": "number"}
_CLASSES = {
    "classes": [{"name": "text", **_SCORES, "real_ranges": "integer", "predicted_ranges": "integer"}],
    "averages": {"macro": _AVERAGE, "micro": _AVERAGE, "weighted by ranges": _AVERAGE, "weighted by points?": _AVERAGE},
    "only_predicted": (["text"], "classes without a real range"),
    "ignored?": _IGNORED,
    "confusion": {"rows": ["text"], "columns": ["text"], "shares": [["number"]], "counts": [["number"]]},
    "models": {"*": "text"},
    "errors?": (
        {
            "*": {
                "real_events": dict.fromkeys(("correct", "deletion", "fragmented", "merged", "fragmented and merged"), "integer"),
                "returned_events": dict.fromkeys(("correct", "insertion", "fragmenting", "merging", "fragmenting and merging"), "integer"),
                "points": (_POINTS, "seconds for times"),
                "substituted_points": (_POINTS, "seconds for times"),
            }
        },
        "--by error: Ward's categories of each class",
    ),
    "metrics?": ({"*": "number?"}, "--by metric"),
    "real?": ([_CLASS_RANGE], "--by range"),
    "predicted?": [_CLASS_RANGE],
}
_EVENT_SCORES = {
    "true_positives": "number",
    "false_positives": "number",
    "false_negatives": "number",
    "sensitivity": "number?",
    "precision": "number?",
    "f1": "number?",
    "false_alarms_per_day": ("number?", "null where the length of the recording is not known"),
}
_EVENT_ROWS = [{"start": "number", "stop": "number", "counts": "flag", "credit": "number"}]
_EVENTS = {"events": _EVENT_SCORES, "samples": _EVENT_SCORES, "ignored?": _IGNORED_EVENTS}
_MEAN = {"mean": "number?", "standard_deviation": "number?"}
_SUBJECT_MEANS = {"sensitivity": _MEAN, "precision": _MEAN, "f1": _MEAN, "false_alarms_per_day": _MEAN}
_REPEATED = {**_MEAN, "values": ["number?"]}
_RANKINGS = {
    "units": "integer",
    "friedman_p": "number?",
    "separated_pairs": "integer",
    "pairs": [
        {
            "first": "text",
            "second": "text",
            "won": "integer",
            "tied": "integer",
            "lost": "integer",
            "p": "number?",
            "adjusted_p": ("number?", "Holm's correction"),
        }
    ],
    "detectors": [
        {
            "detector": "text",
            "mean": "number?",
            "low": "number?",
            "high": "number?",
            "mean_rank": "number?",
            "first_share": ("number?", "share of resamples in which it is first"),
        }
    ],
}
_NAB_COUNTS = {"tp": "integer", "fp": "integer", "fn": "integer", "tn": "integer"}

SHAPES: dict[str, Any] = {
    "score": Either(
        {
            **_SCORES,
            "alert_rate?": "number",
            "model": _MODEL,
            "ignored?": _IGNORED,
            "real?": ([_RANGE], "with --explain"),
            "predicted?": [_RANGE],
        },
        (
            {
                "series": [{"series": "text", **_SCORES, "real_ranges": "integer", "predicted_ranges": "integer", "*": _PLACE}],
                "healthy": ("integer", "series without a real or predicted range"),
                "pooled": _SCORES,
                "macro": {**_SCORES, "series": "integer", "undefined_precision": "integer", "undefined_recall": "integer"},
                "model": _MODEL,
                "ignored?": _IGNORED_MANY,
                "close_gaps?": _CLOSED,
            },
            "of a table of many series",
        ),
        (
            {
                "series": [{"series": "text", "*": Either("number?", "text")}],
                "mean": {"*": "number?"},
                "healthy_series": "integer",
                "close_gaps?": _CLOSED,
            },
            "of a table of many series, with --metric",
        ),
        ({"ignored?": _IGNORED, "*": "number?"}, "with --metric: one number per metric"),
    ),
    "curve": Either(
        {**_THRESHOLD, "alert_rate": "number"},
        (
            {**_THRESHOLD, "alert_rate": "number", "macro_f": "number?", "series": "integer", "ignored?": _IGNORED_MANY},
            "of a table of many series",
        ),
    ),
    "compare": {
        "yardstick": ("text", "the metric that the others are compared with"),
        "detectors": [
            {
                "detector": "text",
                "metrics": {
                    "*": {
                        "value": "number?",
                        "rank": "number?",
                        "disagrees": ("flag", "whether the order is unlike the yardstick's"),
                        "saw_labels?": "flag",
                    }
                },
            }
        ],
        "disputes": [{"detectors": ["text"], "first_above": ["text"], "second_above": ["text"]}],
        "thresholds?": ({"*": Either("number?", {"*": "number?"})}, "by detector, and by series if there are several"),
        "saw_labels?": (["text"], "detectors whose thresholds were chosen with the labels that they are scored on"),
        "series?": ["text"],
        "healthy_series?": "integer",
        "alarms_in_healthy_series?": {"*": "integer"},
        "baselines?": ["text"],
        "ignored?": _IGNORED,
    },
    "classes": _CLASSES,
    "events": Either(
        {**_EVENTS, "real?": (_EVENT_ROWS, "with --explain"), "predicted?": _EVENT_ROWS},
        (
            {"events": _SUBJECT_MEANS, "samples": _SUBJECT_MEANS, "subjects": {"*": _EVENTS}, "ignored?": _IGNORED_EVENTS},
            "of two folders, by subject",
        ),
        (
            {
                "thresholds": ["number"],
                "sensitivity": ["number?"],
                "precision": ["number?"],
                "f1": ["number?"],
                "false_alarms_per_day": ["number?"],
            },
            "--by threshold",
        ),
        ({"mean": "number?", "thresholds": ["number"], "classes": {"*": ["number?"]}}, "--by iou"),
        (
            {
                "annotators": {"*": _SCORES},
                "alpha": ("number?", "Krippendorff's alpha"),
                "pairs": {"*": "number?"},
                "left_out?": {"human": ["number?"], "detector": ["number?"], "p": "number?"},
            },
            "--by annotator",
        ),
        (
            {
                "answers": "integer",
                "refused": "integer",
                "unreadable": "integer",
                **dict.fromkeys(("sensitivity", "precision", "f1", "false_alarms_per_day"), _REPEATED),
            },
            "of several answers of a language model",
        ),
    ),
    "alerts": _ALERTS,
    "backtest": {
        "incidents": "integer",
        "outside": ("integer", "incidents outside the time of the values"),
        "days": "number",
        "interval": ("number", "seconds between evaluations"),
        "op": "text",
        "wishes": {"at_most_per_day": "number", "detect_within": _SECONDS},
        "front": ([_OUTCOME], "the rules that no other rule beats"),
        "best": Either("null", _OUTCOME),
        "found_interval": Either("null", ["number"]),
        "false_alerts_per_day_interval": Either("null", ["number?"]),
        "each_incident": ["text"],
        "summary": Either("null", _ALERTS),
        "holdout": Either("null", {"cut": "text", "later": Either("null", _ALERTS)}),
    },
    "review": {
        "weeks": [_PERIOD],
        "against": "text",
        "changes": [_CHANGE],
        "worse_rules": [_CHANGE],
        "is_worse": "flag",
        "rules": [_RULE],
        "always_firing": ["text"],
        "weeks_without_records": "integer",
        "zone": "text",
        "ignored": Either("null", _IGNORED),
    },
    "report": Either(
        {
            **_PAGE,
            "points": ("integer?", "rows of the series; null for times without rows"),
            "detectors": [_REPORTED | _AT_THRESHOLD],
            "ignored?": _IGNORED,
        },
        {
            **_PAGE,
            "detectors": ([_REPORTED | {"macro_f": ("number?", "the mean over the series")}], "all series pooled"),
            "series": [{"series": "text", "points": "integer?", "real": "integer", "detectors": [_REPORTED]}],
        },
    ),
    "ranking": {
        "detectors": ["text"],
        "first": ({"*": "number"}, "share of the settings in which a detector leads"),
        "crossings": [{"first": "text", "second": "text", "bias": "text", "cardinality": "text", "beta": "number", "alpha": "number"}],
        "map": [
            {
                "cardinality": "text",
                "bias": "text",
                "beta": "number",
                "from_alpha": "number",
                "to_alpha": "number",
                "leader": "text",
            }
        ],
        "always": ([["text"]], "pairs of which the first is ahead under all settings"),
        "thresholds": {"*": "number"},
        "sees_labels": "flag",
        "explanation": "text",
        "close_gaps?": _CLOSED,
        "ignored?": _IGNORED,
    },
    "nab": {
        "detector": "text",
        "profiles": {
            "*": {
                "threshold": ("number?", "null is a threshold above all scores"),
                "normalized": "number",
                "raw": "number",
                **_NAB_COUNTS,
                "files": [{"name": "text", "windows": "integer", "raw": "number", **_NAB_COUNTS}],
            }
        },
        "close_gaps?": _CLOSED,
        "ignored?": _IGNORED_NAB,
    },
    "metrics": Either(
        (
            {
                "task": "text",
                "when": "text",
                "report": (["text"], "metrics, as --metric reads them"),
                "settings": "text",
                "why": "text",
                "literature": "text",
                "commands": ["text"],
                "python": ["text"],
                "always": ["text"],
            },
            "--for TASK",
        ),
        ({"*": "text"}, "--tasks: when each task is meant"),
    ),
    "audit": {
        "name": "text",
        "series": "integer",
        "flagged": (["text"], "series with a flaw"),
        "clean": ["text"],
        "counts": {"*": "integer"},
        "verdict": "text",
        "findings": [{"check": "text", "series": "text", "flaw": "flag", "message": "text", "where": [["integer"]], "other": "text?"}],
        "table?": [{"detector": "text", "mean": "number", "place": "integer", "clean_mean": "number", "clean_place": "integer"}],
        "table_series?": (
            {"all": "integer", "in_data": "integer", "clean": "integer"},
            "the series of the table: all, those that the means are over, those without a flaw",
        ),
    },
    "bench manifest": {
        "format": "integer",
        "rangewise": ("text", "the version"),
        "experiment": "text",
        "metrics": {"*": "text"},
        "series": [
            {
                "name": "text",
                "collection": "text?",
                "data_sha256": "text",
                "points": "integer",
                "channels": "integer",
                "train": Either("null", "integer", [Either("integer", ["integer"])]),
                "test_first": "integer",
                "real": [["integer"]],
            }
        ],
        "runs": [
            {
                "detector": "text",
                "source": "text?",
                "settings": {"*": "any"},
                "series": "text",
                "repeat": "integer",
                "seed": "integer?",
                "key": "text",
                "status": "text",
                "prediction_sha256": "text?",
                "scores": {"*": {"status": "text", "value": ("text?", "a hexadecimal float"), "tally?": ["any"]}},
            }
        ],
    },
    "bench table": {
        "name": "text",
        "series": "integer",
        "all_series": "integer",
        "level": "number",
        "resamples": "integer",
        "seed": "integer",
        "left_out": ["text"],
        "higher_is_better": "flag",
        "summary": "text",
        "collections": Either("null", ({"*": "integer"}, "series of each collection")),
        "intraclass_correlation": Either("null", {"q25": "number?", "median": "number?", "q75": "number?"}),
        "without": Either("null", {"*": {"first": "text", "tau": "number?"}}),
        "by_series": _RANKINGS,
        "by_collection": Either("null", _RANKINGS),
    },
    "bench tsb-ad": {
        "exact": "flag",
        "mean": {"*": "number"},
        "rows": ({"*": {"*": "number"}}, "by series"),
        "failures": ({"*": "text"}, "series without a row, and why"),
    },
    "bench simulate": [
        {
            "correlation": "number",
            "series": "integer",
            "collections": "integer",
            "trials": "integer",
            "level": "number",
            "by_series": ("number", "share of trials in which equal detectors are called different"),
            "by_collection": "number",
        }
    ],
    "error": {
        "error": {
            "message": ("text", "what was expected, what came, where, and what to do; the same line is on standard error"),
            "exit_code": ("integer", "2 bad input, 70 an internal error, 130 interrupted"),
            "command": ("text", "the command that was called, or an empty text"),
        }
    },
}
"""The shape of each command's output, and of the error that takes its place."""


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what a command prints with ``--json``, or of ``error``.

    >>> json_schema("error")["properties"]["error"]["required"]
    ['message', 'exit_code', 'command']
    """
    title = "What `rangewise COMMAND --json` prints on an error" if name == "error" else f"What `rangewise {name} --json` prints"
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:rangewise:json:{VERSION}:{name.replace(' ', '-')}",
        "title": title,
    }
    return about | _schema(SHAPES[name])


def json_keys(name: str) -> list[str]:
    """The keys of what a command prints, as paths such as ``detectors[].metrics.*.value``; in the order of the schema.

    >>> json_keys("error")
    ['error', 'error.command', 'error.exit_code', 'error.message']
    """
    return sorted(set(_keys(SHAPES[name], "")))


def _schema(shape: Any) -> dict[str, Any]:
    if isinstance(shape, tuple):
        inner, description = shape
        return _schema(inner) | {"description": description}
    if isinstance(shape, Either):
        return {"anyOf": [_schema(each) for each in shape.shapes]}
    if isinstance(shape, list):
        return {"type": "array", "items": _schema(shape[0])}
    if isinstance(shape, dict):
        keys = {key.removesuffix("?"): _schema(value) for key, value in shape.items() if key != "*"}
        required = [key for key in shape if key != "*" and not key.endswith("?")]
        others = {"additionalProperties": _schema(shape["*"])} if "*" in shape else {}
        return {"type": "object"} | ({"properties": keys} if keys else {}) | ({"required": required} if required else {}) | others
    if shape == "any":
        return {}
    if shape == "null":
        return {"type": "null"}
    name = _TYPES[shape.removesuffix("?")]
    return {"type": [name, "null"] if shape.endswith("?") else name}


def _keys(shape: Any, path: str) -> list[str]:
    if isinstance(shape, tuple):
        return _keys(shape[0], path)
    if isinstance(shape, Either):
        return [key for each in shape.shapes for key in _keys(each, path)]
    if isinstance(shape, list):
        return _keys(shape[0], f"{path}[]")
    if not isinstance(shape, dict):
        return []
    keys = []
    for key, value in shape.items():
        here = f"{path}.{key.removesuffix('?')}".lstrip(".")
        keys += [*([here] if key != "*" else []), *_keys(value, here)]
    return keys
