"""``--fail-under``: limits that a run must meet, reported as text, as JUnit XML, and as GitHub annotations."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from rangewise.checks import visible
from rangewise.cli.errors import print_error, print_line
from rangewise.files.writing import check_place, write_whole
from rangewise.inputs.instants import NANOSECONDS, duration

LIMITS_PANEL = "CI"
Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class LimitCheck:
    """A value and its limit. nan and unknown values do not meet any limit."""

    name: str
    value: float | None
    limit: float
    better: Better = "higher"
    form: str = ".4f"

    @property
    def met(self) -> bool:
        if self.value is None:
            return False
        return self.value >= self.limit if self.better == "higher" else self.value <= self.limit

    @property
    def failure(self) -> str:
        value = f"{self.value:{self.form}}" if isinstance(self.value, float) else str(self.value)
        return f"{self.name} is {value}, {'below' if self.better == 'higher' else 'above'} {self.limit:g}"

    @property
    def title(self) -> str:
        return f"{self.name} {'>=' if self.better == 'higher' else '<='} {self.limit:g}"


def read_limits(
    texts: Iterable[str] | None, known: Iterable[str], instead: Mapping[str, str] | None = None, beta: float = 1.0
) -> list[tuple[str, float]]:
    """Names and limits from ``NAME=VALUE``. Options of a metric contain =, so the last one separates. F1, as printed, means f.

    ``beta`` is the beta of the printed F: another beta is an error. ``instead`` says what to write for a name that means something else
    elsewhere. Times accept durations such as 5min, and are returned in seconds.
    """
    return [_limit(text, tuple(known), instead or {}, beta) for text in texts or ()]


def _limit(text: str, known: tuple[str, ...], instead: Mapping[str, str], beta: float) -> tuple[str, float]:
    name, separator, value = text.rpartition("=")
    if name in instead:
        raise ValueError(f"--fail-under {name} is not available here: use {instead[name]}")
    if "f" in known and (numbered := re.fullmatch(r"[fF]([0-9]+\.?[0-9]*|\.[0-9]+)?", name)):
        if numbered[1] and f"{float(numbered[1]):g}" != f"{beta:g}":
            raise ValueError(f"--fail-under {name} is not the F that this run prints, F{beta:g}; add --beta {numbered[1]}")
        name = "f"
    if name not in known or not separator:
        raise ValueError(f"--fail-under takes NAME=VALUE with a name of {', '.join(known)}; got {text!r}")
    try:
        limit = float(value)
    except ValueError:
        limit = duration(value, f"--fail-under {name}") / NANOSECONDS["s"] if "_time" in name else math.nan
    if math.isnan(limit):
        raise ValueError(f"--fail-under {name} takes a number; got {value!r}")
    return name, limit


def check_values(
    values: Mapping[str, float | None], limits: Iterable[tuple[str, float]], better: Mapping[str, Better] | None = None, form: str = ".4f"
) -> list[LimitCheck]:
    """The limits with their values. By default, higher is better."""
    return [LimitCheck(name, values[name], limit, (better or {}).get(name, "higher"), form) for name, limit in limits]


@dataclass(frozen=True, kw_only=True)
class LimitReports:
    """Where the results of ``--fail-under`` go besides the terminal."""

    junit: Annotated[
        Path | None,
        typer.Option(help="Write the results of --fail-under to this file, as JUnit XML.", rich_help_panel=LIMITS_PANEL),
    ] = None
    annotate: Annotated[
        bool, typer.Option("--annotate", help="Print failures of --fail-under as GitHub annotations.", rich_help_panel=LIMITS_PANEL)
    ] = False

    def check_asked(self, asked: object) -> None:
        """Before any work, refuse reports of limits if there are no limits, and a file that cannot be written."""
        if asked is None or asked == []:
            for option, given in (("--junit", self.junit is not None), ("--annotate", self.annotate)):
                if given:
                    raise ValueError(f"{option} reports the results of --fail-under; give --fail-under too")
        if self.junit is not None:
            check_place(self.junit)

    def write(self, checks: list[LimitCheck], command: str) -> int:
        """Print the limits that are not met, write the requested files, and return the exit code."""
        refused = [check for check in checks if not check.met]
        for check in refused:
            print_error(check.failure)
            if self.annotate:
                print_line(f"::error title=rangewise {command}::{_escaped(check.failure)}")
        if self.junit is not None:
            write_whole(self.junit, _junit_xml(checks, command))
        return 1 if refused else 0


def _escaped(message: str) -> str:
    """The message with the escapes of GitHub's runner."""
    return message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _junit_xml(checks: list[LimitCheck], command: str) -> bytes:
    from xml.etree import ElementTree

    counts = {"tests": str(len(checks)), "failures": str(sum(not check.met for check in checks)), "errors": "0"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"rangewise {command}", **counts, "skipped": "0"})
    for check in checks:
        # XML allows no control characters.
        title, failure = visible(check.title), visible(check.failure)
        case = ElementTree.SubElement(suite, "testcase", {"classname": f"rangewise.{command}", "name": title})
        if not check.met:
            ElementTree.SubElement(case, "failure", {"message": failure, "type": "limit"}).text = failure
    ElementTree.indent(root)
    text: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"
