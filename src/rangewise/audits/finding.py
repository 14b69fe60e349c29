"""Findings of an audit, and the table of its checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rangewise.inputs.ranges import Ranges


@dataclass(frozen=True)
class Check:
    """A check of a series or of the whole data set. A flaw is a reason to exclude a series; a note is for information."""

    name: str
    about: str
    is_flaw: bool = True
    of_series: bool = True


CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        Check("trivial", "a one-liner finds every anomaly and nothing else"),
        Check("labels-shifted", "the labels fit much better when shifted"),
        Check("density", "more than a fifth of the rows are anomalous"),
        Check("training-anomaly", "an anomaly lies in the training part"),
        Check("no-anomaly", "no anomaly lies in the scored part"),
        Check("duplicate", "a stretch is a copy of another series, possibly scaled"),
        Check("constant", "an unlabeled stretch is constant, unlike the rest of the series"),
        Check("missing", "values are missing or not finite"),
        Check("timestamps", "timestamps are repeated or out of order"),
        Check("unreadable", "the series cannot be read"),
        Check("at-the-end", "the last anomaly reaches the last hundredth of the series", is_flaw=False),
        Check("gaps", "timestamps have gaps", is_flaw=False),
        Check("buffer", "the period, which TSB-AD uses as the buffer of VUS, is far longer than the anomalies", is_flaw=False),
        Check("position", "anomalies lie late in their series: a detector that favors late rows gains", of_series=False),
        Check("power", "too few series: no test can separate two detectors", of_series=False),
    )
}
"""The checks by name, in the order of reports."""


@dataclass(frozen=True)
class Finding:
    """One finding of a check. ``where`` are rows of the series; ``other`` is the series that a duplicate shares rows with."""

    check: str
    series: str
    message: str
    where: Ranges = field(default_factory=Ranges)
    other: str = ""

    @property
    def is_flaw(self) -> bool:
        return CHECKS[self.check].is_flaw

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "check": self.check, "series": self.series, "flaw": self.is_flaw, "message": self.message,
            "where": [list(each) for each in self.where], "other": self.other or None,
        }  # fmt: skip
