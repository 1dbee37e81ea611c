"""Spans on Spark."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from wordorder.scale.jobs import perform


def run(
    jobs: Sequence[bytes], address: str | None, workers: int
) -> Generator[tuple[int, bytes], None, None]:
    """Yield the number and result of each job as it finishes."""
    with warnings.catch_warnings():
        # Of versions of packages that are not used here.
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

    # In brackets: how many threads, and how often a span is tried.
    builder = SparkSession.builder.master(address or f"local[{workers},4]").appName("wordorder")
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    for option, value in quiet.items():
        builder = builder.config(option, value)
    if address is None:
        # Its own choice is any python3.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.config("spark.driver.host", "127.0.0.1")
    session = builder.getOrCreate()
    context = session.sparkContext
    context.setLogLevel("OFF")

    def one(number: int) -> tuple[int, bytes]:
        return number, context.parallelize([jobs[number]], 1).map(perform).collect()[0]

    # A job of Spark's own for each span: its result is there as soon as it is done.
    pool = ThreadPoolExecutor(context.defaultParallelism)
    try:
        for done in as_completed([pool.submit(one, number) for number in range(len(jobs))]):
            yield done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        session.stop()
