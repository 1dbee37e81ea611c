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
    few = 20_000
    many = 100_000 if report.quick else 1_000_000
    block = permutations(min(many, BLOCK), "near")
    for name, metrics in SETS.items():
        one, two = scored(tiled(block, many), metrics)
        for size in (few, many // 10):
            wo.set_threads(1)
            small = timed(tiled(block, size), metrics)
            times = one.least_cpu / small.least_cpu * size * 10 / many
            report.add(
                f"{name}: {many:,} rows over {size:,}, for ten times the rows",
                times,
                "times the CPU-s",
                at_most=10.5,
            )
        report.add(
            f"{name}: two threads, {many:,} rows",
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


def scored(rows: wo.Ragged, names: list[str]) -> tuple[Timing, Timing]:
    """Measure with one thread and with two."""
    wo.set_threads(1)
    one = timed(rows, names)
    wo.set_threads(2)
    return one, timed(rows, names)


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
