"""What a part of the benchmark hands over, and the page of Markdown made of it."""

from __future__ import annotations

import math
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.peers import Outcome
from benchmarks.timing import Measured


@dataclass(frozen=True)
class Table:
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """The first column is text, the others are numbers."""
        ruler = ["---", *["---:"] * (len(self.columns) - 1)]
        return "\n".join("| " + " | ".join(row) + " |" for row in (self.columns, ruler, *self.rows))


@dataclass(frozen=True)
class Goal:
    """A figure that was set beforehand, and what this run gave.

    What spreads is judged by the quartile of its samples on the better side, so that a second run comes to the same verdict.
    """

    what: str
    measured: str
    reached: bool
    spread: str = "-"

    @classmethod
    def at_most(cls, what: str, value: float, limit: float, text: Callable[[float], str] | None = None) -> Goal:
        low = value.low if isinstance(value, Measured) else value
        return cls(what, (text or ratio_text)(value), low <= limit, between_text(value, text or ratio_text))

    @classmethod
    def at_least(cls, what: str, value: float, limit: float, text: Callable[[float], str] | None = None) -> Goal:
        high = value.high if isinstance(value, Measured) else value
        return cls(what, (text or ratio_text)(value), high >= limit, between_text(value, text or ratio_text))


@dataclass(frozen=True)
class Section:
    title: str
    blocks: Sequence[str | Table]
    goals: Sequence[Goal] = field(default_factory=list)
    load: str = ""
    """What else the machine did in the meantime; nothing if it was quiet."""

    def markdown(self) -> str:
        note = [f"**The machine was loaded**: {self.load}."] if self.load else []
        return "\n\n".join([f"## {self.title}", *note, *(block.markdown() if isinstance(block, Table) else block for block in self.blocks)])


def page(sections: Sequence[Section], made_by: str = "make bench") -> str:
    goals = [goal for section in sections for goal in section.goals]
    reached = sum(goal.reached for goal in goals)
    blocks = [
        "# Benchmark",
        f"Made by `{made_by}`; every table comes from that one run, so compare ratios, not times, with another machine.",
        machine(),
        _quiet(sections),
        "A time is the median of interleaved calls, and a ratio the median over pairs of neighbors. The spread is half the distance "
        "between the quartiles, as a share of the median. rangewise, scikit-learn and NumPy ran in one process, each peer in its "
        "own environment and process, on the same labels. Converting the labels to the input of a peer was not timed.",
        "## Goals",
        f"{reached} of {len(goals)} reached in this run; judged by the better quartile, so that two runs come to the same verdict.",
        Table(
            ["goal", "this run", "quartiles", "reached"],
            [[goal.what, goal.measured, goal.spread, "yes" if goal.reached else "**no**"] for goal in goals],
        ).markdown(),
        *(section.markdown() for section in sections),
    ]
    return "\n\n".join(blocks) + "\n"


def machine() -> str:
    """The machine in general words."""
    from rangewise import kernel  # imported here because drivers import this file in the environments of other programs

    return (
        f"Machine: {_processor()}, {os.cpu_count()} cores, {platform.system()}; vector instructions of the kernel: {kernel.vectors}; "
        f"Python {platform.python_version()}, NumPy {np.__version__}, {sys.byteorder}-endian."
    )


def _quiet(sections: Sequence[Section]) -> str:
    loaded = [section.title for section in sections if section.load]
    if not loaded:
        return "The machine was quiet: no part was disturbed by other processes or by the host."
    return f"**The machine was loaded** during {len(loaded)} of {len(sections)} parts: {', '.join(loaded)}. Their times are unreliable."


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "processor")
    return f"{name} ({platform.machine()})"


def write(path: Path, text: str) -> None:
    """The whole file or nothing: a run that ends early leaves the last page as it was."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8") as file:
        file.write(text)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def time_text(seconds: float) -> str:
    """Seconds in the unit that suits them.

    >>> time_text(0.00123), time_text(4.2e-6), time_text(17.3)
    ('1.23 ms', '4.2 µs', '17.3 s')
    """
    units = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
    unit, scale = next((pair for pair in units.items() if seconds >= pair[1]), ("ns", 1e-9))
    return f"{number_text(seconds / scale)} {unit}"


def number_text(value: float) -> str:
    """Three digits that count, and no more than a reader needs.

    >>> number_text(12345.6), number_text(130.2), number_text(3.0), number_text(0.01234)
    ('12,300', '130', '3', '0.0123')
    """
    if value == 0:
        return "0"
    decimals = 2 - math.floor(math.log10(abs(value)))
    text = f"{round(value, decimals):,.{max(0, decimals)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def beside_cell(outcome: Outcome, ours: float) -> str:
    """A peer's time and how many times as long as ours it is, or why there is none."""
    if outcome.seconds is not None:
        return f"{time_text(outcome.seconds)} ({ratio_text(outcome.seconds / ours)})"
    return outcome.missing + (f" (over {ratio_text(outcome.stopped_after / ours)})" if outcome.stopped_after else "")


def absent_notes(found: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """A block of text that says which peers are absent and why, where some are."""
    reasons = {name: outcomes[0].why_absent for name, outcomes in found.items() if outcomes and outcomes[0].why_absent}
    return ["\n".join(f"- {name} is absent: it {reason}" for name, reason in reasons.items())] if reasons else []


def between_text(value: float, text: Callable[[float], str]) -> str:
    """The quartiles of what was measured several times."""
    return f"{text(value.low)} to {text(value.high)}" if isinstance(value, Measured) and len(value.samples) > 1 else "-"


def spread_text(value: float) -> str:
    """Half the distance between the quartiles, as a share of the median.

    >>> spread_text(Measured([1.0, 1.0, 1.1, 1.1])), spread_text(Measured([1.0]))
    ('± 4.8 %', '-')
    """
    if not isinstance(value, Measured) or len(value.samples) < 2:
        return "-"
    return f"± {number_text(round(50 * (value.high - value.low) / value, 1))} %"


def ratio_text(value: float) -> str:
    return f"{number_text(value)} x"


def bytes_text(count: float | None) -> str:
    """Bytes in the unit that suits them; a dash where they were not measured.

    >>> bytes_text(68.2), bytes_text(123_400_000), bytes_text(0), bytes_text(None)
    ('68.2 B', '123 MB', '0 B', '-')
    """
    if count is None:
        return "-"
    units = {"GB": 1e9, "MB": 1e6, "kB": 1e3, "B": 1.0}
    unit, scale = next((pair for pair in units.items() if count >= pair[1]), ("B", 1.0))
    return f"{number_text(count / scale)} {unit}"


def count_text(count: int) -> str:
    return f"{count:,}"
