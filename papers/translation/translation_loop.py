#!/usr/bin/env python3
"""Translation in the loop: what a better order of the source is worth in BLEU.

    python -m papers.translation.translation_loop DATA --cache WORK [--so-far]

English to Japanese, small_parallel_enja: 50,000 pairs to train on, weights tuned on dev, judged on
test. A phrase-based system is trained for each order of the source: as it stands (which is R1),
R2 to R5, head-final, three learned orders, and R5 on the trees of other parsers; and run with four
windows. The tables are those of Talbot et al. (2011, table 5), Katz-Brown et al. (2011, table 2)
and Birch and Osborne (2011, section 4), with the papers' figures beside. WORK keeps each system:
a run that was stopped goes on. --so-far makes no system and reports those that are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import wordorder as wo
from papers.translation.translation_orders import ORDERS, PARTS, Sources
from papers.translation.translation_systems import (
    AS_IT_STANDS,
    BLEU,
    METRICS,
    OBJECTIVE_WINDOW,
    WINDOWS,
    Cell,
    Systems,
    experiment,
    named,
)
from papers.translation.translation_tables import markdown
from wordorder.arrays import Float64
from wordorder.judgement import fisher_interval, pearson, spearman
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import Comparison, paired_bootstrap

SEEDS = (1, 2, 3)
# Window 4 is that of Talbot et al. and Katz-Brown et al.
USUAL = 4
RESAMPLES = 1000
# What FRS should tell apart inside each: orders of one kind.
GROUPS = {
    "rules": (AS_IT_STANDS, "R2", "R3", "R4", "R5", "head-final"),
    "parsers under R5": ("R5", "R5, greedy", "R5, baseline parser", "R5, targeted parser"),
    "learned orders": ("linear", "bracketing", "consensus"),
}
OBJECTIVES = (BLEU, "lr-hb4", "lr-kb4", "ter", "cder")
BASE, TARGETED = "R5, baseline parser", "R5, targeted parser"


def cells() -> list[Cell]:
    """Return all systems, those that matter most first."""
    found = [Cell(order, window, 1) for window in (USUAL, 0) for order in ORDERS]
    found.append(Cell(TARGETED, USUAL, 1, weights_of=BASE))
    found += [Cell(AS_IT_STANDS, OBJECTIVE_WINDOW, 1, each, "mert") for each in OBJECTIVES]
    found += [Cell(order, window, 1) for window in (2, 6) for order in ORDERS]
    for seed in SEEDS[1:]:
        found += [Cell(order, window, seed) for window in (USUAL, 0, 2, 6) for order in ORDERS]
        found.append(Cell(TARGETED, USUAL, seed, weights_of=BASE))
        found += [Cell(AS_IT_STANDS, OBJECTIVE_WINDOW, seed, each, "mert") for each in OBJECTIVES]
    return found


class Judged:
    """The systems that are there, with the statistics of each, mean of the seeds."""

    def __init__(self, systems: Systems) -> None:
        self.systems = systems

    def seeds(self, order: str, window: int, **how: Any) -> list[Cell]:
        """Return the cells of a system that are there."""
        made = [Cell(order, window, seed, **how) for seed in SEEDS]
        return [cell for cell in made if self.systems.done(cell)]

    def statistics(self, cells: Sequence[Cell], metric: str) -> Float64:
        """Return the mean over the seeds of what a metric counts, float64[500, k]."""
        each = [self.systems.statistics(cell)[metric] for cell in cells]
        return np.asarray(np.mean(each, axis=0), np.float64)

    def values(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """Return the mean score of a system over its seeds, and that of each seed."""
        found: dict[str, Any] = {"seeds": len(cells)}
        for name, metric in METRICS.items():
            each = [
                float(metric.score(self.systems.statistics(cell)[name].sum(axis=0)))
                for cell in cells
            ]
            found[name] = float(np.mean(each))
            found[f"{name} of seeds"] = each
        return found

    def compared(self, systems: Sequence[Sequence[Cell]]) -> dict[str, Comparison]:
        """Compare systems pair by pair under each metric."""
        measurements = [
            Measurement(
                [self.statistics(cells, name) for cells in systems],
                metric.score,
                metric.higher_is_better,
            )
            for name, metric in METRICS.items()
        ]
        return dict(zip(METRICS, paired_bootstrap(measurements, resamples=1000), strict=True))


def grid(judged: Judged) -> dict[str, Any]:
    """Score all orders at all windows, each beside the source as it stands at the same window."""
    found: dict[str, Any] = {}
    for window in WINDOWS:
        there = {order: judged.seeds(order, window) for order in ORDERS}
        there = {order: cells for order, cells in there.items() if cells}
        if AS_IT_STANDS not in there:
            continue
        orders = [AS_IT_STANDS, *(order for order in there if order != AS_IT_STANDS)]
        tests = judged.compared([there[order] for order in orders])
        rows = {}
        for number, order in enumerate(orders):
            rows[order] = judged.values(there[order])
            if number:
                rows[order]["beside"] = {
                    name: difference(test, 0, number) for name, test in tests.items()
                }
        found[str(window)] = rows
    return found


def difference(comparison: Comparison, one: int, other: int) -> list[float]:
    """Return how much more the other scores, with its 95 % interval."""
    pair = comparison.pair(one, other)
    low, high = pair.interval_95 or (float("nan"), float("nan"))
    return [pair.difference, low, high]


def marks(judged: Judged, orders: Sequence[str], window: int) -> dict[str, dict[str, str]]:
    """Return the marks of all pairs of systems under each metric."""
    there = [(order, cells) for order in orders if (cells := judged.seeds(order, window))]
    if len(there) < 2:
        return {}
    found = {}
    for name, comparison in judged.compared([cells for _, cells in there]).items():
        triangle = comparison.triangle()
        found[name] = {
            f"{there[a][0]} / {there[a + 1 + b][0]}": mark
            for a, row in enumerate(triangle)
            for b, mark in enumerate(row)
        }
    return found


def order_scores(sources: Sources) -> dict[str, float]:
    """Return the fuzzy reordering score of each order against the reference orders of test."""
    reference = sources.references("test")
    metric = wo.metric("frs")
    return {
        order: metric.corpus_score(
            wo.Segments.from_orders(sources.orders(order)[PARTS["test"]], reference)
        ).value
        for order in ORDERS
    }


def correlations(frs: dict[str, float], scored: dict[str, Any]) -> dict[str, Any]:
    """Correlate FRS of the orders with the BLEU of their systems, window by window."""
    found = {}
    for window, rows in scored.items():
        if len(rows) < 5:
            continue
        ours = np.array([frs[order] for order in rows])
        bleu = np.array([row["bleu"] for row in rows.values()])
        r, rho = pearson(ours, bleu), spearman(ours, bleu)
        found[window] = {
            "systems": len(rows),
            "r": r,
            "r interval": fisher_interval(r, len(rows)),
            "rho": rho,
            "rho interval": fisher_interval(rho, len(rows), statistic="spearman"),
        }
    return found


def chosen_windows(judged: Judged) -> dict[str, int]:
    """Return for each order the window with the highest mean BLEU on dev."""
    found = {}
    for order in ORDERS:
        there = {window: judged.seeds(order, window) for window in WINDOWS}
        dev = {
            window: np.mean([judged.systems.made(cell)["dev"][-1] for cell in cells])
            for window, cells in there.items()
            if cells
        }
        found[order] = max(dev, key=lambda window: dev[window])
    return found


def at_chosen_windows(judged: Judged) -> dict[str, Any]:
    """Compare each order, at its window, with the source as it stands and with R5 at theirs."""
    windows = chosen_windows(judged)
    cells = {order: judged.seeds(order, window) for order, window in windows.items()}
    rows: dict[str, Any] = {}
    for order, window in windows.items():
        row = judged.values(cells[order])
        seeds = np.array(row["bleu of seeds"])
        rows[order] = {
            "window": window,
            "bleu": row["bleu"],
            "deviation": float(seeds.std(ddof=1)) if len(seeds) > 1 else float("nan"),
            **{
                f"beside {other}": two_systems(judged, cells[other], cells[order])["bleu"]
                for other in (AS_IT_STANDS, "R5")
                if other != order
            },
        }
    return rows


def within_groups(judged: Judged) -> dict[str, Any]:
    """Correlate FRS with BLEU inside each kind of order, at the usual window.

    Intervals: both are measured anew on resamples of the test sentences, so they say how sure r is
    for these orders, not for orders in general.
    """
    sources, metric = judged.systems.sources, wo.metric("frs")
    reference = sources.references("test")
    frs, bleu = {}, {}
    for order in ORDERS:
        segments = wo.Segments.from_orders(sources.orders(order)[PARTS["test"]], reference)
        frs[order] = metric.statistics(segments)
        bleu[order] = judged.statistics(judged.seeds(order, USUAL), "bleu")
    draws = np.random.default_rng(1).integers(0, 500, (RESAMPLES, 500))

    def r(group: Sequence[str], rows: Any) -> float:
        ours = [metric.score(frs[order][rows].sum(axis=0)) for order in group]
        theirs = [METRICS["bleu"].score(bleu[order][rows].sum(axis=0)) for order in group]
        return pearson(np.array(ours), np.array(theirs))

    found = {}
    for name, group in {"all": tuple(ORDERS), **GROUPS}.items():
        drawn = np.array([r(group, rows) for rows in draws])
        whole = r(group, slice(None))
        found[name] = [len(group), whole, *np.quantile(drawn, (0.025, 0.975)).tolist()]
    return found


def two_systems(judged: Judged, one: Sequence[Cell], other: Sequence[Cell]) -> dict[str, Any]:
    """Compare two systems under all metrics."""
    tests = judged.compared([one, other])
    return {name: difference(test, 0, 1) for name, test in tests.items()}


def objectives(judged: Judged) -> dict[str, Any]:
    """Judge the systems that are tuned for each objective by all metrics, beside BLEU's."""
    there = {
        each: judged.seeds(AS_IT_STANDS, OBJECTIVE_WINDOW, objective=each, method="mert")
        for each in OBJECTIVES
    }
    there = {each: cells for each, cells in there.items() if cells}
    if BLEU not in there:
        return {}
    names = list(there)
    tests = judged.compared(list(there.values()))
    found = {}
    for number, each in enumerate(names):
        row = judged.values(there[each])
        if number:
            row["beside"] = {name: difference(test, 0, number) for name, test in tests.items()}
        weights = [named(judged.systems.made(cell)["weights"]) for cell in there[each]]
        # What never varies has no part in it.
        sizes = [sum(abs(v) for n, v in w.items() if "Unknown" not in n) for w in weights]
        row["distortion"] = [
            w["Distortion0_0"] / size for w, size in zip(weights, sizes, strict=True)
        ]
        found[each] = row
    return found


def measured(systems: Systems) -> dict[str, Any]:
    """Return all results."""
    judged = Judged(systems)
    frs, scored = order_scores(systems.sources), grid(judged)
    base, targeted = judged.seeds(BASE, USUAL), judged.seeds(TARGETED, USUAL)
    untuned = judged.seeds(TARGETED, USUAL, weights_of=BASE)
    cost = sum(systems.made(cell)["cpu_seconds"] for cell in cells() if systems.done(cell))
    found: dict[str, Any] = {
        "cpu_seconds of systems": round(cost),
        "frs": frs,
        "grid": scored,
        "rules": marks(judged, [AS_IT_STANDS, "R2", "R3", "R4", "R5"], USUAL),
        "parsers": marks(judged, [BASE, TARGETED, "R5, greedy", "R5"], USUAL),
        "correlations": correlations(frs, scored),
        "objectives": objectives(judged),
        "chosen": at_chosen_windows(judged),
        "groups": within_groups(judged),
    }
    if base and targeted and untuned:
        found["targeted"] = {
            "baseline": judged.values(base),
            "tuned": two_systems(judged, base, targeted),
            "with the baseline's weights": two_systems(judged, base, untuned),
        }
    still = judged.seeds(AS_IT_STANDS, USUAL)
    found["monotone"] = {
        order: two_systems(judged, still, there)
        for order in ORDERS
        if order != AS_IT_STANDS and still and (there := judged.seeds(order, 0))
    }
    return found


if __name__ == "__main__":
    experiment("translation_loop", __doc__, cells(), measured, markdown)
