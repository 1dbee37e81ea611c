"""Which engines there are, and spans given out to one of them."""

import os
import re
import socket
import subprocess
import sys
import threading
import uuid
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing, contextmanager, redirect_stdout
from importlib.util import find_spec
from logging import CRITICAL, ERROR
from queue import SimpleQueue
from typing import Any

from wordorder.arrays import OnProgress
from wordorder.errors import UsageError, WordOrderError, choose
from wordorder.kernels import threads
from wordorder.scale.line_output import Span
from wordorder.scale.plan import State, checked, is_failure, is_result, perform

ENGINES = ("local", "dask", "ray", "spark")

_PACKAGES = {"dask": "distributed", "ray": "ray", "spark": "pyspark"}

_HOST_PORT = re.compile(r"(?:(?:tcp|tls|ray|spark)://)?([^/:@,]+):([0-9]+)")

# Seconds that whoever is at an address has to answer.
PATIENCE = 10.0

Run = Callable[[Sequence[bytes], str | None, int], Generator[tuple[int, bytes], None, None]]


def given_out(
    spans: Sequence[Span],
    engine: str = "local",
    *,
    address: str | None = None,
    state: str | None = None,
    is_whole: Callable[[bytes], bool] = bool,
    progress: OnProgress | None = None,
) -> list[bytes]:
    """Run spans on an engine; return their results in order.

    Parameters
    ----------
    spans : sequence of Span
    engine : {"local", "dask", "ray", "spark"}
    address : str, optional
        Of a cluster that runs already; without it workers are started on this machine, one a
        thread of ``--threads``.
    state : path, optional
        A folder for results of spans: those that are there are not worked out again.
    is_whole : callable, optional
        Whether all is there that belongs to a result which was kept.
    progress : callable, optional
        Told now and then how many rows are done.

    Raises
    ------
    UsageError
        If there is no such engine, its package is not installed, or nothing answers at the
        address.
    WordOrderError
        The error of the first span that has one.
    """
    check_engine(engine, address)
    run = _run(engine)
    jobs = [span.to_json() for span in spans]
    kept = State(state) if state is not None else None
    results = [None if kept is None else kept.result(job) for job in jobs]
    results = [
        found if found and is_result(found) and is_whole(found) else None for found in results
    ]
    missing = [number for number, result in enumerate(results) if result is None]
    done = sum(span.rows for span, result in zip(spans, results, strict=True) if result)
    failed = len(jobs)
    with closing(_answers(run, engine, [jobs[n] for n in missing], address)) as answers:
        for place, result in answers:
            number = missing[place]
            results[number] = result
            if is_failure(result):
                failed = min(failed, number)
            elif kept is not None:
                kept.keep(jobs[number], result)
            done += spans[number].rows
            if progress is not None:
                progress(done)
            # What comes before an error may hold an earlier one.
            if None not in results[:failed]:
                break
    return [checked(result) for result in results[: failed + 1] if result is not None]


def check_engine(engine: str, address: str | None = None) -> None:
    """Raise a UsageError for an engine that cannot be had, before anything is read.

    Examples
    --------
    >>> check_engine("sparc")
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: unknown value for engine 'sparc' (did you mean 'spark'?); ...
    """
    choose("--engine", engine, ENGINES)
    if engine == "local" and address is not None:
        raise UsageError("--address is for dask, ray and spark: --engine=local is this machine")
    _run(engine)


def _run(engine: str) -> Run:
    """Return the adapter of an engine."""
    package = _PACKAGES.get(engine)
    if package is not None and find_spec(package) is None:
        raise UsageError(
            f'--engine={engine}: {package} is not installed; pip install "wordorder[{engine}]"'
        )
    return {"local": run_local, "dask": run_dask, "ray": run_ray, "spark": run_spark}[engine]


def _require_answer(engine: str, address: str) -> None:
    """Raise a UsageError unless somebody listens: engines themselves wait for minutes."""
    found = _HOST_PORT.fullmatch(address)
    if found is None:
        return
    try:
        socket.create_connection((found[1], int(found[2])), timeout=PATIENCE).close()
    except (OSError, OverflowError) as error:
        what = f"nothing answers: {error}"
        raise UsageError(f"--engine={engine} --address={address}: {what}") from None


def _answers(
    run: Run, engine: str, jobs: Sequence[bytes], address: str | None
) -> Generator[tuple[int, bytes], None, None]:
    """Yield what an engine yields; what it raises becomes one line."""
    if not jobs:
        return
    if address is not None:
        _require_answer(engine, address)
    try:
        # Ray prints what befell its workers; standard output is for results.
        with redirect_stdout(sys.stderr):
            yield from run(jobs, address, min(threads(), len(jobs)))
    except WordOrderError:
        raise
    except Exception as error:
        lines = str(error).strip().splitlines()
        what = f"{type(error).__name__}: {lines[0][:300] if lines else ''}".rstrip(": ")
        if address is not None:
            raise UsageError(f"--engine={engine} --address={address}: {what}") from None
        raise WordOrderError(f"--engine={engine}: {what}") from None


# Freed memory stays with the worker: Dask's own threshold gives it back after every piece.
MEMORY = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 28}

# What looks at the health of workers costs by the clock: of two idle ones a twelfth of a core, most
# of it for event loops that wake up fifty times a second, and with this a seventieth.
CALM = {
    "distributed.nanny.pre-spawn-environ": MEMORY,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}

# A cluster does not come up if one of its workers dies while it starts; then another is tried.
STARTS = 4


def run_dask(
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
    with dask.config.set(CALM):
        for start in range(STARTS):
            try:
                return LocalCluster(**local, silence_logs=CRITICAL)
            except RuntimeError:
                if start == STARTS - 1:
                    raise
    return None


# Seconds between two looks at the server of a Ray.
_BETWEEN_LOOKS = 2


def run_ray(
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
        with _watched_server(ray.get_runtime_context().gcs_address):
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


@contextmanager
def _watched_server(address: str) -> Iterator[None]:
    """Print an error when the server that controls a Ray no longer answers.

    Calls of Ray wait for it for a minute, and then end the process without an error to catch.
    """
    found = _HOST_PORT.fullmatch(address)
    ended = threading.Event()

    def watch() -> None:
        while found is not None and not ended.wait(_BETWEEN_LOOKS):
            try:
                socket.create_connection((found[1], int(found[2])), timeout=PATIENCE).close()
            except OSError as error:
                what = "Ray's server no longer answers, so that Ray ends this process"
                # Now: notes are held back until the work is done.
                print(f"wordorder: error: {address}: {what}: {error}", file=sys.stderr, flush=True)
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def run_spark(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the number and result of each job as it finishes.

    A Spark that this process already has does the work; it stays, and so does what it logs.
    """
    with warnings.catch_warnings():
        # Of versions of packages that are not used here.
        warnings.simplefilter("ignore")
        from pyspark import SparkContext

    # Of a session too; a session of its own would change the options of the one that is there.
    here = SparkContext._active_spark_context
    if here is not None and address not in (None, here.master):
        raise UsageError(
            f"--engine=spark --address={address}: this process already has a Spark at {here.master}"
        )
    context = here or _started(address or f"local[{workers},4]")
    group = f"wordorder {uuid.uuid4()}"

    def one(number: int) -> tuple[int, bytes]:
        context.setJobGroup(group, "wordorder", True)
        return number, context.parallelize([jobs[number]], 1).map(perform).collect()[0]

    # A job of Spark's own for each span: its result is there as soon as it is done.
    pool = ThreadPoolExecutor(context.defaultParallelism)
    try:
        for done in as_completed([pool.submit(one, number) for number in range(len(jobs))]):
            yield done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if here is None:
            context.stop()
        else:
            context.cancelJobGroup(group)


def _started(master: str) -> Any:
    """Start a Spark that logs nothing; in brackets: how many threads, how often a span is tried."""
    from pyspark import SparkConf, SparkContext

    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    conf = SparkConf().setMaster(master).setAppName("wordorder").setAll(list(quiet.items()))
    if master.startswith("local"):
        # Its own choice is any python3.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf.set("spark.driver.host", "127.0.0.1")
    context = SparkContext(conf=conf)
    context.setLogLevel("OFF")
    return context


# How often a span is given out before its workers are said to die of it.
TRIES = 4


def run_local(
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
            process = self._process = self._process or _local_started()
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


def _local_started() -> subprocess.Popen[bytes]:
    # What this process can import, its workers can.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    return subprocess.Popen(
        [sys.executable, "-m", "wordorder.scale.plan"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    )
