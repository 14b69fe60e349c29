"""A browser for the tests of the page: the machine's own, never a download."""

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip
ABSENT = "SKIPPED browser tests: no chromium here (apt install chromium, or name one in $CHROME)"


def find_browser():
    """The path of $CHROME or of a known name; None where there is no browser."""
    return next((found for name in (os.environ.get("CHROME"), *NAMES) if name and (found := shutil.which(name))), None)


def is_needed():
    """Whether a missing browser is an error: in CI, so that nobody overlooks that tests were skipped."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


if __name__ == "__main__":
    if find_browser() is None:
        print(f"\n{'=' * 90}\n{ABSENT}\n{'=' * 90}\n", file=sys.stderr)
        sys.exit(1 if is_needed() else 0)
