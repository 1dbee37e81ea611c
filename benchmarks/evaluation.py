"""`wordorder evaluate`: five parsers times six rule sets on a test set, whole processes.

WORDORDER_DATA names a folder with ud-pud/; without it, the trees of the sample are repeated. The
parsers are the same trees with the labels of some words exchanged; the reference orders are those
of a rule set, from alignments in which every fifth word has no link.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
from measuring import Report, main, measure_process, wordorder_command

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import write_alignments
from wordorder.order.reading import write_orders
from wordorder.order.reference import reference_orders
from wordorder.reordering.rules import open_rules
from wordorder.samples import sample_path
from wordorder.treebank.reading import read_treebank, write_treebank
from wordorder.treebank.treebank import Treebank

PARSERS = 5
SENTENCES = 1_000
SETS = ("R1", "R2", "R3", "R4", "R5", "head-final")


def benchmark(report: Report) -> None:
    runs = 1 if report.quick else 5
    bank = trees()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = np.arange(100 if report.quick else SENTENCES) % len(bank)
        whole = write(folder / "whole", bank.take(rows))
        start = write(folder / "start", bank[:1])
        begun = measure_process(evaluate(start, start / "reference.orders"), runs)
        report.add_seconds("start-up: the same of one sentence", begun)
        done = measure_process(evaluate(whole, whole / "reference.orders"), runs)
        report.add_seconds(
            "5 parsers x 6 rule sets, whole process",
            done,
            sentences=len(rows),
            words=bank.take(rows).words,
            peak_megabytes=done.megabytes,
        )
        report.add(
            "5 parsers x 6 rule sets, after start-up",
            done.least_cpu - begun.least_cpu,
            "CPU-s",
            at_most=1.0,
            wall=done.least_wall - begun.least_wall,
        )
        varied = evaluate(whole, whole / "links.align", "--sensitivity")
        report.add_seconds(
            "5 parsers x 6 rule sets, --sensitivity, whole process",
            measure_process(varied, runs),
        )
        exact = evaluate(whole, whole / "reference.orders", "--test", "randomization")
        report.add_seconds(
            "5 parsers x 6 rule sets, --test randomization, whole process",
            measure_process(exact, runs),
        )


def evaluate(folder: Path, reference: Path, *options: str) -> list[str | Path]:
    """Return the command for the trees of a folder, with intervals and tests for three metrics."""
    trees_files = sorted(folder.glob("*.conllu"))
    return wordorder_command(
        "evaluate",
        reference,
        "--trees",
        *trees_files,
        "--rules",
        *SETS,
        *options,
        "--threads",
        "1",
    )


def write(folder: Path, bank: Treebank) -> Path:
    """Write trees, reference orders and alignments."""
    folder.mkdir()
    draw = np.random.default_rng(1)
    for number in range(PARSERS):
        changed = np.arange(bank.words)
        some = np.flatnonzero(draw.random(bank.words) < 0.05 * number)
        changed[some] = draw.permutation(some)
        write_treebank(
            folder / f"P{number + 1}.conllu", bank.replace(label=bank.label.take(changed))
        )
    orders = open_rules("R5").orders(bank).positions
    linked = [
        [(word, place) for place, word in enumerate(row.tolist()) if draw.random() < 0.8]
        for row in orders
    ]
    links = Alignments.from_rows(linked)
    write_alignments(links, folder / "links.align")
    write_orders(reference_orders(links, bank.lengths), folder / "reference.orders")
    return folder


def trees() -> Treebank:
    """Return the trees of PUD English, or of the sample."""
    data = os.environ.get("WORDORDER_DATA")
    if data is None:
        return read_treebank(sample_path("trees.conllu"))
    return read_treebank(Path(data, "ud-pud", "en_pud-ud-test.conllu.gz"))


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
