"""Explain class scores: how much of each range was found, and as which class the rest was predicted."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rangewise.checks import visible
from rangewise.classes.confusion import Split
from rangewise.model.explain import costliest, reward_text, when_text
from rangewise.model.rewards import scores_as_points
from rangewise.model.rows import RangeRow
from rangewise.number_text import share_text

if TYPE_CHECKING:
    from rangewise.classes.scores import ClassScores

# Smaller shares of a range are rounding errors.
_NOTHING = 1e-9


@dataclass(frozen=True)
class ClassRow:
    """One range: its class, its number within the class (from 1), its reward, and the other classes there.

    ``taken_for`` has the share of each other class in the range, largest first: the predicted classes for a real range, the real classes
    for a predicted one. ``rest`` is the share without any class: missed, or on background. ``when`` is its rows or times as text.
    """

    name: Any
    number: int
    row: RangeRow
    found: float
    taken_for: dict[Hashable, float]
    rest: float
    when: str
    text: str
    """The row as one line of text."""

    def __str__(self) -> str:
        return self.text


def class_rows(scores: ClassScores, side: Literal["real", "predicted"]) -> tuple[ClassRow, ...]:
    """One row per range of one side, in order of time."""
    sides = scores.sides
    own, others = (sides.real, sides.predicted) if side == "real" else (sides.predicted, sides.real)
    split, explained = Split(others, own), []
    for at, name in enumerate(scores.classes):
        model = scores.tallies[at].model
        rows = getattr(scores[name], side)
        ranges = own[at].points() if scores_as_points(model, side) else own[at]
        shares = split.shares(ranges, at, model.recall_bias if side == "real" else model.precision_bias)
        for index, row in enumerate(rows):
            held = shares[index].tolist()
            taken = {scores.classes[other]: held[other] for other in sorted(range(len(held)), key=lambda other: -held[other])}
            taken = {other: share for other, share in taken.items() if other != name and share > _NOTHING}
            rest = max(0.0, 1.0 - held[at] - sum(taken.values()))
            when = when_text(rows, index)
            words = _words(side, name, held[at], taken, rest)
            text = f"{visible(str(name))} {index + 1} {when}: {visible(words)}: {reward_text(model, side == 'real', row)}"
            explained.append(ClassRow(name, index + 1, row, held[at], taken, rest, when, text))
    return tuple(sorted(explained, key=lambda each: (each.row.start, each.row.stop)))


def _words(side: str, name: Hashable, found_share: float, taken: dict[Hashable, float], rest: float) -> str:
    if side == "real":
        parts = [(found_share, "found"), *((share, f"taken for {other}") for other, share in taken.items()), (rest, "missed")]
    else:
        parts = [(found_share, f"is {name}"), *((share, f"is {other}") for other, share in taken.items()), (rest, "on background")]
    notable = [(share, word) for share, word in parts if share > _NOTHING]
    if len(notable) == 1:
        return "missed" if notable[0][1] == "missed" else f"all {notable[0][1]}"
    return ", ".join(f"{share_text(share)} {word}" for share, word in notable)


def explain_text(scores: ClassScores, limit: int | None) -> str:
    """The table, then one line per real and predicted range; with ``limit``, those that lost the most."""
    lines = [scores.table().to_text(), *([scores.note()] if scores.note() else [])]
    for side, rows in (("real", scores.real), ("predicted", scores.predicted)):
        lines += ["", f"{side} ranges: {len(rows):,}"]
        shown = costliest([each.row.reward for each in rows], limit)
        lines += [f"  {rows[at]}" for at in shown]
        if len(shown) < len(rows):
            lines.append(f"  ... and {len(rows) - len(shown):,} more that lost no more than these; explain() shows all")
    return "\n".join(lines)
