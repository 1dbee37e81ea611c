"""``wordorder score --engine`` of Parquet in 40 parts: CPU, memory, a kill in start-up.

One, two and four million rows of two columns of orders, lists of 5 to 34 positions; and ten
million once. What a million rows more cost is the slope of a line through the sizes, of each round
of runs; in a round all engines take turns. The CPU of a run is that of its whole tree of processes,
as the system adds it up when they end, but for services of Ray that stand by: to start them takes
some CPU seconds, of which a short run sees a part and a long one all, and no row costs them more.
"""

from __future__ import annotations

import os
import signal
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from engines import ENGINES, WORKERS, Run, moved
from measuring import Report, main

PARTS = 40
BLOCK = 25_000
ROUNDS = 3
MILLIONS = (1, 2, 4)
MOST = 10
ASKED = {"local": 1.1, "dask": 1.15, "ray": 1.2, "spark": 2.5}
# Megabytes that ten million rows may take in the driver beside what one million takes.
DRIVER = 100

# Orphans become its children, so that the system adds up the time of all; then it says the sum.
_COUNTED = """
import ctypes, os, resource, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
status = subprocess.Popen(sys.argv[2:]).wait()
try:
    while True:
        os.wait()
except ChildProcessError:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "w").write(str(used.ru_utime + used.ru_stime))
sys.exit(status)
"""


class Counted(Run):
    """A run whose CPU time is counted to the end of its last process."""

    def __init__(self, folder: Path, engine: str | None) -> None:
        self.told = tempfile.NamedTemporaryFile()  # noqa: SIM115  # as long as the run
        threads = str(1 if engine is None else WORKERS)
        score = ["-m", "wordorder", "score", f"{folder}#ref", "-i", f"{folder}#sys", "-q"]
        options = ["--input", "orders", "--threads", threads]
        options += [] if engine is None else ["--engine", engine]
        counting = [sys.executable, "-c", _COUNTED, self.told.name]
        super().__init__([*counting, sys.executable, *score, *options])

    @property
    def total(self) -> float:
        """CPU seconds of all processes; Ray does not wait for the end of its own: those seen."""
        seen = sum(each.seconds for each in self.seen.values())
        return max(float(Path(self.told.name).read_text()), seen)

    @property
    def seconds(self) -> float:
        """CPU seconds of all processes but those that stand by."""
        return self.total - self.standing_by

    def is_worker(self, number: int) -> bool:
        """Return whether a process works on spans."""
        return number != self.driver and super().is_worker(number)

    @property
    def driver(self) -> int:
        """The process that gives out the spans."""
        found = [n for n, p in self.seen.items() if " -m wordorder score " in p.command]
        return min((n for n in found if n != self.process.pid), default=0)

    @property
    def driver_megabytes(self) -> float:
        return self.seen[self.driver].megabytes


def benchmark(report: Report) -> None:
    million = 40_000 if report.quick else 1_000_000
    engines = report.only or ENGINES
    with tempfile.TemporaryDirectory() as scratch:
        sizes = {n: orders(Path(scratch), n * million) for n in MILLIONS}
        expected = {n: Counted(path, None).answered() for n, path in sizes.items()}
        costs: dict[str | None, list[float]] = {each: [] for each in (None, *engines)}
        standing: dict[str | None, list[float]] = {each: [] for each in costs}
        peaks: dict[str | None, float] = {}
        for _ in range(1 if report.quick else ROUNDS):
            for engine in costs:
                runs = {n: Counted(path, engine) for n, path in sizes.items()}
                for n, run in runs.items():
                    assert run.answered() == expected[n], engine
                peaks[engine] = max(peaks.get(engine, 0.0), runs[1].driver_megabytes)
                costs[engine].append(slope({n: run.seconds for n, run in runs.items()}))
                standing[engine].append(slope({n: run.standing_by for n, run in runs.items()}))
                print(f"{engine or 'one process'}: {costs[engine][-1]:.3f} s", flush=True)
        for engine in engines:
            add_cost(report, engine, costs, standing[engine])
        for engine in engines:
            killed_in_start_up(report, engine, sizes[1], expected[1])
        most = orders(Path(scratch), MOST * million)
        whole = Counted(most, None)
        answer = whole.answered()
        report.add("one process: CPU of ten million rows", whole.total, "s")
        for engine in engines:
            run = Counted(most, engine)
            same = run.answered() == answer
            ratio = run.total / whole.total
            report.add(f"{engine}: ten million rows, the same bytes", int(same), "yes", at_least=1)
            report.add(f"{engine}: CPU of ten million rows, with the start", ratio, "times")
            more = run.driver_megabytes - peaks[engine]
            name = f"{engine}: driver's memory, ten million rows over one"
            report.add(name, more, "MB", at_most=DRIVER, peak=run.driver_megabytes)


def add_cost(
    report: Report, engine: str, costs: dict[str | None, list[float]], standing: list[float]
) -> None:
    """Report the CPU of a million rows more over that of one process, by round and all together."""
    rounds = [ours / base for ours, base in zip(costs[engine], costs[None], strict=True)]
    report.add(
        f"{engine}: CPU of a million rows more, over one process",
        statistics.median(rounds),
        "times",
        at_most=ASKED[engine],
        rounds=rounds,
        seconds=costs[engine],
        one_process=costs[None],
        standing_by=standing,
    )


def slope(seconds: dict[int, float]) -> float:
    """Return the seconds of a million rows more, by least squares."""
    return float(np.polyfit(list(seconds), list(seconds.values()), 1)[0])


def killed_in_start_up(report: Report, engine: str, path: Path, expected: bytes) -> None:
    """Kill the first worker as soon as it is there; the result must be the same."""
    run = Counted(path, engine)
    run.start()
    run.until(lambda: any(map(run.is_worker, run.seen)), 0.01)
    worker = next(n for n in run.look() if run.is_worker(n))
    os.kill(worker, signal.SIGKILL)
    same = run.answer() == expected
    name = f"{engine}: a worker killed while it starts, the same result"
    report.add(name, int(same), "yes", at_least=1)


def orders(folder: Path, rows: int) -> Path:
    """Write Parquet in 40 parts: a block of rows again and again."""
    import pyarrow
    from pyarrow import parquet

    drawn = np.random.default_rng(12345)
    each = rows // PARTS
    lengths = drawn.integers(5, 35, min(each, BLOCK))
    columns = {name: list(moved(lengths, drawn)) for name in ("ref", "sys")}
    kinds = dict.fromkeys(columns, pyarrow.list_(pyarrow.int32()))
    block = pyarrow.table(columns, pyarrow.schema(kinds))
    made = folder / str(rows)
    made.mkdir()
    for part in range(PARTS):
        with parquet.ParquetWriter(made / f"part-{part}.parquet", block.schema) as writer:
            for _ in range(each // len(block)):
                writer.write_table(block)
    return made


if __name__ == "__main__":
    main(__file__, __doc__ or "", benchmark, ENGINES)
