"""External tools that some tests need. Without a tool, its tests are skipped, or fail if ``RANGEWISE_REQUIRED_TOOLS`` names it."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.browser import find_browser


@dataclass(frozen=True)
class Tool:
    """How to find a tool, and the reason to skip its tests: what is missing and how to install it."""

    find: Callable[[], str | None]
    reason: str


# Each name is a pytest marker (pyproject.toml).
TOOLS = {
    "browser": Tool(find_browser, "needs a browser: apt install chromium, or set CHROME to the path of one"),
    "promtool": Tool(lambda: shutil.which("promtool"), "needs promtool: apt install prometheus"),
}


def required_tools():
    """Tools that must be there, from ``RANGEWISE_REQUIRED_TOOLS="browser promtool"``. CI sets it so that their tests are never skipped."""
    required = os.environ.get("RANGEWISE_REQUIRED_TOOLS", "").replace(",", " ").split()
    unknown = sorted(set(required) - set(TOOLS))
    if unknown:
        raise ValueError(f"RANGEWISE_REQUIRED_TOOLS has {unknown[0]!r}; expected {', '.join(TOOLS)}")
    return frozenset(required)
