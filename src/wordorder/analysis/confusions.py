"""Confusions: kinds of wrong words in the trees of a system, and what each costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.order_scores import OrderScores
from wordorder.analysis.repairs import Repairs, TreePair, repair
from wordorder.types import Float64, Int64

# Gains that differ by less differ by rounding.
DIGITS = 12
# Less than any gain of a sentence.
LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Confusions:
    """What a system confuses: C confusions, the costliest first.

    Attributes
    ----------
    names : tuple of tuples of str
        What is right and what the system has instead, C of them.
    words, sentences : int64[C]
        How many words show the confusion, and in how many sentences.
    changed : int64[C]
        In how many of them the order becomes another one when the words are set right.
    better, worse : int64[C]
        In how many of them its score rises, and falls.
    extended : int64[C]
        In how many of them other words had to be set right too, for a tree.
    lost : float64[C]
        How much more the system would have scored without the confusion, in units of the metric;
        below 0 if the mistake helps. Losses of several confusions do not add up.
    examples : tuple of tuples of int
        The sentences that gain most, or lose most where the whole corpus does.
    members : tuple of int64 arrays
        The words of each confusion, as the treebank counts them.
    """

    names: tuple[tuple[str, ...], ...]
    words: Int64
    sentences: Int64
    changed: Int64
    better: Int64
    worse: Int64
    extended: Int64
    lost: Float64
    examples: tuple[tuple[int, ...], ...]
    members: tuple[Int64, ...]

    def counts(self, number: int) -> tuple[int, ...]:
        """Return the words of a confusion, its sentences, and those changed, better, worse."""
        columns = (self.words, self.sentences, self.changed, self.better, self.worse)
        return tuple(int(each[number]) for each in columns)

    def __len__(self) -> int:
        return len(self.names)


def confusions(
    pair: TreePair,
    scores: OrderScores,
    words: Int64,
    kinds: Int64,
    names: Sequence[tuple[str, ...]],
    *,
    columns: Sequence[str],
    heads: bool = False,
) -> Confusions:
    """Find what each kind of wrong word costs.

    The words of a kind are set right in the trees of the system, those words alone; the rules are
    applied to the new trees, and the corpus is scored again with the new orders in place of the
    old ones. What it gains is what the confusion costs.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores
    words, kinds : int64[W]
        Wrong words and the kind of each, from 0 to C - 1, each of which has a word.
    names : sequence of tuples of str
        C of them.
    columns, heads
        What is wrong: as `repair` has them.
    """
    count = len(names)
    before = scores.statistics(pair.orders)
    repairs = repair(pair, scores, words, kinds, columns=columns, heads=heads)
    gains = scores.of_sentences(repairs.statistics)
    gains -= scores.of_sentences(before)[repairs.sentences]
    gains = np.round(gains, DIGITS)
    lost = _corpus_gains(scores, before, repairs, count)
    counted = {
        "sentences": repairs.groups,
        "changed": repairs.groups[repairs.changed],
        "better": repairs.groups[gains > 0],
        "worse": repairs.groups[gains < 0],
        "extended": repairs.groups[repairs.extended],
    }
    totals = {name: np.bincount(each, minlength=count) for name, each in counted.items()}
    often = np.bincount(kinds, minlength=count)
    alphabetical = np.empty(count, np.int64)
    alphabetical[sorted(range(count), key=names.__getitem__)] = np.arange(count)
    order = np.lexsort((alphabetical, -often, -totals["changed"], -lost))
    # Where the confusion helps, the examples are the sentences that it helps. Those that only
    # change come last.
    costs = np.where(lost < 0, -1.0, 1.0)[repairs.groups] * gains
    costs = np.where(repairs.changed & (costs >= 0), costs + LEAST, 0.0)
    shown = costliest_sentences(repairs.groups, repairs.sentences, costs, count)
    sorted_words = words[np.lexsort((words, kinds))]
    members = np.split(sorted_words, np.cumsum(often)[:-1]) if count else []
    return Confusions(
        names=tuple(names[kind] for kind in order.tolist()),
        words=often[order],
        lost=lost[order],
        examples=tuple(shown[kind] for kind in order.tolist()),
        members=tuple(members[kind] for kind in order.tolist()),
        **{name: counts[order] for name, counts in totals.items()},
    )


def paired_strings(
    pair: TreePair, column: str, words: Int64
) -> tuple[Int64, list[tuple[str, ...]]]:
    """Number words by what is right in a column and what the system has.

    Returns
    -------
    kinds : int64[W]
    names : list of (right, other)
        By number; each is that of some word.
    """
    strings = pair.right.columns[column].vocabulary.words
    size = max(len(strings), 1)
    codes = [
        bank.columns[column].codes[words].astype(np.int64) for bank in (pair.right, pair.parsed)
    ]
    different, kinds = np.unique(codes[0] * size + codes[1], return_inverse=True)
    rows = np.stack(np.divmod(different, size), axis=1)
    return kinds, [(strings[right], strings[other]) for right, other in rows.tolist()]


def _corpus_gains(scores: OrderScores, before: Float64, repairs: Repairs, count: int) -> Float64:
    """Return how much the corpus gains by the repairs of each group, float64[C]."""
    metric = scores.metric
    differences = repairs.statistics - before[repairs.sentences]
    totals = before.sum(axis=0)
    changes = np.stack(
        [np.bincount(repairs.groups, column, count) for column in differences.T], axis=-1
    )
    gains = metric.score(totals + changes) - metric.score(totals)
    return np.round(gains if metric.higher_is_better else -gains, DIGITS)
