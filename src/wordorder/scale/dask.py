"""Spans on Dask."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from logging import CRITICAL

from wordorder.scale.jobs import perform

# Freed memory stays with the worker: Dask's own threshold gives it back after every piece.
MEMORY = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 28}


def run(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the number and result of each job as it finishes."""
    import dask
    from dask.distributed import Client, LocalCluster, as_completed

    # Without a port of its own, a second run would complain that the first one has it.
    scheduler = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    local = {"n_workers": workers, "threads_per_worker": 1, "scheduler_kwargs": scheduler}
    with dask.config.set({"distributed.nanny.pre-spawn-environ": MEMORY}):
        cluster = LocalCluster(**local, silence_logs=CRITICAL) if address is None else address
        with Client(cluster, timeout=10) as client:
            numbers = {f: n for n, f in enumerate(client.map(perform, jobs, pure=False))}
            for future, result in as_completed(list(numbers), with_results=True):
                yield numbers[future], result
                future.release()
