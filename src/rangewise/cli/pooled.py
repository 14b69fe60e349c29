"""The part of ``rangewise curve`` that sweeps all series of a table with one threshold."""

from __future__ import annotations

import json
from pathlib import Path

from rangewise.checks import check_size
from rangewise.cli.curve import csv_text
from rangewise.cli.inputs import Reading
from rangewise.cli.json_numbers import finite
from rangewise.cli.many import zones_of_table
from rangewise.cli.printing import echo
from rangewise.files.tables import check_csv_file, require_polars
from rangewise.files.writing import written_whole
from rangewise.many import PooledCurve, pooled_curve
from rangewise.many.parquet import parquet_files, row_count, size_of
from rangewise.model.explain import headline
from rangewise.model.model import RangeModel

_A_ROW = 60  # about the bytes of memory that a score takes, with the sort


def print_pooled(
    path: str,
    model: RangeModel,
    reading: Reading,
    *,
    series: str | None,
    real: str | None,
    scores: str | None,
    at: float | None,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Sweep the table, write the curve where asked to, and print the best threshold, or the one that is given."""
    found = _swept(path, model, series, real, scores, reading)
    if csv is not None:
        with written_whole(csv) as part:
            part.write_text(csv_text(found))
    threshold, name = (found.best().threshold, "best threshold") if at is None else (at, "threshold")
    scored = found.series_at(threshold)
    pooled, mean = scored.pooled, scored.macro
    if as_json:
        values = {"average_precision": found.average_precision, name.replace(" ", "_"): threshold}
        values |= {"precision": pooled.precision, "recall": pooled.recall, "f": pooled.f, "macro_f": mean.f}
        counts = {"series": len(found.names), "thresholds": len(found), "model": str(model)} | reading.closed_dict()
        ignored = {} if scored.ignored is None else {"ignored": scored.ignored.to_dict()}
        echo(json.dumps({key: finite(value) for key, value in values.items()} | counts | ignored, allow_nan=False))
        return
    echo(f"series             {len(found.names):,}")
    echo(f"thresholds         {len(found):,} distinct scores")
    echo(f"average precision  {found.average_precision:.4f}")
    echo(f"{name:<17}  {threshold:.10g}")
    echo(f"  pooled ranges    {headline(pooled)}")
    echo(f"  mean of series   precision {mean.precision:.4f}   recall {mean.recall:.4f}   F{model.beta:g} {mean.f:.4f}")
    if scored.ignored is not None:
        echo(f"ignored            {scored.ignored}")
    for line in reading.closed_lines():
        echo(line)


def _swept(path: str, model: RangeModel, series: str | None, real: str | None, scores: str | None, reading: Reading) -> PooledCurve:
    """The pooled curve of a CSV table, or of Parquet files."""
    if series is None or real is None or scores is None:
        raise ValueError("give SCORES as a second file, or name the columns of a table with --series, --real and --scores")
    require_polars()
    import polars as pl

    try:
        if Path(path).is_file() and Path(path).suffix.lower() in (".csv", ".tsv", ".txt"):
            check_csv_file(path)
            table = pl.scan_csv(path)
        else:
            files = parquet_files(path)
            table = pl.scan_parquet(files)
            # Every score stays in memory, since one threshold is for all.
            rows = row_count(table)
            check_size(_A_ROW * rows, size_of(files), f"{path}: {rows} rows")
        zones, times = zones_of_table(reading, table.collect_schema().names())
        return pooled_curve(model, table, series=series, real=real, scores=scores, ignore=zones, times=times, close_gaps=reading.close_gaps)
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"{path} is not a table that can be read: {str(error).splitlines()[0]}") from error
