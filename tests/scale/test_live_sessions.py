"""Engines that a user's process already runs do the work, and go on as they were.

Each in a process of its own, as a notebook would: what it prints last is looked at.
"""

import json
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import REFERENCE, SYSTEMS, python

from wordorder.scale import TableScores
from wordorder.scoring.scores import score_files as score

COLUMNS = {"ref": REFERENCE, "a": SYSTEMS[0], "b": SYSTEMS[1]}

BEGIN = f"""
import json, logging, warnings
warnings.simplefilter("ignore")
from wordorder.errors import UsageError
from wordorder.scale import score_on_engine, scoring as scored_spans
from wordorder.scale.cutting import Sizes

# Columns of a table: of what the user has, in as many parts as he has.
import pyarrow
from pathlib import Path
from wordorder.scale import TableScores

table = TableScores("frs,kendall", "ref", ("a", "b"), row="id", seed=3)
lines = {{n: Path(path).read_text().splitlines() for n, path in {COLUMNS!r}.items()}}
rows = {{
    name: column if name == "ref" else [[int(n) for n in line.split()] for line in column]
    for name, column in lines.items()
}} | {{"id": list(range(72))}}
frame = pyarrow.table(rows)

def added(parts):
    found = table.result(parts, confidence=True, level=0.9).to_columns()
    return found, table.compare(parts, resamples=50).to_columns()

# More than ten spans.
scored_spans.spans.__kwdefaults__.update(sizes=Sizes(1, 400, 1))

def scored(engine, address=None):
    made = score_on_engine(
        {REFERENCE!r}, {SYSTEMS!r}, "frs,kendall", engine=engine, address=address
    )
    return made.values()

def refused(engine, address):
    try:
        scored(engine, address)
    except UsageError as error:
        return str(error)

"""
SPARK = """
from pyspark import SparkContext
from pyspark.sql import SparkSession

def options():
    # What an engine of its own would have set.
    names = ("spark.app.name", "spark.master", "spark.ui.showConsoleProgress")
    return [spark.conf.get(name, None) for name in names]

if __name__ == "__main__":
    builder = SparkSession.builder.master("local[2]").appName("mine")
    for option, value in (("spark.ui.enabled", "false"), ("spark.driver.host", "127.0.0.1")):
        builder = builder.config(option, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    loggers = spark._jvm.org.apache.logging.log4j.LogManager
    before = options(), str(loggers.getRootLogger().getLevel())
    found = {"here": scored("spark"), "again": scored("spark", "local[2]")}
    found["refused"] = refused("spark", "yarn")
    found["same"] = (options(), str(loggers.getRootLogger().getLevel())) == before
    found["level"] = before[1]
    mine = spark.createDataFrame(frame.to_pandas()).repartition(5)
    found["arrow"] = added(mine.mapInArrow(table.part, "part binary").collect())
    found["pandas"] = added(mine.mapInPandas(table.part, "part binary").toPandas())
    # A job of the user's own, and a frame from before.
    found["rows"] = spark.range(10).repartition(2).count()
    spark.stop()
    found["alone"] = scored("spark")
    found["left"] = SparkContext._active_spark_context is not None
    print(json.dumps(found))
"""
RAY = """
import ray

if __name__ == "__main__":
    quiet = dict(log_to_driver=False, logging_level=logging.ERROR)
    ray.init("local", num_cpus=2, include_dashboard=False, **quiet)
    held = ray.put("kept")
    mine = ray.data.from_arrow(frame)
    here = ray.get_runtime_context().gcs_address
    found = {"here": scored("ray"), "again": scored("ray", here)}
    found["refused"] = refused("ray", "elsewhere")
    found["same"] = ray.get_runtime_context().gcs_address == here
    found["rows"] = len(ray.get(held))
    for form in ("pyarrow", "numpy", "pandas"):
        some = mine.map_batches(table.part, batch_format=form, batch_size=17)
        found[form] = added(some.take_all())
    ray.shutdown()
    found["alone"] = scored("ray")
    found["left"] = ray.is_initialized()
    print(json.dumps(found))
"""
# Runs the program, with a child of this process killed as soon as Ray has started.
KILLED = """
import os, subprocess, sys
import ray

def start(*args, begin=ray.init, **options):
    begin(*args, **options)
    subprocess.run(["pkill", "-9", "-P", str(os.getpid()), process], check=True)

if __name__ == "__main__":
    process = sys.argv.pop(1)
    ray.init = start
    from wordorder.cli import main
    main()
"""
DASK = """
from dask.distributed import Client, LocalCluster, default_client
from pyarrow import parquet

if __name__ == "__main__":
    Path("parts").mkdir()
    for n in range(4):
        parquet.write_table(frame.slice(18 * n, 18), f"parts/part.{n}.parquet")
    options = dict(n_workers=1, processes=False, dashboard_address=None)
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        held = client.scatter("kept")
        before = cluster.scheduler.transition_counter
        found = {"here": scored("dask")}
        found["worked"] = cluster.scheduler.transition_counter - before
        found["again"] = scored("dask", cluster.scheduler_address)
        found["same"] = default_client() is client and client.status == "running"
        found["rows"] = len(held.result())
        import dask.dataframe as dd
        mine = dd.read_parquet("parts")
        found["frame"] = added(mine.map_partitions(table.part, meta={"part": object}).compute())
    found["alone"] = scored("dask")
    try:
        found["left"] = default_client() is not None
    except ValueError:
        found["left"] = False
    print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    values = score(SYSTEMS, REFERENCE, "frs,kendall").values()
    return dict(json.loads(json.dumps(values)))


def found(script: str, folder: Path) -> dict[str, Any]:
    """Run a user's script; workers of Dask import it once more, so it is a file."""
    path = folder / "script.py"
    path.write_text(BEGIN + script)
    # Spark starts whatever is called python3: that of an environment that is active.
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = python(path, cwd=folder, **environment).good()
    return dict(json.loads(done.text.splitlines()[-1]))


@pytest.fixture(scope="module")
def by_rows() -> list[Any]:
    """Return what the table says, scored in one batch by this process."""
    rows = {name: Path(path).read_text().splitlines() for name, path in COLUMNS.items()}
    table = TableScores("frs,kendall", "ref", ("a", "b"), row="id", seed=3)
    parts = table.work([rows | {"id": range(72)}])
    found = table.result(parts, confidence=True, level=0.9), table.compare(parts, resamples=50)
    return list(json.loads(json.dumps([each.to_columns() for each in found])))


def check(said: dict[str, Any], expected: dict[str, Any]) -> None:
    assert said["here"] == said["again"] == said["alone"] == expected
    assert said["same"]
    assert not said["left"]


@pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark is not installed")
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_a_spark_session(expected: dict[str, Any], by_rows: list[Any], tmp_path: Path) -> None:
    said = found(SPARK, tmp_path)
    check(said, expected)
    assert said["arrow"] == said["pandas"] == by_rows
    assert said["rows"] == 10
    assert said["level"] == "ERROR"
    assert said["refused"].endswith('address="yarn": this process already has a Spark at local[2]')


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
def test_a_ray(expected: dict[str, Any], by_rows: list[Any], tmp_path: Path) -> None:
    said = found(RAY, tmp_path)
    check(said, expected)
    assert said["pyarrow"] == said["numpy"] == said["pandas"] == by_rows
    assert said["rows"] == 4
    assert 'address="elsewhere": this process already has a Ray at ' in said["refused"]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
@pytest.mark.parametrize(
    ("process", "line"),
    [
        ("gcs_server", "Ray's server no longer answers, so that Ray ends this process"),
        ("raylet", "wordorder: error: --engine ray: "),
    ],
)
def test_a_part_of_ray_that_is_killed_is_named(process: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(KILLED)
    # How long Ray waits for its server, in seconds.
    patience = {"RAY_gcs_rpc_server_reconnect_timeout_s": "8"}
    form = ["score", REFERENCE, "-i", *SYSTEMS[:2], "-m", "frs", "--engine", "ray"]
    done = python(path, process, *form, cwd=tmp_path, **patience)
    assert (done.status, done.text) == (1, "")
    assert [line in each for each in done.stderr.splitlines()].count(True) == 1
    assert "Traceback" not in done.stderr


def test_a_client_of_dask(expected: dict[str, Any], by_rows: list[Any], tmp_path: Path) -> None:
    said = found(DASK, tmp_path)
    check(said, expected)
    assert said["frame"] == by_rows
    assert said["rows"] == 4
    assert said["worked"] > 10
