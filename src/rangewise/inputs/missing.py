"""Missing scores, such as the tail of a matrix profile: an error, or handled as ``missing=`` says."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import unknown_name
from rangewise.inputs.ranges import Ranges
from rangewise.inputs.scores import check_no_nan

Missing = Literal["error", "lowest", "ignore"]
MISSING = ("error", "lowest", "ignore")
WAY_OUT = "say how to treat missing scores: missing='lowest' or missing='ignore'"


def check_missing(missing: str) -> None:
    """Refuse an unknown value of ``missing=``."""
    if missing not in MISSING:
        raise unknown_name("missing", str(missing), MISSING)


def refuse_missing(missing: str) -> None:
    """Refuse ``missing=`` if the prediction is labels or ranges, which have no scores."""
    if missing != "error":
        raise ValueError(f"missing={missing!r} is for nan scores, but the prediction has no scores; leave it out")


def fill_missing(scores: NDArray[Any], missing: str, name: str = "scores") -> tuple[NDArray[Any], Ranges | None]:
    """Scores without nan, and the rows to ignore.

    ``"lowest"`` replaces a missing score by the lowest of the others, ``"ignore"`` ignores its row, ``"error"`` raises. If all scores are
    missing, it always raises.

    >>> fill_missing(np.array([0.5, np.nan, 0.2]), "lowest")[0].tolist()
    [0.5, 0.2, 0.2]
    >>> fill_missing(np.array([0.5, np.nan, 0.2]), "ignore")[1]
    Ranges([(1, 2)])
    """
    check_missing(missing)
    if missing == "error":
        check_no_nan(scores, name, f", or {WAY_OUT}")
        return scores, None
    absent = np.isnan(scores) if scores.dtype.kind == "f" else np.zeros(len(scores), dtype=np.bool_)
    if not absent.any():
        return scores, None
    if absent.all():
        raise ValueError(f"all {len(scores)} {name} are nan; there is nothing to score")
    filled = np.where(absent, np.nanmin(scores), scores).astype(scores.dtype)
    return filled, Ranges.from_labels(absent) if missing == "ignore" else None
