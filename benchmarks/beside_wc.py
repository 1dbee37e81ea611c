"""Whole processes beside `wc -w`, which only counts the words of the same files.

CPU seconds of user and system together and seconds by the clock, the fastest of several runs that
take turns, so that a busy machine is busy for all of them. A million orders of 25 words on average
and a million pairs of translations of 13 words, on one thread and on two.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import workload
from measuring import ProcessRun, Report, main, measure_process, wordorder_command

ROUNDS = 5
# Times the CPU seconds of `wc -w`, and times as fast on two threads as on one.
AT_MOST, AT_LEAST = 2.0, 1.7


def benchmark(report: Report) -> None:
    rows = 20_000 if report.quick else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reference, systems = workload.write_order_files(folder, rows, "near")
        beside(report, f"{rows:,} orders of 25 words", "frs,kendall", [reference, *systems])
        # 13 words on average.
        workload.SHORTEST, workload.LONGEST = 6, 20
        beside(
            report,
            f"{rows:,} pairs of 13 words",
            "cder,wer",
            workload.write_text_files(folder, rows),
        )


def beside(report: Report, what: str, metrics: str, files: Sequence[Path]) -> None:
    """Measure `score` on one thread and on two, and `wc -w` on the same files."""
    reference, system = files
    score = wordorder_command("score", reference, "-i", system, "-m", metrics, "--threads")
    commands: dict[str, list[str | Path]] = {
        "wc": ["wc", "-w", *files],
        "1": [*score, "1"],
        "2": [*score, "2"],
    }
    turns: dict[str, list[ProcessRun]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            turns[name].append(measure_process(command, 1))
    cpu = {name: min(run.least_cpu for run in runs) for name, runs in turns.items()}
    wall = {name: min(run.least_wall for run in runs) for name, runs in turns.items()}
    asked = not report.quick
    report.add(
        f"score -m {metrics}, {what}: over wc -w",
        cpu["1"] / cpu["wc"],
        "times the CPU-s",
        at_most=AT_MOST if asked else None,
        cpu_of_wc=cpu["wc"],
        cpu_of_one=cpu["1"],
        cpu_of_two=cpu["2"],
    )
    report.add(
        f"score -m {metrics}, {what}: two threads",
        wall["1"] / wall["2"],
        "times as fast as one",
        at_least=AT_LEAST if asked else None,
        wall_of_wc=wall["wc"],
        wall_of_one=wall["1"],
        wall_of_two=wall["2"],
    )
    for threads in "12":
        report.add(
            f"score -m {metrics}, {what}: peak memory, {threads} thread{'s' * (threads > '1')}",
            max(run.megabytes for run in turns[threads]),
            "MB",
        )


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
