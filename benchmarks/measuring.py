"""How the benchmarks measure, print and keep what they found."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from wordorder import __version__
from wordorder.kernels import compiled
from wordorder.kernels._run import set_threads

RESULTS = Path(__file__).parent / "results"
PEERS = (
    *("scipy", "rapidfuzz", "sacrebleu", "jiwer", "nltk", "PyStemmer", "compare-mt"),
    *("ufal.udpipe", "spacy", "conllu", "pyconll", "trueskill", "krippendorff", "kenlm"),
)

# Starts the command from a small process: the peak memory that the system reports of a child
# includes that of the process which started it.
_LAUNCHER = """
import json, os, subprocess, sys, time
begin = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
wall = time.perf_counter() - begin
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, wall,
                  used.ru_maxrss]))
"""


@dataclass(frozen=True)
class Timing:
    """The seconds of several runs of the same work.

    Attributes
    ----------
    cpu : sequence of float
        Of all threads together.
    wall : sequence of float
        By the clock.
    caller : sequence of float
        CPU seconds of the calling thread alone: what no other thread can take over.
    """

    cpu: Sequence[float]
    wall: Sequence[float]
    caller: Sequence[float] = ()

    @property
    def least_cpu(self) -> float:
        return min(self.cpu)

    @property
    def least_wall(self) -> float:
        return min(self.wall)


@dataclass(frozen=True)
class ProcessRun(Timing):
    """The seconds of several runs of a process, and its largest peak memory in megabytes."""

    megabytes: float = 0.0


def measure(work: Callable[[], object], runs: int = 5) -> Timing:
    """Run the work once to warm up, then `runs` times."""
    work()
    cpu, wall, caller = [], [], []
    for _ in range(runs):
        began = time.perf_counter()
        begin, begin_caller = time.process_time(), time.thread_time()
        work()
        caller.append(time.thread_time() - begin_caller)
        cpu.append(time.process_time() - begin)
        wall.append(time.perf_counter() - began)
    return Timing(cpu, wall, caller)


def measure_process(
    command: Sequence[str | Path], runs: int = 5, *, warm_up: bool = True
) -> ProcessRun:
    """Run a command `runs` times, after one to warm up if that is wanted; raise if it fails."""
    # Modules are compiled once, as they are where a package is installed, whatever a developer's
    # environment says.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    cpu, wall, kilobytes = [], [], []
    for _ in range(runs + warm_up):
        launched = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _LAUNCHER, *map(str, command)],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        status, seconds, elapsed, peak = json.loads(launched.stdout)
        if status != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: exit {status}\n{launched.stderr}")
        cpu.append(seconds)
        wall.append(elapsed)
        kilobytes.append(peak)
    return ProcessRun(cpu[warm_up:], wall[warm_up:], megabytes=max(kilobytes) / 1024)


def wordorder_command(*arguments: str | Path) -> list[str | Path]:
    """Return the command of a verb, of the installation that runs this script."""
    return [Path(sys.executable).with_name("wordorder"), *arguments]


@dataclass
class Report:
    """Collects figures, prints them as they come, and keeps them as JSON.

    Parameters
    ----------
    name : str
        Of the benchmark.
    quick : bool
        Whether sizes are small: such figures are for trying the script out.
    only : sequence of str
        The parts to run; all of them if there is none.
    sources : mapping of name to folder
        The source of peers that no registry has.
    data : Path
        The folder of data that the benchmark needs.
    """

    name: str
    quick: bool
    only: Sequence[str] = ()
    sources: Mapping[str, Path] = field(default_factory=dict)
    data: Path = Path()
    figures: list[dict[str, Any]] = field(default_factory=list)
    load: tuple[float, float, float] = field(default_factory=os.getloadavg)

    def add(
        self,
        name: str,
        value: float,
        unit: str,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        peers: Mapping[str, float] | None = None,
        **details: Any,
    ) -> None:
        """Add one figure.

        Parameters
        ----------
        name, value, unit
            What was measured. A unit that ends in ``/s`` is a rate: more is better.
        at_least, at_most : float, optional
            What is asked of it.
        peers : mapping of name to value, optional
            The same figure of other ways to do it, measured in the same run; kept with how many
            times better ours is.
        details
            Whatever else should be kept.
        """
        figure: dict[str, Any] = {"name": name, "value": rounded(value), "unit": unit}
        shown = f"{name:<66} {readable(value):>10} {unit}"
        for limit, bound, sign in (("at_least", at_least, ">="), ("at_most", at_most, "<=")):
            if bound is not None:
                met = value >= bound if limit == "at_least" else value <= bound
                figure["asked"] = {limit: bound}
                figure["met"] = met
                shown += f"  asked {sign} {readable(bound)}: {'met' if met else 'NOT MET'}"
        for peer, theirs in (peers or {}).items():
            ratio = value / theirs if unit.endswith("/s") else theirs / value
            kept = {"value": rounded(theirs), "times_better": rounded(ratio)}
            figure.setdefault("peers", {})[peer] = kept
            shown += f"\n    {peer}: {readable(theirs)} {unit}, {readable(ratio)} x"
        if details:
            figure["details"] = details
        self.figures.append(figure)
        print(shown, flush=True)

    def add_rate(
        self,
        name: str,
        items: int,
        timing: Timing,
        unit: str = "rows/s",
        *,
        at_least: float | None = None,
        peers: Mapping[str, float] | None = None,
        **details: Any,
    ) -> None:
        """Add a rate: items per CPU second, of the fastest run."""
        self.add(
            name,
            items / timing.least_cpu,
            unit,
            at_least=at_least,
            peers=peers,
            median=rounded(items / statistics.median(timing.cpu)),
            runs=len(timing.cpu),
            **details,
        )

    def add_seconds(
        self,
        name: str,
        timing: Timing,
        *,
        at_most: float | None = None,
        peers: Mapping[str, float] | None = None,
        **details: Any,
    ) -> None:
        """Add the CPU seconds of the fastest run, with those of the median and of the clock."""
        self.add(
            name,
            timing.least_cpu,
            "CPU-s",
            at_most=at_most,
            peers=peers,
            median=rounded(statistics.median(timing.cpu)),
            least_wall=rounded(timing.least_wall),
            runs=len(timing.cpu),
            **details,
        )

    def to_json(self) -> str:
        """Return everything as JSON."""
        versions = {"wordorder": __version__}
        for package in ("numpy", *PEERS):
            try:
                versions[package] = version(package)
            except PackageNotFoundError:
                continue
        found = {
            "benchmark": self.name,
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "quick": self.quick,
            "machine": {
                "processor": processor(),
                "cores": len(os.sched_getaffinity(0)),
                "system": platform.platform(),
                "python": platform.python_version(),
                "load_before": self.load,
                "load_after": os.getloadavg(),
            },
            "kernels": "compiled" if compiled() else "interpreted",
            "versions": versions,
            "figures": self.figures,
        }
        return json.dumps(found, indent=2) + "\n"


@dataclass(frozen=True)
class Benchmark:
    """A function that adds its figures to a report, and what is known of it.

    Attributes
    ----------
    work : callable
    script : str
        The file that has it.
    measures : tuple of str
        The folders and files of the package whose code it measures.
    regular : bool
        Whether `run_all.py` runs it; the others take long or need programs that few have.
    needs : str
        The folder of ``WORDORDER_DATA`` that it reads, if any.
    """

    work: Callable[[Report], None]
    script: str
    measures: tuple[str, ...]
    regular: bool
    needs: str


BENCHMARKS: dict[str, Benchmark] = {}
Work = TypeVar("Work", bound=Callable[[Report], None])


def benchmark(measures: str, *, regular: bool = True, needs: str = "") -> Callable[[Work], Work]:
    """Register a function as the benchmark of its name."""

    def register(work: Work) -> Work:
        script = Path(sys.modules[work.__module__].__file__ or "").name
        known = Benchmark(work, script, tuple(measures.split()), regular, needs)
        BENCHMARKS[work.__name__] = known
        return work

    return register


def main(description: str | None) -> None:
    """Read the options, run the benchmarks of a script that are named, and keep their figures.

    Figures of small sizes and those of a part alone are kept only where ``-o`` says so.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script out")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="for the figures")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="parts of one")
    parser.add_argument(
        "--source",
        nargs=2,
        action="append",
        default=[],
        metavar=("PEER", "FOLDER"),
        help="its source",
    )
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in BENCHMARKS]:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    sources = {peer: Path(folder) for peer, folder in options.source}
    for name in options.names or BENCHMARKS:
        found = BENCHMARKS[name]
        data = Path(os.environ.get("WORDORDER_DATA", "missing"), found.needs)
        if found.needs and not data.exists():
            print(f"{name}: WORDORDER_DATA names no folder with {found.needs}", file=sys.stderr)
            continue
        report = Report(name, options.quick, options.only, sources, data)
        if report.load[0] > 0.5:
            print(f"note: the machine is busy (load {report.load[0]:.1f})", file=sys.stderr)
        found.work(report)
        if options.output or not (options.quick or options.only):
            folder = options.output or RESULTS
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.json").write_text(report.to_json(), encoding="utf-8")
        set_threads(None)


def processor() -> str:
    """Return the name of the processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def rounded(value: float) -> float:
    """Round to four digits that count."""
    return float(f"{value:.4g}")


def readable(value: float) -> str:
    """Write a number for the eye."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
