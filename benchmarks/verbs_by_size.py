"""Peak memory and seconds of the commands on texts of 10,000, 100,000 and 1,000,000 lines.

Each command is a process of its own, over lines of 10 to 40 words that are drawn here. Commands
that take minutes, or gigabytes, at a size are not run on it. From the two largest sizes of each
command follow the bytes per line more, and from the largest the seconds for a million lines.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from measuring import Report, main, measure_process, wordorder_command
from workload import write_text_files

SIZES = (10_000, 100_000, 1_000_000)
# The largest size of the commands that are not run on all.
LARGEST = {
    "analyze": 100_000,
    **dict.fromkeys(("align --load", "reference", "score of orders"), 100_000),
    **dict.fromkeys(("align", "tag en", "parse en", "reorder", "evaluate"), 10_000),
}


def benchmark(report: Report) -> None:
    sizes = SIZES[:1] if report.quick else SIZES
    measured: dict[str, list[tuple[int, float, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, output = folder / "model", folder / "output.align"
        trees, orders = folder / "trees.conllu", folder / "orders.orders"
        tagged = folder / "tagged.conllu"
        for size in sizes:
            reference, system = write_text_files(folder, size)
            score = "score", reference, "-i", system, "-m", "cder"
            segments = *score, "--segments"
            both = system, f"reference={reference}"
            page = "--html", folder / "page.html"
            # In this order: later ones read what earlier ones write.
            commands = {
                "score": score,
                "score --segments": segments,
                "score --segments --format tsv": (*segments, "--format", "tsv"),
                "score --segments --format json": (*segments, "--format", "json"),
                "score --confidence": (*score, "--confidence"),
                "compare": ("compare", reference, "-i", *both, "-m", "cder"),
                "align": ("align", system, reference, "--save", model, "-o", output),
                "align --load": ("align", system, reference, "--load", model, "-o", output),
                "reference": ("reference", output, "--source", system, "-o", orders),
                "score of orders": ("score", orders, "-i", orders, "-m", "frs"),
                "analyze": ("analyze", reference, "-i", *both, *page),
                "tag en": ("tag", "en", system, "-o", tagged),
                "parse en": ("parse", "en", system, "-o", trees),
                "reorder": ("reorder", trees, "--rules", "en-ja", "-o", folder / "reordered.txt"),
                "evaluate": ("evaluate", orders, "--trees", trees, "--rules", "en-ja"),
            }
            for verb, command in commands.items():
                if size > LARGEST.get(verb, size):
                    continue
                run = measure_process(wordorder_command(*command), runs=1, warm_up=False)
                report.add(
                    f"{verb}: peak memory at {size:,} lines",
                    run.megabytes,
                    "MB",
                    cpu=run.least_cpu,
                    wall=run.least_wall,
                )
                measured.setdefault(verb, []).append((size, run.megabytes, run.least_cpu))
    for verb, runs in measured.items():
        size, megabytes, seconds = runs[-1]
        before, fewer, _ = runs[-2] if len(runs) > 1 else (0, 0.0, 0.0)
        report.add(
            f"{verb}: bytes per line from {before:,} to {size:,} lines",
            max(megabytes - fewer, 0.0) * 2**20 / (size - before),
            "bytes",
        )
        report.add(f"{verb}: a million lines, by {size:,}", seconds / size * 10**6, "CPU-s")


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
