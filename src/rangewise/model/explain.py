"""Explain a score to a domain expert."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import visible
from rangewise.inputs.clocks import ClockedRanges
from rangewise.inputs.instants import duration_text, time_text
from rangewise.model.rewards import scores_as_points
from rangewise.number_text import count_text, score_text, share_text

if TYPE_CHECKING:
    from rangewise.model.means import MacroScore
    from rangewise.model.model import RangeModel
    from rangewise.model.result import Score
    from rangewise.model.rows import RangeRow, RangeRows

# The center of a covered share is share / 2 at the very front and 1 - share / 2 at the very back; thirds in between.
_EARLY, _LATE = 1 / 3, 2 / 3
# A part that covers this much of a range has no particular place.
_NEARLY_ALL = 0.9


def explain_text(score: Score, limit: int | None) -> str:
    """The three numbers, the model, then one line per range; with ``limit``, the ranges that lost the most."""
    lines = [headline(score), f"model      {score.model}"]
    if score.alert_rate is not None:
        lines.append(f"alert rate {share_text(score.alert_rate)} of all points")
    if score.ignored is not None:
        lines.append(f"ignored    {score.ignored}")
    if score._sides is None:
        return "\n".join(lines)
    for title, lettered, rows in _sides(score):
        lines += ["", title]
        shown = costliest(rows.reward, limit)
        lines += [f"  {row_text(score.model, lettered, index, rows[index], when_text(rows, index))}" for index in shown]
        if len(shown) < len(rows):
            lines.append(f"  ... and {len(rows) - len(shown):,} more that lost no more than these; explain() shows all")
    return "\n".join(lines)


def explain_html(score: Score, limit: int) -> str:
    """The same as tables, for notebooks."""
    from html import escape  # imported here because printing a score does not need them

    from rangewise.tables import Table

    parts = [f"<p><b>{escape(headline(score))}</b><br><code>{escape(str(score.model))}</code></p>"]
    if score._sides is not None:
        for title, lettered, rows in _sides(score):
            parts.append(f"<p>{escape(' '.join(title.split()))}</p>")
            shown, cells = costliest(rows.reward, limit), []
            for index in shown:
                name = f"{lettered}{index + 1} {when_text(rows, index)}"
                why = row_text(score.model, lettered, index, rows[index], when_text(rows, index)).removeprefix(f"{name}: ")
                cells.append([name, _number(rows.reward[index]), why])
            parts.append(Table(["range", "reward", "why"], cells, words=(0, 2)).to_html())
            if len(shown) < len(rows):
                parts.append(f"<p>... and {len(rows) - len(shown):,} more that lost no more than these; explain() shows all</p>")
    return "".join(parts)


def headline(score: Score) -> str:
    return three_scores(score, score.model.beta)


def three_scores(score: Score | MacroScore, beta: float) -> str:
    """Precision, recall and F of anything that has them."""
    return f"precision {score_text(score.precision)}   recall {score_text(score.recall)}   F{beta:g} {score_text(score.f)}"


def when_text(rows: RangeRows, index: int) -> str:
    """A range by its rows, or by its times and duration, with its name if it has one."""
    if isinstance(rows.when, ClockedRanges):
        return rows.when.text(index) if rows.name is None else f"{visible(str(rows.name[index]))} {rows.when.text(index)}"
    return f"[{rows.start[index]}, {rows.stop[index]})"


def row_dict(row: RangeRow) -> dict[str, Any]:
    """A row for JSON: times as ISO 8601 in UTC, durations in seconds; unknown values are omitted.

    >>> import rangewise as rw
    >>> row = rw.score([("2024-05-01T10:02", "2024-05-01T10:47")], [("2024-05-01T10:09", "2024-05-01T10:31")]).real[0]
    >>> [row_dict(row)[name] for name in ("start", "stop", "covered", "delay")]
    ['2024-05-01T10:02:00', '2024-05-01T10:47:00', 1320.0, 420.0]
    """
    values: dict[str, Any] = {}
    for name, value in asdict(row).items():
        if isinstance(value, np.timedelta64):
            value = None if np.isnat(value) else int(value.astype(np.int64)) / 1e9
        elif isinstance(value, np.datetime64):
            value = time_text(value)
        elif value is None or (name == "weight" and value == 1.0):
            continue
        values[name] = value
    return values | {"center": row.center if row.existence else None}


def row_text(model: RangeModel, lettered: str, index: int, row: RangeRow, when: str | None = None) -> str:
    """One range: how much of it was found, where, in how many pieces, and its reward. ``when`` names the range, by default its rows.

    >>> import rangewise as rw
    >>> model = rw.RangeModel(cardinality="reciprocal")
    >>> row_text(model, "R", 6, model.score([(410, 472)], [(440, 450), (455, 460), (465, 480)]).real[0])
    'R7 [410, 472): 35 % of it found, mostly its back part, in 3 pieces: 0.35 x 1/3 = 0.12'
    """
    name = f"{lettered}{index + 1} {when or f'[{row.start}, {row.stop})'}"
    is_real = lettered == "R"
    weight = f" (weight {row.weight:g})" if row.weight != 1.0 else ""
    if not row.existence:
        return f"{name}: {'missed' if is_real else 'false alarm, no real range there'}: 0{weight}"
    bias = model.recall_bias if is_real else model.precision_bias
    size = f"{_share(row, bias == 'flat')} of it {'found' if is_real else 'is real'}{'' if bias == 'flat' else ', weighted by position'}"
    if is_real and row.delay is not None and row.delay > np.timedelta64(0, "ns"):
        place = f"{duration_text(int(row.delay.astype(np.int64)))} late"
    else:
        place = place_words(row.covered / (row.stop - row.start), row.center, row.overlaps, is_real)
    pieces = f"in {row.overlaps} {'pieces' if is_real else 'real ranges'}" if row.overlaps > 1 else ""
    return f"{name}: {', '.join(part for part in (size, place, pieces) if part)}: {reward_text(model, is_real, row)}{weight}"


def _sides(score: Score) -> list[tuple[str, str, RangeRows]]:
    real, predicted = score.real, score.predicted
    return [
        (_title(score.model, "real", real), "R", real),
        (_title(score.model, "predicted", predicted), "P", predicted),
    ]


def _title(model: RangeModel, side: Literal["real", "predicted"], rows: RangeRows) -> str:
    noun = "point" if scores_as_points(model, side) else "range"
    if not len(rows):
        counted = "" if math.isnan(model.zero_division) else f" and counts as {model.zero_division:g}"
        return f"{side:<9}  no {noun}s, so {'recall' if side == 'real' else 'precision'} is undefined{counted}"
    hits = int(rows.existence.sum())
    lost = len(rows) - hits
    words = f"{hits:,} found, {lost:,} missed" if side == "real" else f"{hits:,} touching a real one, {count_text(lost, 'false alarm')}"
    return f"{side:<9}  {count_text(len(rows), noun)}: {words}"


def costliest(rewards: Sequence[float] | NDArray[np.float64], limit: int | None) -> list[int]:
    """The ranges with the smallest rewards, at most ``limit`` of them, in order of time."""
    if limit is not None and limit < 0:
        raise ValueError(f"limit must be a number of ranges, 0 or more, or None for all; got {limit}")
    if limit is None or len(rewards) <= limit:
        return list(range(len(rewards)))
    return sorted(np.argsort(rewards, kind="stable")[:limit].tolist())


def place_words(share: float, center: float, overlaps: int, is_real: bool) -> str:
    """Where the covered share of a range lies, by the mean position of its points; empty if it is nearly all.

    One piece is early, late or in the middle. Of several pieces only the mean is known: "mostly its back part" may begin at the front.

    >>> place_words(0.2, 0.9, 1, True), place_words(0.2, 0.9, 2, True), place_words(0.2, 0.5, 2, True), place_words(0.95, 0.5, 1, True)
    ('late', 'mostly its back part', '', '')
    """
    if share >= _NEARLY_ALL:
        return ""
    place = (center - share / 2) / (1 - share)
    third = "front" if place < _EARLY else "back" if place > _LATE else "middle"
    if overlaps > 1:
        return "" if third == "middle" else f"mostly its {third} part"
    return {"front": "early", "back": "late", "middle": "in the middle"}[third] if is_real else f"its {third} part"


def reward_text(model: RangeModel, is_real: bool, row: RangeRow) -> str:
    """The arithmetic behind the reward."""
    alpha = model.alpha if is_real else 0.0
    factors = [_number(row.size)]
    if row.factor != 1.0:
        cardinality = model.recall_cardinality if is_real else model.precision_cardinality
        factors.append(f"1/{row.overlaps}" if cardinality == "reciprocal" else f"{row.factor:.3g}")
    if alpha:
        terms = f"{_weight(alpha)} + {' x '.join([_weight(1 - alpha), *factors])}"
    else:
        terms = " x ".join(factors)
    reward = _number(row.reward)
    return terms if terms == reward else f"{terms} = {reward}"


def _number(value: float) -> str:
    """Two decimals, or more if needed to show that it is neither 0 nor 1."""
    text = f"{value:.2f}"
    if text == "1.00" and value < 1:
        return _weight(value, "over 0.9999")
    return f"{value:.4g}" if text == "0.00" and value > 0 else text


def _weight(value: float, nearly_one: str = "") -> str:
    """Four digits, unless a value below 1 would round to 1."""
    text = f"{value:.4g}"
    return (nearly_one or repr(value)) if text == "1" and value < 1 else text


def _share(row: RangeRow, is_flat: bool) -> str:
    """A share in percent; only exact 0 and 1 read as 0 % and 100 %."""
    # Of very long ranges, nearly all may round to a size of 1.
    if row.covered == row.stop - row.start or (row.size == 1.0 and not is_flat):
        return "all"
    percent = 100 * row.size
    if percent == 0:
        return "none"
    if percent < 1:
        return "under 1 %"
    return "over 99 %" if percent > 99 else f"{percent:.0f} %"
