"""Spans on Ray."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from logging import ERROR

from wordorder.errors import UsageError
from wordorder.scale.jobs import perform


def run(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the number and result of each job as it finishes.

    A Ray that this process has initialised does the work, and stays.
    """
    import ray

    began = not ray.is_initialized()
    if began:
        cpus = workers if address is None else None
        ray.init(address or "local", num_cpus=cpus, log_to_driver=False, logging_level=ERROR)
    elif address not in (None, "auto", here := ray.get_runtime_context().gcs_address):
        raise UsageError(
            f"--engine=ray --address={address}: this process already has a Ray at {here}"
        )
    numbers = {}
    try:
        task = ray.remote(max_retries=4)(perform)
        numbers = {task.remote(job): number for number, job in enumerate(jobs)}
        while numbers:
            for done in ray.wait(list(numbers))[0]:
                yield numbers.pop(done), ray.get(done)
    finally:
        if began:
            ray.shutdown()
        else:
            for left in numbers:
                ray.cancel(left)
