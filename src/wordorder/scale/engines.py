"""The engines that run spans: local processes, Dask, Ray and Spark."""

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
from wordorder.scale.plan import ResultFolder, is_failure, is_result, perform, raise_failure

ENGINES = ("local", "dask", "ray", "spark")

_PACKAGES = {"dask": "distributed", "ray": "ray", "spark": "pyspark"}

_HOST_PORT = re.compile(r"(?:(?:tcp|tls|ray|spark)://)?([^/:@,]+):([0-9]+)")

# Seconds to wait for an answer at an address.
CONNECT_TIMEOUT = 10.0

# Environment of Dask's workers: freed memory stays with the worker instead of being returned to
# the system after each span.
_WORKER_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 28}
# Dask's health monitoring uses 1/12 of a core for two idle workers, mostly event loops that wake up
# 50 times a second; these settings cut that to 1/70.
_DASK_CONFIG = {
    "distributed.nanny.pre-spawn-environ": _WORKER_MEMORY,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
# A cluster does not start if one of its workers dies meanwhile; then it is started again.
_MAX_STARTS = 4
# Seconds between two checks of the server of Ray.
_CHECK_INTERVAL = 2
# How often a span is run again after its local worker died.
_MAX_TRIES = 4

Run = Callable[[Sequence[bytes], str | None, int], Generator[tuple[int, bytes], None, None]]


def run_spans(
    spans: Sequence[Span],
    engine: str = "local",
    *,
    address: str | None = None,
    state: str | None = None,
    is_complete: Callable[[bytes], bool] = bool,
    progress: OnProgress | None = None,
) -> list[bytes]:
    """Run spans on an engine; return their results in order.

    Parameters
    ----------
    spans : sequence of Span
    engine : {"local", "dask", "ray", "spark"}
    address : str, optional
        The address of a running cluster; without it workers are started on this machine, one per
        thread of ``--threads``.
    state : path, optional
        A folder for results of spans; spans with a stored result are not run again.
    is_complete : callable, optional
        Returns whether the files of a stored result still exist.
    progress : callable, optional
        Called now and then with the number of rows done.

    Raises
    ------
    UsageError
        If there is no such engine, its package is not installed, or there is no answer at the
        address.
    WordOrderError
        The error of the first span that fails.
    """
    check_engine(engine, address)
    run = _run_function(engine)
    jobs = [span.to_json() for span in spans]
    folder = ResultFolder(state) if state is not None else None
    results = [None if folder is None else folder.result(job) for job in jobs]
    results = [
        result if result and is_result(result) and is_complete(result) else None
        for result in results
    ]
    missing = [index for index, result in enumerate(results) if result is None]
    done = sum(span.rows for span, result in zip(spans, results, strict=True) if result)
    first_failure = len(jobs)
    with closing(_run_jobs(run, engine, [jobs[n] for n in missing], address)) as new_results:
        for job_index, result in new_results:
            index = missing[job_index]
            results[index] = result
            if is_failure(result):
                first_failure = min(first_failure, index)
            elif folder is not None:
                folder.store(jobs[index], result)
            done += spans[index].rows
            if progress is not None:
                progress(done)
            # After a failure, wait for all spans before it: one of them may fail too.
            if None not in results[:first_failure]:
                break
    return [raise_failure(r) for r in results[: first_failure + 1] if r is not None]


def check_engine(engine: str, address: str | None = None) -> None:
    """Raise a UsageError if an engine is not available, before any file is read.

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
    _run_function(engine)


def _run_function(engine: str) -> Run:
    """Return the function that runs jobs on an engine."""
    package = _PACKAGES.get(engine)
    if package is not None and find_spec(package) is None:
        raise UsageError(
            f'--engine={engine}: {package} is not installed; pip install "wordorder[{engine}]"'
        )
    return {"local": run_local, "dask": run_dask, "ray": run_ray, "spark": run_spark}[engine]


def _require_answer(engine: str, address: str) -> None:
    """Raise a UsageError if there is no answer at an address; engines would wait for minutes."""
    match = _HOST_PORT.fullmatch(address)
    if match is None:
        return
    try:
        _connect(match)
    except (OSError, OverflowError) as error:
        problem = f"nothing answers: {error}"
        raise UsageError(f"--engine={engine} --address={address}: {problem}") from None


def _connect(address: re.Match[str]) -> None:
    """Open and close a connection to the address matched by `_HOST_PORT`."""
    socket.create_connection((address[1], int(address[2])), timeout=CONNECT_TIMEOUT).close()


def _run_jobs(
    run: Run, engine: str, jobs: Sequence[bytes], address: str | None
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the results of an engine; any exception of it becomes an error of one line."""
    if not jobs:
        return
    if address is not None:
        _require_answer(engine, address)
    try:
        # Ray prints messages about its workers; standard output is for results.
        with redirect_stdout(sys.stderr):
            yield from run(jobs, address, min(threads(), len(jobs)))
    except WordOrderError:
        raise
    except Exception as error:
        lines = str(error).strip().splitlines()
        problem = f"{type(error).__name__}: {lines[0][:300] if lines else ''}".rstrip(": ")
        if address is not None:
            raise UsageError(f"--engine={engine} --address={address}: {problem}") from None
        raise WordOrderError(f"--engine={engine}: {problem}") from None


def run_dask(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the index and result of each job as it finishes.

    Without an address, an existing client of this process is used, and is not closed.
    """
    from dask.distributed import Client, as_completed

    with ExitStack() as stack:
        client = _existing_client() if address is None else None
        if client is None:
            cluster = stack.enter_context(_start_cluster(workers)) if address is None else address
            client = stack.enter_context(Client(cluster, timeout=10))
        indices = {future: n for n, future in enumerate(client.map(perform, jobs, pure=False))}
        for future, result in as_completed(list(indices), with_results=True):
            yield indices[future], result
            future.release()


def _existing_client() -> Any:
    """Return Dask's default client of this process, unless there is none or it is asynchronous."""
    from dask.distributed import default_client

    try:
        client = default_client()
    except ValueError:
        return None
    return None if client.asynchronous else client


def _start_cluster(workers: int) -> Any:
    """Start workers of Dask on this machine."""
    import dask
    from dask.distributed import LocalCluster

    # Port 0 is any free port: a second run would complain about a fixed one.
    scheduler = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
    options = {"n_workers": workers, "threads_per_worker": 1, "scheduler_kwargs": scheduler}
    with dask.config.set(_DASK_CONFIG):
        for start in range(_MAX_STARTS):
            try:
                return LocalCluster(**options, silence_logs=CRITICAL)
            except RuntimeError:
                if start == _MAX_STARTS - 1:
                    raise
    return None


def run_ray(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the index and result of each job as it finishes.

    A Ray that this process has initialised is used, and is not shut down.
    """
    import ray

    is_own = not ray.is_initialized()
    if is_own:
        cpus = workers if address is None else None
        ray.init(address or "local", num_cpus=cpus, log_to_driver=False, logging_level=ERROR)
    elif address not in (None, "auto", here := ray.get_runtime_context().gcs_address):
        raise UsageError(
            f"--engine=ray --address={address}: this process already has a Ray at {here}"
        )
    indices = {}
    try:
        with _watch_server(ray.get_runtime_context().gcs_address):
            task = ray.remote(max_retries=4)(perform)
            indices = {task.remote(job): index for index, job in enumerate(jobs)}
            while indices:
                for reference in ray.wait(list(indices))[0]:
                    yield indices.pop(reference), ray.get(reference)
    finally:
        if is_own:
            ray.shutdown()
        else:
            for reference in indices:
                ray.cancel(reference)


@contextmanager
def _watch_server(address: str) -> Iterator[None]:
    """Print an error as soon as the server that controls Ray stops answering.

    Calls of Ray wait for it for a minute, and then end the process without an exception.
    """
    match = _HOST_PORT.fullmatch(address)
    ended = threading.Event()

    def watch() -> None:
        while match is not None and not ended.wait(_CHECK_INTERVAL):
            try:
                _connect(match)
            except OSError as error:
                problem = "Ray's server no longer answers, so that Ray ends this process"
                # Printed here, because notes are held back until the end of the work.
                line = f"wordorder: error: {address}: {problem}: {error}"
                print(line, file=sys.stderr, flush=True)
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
    """Yield the index and result of each job as it finishes.

    A Spark context of this process is used, and is not stopped; its log level does not change.
    """
    with warnings.catch_warnings():
        # Spark warns about versions of packages that it does not use here.
        warnings.simplefilter("ignore")
        from pyspark import SparkContext

    # Sessions have a context too; a new session would change the options of an existing one.
    existing = SparkContext._active_spark_context
    if existing is not None and address not in (None, existing.master):
        problem = f"this process already has a Spark at {existing.master}"
        raise UsageError(f"--engine=spark --address={address}: {problem}")
    # In brackets: the number of threads, and how often a span is tried.
    context = existing or _start_spark(address or f"local[{workers},4]")
    group = f"wordorder {uuid.uuid4()}"

    def run_job(index: int) -> bytes:
        context.setJobGroup(group, "wordorder", True)
        result: bytes = context.parallelize([jobs[index]], 1).map(perform).collect()[0]
        return result

    try:
        # One job of Spark per span, so that each result arrives as soon as it is computed.
        yield from _run_on_threads(run_job, len(jobs), context.defaultParallelism)
    finally:
        if existing is None:
            context.stop()
        else:
            context.cancelJobGroup(group)


def _run_on_threads(
    run_job: Callable[[int], bytes], jobs: int, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the index and result of each job as it finishes; jobs run on some threads."""
    pool = ThreadPoolExecutor(max(workers, 1))
    try:
        indices = {pool.submit(run_job, index): index for index in range(jobs)}
        for future in as_completed(indices):
            yield indices[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _start_spark(master: str) -> Any:
    """Start a Spark context that logs nothing."""
    from pyspark import SparkConf, SparkContext

    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    conf = SparkConf().setMaster(master).setAppName("wordorder").setAll(list(quiet.items()))
    if master.startswith("local"):
        # Spark's default is any python3.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        conf.set("spark.driver.host", "127.0.0.1")
    context = SparkContext(conf=conf)
    context.setLogLevel("OFF")
    return context


def run_local(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the index and result of each job as it finishes."""
    idle_workers: SimpleQueue[_Worker] = SimpleQueue()
    all_workers = [_Worker() for _ in range(min(workers, len(jobs)))]
    for worker in all_workers:
        idle_workers.put(worker)

    def run_job(index: int) -> bytes:
        worker = idle_workers.get()
        try:
            return worker.perform(jobs[index])
        finally:
            idle_workers.put(worker)

    try:
        yield from _run_on_threads(run_job, len(jobs), len(all_workers))
    finally:
        for worker in all_workers:
            worker.stop()


class _Worker:
    """A local process that runs jobs; it is started again if it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def perform(self, job: bytes) -> bytes:
        """Run a job in the process, and again in a new process if this one dies."""
        for _ in range(_MAX_TRIES):
            if self._stopped:
                break
            process = self._process = self._process or _start_process()
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
        raise WordOrderError(
            f"{_MAX_TRIES} local workers died on the same span: too little memory?"
        )

    def stop(self) -> None:
        """End the process."""
        self._stopped = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _start_process() -> subprocess.Popen[bytes]:
    # Workers must import the same packages as this process.
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    return subprocess.Popen(
        [sys.executable, "-m", "wordorder.scale.plan"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    )
