#!/usr/bin/env python3
"""How wide, how right and how fast are intervals and tests from 4,096 sums of buckets?

    python -m papers.metrics.bucket_bootstrap
    WORDORDER_DATA=FOLDER python -m papers.metrics.bucket_bootstrap      # metrics of text too

Corpora are drawn with replacement from a population of segments, whose score is known: generated
orders, and with compare-mt-ted/ the translations of two systems. Asked: how wide intervals from
buckets are beside those of the full bootstrap, whether 95 % of them hold the population's score,
and how often paired tests claim a difference between systems that swap their outputs at random.
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.keeping import OUTPUT, keep
from wordorder.arrays import Float64, Int64
from wordorder.metrics.contract import BaseMetric
from wordorder.statistics.bucket_sums import BUCKETS, BucketSums
from wordorder.statistics.intervals import Estimate, confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import compare

ORDERS, POPULATION = ("frs", "kendall", "pet"), 50_000
TEXT = ("cder", "bleu", "ribes")
WIDTH_SIZES, WIDTH_CORPORA, PARTITIONS = (20_000, 100_000, 250_000), 5, 40
COVERAGE_SIZE, COVERAGE_CORPORA = 20_000, 1000
TIMED = 250_000


@dataclass(frozen=True)
class Population:
    """The statistics of two systems on the segments that corpora are drawn from.

    Attributes
    ----------
    metric : BaseMetric
    statistics : float64[2, P, k]
    """

    metric: BaseMetric
    statistics: Float64

    @property
    def values(self) -> Float64:
        """The systems' scores on all of it, float64[2]."""
        return self.metric.score(self.statistics.sum(axis=1))

    def full(self, rows: Int64, systems: Float64 | None = None) -> Measurement:
        """Return the rows of a corpus as they are."""
        drawn = self.statistics[:, rows] if systems is None else systems
        return Measurement(drawn, self.metric.score, self.metric.higher_is_better)

    def in_buckets(
        self, rows: Int64, seed: int, first_row: int = 0, systems: Float64 | None = None
    ) -> Measurement:
        """Return the sums of the buckets of a corpus."""
        drawn = self.statistics[:, rows] if systems is None else systems
        sums = []
        for statistics in drawn:
            buckets = BucketSums(statistics.shape[1], seed=seed)
            buckets.add(statistics, first_row)
            sums.append(buckets.totals())
        return Measurement(sums, self.metric.score, self.metric.higher_is_better)


def orders_population(names: Sequence[str]) -> list[Population]:
    """Generate references of 10 to 40 words whose systems move blocks and words."""
    generator = np.random.default_rng(1)
    systems: list[list[list[int]]] = [[], []]
    for length in generator.integers(10, 41, POPULATION).tolist():
        for rows, moves in zip(systems, (3.0, 2.97), strict=True):
            order = list(range(length))
            for _ in range(int(generator.poisson(moves))):
                first, size, to = (int(x) for x in generator.integers(0, length, 3))
                block = order[first : first + 1 + size // 5]
                rest = order[:first] + order[first + len(block) :]
                order = rest[:to] + block + rest[to:]
            rows.append(order)
    segments = [wo.Segments.from_permutations(rows) for rows in systems]
    return [populated(wo.metric(name), segments) for name in names]


def text_population(folder: Path, names: Sequence[str]) -> list[Population]:
    """Read the translations of two systems."""

    def lines(name: str) -> list[str]:
        with gzip.open(folder / f"ted.{name}.eng.gz", "rt", encoding="utf-8", newline="\n") as file:
            return file.read().split("\n")[:-1]

    reference = lines("ref")
    segments = [
        wo.Segments.from_text(lines(system), reference, tokenizer="none", aligner="exact")
        for system in ("sys1", "sys2")
    ]
    return [populated(wo.metric(name), segments) for name in names]


def populated(metric: BaseMetric, systems: Sequence[wo.Segments]) -> Population:
    """Return the statistics of systems."""
    return Population(metric, np.stack([metric.statistics(segments) for segments in systems]))


def drawn(size: int, population: Population, seed: int) -> Int64:
    """Draw a corpus: the numbers of its segments."""
    generator = np.random.default_rng([seed, size])
    return generator.integers(0, population.statistics.shape[1], size)


def width(estimate: Estimate) -> float:
    return estimate.high - estimate.low


def widths(population: Population) -> dict[str, Any]:
    """Compare the widths of intervals, over corpora and over partitions of one corpus."""
    found: dict[str, Any] = {}
    for size in WIDTH_SIZES:
        ratios = []
        for corpus in range(WIDTH_CORPORA):
            rows = drawn(size, population, corpus)
            measured = [population.full(rows), population.in_buckets(rows, seed=12345)]
            (full,), (buckets,) = (confidence_intervals([each]) for each in measured)
            ratios += [width(b) / width(f) for b, f in zip(buckets, full, strict=True)]
        found[str(size)] = {"mean": float(np.mean(ratios)), "deviation": float(np.std(ratios))}
    rows = drawn(WIDTH_SIZES[1], population, 0)
    # What the same resamples of other partitions say, and other resamples of all rows.
    (full,) = confidence_intervals([population.full(rows)])
    partitions = []
    for partition in range(PARTITIONS):
        sums = population.in_buckets(rows, seed=12345, first_row=partition << 32)
        ((first, _),) = confidence_intervals([sums])
        partitions.append(width(first) / width(full[0]))
    found["partitions"] = [float(min(partitions)), float(max(partitions))]
    others = []
    for seed in range(10):
        ((first, _),) = confidence_intervals([population.full(rows)], seed=seed)
        others.append(width(first) / width(full[0]))
    found["other resamples of all rows"] = [float(min(others)), float(max(others))]
    return found


def coverage(population: Population) -> dict[str, float]:
    """Return how often intervals hold the population's score, and tests claim a difference."""
    held = np.zeros(2)
    false_claims = agreeing = found_by_buckets = found_by_rows = 0
    for corpus in range(COVERAGE_CORPORA):
        rows = drawn(COVERAGE_SIZE, population, corpus)
        (estimates,) = confidence_intervals([population.in_buckets(rows, seed=corpus)])
        for system, estimate in enumerate(estimates):
            held[system] += estimate.low <= population.values[system] <= estimate.high
        swapped = np.random.default_rng([corpus, 7]).random(len(rows)) < 0.5
        first, second = population.statistics[:, rows]
        outputs = np.stack(
            [
                np.where(swapped[:, np.newaxis], second, first),
                np.where(swapped[:, np.newaxis], first, second),
            ]
        )
        (test,) = compare([population.in_buckets(rows, seed=corpus, systems=outputs)])
        false_claims += test.pair(0, 1).mark in ("+**", "-**")
        if corpus < COVERAGE_CORPORA // 10:
            # Fewer segments, where a real difference is not always found.
            some = rows[:5000]
            marks = [
                compare([each])[0].pair(0, 1).mark
                for each in (population.in_buckets(some, seed=corpus), population.full(some))
            ]
            agreeing += marks[0] == marks[1]
            found_by_buckets += marks[0].endswith("**")
            found_by_rows += marks[1].endswith("**")
    tests = COVERAGE_CORPORA // 10
    return {
        "coverage": float(held.sum() / (2 * COVERAGE_CORPORA)),
        "false claims at 95 %": false_claims / COVERAGE_CORPORA,
        "same mark": agreeing / tests,
        "difference found by buckets": found_by_buckets / tests,
        "difference found by rows": found_by_rows / tests,
    }


def seconds(work: Callable[[], object]) -> float:
    """Return the least CPU seconds of three runs."""
    taken = []
    for _ in range(3):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


def timed(population: Population) -> dict[str, float]:
    """Return CPU seconds of intervals for one system of 250,000 segments, once scored."""
    rows = drawn(TIMED, population, 0)
    statistics = population.statistics[:1, rows]

    def resampled(measurement: Measurement) -> object:
        return confidence_intervals([measurement])

    sums = population.in_buckets(rows, seed=1, systems=statistics)
    return {
        "full bootstrap": seconds(lambda: resampled(population.full(rows, statistics))),
        "sums of buckets": seconds(lambda: population.in_buckets(rows, seed=1, systems=statistics)),
        "bootstrap of buckets": seconds(lambda: resampled(sums)),
    }


def markdown(results: dict[str, Any]) -> str:
    """Write everything as a page."""
    sizes = [str(size) for size in WIDTH_SIZES]
    lines = [
        "# Intervals and tests from sums of buckets",
        "",
        f"{BUCKETS:,} buckets, 1,000 resamples, intervals at 95 %. Corpora are drawn with "
        f"replacement from {results['populations']}.",
        "",
        "## Width, beside the full bootstrap",
        "",
        f"Mean and deviation over {2 * WIDTH_CORPORA} corpora and systems; the range over "
        f"{PARTITIONS} partitions of one corpus of {WIDTH_SIZES[1]:,} segments, and for comparison "
        "over 10 seeds of the full bootstrap of that corpus. A prototype had .98 to 1.00, and .94 "
        "to 1.05 over partitions.",
        "",
        f"| metric | {' | '.join(f'{int(s):,}' for s in sizes)} | partitions | seeds, all rows |",
        f"|---|{'---:|' * (len(sizes) + 2)}",
    ]
    for name, found in results["metrics"].items():
        each = found["width"]
        cells = [f"{each[s]['mean']:.3f} ± {each[s]['deviation']:.3f}" for s in sizes]
        cells += [
            f"{each[key][0]:.2f}–{each[key][1]:.2f}"
            for key in ("partitions", "other resamples of all rows")
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        "",
        "## Coverage and tests",
        "",
        f"{COVERAGE_CORPORA:,} corpora of {COVERAGE_SIZE:,} segments, two systems. Coverage: how "
        "often the interval holds the score of the population; asked is .95, a prototype had .958 "
        "to .960. False claims: how often the paired bootstrap marks two systems `**` that are "
        f"equal, because each segment's outputs are swapped at random; asked is .05. On "
        f"{COVERAGE_CORPORA // 10} corpora of 5,000 segments, the two systems as they are: how "
        "often buckets and rows give the same mark, and how often each finds the difference.",
        "",
        "| metric | coverage | false claims | same mark | found by buckets | found by rows |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, found in results["metrics"].items():
        cells = [f"{value:.3f}" for value in found["tests"].values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        "",
        "## CPU seconds",
        "",
        f"Intervals of one system with {TIMED:,} segments, once their statistics are known. A "
        "prototype had 1.2 s for the full bootstrap and .03 s for buckets.",
        "",
        "| metric | full bootstrap | sums of buckets | bootstrap of buckets | times less |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, found in results["metrics"].items():
        full, sums, resampled = found["cpu"].values()
        times = full / (sums + resampled)
        lines.append(f"| {name} | {full:.2f} | {sums:.3f} | {resampled:.3f} | {times:.0f} |")
    return "\n".join([*lines, "", results["made"], ""])


def main() -> None:
    """Measure everything and keep it."""
    started = time.process_time()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--output", type=Path, default=OUTPUT)
    given = parser.parse_args()
    populations = orders_population(ORDERS)
    said = f"{POPULATION:,} generated orders"
    data = os.environ.get("WORDORDER_DATA")
    if data:
        texts = text_population(Path(data) / "compare-mt-ted", TEXT)
        said += f", or {texts[0].statistics.shape[1]:,} translations of TED talks"
        populations += texts
    metrics = {
        each.metric.name: {
            "width": widths(each),
            "tests": coverage(each),
            "cpu": timed(each),
        }
        for each in populations
    }
    results = {"buckets": BUCKETS, "populations": said, "metrics": metrics}
    keep(given.output, Path(__file__).stem, results, markdown, started)


if __name__ == "__main__":
    main()
