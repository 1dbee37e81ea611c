"""Repairs: changes of order and score that result from correcting words of the trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.corpus import AnalysedSystem, OrderScores
from wordorder.analysis.tally import DIGITS, Tally, largest_first
from wordorder.arrays import Bool, Float64, Int32, Int64, value_indices
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import Orders
from wordorder.reordering.rules import RuleSet
from wordorder.treebank.treebank import ROOT, Column, Treebank
from wordorder.treebank.trees import check_trees

# Columns that a tagger predicts.
TAG_COLUMNS = ("upos", "xpos", "feats", "lemma")

# Columns that can be corrected; heads are corrected separately.
REPAIRABLE = ("label", *TAG_COLUMNS)

# Words of repaired trees that are reordered in one batch; results do not depend on it.
BATCH_WORDS = 1 << 20

# Added to the gains of changed sentences, so that those without a gain can be examples too; less
# than any real gain of a sentence.
MIN_GAIN = 1e-9


@dataclass(frozen=True, eq=False)
class Repairs:
    """Repaired trees, one for each group of words and each sentence with words of the group.

    Attributes
    ----------
    groups, sentences : int64[R]
        The group and the sentence of each repaired tree, sorted.
    statistics : float64[R, k]
        Statistics of the metric for the order of the repaired tree.
    changed : bool[R]
        Whether that order differs from the system's.
    extended : bool[R]
        Whether further words of the sentence had to be corrected.
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
    parsed, correct : Treebank
        Their columns of `REPAIRABLE` share vocabularies: equal strings have equal codes.
    rules : RuleSet
    orders : Orders
        Orders of `parsed` under the rules.
    """

    parsed: Treebank
    correct: Treebank
    rules: RuleSet
    orders: Orders

    @classmethod
    def of(cls, system: AnalysedSystem, right: Treebank, name: str = "right trees") -> TreePair:
        """Pair the trees of a system with the right trees.

        Parameters
        ----------
        system : AnalysedSystem
            A system with trees and rules.
        right : Treebank
        name : str
            Display name used in messages.

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
        location = f"{name} for {system.name}"
        if not np.array_equal(parsed.offsets, right.offsets):
            raise InputError(location, "sentences of other lengths", "the same words in both")
        if not np.array_equal(system.orders.positions.offsets, parsed.offsets):
            raise InputError(system.name, "orders that lack words", "all words of each tree")
        for treebank, owner in ((parsed, system.name), (right, name)):
            check_trees(treebank, owner, single_root=False)
        parsed_columns, right_columns = {}, {}
        for column in REPAIRABLE:
            both = Column.concatenate([parsed.columns[column], right.columns[column]])
            parsed_columns[column], right_columns[column] = (
                both[: parsed.words],
                both[parsed.words :],
            )
        parsed = parsed.replace(heads=None, **parsed_columns)
        return cls(parsed, right.replace(heads=None, **right_columns), system.rules, system.orders)

    def has_values(self, column: str) -> bool:
        """Return whether both treebanks have values in a column."""
        return all(
            treebank.columns[column].has_value().any() for treebank in (self.parsed, self.correct)
        )

    def differing(self, column: str) -> Int64:
        """Return the indices of the words that differ in a column."""
        parsed_codes, right_codes = (
            self.parsed.columns[column].codes,
            self.correct.columns[column].codes,
        )
        return np.flatnonzero(parsed_codes != right_codes)

    def corrected(self, columns: Sequence[str], *, heads: bool = False) -> Treebank:
        """Return the system's trees with some columns, and optionally the heads, corrected."""
        all_words = np.arange(self.parsed.words)
        mask = np.ones(self.parsed.words, np.bool_)
        new_heads = self.correct.heads if heads else self.parsed.heads
        return self.with_corrected_columns(self.parsed, new_heads, all_words, mask, columns)

    def with_corrected_columns(
        self, trees: Treebank, heads: Int32, word_indices: Int64, mask: Bool, columns: Sequence[str]
    ) -> Treebank:
        """Return trees with new heads, and with some columns of marked words corrected.

        Parameters
        ----------
        trees : Treebank
            Some sentences of `parsed`, N words.
        heads : int32[N]
        word_indices : int64[N]
            Index in `parsed` of each word.
        mask : bool[N]
        columns : sequence of str
            Columns of `REPAIRABLE` to correct.
        """
        changed = {
            name: Column(
                np.where(
                    mask, self.correct.columns[name].codes[word_indices], trees.columns[name].codes
                ),
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
    """Correct words group by group, and reorder the repaired sentences.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores
    words, groups : int64[W]
        Indices of words in the treebank, and the group of each.
    columns : sequence of str
        Columns to correct: ``label``, ``upos``, …
    heads : bool
        Whether to correct heads. If the result is not a tree, further words are corrected: words
        on cycles, and wrong roots if there are several.

    Returns
    -------
    Repairs
        Sentences with words of several groups are repaired once per group.

    Notes
    -----
    All repaired trees of a batch are reordered together. There are at most as many repaired trees
    as wrong words.
    """
    parsed = pair.parsed
    sentence_of_word = np.repeat(np.arange(len(parsed)), parsed.lengths)[words]
    repair_keys, repair_of_word = np.unique(
        groups * max(len(parsed), 1) + sentence_of_word, return_inverse=True
    )
    repair_group, repair_sentence = np.divmod(repair_keys, max(len(parsed), 1))
    # Words sorted by group and sentence, so that those of a batch are contiguous.
    by_repair = np.argsort(repair_of_word, kind="stable")
    repair_offsets = np.searchsorted(repair_of_word[by_repair], np.arange(len(repair_keys) + 1))
    statistics = [scores.statistics(pair.orders.take(repair_sentence[:0]), repair_sentence[:0])]
    changed, extended = (np.zeros(len(repair_keys), np.bool_) for _ in range(2))
    for start, end in _batches(parsed.lengths[repair_sentence]):
        rows = repair_sentence[start:end]
        word_indices, offsets = value_indices(parsed.offsets, rows)
        mask = np.zeros(len(word_indices), np.bool_)
        selected = by_repair[repair_offsets[start] : repair_offsets[end]]
        repair_index = repair_of_word[selected] - start
        mask[offsets[repair_index] + words[selected] - parsed.offsets[rows[repair_index]]] = True
        trees = parsed.take(rows)
        new = trees.heads
        if heads:
            correct_heads = pair.correct.heads[word_indices]
            new, extended[start:end] = _repair_trees(trees.heads, correct_heads, mask, offsets)
        orders = pair.rules.orders(
            pair.with_corrected_columns(trees, new, word_indices, mask, columns)
        )
        changed[start:end] = different_rows(orders, pair.orders.take(rows))
        statistics.append(scores.statistics(orders, rows))
    return Repairs(repair_group, repair_sentence, np.concatenate(statistics), changed, extended)


def _batches(lengths: Int64) -> Iterator[tuple[int, int]]:
    """Split rows into runs of about `BATCH_WORDS` words, at least one row each."""
    ends = np.cumsum(lengths)
    start = 0
    while start < len(lengths):
        words_before = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, words_before + BATCH_WORDS, side="right")))
        yield start, end
        start = end


def _repair_trees(
    parsed: Int32, correct_heads: Int32, mask: Bool, offsets: Int64
) -> tuple[Int32, Bool]:
    """Correct the heads of marked words, and of further words where a tree requires it.

    Marks the further words in `mask`. Returns the heads, and for each sentence whether it has
    further words.
    """
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    starts = offsets[:-1][sentence]
    max_length = int(lengths.max(initial=0))
    roots_before = np.bincount(sentence[parsed == ROOT], minlength=len(lengths))
    wrong = parsed != correct_heads
    extended = np.zeros(len(lengths), np.bool_)
    # The loop ends, as the correct heads are trees: a sentence that is not yet a tree has a wrong
    # word that is not corrected.
    while True:
        heads = np.where(mask, correct_heads, parsed)
        roots = np.bincount(sentence[heads == ROOT], minlength=len(lengths))
        further = (heads == ROOT) & (roots > roots_before)[sentence]
        further |= _find_cycles(heads, starts, max_length)
        further &= wrong & ~mask
        if not further.any():
            return heads.astype(np.int32), extended
        mask |= further
        extended[sentence[further]] = True


def _find_cycles(heads: Int32, starts: Int64, max_length: int) -> Bool:
    """Return a mask of the words on cycles of heads."""
    size = len(heads)
    # The common root of all sentences comes after the last word, and is its own head.
    ancestor = np.append(np.where(heads == ROOT, size, starts + heads - 1), size)
    steps = 1
    while steps < max_length:
        ancestor = ancestor[ancestor]
        steps *= 2
    cyclic = np.zeros(size + 1, np.bool_)
    # After at least `max_length` steps every word has reached the root or a cycle, and each word
    # on a cycle is reached from a word of that cycle.
    cyclic[ancestor] = True
    return cyclic[:size]


def different_rows(first: Orders, second: Orders) -> Bool:
    """Return which rows of two orders differ in positions; ties are not compared.

    Examples
    --------
    >>> first, second = (Orders.from_rows([[0], row]) for row in ([0, 1], [1, 0]))
    >>> different_rows(first, second).tolist()
    [False, True]
    """
    marks = first.positions.values != second.positions.values
    return np.diff(np.concatenate([[0], np.cumsum(marks)])[first.positions.offsets]) > 0


@dataclass(frozen=True, eq=False)
class Confusions:
    """The C confusions (types of wrong words) of a system, the costliest first.

    Attributes
    ----------
    names : tuple of tuples of str
        The right value and the system's value of each confusion.
    words, sentences : int64[C]
        Numbers of words with the confusion, and of sentences with such words.
    changed : int64[C]
        Sentences whose order changes when the words are corrected.
    better, worse : int64[C]
        Sentences whose score rises, and falls.
    extended : int64[C]
        Sentences in which further words had to be corrected for a tree.
    lost : float64[C]
        Gain of the corpus score if the confusion is corrected, in units of the metric; negative if
        the mistake helps. Losses of several confusions are not additive.
    examples : tuple of tuples of int
        Indices of the sentences that gain most by the correction; if the corpus score falls, of
        those that lose most.
    members : tuple of int64 arrays
        Indices, in the treebank, of the words of each confusion.
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
        """Return the counts of a confusion: words, sentences, changed, better, worse."""
        columns = (self.words, self.sentences, self.changed, self.better, self.worse)
        return tuple(int(column[number]) for column in columns)

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
    """Measure the cost of each type of wrong word.

    For each type, only its words are corrected in the trees of the system, and the rules reorder
    the corrected trees. The gain of the corpus score is the cost of the confusion.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores
    words, kinds : int64[W]
        Wrong words and the type of each, from 0 to C - 1; each type has a word.
    names : sequence of tuples of str
        Names of the C types.
    columns, heads
        Attributes to correct; see `repair`.
    """
    count = len(names)
    statistics_before = scores.statistics(pair.orders)
    repairs = repair(pair, scores, words, kinds, columns=columns, heads=heads)
    gains = scores.of_sentences(repairs.statistics)
    gains -= scores.of_sentences(statistics_before)[repairs.sentences]
    gains = np.round(gains, DIGITS)
    lost = _corpus_gains(scores, statistics_before, repairs, count)
    counted = {
        "sentences": repairs.groups,
        "changed": repairs.groups[repairs.changed],
        "better": repairs.groups[gains > 0],
        "worse": repairs.groups[gains < 0],
        "extended": repairs.groups[repairs.extended],
    }
    totals = {name: np.bincount(column, minlength=count) for name, column in counted.items()}
    often = np.bincount(kinds, minlength=count)
    order = largest_first(lost, totals["changed"], often, names=names)
    # Examples of a confusion that helps the corpus are sentences that it helps. Sentences whose
    # order changes but not the score come last.
    costs = np.where(lost < 0, -1.0, 1.0)[repairs.groups] * gains
    costs = np.where(repairs.changed & (costs >= 0), costs + MIN_GAIN, 0.0)
    examples = Tally(repairs.groups, count).costliest(repairs.sentences, costs)
    sorted_words = words[np.lexsort((words, kinds))]
    members = np.split(sorted_words, np.cumsum(often)[:-1]) if count else []
    return Confusions(
        names=tuple(names[kind] for kind in order.tolist()),
        words=often[order],
        lost=lost[order],
        examples=tuple(examples[kind] for kind in order.tolist()),
        members=tuple(members[kind] for kind in order.tolist()),
        **{name: counts[order] for name, counts in totals.items()},
    )


def paired_strings(
    pair: TreePair, column: str, words: Int64
) -> tuple[Int64, list[tuple[str, ...]]]:
    """Group words by their right value and the system's value in a column.

    Returns
    -------
    kinds : int64[W]
        The type of each word: an index into `names`.
    names : list of (right, parsed)
        The right value and the system's value of each type.
    """
    strings = pair.correct.columns[column].vocabulary.words
    size = max(len(strings), 1)
    codes = [
        bank.columns[column].codes[words].astype(np.int64) for bank in (pair.correct, pair.parsed)
    ]
    different, kinds = np.unique(codes[0] * size + codes[1], return_inverse=True)
    rows = np.stack(np.divmod(different, size), axis=1)
    return kinds, [(strings[right], strings[parsed]) for right, parsed in rows.tolist()]


def _corpus_gains(
    scores: OrderScores, statistics_before: Float64, repairs: Repairs, count: int
) -> Float64:
    """Return the gain of the corpus score by the repairs of each group, float64[C]."""
    metric = scores.metric
    differences = repairs.statistics - statistics_before[repairs.sentences]
    totals = statistics_before.sum(axis=0)
    changes = np.stack(
        [np.bincount(repairs.groups, column, count) for column in differences.T], axis=-1
    )
    gains = metric.score(totals + changes) - metric.score(totals)
    return np.round(gains if metric.higher_is_better else -gains, DIGITS)
