"""Spans on Dask."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from logging import CRITICAL
from typing import Any

from wordorder.scale.jobs import perform

# Freed memory stays with the worker: Dask's own threshold gives it back after every piece.
MEMORY = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 28}
# A cluster does not come up if one of its workers dies while it starts; then another is tried.
STARTS = 4


def run(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the number and result of each job as it finishes.

    Without an address, the client that this process already has does the work, and stays.
    """
    from dask.distributed import Client, as_completed

    with ExitStack() as ours:
        client = _client_here() if address is None else None
        if client is None:
            cluster = ours.enter_context(_cluster(workers)) if address is None else address
            client = ours.enter_context(Client(cluster, timeout=10))
        numbers = {f: n for n, f in enumerate(client.map(perform, jobs, pure=False))}
        for future, result in as_completed(list(numbers), with_results=True):
            yield numbers[future], result
            future.release()


def _client_here() -> Any:
    """Return the client that this process has, if it waits for its answers."""
    from dask.distributed import default_client

    try:
        client = default_client()
    except ValueError:
        return None
    return None if client.asynchronous else client


def _cluster(workers: int) -> Any:
    """Start workers on this machine."""
    import dask
    from dask.distributed import LocalCluster

    # Without a port of its own, a second run would complain that the first one has it.
    scheduler = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    local = {"n_workers": workers, "threads_per_worker": 1, "scheduler_kwargs": scheduler}
    with dask.config.set({"distributed.nanny.pre-spawn-environ": MEMORY}):
        for start in range(STARTS):
            try:
                return LocalCluster(**local, silence_logs=CRITICAL)
            except RuntimeError:
                if start == STARTS - 1:
                    raise
    return None
