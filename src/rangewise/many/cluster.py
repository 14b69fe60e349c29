"""Score series on a cluster: workers read partitions or files, and their results are merged here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rangewise.many.batches import Columns, Progress, check_columns
from rangewise.many.gathered import Gathered
from rangewise.many.parquet import parquet_files, read_file
from rangewise.many.segments import Segments

Item = TypeVar("Item")
Part = TypeVar("Part", Gathered, Segments)


def read_on_cluster(frame: Any, columns: Columns, read: Callable[[Any], Part], client: Any, progress: Progress | None) -> Part:
    """Apply ``read`` to a Dask DataFrame or Parquet files on a client's workers, or on Dask's threads without a client."""
    dask = require_dask()
    if client is not None and not (hasattr(client, "submit") and hasattr(client, "scheduler_info")):
        raise TypeError(f"client must be a distributed.Client; got {client!r:.60}")
    if client is not None and isinstance(frame, (str, Path)):
        tasks = in_tasks(_files(frame), sum(client.nthreads().values()))
        futures = client.map(_read_files, tasks, read=read, columns=columns.all(), pure=False)
    else:
        leaves = [dask.delayed(task, pure=False)(*part, read) for task, part in _parts(frame, columns)]
        if client is None:
            whole: Part = tree(leaves, dask.delayed(_joined)).compute()
            if progress is not None:
                progress(whole.rows())
            return whole
        futures = client.compute(leaves)
    parts: list[Part] = _collected(futures, client, progress)
    return tree(parts, _joined)


def _collected(futures: list[Any], client: Any, progress: Progress | None) -> list[Part]:
    """The results in the order of the futures. Each is released as soon as it is here, so that workers hold only a few of them."""
    import distributed

    numbers = {future.key: number for number, future in enumerate(futures)}
    parts: dict[int, Part] = {}
    completed = distributed.as_completed(futures)
    futures.clear()
    for batch in completed.batches():
        keys = [future.key for future in batch]
        for key, part in zip(keys, client.gather(batch), strict=True):
            parts[numbers[key]] = part
            if progress is not None:
                progress(part.rows())
        batch.clear()
    return [parts[number] for number in range(len(parts))]


def require_dask() -> Any:
    try:
        import dask
        import distributed  # noqa: F401
    except ImportError as error:
        raise ModuleNotFoundError("a cluster needs Dask: pip install 'rangewise[dask]'") from error
    return dask


_TASKS_PER_THREAD = 8
"""Files are read in at most about this many tasks per thread: a task costs as much as a third of a million rows, and the last tasks of
threads end together only if there are several each."""


def in_tasks(files: list[Item], threads: int) -> list[list[Item]]:
    """Neighboring files in one task, where there are far more files than threads; the order is kept.

    >>> [len(task) for task in in_tasks(list(range(640)), 2)][:3], len(in_tasks(list(range(5)), 2))
    ([40, 40, 40], 5)
    """
    size = -(-len(files) // (_TASKS_PER_THREAD * threads)) if threads else 1
    return [files[at : at + size] for at in range(0, len(files), size)]


_JOINED = 8
"""The number of neighbors merged at once: on Dask's threads, a task costs the scheduler more than a merge."""


def tree(items: list[Item], join: Callable[..., Item]) -> Item:
    """Merge neighbors eight at a time, then the results, until one is left; the order is kept."""
    while len(items) > 1:
        items = [join(*items[at : at + _JOINED]) for at in range(0, len(items), _JOINED)]
    return items[0]


def _read_files(files: list[Path], read: Callable[..., Part], columns: tuple[str, ...]) -> Part:
    """Files one after the other, and their parts merged."""
    parts = [read_file(file, read, columns) for file in files]
    return _joined(*parts)


def _files(frame: str | Path) -> list[Path]:
    return [file.absolute() for file in parquet_files(frame)]


def _parts(frame: Any, columns: Columns) -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """The function that reads each part, and the parts."""
    if isinstance(frame, (str, Path)):
        return [(partial(read_file, columns=columns.all()), (file,)) for file in _files(frame)]
    if not hasattr(frame, "to_delayed"):
        raise TypeError(f"with client=, give a Dask DataFrame, or a folder or pattern of Parquet files; got {type(frame).__name__}")
    check_columns(list(frame.columns), columns.all())
    return [(_read_partition, pair) for pair in enumerate(frame[list(columns.all())].to_delayed())]


def _read_partition(number: int, table: Any, read: Callable[[Any], Part]) -> Part:
    """Prefix errors with the number of the partition."""
    try:
        return read(table)
    except (TypeError, ValueError) as error:
        raise type(error)(f"partition {number}: {error}") from None


def _joined(*parts: Part) -> Part:
    return type(parts[0]).joined(parts)
