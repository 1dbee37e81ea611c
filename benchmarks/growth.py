"""How the time grows with the rows, and what a second thread brings.

The API on permutations of 10 to 40 items and on translations of as many words: segments from them,
and the scores of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from measuring import Report, Timing, main, measure, rounded
from workload import BLOCK, permutations, tiled, translations

import wordorder as wo
from wordorder.metrics.registry import metrics_for

SETS = {"frs": ["frs"], "kendall": ["kendall"], "all": metrics_for({"permutation"})}
TEXT_SETS = {"cder,wer,per": ["cder", "wer", "per"], "ter": ["ter"]}


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
    of_text(report)


def of_text(report: Report) -> None:
    """Measure the scores of translations."""
    size = 2_000 if report.quick else 20_000
    drawn = translations(min(10 * size, BLOCK))
    times = -(-10 * size // len(drawn.references))
    references, hypotheses = drawn.references * times, drawn.hypotheses * times

    def segments(rows: int) -> Callable[[], wo.Segments]:
        return lambda: wo.Segments.from_text(hypotheses[:rows], references[:rows])

    for name, metrics in TEXT_SETS.items():
        wo.set_threads(1)
        few = scored(segments(size), metrics)
        many = scored(segments(10 * size), metrics)
        report.add(
            f"{name}: {10 * size:,} pairs over {size:,}",
            many.least_cpu / few.least_cpu,
            "times the CPU-s",
            at_most=10.5,
            few=few.least_cpu,
            many=many.least_cpu,
        )


def at_best(one: Timing, two: Timing) -> float:
    """Return how many times as fast two threads could be, on cores that nothing else uses."""
    caller = min(two.caller)
    return one.least_cpu / (caller + (two.least_cpu - caller) / 2)


def timed(rows: wo.Ragged, names: Sequence[str]) -> Timing:
    """Measure making segments of permutations and the scores of each under some metrics."""
    return scored(lambda: wo.Segments.from_permutations(rows), names)


def scored(make: Callable[[], wo.Segments], names: Sequence[str]) -> Timing:
    """Measure making segments and the scores of each under some metrics."""
    metrics = [wo.metric(name) for name in names]

    def work() -> None:
        segments = make()
        for metric in metrics:
            metric.score(metric.statistics(segments))

    return measure(work)


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
