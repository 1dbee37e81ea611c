"""Metrics against people: coefficients, tie calibration, tests, rankings, agreement.

Scores of 15 systems on 2,000 segments, made up: people give whole numbers from 0 to 8, the metric
has decimals. The peer is Google's mt-metrics-eval, with every pair of outputs (its default is a
random tenth of them): ``--source mt-metrics-eval FOLDER`` names a checkout of its source. Rankings
and agreement of people are measured beside the packages `trueskill` and `krippendorff`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Report, benchmark, main, measure

import wordorder as wo
from wordorder.arrays import Float64
from wordorder.judgement import (
    acc_eq,
    kendall,
    krippendorff_alpha,
    pearson,
    perm_both,
    soft_pairwise_accuracy,
    spearman,
)
from wordorder.statistics.trueskill import trueskill, trueskill_runs

SOURCE = "mt-metrics-eval"


@dataclass(frozen=True)
class Cell:
    """Made-up scores of people and of two metrics, and the peer that takes them too.

    Attributes
    ----------
    systems, segments : int
    source : Path or None
        Where the peer's package is.
    """

    systems: int
    segments: int
    source: Path | None

    @cached_property
    def human(self) -> Float64:
        scores = np.random.default_rng(1).normal(4, 2, (self.systems, self.segments))
        return np.clip(scores.round(), 0, 8)

    @cached_property
    def metric(self) -> Float64:
        return self.human + 2 * np.random.default_rng(2).normal(size=self.human.shape)

    @cached_property
    def other(self) -> Float64:
        return self.human + 3 * np.random.default_rng(3).normal(size=self.human.shape)

    def part(self, scores: int) -> Cell:
        """The same scores of fewer segments."""
        return Cell(self.systems, scores // self.systems, self.source)

    @property
    def stats(self) -> Any:
        """The peer's module of statistics; None without it."""
        if self.source is None:
            return None
        if str(self.source) not in sys.path:
            sys.path.insert(0, str(self.source))
        return importlib.import_module("mt_metrics_eval.stats")

    def peer(self, metric: Float64 | None = None) -> Any:
        """The peer's own form of the metric's scores and people's."""
        chosen = self.metric if metric is None else metric
        return self.stats.Correlation(
            self.systems, self.human.ravel().tolist(), chosen.ravel().tolist()
        )


def beside(
    report: Report,
    name: str,
    ours: Callable[[], float],
    theirs: Callable[[], float] | None,
    *,
    asked: float | None = None,
    close: float = 1e-9,
    runs: int = 5,
) -> None:
    """Measure ours and the peer's, after a look at whether the two find the same.

    `asked` is how many times faster than the peer ours should be.
    """
    timing = measure(ours, runs)
    if theirs is None:
        report.add_seconds(name, timing)
        return
    if not abs(ours() - theirs()) <= close:
        raise RuntimeError(f"{name}: {ours()}, {SOURCE} {theirs()}")
    peer = measure(theirs, 1 if report.quick else 3).least_cpu
    most = None if asked is None else peer / asked
    report.add_seconds(name, timing, at_most=most, peers={SOURCE: peer}, asked_times=asked)


def coefficients(report: Report, cell: Cell) -> None:
    """Means over segments, each of all systems."""
    metric, human = cell.metric, cell.human
    peer = cell.peer() if cell.source else None
    rows: list[tuple[str, Callable[[], float], str, float | None]] = [
        ("Pearson", lambda: pearson(metric, human, "item"), "Pearson", 500),
        ("Spearman", lambda: spearman(metric, human, "item"), "Spearman", None),
        ("tau-b", lambda: kendall(metric, human, "b", "item"), "Kendall", 50),
    ]
    for name, ours, method, asked in rows:
        theirs = None if peer is None else lambda m=method: getattr(peer, m)("item")[0]
        beside(report, f"{name} by item", ours, theirs, asked=asked)


def calibration(report: Report, cell: Cell) -> None:
    """Pairwise accuracy with ties, and the search for the best tie threshold."""
    small = cell.part(1000)
    stats = cell.stats
    peer, pooled = (cell.peer(), small.peer()) if stats else (None, None)

    def at_0() -> float:
        return acc_eq(cell.metric, cell.human, "item", threshold=0.0).value

    beside(
        report,
        "acc_eq by item, threshold given",
        at_0,
        (lambda: peer.KendallVariants("item", "acc23")[0]) if peer else None,
        asked=30,
    )
    beside(
        report,
        "tie calibration by item",
        lambda: acc_eq(cell.metric, cell.human, "item").value,
        (lambda: peer.KendallWithTiesOpt("item", sample_rate=1.0)[0]) if peer else None,
        asked=30,
    )
    beside(
        report,
        f"tie calibration pooled, {small.human.size:,} scores",
        lambda: acc_eq(small.metric, small.human).value,
        (lambda: pooled.KendallWithTiesOpt("none", sample_rate=1.0)[0]) if pooled else None,
        asked=30,
    )
    if not report.quick:
        # 450 million pairs: more than the peer can hold.
        timing = measure(lambda: acc_eq(cell.metric, cell.human), 1)
        report.add_seconds(f"tie calibration pooled, {cell.human.size:,} scores", timing)


def soft_accuracy(report: Report, cell: Cell) -> None:
    """All pairs of systems under the same 1,000 choices of signs; the peer draws others."""
    peer = cell.peer() if cell.source else None
    beside(
        report,
        "soft pairwise accuracy",
        lambda: soft_pairwise_accuracy(cell.metric, cell.human),
        (lambda: peer.PairwiseConfidenceError()[0]) if peer else None,
        close=0.02,
    )


def tests_of_two(report: Report, cell: Cell) -> None:
    """PERM-BOTH with 1,000 resamples; the peer does a few, which say what 1,000 cost it.

    The peer finds the tie threshold of each resample on a random tenth of the pairs, ours on all.
    """
    stats = cell.stats
    first, second = (cell.peer(cell.other), cell.peer()) if stats else (None, None)
    rows: list[tuple[str, str, str, int, float | None]] = [
        ("pearson", "none", "pearsonr", 20, 100),
        ("pearson", "item", "pearsonr", 3, 1000),
        ("kendall-b", "item", "kendalltau", 3, None),
        ("acc-eq", "item", "KendallWithTiesOpt", 3, 100),
    ]
    for statistic, by, function, resamples, asked in rows:
        name = f"PERM-BOTH, {statistic} {'pooled' if by == 'none' else 'by item'}"

        def ours(statistic: str = statistic, by: str = by) -> float:
            return perm_both(
                cell.metric, cell.other, cell.human, statistic=statistic, by=by
            ).p_value

        timing = measure(ours, 3)
        if stats is None:
            report.add_seconds(name, timing)
            continue
        coefficient = getattr(stats if statistic == "acc-eq" else stats.scipy.stats, function)

        def theirs(
            number: int, coefficient: object = coefficient, by: str = by
        ) -> Callable[[], object]:
            limits = stats.PermutationSigDiffParams(number, 0.0, 1.0)
            return lambda: stats.PermutationSigDiff(first, second, coefficient, by, number, limits)

        # A run looks at the metrics once without swaps; the difference of two runs is resamples.
        few, many = (measure(theirs(k), 1).least_cpu for k in (1, 1 + resamples))
        peer = (many - few) / resamples * 1000
        most = None if asked is None else peer / asked
        report.add_seconds(
            name, timing, at_most=most, peers={SOURCE: peer}, asked_times=asked, measured=resamples
        )


def agreement(report: Report, cell: Cell) -> None:
    """Krippendorff's alpha of 10 raters, 0 to 100; the peer is the package `krippendorff`."""
    items = 500 if report.quick else 5000
    ratings = np.random.default_rng(4).integers(0, 101, (10, items)).astype(float)
    package = importlib.import_module("krippendorff") if find_spec("krippendorff") else None
    for scale in ("interval", "ordinal", "nominal"):
        name = f"Krippendorff's alpha, {scale}, 10 x {items:,}"

        def ours(scale: str = scale) -> float:
            return krippendorff_alpha(ratings, scale)

        timing = measure(ours, 3)
        if package is None:
            report.add_seconds(name, timing)
            continue

        def theirs(scale: str = scale) -> float:
            return float(package.alpha(reliability_data=ratings, level_of_measurement=scale))

        if not abs(theirs() - ours()) <= 1e-9:
            raise RuntimeError(f"{name}: {ours()}, the package krippendorff {theirs()}")
        peer = measure(theirs, 1 if report.quick else 3).least_cpu
        report.add_seconds(
            name, timing, at_most=peer / 20, peers={"krippendorff": peer}, asked_times=20
        )


def rankings(report: Report, cell: Cell) -> None:
    """TrueSkill in 100 runs; of the package `trueskill` some matches are timed."""
    runs, size, timed = (3, 8_000, 300) if report.quick else (100, 80_741, 3000)
    random = np.random.default_rng(5)
    first = random.integers(0, 13, size)
    second = (first + random.integers(1, 13, size)) % 13
    outcome = np.sign(second - first + random.normal(0, 8, size).round()).astype(np.int64)
    item = random.integers(0, 3000, size)

    def ours() -> object:
        return trueskill_runs(item, first, second, outcome, items=3000, systems=13, runs=runs)

    name = f"TrueSkill, {size:,} judgements x {runs} runs"
    timing = measure(ours, 3)
    if not find_spec("trueskill"):
        report.add_seconds(name, timing)
        return
    package = importlib.import_module("trueskill")
    played = list(zip(first[:timed], second[:timed], outcome[:timed], strict=True))

    def theirs() -> list[Any]:
        skills = [package.Rating() for _ in range(13)]
        for a, b, won in played:
            # The winner comes first.
            a, b = (a, b) if won >= 0 else (b, a)
            skills[a], skills[b] = package.rate_1vs1(skills[a], skills[b], drawn=not won)
        return skills

    same = trueskill(first[:timed], second[:timed], outcome[:timed], systems=13)
    if not np.allclose(same.mu, [skill.mu for skill in theirs()], rtol=0, atol=1e-6):
        raise RuntimeError(f"{name}: the package trueskill finds other skills")
    peer = measure(theirs, 1).least_cpu / timed * size * runs
    report.add_seconds(
        name, timing, at_most=peer / 100, peers={"trueskill": peer}, asked_times=100, measured=timed
    )


PARTS: dict[str, Callable[[Report, Cell], None]] = {
    "coefficients": coefficients,
    "calibration": calibration,
    "soft-accuracy": soft_accuracy,
    "tests": tests_of_two,
    "agreement": agreement,
    "rankings": rankings,
}


@benchmark("judgement statistics kernels", regular=False)
def meta_evaluation(report: Report) -> None:
    """Add all parts, or those that ``--only`` names."""
    wo.set_threads(1)
    cell = Cell(15, 200 if report.quick else 2000, report.sources.get(SOURCE))
    for name, part in PARTS.items():
        if not report.only or name in report.only:
            part(report, cell)


if __name__ == "__main__":
    main(__doc__)
