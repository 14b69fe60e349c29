"""Series on many machines: partitions or files are scored where they are read, and neighbours join in a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

from rangewise.many.batches import Columns, check_columns
from rangewise.many.gathered import Gathered, Job
from rangewise.many.parquet import gather_file, parquet_files, survey_file
from rangewise.many.scoring import Progress, gather
from rangewise.many.series_zones import SeriesZones, Survey, ZonedRows, survey, zoned_parts

Item = TypeVar("Item")


def gather_on_cluster(
    frame: Any, columns: Columns, jobs: tuple[Job, ...], client: Any, progress: Progress | None, zones: SeriesZones | None = None
) -> Gathered:
    """All series of a Dask DataFrame or of Parquet files, by a client's workers, or by Dask's own threads when there is no client."""
    dask = require_dask()
    if client is not None and not (hasattr(client, "submit") and hasattr(client, "scheduler_info")):
        raise TypeError(f"client is a distributed.Client; got {client!r:.60}")
    parts, gather_part, survey_part = _parts(frame, columns, zones)
    zoned: Sequence[ZonedRows | None] = [None] * len(parts)
    if zones is not None:
        # Rows count on from part to part, so how many each part has of a series is asked first.
        asked = [dask.delayed(survey_part, pure=False)(*part, columns.series, zones) for part in parts]
        zoned = zoned_parts(dask.compute(*asked) if client is None else client.gather(client.compute(asked)), zones)
    if client is not None and gather_part is gather_file:
        futures = client.map(gather_file, [file for (file,) in parts], zoned, columns=columns, jobs=jobs, pure=False)
    else:
        leaves = [dask.delayed(gather_part, pure=False)(*part, rows, columns, jobs) for part, rows in zip(parts, zoned, strict=True)]
        if client is None:
            found: Gathered = tree(leaves, dask.delayed(_join)).compute()
            if progress is not None:
                progress(_rows(found))
            return found
        futures = client.compute(leaves)
    # Only the counts are kept here: what a join has used up may go.
    counts = [] if progress is None else client.map(_rows, futures)
    root = tree(futures, lambda *parts: client.submit(_join, *parts, pure=False))
    del futures
    if progress is not None:
        import distributed

        for _, rows in distributed.as_completed(counts, with_results=True):
            progress(rows)
    whole: Gathered = root.result()
    return whole


def require_dask() -> Any:
    try:
        import dask
        import distributed  # noqa: F401
    except ImportError as error:
        raise ModuleNotFoundError("a cluster needs Dask: pip install 'rangewise[dask]'") from error
    return dask


_JOINED = 8
"""So many neighbours join in one task: a task costs the scheduler more than a join costs a worker."""


def tree(items: list[Item], join: Callable[..., Item]) -> Item:
    """Neighbours joined, eight by eight, then the results, until one is left; their order stays."""
    while len(items) > 1:
        items = [join(*items[at : at + _JOINED]) for at in range(0, len(items), _JOINED)]
    return items[0]


def _files(frame: str | Path) -> list[Path]:
    return [file.absolute() for file in parquet_files(frame)]


def _parts(
    frame: Any, columns: Columns, zones: SeriesZones | None
) -> tuple[list[tuple[Any, ...]], Callable[..., Gathered], Callable[..., Survey]]:
    """The parts that are scored each by itself, how that is done, and how to count their rows."""
    if isinstance(frame, (str, Path)):
        return [(file,) for file in _files(frame)], gather_file, survey_file
    if not hasattr(frame, "to_delayed"):
        raise TypeError(f"with client=, give a Dask DataFrame, or a folder or pattern of Parquet files; got {type(frame).__name__}")
    timed = () if zones is None or zones.times is None or not zones.timed else (zones.times,)
    wanted = tuple(dict.fromkeys((*columns.all(), *timed)))
    check_columns(list(frame.columns), wanted)
    partitions = frame[list(wanted)].to_delayed()
    return [(part, number) for number, part in enumerate(partitions)], _gather_partition, _survey_partition


def _gather_partition(table: Any, number: int, zoned: ZonedRows | None, columns: Columns, jobs: tuple[Job, ...]) -> Gathered:
    with _numbered(number):
        return gather(table, columns, jobs, goes_on=True, zoned=zoned)


def _survey_partition(table: Any, number: int, series: str, zones: SeriesZones) -> Survey:
    with _numbered(number):
        return survey(table, series, zones)


@contextmanager
def _numbered(number: int) -> Iterator[None]:
    """Complaints begin with the number of the partition."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"partition {number}: {error}") from None


def _join(*parts: Gathered) -> Gathered:
    return reduce(Gathered.join, parts)


def _rows(found: Gathered) -> int:
    """How many rows went into a part."""
    return found.rows()
