"""Repairs: how the orders change if some words of the trees are corrected, and what that gains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.corpus import AnalysedSystem, OrderScores
from wordorder.analysis.tally import DIGITS, Tally, largest_first
from wordorder.arrays import Bool, Float64, Int32, Int64, row_positions
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import Orders
from wordorder.reordering.rules import RuleSet
from wordorder.treebank.treebank import ROOT, Column, Treebank
from wordorder.treebank.trees import check_trees

# What a tagger says of a word, and with the label what can be set right beside the heads.
TAGS = ("upos", "xpos", "feats", "lemma")

REPAIRED = ("label", *TAGS)

# Words of changed trees that are put in order at a time; results do not depend on it.
BATCH = 1 << 20


@dataclass(frozen=True, eq=False)
class Repairs:
    """Trees in which one group of words was corrected, one for each group and sentence.

    Attributes
    ----------
    groups, sentences : int64[R]
        Sorted, by group first; each pair once.
    statistics : float64[R, k]
        The metric's, of the order that the rules make of the repaired tree.
    changed : bool[R]
        Whether that order is another one than the system's.
    extended : bool[R]
        Whether other words of the sentence had to be set right too.
    """

    groups: Int64
    sentences: Int64
    statistics: Float64
    changed: Bool
    extended: Bool


@dataclass(frozen=True, eq=False)
class TreePair:
    """The trees of a system and the correct trees of the same words.

    Attributes
    ----------
    parsed, right : Treebank
        The columns of `REPAIRED` share vocabularies: equal strings have equal codes.
    rules : RuleSet
    orders : Orders
        What the rules make of `parsed`.
    """

    parsed: Treebank
    right: Treebank
    rules: RuleSet
    orders: Orders

    @classmethod
    def of(cls, system: AnalysedSystem, right: Treebank, name: str = "right trees") -> TreePair:
        """Put the trees of a system beside others.

        Parameters
        ----------
        system : AnalysedSystem
            With trees and rules.
        right : Treebank
        name : str
            What messages call them.

        Raises
        ------
        UsageError
            If the system has no trees or no rules.
        InputError
            If the two differ in their words, or a sentence has no tree.
        """
        if system.treebank is None or system.rules is None:
            raise UsageError(f"{system.name} has no trees with rules, so nothing can be repaired")
        parsed = system.treebank
        where = f"{name} for {system.name}"
        if not np.array_equal(parsed.offsets, right.offsets):
            raise InputError(where, "sentences of other lengths", "the same words in both")
        if not np.array_equal(system.orders.positions.offsets, parsed.offsets):
            raise InputError(system.name, "orders that lack words", "all words of each tree")
        for treebank, whose in ((parsed, system.name), (right, name)):
            check_trees(treebank, whose, single_root=False)
        ours, theirs = {}, {}
        for column in REPAIRED:
            both = Column.concatenate([parsed.columns[column], right.columns[column]])
            ours[column], theirs[column] = both[: parsed.words], both[parsed.words :]
        parsed = parsed.replace(heads=None, **ours)
        return cls(parsed, right.replace(heads=None, **theirs), system.rules, system.orders)

    def says(self, column: str) -> bool:
        """Return whether both say something in a column."""
        return all(bank.columns[column].said().any() for bank in (self.parsed, self.right))

    def differing(self, column: str) -> Int64:
        """Return the words with another string in a column."""
        ours, theirs = self.parsed.columns[column].codes, self.right.columns[column].codes
        return np.flatnonzero(ours != theirs)

    def corrected(self, columns: Sequence[str], *, heads: bool = False) -> Treebank:
        """Return the system's trees with some columns as the right ones have them."""
        every = np.arange(self.parsed.words)
        whole = np.ones(self.parsed.words, np.bool_)
        taken_over = self.right.heads if heads else self.parsed.heads
        return self.with_right(self.parsed, taken_over, every, whole, columns)

    def with_right(
        self, trees: Treebank, heads: Int32, places: Int64, mask: Bool, columns: Sequence[str]
    ) -> Treebank:
        """Return trees with other heads, and marked words with what is right in some columns.

        Parameters
        ----------
        trees : Treebank
            Sentences of `found`, N words.
        heads : int32[N]
        places : int64[N]
            Which word of `found` each of their words is.
        mask : bool[N]
        columns : sequence of str
            Of `REPAIRED`.
        """
        changed = {
            name: Column(
                np.where(mask, self.right.columns[name].codes[places], trees.columns[name].codes),
                trees.columns[name].vocabulary,
            )
            for name in columns
        }
        return Treebank(trees.offsets, heads, {**trees.columns, **changed}, trees.margins)


def repair(
    pair: TreePair,
    scores: OrderScores,
    words: Int64,
    groups: Int64,
    *,
    columns: Sequence[str],
    heads: bool = False,
) -> Repairs:
    """Correct words group by group, and order the repaired sentences again.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores
    words, groups : int64[W]
        Words, as the treebank counts them from 0, and the group of each.
    columns : sequence of str
        What is set right: ``label``, ``upos``, …
    heads : bool
        Whether the heads are. Where that makes no tree, the words in the way are set right too:
        those of the cycle, and of several roots the wrong ones.

    Returns
    -------
    Repairs
        A sentence with words of several groups is repaired once for each.

    Notes
    -----
    All repaired trees of a batch are put in order at once. Together they have at most as many
    sentences as there are wrong words.
    """
    parsed = pair.parsed
    sentence_of = np.repeat(np.arange(len(parsed)), parsed.lengths)[words]
    keys, number = np.unique(groups * max(len(parsed), 1) + sentence_of, return_inverse=True)
    of_group, of_sentence = np.divmod(keys, max(len(parsed), 1))
    # Words sorted by pair: those of a batch follow each other.
    order = np.argsort(number, kind="stable")
    ends = np.searchsorted(number[order], np.arange(len(keys) + 1))
    statistics = [scores.statistics(pair.orders.take(of_sentence[:0]), of_sentence[:0])]
    changed, extended = (np.zeros(len(keys), np.bool_) for _ in range(2))
    for first, last in _batches(parsed.lengths[of_sentence]):
        rows = of_sentence[first:last]
        places, offsets = row_positions(parsed.offsets, rows)
        mask = np.zeros(len(places), np.bool_)
        chosen = order[ends[first] : ends[last]]
        at = number[chosen] - first
        mask[offsets[at] + words[chosen] - parsed.offsets[rows[at]]] = True
        trees = parsed.take(rows)
        new = trees.heads
        if heads:
            right = pair.right.heads[places]
            new, extended[first:last] = _trees_again(trees.heads, right, mask, offsets)
        orders = pair.rules.orders(pair.with_right(trees, new, places, mask, columns))
        changed[first:last] = different_rows(orders, pair.orders.take(rows))
        statistics.append(scores.statistics(orders, rows))
    return Repairs(of_group, of_sentence, np.concatenate(statistics), changed, extended)


def _batches(lengths: Int64) -> Iterator[tuple[int, int]]:
    """Cut rows into runs of about `BATCH` words, at least one row each."""
    ends = np.cumsum(lengths)
    first = 0
    while first < len(lengths):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + BATCH, side="right")))
        yield first, last
        first = last


def _trees_again(parsed: Int32, right: Int32, mask: Bool, offsets: Int64) -> tuple[Int32, Bool]:
    """Give marked words their right heads, and others where that is needed for a tree.

    Marks the others too; returns the heads, and for each sentence whether there were any.
    """
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    starts = offsets[:-1][sentence]
    longest = int(lengths.max(initial=0))
    roots_before = np.bincount(sentence[parsed == ROOT], minlength=len(lengths))
    wrong = parsed != right
    extended = np.zeros(len(lengths), np.bool_)
    # The right heads make trees: whatever is no tree has a wrong word left to set right.
    while True:
        heads = np.where(mask, right, parsed)
        roots = np.bincount(sentence[heads == ROOT], minlength=len(lengths))
        more = (heads == ROOT) & (roots > roots_before)[sentence]
        more |= _on_cycles(heads, starts, longest)
        more &= wrong & ~mask
        if not more.any():
            return heads.astype(np.int32), extended
        mask |= more
        extended[sentence[more]] = True


def _on_cycles(heads: Int32, starts: Int64, longest: int) -> Bool:
    """Return which words are on a cycle of heads."""
    size = len(heads)
    # The root of all sentences follows the last word, and is its own head.
    above = np.append(np.where(heads == ROOT, size, starts + heads - 1), size)
    steps = 1
    while steps < longest:
        above = above[above]
        steps *= 2
    cyclic = np.zeros(size + 1, np.bool_)
    # As many steps lead from any word to the root or onto a cycle, and reach all words of it.
    cyclic[above] = True
    return cyclic[:size]


def different_rows(first: Orders, second: Orders) -> Bool:
    """Return which rows of two orders of the same sentences differ; ties are not looked at.

    Examples
    --------
    >>> first, second = (Orders.from_rows([[0], row]) for row in ([0, 1], [1, 0]))
    >>> different_rows(first, second).tolist()
    [False, True]
    """
    marks = first.positions.values != second.positions.values
    return np.diff(np.concatenate([[0], np.cumsum(marks)])[first.positions.offsets]) > 0


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
    order = largest_first(lost, totals["changed"], often, names=names)
    # Where the confusion helps, the examples are the sentences that it helps. Those that only
    # change come last.
    costs = np.where(lost < 0, -1.0, 1.0)[repairs.groups] * gains
    costs = np.where(repairs.changed & (costs >= 0), costs + LEAST, 0.0)
    shown = Tally(repairs.groups, count).costliest(repairs.sentences, costs)
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
