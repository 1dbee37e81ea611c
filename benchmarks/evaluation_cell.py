"""One cell of a meta-evaluation: the systems of WMT13 German-English, scored by many metrics.

The 17 systems that people judged, 3,000 lines each: SenScore with twelve order metrics, CDER, WER,
PER and TER, the score of each segment, matching of words included; then with F1, BLEU and chrF too.
Last, LRscore by one bilingual aligner that is trained on the source with all translations.
WORDORDER_DATA names a folder with human/wmt13-rr-pairs/de-en/. CPU seconds of one thread, of user
and system together.
"""

from __future__ import annotations

import gzip
import os
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Report, main, measure, measure_process, wordorder_command

import wordorder as wo
from wordorder.arrays import Float64
from wordorder.messages import WordOrderWarning
from wordorder.scoring.scores import score_files as score

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
    files = Cell(folder / "source.de.gz", folder / "reference.en.gz", judged(folder))
    wo.set_threads(1)
    # How many words have no match is known.
    warnings.simplefilter("ignore", WordOrderWarning)
    runs = 1 if report.quick else 5
    together(report, files, METRICS, runs)
    together(report, files, [*METRICS, "f1", "bleu", "chrf"], runs)
    linked(report, files, "ibm1" if report.quick else "agreement")


@dataclass(frozen=True)
class Cell:
    """The files of a language pair."""

    source: Path
    reference: Path
    systems: Mapping[str, Path]

    def scores(
        self, names: Sequence[str], metrics: Sequence[str], **options: Any
    ) -> dict[str, list[Float64]]:
        """Return the scores of the segments of some systems, one array a metric."""
        systems = {name: self.systems[name] for name in names}
        how: dict[str, Any] = {"aligner": "exact+stem", "tokenizer": "13a", "lowercase": True}
        scores = score(systems, self.reference, metrics, segments=True, **how | options)
        assert scores.segments is not None
        return {
            name: [scores.segments[system, m] for m in range(len(metrics))]
            for system, name in enumerate(names)
        }


def together(report: Report, cell: Cell, metrics: Sequence[str], runs: int) -> None:
    """Measure all systems at once beside one after the other, one more, and a process."""
    names = list(cell.systems)
    what = f"{len(names)} systems, {len(metrics)} metrics"
    by_name = cell.scores(names, metrics)
    for name in names:
        (alone,) = cell.scores([name], metrics).values()
        for metric, ours, other in zip(metrics, alone, by_name[name], strict=True):
            assert np.array_equal(ours, other), (name, metric)
    all_at_once = measure(lambda: cell.scores(names, metrics), runs)
    one = measure(lambda: cell.scores(names[:1], metrics), runs)
    each = measure(lambda: [cell.scores([name], metrics) for name in names], 1)
    report.add_seconds(
        f"score(), {what}", all_at_once, at_most=AT_MOST, peers={"one by one": each.least_cpu}
    )
    report.add(
        f"score(), {what}: each further system",
        (all_at_once.least_cpu - one.least_cpu) / (len(names) - 1),
        "CPU-s",
        with_one=one.least_cpu,
    )
    command = wordorder_command("score", cell.reference, "--segments", "--format", "tsv")
    command += ["--threads", "1", "--aligner", "exact+stem", "--lowercase", "--tokenizer", "13a"]
    command += ["-m", ",".join(metrics), "--quiet"]
    command += ["-i", *(f"{name}={path}" for name, path in cell.systems.items())]
    process = measure_process(command, runs)
    report.add_seconds(
        f"wordorder score --segments, {what}",
        process,
        at_most=AT_MOST,
        peak_megabytes=process.megabytes,
    )


def linked(report: Report, cell: Cell, aligner: str) -> None:
    """Measure LRscore with links of one model that is trained on all of the cell."""
    names = list(cell.systems)
    options = {"source": cell.source, "aligner": aligner}
    begin = time.process_time()
    cell.scores(names, ["lr-kb4"], **options)
    report.add(
        f"score() --aligner {aligner}, {len(names)} systems, lr-kb4: training and scoring",
        time.process_time() - begin,
        "CPU-s",
    )


def judged(folder: Path) -> dict[str, Path]:
    """Return the outputs of the systems that were judged, by name."""
    with gzip.open(folder / "pairs.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        names = {name for line in lines for name in line.rstrip("\n").split("\t")[1:]}
    return {name: folder / "outputs" / f"{name}.en.gz" for name in sorted(names)}


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
