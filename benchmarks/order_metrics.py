"""Rates of the order metrics on one core, beside other ways to compute the same numbers.

20,000 permutations of 10 to 40 items, nearly monotone and uniformly random; rows per CPU second.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from measuring import Report, main, measure
from rapidfuzz.distance import LCSseq
from scipy.stats import kendalltau, spearmanr
from workload import KINDS, permutations

import wordorder as wo
from wordorder.metrics.registry import metrics_for

Row = npt.NDArray[np.int32]

ASKED = {"kendall": 1_500_000}
ASKED_OF_ALL = 300_000


def kendall_scipy(row: Row) -> float:
    return (float(kendalltau(np.arange(len(row)), row).statistic) + 1) / 2


def kendall_numpy(row: Row) -> float:
    pairs = len(row) * (len(row) - 1) / 2
    discordant = int(np.count_nonzero(np.triu(row[:, None] > row[None, :], 1)))
    return 1 - discordant / pairs


def frs_python(row: Row) -> float:
    values: list[int] = row.tolist()
    return sum(b == a + 1 for a, b in pairwise(values)) / (len(values) - 1)


def spearman_scipy(row: Row) -> float:
    return (float(spearmanr(np.arange(len(row)), row).statistic) + 1) / 2


def hamming_numpy(row: Row) -> float:
    return float(np.mean(row == np.arange(len(row))))


def ulam_rapidfuzz(row: Row) -> float:
    values: list[int] = row.tolist()
    common: int = LCSseq.similarity(values, range(len(values)))
    return (common - 1) / (len(values) - 1)


# The function, and the share of the rows that it gets: some are too slow for all of them.
PEERS: dict[str, dict[str, tuple[Callable[[Row], float], int]]] = {
    "frs": {"plain Python": (frs_python, 2)},
    "kendall": {"scipy.stats.kendalltau": (kendall_scipy, 20), "numpy": (kendall_numpy, 2)},
    "spearman": {"scipy.stats.spearmanr": (spearman_scipy, 20)},
    "hamming": {"numpy": (hamming_numpy, 2)},
    "ulam": {"rapidfuzz LCSseq": (ulam_rapidfuzz, 1)},
}


def benchmark(report: Report) -> None:
    size = 2_000 if report.quick else 20_000
    wo.set_threads(1)
    for kind in KINDS:
        rows = permutations(size, kind)
        report.add_rate(
            f"check permutations and make segments, {kind}",
            size,
            measure(lambda rows=rows: wo.Segments.from_permutations(rows)),  # type: ignore[misc]
        )
        one_by_one(report, rows, kind)
        every = [wo.metric(name) for name in metrics_for({"permutation"})]
        timing = measure(lambda rows=rows, every=every: score_all(rows, every))  # type: ignore[misc]
        report.add_rate(
            f"all {len(every)} metrics with making the segments, {kind}",
            size,
            timing,
            at_least=ASKED_OF_ALL,
        )


def one_by_one(report: Report, rows: wo.Ragged, kind: str) -> None:
    """Measure each metric on new segments, so that none finds what another has computed."""
    segments = wo.Segments.from_permutations(rows)
    for name in metrics_for({"permutation"}):
        metric = wo.metric(name)
        peers = {}
        for peer, (function, part) in PEERS.get(name, {}).items():
            sample = list(rows[: len(rows) // part])
            ours = metric.segment_scores(segments)[: len(sample)]
            if not np.allclose(ours, [function(row) for row in sample]):
                raise RuntimeError(f"{name}: {peer} finds other numbers")
            timing = measure(lambda f=function, s=sample: [f(row) for row in s], 3)  # type: ignore[misc]
            peers[peer] = len(sample) / timing.least_cpu
        report.add_rate(
            f"{name}, {kind}",
            len(rows),
            measure(lambda metric=metric: metric.segment_scores(segments[:])),  # type: ignore[misc]
            at_least=ASKED.get(name),
            peers=peers,
        )


def score_all(rows: wo.Ragged, metrics: list[wo.Metric]) -> None:
    """Make segments and score each of them under all metrics."""
    segments = wo.Segments.from_permutations(rows)
    for metric in metrics:
        metric.score(metric.statistics(segments))


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
