"""How the time grows with the rows, and what a second thread brings.

The API on permutations of 10 to 40 items: segments from permutations, and the scores of each.
"""

from __future__ import annotations

from measuring import Report, Timing, main, measure, rounded
from workload import BLOCK, permutations, tiled

import wordorder as wo
from wordorder.metrics import METRICS

SETS = {"frs": ["frs"], "kendall": ["kendall"], "all": METRICS.names()}


def benchmark(report: Report) -> None:
    sizes = (2_000, 10_000) if report.quick else (20_000, 100_000)
    block = permutations(BLOCK, "near")
    for name, metrics in SETS.items():
        for size in sizes:
            wo.set_threads(1)
            few = timed(tiled(block, size), metrics)
            many = timed(tiled(block, 10 * size), metrics)
            report.add(
                f"{name}: {10 * size:,} rows over {size:,}",
                many.least_cpu / few.least_cpu,
                "times the CPU-s",
                at_most=10.5,
                few=few.least_cpu,
                many=many.least_cpu,
            )
        rows = tiled(block, 10 * sizes[-1])
        wo.set_threads(1)
        one = timed(rows, metrics)
        wo.set_threads(2)
        two = timed(rows, metrics)
        report.add(
            f"{name}: two threads, {len(rows):,} rows",
            one.least_wall / two.least_wall,
            "times as fast as one",
            at_least=1.7,
            one=one.least_wall,
            two=two.least_wall,
            cpu_of_one=one.least_cpu,
            cpu_of_two=two.least_cpu,
            # Two cores can be no faster than what only one thread does and half of the rest.
            at_best=rounded(at_best(one, two)),
        )


def at_best(one: Timing, two: Timing) -> float:
    """Return how many times as fast two threads could be, on cores that nothing else uses."""
    caller = min(two.caller)
    return one.least_cpu / (caller + (two.least_cpu - caller) / 2)


def timed(rows: wo.Ragged, names: list[str]) -> Timing:
    """Measure making segments and the scores of each under some metrics."""
    metrics = [wo.metric(name) for name in names]

    def work() -> None:
        segments = wo.Segments.from_permutations(rows)
        for metric in metrics:
            metric.score(metric.statistics(segments))

    return measure(work)


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
