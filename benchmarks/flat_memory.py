"""Peak memory of `score --confidence` and `compare` over 1, 2 and 5 million orders.

Beside `score` without intervals on the same files, and beside intervals from all rows, which is
what up to 100,000 segments get: there the rows are held in memory by a script of its own.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measuring import Report, main, measure_process, wordorder_command
from workload import write_order_files

# A process that holds the statistics of all rows and resamples them.
ALL_ROWS = """
import sys
import wordorder as wo
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.measurement import Measurement
metrics = [wo.metric(name) for name in ("frs", "kendall")]
segments = wo.Segments.from_orders(sys.argv[2], sys.argv[1])
rows = [metric.statistics(segments) for metric in metrics]
found = confidence_intervals([Measurement([r], m.score) for r, m in zip(rows, metrics)])
print([[(each.low, each.high) for each in one] for one in found])
"""


def benchmark(report: Report) -> None:
    sizes = (120_000, 240_000) if report.quick else (1_000_000, 2_000_000, 5_000_000)
    peaks: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            reference, systems = write_order_files(Path(folder), size, "near", systems=2)
            one = ("score", reference, "-i", systems[0])
            runs = {
                "score": wordorder_command(*one),
                "score --confidence": wordorder_command(*one, "--confidence"),
                "compare, two systems": wordorder_command("compare", reference, "-i", *systems),
            }
            if size == sizes[0]:
                runs["all rows in memory"] = [sys.executable, "-c", ALL_ROWS, reference, systems[0]]
            for name, command in runs.items():
                found = measure_process(command, runs=2)
                peaks.setdefault(name, []).append(found.megabytes)
                report.add(
                    f"{name}: peak memory at {size:,} rows",
                    found.megabytes,
                    "MB",
                    cpu=found.least_cpu,
                )
            for path in (reference, *systems):
                path.unlink()
    for name in ("score --confidence", "compare, two systems"):
        report.add(
            f"{name}: peak at {sizes[-1]:,} rows over that at {sizes[0]:,}",
            peaks[name][-1] / peaks[name][0],
            "times the MB",
            at_most=1.1,
        )
    report.add(
        f"score --confidence over score at {sizes[-1]:,} rows",
        peaks["score --confidence"][-1] - peaks["score"][-1],
        "MB more",
    )


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
