"""Peak memory and time of verbs on texts of 10,000, 100,000 and 1,000,000 lines.

Each verb is a process of its own. `analyze` and `align` without a saved model hold their texts in
memory: their largest size is the one that this machine has room for.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from measuring import Report, main, measure_process, wordorder_command
from workload import write_text_files

SIZES = (10_000, 100_000, 1_000_000)
# The largest size of verbs that are not run on all.
LARGEST = {"analyze": 100_000, "align": 100_000}


def benchmark(report: Report) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, output = folder / "model", folder / "output"
        for size in SIZES[:1] if report.quick else SIZES:
            reference, system = write_text_files(folder, size)
            score = "score", reference, "-i", system, "-m", "cder"
            commands = {
                "score": score,
                "score --segments": (*score, "--segments"),
                "score --confidence": (*score, "--confidence"),
                "compare": ("compare", reference, "-i", system, reference, "-m", "cder"),
                "align": ("align", system, reference, "--save", model, "-o", output),
                "align --load": ("align", system, reference, "--load", model, "-o", output),
                "analyze": ("analyze", reference, "-i", system, "--html", folder / "page.html"),
            }
            for verb, command in commands.items():
                if size > LARGEST.get(verb, size):
                    continue
                run = measure_process(wordorder_command(*command), runs=1)
                report.add(
                    f"{verb}: peak memory at {size:,} lines",
                    run.megabytes,
                    "MB",
                    cpu=run.least_cpu,
                    wall=run.least_wall,
                )


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
