"""Whole processes: how long `wordorder score` takes and how much memory, and how soon it starts.

CPU seconds of user and system together, fastest and median run; two files of orders of 10 to 40
words. The peers read the same files in the same way that short scripts do.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measuring import ProcessRun, Report, main, measure_process, wordorder_command
from workload import KINDS, write_order_files

# What a script without this package does: plain Python, its tau by counting pairs with numpy.
_SCRIPT = """
import sys
import numpy as np
frs = tau = lines = 0
with open(sys.argv[1]) as reference, open(sys.argv[2]) as system:
    for target, ours in zip(reference, system):
        place = {word: i for i, word in enumerate(target.split())}
        row = [place[word] for word in ours.split()]
        n = len(row)
        frs += sum(b == a + 1 for a, b in zip(row, row[1:])) / (n - 1)
        values = np.array(row)
        wrong = np.count_nonzero(np.triu(values[:, None] > values[None, :], 1))
        tau += 1 - wrong / (n * (n - 1) / 2)
        lines += 1
print(frs / lines, tau / lines)
"""


def benchmark(report: Report) -> None:
    start_up(report)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        score_two_files(report, folder)
        growth(report, folder)
        memory(report, folder)


def start_up(report: Report) -> None:
    """Measure what comes before any work."""
    bare = measure_process([sys.executable, "-c", "pass"])
    numpy = measure_process([sys.executable, "-c", "import numpy"])
    report.add_seconds(
        "import wordorder",
        measure_process([sys.executable, "-c", "import wordorder"]),
        at_most=0.15,
        peers={"python -c pass": bare.least_cpu, "import numpy": numpy.least_cpu},
    )
    report.add_seconds(
        "wordorder --help", measure_process(wordorder_command("--help")), at_most=0.1
    )
    report.add_seconds(
        "import wordorder and every public name",
        measure_process([sys.executable, "-c", "from wordorder import *"]),
    )


def score(folder: Path, rows: int, kind: str, *options: str, runs: int = 5) -> ProcessRun:
    """Measure `wordorder score` on files of so many rows, which are made if they are missing."""
    reference = folder / f"reference-{rows}-{kind}.orders"
    system = folder / f"A-{rows}-{kind}.orders"
    if not system.exists():
        write_order_files(folder, rows, kind)
    return measure_process(
        wordorder_command("score", reference, "-i", system, *(options or ("-m", "frs,kendall"))),
        runs,
    )


def score_two_files(report: Report, folder: Path) -> None:
    """Measure frs and kendall of two files, and all metrics."""
    rows = 2_000 if report.quick else 20_000
    for kind in KINDS:
        ours = score(folder, rows, kind)
        files = [folder / f"{name}-{rows}-{kind}.orders" for name in ("reference", "A")]
        script = measure_process([sys.executable, "-c", _SCRIPT, *files], 3)
        report.add_seconds(
            f"score -m frs,kendall, {rows:,} lines, {kind}",
            ours,
            at_most=0.35,
            peers={"script with numpy": script.least_cpu},
        )
        report.add_seconds(
            f"score -m all, {rows:,} lines, {kind}", score(folder, rows, kind, "-m", "all")
        )


def growth(report: Report, folder: Path) -> None:
    """Measure ten times the lines, and one and two threads."""
    rows = 20_000 if report.quick else 100_000
    runs = 3
    for metrics in ("frs,kendall", "all"):
        options = ("-m", metrics, "--threads")
        few = score(folder, rows, "near", *options, "1", runs=runs)
        many = score(folder, 10 * rows, "near", *options, "1", runs=runs)
        report.add(
            f"score -m {metrics}: {10 * rows:,} lines over {rows:,}",
            many.least_cpu / few.least_cpu,
            "times the CPU-s",
            at_most=10.5,
            few=few.least_cpu,
            many=many.least_cpu,
        )
        two = score(folder, 10 * rows, "near", *options, "2", runs=runs)
        report.add(
            f"score -m {metrics}: two threads, {10 * rows:,} lines",
            many.least_wall / two.least_wall,
            "times as fast as one",
            at_least=1.7,
            one=many.least_wall,
            two=two.least_wall,
            cpu_of_one=many.least_cpu,
            cpu_of_two=two.least_cpu,
        )


def memory(report: Report, folder: Path) -> None:
    """Measure the peak memory, which must not grow with the lines."""
    sizes = (10_000, 100_000) if report.quick else (100_000, 1_000_000, 4_000_000)
    for metrics in ("frs,kendall", "all"):
        peaks = [
            score(folder, rows, "near", "-m", metrics, "--threads", "1", runs=1).megabytes
            for rows in sizes
        ]
        for rows, peak in zip(sizes, peaks, strict=True):
            # One block is in memory at a time; the smallest file may be less than one.
            report.add(
                f"score -m {metrics}: peak memory, {rows:,} lines",
                peak,
                "MB",
                at_most=None if report.quick else 1.2 * peaks[0],
            )


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
