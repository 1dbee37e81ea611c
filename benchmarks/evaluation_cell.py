"""One cell of a meta-evaluation: the systems of WMT13 German-English, scored by many metrics.

The 17 systems that people judged, 3,000 lines each: SenScore with twelve order metrics, CDER, WER,
PER and TER, the score of each segment, matching of words included. WORDORDER_DATA names a folder
with human/wmt13-rr-pairs/de-en/. CPU seconds of one thread, of user and system together.
"""

from __future__ import annotations

import gzip
import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from measuring import Report, main, measure, measure_process, wordorder_command

import wordorder as wo
from wordorder.errors import WordOrderWarning
from wordorder.scoring import score

# What is asked of the whole cell, in CPU seconds.
AT_MOST = 20.0
ORDERINGS = (
    *("hamming", "exact", "kendall", "kendall-sqrt", "spearman", "frs", "frs-boundary", "ulam"),
    *("pet", "pets", "maxop", "pef-recursive"),
)
METRICS = [*(f"senscore(ordering={name})" for name in ORDERINGS), "cder", "wer", "per", "ter"]


def benchmark(report: Report) -> None:
    if "WORDORDER_DATA" not in os.environ:
        print("WORDORDER_DATA is not set: nothing to measure on", file=sys.stderr)
        return
    folder = Path(os.environ["WORDORDER_DATA"], "human", "wmt13-rr-pairs", "de-en")
    reference, systems = folder / "reference.en.gz", judged(folder)
    wo.set_threads(1)
    # How many words have no match is known.
    warnings.simplefilter("ignore", WordOrderWarning)
    for tokenizer in ("13a", "none"):
        cell(report, reference, systems, tokenizer)


def cell(report: Report, reference: Path, systems: Mapping[str, Path], tokenizer: str) -> None:
    """Measure all systems at once, one after the other, and one alone; as a process too."""
    runs = 1 if report.quick else 5
    what = f"{len(systems)} systems, {len(METRICS)} metrics, tokenizer {tokenizer}"

    def scored(names: list[str]) -> dict[tuple[str, int], wo.types.Float64]:
        files = {name: systems[name] for name in names}
        found = score(
            reference,
            files,
            METRICS,
            segments=True,
            aligner="exact+stem",
            tokenizer=tokenizer,
            lowercase=True,
        )
        assert found.segments is not None
        return {(names[system], m): values for (system, m), values in found.segments.items()}

    names = list(systems)
    together = scored(names)
    for name in names:
        for (_, m), values in scored([name]).items():
            assert np.array_equal(values, together[name, m]), (name, METRICS[m])
    all_at_once = measure(lambda: scored(names), runs)
    one = measure(lambda: scored(names[:1]), runs)
    each = measure(lambda: [scored([name]) for name in names], 1)
    report.add_seconds(
        f"score(), {what}", all_at_once, at_most=AT_MOST, peers={"one by one": each.least_cpu}
    )
    report.add(
        f"score(), {what}: a system more",
        (all_at_once.least_cpu - one.least_cpu) / (len(systems) - 1),
        "CPU-s",
        with_one=one.least_cpu,
    )
    command = wordorder_command("score", reference, "--segments", "--format", "tsv", "--quiet")
    command += ["--threads", "1", "--aligner", "exact+stem", "--lowercase"]
    command += ["--tokenizer", tokenizer, "-m", ",".join(METRICS)]
    command += ["-i", *(f"{name}={path}" for name, path in systems.items())]
    process = measure_process(command, runs)
    report.add_seconds(
        f"wordorder score, {what}", process, at_most=AT_MOST, peak_megabytes=process.megabytes
    )


def judged(folder: Path) -> dict[str, Path]:
    """Return the outputs of the systems that were judged, by name."""
    with gzip.open(folder / "pairs.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        names = {name for line in lines for name in line.rstrip("\n").split("\t")[1:]}
    return {name: folder / "outputs" / f"{name}.en.gz" for name in sorted(names)}


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
