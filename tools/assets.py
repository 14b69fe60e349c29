"""Write the scripts and styles of the report in the short form that pages carry: ``make assets``, after a change in ``reports/assets``.

Needs ``tdewolff-minify``. The files begin with the checksum of their sources, which a test compares; so neither users nor tests need it.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import minify

from rangewise.reports.content import SCRIPTS, SHORT_SCRIPT, SHORT_STYLE, STYLES, source_mark

FOLDER = Path(__file__).parents[1] / "src" / "rangewise" / "reports" / "assets"


def main() -> None:
    for kind, names, target in (("text/javascript", SCRIPTS, SHORT_SCRIPT), ("text/css", STYLES, SHORT_STYLE)):
        source = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in names)
        (FOLDER / target).write_text(f"{source_mark(source)}\n{minify.string(kind, source)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
