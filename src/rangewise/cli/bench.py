"""``rangewise bench``: run many detectors on many series, with limits, a store to resume from, and statistics."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rangewise.bench.experiment import Experiment
from rangewise.bench.pool import default_workers
from rangewise.bench.results import Results, read
from rangewise.bench.runner import SchedulerLostError, State, open_jobs, run
from rangewise.bench.runs import ignored_line, make_plan
from rangewise.bench.summary import FORMS, all_tables, in_form
from rangewise.checks import unknown_name
from rangewise.cli.bench_import import FAILED_RUNS, StoreFile, Workers, import_results, manifest, print_failures
from rangewise.cli.bench_table import simulate, table, tsb_ad
from rangewise.cli.console import PlainConsole
from rangewise.cli.errors import print_error
from rangewise.cli.limits import LIMITS_PANEL, LimitCheck, LimitReports
from rangewise.cli.outputs import Force, check_outputs, check_picture, save_picture
from rangewise.cli.parameters import expanded
from rangewise.cli.printing import echo, print_data
from rangewise.files.writing import write_whole
from rangewise.inputs.scores import Missing
from rangewise.number_text import seconds_text
from rangewise.tables import text_width

if TYPE_CHECKING:
    from rich.progress import Progress

app = typer.Typer(add_completion=False, rich_markup_mode="rich")
app.command("import")(import_results)
app.command("manifest")(manifest)
app.command("table")(table)
app.command("tsb-ad")(tsb_ad)
app.command("simulate")(simulate)

_BELOW, _SCHEDULER_LOST, _INTERRUPTED = 1, 4, 130

TomlFile = Annotated[Path, typer.Argument(metavar="EXPERIMENT", help="The experiment, a TOML file.")]
StoreOption = Annotated[Path | None, typer.Option(help="Where to keep the results, and to resume from. Default: NAME.rwbench.")]
IgnoreOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="A file of intervals to ignore, as rows or times; for all series, or with a column series. Default: the experiment's.",
    ),
]
MissingOption = Annotated[
    Missing | None,
    typer.Option(
        help="How to treat nan scores: error (the run fails) or lowest (the lowest score of the series). Default: the experiment's."
    ),
]
Metric = Annotated[str | None, typer.Option(help="The metric, e.g. early:f. Default: the experiment's.")]
FailUnder = Annotated[float | None, typer.Option(help="Exit with code 1 if the best detector scores less.", rich_help_panel=LIMITS_PANEL)]


@app.callback(invoke_without_command=True)
def _bench(context: typer.Context) -> None:
    """Run benchmarks: many detectors on many series, with time and memory limits, resumable runs, and statistics."""
    if context.invoked_subcommand is None:
        print_data(context.get_help())


@app.command("run")
@expanded
def run_experiment(
    experiment: TomlFile,
    *,
    store: StoreOption = None,
    workers: Workers = None,
    scheduler: Annotated[str | None, typer.Option(help="Run on a Dask cluster: the address of its scheduler, tcp://HOST:8786.")] = None,
    retry: Annotated[
        str | None, typer.Option(help="Repeat runs that failed by timeout, memory, crash, error or skipped; separate several by commas.")
    ] = None,
    fail_under: FailUnder = None,
    reports: LimitReports,
    force: Force = False,
    ignore: IgnoreOption = None,
    missing: MissingOption = None,
) -> None:
    """Execute all runs that the store does not have yet, then print the leaderboard.

    Exit codes: 0 complete, 1 below --fail-under, 2 bad input, 3 some runs failed, 4 connection to the Dask scheduler lost, 130 interrupted.
    After 4 and 130, the same command resumes.
    """
    reports.check_asked(fail_under)
    chosen = Experiment.read(experiment, ignore=ignore, missing=missing)
    target = store if store is not None else Path(chosen.store_name)
    check_outputs([reports.junit], [experiment, target, *chosen.files()], force=force)
    again = [status.strip() for status in retry.split(",")] if retry else []
    if scheduler is not None and workers is not None:
        raise ValueError("--workers is for this machine; with --scheduler, the cluster determines the number of workers")
    with _progress() as content:
        try:
            if scheduler is not None:
                with _client(scheduler) as client:
                    results = run(chosen, store=target, client=client, retry=again, progress=content)
            else:
                results = run(chosen, store=target, workers=workers, retry=again, progress=content)
        except SchedulerLostError as error:
            print_error(str(error))
            raise typer.Exit(_SCHEDULER_LOST) from error
        except KeyboardInterrupt as interrupt:
            print_error(f"finished runs are kept in {target}; the same command resumes")
            raise typer.Exit(_INTERRUPTED) from interrupt
    echo(str(results.leaderboard()))
    if results.ignored:
        echo(f"\n{ignored_line(results.ignored)}")
    print_failures(results)
    echo(f"\n{target}: {_counts(results.counts())}. Next:")
    echo(f"rangewise bench report {quote(str(target))} --html report.html")
    if reports.write(_checks(results, None, fail_under), "bench"):
        raise typer.Exit(_BELOW)
    if results.failures():
        raise typer.Exit(FAILED_RUNS)


@app.command()
def check(
    experiment: TomlFile,
    store: StoreOption = None,
    workers: Workers = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only read and check; do not run the detectors.")] = False,
    ignore: IgnoreOption = None,
    missing: MissingOption = None,
) -> None:
    """Check an experiment before it runs, and estimate how long it takes."""
    from rangewise.bench.estimate import estimate
    from rangewise.bench.store import Store

    if quick and workers is not None:
        raise ValueError("--workers is for running the detectors, which --quick does not do; leave one of them out")
    chosen = Experiment.read(experiment, ignore=ignore, missing=missing)
    plan = make_plan(chosen)
    runs, detectors, series = len(plan.runs), len(chosen.detector_choices), len(plan.series)
    repeats = f" x {chosen.repeats} repeats" if chosen.repeats > 1 else ""
    echo(f"{chosen.name}: {detectors} detectors x {series} series{repeats} = {runs:,} runs, {len(plan.metrics)} metrics")
    points, ranges = sum(each.points for each in plan.series), sum(len(each.real) for each in plan.series)
    echo(f"{points:,} points; {ranges:,} real ranges in the scored parts")
    untrained, empty = sum(each.train is None for each in plan.series), sum(not each.real for each in plan.series)
    if untrained:
        echo(f"{untrained} series have no training part: detectors learn from all their rows, without labels")
    if plan.ignored:
        echo(ignored_line(plan.ignored))
    if empty:
        echo(f"{empty} series have no anomaly in the scored part")
    target = store if store is not None else Path(chosen.store_name)
    if target.is_file():
        with Store.reading(target) as kept:
            echo(f"{target} has some already: {len(open_jobs(plan, kept)):,} runs are left")
    if quick:
        return
    count = workers or default_workers()
    estimated = estimate(plan, count)
    for label, reason in estimated.failed.items():
        echo(f"  {label} on the shortest series: {reason}")
    slow = sorted(estimated.seconds, key=lambda label: -estimated.seconds[label])[:3]
    echo(f"about {seconds_text(estimated.total(count))} with {count} workers, extrapolated from the shortest series")
    echo("slowest: " + ", ".join(f"{label} {seconds_text(estimated.seconds[label])}" for label in slow))


@app.command()
def status(store: StoreFile) -> None:
    """Show the progress of an experiment, also while it runs."""
    with _whole(store):
        _print_status(read(store))


def _print_status(results: Results) -> None:
    by_detector = results.counts_by_detector()
    counts = sum(by_detector.values(), start=Counter())
    total, waiting = sum(counts.values()), counts["waiting"]
    echo(f"{results.name}: {total - waiting:,} of {total:,} runs done: {_counts(counts)}")
    started, ended, version = results.runs()[-1]
    echo(f"last start: {started}, {'ended ' + ended if ended else 'still running, or aborted'}; rangewise {version}")
    for detector, each in by_detector.items():
        shown = [f"{each['ok']:,} ok", *(f"{count:,} {name}" for name, count in each.items() if name != "ok" and count)]
        echo(f"  {detector}: {', '.join(shown)}")
    slow = results.slowest(3)
    if slow:
        echo("slowest: " + ", ".join(f"{detector} on {series} {seconds_text(seconds)}" for detector, series, seconds in slow))


@app.command()
@expanded
def report(
    store: StoreFile,
    *,
    metric: Metric = None,
    form: Annotated[str, typer.Option("--format", help=f"Output format: {', '.join(FORMS)}.")] = "text",
    html: Annotated[Path | None, typer.Option(help="Write an HTML page to this file instead of printing.")] = None,
    pages: Annotated[bool, typer.Option("--pages", help="With --html: also write one linked page per series.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of standard output.")] = None,
    diagram: Annotated[Path | None, typer.Option(help="Write the critical difference diagram to this PNG, SVG or PDF file.")] = None,
    fail_under: FailUnder = None,
    reports: LimitReports,
    force: Force = False,
) -> None:
    """Report a leaderboard with intervals, pairwise tests, the stability of the order, failures, and scores by series."""
    if form not in FORMS:
        raise unknown_name("--format", form, FORMS)
    if form != "text" and html is not None and out is None:
        raise ValueError("--format is for printed output, and --html prints nothing; leave it out, or give --out FILE too")
    if pages and html is None:
        raise ValueError("--pages adds to a page: give --html FILE too")
    check_picture(diagram, "--diagram")
    reports.check_asked(fail_under)
    check_outputs([html, out, diagram, reports.junit], [store], force=force)
    folder = html.with_name(f"{html.stem}-series") if pages and html is not None else None
    if folder is not None and not force and folder.is_dir() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty; give --html another name, or overwrite with --force")
    with _whole(store):
        results = read(store)
        if diagram is not None:
            _write_diagram(results, metric, diagram)
        if html is not None:
            from rangewise.bench.page import write_page

            links = {}
            if folder is not None:
                from rangewise.bench.series_pages import write_series_pages

                links = write_series_pages(results, folder, metric, back=html.name)
            write_page(results, html, metric, links)
            echo(f"{html} shows {results.name}{f', with one page for each of {len(links)} series' if links else ''}")
        if html is None or out is not None:
            tables = all_tables(results, metric)
            if out is None:
                (echo if form == "text" else print_data)(in_form(tables, form), nl=False)
            else:
                with text_width(None):
                    write_whole(out, in_form(tables, form))
                echo(f"{out}: written")
        if reports.write(_checks(results, metric, fail_under), "bench"):
            raise typer.Exit(_BELOW)


@app.command()
def export(
    store: StoreFile, target: Annotated[Path, typer.Argument(metavar="TARGET", help="A .parquet or .csv file.")], force: Force = False
) -> None:
    """Export results to a Parquet or CSV file, one row per run and metric."""
    check_outputs([target], [store], force=force)
    with _whole(store):
        echo(f"{target}: {read(store).export(target):,} rows")


@contextmanager
def _whole(store: Path) -> Iterator[None]:
    """Report impossible content as an error of the file, which may come from others."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(f"{store} is not a complete store of rangewise bench: {type(error).__name__}: {error}") from error


def _write_diagram(results: Results, metric: str | None, target: Path) -> None:
    from rangewise.bench.summary import standing_order
    from rangewise.plots.critical_difference import draw_critical_difference

    order, bars = standing_order(results, metric or results.metric)
    save_picture(draw_critical_difference(order, bars).figure, target)
    echo(f"{target}: written")


def _checks(results: Results, metric: str | None, least: float | None) -> list[LimitCheck]:
    """The leader against the limit."""
    if least is None:
        return []
    board = results.leaderboard(metric, resamples=1)
    first = board.standings[0]
    value = first.pooled.value if board.average == "pooled" else first.macro.value
    return [LimitCheck(f"{first.detector}, first by {board.metric},", value, least, "higher" if board.higher_is_better else "lower")]


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {status}" for status, count in counts.most_common() if status != "waiting") or "nothing yet"


@contextmanager
def _client(address: str) -> Iterator[Any]:
    try:
        connect = import_module("distributed").Client
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("--scheduler needs Dask: pip install 'rangewise[dask]'") from error
    try:
        client = connect(address, timeout=10)
    except (OSError, TimeoutError) as error:
        raise SchedulerLostError(f"no Dask scheduler responds at {address}; start one, and run again") from error
    try:
        yield client
    finally:
        client.close(timeout=5)


@contextmanager
def _progress() -> Iterator[Any]:
    """A bar on a terminal; elsewhere one line per minute."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = PlainConsole(stderr=True)
    if not console.is_terminal:
        yield _Lines()
        return
    columns = (
        BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[failed]} failed, {task.fields[rate]}"), TimeRemainingColumn(),
        TextColumn("{task.fields[slow]}", style="dim", markup=False),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress)


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None, failed=0, rate="", slow="")
        self._seen = 0.0

    def __call__(self, state: State) -> None:
        now = time.monotonic()
        if now - self._seen < 0.1 and state.done < state.total:
            return
        self._seen = now
        slow = max(state.running, key=lambda each: each.seconds, default=None)
        shown = f"{slow.detector} on {slow.series}: {seconds_text(slow.seconds)}" if slow is not None and slow.seconds > 1 else ""
        self._progress.update(
            self._task, total=state.total, completed=state.done, failed=state.failed, rate=_rate(state), slow=shown
        )  # fmt: skip


class _Lines:
    def __init__(self) -> None:
        self._next = time.monotonic() + 60

    def __call__(self, state: State) -> None:
        if time.monotonic() >= self._next:
            self._next += 60
            print(f"rangewise: {state.done} of {state.total} runs, {state.failed} failed, {_rate(state)}", file=sys.stderr)


def _rate(state: State) -> str:
    rate = state.done / max(time.monotonic() - state.began, 1e-9)
    return f"{rate:.1f} a second" if rate >= 0.1 else f"{rate * 3600:.1f} an hour"
