"""Series on many machines: partitions or files are scored where they are read, and neighbours join in a tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

from rangewise.many.batches import Columns, check_columns
from rangewise.many.gathered import Gathered, Job
from rangewise.many.parquet import gather_file, parquet_files
from rangewise.many.scoring import Progress, gather

Item = TypeVar("Item")


def gather_on_cluster(frame: Any, columns: Columns, jobs: tuple[Job, ...], client: Any, progress: Progress | None) -> Gathered:
    """All series of a Dask DataFrame or of Parquet files, by a client's workers, or by Dask's own threads when there is no client."""
    dask = require_dask()
    if client is not None and not (hasattr(client, "submit") and hasattr(client, "scheduler_info")):
        raise TypeError(f"client is a distributed.Client; got {client!r:.60}")
    if client is None:
        found: Gathered = tree(_leaves(frame, columns, jobs, dask), dask.delayed(_join)).compute()
        if progress is not None:
            progress(_rows(found))
        return found
    if isinstance(frame, (str, Path)):
        futures = client.map(gather_file, _files(frame), columns=columns, jobs=jobs, pure=False)
    else:
        futures = client.compute(_leaves(frame, columns, jobs, dask))
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


def _leaves(frame: Any, columns: Columns, jobs: tuple[Job, ...], dask: Any) -> list[Any]:
    if isinstance(frame, (str, Path)):
        return [dask.delayed(gather_file, pure=False)(file, columns, jobs) for file in _files(frame)]
    if not hasattr(frame, "to_delayed"):
        raise TypeError(f"with client=, give a Dask DataFrame, or a folder or pattern of Parquet files; got {type(frame).__name__}")
    check_columns(list(frame.columns), columns.all())
    partitions = frame[list(columns.all())].to_delayed()
    return [dask.delayed(_gather_partition, pure=False)(part, number, columns, jobs) for number, part in enumerate(partitions)]


def _gather_partition(table: Any, number: int, columns: Columns, jobs: tuple[Job, ...]) -> Gathered:
    try:
        return gather(table, columns, jobs, goes_on=True)
    except (TypeError, ValueError) as error:
        raise type(error)(f"partition {number}: {error}") from None


def _join(*parts: Gathered) -> Gathered:
    return reduce(Gathered.join, parts)


def _rows(found: Gathered) -> int:
    """How many rows went into a part."""
    return found.rows()
