"""Tools of the machine that some tests need: skipped where absent, an error where ``RANGEWISE_REQUIRED_TOOLS`` names them."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.browser import find_browser


@dataclass(frozen=True)
class Tool:
    """How to find it, and what to do where it is absent."""

    find: Callable[[], str | None]
    absent: str


# Each name is a pytest marker (pyproject.toml).
TOOLS = {
    "browser": Tool(find_browser, "needs a browser: apt install chromium, or set CHROME to the path of one"),
    "promtool": Tool(lambda: shutil.which("promtool"), "needs promtool: apt install prometheus"),
}


def required_tools():
    """Tools whose absence is an error, so that CI cannot skip their tests unnoticed: ``RANGEWISE_REQUIRED_TOOLS="browser promtool"``."""
    required = os.environ.get("RANGEWISE_REQUIRED_TOOLS", "").replace(",", " ").split()
    unknown = sorted(set(required) - set(TOOLS))
    if unknown:
        raise ValueError(f"RANGEWISE_REQUIRED_TOOLS has {unknown[0]!r}; expected {', '.join(TOOLS)}")
    return frozenset(required)
