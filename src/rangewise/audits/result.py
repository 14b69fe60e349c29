"""The result of an audit: findings by series, a verdict, and the series without flaws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rangewise.audits.finding import CHECKS, Finding
from rangewise.checks import visible
from rangewise.files.series import Series
from rangewise.tables import Table, markdown_text

_FEW, _SOME = 0.05, 0.25


@dataclass(frozen=True, eq=False)
class Audit:
    """The result of an audit. Printing shows the verdict and one row per series with a finding."""

    name: str
    names: tuple[str, ...]
    """Of all series, also those that could not be read."""
    series: tuple[Series, ...]
    findings: tuple[Finding, ...]

    @property
    def flagged(self) -> tuple[str, ...]:
        """The series with a flaw; notes do not count."""
        flawed = {each.series for each in self.findings if each.is_flaw and each.series}
        return tuple(name for name in self.names if name in flawed)

    @property
    def clean(self) -> tuple[str, ...]:
        """The series without a flaw: score detectors on these."""
        flawed = set(self.flagged)
        return tuple(name for name in self.names if name not in flawed)

    def of(self, series: str) -> list[Finding]:
        """The findings of one series."""
        return [each for each in self.findings if each.series == series]

    def counts(self) -> dict[str, int]:
        """The number of series with a finding, by check."""
        counted = Counter(check for check, _ in {(each.check, each.series) for each in self.findings})
        return {check: counted[check] for check in CHECKS if counted[check]}

    def verdict(self) -> str:
        """One or two sentences: how many series are flawed, by what, and what to do."""
        count, flawed = len(self.names), len(self.flagged)
        share = flawed / count
        reasons = [
            f"{CHECKS[check].name} {number}" for check, number in self.counts().items() if CHECKS[check].is_flaw and CHECKS[check].of_series
        ]
        said = [f"{flawed} of {count} series {'has' if flawed == 1 else 'have'} a flaw" + (f" ({', '.join(reasons)})." if reasons else ".")]
        if not flawed:
            said.append("No series needs to be excluded.")
        elif flawed == count:
            said.append("No series is left to compare detectors on.")
        elif share <= _FEW:
            said.append("Exclude them; these checks find no flaw in the rest.")
        elif share <= _SOME:
            said.append("Report scores without them too; see whether the order of detectors changes.")
        else:
            said.append("Do not rank detectors on this data set without excluding them.")
        said += [f"{CHECKS[each.check].about.capitalize()}: {each.message}." for each in self.findings if not each.series]
        return " ".join(said)

    def tables(self, *, all_series: bool = False) -> list[Table]:
        """The checks with their counts, and one row per series with its findings."""
        counts = self.counts()
        checks = [
            [check.name, "flaw" if check.is_flaw else "note", str(counts[name]), check.about]
            for name, check in CHECKS.items()
            if name in counts
        ]
        rows = []
        for name in self.names:
            findings = self.of(name)
            if findings or all_series:
                kind = "flaw" if any(each.is_flaw for each in findings) else "note" if findings else ""
                rows.append([name, kind, "; ".join(f"{each.check}: {each.message}" for each in findings)])
        tables = [Table(["check", "kind", "series", "what it means"], checks, "Checks", words=(0, 1, 3))] if checks else []
        return [*tables, Table(["series", "", "findings"], rows, "Series", words=range(3))] if rows else tables

    def to_markdown(self) -> str:
        """The verdict and the tables as Markdown."""
        head = [f"## {markdown_text(self.name)}\n", markdown_text(self.verdict()) + "\n"]
        return "\n".join([*head, *(table.to_markdown() for table in self.tables())])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {
            "name": self.name, "series": len(self.names), "flagged": list(self.flagged), "clean": list(self.clean), "counts": self.counts(),
            "verdict": self.verdict(), "findings": [each.to_dict() for each in self.findings],
        }  # fmt: skip

    def to_html(self, *, links: Mapping[str, str] | None = None) -> str:
        """A self-contained HTML page with plots of the findings."""
        from rangewise.audits.page import page_text

        return page_text(self, links or {})

    def __str__(self) -> str:
        return "\n\n".join([visible(f"{self.name}: {self.verdict()}"), *(table.to_text() for table in self.tables())])
