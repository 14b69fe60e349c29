"""NAB's score of many series: one threshold for all, a sum over all, 0 to 100 as NAB publishes it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rangewise.checks import unknown_name
from rangewise.inputs.case import Case
from rangewise.inputs.ranges import RangesLike
from rangewise.inputs.scores import Missing
from rangewise.metrics.nab.curve import ScoreSheet, best_entry, score_sheet, sweep
from rangewise.metrics.nab.scoring import NabProfile, NabScore, ProfileLike, as_profile, normalize, score_rows
from rangewise.number_text import count_text, score_text, threshold_text


@dataclass(frozen=True)
class NabFile:
    """One series of a corpus at the corpus's threshold; ``score`` has its windows and false rows."""

    name: str
    raw: float
    tp: int
    fp: int
    fn: int
    tn: int
    score: NabScore


@dataclass(frozen=True)
class NabCorpus:
    """NAB's score of a corpus: ``raw``, the sum over its ``files``; ``normalized``, 0 for no detection and 100 for a perfect one.

    ``threshold`` is ``inf`` when detecting nothing is best. ``tp fp fn tn`` count the rows of all files.
    """

    threshold: float
    raw: float
    normalized: float
    tp: int
    fp: int
    fn: int
    tn: int
    profile: NabProfile
    files: tuple[NabFile, ...]

    def to_dict(self) -> dict[str, Any]:
        """The score as ``rangewise nab --json`` prints that of a profile."""

        def counts(of: NabCorpus | NabFile) -> dict[str, int]:
            return {"tp": of.tp, "fp": of.fp, "fn": of.fn, "tn": of.tn}

        files = [{"name": file.name, "windows": len(file.score.windows), "raw": file.raw, **counts(file)} for file in self.files]
        return {"threshold": self.threshold, "normalized": self.normalized, "raw": self.raw, **counts(self), "files": files}

    def __str__(self) -> str:
        head = f"NAB {score_text(self.normalized, digits=2)} of 100 at threshold {threshold_text(self.threshold)}, "
        head += f"raw {score_text(self.raw)}, {count_text(len(self.files), 'file')}"
        return "\n".join(
            [head, *(f"  {file.name}: {score_text(file.raw, signed=True)}, {file.tp:,} tp, {file.fp:,} fp" for file in self.files)]
        )


def nab_corpus(
    files: Iterable[tuple[RangesLike, ArrayLike]] | Mapping[str, tuple[RangesLike, ArrayLike]],
    *,
    profile: ProfileLike = "standard",
    threshold: float | None = None,
    probation: bool = True,
    zero_division: float = 0.0,
    ignore: Mapping[str, RangesLike] | None = None,
    close_gaps: int = 0,
    missing: Missing = "error",
) -> NabCorpus:
    r"""NAB's score of many series under one threshold: that given, or the best of all, found exactly.

    .. math:: normalized = 100 \frac{raw - null}{perfect - null}, \quad raw = \sum_{files} raw_{file}

    with null = -fn x windows and perfect = tp x windows over all files. ``files`` gives (real windows, scores) for each series; in a
    mapping they have names. At most 100, without a lower bound; higher is better. 100 x ``zero_division`` without windows to find. The
    search looks at every distinct score and at detecting nothing, in one pass after one sort; of equal thresholds it takes the highest.

    ``ignore`` has intervals that do not count by the name of their series: windows are clipped to what is left, one that is cut in the
    middle counts as two, and ignored rows are neither detected nor counted. The probation stays that of the whole series.
    ``close_gaps`` joins the detections of every threshold over gaps of up to so many rows, before anything is left out.
    ``missing`` says what a score that is nan means, as in :meth:`rangewise.Case.read`: ``"lowest"`` is the lowest of its series.

    >>> corpus = nab_corpus([([(2, 4)], [0.1, 0.7, 0.9, 0.1]), ([], [0.8, 0.1, 0.2])])
    >>> corpus.threshold, corpus.normalized, len(corpus.files)
    (0.9, 100.0, 2)
    """
    weights = as_profile(profile)
    named = files.items() if isinstance(files, Mapping) else ((f"file {index}", file) for index, file in enumerate(files))
    sheets: dict[str, ScoreSheet] = {}
    ignored = {} if ignore is None else dict(ignore)
    for name, file in named:
        try:
            real, scores = file
        except (TypeError, ValueError):
            raise TypeError(f"{name}: expected a pair (real windows, scores); got {type(file).__name__}") from None
        own, called = ignored.pop(name, None), (f"{name}: real", name)
        case = Case.read(real, scores=scores, ignore=own, close_gaps=close_gaps, missing=missing, called=called)
        sheets[name] = score_sheet(case, weights, probation)
    for name in ignored:
        raise unknown_name("a series in ignore", name, tuple(sheets))
    if threshold is None:
        threshold = _best_threshold(list(sheets.values()), weights)
    elif not isinstance(threshold, (int, float, np.number)) or math.isnan(threshold):
        raise ValueError(f"threshold is {threshold!r}; give a number, or None for the best of all thresholds")
    scored = {name: _score_at(sheet, threshold, weights, zero_division) for name, sheet in sheets.items()}
    rows = tuple(NabFile(name, score.raw, score.tp, score.fp, score.fn, score.tn, score) for name, score in scored.items())
    raw = math.fsum(row.raw for row in rows)
    counted, windows = sum(sheet.counted for sheet in sheets.values()), sum(len(sheet.windows) for sheet in sheets.values())
    normalized = float(100.0 * normalize(raw, counted, windows, weights, zero_division))
    tp, fp, fn, tn = (sum(getattr(row, count) for row in rows) for count in ("tp", "fp", "fn", "tn"))
    return NabCorpus(float(threshold), raw, normalized, tp, fp, fn, tn, weights, rows)


def _best_threshold(sheets: list[ScoreSheet], profile: NabProfile) -> float:
    if not sheets:
        return math.inf
    thresholds, raw = sweep(sheets, profile)
    null = -profile.fn * sum(sheet.counted for sheet in sheets)
    at = best_entry(thresholds, raw, null)
    return math.inf if at is None else thresholds[at].item()


def _score_at(sheet: ScoreSheet, threshold: float, profile: NabProfile, zero_division: float) -> NabScore:
    counted = sheet.ignored.to_labels(len(sheet.scores)) == 0
    detected = np.flatnonzero((sheet.scores >= sheet.own_type.type(threshold)) & counted)
    detected = detected[detected >= sheet.probation]
    return score_rows(sheet.windows, detected, len(sheet.scores), profile, sheet.probation, zero_division, ignored=sheet.ignored)
