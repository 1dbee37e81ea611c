"""Engines that are too large to be installed for every test: ``make test-engines`` runs this.

Dask with processes, Ray and Spark, each with two workers of this machine and with a worker killed;
tables of Spark, Ray, Dask, Polars, Hugging Face datasets and Beam.
"""

import contextlib
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from wordorder.scale import TableScores

PROGRAM = [sys.executable, "-m", "wordorder"]
ENGINES = ("local", "dask", "ray", "spark")
MARK = "WORDORDER_TEST_ENGINES"
ROWS = 1_000_000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Write orders that take some seconds."""
    folder = tmp_path_factory.mktemp("orders")
    drawn = random.Random(1)
    found = []
    for name in ("reference", "system"):
        rows = [drawn.sample(range(15), 15) for _ in range(2000)]
        path = folder / f"{name}.orders"
        path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows) * (ROWS // 2000))
        found.append(str(path))
    return found[0], found[1]


def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, check=False)


def work(files: tuple[str, str], engine: str) -> list[str]:
    """Return the arguments of some seconds of work for two workers."""
    scored = ["score", files[0], "-i", files[1], "-m", "all"]
    return [*scored, "--engine", engine, "--threads", "2"]


@pytest.fixture(scope="module")
def expected(files: tuple[str, str]) -> bytes:
    return run("score", files[0], "-i", files[1], "-m", "all").stdout


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_bytes(engine: str, files: tuple[str, str], expected: bytes) -> None:
    done = run(*work(files, engine))
    assert done.stdout == expected, done.stderr


# At its work: what a worker imports takes most of the first second. Dask also while it starts: it
# gives up a cluster of which a worker does not come up.
@pytest.mark.parametrize(("engine", "ticks"), [*((each, 80) for each in ENGINES), ("dask", 1)])
def test_a_worker_that_is_killed(
    engine: str, ticks: int, files: tuple[str, str], expected: bytes
) -> None:
    mark = f"{engine}-{os.getpid()}-{time.time()}"
    killed: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        while not killed and not ended.is_set():
            time.sleep(0.1 if ticks > 1 else 0.01)
            for worker in working(mark, ticks):
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)
                break

    thread = threading.Thread(target=kill)
    thread.start()
    command = [*PROGRAM, *work(files, engine)]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, MARK: mark})
    ended.set()
    thread.join()
    assert killed
    assert done.stdout == expected, done.stderr


def working(mark: str, least: int) -> Iterator[int]:
    """Yield workers of a run that have used as many hundredths of a second."""
    names = ("scale.plan", "multiprocessing.spawn", "ray::perform", "pyspark.daemon")
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            number = int(entry.name)
            folder = Path(entry.path)
            if f"{MARK}={mark}".encode() not in (folder / "environ").read_bytes():
                continue
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            ticks = (folder / "stat").read_text().rsplit(") ", 1)[1].split()[11]
            if any(name in command for name in names) and int(ticks) > least:
                yield number


@pytest.mark.parametrize(
    ("engine", "address", "said"),
    [
        ("dask", "tcp://127.0.0.1:9", "--engine dask --address tcp://127.0.0.1:9: "),
        ("ray", "127.0.0.1:9", "--engine ray --address 127.0.0.1:9: "),
        ("spark", "nowhere", "--engine spark --address nowhere: "),
    ],
)
def test_a_wrong_address(engine: str, address: str, said: str, files: tuple[str, str]) -> None:
    done = run("score", files[0], "-i", files[1], "--engine", engine, "-O", f"address={address}")
    ours = [line for line in done.stderr.decode().splitlines() if line.startswith("wordorder: ")]
    assert (done.returncode, done.stdout, len(ours)) == (2, b"", 1), done.stderr
    assert ours[0].startswith(f"wordorder: error: {said}")


@pytest.fixture(scope="module")
def table() -> pyarrow.Table:
    drawn = random.Random(2)
    sizes = [drawn.randrange(1, 12) for _ in range(1000)]
    columns = {name: [drawn.sample(range(n), n) for n in sizes] for name in ("ref", "sys")}
    return pyarrow.table(columns)


SCORES = TableScores("frs,kendall", "ref", ("sys",))
COLUMNS = ["ref", "sys"]


def by_spark(table: pyarrow.Table) -> Any:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = spark.getOrCreate()
    try:
        frame = session.createDataFrame(table.to_pylist()).repartition(3)
        return frame.mapInArrow(SCORES.part, "part binary").collect()
    finally:
        session.stop()


def by_ray(table: pyarrow.Table) -> Any:
    import ray

    ray.init("local", num_cpus=2, log_to_driver=False)
    try:
        dataset = ray.data.from_arrow(table)
        batches = dataset.map_batches(SCORES.part, batch_format="pyarrow", batch_size=99)
        return batches.take_all()
    finally:
        ray.shutdown()


def by_dask(table: pyarrow.Table) -> Any:
    from dask import config, dataframe

    # Dask makes text of lists otherwise.
    config.set({"dataframe.convert-string": False})
    frame = dataframe.from_pandas(table.to_pandas(), npartitions=4)
    return frame.map_partitions(SCORES.part, meta={"part": object}).compute()


def by_polars(table: pyarrow.Table) -> Any:
    import polars

    frame: Any = polars.from_arrow(table)
    return [SCORES.part(batch) for batch in frame.iter_slices(130)]


def by_datasets(table: pyarrow.Table) -> Any:
    from datasets import Dataset

    rows = Dataset(table)
    for form in (None, "arrow", "pandas"):
        batches = rows.with_format(form)
        parts = batches.map(SCORES.part, batched=True, batch_size=64, remove_columns=COLUMNS)
        assert SCORES.result(parts).values() == SCORES.result(SCORES.work([table])).values()
    return parts


def by_beam(table: pyarrow.Table) -> Any:
    beam = pytest.importorskip("apache_beam", reason="apache-beam is not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "parts")
        with beam.Pipeline() as pipeline:
            _ = (
                pipeline
                | beam.Create([batch.to_pydict() for batch in table.to_batches(max_chunksize=100)])
                | beam.Map(SCORES.part)
                | beam.combiners.ToList()
                | beam.Map(lambda parts: path.write_bytes(pickle.dumps(parts)))
            )
        return pickle.loads(path.read_bytes())


@pytest.mark.parametrize("way", [by_spark, by_ray, by_dask, by_polars, by_datasets, by_beam])
def test_tables(way: Callable[[pyarrow.Table], Any], table: pyarrow.Table) -> None:
    found, expected = SCORES.result(way(table)), SCORES.result(SCORES.work([table]))
    assert found.to_columns() == expected.to_columns()
