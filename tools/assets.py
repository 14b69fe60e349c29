"""Write the scripts and styles of the report in the short form that pages carry: ``make assets``, after a change in ``reports/assets``.

Needs ``tdewolff-minify``. The files begin with the checksum of their sources, which a test compares; so neither users nor tests need it.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import minify

REPORTS = Path(__file__).parents[1] / "src" / "rangewise" / "reports"
FOLDER = REPORTS / "assets"


def main() -> None:
    # Run as a file: the package needs a compiled kernel, which the sources lack.
    bundle = runpy.run_path(str(REPORTS / "bundle.py"))
    for kind, names, target in (
        ("text/javascript", bundle["SCRIPTS"], bundle["SHORT_SCRIPT"]),
        ("text/css", bundle["STYLES"], bundle["SHORT_STYLE"]),
    ):
        source = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)
        (FOLDER / target).write_text(f"{bundle['source_mark'](source)}\n{minify.string(kind, source)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
