"""The content of a page: the static text, and the data for the script."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import resources
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rangewise
from rangewise.checks import visible
from rangewise.curve import Curve
from rangewise.inputs.case import CaseOptions
from rangewise.inputs.ranges import Ranges
from rangewise.model.explain import row_text
from rangewise.model.model import RangeModel
from rangewise.model.presets import PRESETS
from rangewise.model.rewards import scores_as_points, side_count
from rangewise.number_text import count_text, share_text
from rangewise.rankings.ranking import ranking_of_cases
from rangewise.rankings.settings import read_settings
from rangewise.reports.bundle import SHORT_SCRIPT, SHORT_STYLE
from rangewise.reports.clock import PageClock
from rangewise.reports.contest import Contest, contest_words, contests
from rangewise.reports.entries import THIN, Entry, best_threshold, names_of
from rangewise.reports.pack import Packed, packed, packed_ranges, packed_scores, packed_values
from rangewise.reports.timeline import timeline_svg
from rangewise.reports.verdict import VerdictFacts, details, headline, three_digits, tiles

BEFORE = "alert shortly before it began: 0"
_ROWS = 200
_MOST_LISTED = 200_000
_SETTINGS = (
    "alpha", "beta", "recall_bias", "precision_bias", "recall_cardinality", "precision_cardinality", "as_points", "zero_division",
)  # fmt: skip
_PYRAMID = 20_000
_REDUCED = (
    "The series is long, so this page is reduced: the picture shows the minimum and maximum of each block, and the threshold moves in up "
    "to 2,000 steps, at which the numbers are exact. Lanes, tables and other settings are shown at the given thresholds."
)


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The top of a page about incidents and alerts."""

    subtitle: str
    tiles: Sequence[tuple[str, str]]
    headline: Sequence[str]
    """In parts: every second one is a name."""
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    """The table of rules; empty if there is only one lane."""
    notes: Sequence[str]
    lead: int = 0
    """Nanoseconds before an incident during which an alert counts for it."""
    zone: str = ""
    """The time zone in which times are shown; empty if they have none."""
    text: str = ""
    """The output in the terminal."""


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a page."""

    entries: Sequence[Entry]
    real: Ranges
    """The real ranges, the same for all detectors."""
    counted: int
    """The number of points, or ticks of a clock without rows, that are not ignored."""
    clock: PageClock
    values: NDArray[np.float64] | None
    model: RangeModel
    title: str
    commands: Mapping[str, Sequence[str]]
    options: CaseOptions
    """The input options that were given."""
    back: tuple[str, str] | None = None
    """The name and the address of the page that leads here."""
    overview: Overview | None = None
    """The top of a page about incidents and alerts; None for a page that compares detectors."""

    @cached_property
    def facts(self) -> VerdictFacts:
        real_points = float(self.real.lengths.sum())
        first = None
        if len(self.entries) > 1 and len(self.real):
            settings = read_settings(precision_bias=self.model.precision_bias)
            first = ranking_of_cases(settings, {entry.name: entry.case for entry in self.entries}).first
        return VerdictFacts(
            real=len(self.real),
            real_share=real_points / self.counted,
            alpha=self.model.alpha,
            beta=self.model.beta,
            reciprocal="reciprocal" in (self.model.recall_cardinality, self.model.precision_cardinality),
            detectors=[entry.facts for entry in self.entries],
            first=first,
        )

    @property
    def leader(self) -> Entry:
        if self.overview is not None:
            return self.entries[0]
        return max(self.entries, key=attrgetter("facts.worth"))

    @property
    def own_functions(self) -> list[str]:
        """Settings of the model that a page cannot include: custom functions, and precision by length."""
        own = [name for name in ("size", *_SETTINGS) if callable(getattr(self.model, name))]
        return own if self.model.precision_weight == "range" else [*own, "precision_weight"]

    @property
    def subtitle(self) -> str:
        """The size of the series, and the number of detectors."""
        if self.overview is not None:
            return self.overview.subtitle
        counts = [count_text(self.clock.rows, "point")] if self.clock.rows else []
        return " · ".join([*counts, count_text(len(self.real), "real range"), count_text(len(self.entries), "detector")])

    def notes(self, reduced: bool) -> list[str]:
        """Notes on what the page lacks, and on how the input was changed before scoring."""
        said = [_REDUCED] if reduced else []
        gap, ignored = self.options.get("close_gaps", 0), self.entries[0].case.ignored
        size = count_text(gap, "point") if isinstance(gap, int) else gap
        if gap:
            said.append(f"Gaps of up to {size} between predictions are closed, at every threshold.")
        if len(ignored):
            rows = (
                f"{int(ignored.lengths.sum()):,} of {self.clock.rows:,} rows" if self.clock.rows else count_text(len(ignored), "interval")
            )
            said.append(f"Ignored: {rows}.")
        if own := self.own_functions:
            said.append(
                f"The settings are disabled: this model has custom functions ({', '.join(own)}), which the page cannot include. "
                "The numbers are exact at every stop of the slider."
            )
        return said

    def html(self, reduced: bool) -> str:
        """The complete page."""
        leader = self.leader
        python_line = f"{self.model}{self._call(leader)}" + ("" if leader.threshold is None else f".at({leader.threshold!r})")
        return rendered(
            self.title,
            self.shared_data() | self.own_data(reduced),
            shell=False,
            model=self.model,
            subtitle=self.subtitle,
            entries=self.entries,
            detectors=[(entry.letter, entry.name) for entry in self.entries],
            real_ranges=len(self.real),
            leader=leader,
            rows=self.static_rows(),
            hidden_rows=max(0, side_count(self.model, self.real, side="real") - _ROWS),
            picture=timeline_svg(self.real, self.entries, self.clock, self.values),
            headline=headline(self.facts) if self.overview is None else self.overview.headline,
            details=details(self.facts) if self.overview is None else [],
            tiles=tiles(self.facts) if self.overview is None else self.overview.tiles,
            overview=self.overview,
            back=self.back,
            contests=self.contests,
            contest_words=contest_words([one.ranks for one in self.contests]) if self.contests else "",
            notes=self.notes(reduced) if self.overview is None else self.overview.notes,
            command=python_line if self.overview is None else self.overview.text,
        )

    @cached_property
    def contests(self) -> list[Contest]:
        """The scoring models of the bump chart; none for incidents and alerts."""
        return contests(self.entries, self.model) if self.overview is None else []

    def static_rows(self) -> list[dict[str, str]]:
        """The leader's real ranges, worst first, with explanations."""
        as_points = scores_as_points(self.model, "real")
        if as_points and float(self.real.lengths.sum()) > _MOST_LISTED:
            return []  # points one by one
        rows, lead = self.leader.score.real, 0 if self.overview is None else self.overview.lead
        ranges, names = (self.real.points(), [""] * len(rows)) if as_points else (self.real, names_of(self.real))
        listed = []
        for index in np.argsort(rows.reward, kind="stable")[:_ROWS].tolist():
            start, stop = ranges[index]
            words = row_text(self.model, "R", index, rows[index], "").partition(": ")[2]
            if lead and not rows[index].overlaps and any(begin < stop and end > start - lead for begin, end in self.leader.predicted):
                words = BEFORE
            listed.append({"name": f"R{index + 1}", "when": names[index] + self.clock.range_text(start, stop), "words": words})
        return listed

    def _call(self, entry: Entry) -> str:
        """The Python call for the input of this detector."""
        name = visible(json.dumps(entry.case.name or entry.name, ensure_ascii=False))
        said = "".join(
            f", {option}={value!r}" if all(isinstance(each, (int, float, str)) for each in _parts(value)) else f", {option}={option}"
            for option, value in self.options.items()
            if value is not None and option != "length" and not (option == "close_gaps" and not value)
            if option != "missing" or entry.case.scores is not None
        )
        return f".score(real, predicted[{name}]{said})" if entry.case.scores is None else f".curve(real, scores[{name}]{said})"

    def results(self) -> dict[str, Any]:
        """The numbers of the page, as ``--json`` prints them."""
        detectors = [
            entry.facts.to_dict(len(self.real), entry.score.precision, entry.score.recall)
            | {"threshold": entry.threshold, "threshold_rule": entry.policy}
            for entry in self.entries
        ]
        return {"model": str(self.model), "points": self.clock.rows, "real": len(self.real), "detectors": detectors}

    def shared_data(self) -> Packed:
        """The part of the script's data that does not depend on the series."""
        return {
            "version": rangewise.__version__,
            "model": _settings(self.model),
            "modelText": str(self.model),
            "modelHash": self.model.short_hash,
            "own": self.own_functions,
            "overview": self.overview is not None,
            "before": BEFORE,
            "lead": str(self.overview.lead) if self.overview else "0",
            "presets": {name: _settings(preset) for name, preset in PRESETS.items()},
        }

    def own_data(self, reduced: bool) -> Packed:
        """The part of the script's data that is about this series."""
        clock, ignored = self.clock.packed(), self.entries[0].case.ignored
        if reduced and "at" in clock:
            clock = {"kind": "rows", "first": 0, "last": self.clock.last}  # the times of irregular rows take too much
        names = getattr(self.real, "names", None)
        return {
            "title": self.title,
            "clock": clock,
            "points": self.clock.rows,
            "counted": self.counted,
            "ignored": packed_ranges(ignored) if self.clock.rows and len(ignored) else None,
            "real": packed_ranges(self.real),
            "names": None if names is None else [visible(str(name)) for name in names],
            "values": None if self.values is None else _packed_values(self.values, reduced),
            "timed": self.leader.score.real.delay is not None,
            "reduced": reduced,
            "baseline": any(entry.facts.baseline is not None for entry in self.entries),
            "contests": [
                {"label": one.label, "values": [*map(finite, one.values)], "texts": [*one.texts], "ranks": [*one.ranks]}
                for one in self.contests
            ],
            "detectors": [self._detector(entry, reduced or bool(self.own_functions)) for entry in self.entries],
        }

    def _detector(self, entry: Entry, embedded: bool) -> Packed:
        data: Packed = {
            "name": entry.name,
            "letter": entry.letter,
            "command": list(self.commands.get(entry.case.name, ())),
            "call": self._call(entry),
            "score": [finite(value) for value in (entry.score.precision, entry.score.recall, entry.score.f)],
            "chance": entry.facts.baseline,
        }
        if entry.case.scores is None:
            return data | {"predicted": packed_ranges(entry.predicted)}
        assert entry.curve is not None
        assert entry.distinct is not None
        assert entry.ranks is not None
        assert entry.threshold is not None
        thin = entry.curve.thin(THIN)
        data |= {"threshold": finite(entry.threshold), "rank": entry.rank, "policy": entry.policy}
        if embedded:
            return data | {
                "predicted": packed_ranges(entry.predicted),
                "stops": [packed(column) for column in _stops(entry, thin)],
                "sentences": self._sentences(entry) if self.own_functions else None,
            }
        data |= packed_scores(entry.distinct, entry.ranks)
        data["best"] = int(np.searchsorted(entry.distinct, best_threshold(entry.curve)))
        if len(entry.case.scores) > _PYRAMID:
            # Drawn until the whole curve has been swept.
            data["thin"] = [packed(values.astype(np.float32)) for values in (thin.precision, thin.recall)]
        return data

    def _sentences(self, entry: Entry) -> dict[str, list[list[Any]]]:
        """Rows and explanations that the page cannot compute, because they depend on custom functions."""
        sentences = {}
        for side, ranges, rows in (("real", self.real, entry.score.real), ("predicted", entry.predicted, entry.score.predicted)):
            own = ranges.points() if self.model.as_points in (side, "both") else ranges
            sentences[side] = [
                # JavaScript is exact for integers up to 2 ** 53; larger ones become text.
                [*(at if at < 2**53 else str(at) for at in own[index]), row.reward,
                 row_text(self.model, side[0].upper(), index, row, "").partition(": ")[2]]
                for index, row in enumerate(rows[:_ROWS])
            ]  # fmt: skip
        return sentences


def rendered(title: str, data: Packed, **context: Any) -> str:
    """A page from the template, with its scripts, its styles and the policy that allows only these."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("the page needs jinja2: pip install 'rangewise[report]'") from error
    loader = PackageLoader("rangewise.reports", "assets")
    templates = Environment(autoescape=True, undefined=StrictUndefined, loader=loader, trim_blocks=True, lstrip_blocks=True)
    assets = resources.files("rangewise.reports") / "assets"
    script, style = ((assets / name).read_text(encoding="utf-8") for name in (SHORT_SCRIPT, SHORT_STYLE))
    page: str = templates.get_template("page.html").render(
        title=title,
        style=style,
        script=script,
        policy=(
            f"default-src 'none'; script-src '{script_hash(script)}'; style-src '{script_hash(style)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
        data=safe_json(data),
        number=three_digits,
        percent=share_text,
        version=rangewise.__version__,
        **context,
    )
    return page


def _parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _stops(entry: Entry, thin: Curve) -> list[NDArray[np.float64]]:
    """The stops of the slider of a reduced page: thresholds, precision, recall, predicted points; they include the given threshold."""
    assert entry.case.scores is not None
    assert entry.threshold is not None
    thresholds = np.append(thin.thresholds.astype(np.float64), entry.threshold)
    order = np.unique(thresholds, return_index=True)[1][::-1]
    scores = np.sort(entry.case.counted_scores)
    predicted = len(scores) - np.searchsorted(scores, thresholds)
    columns = (thresholds, np.append(thin.precision, entry.score.precision), np.append(thin.recall, entry.score.recall), predicted)
    return [np.asarray(column, dtype=np.float64)[order] for column in columns]


def _packed_values(values: NDArray[np.float64], reduced: bool) -> Packed:
    if not reduced or len(values) <= 2 * _PYRAMID:
        return packed_values(values) | {"width": 1}
    # Minimum and maximum of each block in turn, which is what a screen shows.
    width = math.ceil(len(values) / _PYRAMID)
    begins = np.arange(0, len(values), width)
    pairs = np.column_stack([np.fmin.reduceat(values, begins), np.fmax.reduceat(values, begins)])
    return packed_values(pairs.ravel()) | {"width": width}


def _settings(model: RangeModel) -> Packed:
    """The settings of a model that the page can change."""
    values = {name: getattr(model, name) for name in _SETTINGS}
    values |= {name: getattr(value, "__name__", "own") for name, value in values.items() if callable(value)}
    return values | ({"zero_division": "nan"} if math.isnan(model.zero_division) else {})


def finite(value: float) -> float | str:
    """JSON has neither nan nor infinity."""
    return float(value) if math.isfinite(value) else str(float(value))


def safe_json(data: Packed) -> str:
    """JSON that is safe between script tags: it cannot end them or begin a comment."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def script_hash(text: str) -> str:
    """A script or style as a Content-Security-Policy names it."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
