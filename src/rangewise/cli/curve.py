"""``rangewise curve``: every threshold of a detector's scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rangewise.cli import inputs, options, outputs
from rangewise.cli.errors import warnings_as_notes
from rangewise.cli.parameters import Without
from rangewise.cli.printing import echo, print_json
from rangewise.cli.score_inputs import ScoreFileOptions
from rangewise.curve import Curve, Threshold
from rangewise.files.writing import write_whole
from rangewise.model.explain import headline
from rangewise.number_text import score_text, share_text, threshold_text

if TYPE_CHECKING:
    pass


def curve(
    real: Annotated[str, typer.Argument(metavar="REAL", help="File of real anomalies, - for standard input, or e.g. nab:FILE.")],
    scores: Annotated[str | None, typer.Argument(metavar="SCORES", help="File of scores; none for a table of many series.")] = None,
    *,
    explain: Annotated[bool, typer.Option("--explain", help="Explain every range at the threshold.")] = False,
    as_json: outputs.AsJson = False,
    csv: Annotated[Path | None, typer.Option(help="Write the whole curve to this CSV file.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Plot the curve to this PNG, SVG or PDF file.")] = None,
    files: Annotated[ScoreFileOptions, Without("predicted_format", *inputs.OF_RANGES)],
    model: options.ModelFlags,
    threshold: Annotated[float | None, typer.Option(help="Score this one threshold instead of the best.")] = None,
    max_alert_rate: Annotated[float | None, typer.Option(help="Search only thresholds with at most this alert rate, e.g. 0.2.")] = None,
    force: outputs.Force = False,
) -> None:
    """Precision, recall and F at every threshold of a detector's scores: the best threshold and the average precision."""
    chosen = model.chosen()
    outputs.check_picture(plot, "--plot")
    if threshold is not None and max_alert_rate is not None:
        raise ValueError("--threshold sets the threshold, so --max-alert-rate has nothing to search; leave one out")
    if scores is None:
        if explain or plot is not None:
            raise ValueError("--explain and --plot are for one series; give REAL and SCORES")
        from rangewise.cli.pooled import print_pooled

        outputs.check_outputs([csv], [real, files.ignore], force=force)
        print_pooled(real, chosen, files, threshold=threshold, max_alert_rate=max_alert_rate, csv=csv, as_json=as_json)
        return
    outputs.check_outputs([csv, plot], [real, scores, files.times, files.ignore], force=force)
    case = files.score_case(real, scores)
    files.check_used()
    swept = chosen.curve(case)
    if csv is not None:
        write_whole(csv, swept.to_csv() or "")
    if plot is not None:
        outputs.save_picture(swept.plot(), plot)
    with warnings_as_notes():
        if as_json:
            print_json(swept.to_dict(threshold, max_alert_rate=max_alert_rate) | files.closed_dict())
            return
        there = swept.best(max_alert_rate=max_alert_rate) if threshold is None else Threshold(threshold, swept.at(threshold))
    echo("\n".join([_text(swept, there, threshold is None, explain), *files.closed_lines()]))


def _text(swept: Curve, there: Threshold, best: bool, explain: bool) -> str:
    lines = [
        f"thresholds         {len(swept):,} distinct scores",
        f"average precision  {score_text(swept.average_precision)}",
        f"{'best threshold' if best else 'threshold':<18} {threshold_text(there.threshold)}",
        f"  there            {headline(there.score)}",
        f"  alert rate       {share_text(there.alert_rate)} of all points",
    ]
    if there.score.ignored is not None and not explain:
        lines.append(f"ignored            {there.score.ignored}")
    return "\n".join([*lines, "", there.score.explain()] if explain else lines)
