"""``wordorder score --engine`` of Parquet in 40 parts: CPU, memory, workers and drivers killed.

One, two and four million rows of two columns of orders, lists of 5 to 34 positions; and ten
million once. What a million rows more cost is the slope of a line through the sizes, of each round
of runs; in a round all engines take turns. The CPU of a run is that of its whole tree of processes,
as the system adds it up when they end, but for services of Ray that stand by: to start them takes
some CPU seconds, of which a short run sees a part and a long one all, and no row costs them more.
``--only`` names engines; they need Dask, Ray, Spark and Java.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from measuring import Report, benchmark, main

MARK = "WORDORDER_BENCHMARK"
TICKS = os.sysconf("SC_CLK_TCK")
ENGINES = ("local", "dask", "ray", "spark")
# Dashboard, autoscaler, monitors and agents of Ray.
STANDING_BY = re.compile(
    r"site-packages/ray/(dashboard|autoscaler|_private)/|^ray::(Dashboard|RuntimeEnv)Agent"
)
WORKERS = 2


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


@dataclass
class Process:
    """What was last seen of a process of a run."""

    seconds: float = 0.0
    megabytes: float = 0.0
    command: str = ""


@dataclass
class Run:
    """A run of the program and all processes that came of it."""

    command: list[str]
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    seen: dict[int, Process] = field(default_factory=dict)

    def start(self) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the run
        environment = {**os.environ, MARK: self.mark, "PYTHONWARNINGS": "ignore"}
        self.process = subprocess.Popen(
            self.command,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment,
            start_new_session=True,
        )

    def look(self) -> list[int]:
        """Look at all processes with the mark; return those that run."""
        running = []
        for entry in os.scandir("/proc"):
            with contextlib.suppress(OSError, ValueError):
                number = int(entry.name)
                if f"{MARK}={self.mark}".encode() not in _read(number, "environ"):
                    continue
                fields = _read(number, "stat").rsplit(b") ", 1)[1].split()
                if fields[0] == b"Z":
                    continue
                running.append(number)
                known = self.seen.setdefault(number, Process())
                known.seconds = (int(fields[11]) + int(fields[12])) / TICKS
                known.command = _read(number, "cmdline").replace(b"\0", b" ").decode()
                for line in _read(number, "status").decode().splitlines():
                    if line.startswith("VmHWM:"):
                        known.megabytes = int(line.split()[1]) / 1024
        return running

    def until(self, enough: Callable[[], bool], pause: float = 0.1) -> None:
        """Look at the processes until something is so, or the program has ended."""
        while self.process.poll() is None and not enough():
            self.look()
            time.sleep(pause)

    def answer(self) -> bytes:
        """Return what the program printed, once it has ended well."""
        self.until(lambda: False)
        assert self.process.stdout is not None
        printed = self.process.stdout.read()
        if self.process.returncode != 0:
            self.errors.seek(0)
            text = self.errors.read()[-2000:].decode(errors="replace")
            raise RuntimeError(f"{' '.join(self.command)}: {self.process.returncode}\n{text}")
        return printed

    def answered(self) -> bytes:
        """Start and end the program; return what it printed."""
        self.start()
        return self.answer()

    @property
    def seconds(self) -> float:
        """CPU of the driver, the workers and what hands out the work."""
        return sum(each.seconds for each in self.seen.values()) - self.standing_by

    @property
    def standing_by(self) -> float:
        """CPU of services of Ray that cost something by the clock, not by the row."""
        return sum(p.seconds for p in self.seen.values() if STANDING_BY.search(p.command))

    def is_worker(self, number: int) -> bool:
        """Return whether a process works on spans: a Python that is not the driver."""
        command = self.seen[number].command
        names = ("scale.plan", "multiprocessing.spawn", "pyspark.daemon", "pyspark/daemon")
        if number == self.process.pid or STANDING_BY.search(command):
            return False
        return any(name in command for name in names) or command.startswith("ray::")

    def busiest_worker(self) -> int:
        """Return the worker that uses the most CPU within half a second."""
        before = {n: self.seen[n].seconds for n in self.look()}
        time.sleep(0.5)
        used = {n: self.seen[n].seconds - before.get(n, 0) for n in self.look()}
        return max((n for n in used if self.is_worker(n)), key=lambda n: used[n])


def _read(number: int, name: str) -> bytes:
    return Path(f"/proc/{number}/{name}").read_bytes()


class Counted(Run):
    """A run whose CPU time is counted to the end of its last process."""

    def __init__(self, folder: Path, engine: str | None, *more: str) -> None:
        self.total_file = tempfile.NamedTemporaryFile()  # noqa: SIM115  # open as long as the run
        threads = str(1 if engine is None else WORKERS)
        score = ["-m", "wordorder", "score", f"{folder}#ref", "-i", f"{folder}#sys", "-q"]
        options = ["--input", "orders", "--threads", threads]
        options += [] if engine is None else ["--engine", engine]
        counting = [sys.executable, "-c", _COUNTED, self.total_file.name]
        super().__init__([*counting, sys.executable, *score, *options, *more])

    @property
    def total(self) -> float:
        """CPU seconds of all processes; Ray does not wait for the end of its own: those seen."""
        seen = sum(each.seconds for each in self.seen.values())
        return max(float(Path(self.total_file.name).read_text()), seen)

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


@benchmark("scale text/table_cells.py", regular=False)
def engine_tables(report: Report) -> None:
    """Add cost, kills and memory of each engine, beside one process."""
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
            driver_killed(report, engine, sizes[4], expected[4])
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


def driver_killed(report: Report, engine: str, path: Path, expected: bytes) -> None:
    """Kill the driver in the middle, and start it again: what was done is not done once more."""
    with tempfile.TemporaryDirectory() as state:

        def kept() -> dict[str, int]:
            return {each.name: each.stat().st_mtime_ns for each in Path(state).glob("*.json")}

        run = Counted(path, engine, "-O", f"state={state}")
        run.start()
        run.until(lambda: len(kept()) >= 8, 0.02)
        os.kill(run.driver, signal.SIGKILL)
        run.process.wait()
        before, left = kept(), orphans(run)
        same = Counted(path, engine, "-O", f"state={state}").answered() == expected
        after = kept()
    again = sum(after[name] != written for name, written in before.items())
    name = f"{engine}: the driver killed and started again"
    report.add(name, int(same), "yes", at_least=1, kept=len(before), spans=len(after))
    report.add(f"{engine}: kept spans done again", again, "spans", at_most=0)
    report.add(f"{engine}: processes left by a killed driver", left, "processes", at_most=0)


def orphans(run: Run) -> int:
    """Return how many processes of a run are left after half a minute; end them."""
    for _ in range(60):
        left = run.look()
        if not left:
            return 0
        time.sleep(0.5)
    for number in left:
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)
    return len(left)


def moved(lengths: np.ndarray, drawn: np.random.Generator) -> Iterator[list[int]]:
    """Yield permutations in which three items have moved."""
    for length in lengths.tolist():
        row = list(range(length))
        for place, target in drawn.integers(0, length, (3, 2)).tolist():
            row.insert(target, row.pop(place))
        yield row


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
    main(__doc__)
