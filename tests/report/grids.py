"""A small grid, and what survives of it."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from tests.oracles_trees import random_tree

from wordorder.alignment.alignments import Alignments
from wordorder.analysis.grid import Grid
from wordorder.analysis.grid_systems import evaluate_grid, grid_systems
from wordorder.analysis.sensitivity import Sensitivity, grid_sensitivity, reference_conventions
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import metric
from wordorder.statistics.intervals import Estimate
from wordorder.treebank.treebank import Treebank


def treebanks(parsers: int = 2, sentences: int = 25) -> dict[str, Treebank]:
    """Random trees of the same sentences."""
    draw = random.Random(2)
    lengths = [draw.randint(1, 9) for _ in range(sentences)]
    words = [[f"w{i}" for i in range(n)] for n in lengths]
    return {
        f"P{p + 1}": Treebank.from_words(
            words,
            heads=[random_tree(draw, n) for n in lengths],
            label=[["dep"] * n for n in lengths],
        )
        for p in range(parsers)
    }


def small_grid(parsers: int = 2, rules: tuple[str, ...] = ("R1", "R2", "R4")) -> Grid:
    """Two parsers and three rule sets under two metrics, one of which falls as it gets better."""
    banks = treebanks(parsers)
    draw = random.Random(3)
    gold = [draw.sample(range(n), n) if n > 2 else [] for n in banks["P1"].lengths.tolist()]
    chosen = [metric("frs"), metric("kendall")]
    return evaluate_grid(gold, banks, list(rules), metrics=chosen, resamples=50)


class Falling:
    name = "frs"
    higher_is_better = False


def of_values(grid: Grid, values: Sequence[float], *, falling: bool = False) -> Grid:
    """Return a grid with other values of its first metric, which may fall as it gets better."""
    estimates = [[Estimate(value, value, value) for value in values], *grid.estimates[1:]]
    first = cast(BaseMetric, Falling()) if falling else grid.metrics[0]
    return replace(grid, estimates=estimates, metrics=(first, *grid.metrics[1:]))


def small_sensitivity(parsers: int = 2, rules: tuple[str, ...] = ("R1", "R2", "R4")) -> Sensitivity:
    """The same systems against random alignments."""
    banks = treebanks(parsers)
    draw = random.Random(4)
    links = Alignments.from_rows(
        [
            sorted({(draw.randrange(n), draw.randrange(5)) for _ in range(n)})
            for n in banks["P1"].lengths.tolist()
        ]
    )
    systems = grid_systems(banks, list(rules))
    references = reference_conventions(links, systems.words)
    return grid_sensitivity(systems, references, ["frs", "exact"], resamples=50)
