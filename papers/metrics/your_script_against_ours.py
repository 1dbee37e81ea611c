#!/usr/bin/env python3
"""Score one corpus under every public definition of the same two words.

The corpus: 2,445 Slovak sentences aligned with English, `ted.orig.slk.gz` and `ted.ref.align.gz`
of compare-mt's example data. What is scored is the order in which the sentences stand, as if a
system had left them alone; for definitions that compare two translations, the alignments of
`ted.sys1` too. Writes a table: definition, figure, what it counts, how it is had here.

    python -m papers.metrics.your_script_against_ours FOLDER
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import scipy.stats

import wordorder as wo
from wordorder.metrics.compat import PRESETS, evaluate_compat

OUTPUT = Path(__file__).resolve().parent / "your_script_against_ours.tsv"
Targets = dict[int, list[int]]


@dataclass(frozen=True)
class Line:
    """A line of the table."""

    definition: str
    figure: str
    value: float
    scored: int
    how: str


def lines_of(path: Path) -> list[list[str]]:
    """Return the tokens of each line of a compressed text."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        return [line.split() for line in stream]


def by_metrics(links: wo.Alignments, lengths: list[int]) -> Iterator[Line]:
    """Score the sentences as they stand with this package's metrics and rules."""
    standing = wo.Orders.from_rows([np.arange(length) for length in lengths])
    for rule, unaligned, text in (
        ("talbot", "next", "all words, unaligned ones before the next"),
        ("lrscore", "previous", "all words, unaligned ones behind the previous"),
        ("talbot", "drop", "aligned words"),
    ):
        reference = wo.reference_orders(links, lengths, rule=rule, unaligned=unaligned)
        segments = wo.Segments.from_orders(standing, reference)
        for name, average in (
            ("frs", "segment"),
            ("frs", "micro"),
            ("frs-boundary", "segment"),
            ("kendall", "segment"),
            ("kendall-sqrt", "segment"),
        ):
            score = wo.metric(name, average=average).corpus_score(segments)
            pooled = ", pooled" if average == "micro" else ""
            how = f"reference --rule {rule} -O unaligned={unaligned}; score -m {name}"
            how += " -O average=micro" if pooled else ""
            yield Line(text + pooled, name, score.value, score.segments - score.skipped, how)


def by_presets(links: wo.Alignments, source: list[list[str]]) -> Iterator[Line]:
    """Score the sentences as they stand under every preset."""
    for preset, description in PRESETS.items():
        for label, score in evaluate_compat(preset, None, links, source).items():
            scored = score.segments - score.skipped
            how = f"evaluate_compat({preset!r}, ...)"
            yield Line(description.tool, label, score.value, scored, how)


def by_two_alignments(
    links: wo.Alignments, folder: Path, source: list[list[str]], system: str
) -> Iterator[Line]:
    """Compare a system's translation with the reference as Moses does."""
    lengths = [
        [len(words) for words in lines_of(folder / f"ted.{name}.eng.gz")]
        for name in (system, "ref")
    ]
    found = evaluate_compat(
        "moses",
        wo.read_alignments(folder / f"ted.{system}.align.gz"),
        links,
        source,
        system_lengths=lengths[0],
        reference_lengths=lengths[1],
    )
    for label, score in found.items():
        text = f"{PRESETS['moses'].tool}: {system} against the reference, with brevity"
        yield Line(text, label, score.value, score.segments, "evaluate_compat('moses', ...)")


def by_hand(rows: list[Targets]) -> Iterator[Line]:
    """Score by definitions that are met in scripts and that no rule here stands for."""
    first = [[min(row[word]) for word in sorted(row)] for row in rows]
    yield Line(
        "first target positions not renumbered: an unlinked target word breaks a pair",
        "fuzzy, both ends",
        statistics.mean(map(unbroken_positions, first)),
        len(first),
        "not a permutation: none",
    )
    means = [[statistics.fmean(row[word]) for word in sorted(row)] for row in rows]
    score = mean_position_score(means)
    yield Line(
        "aligned words by the mean of their target positions, equal means tie",
        "frs",
        score.value,
        score.segments,
        "Segments.from_orders with own orders; score -m frs -O ties=rank",
    )
    yield from scipy_taus(rows, first)


def unbroken_positions(positions: list[int]) -> float:
    """Return the share of neighbours whose target positions follow each other."""
    ends = [-1, *positions, max(positions, default=-1) + 1]
    return sum(b - a == 1 for a, b in pairwise(ends)) / (len(ends) - 1)


def mean_position_score(means: list[list[float]]) -> wo.Score:
    """Score the aligned words as they stand against their order by mean target position."""
    orders = []
    for row in means:
        groups: list[list[int]] = [[] for _ in set(row)]
        rank = {mean: number for number, mean in enumerate(sorted(set(row)))}
        for word, mean in enumerate(row):
            groups[rank[mean]].append(word)
        orders.append(groups)
    standing = [list(range(len(row))) for row in means]
    segments = wo.Segments.from_orders(standing, wo.Orders.from_rows(orders))
    score: wo.Score = wo.metric("frs", ties="rank").corpus_score(segments)
    return score


def scipy_taus(rows: list[Targets], first: list[list[int]]) -> Iterator[Line]:
    """Score by scipy's tau, from the source's side and from the target's."""
    inverted = []
    for row in rows:
        sources: Targets = {}
        for word, targets in row.items():
            for target in targets:
                sources.setdefault(target, []).append(word)
        inverted.append([min(sources[target]) for target in sorted(sources)])
    for text, sequences in (
        ("first target position of each aligned source word", first),
        ("first source position of each aligned target word", inverted),
    ):
        taus = [tau(sequence) for sequence in sequences]
        defined = [value for value in taus if not np.isnan(value)]
        yield Line(
            f"scipy's kendalltau, {text}; from -1 to 1; without NaN",
            "tau",
            statistics.mean(defined),
            len(defined),
            "none",
        )
        yield Line(f"the same with NaN, {text}", "tau", statistics.mean(taus), len(taus), "none")


def tau(sequence: list[int]) -> float:
    """Return scipy's tau of a sequence against its own order of writing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(scipy.stats.kendalltau(range(len(sequence)), sequence)[0])


def main() -> None:
    """Read the corpus, score it, write the table."""
    parser = argparse.ArgumentParser(description="Score one corpus under every definition.")
    parser.add_argument("folder", type=Path, help="with ted.orig.slk.gz and ted.ref.align.gz")
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT)
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    links = wo.read_alignments(folder / "ted.ref.align.gz")
    source = lines_of(folder / "ted.orig.slk.gz")
    rows: list[Targets] = []
    for alignment in links:
        rows.append({})
        for word, target in alignment.links:
            rows[-1].setdefault(word, []).append(target)
    table = [
        *by_metrics(links, [len(words) for words in source]),
        *by_presets(links, source),
        *by_two_alignments(links, folder, source, "sys1"),
        *by_two_alignments(links, folder, source, "sys2"),
        *by_hand(rows),
    ]
    text = ["definition\tfigure\tvalue\tscored\thow"]
    text += [f"{x.definition}\t{x.figure}\t{x.value:.4f}\t{x.scored}\t{x.how}" for x in table]
    arguments.output.parent.mkdir(exist_ok=True)
    arguments.output.write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))


if __name__ == "__main__":
    main()
