"""`python -m benchmarks`: measure everything and write the page; `python -m benchmarks score`: show one part."""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from benchmarks.load import Watch, adopt_descendants
from benchmarks.report import Section, page, write
from benchmarks.settings import Settings

# A part is a file of this folder with `run(settings) -> Section`, and `PEER_CALLS` if peers take part.
PARTS = (
    "score",
    "ranges",
    "overhead",
    "curve",
    "stream",
    "scale",
    "cluster",
    "rankings",
    "classes",
    "metrics",
    "areas",
    "nab",
    "detectors",
    "generator",
    "page",
    "objective",
    "alerts",
    "events",
    "agreement",
)
PAGE = Path(__file__).parent.parent / "docs" / "benchmark.md"


def measure(parts: Sequence[str], settings: Settings) -> list[Section]:
    """The section of each part, with a note where the machine was loaded."""
    sections = []
    for part in parts:
        module, watch = importlib.import_module(f"benchmarks.{part}"), Watch()
        section = module.run(settings)
        sections.append(replace(section, load=watch.load().text()))
    return sections


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"measure these only and print them: {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="small inputs, few repeats: to see that it runs")
    parser.add_argument("--no-peers", action="store_true", help="leave the other programs out")
    parser.add_argument("--limit", type=float, default=25.0, metavar="SECONDS", help="leave out calls of peers that would take longer")
    parser.add_argument("--output", type=Path, metavar="FILE", help=f"write the page there (default: {PAGE.parent.name}/{PAGE.name})")
    given = parser.parse_args(arguments)
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}")
    if given.output is not None and not given.output.parent.is_dir():
        parser.error(f"the folder of --output {given.output} does not exist")

    begin, console = time.monotonic(), Console(stderr=True)
    with console.status("measuring") as status:
        settings = Settings(quick=given.quick, peers=not given.no_peers, limit=given.limit, say=status.update)
        text = page(measure(given.parts or PARTS, settings), _made_by(given))
    # A part or a quick run is not the whole truth, so it replaces the page only on request.
    whole = not given.parts and not given.quick and not given.no_peers
    target = given.output or (PAGE if whole else None)
    if target is None:
        print(text)
    else:
        write(target, text)
        console.print(f"wrote {target.name}")
    console.print(f"{(time.monotonic() - begin) / 60:.1f} minutes")


def _made_by(given: argparse.Namespace) -> str:
    peers = "--no-peers" if given.no_peers else f"--limit {given.limit:g}"
    return f"python -m benchmarks {' '.join(given.parts)} {peers}" if given.parts else "make bench"


if __name__ == "__main__":
    adopt_descendants()
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
