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
from rangewise.tables import csv_text

if TYPE_CHECKING:
    from rangewise.many import PooledCurve


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
        if explain or plot is not None or max_alert_rate is not None:
            raise ValueError("--explain, --plot and --max-alert-rate are for one series; give REAL and SCORES")
        from rangewise.cli.pooled import print_pooled

        outputs.check_outputs([csv], [real, files.ignore], force=force)
        print_pooled(real, chosen, files, threshold=threshold, csv=csv, as_json=as_json)
        return
    outputs.check_outputs([csv, plot], [real, scores, files.times, files.ignore], force=force)
    case = files.score_case(real, scores)
    files.check_used()
    swept = chosen.curve(case)
    if csv is not None:
        write_whole(csv, curve_csv(swept))
    if plot is not None:
        outputs.save_picture(swept.plot(), plot)
    best = threshold is None
    with warnings_as_notes():
        there = swept.best(max_alert_rate=max_alert_rate) if threshold is None else Threshold(threshold, swept.at(threshold))
    if as_json:
        print_json(_to_dict(swept, there, best=best) | files.closed_dict())
    else:
        echo("\n".join([_text(swept, there, best, explain), *files.closed_lines()]))


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


def _to_dict(swept: Curve, there: Threshold, *, best: bool) -> dict[str, object]:
    content: dict[str, object] = {
        "thresholds": len(swept),
        "average_precision": swept.average_precision,
        "best_threshold" if best else "threshold": there.threshold,
        "precision": there.score.precision,
        "recall": there.score.recall,
        "f": there.score.f,
        "alert_rate": there.alert_rate,
        "model": str(swept.model),
    }
    return content | inputs.ignored_dict(there.score.ignored)


def curve_csv(swept: Curve | PooledCurve) -> str:
    """One line per threshold, with all digits."""
    rows = zip(swept.thresholds.tolist(), swept.precision.tolist(), swept.recall.tolist(), swept.f.tolist(), strict=True)
    return csv_text(["threshold", "precision", "recall", "f"], rows)
