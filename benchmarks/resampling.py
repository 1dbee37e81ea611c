"""Paired tests of two systems, after the statistics: 20,000 segments, 1,000 resamples.

The peers are sacreBLEU's paired bootstrap, where it is installed, with its statistics computed
beforehand too, and a loop that sums the chosen rows with numpy.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from measuring import Report, main, measure
from workload import permutations

import wordorder as wo
from wordorder.arrays import Float64
from wordorder.metrics.registry import metrics_for
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import approximate_randomization, paired_bootstrap

ASKED = 0.3


def benchmark(report: Report) -> None:
    size = 2_000 if report.quick else 20_000
    systems = [wo.Segments.from_permutations(permutations(size, "near", seed)) for seed in (2, 3)]
    frs = measured(wo.metric("frs"), systems)
    every = [measured(wo.metric(name), systems) for name in metrics_for({"permutation"})]
    peers = {"numpy loop": measure(lambda: numpy_bootstrap(frs), 3).least_cpu}
    if find_spec("sacrebleu") is not None:
        peers["sacreBLEU"] = sacrebleu_seconds(size)
    for threads in (1, 2):
        wo.set_threads(threads)
        timing = measure(lambda: paired_bootstrap([frs]))
        title = f"frs, 1,000 paired resamples, threads: {threads}"
        report.add_seconds(f"{title}", timing, at_most=ASKED, peers=peers)
        report.add(f"{title}, by the clock", timing.least_wall, "s", at_most=ASKED)
    wo.set_threads(1)
    report.add_seconds(
        f"all {len(every)} metrics at once, 1,000 paired resamples",
        measure(lambda: paired_bootstrap(every), 3),
    )
    report.add_seconds(
        "frs, 10,000 randomizations", measure(lambda: approximate_randomization([frs]), 3)
    )


def measured(metric: wo.Metric, systems: Sequence[wo.Segments]) -> Measurement:
    """Compute the statistics of all systems."""
    return Measurement([metric.statistics(s) for s in systems], metric.score)


def numpy_bootstrap(measurement: Measurement, resamples: int = 1000) -> Float64:
    """Sum the chosen rows, resample by resample."""
    generator = np.random.default_rng(1)
    size = measurement.segments
    differences = np.empty(resamples)
    for resample in range(resamples):
        chosen = generator.integers(0, size, size)
        first, second = measurement.score(measurement.statistics[:, chosen].sum(axis=1))
        differences[resample] = second - first
    return differences


def sacrebleu_seconds(size: int) -> float:
    """Measure sacreBLEU's paired bootstrap of two systems on as many sentences."""
    bleu: Any = importlib.import_module("sacrebleu.metrics").BLEU
    paired_test: Any = importlib.import_module("sacrebleu.significance").PairedTest

    class Computed(bleu):  # type: ignore[misc]
        """BLEU that remembers the statistics of texts which it has seen."""

        known: dict[int, Any] = {}

        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            if id(hypotheses) not in self.known:
                found = super()._extract_corpus_statistics(hypotheses, references)
                self.known[id(hypotheses)] = found
            return self.known[id(hypotheses)]

    target = [" ".join(f"w{i}" for i in range(len(row))) for row in permutations(size, "near")]
    systems = [
        (name, [" ".join(f"w{i}" for i in row) for row in permutations(size, "near", seed)])
        for name, seed in (("A", 2), ("B", 3))
    ]
    metric = Computed(tokenize="none")

    def test() -> None:
        paired_test(systems, {"BLEU": metric}, [target], test_type="bs")()

    return measure(test, 1).least_cpu


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
