"""``wordorder score --engine``: CPU over that of the local loop, memory, kills, by engine.

Files of two million orders of 5 to 34 words, and of three and ten times as many. The CPU of a run
is that of all its processes, the driver's and the workers', which have a mark in their environment.
What services of Ray use while they stand by grows with the clock, not with the rows, and is kept
apart.
What a million rows more cost is the difference of two sizes: what starts an engine drops out.
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
from measuring import Report, main

MARK = "WORDORDER_BENCHMARK"
TICKS = os.sysconf("SC_CLK_TCK")
ENGINES = ("local", "dask", "ray", "spark")
# What is asked of the CPU of a million rows more, over that of the local loop.
ASKED = {"local": 1.15, "dask": 1.15, "ray": 1.15, "spark": 2.5}
# Dashboard, autoscaler, monitors and agents of Ray.
STANDING_BY = re.compile(
    r"site-packages/ray/(dashboard|autoscaler|_private)/|^ray::(Dashboard|RuntimeEnv)Agent"
)
RUNS = 3
WORKERS = 2


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
        # Open as long as the run is.
        self.said = tempfile.TemporaryFile()  # noqa: SIM115
        environment = {**os.environ, MARK: self.mark, "PYTHONWARNINGS": "ignore"}
        self.process = subprocess.Popen(
            self.command,
            stdout=subprocess.PIPE,
            stderr=self.said,
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
            self.said.seek(0)
            said = self.said.read()[-2000:].decode(errors="replace")
            raise RuntimeError(f"{' '.join(self.command)}: {self.process.returncode}\n{said}")
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

    @property
    def worker_megabytes(self) -> float:
        """The peak of the largest worker; the driver and the JVM are none."""
        return max((p.megabytes for n, p in self.seen.items() if self.is_worker(n)), default=0.0)

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


def benchmark(report: Report) -> None:
    million = 20_000 if report.quick else 1_000_000
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        few, many, most = (orders(folder, n * million) for n in (2, 6, 20))
        expected = Run(score(few, None)).answered()
        base = marginal(report, None, few, many, expected)
        engines = report.only or ENGINES
        for engine in engines:
            cost = marginal(report, engine, few, many, expected)
            report.add(
                f"{engine}: CPU of a million rows more, over the local loop",
                cost / base,
                "times",
                at_most=ASKED[engine],
                seconds=cost,
                local_loop=base,
            )
        for engine in engines:
            memory(report, engine, few, most)
        for engine in engines:
            worker_killed(report, engine, many)
            driver_killed(report, engine, many)


def marginal(report: Report, engine: str | None, few: Path, many: Path, expected: bytes) -> float:
    """Return the CPU seconds of a million rows more, the median of several runs."""
    rows = lines(many) - lines(few)
    found, standing_by = [], []
    for _ in range(RUNS):
        runs = [Run(score(path, engine)) for path in (few, many)]
        printed = [run.answered() for run in runs]
        assert printed[0] == expected, engine
        found.append((runs[1].seconds - runs[0].seconds) / rows * 1e6)
        standing_by.append((runs[1].standing_by - runs[0].standing_by) / rows * 1e6)
    name = engine or "the local loop"
    report.add(
        f"{name}: CPU of a million rows more",
        statistics.median(found),
        "s",
        runs=found,
        standing_by=standing_by,
    )
    return statistics.median(found)


def memory(report: Report, engine: str, few: Path, most: Path) -> None:
    """Report the peak of a worker over few rows and over ten times as many."""
    peaks = []
    for path in (few, most):
        run = Run(score(path, engine))
        run.answered()
        peaks.append(run.worker_megabytes)
    report.add(f"{engine}: peak of a worker", peaks[1], "MB", at_most=300, of_a_tenth=peaks[0])
    report.add(f"{engine}: peak over ten times the rows", peaks[1] / peaks[0], "times", at_most=1.1)


def worker_killed(report: Report, engine: str, path: Path) -> None:
    """Kill a worker at its work; the result must be the same."""
    expected = Run(score(path, None)).answered()
    run = Run(score(path, engine))
    run.start()
    run.until(lambda: any(run.is_worker(n) and p.seconds > 1 for n, p in run.seen.items()))
    os.kill(run.busiest_worker(), signal.SIGKILL)
    same = run.answer() == expected
    report.add(f"{engine}: a worker killed, the same result", int(same), "yes", at_least=1)


def driver_killed(report: Report, engine: str, path: Path) -> None:
    """Kill the driver in the middle, and start it again: what was done is not done once more."""
    expected = Run(score(path, None)).answered()
    with tempfile.TemporaryDirectory() as state:
        run = Run([*score(path, engine), "-O", f"state={state}"])
        run.start()
        run.until(lambda: len(list(Path(state).glob("*.json"))) >= 8, 0.02)
        run.process.kill()
        run.process.wait()
        kept = {each.name: each.stat().st_mtime_ns for each in Path(state).glob("*.json")}
        left = orphans(run)
        run = Run([*score(path, engine), "-O", f"state={state}"])
        same = run.answered() == expected
        after = {each.name: each.stat().st_mtime_ns for each in Path(state).glob("*.json")}
    again = sum(after[name] != written for name, written in kept.items())
    report.add(
        f"{engine}: the driver killed and started again",
        int(same),
        "yes",
        at_least=1,
        kept=len(kept),
        spans=len(after),
    )
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


def score(path: Path, engine: str | None) -> list[str]:
    """Return the command: on one thread without an engine, with two workers on one."""
    threads = str(1 if engine is None else WORKERS)
    system = path.with_name(path.name.replace("reference", "system"))
    command = [sys.executable, "-m", "wordorder", "score", str(path), "-i", str(system)]
    engines = [] if engine is None else ["--engine", engine]
    return [*command, *engines, "--threads", threads, "-q"]


def orders(folder: Path, rows: int) -> Path:
    """Write reference orders and those of a system: a block of rows again and again."""
    drawn = np.random.default_rng(12345)
    lengths = drawn.integers(5, 35, min(rows, 100_000))
    for name in ("reference", "system"):
        block = "".join(" ".join(map(str, row)) + "\n" for row in moved(lengths, drawn)).encode()
        with (folder / f"{name}-{rows}.orders").open("wb") as stream:
            for _ in range(rows // len(lengths)):
                stream.write(block)
    return folder / f"reference-{rows}.orders"


def moved(lengths: np.ndarray, drawn: np.random.Generator) -> Iterator[list[int]]:
    """Yield permutations in which three items have moved."""
    for length in lengths.tolist():
        row = list(range(length))
        for place, target in drawn.integers(0, length, (3, 2)).tolist():
            row.insert(target, row.pop(place))
        yield row


def lines(path: Path) -> int:
    return int(path.stem.rsplit("-", 1)[1])


if __name__ == "__main__":
    main(__file__, __doc__ or "", benchmark, ENGINES)
