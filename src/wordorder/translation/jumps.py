"""A maximum-entropy reordering model: does the translation go on to the right or to the left?

After Zens & Ney (2006): the side on which the next phrase is, seen from the end of the last one, is
predicted from the words, and the classes of words, where the last one ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Array, Bool, Float32, Float64, Int32, Int64, Ragged
from wordorder.kernels import alignment as kernel, call, learned as learned_kernel, run_rows
from wordorder.translation.extraction import PhraseSpans
from wordorder.translation.phrase_table import PhraseTable

# Source words that are looked at to each side of the end of a phrase.
REACH = 2

# Classes of words on each side, and passes over the words to find them.
CLASSES, CLASS_PASSES = 50, 3

# Passes over the jumps, the length of the first step, and what the square of a weight costs.
EPOCHS, RATE, PENALTY = 4, 0.2, 1.0


@dataclass(frozen=True, eq=False)
class Jumps:
    """Where the translation goes on after each place where phrase pairs end.

    Attributes
    ----------
    ends : int64[J]
        The last source word of the phrase pairs, among the words of all sentences.
    last_words : int64[J]
        Their last target word, likewise.
    right : bool[J]
        Whether the next linked target word is linked with source words behind `ends` only.
    """

    ends: Int64
    last_words: Int64
    right: Bool

    @classmethod
    def of(cls, source: Ragged, target: Ragged, links: Alignments, longest: int) -> Jumps:
        """Find the jumps of sentence pairs, each pair of ends once.

        Parameters
        ----------
        source, target : Ragged
            Words by number, one row per sentence.
        links : Alignments
            One row per sentence pair.
        longest : int in 1 .. 8
            Words of the longest phrases.

        Examples
        --------
        The translation of ``1 2 3`` begins with that of 2, and goes on to the left.

        >>> links = Alignments.from_rows([[(0, 1), (1, 0), (2, 2)]])
        >>> jumps = Jumps.of(Ragged.from_rows([[1, 2, 3]]), Ragged.from_rows([[3, 4, 5]]), links, 3)
        >>> list(zip(jumps.ends.tolist(), jumps.last_words.tolist(), jumps.right.tolist()))
        [(1, 0, False), (1, 1, True), (0, 1, True)]
        """
        spans = PhraseSpans.of(source, target, links, longest)
        ends, last_words = np.empty(spans.pairs, np.int64), np.empty(spans.pairs, np.int64)
        sides = np.zeros(spans.pairs, np.uint8)
        columns = spans.offsets, ends, last_words, sides
        run_rows(kernel.list_jumps, spans.cost, *columns, scratch=spans.finder)
        there = sides > 0
        return cls(ends[there], last_words[there], sides[there] == 2)


def word_classes(sentences: Ragged, kinds: int, classes: int = CLASSES) -> Int32:
    """Sort words into classes, so that words of one class follow the same words.

    Parameters
    ----------
    sentences : Ragged
        Words by number, from 1 on.
    kinds : int
        One more than the highest number.
    classes : int
        Classes, numbered from 0 on.

    Returns
    -------
    int32[kinds]

    Notes
    -----
    The exchange algorithm (Martin, Liermann & Ney 1998) with the objective of Uszkoreit & Brants
    (2008), log p(class | word before) + log p(word | class) summed over the text: from classes in
    turn by frequency, each word moves to the class that raises it most. Nothing is drawn at random.

    Examples
    --------
    >>> rows = Ragged.from_rows([[1, 3], [1, 4], [2, 3], [2, 4], [2, 3]])
    >>> found = word_classes(rows, 5, 2).tolist()
    >>> found[1] == found[2] != found[3] == found[4]
    True
    """
    # The word before the first one has the number 0, which no word of the text has.
    previous_classes = np.roll(sentences.values, 1)
    previous_classes[sentences.offsets[:-1][sentences.lengths > 0]] = 0
    pairs, counts = np.unique(
        sentences.values.astype(np.int64) * kinds + previous_classes, return_counts=True
    )
    begins = np.searchsorted(pairs, np.arange(kinds + 1) * kinds)
    previous_classes = (pairs % kinds).astype(np.int32)
    sizes = np.bincount(sentences.values, minlength=kinds).astype(np.float64)
    words = np.argsort(-sizes, kind="stable")
    words = words[sizes[words] > 0]
    class_of_word = np.zeros(kinds, np.int32)
    class_of_word[words] = np.arange(len(words)) % classes
    follow = np.zeros((kinds, classes))
    np.add.at(follow, (previous_classes, class_of_word[pairs // kinds]), counts)
    totals = np.bincount(class_of_word[words], sizes[words], classes).astype(np.float64)
    for _ in range(CLASS_PASSES):
        for word in words.tolist():
            span = slice(begins[word], begins[word + 1])
            rows, class_counts, size = previous_classes[span], counts[span, None], sizes[word]
            follow[rows, class_of_word[word]] -= class_counts[:, 0]
            totals[class_of_word[word]] -= size
            here = follow[rows]
            gain = (_x_log_x(here + class_counts) - _x_log_x(here)).sum(axis=0)
            gain -= _x_log_x(totals + size) - _x_log_x(totals)
            best = int(np.argmax(gain))
            # What is not better by more than rounding changes nothing.
            if gain[best] > gain[class_of_word[word]] + 1e-9 * size:
                class_of_word[word] = best
            follow[rows, class_of_word[word]] += class_counts[:, 0]
            totals[class_of_word[word]] += size
    return class_of_word


def _x_log_x(values: Float64) -> Float64:
    return values * np.log(np.maximum(values, 1.0))


@dataclass(frozen=True, eq=False)
class JumpFeatures:
    """What the log odds of a jump to the right are the sum of.

    There is a weight for each source word within `REACH` of the end of the phrase and its place,
    for the last target word, and for the last words of both sides together; the same for their
    classes; and one for all jumps.

    Attributes
    ----------
    words : int
        The source words' numbers are below; this number is the border of a sentence.
    classes : int32[words + 1], int32[]
        The class of each source word, and of each target word.
    pairs : int64[]
        The pairs of last words that there are: 2^32 times the source word plus the target word.
    """

    words: int
    classes: tuple[Int32, Int32]
    pairs: Int64

    @classmethod
    def of(cls, source: Ragged, target: Ragged, jumps: Jumps, words: int) -> JumpFeatures:
        """Find the classes of words and the pairs of last words."""
        kinds = int(target.values.max(initial=0)) + 1
        mine, target_classes = word_classes(source, words), word_classes(target, kinds)
        last = source.values[jumps.ends].astype(np.int64) << 32 | target.values[jumps.last_words]
        border = np.array([CLASSES], np.int32)
        # The pair 0, which no text has, so that there is one.
        return cls(words, (np.append(mine, border), target_classes), np.unique(np.append(last, 0)))

    @property
    def begins(self) -> Int64:
        """The number of the first weight of each kind; behind them all, how many weights."""
        around = 2 * REACH + 1
        sizes = [1, *[self.words + 1] * around, *[CLASSES + 1] * around]
        sizes += [len(self.classes[1]), CLASSES, len(self.pairs), CLASSES * CLASSES]
        return np.cumsum([0, *sizes])

    def numbers(self, around: Int32, last: Int32) -> Int32:
        """Return the weights of jumps by number, int32[J, kinds].

        Parameters
        ----------
        around : int32[J, 2 * REACH + 1]
            The source words around the end.
        last : int32[J]
            The last target word.
        """
        classes, target_classes = self.classes[0][around], self.classes[1][last]
        pair = np.searchsorted(self.pairs, around[:, REACH].astype(np.int64) << 32 | last)
        columns = [np.zeros(len(last), np.int64), *around.T, *classes.T, last, target_classes, pair]
        columns.append(classes[:, REACH] * CLASSES + target_classes)
        features = np.column_stack(columns) + self.begins[:-1]
        return features.astype(np.int32)

    def of_source(self, weights: Float64) -> Float32:
        """Return what each source word adds, float32[words + 1, 2 * REACH + 1].

        What all jumps have in common counts at the place of the last word; the number 0, a word
        that is not known, adds nothing else.
        """
        around, begins = 2 * REACH + 1, self.begins
        scores = np.zeros((self.words + 1, around), np.float32)
        for place in range(around):
            of_class = weights[begins[1 + around + place] :][self.classes[0]]
            scores[:, place] = weights[begins[1 + place] :][: self.words + 1] + of_class
        scores[0] = 0.0
        scores[:, REACH] += np.float32(weights[0])
        return scores

    def of_entries(self, weights: Float64, table: PhraseTable) -> Float32:
        """Return what the last words of each entry of a phrase table add, float32[E, 1]."""
        begins = self.begins[-5:]
        source = table.source_words[table.source_offsets[1:] - 1]
        source = np.repeat(source, np.diff(table.entry_offsets))
        target = table.target_words[table.target_offsets[1:] - 1]
        keys = source.astype(np.int64) << 32 | target
        place = np.minimum(np.searchsorted(self.pairs, keys), len(self.pairs) - 1)
        target_classes = self.classes[1][target]
        scores = weights[begins[0] + target] + weights[begins[1] + target_classes]
        scores += np.where(self.pairs[place] == keys, weights[begins[2] + place], 0.0)
        scores += weights[begins[3] + self.classes[0][source] * CLASSES + target_classes]
        rows: Float32 = scores.astype(np.float32)
        return rows[:, None]


def around_words(sentences: Ragged, border: int, reach: int = REACH) -> Int32:
    """Return the words around each word, int32[N, 2 * reach + 1]; `border` outside of a sentence.

    Examples
    --------
    >>> around_words(Ragged.from_rows([[1, 2], [3]]), 9).tolist()
    [[9, 9, 1, 2, 9], [9, 1, 2, 9, 9], [9, 9, 3, 9, 9]]
    """
    rows = np.repeat(np.arange(len(sentences)), sentences.lengths)
    rows_around = np.full((len(rows), 2 * reach + 1), border, np.int32)
    for shift in range(-reach, reach + 1):
        places = np.arange(len(rows)) + shift
        there = (places >= sentences.offsets[rows]) & (places < sentences.offsets[rows + 1])
        rows_around[there, shift + reach] = sentences.values[places[there]]
    return rows_around


def learned_weights(
    numbers: Int32, right: Bool, size: int, *, seed: int = 0, epochs: int = EPOCHS
) -> Float64:
    """Learn the weights of features by logistic regression.

    Minimised is the sum of ``-log p(side)`` over the jumps, plus half the penalty times the sum of
    the weights' squares: maximum entropy under a Gaussian prior. The mean of the weights over the
    second half of the epochs is returned.

    Parameters
    ----------
    numbers : int32[J, kinds]
        As `JumpFeatures.numbers` returns them.
    right : bool[J]
    size : int
        Weights in all.
    seed : int
        Decides the order of the jumps in each epoch.
    epochs : int

    Returns
    -------
    float64[size]
    """
    counts = np.bincount(numbers.reshape(-1), minlength=size)
    weights, sums, squares = np.zeros(size), np.zeros(size), np.full(size, 1e-8)
    labels, ones = right.astype(np.float64), np.ones(len(right))
    for epoch in range(epochs):
        order: Array = np.random.default_rng([seed, epoch]).permutation(len(right))
        call(
            learned_kernel.logistic_pass,
            *(np.ascontiguousarray(numbers).reshape(-1), numbers.shape[1], order, labels, ones),
            *(np.maximum(counts, 1).astype(np.float32), RATE, PENALTY, weights, squares),
            np.zeros(1, np.int64),
        )
        if 2 * epoch + 1 >= epochs:
            sums += weights
    return sums / ((epochs + 1) // 2)


def learn_jumps(
    source: Ragged,
    target: Ragged,
    links: Alignments,
    table: PhraseTable,
    words: int,
    *,
    longest: int,
    seed: int = 0,
) -> tuple[Float32, PhraseTable, int]:
    """Learn a maximum-entropy reordering model from sentence pairs.

    Parameters
    ----------
    source, target, links, longest
        As `Jumps.of` takes them.
    table : PhraseTable
        Of these sentence pairs.
    words : int
        One more than the highest number of a source word.
    seed : int
        As `learned_weights` takes it.

    Returns
    -------
    jumps : float32[words + 1, 2 * REACH + 1]
        As `jump_odds` takes them.
    table : PhraseTable
        With what the last words of each entry add to the log odds, in place of the orientations.
    size : int
        The jumps that it was learned from.
    """
    seen = Jumps.of(source, target, links, longest)
    features = JumpFeatures.of(source, target, seen, words)
    around = around_words(source, words)[seen.ends]
    numbers = features.numbers(around, target.values[seen.last_words])
    weights = learned_weights(numbers, seen.right, int(features.begins[-1]), seed=seed)
    table = replace(table, reordering=features.of_entries(weights, table))
    return features.of_source(weights), table, len(seen.ends)


def jump_odds(jumps: Float32, sentences: Ragged) -> Float64:
    """Return the source's part of the log odds of a jump to the right after each word.

    Parameters
    ----------
    jumps : float32[V+1, 2 * reach + 1]
        As `JumpFeatures.of_source` returns them.
    sentences : Ragged
        Source words by number, 0 where a word is not known.

    Returns
    -------
    float64[N]
    """
    around = around_words(sentences, len(jumps) - 1, jumps.shape[1] // 2)
    odds = np.zeros(len(around))
    for place in range(jumps.shape[1]):
        odds += jumps[around[:, place], place]
    return odds
