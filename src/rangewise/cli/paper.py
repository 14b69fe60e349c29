"""``rangewise paper``: reproduce every figure, table and claim of the paper."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from rangewise.checks import unknown_name
from rangewise.cli.console import PlainConsole
from rangewise.cli.printing import echo
from rangewise.datasets.location import data_folder
from rangewise.paper.nab_series import missing_nab
from rangewise.paper.page import TRAINED, write_page
from rangewise.paper.published import missing_labels
from rangewise.paper.study import PARTS, Study, missing_for
from rangewise.paper.trained import runs as trained

# Not a seed that was used to choose settings of detectors.
DEFAULT_SEED = 2018
DEFAULT_SEEDS = 10


def paper(
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("rangewise-paper"),
    figure: Annotated[list[str] | None, typer.Option(help=f"Only this part; repeatable. One of: {', '.join(PARTS)}.")] = None,
    with_trained: Annotated[
        bool,
        typer.Option("--trained", help="Also train our own detectors on the seven series, which takes minutes. Finished parts are kept."),
    ] = False,
    seed: Annotated[int, typer.Option(help="For --trained: the first random seed, of networks and generated series.")] = DEFAULT_SEED,
    seeds: Annotated[int, typer.Option(help="For --trained: number of seeds; the page has their mean and range.")] = DEFAULT_SEEDS,
    quick: Annotated[bool, typer.Option("--quick", help="Measure Figure 6 with few ranges, which takes seconds.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write to a folder that is not empty, and replace its files.")] = False,
) -> None:
    """Reproduce the figures, tables and claims of the paper: pictures, CSV files, and a page, paper.md.

    Most parts use the labels that the authors published (rangewise data get paper-labels nab). If data is missing, the command lists
    the parts that need it, makes the others, and exits with code 1.

    A folder that is not empty is refused without --force. One exception: --trained resumes in a folder of this command and keeps
    its finished parts and training runs.
    """
    names = _names(figure)
    if seed != DEFAULT_SEED and not with_trained:
        raise ValueError("--seed is for --trained; give --trained too")
    if quick and not {"fig6", "claims"} & set(names):
        raise ValueError("--quick is for fig6 and claims, and neither is requested; leave it out")
    if not 0 <= seed < 2**32:
        raise ValueError(f"--seed must be an integer from 0 to {2**32 - 1}; got {seed}")
    if seeds < 1:
        raise ValueError(f"--seeds must be 1 or more; got {seeds}")
    kept = _open(out, force=force, resume=with_trained)
    missing: dict[str, list[str]] = {}
    with _progress() as bar:
        study = Study(quick=quick, say=bar.say)
        for name in names:
            lacking = missing_for(name)
            missing |= lacking
            if "paper-labels" in lacking:
                continue
            # The claims quote Figure 6's times, so both use the same measurement.
            if name not in kept or (name == "fig6" and "claims" in set(names) - kept):
                written = study.make(name).write(out)
                echo(f"{name}: {' '.join(path.name for path in written)}")
        if with_trained:
            missing |= {"nab": missing_nab()} if missing_nab() else {}
            _run_trained(out, range(seed, seed + seeds), force, bar)
        page = write_page(out)
    if page is not None:
        echo(f"{page} shows all parts")
    if missing:
        _print_error(missing, [name for name in names if "paper-labels" in missing_for(name)])
        raise typer.Exit(1)


def _names(figures: Sequence[str] | None) -> list[str]:
    for name in figures or ():
        if name not in PARTS:
            raise unknown_name("--figure", name, PARTS)
    return [name for name in PARTS if not figures or name in figures]


def _open(folder: Path, *, force: bool, resume: bool) -> set[str]:
    """Make the folder, or refuse it, and return its finished parts to keep."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file; --out takes a folder")
    folder.mkdir(parents=True, exist_ok=True)
    present = {path.name for path in folder.iterdir()}
    if not present or force:
        return set()
    ours = present & {trained.FOLDER, *(f"{name}.md" for name in PARTS)}
    if not (resume and ours):
        more = "--trained resumes only in a folder of this command" if resume else "nothing was written"
        raise ValueError(f"{folder} is not empty: {more}; give another folder, or --force to replace what is there")
    return {name for name in PARTS if f"{name}.md" in present}


def _run_trained(out: Path, seeds: range, force: bool, bar: _Bar) -> None:
    from rangewise.paper.trained import part as trained_part

    if force:
        for path in (out / trained.FOLDER).glob("*.json"):
            path.unlink()
    runs = trained.run_all(out, seeds, bar.step)
    written = trained_part.make(runs, with_published=not missing_labels()).write(out)
    echo(f"{TRAINED}: {' '.join(path.name for path in written)}")


def _print_error(missing: dict[str, list[str]], left_out: Sequence[str]) -> None:
    for collection, files in missing.items():
        print(f"rangewise: {len(files)} files of {collection} are missing in {data_folder()}, the first is {files[0]}", file=sys.stderr)
    what = f"skipped: {', '.join(left_out)}" if left_out else "skipped what needs them"
    print(
        f"rangewise: {what}; download the files with `rangewise data get {' '.join(missing)}`, then run this again with --force",
        file=sys.stderr,
    )


class _Bar:
    """Progress on stderr, and the finished parts on stdout."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def say(self, text: str) -> None:
        self._progress.update(self._task, description=text)

    def step(self, text: str, done: int, total: int) -> None:
        self._progress.update(self._task, description=f"{text} ({done + 1} of {total})", completed=done, total=total)


@contextmanager
def _progress() -> Iterator[_Bar]:
    console = PlainConsole(stderr=True)
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield _Bar(progress)
