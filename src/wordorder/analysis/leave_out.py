"""Parts of a rule set left out one at a time: what each does for the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.confusions import DIGITS
from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.order_scores import OrderScores
from wordorder.analysis.repairs import different_rows
from wordorder.analysis.system import AnalysedSystem
from wordorder.errors import InputError, UsageError
from wordorder.reordering.base import RuleSet
from wordorder.statistics.comparison import PairTest
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a rule set.

    Attributes
    ----------
    name : tuple of str
        Of a rule its name, of a class in a rule that of the rule and its own.
    words : int64
        The words that it works on, as the treebank counts them.
    rest : RuleSet
        The rule set without it.
    """

    name: tuple[str, ...]
    words: Int64
    rest: RuleSet


@dataclass(frozen=True, eq=False)
class Effects:
    """What each of the R parts of a rule set does.

    Attributes
    ----------
    names : tuple of tuples of str
    words : int64[R]
        Words that the part works on.
    sentences : int64[R]
        Sentences with such a word.
    changed : int64[R]
        Sentences whose order is another one without the part.
    wins, losses : int64[R]
        Sentences that score higher with the part than without it, and lower.
    mean_win, mean_loss : float64[R]
        What one of these sentences wins and loses on average, 0 of none.
    whole : float
        The metric's value of the whole set.
    without : tuple of float
        Its value without each part.
    gains : tuple of PairTest
        Of the whole set (second) against the set without each part (first), all on the same
        resamples.
    resamples : int
    won, lost : tuple of tuples of int
        For each part the sentences that win most through it, and lose most.
    """

    names: tuple[tuple[str, ...], ...]
    words: Int64
    sentences: Int64
    changed: Int64
    wins: Int64
    losses: Int64
    mean_win: Float64
    mean_loss: Float64
    whole: float
    without: tuple[float, ...]
    gains: tuple[PairTest, ...]
    resamples: int
    won: tuple[tuple[int, ...], ...]
    lost: tuple[tuple[int, ...], ...]


def leave_out(
    system: AnalysedSystem,
    scores: OrderScores,
    parts: Sequence[Part],
    *,
    resamples: int = 1000,
    seed: int = 12345,
) -> Effects:
    """Order the trees of a system again and again, each time without one part of its rules.

    Parameters
    ----------
    system : AnalysedSystem
        With trees.
    scores : OrderScores
    parts : sequence of Part
    resamples, seed : int
        Of the intervals.

    Raises
    ------
    UsageError
        If the system has no trees.
    InputError
        If its orders lack words.
    """
    treebank, whole = system.treebank, system.orders
    if treebank is None:
        raise UsageError(f"{system.name} has no trees, so rules cannot be left out")
    if not np.array_equal(whole.positions.offsets, treebank.offsets):
        raise InputError(system.name, "orders that lack words", "all words of each tree")
    row = np.repeat(np.arange(len(treebank)), treebank.lengths)
    together, everything = np.zeros(len(treebank), np.int64), np.arange(len(treebank))
    statistics = [scores.statistics(whole)]
    before = scores.of_sentences(statistics[0])
    counts = np.zeros((5, len(parts)), np.int64)
    means = np.zeros((2, len(parts)))
    won: list[tuple[int, ...]] = []
    lost: list[tuple[int, ...]] = []
    for i, part in enumerate(parts):
        orders = part.rest.orders(treebank)
        statistics.append(scores.statistics(orders))
        gains = np.round(before - scores.of_sentences(statistics[-1]), DIGITS)
        counts[:, i] = (
            len(part.words),
            len(np.unique(row[part.words])),
            np.count_nonzero(different_rows(orders, whole)),
            np.count_nonzero(gains > 0),
            np.count_nonzero(gains < 0),
        )
        for side, (each, listed) in enumerate(((gains, won), (-gains, lost))):
            means[side, i] = each[each > 0].sum() / max(int((each > 0).sum()), 1)
            listed += costliest_sentences(together, everything, np.maximum(each, 0.0), 1)
    metric = scores.metric
    # Pairs, and not all parts at once: parts are not compared with each other.
    measurements = [
        Measurement([each, statistics[0]], metric.score, metric.higher_is_better)
        for each in statistics[1:]
    ]
    comparisons = []
    if measurements:
        comparisons = paired_bootstrap(measurements, resamples=resamples, seed=seed)
    words, sentences, changed, wins, losses = counts
    return Effects(
        names=tuple(part.name for part in parts),
        words=words,
        sentences=sentences,
        changed=changed,
        wins=wins,
        losses=losses,
        mean_win=means[0],
        mean_loss=means[1],
        whole=scores.value(statistics[0]),
        without=tuple(comparison.values[0] for comparison in comparisons),
        gains=tuple(comparison.pair(0, 1) for comparison in comparisons),
        resamples=resamples,
        won=tuple(won),
        lost=tuple(lost),
    )
