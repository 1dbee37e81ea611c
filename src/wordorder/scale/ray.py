"""Spans on Ray."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from logging import ERROR

from wordorder.scale.jobs import perform


def run(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the number and result of each job as it finishes."""
    import ray

    cpus = workers if address is None else None
    ray.init(address or "local", num_cpus=cpus, log_to_driver=False, logging_level=ERROR)
    try:
        task = ray.remote(max_retries=4)(perform)
        numbers = {task.remote(job): number for number, job in enumerate(jobs)}
        while numbers:
            for done in ray.wait(list(numbers))[0]:
                yield numbers.pop(done), ray.get(done)
    finally:
        ray.shutdown()
