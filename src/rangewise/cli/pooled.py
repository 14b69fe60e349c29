"""``rangewise curve`` for a table of many series, with one threshold for all."""

from __future__ import annotations

from pathlib import Path

from rangewise.cli.inputs import FileOptions
from rangewise.cli.many import opened_table
from rangewise.cli.printing import echo, print_json
from rangewise.curve import Threshold
from rangewise.files.writing import write_whole
from rangewise.many import PooledCurve, pooled_curve
from rangewise.model.explain import headline, three_scores
from rangewise.model.model import RangeModel
from rangewise.number_text import score_text, share_text, threshold_text


def print_pooled(
    path: str,
    model: RangeModel,
    files: FileOptions,
    *,
    threshold: float | None,
    max_alert_rate: float | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Sweep the table, write the curve if requested, and print the scores at the best or the given threshold."""
    curve = _swept(path, model, files)
    if csv is not None:
        write_whole(csv, curve.to_csv() or "")
    if as_json:
        print_json(curve.to_dict(threshold, max_alert_rate=max_alert_rate) | files.closed_dict())
        return
    there = curve.best(max_alert_rate=max_alert_rate) if threshold is None else Threshold(threshold, curve.at(threshold))
    name = "best threshold" if threshold is None else "threshold"
    scored = curve.series_at(there.threshold)
    echo(f"series             {len(curve.names):,}")
    echo(f"thresholds         {len(curve):,} distinct scores")
    echo(f"average precision  {score_text(curve.average_precision)}")
    echo(f"{name:<17}  {threshold_text(there.threshold)}")
    echo(f"  pooled ranges    {headline(there.score)}")
    echo(f"  mean of series   {three_scores(scored.macro, model.beta)}")
    echo(f"  alert rate       {share_text(there.alert_rate)} of all points")
    if scored.ignored is not None:
        echo(f"ignored            {scored.ignored}")
    for line in files.closed_lines():
        echo(line)


def _swept(path: str, model: RangeModel, files: FileOptions) -> PooledCurve:
    """The pooled curve of a CSV table, or of Parquet files."""
    series, real, scores = files.series, files.real_column, files.predicted_column
    if series is None or real is None or scores is None:
        raise ValueError("give SCORES as a second file, or name the columns of a table with --series, --real and --scores")
    with opened_table(path, files, series) as (table, _, options):
        return pooled_curve(table, model=model, real=real, scores=scores, **options)
