"""The page of many series: the pooled result first, then a miniature of each series, worst first, that opens its own view."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

import numpy as np

from rangewise.checks import visible
from rangewise.many.batches import series_text
from rangewise.many.scores import ManyScores
from rangewise.model.model import RangeModel
from rangewise.model.tally import Tally
from rangewise.number_text import count_text, listed_text, share_text
from rangewise.reports.content import Content, finite, rendered, safe_json
from rangewise.reports.pack import Packed
from rangewise.reports.page import MOST_BYTES, Report, SeriesInput, case_content, is_long, page_of
from rangewise.reports.timeline import MOST_LANES, small_timeline_svg
from rangewise.reports.verdict import DetectorFacts, VerdictFacts, details, headline, three_digits, tiles

MOST_IN_ONE = 50_000_000
"""The size in bytes up to which all series are in one file."""
_NAMED_WORST = 3


@dataclass(frozen=True, eq=False)
class SeriesRow:
    """The result of a series, with one entry per detector in each list."""

    name: str
    real: int
    real_points: int
    points: int | None
    counted: int
    ignored: int
    facts: Sequence[DetectorFacts]
    tallies: Sequence[Tally]
    predicted_points: Sequence[int]
    chosen_with_labels: Sequence[bool]
    picture: str

    @classmethod
    def of_content(cls, name: str, content: Content) -> SeriesRow:
        entries = content.entries
        return cls(
            name, len(content.real), int(content.real.lengths.sum()), content.clock.rows, content.counted,
            int(entries[0].case.ignored.lengths.sum()) if content.clock.rows else 0,
            [entry.facts for entry in entries],
            [content.model.tally(entry.case) for entry in entries],
            [int(entry.predicted.lengths.sum()) for entry in entries],
            [entry.policy == "best" for entry in entries],
            small_timeline_svg(content.real, entries, content.clock, content.values),
        )  # fmt: skip

    @property
    def name_parts(self) -> list[str]:
        """The name in parts, between which a line may break."""
        return re.findall(r"[^/_.\- ]*[/_.\- ]|[^/_.\- ]+", self.name)

    def is_healthy(self, detector: int) -> bool:
        """Whether there was nothing to find and nothing was predicted."""
        return not self.real and not self.facts[detector].alarms

    def f_text(self, detector: int) -> str:
        return "-" if self.is_healthy(detector) else three_digits(self.facts[detector].f)

    def words(self, detector: int) -> str:
        """What was found, missed and false."""
        facts = self.facts[detector]
        if self.is_healthy(detector):
            return "no real ranges, no alarms"
        found = f"{facts.found:,} found · {self.real - facts.found:,} missed" if self.real else "no real ranges"
        return f"{found} · {facts.false:,} false"

    def order(self, detector: int) -> tuple[bool, float]:
        """Sorts the worst first; series without ranges and undefined scores come last."""
        f = self.facts[detector].f
        last = self.is_healthy(detector) or math.isnan(f)
        return last, 0.0 if last else f


@dataclass(frozen=True, eq=False)
class Index:
    """The results of all series."""

    rows: Sequence[SeriesRow]
    letters: Sequence[str]
    detectors: Sequence[str]
    model: RangeModel
    title: str

    @property
    def f_name(self) -> str:
        return f"F{self.model.beta:g}"

    @cached_property
    def scores(self) -> list[ManyScores]:
        """The scores of all series by detector, as ``score_many`` gives them."""
        names = tuple(row.name for row in self.rows)
        return [
            ManyScores.from_tallies(self.model, names, [row.tallies[detector] for row in self.rows])
            for detector in range(len(self.detectors))
        ]

    @cached_property
    def facts(self) -> VerdictFacts:
        """The facts about all series together."""
        counted, real_points = sum(row.counted for row in self.rows), sum(row.real_points for row in self.rows)
        return VerdictFacts(
            real=sum(row.real for row in self.rows),
            real_share=real_points / max(counted, 1),
            alpha=self.model.alpha,
            beta=self.model.beta,
            reciprocal="reciprocal" in (self.model.recall_cardinality, self.model.precision_cardinality),
            detectors=[self._pooled(detector, counted, real_points) for detector in range(len(self.detectors))],
            first=None,
        )

    def _pooled(self, detector: int, counted: int, real_points: int) -> DetectorFacts:
        own = [row.facts[detector] for row in self.rows]
        found = sum(facts.found for facts in own)
        covered = sum(round(facts.covered * row.real_points) for facts, row in zip(own, self.rows, strict=True))
        return DetectorFacts(
            name=self.detectors[detector],
            f=self.scores[detector].pooled.f,
            found=found,
            alarms=sum(facts.alarms for facts in own),
            false=sum(facts.false for facts in own),
            covered=covered / max(real_points, 1),
            alert_rate=sum(row.predicted_points[detector] for row in self.rows) / max(counted, 1),
            pieces=sum(facts.pieces * facts.found for facts in own) / max(found, 1),
            baseline=None,
            missed=[],
        )

    @cached_property
    def leader(self) -> int:
        """The detector with the largest pooled F; without real ranges, the one with the fewest alarms."""
        if not self.facts.real:
            return int(np.argmin([facts.alarms for facts in self.facts.detectors]))
        return int(np.argmax([facts.worth for facts in self.facts.detectors]))

    @cached_property
    def best_in(self) -> list[int]:
        """The number of series in which each detector has the largest F, alone or with others, if that is above 0."""
        f = np.nan_to_num(np.array([[facts.f for facts in row.facts] for row in self.rows]), nan=-1.0)
        most = f.max(axis=1, keepdims=True)
        return [int(count) for count in ((f == most) & (most > 0)).sum(axis=0)]

    @property
    def tiles(self) -> list[tuple[str, str]]:
        """The numbers of the leader."""
        if not self.facts.real:
            return tiles(self.facts)
        (label, f), *rest = tiles(self.facts)
        mean = (f"mean {label} of the series", three_digits(self.scores[self.leader].macro.f))
        best = [("series where it is best", f"{self.best_in[self.leader]:,} of {len(self.rows):,}")] if len(self.detectors) > 1 else []
        return [(f"{label}, all series pooled", f), mean, *rest, *best]

    @property
    def subtitle(self) -> str:
        rows = [row.points for row in self.rows if row.points is not None]
        points = [count_text(sum(rows), "point")] if len(rows) == len(self.rows) else []
        counts = [count_text(self.facts.real, "real range"), count_text(len(self.detectors), "detector")]
        return " · ".join([f"{len(self.rows):,} series", *points, *counts])

    @property
    def notes(self) -> list[str]:
        """How thresholds were chosen, and which rows do not count."""
        said = []
        chosen = [name for at, name in enumerate(self.detectors) if any(row.chosen_with_labels[at] for row in self.rows)]
        if chosen:
            said.append(
                f"No threshold was given for {listed_text(chosen)}, so each series has its own, chosen with its labels (largest F without "
                "a high alert rate): the scores are upper bounds."
            )
        if ignored := sum(row.ignored for row in self.rows):
            said.append(f"Ignored: {ignored:,} of {sum(row.points or 0 for row in self.rows):,} rows.")
        return said

    @property
    def lanes_note(self) -> str:
        many = len(self.detectors) > MOST_LANES
        return f"The miniatures show the first {MOST_LANES} of {len(self.detectors)} detectors." if many else ""

    @property
    def worst_first(self) -> list[int]:
        return sorted(range(len(self.rows)), key=lambda at: self.rows[at].order(self.leader))

    @property
    def verdict(self) -> str:
        worst = [self.rows[at] for at in self.worst_first[:_NAMED_WORST] if not self.rows[at].order(self.leader)[0]]
        named = ", ".join(f"{row.name} ({row.f_text(self.leader)})" for row in worst)
        lowest = [f"Lowest {self.f_name} of {self.detectors[self.leader]}: {named}."] if worst and self.facts.real else []
        return " ".join(["".join(headline(self.facts)), *details(self.facts), *lowest, *self.notes])

    def board(self) -> list[dict[str, Any]]:
        """The table of detectors, best first; a cell has its text and its number."""
        several_detectors = len(self.detectors) > 1
        rows = []
        for at in sorted(range(len(self.detectors)), key=lambda at: -self.facts.detectors[at].worth):
            facts, scores = self.facts.detectors[at], self.scores[at]
            values = [scores.pooled.f, scores.pooled.precision, scores.pooled.recall, scores.macro.f]
            cells = [
                *((three_digits(value), value) for value in values),
                (f"{facts.found:,} of {self.facts.real:,}", facts.found),
                (f"{facts.alarms:,}", facts.alarms),
                (f"{facts.false:,}", facts.false),
                (share_text(facts.alert_rate), facts.alert_rate),
                *([(f"{self.best_in[at]:,} of {len(self.rows):,}", self.best_in[at])] if several_detectors else []),
            ]
            rows.append({"name": f"{self.letters[at]} {self.detectors[at]}", "cells": cells})
        return rows

    def results(self) -> dict[str, Any]:
        """The numbers of the page, as ``--json`` prints them: pooled, and of each series in its given order."""
        pooled = [
            facts.to_dict(self.facts.real, own.pooled.precision, own.pooled.recall) | {"macro_f": own.macro.f}
            for facts, own in zip(self.facts.detectors, self.scores, strict=True)
        ]
        series = [
            {
                "series": row.name,
                "points": row.points,
                "real": row.real,
                "detectors": [
                    facts.to_dict(row.real, score.precision, score.recall)
                    for facts, score in zip(row.facts, (tally.score() for tally in row.tallies), strict=True)
                ],
            }
            for row in self.rows
        ]
        return {"model": str(self.model), "real": self.facts.real, "detectors": pooled, "series": series}

    def data(self) -> Packed:
        """The data of the script: the numbers that it sorts and filters by, and their texts."""
        numbers = range(len(self.detectors))
        return {
            "title": self.title,
            "leader": self.leader,
            "f": self.f_name,
            "detectors": [{"letter": letter, "name": name} for letter, name in zip(self.letters, self.detectors, strict=True)],
            "series": [
                {
                    "name": row.name,
                    "real": row.real,
                    "points": row.points,
                    "counts": [[finite(facts.f), facts.found, facts.alarms, facts.false] for facts in row.facts],
                    "last": [row.order(at)[0] for at in numbers],
                    "texts": [[row.f_text(at), row.words(at)] for at in numbers],
                }
                for row in self.rows
            ],
        }

    def html(self, blocks: Sequence[str] | None, shared: Packed, addresses: Sequence[str]) -> str:
        """The page: with the data of each series, or without, where each has its own page."""
        return rendered(
            self.title,
            {"index": self.data(), "shared": shared},
            index=self,
            shell=True,
            blocks=blocks or (),
            one_file=blocks is not None,
            cards=[(self.rows[at], at, addresses[at]) for at in self.worst_first],
            index_headline=headline(self.facts),
            index_details=details(self.facts),
            model=self.model,
            detectors=list(zip(self.letters, self.detectors, strict=True)),
            overview=None, subtitle="", entries=[], real_ranges=0, rows=[], hidden_rows=0, picture="", headline=[], details=[], tiles=[],
            contests=[], contest_words="", notes=[], command="",
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class SeriesPages:
    """The pages of the series, each made when it is read: its name, and its HTML."""

    series: Mapping[str, SeriesInput]
    addresses: Sequence[str]
    model: RangeModel
    title: str
    baseline: bool

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for (name, own), address in zip(self.series.items(), self.addresses, strict=True):
            content = case_content(
                own, model=self.model, title=f"{name}, {self.title}", baseline=self.baseline, back=(self.title, "../index.html")
            )
            yield address, page_of(content).html


def series_report(
    given: Mapping[Any, SeriesInput], *, model: RangeModel | None = None, title: str | None = None, baseline: bool = True
) -> Report:
    """The page of many series; above 50 MB an index and one page per series."""
    chosen, heading = model or RangeModel(), visible(title or "How good are these detectors?")
    series = _by_text(given)
    rows: list[SeriesRow] = []
    blocks: list[str] | None = []
    shared: Packed = {}
    letters: list[str] = []
    detectors: list[str] = []
    size = 0
    for name, own in series.items():
        content = case_content(own, model=chosen, title=name, baseline=baseline and blocks is not None)
        letters, detectors = [entry.letter for entry in content.entries], [entry.name for entry in content.entries]
        rows.append(SeriesRow.of_content(name, content))
        size += len(rows[-1].picture)
        if blocks is None:
            continue
        blocks.append(_block(name, content, reduced=is_long(content)))
        if len(blocks[-1]) > MOST_BYTES:
            blocks[-1] = _block(name, content, reduced=True)
        shared = shared or content.shared_data()
        size += len(blocks[-1])
        if size > MOST_IN_ONE:
            blocks = None
    index = Index(rows, letters, detectors, chosen, heading)
    if blocks is not None:
        links = [f"#series={quote(name, safe='')}" for name in series]
        return Report(index.html(blocks, shared, links), heading, index.verdict, results=index.results())
    names = [f"series/{number:04d}-{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')[:80]}.html" for number, name in enumerate(series)]
    pages = SeriesPages(series, names, chosen, heading, baseline)
    return Report(index.html(None, {}, names), heading, index.verdict, pages=pages, results=index.results())


def _block(name: str, content: Content, *, reduced: bool) -> str:
    """The data of a series among many as JSON, with the texts that the page of a single series has as HTML."""
    texts = {"subtitle": content.subtitle, "notes": content.notes(reduced), "summaries": [one.summary for one in content.contests]}
    return safe_json({"series": name} | content.own_data(reduced) | texts)


def _by_text(given: Mapping[Any, SeriesInput]) -> dict[str, SeriesInput]:
    """The series by their names as text, which are unique."""
    series: dict[str, SeriesInput] = {}
    for key, own in given.items():
        text = name = visible(series_text(key)) or "(no name)"
        copy = 1
        while name in series:
            copy += 1
            name = f"{text} ({copy})"
        series[name] = own
    return series
