"""An alert rule as in Prometheus: a comparison with a threshold, ``for`` and ``keep_firing_for``."""

from __future__ import annotations

import json
import math
import re
import sys
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Literal, TypeAlias, get_args

from rangewise.checks import unknown_name
from rangewise.inputs.instants import NANOSECONDS, exact

Op: TypeAlias = Literal[">", ">=", "<", "<="]
OPS: tuple[Op, ...] = get_args(Op)
_UNITS = ("w", "d", "h", "min", "s", "ms")
_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


@dataclass(frozen=True)
class Rule:
    """Fires once ``expr op threshold`` has held for ``for_``, until it has been false for ``keep_firing_for``."""

    threshold: float
    for_: timedelta = timedelta(0)
    keep_firing_for: timedelta = timedelta(0)
    op: Op = ">"

    def __str__(self) -> str:
        parts = [f"{self.op} {number_text(self.threshold)}"]
        parts += [f"for {prometheus_duration(self.for_)}"] if self.for_ else []
        parts += [f"keep_firing_for {prometheus_duration(self.keep_firing_for)}"] if self.keep_firing_for else []
        return ", ".join(parts)

    def to_yaml(self, *, expr: str, alert: str, interval: timedelta, description: str = "") -> str:
        """A rule file for Prometheus, with a separate group because the rule was backtested at this evaluation interval."""
        lines = [
            "groups:",
            f"- name: {_quoted(alert)}",
            f"  interval: {prometheus_duration(interval)}",
            "  rules:",
            f"  - alert: {_quoted(alert)}",
            f"    expr: {_quoted(f'{_operand(expr)} {self.op} {number_text(self.threshold)}')}",
        ]
        lines += [f"    for: {prometheus_duration(self.for_)}"] if self.for_ else []
        lines += [f"    keep_firing_for: {prometheus_duration(self.keep_firing_for)}"] if self.keep_firing_for else []
        lines += ["    annotations:", f"      description: {_quoted(description)}"] if description else []
        return "\n".join(lines) + "\n"


def known_op(op: str) -> Op:
    if op not in OPS:
        raise unknown_name("op", op, OPS)
    return op


def is_metric_name(text: str) -> bool:
    """Whether this is a valid Prometheus metric name.

    >>> is_metric_name("http_request:p99"), is_metric_name("p99 (ms)")
    (True, False)
    """
    return _NAME.fullmatch(text) is not None


def prometheus_duration(length: timedelta) -> str:
    """A duration in Prometheus syntax, to the millisecond.

    >>> prometheus_duration(timedelta(minutes=90)), prometheus_duration(timedelta(0)), prometheus_duration(timedelta(seconds=1.5))
    ('1h30m', '0s', '1s500ms')
    """
    left, text = round(exact(length) / NANOSECONDS["ms"]) * NANOSECONDS["ms"], ""
    for unit in _UNITS[1:]:  # without weeks: seven days read better
        count, left = divmod(left, NANOSECONDS[unit])
        text += f"{count}{'m' if unit == 'min' else unit}" if count else ""
    return text or "0s"


def number_text(number: float) -> str:
    """A number in PromQL syntax, exactly.

    >>> number_text(0.1), number_text(250.0), number_text(float("inf"))
    ('0.1', '250', '+Inf')
    """
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else repr(float(number))


def round_between(low: float, high: float, *, closed: Literal["low", "high"]) -> float:
    """The shortest decimal number from ``low`` to ``high``, nearest to the middle if there are several; ``closed`` is the inclusive end.

    >>> round_between(0.7312, 0.8291, closed="low"), round_between(99.0, 101.0, closed="low"), round_between(3.0, 3.0, closed="low")
    (0.8, 100.0, 3.0)
    """
    if low == high:
        return low
    if math.isinf(low) and math.isinf(high):
        return 0.0
    if math.isinf(low) or math.isinf(high):
        low, high = _finite_part(low, high)
    middle = low / 2 + high / 2
    for digits in range(1, 18):
        size = 10.0 ** (math.floor(math.log10(max(abs(low), abs(high)))) + 1 - digits)
        if not size:
            break  # beside the smallest numbers there is nothing shorter
        near = round(middle / size)
        candidates = [float(f"{count * size:.{digits}g}") for count in range(near - 5, near + 6)]
        inside = [each for each in candidates if low < each < high or each == (low if closed == "low" else high)]
        if inside:
            return min(inside, key=lambda each: (abs(each - middle), each))
    return low if closed == "low" else high


def _finite_part(low: float, high: float) -> tuple[float, float]:
    """A part of an interval with one infinite end: as long as the distance of the finite end from 0, at least 1."""
    most = sys.float_info.max
    if math.isinf(low):
        return max(high - max(abs(high), 1.0), -most), high
    return low, min(low + max(abs(low), 1.0), most)


def rounded_inward(low: float, high: float) -> tuple[float, float]:
    """The interval with shorter ends that lie inside it, where there are any.

    >>> rounded_inward(0.557, 0.57619182), rounded_inward(1.0000001, 1.0000002)
    ((0.557, 0.576191), (1.0000001, 1.0000002))
    """
    shorter = _shortened(low, ROUND_CEILING), _shortened(high, ROUND_FLOOR)
    return shorter if shorter[0] < shorter[1] else (low, high)


def _shortened(number: float, rounding: str) -> float:
    """The number with six digits."""
    if not math.isfinite(number) or float(f"{number:.6g}") == number:
        return number
    return float(Context(prec=6, rounding=rounding).create_decimal_from_float(number))


def _operand(expr: str) -> str:
    """The expression, in parentheses if a comparison could not follow it."""
    text = expr.strip()
    return text if re.fullmatch(r"[a-zA-Z_:][a-zA-Z0-9_:]*(\{[^{}]*\})?", text) else f"({text})"


def _quoted(text: str) -> str:
    """A YAML scalar: plain where that is safe, else as JSON."""
    return (
        text
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text) and text.lower() not in ("true", "false", "null", "yes", "no", "on", "off")
        else json.dumps(text)
    )
