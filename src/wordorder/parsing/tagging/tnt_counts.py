"""Counts of TnT in tagged text: words, suffixes, transitions; and lattices of the best tags."""

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

# No count is larger: sums of all of them stay far within 64 bits.
MOST = 1 << 40

# Words that occur more often say nothing of unknown ones; longer endings nothing more.
MOST_COUNT = 10
LONGEST = 10

# Scores are natural logarithms in whole numbers of 2**-20: what comes after the 16th digit, in
# which machines differ, has no part in them.
LOG_UNIT = 1 << 20

# The logarithm of nothing.
FLOOR = 1e-300

# Consecutive sentences, and the sequences of each: concatenated tags, their number and
# score by sentence.
Found = tuple[Int32, Int64, Int64]

# What a longer list costs grows with the square of its length.
MOST_SEQUENCES = 1 << 12


@dataclass(frozen=True, eq=False)
class TnTCounts:
    """Counts of tag trigrams and of words with their tags.

    Attributes
    ----------
    tags : int
        How many tags there are; this number itself is the boundary before and after a
        sentence.
    trigrams : int32[T, 3]
        The trigrams that occur, sorted; there are two boundaries before a sentence, one after it.
    trigram_count : int64[T]
    words : list of str
    word_start : int64[W+1]
        The tags of word ``w`` are ``word_start[w] .. word_start[w+1]-1`` of the next two.
    word_tag : int32 array
        Rises within a word.
    word_count : int64 array
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
        # Each sentence with two boundaries before and one after it; the last is of the next.
        padded = np.full(len(gold) + 3 * sentences, tags, np.int64)
        sentence = np.repeat(np.arange(sentences), np.diff(offsets))
        padded[np.arange(len(gold)) + 3 * sentence + 2] = gold
        ends = np.ones(len(padded), bool)
        begins = offsets[:-1] + 3 * np.arange(sentences)
        ends[begins] = ends[begins + 1] = False
        last = np.flatnonzero(ends)
        base = tags + 1
        codes = (padded[last - 2] * base + padded[last - 1]) * base + padded[last]
        different, trigram_count = np.unique(codes, return_counts=True)
        first_pair, third = np.divmod(different, base)
        trigrams = np.stack([*np.divmod(first_pair, base), third], axis=1).astype(np.int32)
        numbers: dict[str, int] = {}
        form_words = form.vocabulary.words
        table = [numbers.setdefault(word, len(numbers)) for word in form_words]
        words = np.array(table, np.int64)[form.codes]
        pairs, times = np.unique(words * tags + gold, return_counts=True)
        word, tag = np.divmod(pairs, tags)
        # Sorted by their letters, so that the order of sentences does not matter.
        names = list(numbers)
        used = np.unique(word).tolist()
        order = sorted(used, key=names.__getitem__)
        place = np.zeros(len(names), np.int64)
        place[order] = np.arange(len(order))
        by_name = np.lexsort((tag, place[word]))
        start = np.append(0, np.cumsum(np.bincount(place[word], minlength=len(order))))
        return cls(
            tags,
            trigrams,
            trigram_count,
            [names[number] for number in order],
            start,
            tag[by_name].astype(np.int32),
            times[by_name],
        )

    def tag_counts(self) -> Int64:
        """Return the frequency of each tag; the last one is the boundary after sentences."""
        totals = np.zeros(self.tags + 1, np.int64)
        np.add.at(totals, self.trigrams[:, 2], self.trigram_count)
        return totals

    def arrays(self) -> dict[str, Array]:
        """Return its arrays by name."""
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
        """Rebuild it from its saved state; ModelError if that is inconsistent."""
        words = strings_from_arrays("words", arrays)
        number = numbers_from_arrays("words.tags", arrays, tags, least=1)
        word_tag = numbers_from_arrays("words.tag", arrays, tags - 1)
        word_count = numbers_from_arrays("words.count", arrays, MOST, least=1, kind="i8")
        trigrams = numbers_from_arrays("trigrams", arrays, tags)
        trigram_count = numbers_from_arrays("trigrams.count", arrays, MOST, least=1, kind="i8")
        if len(trigrams) != 3 * len(trigram_count) or not len(trigram_count):
            raise ModelError("trigrams: not three tags for each count")
        if len(number) != len(words) or int(number.sum(dtype=np.int64)) != len(word_tag):
            raise ModelError("words.tags: do not add up")
        if len(word_count) != len(word_tag):
            raise ModelError("words.count: not one for each tag")
        start = np.append(0, np.cumsum(number, dtype=np.int64))
        word = np.repeat(np.arange(len(words)), number)
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
        The share of each tag.
    theta : float
        The weight of the shorter suffix: the standard deviation of the shares.
    """

    def __init__(self, counts: TnTCounts) -> None:
        number = counts.tag_counts()[:-1]
        total = int(number.sum())
        self.prior = number / total
        # In whole numbers up to the root: the same everywhere.
        tags = len(number)
        squares = sum(count * count for count in number.tolist())
        concat_ranges = (tags * squares - total * total) / (tags * max(tags - 1, 1))
        self.theta = math.sqrt(concat_ranges) / total
        word = np.repeat(np.arange(len(counts.words)), np.diff(counts.word_start))
        totals = np.zeros(len(counts.words), np.int64)
        np.add.at(totals, word, counts.word_count)
        rare = totals <= MOST_COUNT
        rare[[not name for name in counts.words]] = False
        # A suffix, behind a 1 where the word begins with a capital, and its number.
        self._numbers: dict[str, int] = {}
        nodes = np.full((len(counts.words), LONGEST), -1, np.int64)
        for place in np.flatnonzero(rare).tolist():
            for length, suffix in enumerate(_suffixes(counts.words[place])):
                nodes[place, length] = self._numbers.setdefault(suffix, len(self._numbers))
        rare_entries = np.flatnonzero(rare[word])
        node = nodes[word[rare_entries]]
        codes = (node * tags + counts.word_tag[rare_entries, None])[node >= 0]
        times = np.broadcast_to(counts.word_count[rare_entries, None], node.shape)[node >= 0]
        different, places = np.unique(codes, return_inverse=True)
        self._count = np.zeros(len(different), np.int64)
        np.add.at(self._count, places, times)
        owner, self._tag = np.divmod(different, tags)
        self._start = np.append(0, np.cumsum(np.bincount(owner, minlength=len(self._numbers))))

    def probabilities(self, words: Sequence[str]) -> Float64:
        """Return the probability of each tag for each word, float64[W, n].

        Notes
        -----
        From the share of the tag in all text on, each longer suffix ``s`` that occurs gives
        ``P(t|s) = (c(s, t) / c(s) + theta P(t|s')) / (1 + theta)``, with ``s'`` the one before.
        """
        estimates = np.tile(self.prior, (len(words), 1))
        nodes = np.full((LONGEST, len(words)), -1, np.int64)
        for place, word in enumerate(words):
            for length, suffix in enumerate(_suffixes(word)):
                number = self._numbers.get(suffix)
                if number is None:
                    break
                nodes[length, place] = number
        for level in nodes:
            rows = np.flatnonzero(level >= 0)
            if not len(rows):
                break
            node = level[rows]
            sizes = self._start[node + 1] - self._start[node]
            row = np.repeat(np.arange(len(rows)), sizes)
            places = concat_ranges(self._start[node], sizes)
            seen = np.zeros((len(rows), len(self.prior)))
            seen[row, self._tag[places]] = self._count[places]
            seen /= seen.sum(axis=1, keepdims=True)
            estimates[rows] = (seen + self.theta * estimates[rows]) / (1 + self.theta)
        return estimates


def _suffixes(word: str) -> list[str]:
    """Return the keys of a word's suffixes, the shortest first."""
    mark = "1" if word[:1].isupper() else "0"
    return [mark + word[-length:] for length in range(1, min(len(word), LONGEST) + 1)]


def log_scores(probability: Float64) -> Int32:
    """Return the logarithms of probabilities in whole numbers of ``1 / LOG_UNIT``.

    Examples
    --------
    >>> log_scores(np.array([1.0, 0.5])).tolist()
    [0, -726817]
    """
    scores: Int32 = np.rint(np.log(np.maximum(probability, FLOOR)) * LOG_UNIT).astype(np.int32)
    return scores


@dataclass(frozen=True, eq=False)
class Transitions:
    """Scores of tags after two others, as the kernel reads them.

    Attributes
    ----------
    lambdas : tuple of three floats
        The weights of unigrams, bigrams and trigrams.
    context : int32[(n+1) ** 2]
        The number of a pair of tags, -1 if it does not occur.
    context_start : int64[C+1]
        The trigrams of pair ``c`` are ``context_start[c] .. context_start[c+1]-1``.
    trigram_tag, trigram_score : int32 arrays
        The third tag and its score; the tags rise within a pair.
    bigram_score : int32[(n+1) ** 2]
        The score of a tag after another, where the trigram does not occur.
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
        contexts, number = np.unique(first * base + two, return_inverse=True)
        after_two = np.zeros(len(contexts), np.int64)
        np.add.at(after_two, number, count)
        lambdas = _lambdas(
            count,
            (
                (unigram[three], np.full(len(three), count.sum())),
                (bigram[two * base + three], after_one[two]),
                (count, after_two[number]),
            ),
        )
        share = unigram / count.sum()
        table = bigram.reshape(base, base) / np.maximum(after_one, 1)[:, None]
        smooth = lambdas[0] * share[None, :] + lambdas[1] * table
        context = np.full(base * base, -1, np.int32)
        context[contexts] = np.arange(len(contexts))
        exact = smooth[two, three] + lambdas[2] * (count / after_two[number])
        return cls(
            lambdas,
            context,
            np.append(0, np.cumsum(np.bincount(number))),
            three.astype(np.int32),
            log_scores(exact),
            log_scores(smooth.reshape(-1)),
        )

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The arrays of the kernel."""
        scores = (self.trigram_tag, self.trigram_score, self.bigram_score)
        return (self.context, self.context_start, *scores)


def _lambdas(count: Int64, orders: tuple[tuple[Int64, Int64], ...]) -> tuple[float, float, float]:
    """Return the weights of the orders by deleted interpolation.

    Each trigram counts for the order that predicts it best when one occurrence is left out;
    equal ones share it (in sixths, which whole numbers can hold).
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
    """Nodes and arcs of the lattices of some sentences, as the kernels fill them.

    Attributes
    ----------
    position_nodes : int64[P+1]
        The nodes of position ``p`` are ``position_nodes[p] .. position_nodes[p+1]-1``; a sentence
        has a position for each word and one for its end.
    node_tag, node_before : int32 arrays
        The tags of a node's word and of the word before.
    node_score : int64 array
        The score of the best way to a node.
    node_arcs : int64 array
        The arcs of node ``n`` are ``node_arcs[n] .. node_arcs[n+1]-1``.
    arc_from, arc_score : int64 arrays
        The node that an arc comes from, -1 for the start; what it adds to the score.
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
        """Return an empty one."""
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
        """All arrays, in the order in which kernels take them."""
        nodes = (self.node_tag, self.node_before, self.node_score, self.node_arcs)
        return (self.position_nodes, *nodes, self.arc_from, self.arc_score)

    def best(self, offsets: Int64, first: int, last: int, k: int) -> Found:
        """Return up to `k` best tag sequences of each of the sentences ``first .. last-1``.

        Parameters
        ----------
        offsets : int64[S+1]
            Of the words of all sentences; the lattice has those of ``first .. last-1``.
        k : int
            At least 1.

        Returns
        -------
        tags : int32 array
            The concatenated sequences, best first within a sentence.
        counts : int64 array
            How many there are of each sentence.
        scores : int64 array
            Of each sequence.
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
    """Tags sentences by their best sequences of tags, some sentences at a time on each thread.

    Attributes
    ----------
    tag_set : TagSet
    unit : int
        Scores of sequences are whole numbers of ``1 / unit``.
    """

    tag_set: TagSet
    unit: ClassVar[int]

    @abstractmethod
    def find_sequences(
        self, form: Column, offsets: Int64, k: int, choices: Choices | None, *, lists: bool
    ) -> Found:
        """Return up to `k` tag sequences of some sentences, of the tags that words may have."""

    @abstractmethod
    def piece(self, *, lists: bool) -> int:
        """Return the number of words tagged at a time; fill the tables that threads share."""

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags.

        Parameters
        ----------
        sentences : Treebank
            Only the forms are looked at.

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
        """Return the same sentences with new tags that agree with those that they have.

        Parameters
        ----------
        sentences : Treebank
            A word that has one of its two tags gets the other from the pairs of the training
            data that hold the first.
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
            Its trees have no heads; a score is a log probability (TnT) or a sum of weights. A
            shorter list is the beginning of a longer one.

        Raises
        ------
        UsageError
            If `k` is not such a number.
        """
        whole_number("k", k, most=MOST_SEQUENCES)
        tags, counts, scores = self._find_in_pieces(sentences, k, None, lists=True)
        heads = np.full(len(tags), NO_HEAD, np.int32)
        columns = {"heads": heads, **self.tag_set.columns_of(tags)}
        return KBest.of(sentences, counts, scores / self.unit, **columns)

    def _find_in_pieces(
        self, sentences: Treebank, k: int, choices: Choices | None, *, lists: bool
    ) -> tuple[Any, ...]:
        """Return `Found` of all sentences, which are tagged in pieces."""
        offsets = sentences.offsets

        def work(span: tuple[int, int]) -> Found:
            cut = offsets[span[0] : span[1] + 1]
            words = slice(int(cut[0]), int(cut[-1]))
            piece_choices = choices and (choices[0][words], choices[1])
            return self.find_sequences(
                sentences.form[words], cut - cut[0], k, piece_choices, lists=lists
            )

        # Every sentence counts as a word too: there may be any number of empty ones.
        weights = offsets + np.arange(len(offsets))
        pieces = run_pieces(work, piece_spans(weights, max(1, self.piece(lists=lists) // k)))
        return concatenate_pieces(pieces, np.int32, np.int64, np.int64)
