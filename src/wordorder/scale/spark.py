"""Spans on Spark."""

from __future__ import annotations

import os
import sys
import uuid
import warnings
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from wordorder.errors import UsageError
from wordorder.scale.jobs import perform


def run(
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
