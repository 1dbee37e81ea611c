"""Spans on processes of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue

from wordorder.errors import WordOrderError

# How often a span is given out before its workers are said to die of it.
TRIES = 4


def run(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the number and result of each job as it finishes."""
    free: SimpleQueue[_Worker] = SimpleQueue()
    crew = [_Worker() for _ in range(min(workers, len(jobs)))]
    for worker in crew:
        free.put(worker)

    def one(number: int) -> tuple[int, bytes]:
        worker = free.get()
        try:
            return number, worker.perform(jobs[number])
        finally:
            free.put(worker)

    pool = ThreadPoolExecutor(max(len(crew), 1))
    try:
        for done in as_completed([pool.submit(one, number) for number in range(len(jobs))]):
            yield done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in crew:
            worker.stop()


class _Worker:
    """A process, and another one when it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def perform(self, job: bytes) -> bytes:
        """Have a job done; a worker that dies loses nothing."""
        for _ in range(TRIES):
            if self._stopped:
                break
            process = self._process = self._process or _started()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(job + b"\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = b""
            if line.endswith(b"\n"):
                return line[:-1]
            self._end()
        raise WordOrderError(f"{TRIES} local workers died on the same span: too little memory?")

    def stop(self) -> None:
        """End the process."""
        self._stopped = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _started() -> subprocess.Popen[bytes]:
    # What this process can import, its workers can.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    return subprocess.Popen(
        [sys.executable, "-m", "wordorder.scale.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    )
