"""Counts of TnT in tagged text: words, suffixes, transitions; lattices of the best tags."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wordorder.arrays import Array, Float64, Int32, Int64, concat_ranges, concatenate_pieces
from wordorder.errors import ModelError, whole_number
from wordorder.kernels import tagging as kernel
from wordorder.kernels._run import call, piece_spans, run_pieces
from wordorder.parsing.model_file import numbers_from_arrays, strings_arrays, strings_from_arrays
from wordorder.parsing.tagging.tag_set import Choices, TagSet
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import NO_HEAD, Column, Treebank

# The maximum of a count in a model file, so that sums fit into 64 bits.
MAX_FREQUENCY = 1 << 40

# Words that occur more often do not help to predict the tags of unknown words, nor do longer
# suffixes.
MAX_RARE_WORD_COUNT = 10
MAX_SUFFIX = 10

# Scores are natural logarithms, rounded to multiples of 2**-20, so that they are the same on
# machines that differ in the last digits of a float.
LOG_UNIT = 1 << 20

# Replaces a probability of 0 in logarithms.
MIN_PROBABILITY = 1e-300

# The tag sequences of consecutive sentences: their concatenated tags, the number of sequences of
# each sentence, and the score of each sequence.
TagSequences = tuple[Int32, Int64, Int64]

# The time of a k-best list grows with the square of its length.
MAX_SEQUENCES = 1 << 12


@dataclass(frozen=True, eq=False)
class TnTCounts:
    """Counts of tag trigrams and of words with their tags.

    Attributes
    ----------
    tags : int
        The number of tags; as a tag, this number is the boundary before and after a sentence.
    trigrams : int32[T, 3]
        The trigrams that occur, sorted, with two boundaries before each sentence and one after it.
    trigram_count : int64[T]
    words : list of str
    word_start : int64[W+1]
        The tags of word ``w`` are the entries ``word_start[w] .. word_start[w+1]-1`` of `word_tag`.
    word_tag : int32 array
        Ascending within a word.
    word_count : int64 array
        How often the word has the tag.
    """

    tags: int
    trigrams: Int32
    trigram_count: Int64
    words: list[str]
    word_start: Int64
    word_tag: Int32
    word_count: Int64

    @classmethod
    def of(cls, offsets: Int64, form: Column, gold: Int32, tags: int) -> TnTCounts:
        """Count words, suffixes and transitions; empty sentences are skipped."""
        lengths = np.diff(offsets)
        offsets = np.append(0, np.cumsum(lengths[lengths > 0]))
        sentences = len(offsets) - 1
        # Three boundaries separate sentences: one ends a sentence, two start the next.
        padded = np.full(len(gold) + 3 * sentences, tags, np.int64)
        sentence = np.repeat(np.arange(sentences), np.diff(offsets))
        padded[np.arange(len(gold)) + 3 * sentence + 2] = gold
        ends = np.ones(len(padded), bool)
        starts = offsets[:-1] + 3 * np.arange(sentences)
        ends[starts] = ends[starts + 1] = False
        last = np.flatnonzero(ends)
        base = tags + 1
        codes = (padded[last - 2] * base + padded[last - 1]) * base + padded[last]
        distinct_trigrams, trigram_count = np.unique(codes, return_counts=True)
        first_pair, third = np.divmod(distinct_trigrams, base)
        trigrams = np.stack([*np.divmod(first_pair, base), third], axis=1).astype(np.int32)
        numbers: dict[str, int] = {}
        form_words = form.vocabulary.words
        word_numbers = [numbers.setdefault(word, len(numbers)) for word in form_words]
        words = np.array(word_numbers, np.int64)[form.codes]
        pairs, frequencies = np.unique(words * tags + gold, return_counts=True)
        word, tag = np.divmod(pairs, tags)
        # Words are sorted alphabetically, so that the order of sentences does not matter.
        names = list(numbers)
        used_words = np.unique(word).tolist()
        order = sorted(used_words, key=names.__getitem__)
        rank = np.zeros(len(names), np.int64)
        rank[order] = np.arange(len(order))
        by_name = np.lexsort((tag, rank[word]))
        start = np.append(0, np.cumsum(np.bincount(rank[word], minlength=len(order))))
        return cls(
            tags,
            trigrams,
            trigram_count,
            [names[number] for number in order],
            start,
            tag[by_name].astype(np.int32),
            frequencies[by_name],
        )

    def tag_counts(self) -> Int64:
        """Return the frequency of each tag; the last one is the boundary after sentences."""
        totals = np.zeros(self.tags + 1, np.int64)
        np.add.at(totals, self.trigrams[:, 2], self.trigram_count)
        return totals

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of the model file by name."""
        return {
            "trigrams": self.trigrams.reshape(-1),
            "trigrams.count": self.trigram_count,
            **strings_arrays("words", self.words),
            "words.tags": np.diff(self.word_start).astype(np.int32),
            "words.tag": self.word_tag,
            "words.count": self.word_count,
        }

    @classmethod
    def from_arrays(cls, tags: int, arrays: Mapping[str, Array]) -> TnTCounts:
        """Rebuild the counts from arrays of a model file; ModelError if they are inconsistent."""
        words = strings_from_arrays("words", arrays)
        tags_per_word = numbers_from_arrays("words.tags", arrays, tags, min_value=1)
        word_tag = numbers_from_arrays("words.tag", arrays, tags - 1)
        word_count = numbers_from_arrays(
            "words.count", arrays, MAX_FREQUENCY, min_value=1, kind="i8"
        )
        trigrams = numbers_from_arrays("trigrams", arrays, tags)
        trigram_count = numbers_from_arrays(
            "trigrams.count", arrays, MAX_FREQUENCY, min_value=1, kind="i8"
        )
        if len(trigrams) != 3 * len(trigram_count) or not len(trigram_count):
            raise ModelError("trigrams: not three tags for each count")
        if len(tags_per_word) != len(words) or int(tags_per_word.sum(dtype=np.int64)) != len(
            word_tag
        ):
            raise ModelError("words.tags: do not add up")
        if len(word_count) != len(word_tag):
            raise ModelError("words.count: not one for each tag")
        start = np.append(0, np.cumsum(tags_per_word, dtype=np.int64))
        word = np.repeat(np.arange(len(words)), tags_per_word)
        rows = trigrams.reshape(-1, 3)
        codes = [word * np.int64(tags) + word_tag]
        codes.append((rows[:, 0] * np.int64(tags + 1) + rows[:, 1]) * (tags + 1) + rows[:, 2])
        if any(np.any(np.diff(code) <= 0) for code in codes):
            raise ModelError("words.tag or trigrams: not in order")
        counts = cls(tags, rows, trigram_count, words, start, word_tag, word_count)
        if np.any(counts.tag_counts() == 0):
            raise ModelError("trigrams: a tag that never occurs")
        return counts


class SuffixModel:
    """Tag probabilities by suffix, smoothed by successive abstraction (Brants 2000, section 2.3).

    Parameters
    ----------
    counts : TnTCounts

    Attributes
    ----------
    prior : float64[n]
        The share of each tag in the text.
    theta : float
        The weight of the shorter suffix: the standard deviation of `prior`.
    """

    def __init__(self, counts: TnTCounts) -> None:
        frequencies = counts.tag_counts()[:-1]
        total = int(frequencies.sum())
        self.prior = frequencies / total
        # Integer arithmetic up to the root gives the same result on all machines.
        tags = len(frequencies)
        squares = sum(count * count for count in frequencies.tolist())
        variance = (tags * squares - total * total) / (tags * max(tags - 1, 1))
        self.theta = math.sqrt(variance) / total
        word = np.repeat(np.arange(len(counts.words)), np.diff(counts.word_start))
        totals = np.zeros(len(counts.words), np.int64)
        np.add.at(totals, word, counts.word_count)
        rare = totals <= MAX_RARE_WORD_COUNT
        rare[[not name for name in counts.words]] = False
        # The index of each suffix key of `_suffixes`.
        self._numbers: dict[str, int] = {}
        nodes = np.full((len(counts.words), MAX_SUFFIX), -1, np.int64)
        for word_row in np.flatnonzero(rare).tolist():
            for length, suffix in enumerate(_suffixes(counts.words[word_row])):
                nodes[word_row, length] = self._numbers.setdefault(suffix, len(self._numbers))
        rare_entries = np.flatnonzero(rare[word])
        node = nodes[word[rare_entries]]
        codes = (node * tags + counts.word_tag[rare_entries, None])[node >= 0]
        entry_counts = np.broadcast_to(counts.word_count[rare_entries, None], node.shape)[node >= 0]
        distinct, inverse = np.unique(codes, return_inverse=True)
        self._count = np.zeros(len(distinct), np.int64)
        np.add.at(self._count, inverse, entry_counts)
        entry_suffix, self._tag = np.divmod(distinct, tags)
        self._start = np.append(
            0, np.cumsum(np.bincount(entry_suffix, minlength=len(self._numbers)))
        )

    def probabilities(self, words: Sequence[str]) -> Float64:
        """Return the probability of each tag for each word, float64[W, n].

        Notes
        -----
        Starting with `prior`, each longer suffix ``s`` that occurs gives
        ``P(t|s) = (c(s, t) / c(s) + theta P(t|s')) / (1 + theta)``, with ``s'`` the next shorter.
        """
        estimates = np.tile(self.prior, (len(words), 1))
        nodes = np.full((MAX_SUFFIX, len(words)), -1, np.int64)
        for word_row, word in enumerate(words):
            for length, suffix in enumerate(_suffixes(word)):
                number = self._numbers.get(suffix)
                if number is None:
                    break
                nodes[length, word_row] = number
        for level in nodes:
            rows = np.flatnonzero(level >= 0)
            if not len(rows):
                break
            node = level[rows]
            sizes = self._start[node + 1] - self._start[node]
            row = np.repeat(np.arange(len(rows)), sizes)
            entries = concat_ranges(self._start[node], sizes)
            shares = np.zeros((len(rows), len(self.prior)))
            shares[row, self._tag[entries]] = self._count[entries]
            shares /= shares.sum(axis=1, keepdims=True)
            estimates[rows] = (shares + self.theta * estimates[rows]) / (1 + self.theta)
        return estimates


def _suffixes(word: str) -> list[str]:
    """Return a word's suffixes, shortest first, each after "1" if it is capitalised, else "0"."""
    mark = "1" if word[:1].isupper() else "0"
    return [mark + word[-length:] for length in range(1, min(len(word), MAX_SUFFIX) + 1)]


def log_scores(probability: Float64) -> Int32:
    """Return the logarithms of probabilities as multiples of ``1 / LOG_UNIT``.

    Examples
    --------
    >>> log_scores(np.array([1.0, 0.5])).tolist()
    [0, -726817]
    """
    scores: Int32 = np.rint(np.log(np.maximum(probability, MIN_PROBABILITY)) * LOG_UNIT).astype(
        np.int32
    )
    return scores


@dataclass(frozen=True, eq=False)
class Transitions:
    """The scores of tags after two others, in arrays for the kernel.

    Attributes
    ----------
    lambdas : tuple of three floats
        The weights of unigrams, bigrams and trigrams.
    context : int32[(n+1) ** 2]
        The index of each pair of tags, -1 if the pair does not occur.
    context_start : int64[C+1]
        The trigrams of pair ``c`` are ``context_start[c] .. context_start[c+1]-1``.
    trigram_tag, trigram_score : int32 arrays
        The third tag, ascending within a pair, and its score.
    bigram_score : int32[(n+1) ** 2]
        The score of a tag after another if the trigram does not occur.
    """

    lambdas: tuple[float, float, float]
    context: Int32
    context_start: Int64
    trigram_tag: Int32
    trigram_score: Int32
    bigram_score: Int32

    @classmethod
    def of(cls, counts: TnTCounts) -> Transitions:
        """Interpolate the relative frequencies (Brants 2000, section 2.2).

        The end of a sentence is a tag like others (as in nltk).
        """
        base = counts.tags + 1
        first, two, three = counts.trigrams.T.astype(np.int64)
        count = counts.trigram_count
        unigram = counts.tag_counts()
        bigram = np.zeros(base * base, np.int64)
        np.add.at(bigram, two * base + three, count)
        after_one = bigram.reshape(base, base).sum(axis=1)
        contexts, context_numbers = np.unique(first * base + two, return_inverse=True)
        after_two = np.zeros(len(contexts), np.int64)
        np.add.at(after_two, context_numbers, count)
        lambdas = _lambdas(
            count,
            (
                (unigram[three], np.full(len(three), count.sum())),
                (bigram[two * base + three], after_one[two]),
                (count, after_two[context_numbers]),
            ),
        )
        share = unigram / count.sum()
        table = bigram.reshape(base, base) / np.maximum(after_one, 1)[:, None]
        smooth = lambdas[0] * share[None, :] + lambdas[1] * table
        context = np.full(base * base, -1, np.int32)
        context[contexts] = np.arange(len(contexts))
        exact = smooth[two, three] + lambdas[2] * (count / after_two[context_numbers])
        return cls(
            lambdas,
            context,
            np.append(0, np.cumsum(np.bincount(context_numbers))),
            three.astype(np.int32),
            log_scores(exact),
            log_scores(smooth.reshape(-1)),
        )

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The arrays in the order of the kernel's arguments."""
        scores = (self.trigram_tag, self.trigram_score, self.bigram_score)
        return (self.context, self.context_start, *scores)


def _lambdas(count: Int64, orders: tuple[tuple[Int64, Int64], ...]) -> tuple[float, float, float]:
    """Return the weights of unigrams, bigrams and trigrams by deleted interpolation.

    Each trigram counts for the n-gram order that predicts it best when one occurrence is left out;
    equal orders share it (in sixths, to stay with integers).

    Parameters
    ----------
    count : int64[T]
        The frequency of each trigram.
    orders : three pairs of int64[T]
        Per order, the frequency of the n-gram and that of its context.
    """
    left_out = np.stack(
        [np.where(total > 1, (seen - 1) / np.maximum(total - 1, 1), 0.0) for seen, total in orders]
    )
    best = left_out == left_out.max(axis=0)
    shares = (best * (6 * count // best.sum(axis=0))).sum(axis=1).tolist()
    total = sum(shares)
    return shares[0] / total, shares[1] / total, shares[2] / total


@dataclass(frozen=True, eq=False)
class Lattice:
    """Nodes and arcs of the lattices of some sentences, in arrays that kernels fill.

    Attributes
    ----------
    position_nodes : int64[P+1]
        The nodes of position ``p`` are ``position_nodes[p] .. position_nodes[p+1]-1``; a sentence
        has a position for each word and one for its end.
    node_tag, node_before : int32 arrays
        The tags of a node's word and of the word before.
    node_score : int64 array
        The score of the best path to a node.
    node_arcs : int64 array
        The arcs to node ``n`` are ``node_arcs[n] .. node_arcs[n+1]-1``.
    arc_from, arc_score : int64 arrays
        The node that an arc comes from, -1 for the start, and the score of the arc.
    """

    position_nodes: Int64
    node_tag: Int32
    node_before: Int32
    node_score: Int64
    node_arcs: Int64
    arc_from: Int64
    arc_score: Int64

    @classmethod
    def room(cls, positions: int, nodes: int, arcs: int) -> Lattice:
        """Return an empty lattice with room for a number of positions, nodes and arcs."""
        return cls(
            np.zeros(positions + 1, np.int64),
            np.empty(nodes, np.int32),
            np.empty(nodes, np.int32),
            np.empty(nodes, np.int64),
            np.zeros(nodes + 1, np.int64),
            np.empty(arcs, np.int64),
            np.empty(arcs, np.int64),
        )

    @property
    def arrays(self) -> tuple[Int64, Int32, Int32, Int64, Int64, Int64, Int64]:
        """All arrays, in the order of the kernels' arguments."""
        nodes = (self.node_tag, self.node_before, self.node_score, self.node_arcs)
        return (self.position_nodes, *nodes, self.arc_from, self.arc_score)

    def best(self, offsets: Int64, first: int, last: int, k: int) -> TagSequences:
        """Return the `k` best tag sequences of each of the sentences ``first .. last-1``.

        Parameters
        ----------
        offsets : int64[S+1]
            The offsets of all sentences; the lattice has the words of ``first .. last-1``.
        k : int
            At least 1.

        Returns
        -------
        tags : int32 array
            The concatenated sequences, best first within a sentence.
        counts : int64 array
            The number of sequences of each sentence.
        scores : int64 array
            The score of each sequence.
        """
        lengths = np.diff(offsets[first : last + 1])
        tags = np.empty(k * int(lengths.sum()), np.int32)
        scores = np.empty(k * (last - first), np.int64)
        counts = np.zeros(len(offsets) - 1, np.int64)
        nodes = (self.position_nodes, self.node_tag, self.node_arcs)
        inputs = (*nodes, self.arc_from, self.arc_score, offsets, k, int(lengths.max(initial=0)))
        call(kernel.best_paths, *inputs, tags, scores, counts, first, last)
        counts = counts[first:last]
        ranks = np.arange(k)
        filled = np.repeat(np.minimum(counts, k) * lengths, k * lengths)
        is_filled = concat_ranges(0, k * lengths) < filled
        return tags[is_filled], counts, scores.reshape(-1, k)[ranks < counts[:, None]]


class SequenceTagger(ABC):
    """Base class of taggers that find the best tag sequences of sentences, on several threads.

    Attributes
    ----------
    tag_set : TagSet
    unit : int
        Scores of sequences are multiples of ``1 / unit``.
    """

    tag_set: TagSet
    unit: ClassVar[int]

    @abstractmethod
    def find_sequences(
        self, form: Column, offsets: Int64, k: int, choices: Choices | None, *, lists: bool
    ) -> TagSequences:
        """Return up to `k` tag sequences of each sentence, from the tags its words may have."""

    @abstractmethod
    def piece(self, *, lists: bool) -> int:
        """Return the number of words tagged at a time, after building tables that threads share."""

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags.

        Parameters
        ----------
        sentences : Treebank
            Only the forms are used.

        Returns
        -------
        Treebank
            With the columns that the tagger was trained on: ``upos``, ``xpos``, and ``feats`` if
            it learned them; the rest is as it was.
        """
        return self.tag_set.write(
            sentences, self._find_in_pieces(sentences, 1, None, lists=False)[0]
        )

    def complete(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags that agree with the tags they have.

        Parameters
        ----------
        sentences : Treebank
            A word with one of UPOS and XPOS gets the other from the pairs of the training data
            with that tag.
        """
        choices = self.tag_set.choices(sentences)
        return self.tag_set.write(
            sentences, self._find_in_pieces(sentences, 1, choices, lists=False)[0]
        )

    def kbest_tags(self, sentences: Treebank, k: int) -> KBest:
        """Return up to `k` distinct tag sequences of each sentence, best first.

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096

        Returns
        -------
        KBest
            Trees without heads; a score is a log probability (TnT) or a sum of weights. A
            shorter list is the beginning of a longer one.

        Raises
        ------
        UsageError
            If `k` is not from 1 to 4096.
        """
        whole_number("k", k, most=MAX_SEQUENCES)
        tags, counts, scores = self._find_in_pieces(sentences, k, None, lists=True)
        heads = np.full(len(tags), NO_HEAD, np.int32)
        columns = {"heads": heads, **self.tag_set.columns_of(tags)}
        return KBest.of(sentences, counts, scores / self.unit, **columns)

    def _find_in_pieces(
        self, sentences: Treebank, k: int, choices: Choices | None, *, lists: bool
    ) -> tuple[Any, ...]:
        """Return the tag sequences of all sentences, some sentences at a time on each thread."""
        offsets = sentences.offsets

        def work(span: tuple[int, int]) -> TagSequences:
            cut = offsets[span[0] : span[1] + 1]
            words = slice(int(cut[0]), int(cut[-1]))
            piece_choices = choices and (choices[0][words], choices[1])
            return self.find_sequences(
                sentences.form[words], cut - cut[0], k, piece_choices, lists=lists
            )

        # Each sentence counts as a further word, since there may be many empty ones.
        weights = offsets + np.arange(len(offsets))
        pieces = run_pieces(work, piece_spans(weights, max(1, self.piece(lists=lists) // k)))
        return concatenate_pieces(pieces, np.int32, np.int64, np.int64)
