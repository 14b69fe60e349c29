"""``rangewise review``: review alerts week over week."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rangewise.cli import inputs, outputs, records
from rangewise.cli.errors import print_error
from rangewise.cli.parameters import Only
from rangewise.files.source import parse_json
from rangewise.files.tables import text_of
from rangewise.files.writing import write_whole
from rangewise.operations.review import review as run_review


def review(
    incidents: Annotated[str, typer.Argument(metavar="INCIDENTS", help="File of incidents, with times.")],
    fired: Annotated[str, typer.Argument(metavar="ALERTS", help="File of alerts, with times.")],
    *,
    weeks: Annotated[int, typer.Option(help="Number of weeks.")] = 8,
    end: Annotated[
        str | None, typer.Option(help="The day after the last day, e.g. 2024-06-03. Default: the day after the last record.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Compare with an earlier review (a file from --json), and exit with code 1 if anything is worse.")
    ] = None,
    lead: Annotated[str, typer.Option(help="Alerts count for an incident up to this long before it, e.g. 5min.")] = "0s",
    by: Annotated[str | None, typer.Option(help="The label that names the rule. Default: alertname.")] = None,
    chosen: records.RuleOptions,
    form: Annotated[outputs.PrintOptions, Only("json", "markdown")],
    page: Annotated[Path | None, typer.Option(help="Write a self-contained HTML page to this file.")] = None,
    files: Annotated[records.RecordOptions, Only(*records.BOTH_FILES, *inputs.IGNORE)],
    force: outputs.Force = False,
) -> int:
    """Review alerts week over week: is this week better or worse, and which rules should change first?

    Tests are exact: with few incidents the verdict is "too few incidents to tell", and at most 5 % of unchanged weeks are called "worse".
    """
    outputs.check_page(page, "--page")
    outputs.check_outputs([page], [incidents, fired, files.ignore, against], force=force)
    real, raised, ignored = files.both(incidents, fired)
    raised, rules, _ = records.prepared(real, raised, chosen, by=by, keep_all=True)
    result = run_review(
        real.pairs(), raised.pairs(), weeks=weeks, by=rules, end=end, lead=lead, tz=files.tz,
        ignore=None if ignored is None else ignored.pairs(),
        against=None if against is None else _earlier(against), keep_always_firing=chosen.keep_always_firing,
    )  # fmt: skip
    if page is not None:
        write_whole(page, result.to_html())
    form.show(result)
    if against is not None and result.is_worse:
        from rangewise.operations.review_text import headline

        print_error(headline(result))
        return 1
    return 0


def _earlier(path: Path) -> Any:
    try:
        return parse_json(text_of(path.read_bytes(), str(path)), str(path))
    except ValueError as error:
        raise ValueError(f"{error}; write an earlier review with `rangewise review ... --json`") from error
