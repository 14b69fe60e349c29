"""The Dask cluster of a command: an existing scheduler, or processes on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer

_PANEL = "Cluster"
_PATIENCE = 5
"""Seconds to wait for a scheduler."""


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """Where a table of many series is scored."""

    scheduler: Annotated[
        str | None, typer.Option(help="Score on the workers of this Dask scheduler.", metavar="ADDRESS", rich_help_panel=_PANEL)
    ] = None
    workers: Annotated[int | None, typer.Option(help="Score with this many processes on this machine.", rich_help_panel=_PANEL)] = None


@contextmanager
def cluster_client(options: ClusterOptions) -> Iterator[Any]:
    """A client of the scheduler, or of new workers that end with it; None without either option."""
    scheduler, workers = options.scheduler, options.workers
    if scheduler is None and workers is None:
        yield None
        return
    if scheduler is not None and workers is not None:
        raise ValueError("--scheduler names a cluster and --workers starts one; choose one")
    if workers is not None and workers < 1:
        raise ValueError(f"--workers must be 1 or more; got {workers}")
    from rangewise.many.cluster import require_dask

    require_dask()
    import logging

    import distributed

    # Errors are reported in one line; the log would repeat them in many.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if workers is not None:
        settings = {"n_workers": workers, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
        with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
            yield client
        return
    try:
        client = distributed.Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise OSError(
            f"no scheduler responds at {scheduler} ({type(error).__name__}); "
            "start one with `dask scheduler`, and its workers with `dask worker ADDRESS`"
        ) from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise OSError(f"the scheduler at {scheduler} has no workers; start one with `dask worker {scheduler}`")
        yield client
