"""Permutation trees of long permutations, and of many short ones one by one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from measuring import Report, main, measure
from workload import permutations

import wordorder as wo

ASKED = 1.0


def benchmark(report: Report) -> None:
    size = 10_000 if report.quick else 100_000
    for name, values in long_permutations(size).items():
        timing = measure(lambda values=values: wo.PermutationTree(values), 3)  # type: ignore[misc]
        report.add_seconds(
            f"PermutationTree of {size:,} items, {name}",
            timing,
            at_most=ASKED,
            nodes=wo.PermutationTree(values).node_count,
        )
        nodes = measure(lambda values=values: wo.PermutationTree(values).root, 3)  # type: ignore[misc]
        report.add_seconds(f"the same with its nodes as objects, {name}", nodes)
    rows = list(permutations(500 if report.quick else 5_000, "near"))
    timing = measure(lambda: [wo.PermutationTree(row) for row in rows], 3)
    report.add_rate("PermutationTree of a sentence", len(rows), timing, "trees/s")


def long_permutations(size: int) -> dict[str, npt.NDArray[np.int64]]:
    """Return permutations that are easy and hard to take apart."""
    generator = np.random.default_rng(1)
    places = np.arange(size)
    swapped = places ^ 1
    # Simple when the size is even: no part of it covers neighbouring values.
    shuffled = np.concatenate([places[1::2], places[::2]])
    return {
        "identity": places,
        "inverted": places[::-1],
        "neighbours swapped": swapped[swapped < size],
        "odd before even": shuffled,
        "moved by a few places": np.argsort(places + generator.normal(0.0, 3.0, size)),
        "random": generator.permutation(size),
    }


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
