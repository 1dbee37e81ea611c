"""Which engines there are, and spans given out to one of them."""

from __future__ import annotations

import importlib
import re
import socket
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, redirect_stdout
from importlib.util import find_spec

from wordorder.errors import UsageError, WordOrderError, choose
from wordorder.kernels._run import threads
from wordorder.scale.jobs import checked, is_failure, is_result
from wordorder.scale.span import Span
from wordorder.scale.state import State
from wordorder.types import OnProgress

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
    run: Run = importlib.import_module(f"wordorder.scale.{engine}").run
    return run


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
