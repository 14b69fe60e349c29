"""The machine's own browser, for measurements and for tests of the page; never a download."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip


def find_browser() -> str | None:
    """The path of $CHROME or of a known name; None where there is no browser."""
    return next((path for name in (os.environ.get("CHROME"), *NAMES) if name and (path := shutil.which(name))), None)
