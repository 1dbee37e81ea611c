"""The decoder: a search over phrases, lines of text in, translations and derivations out."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.pharaoh import Pharaoh
from wordorder.arrays import (
    Float32,
    Float64,
    Int32,
    Int64,
    Ragged,
    UInt8,
    concat_ranges,
    row_offsets,
)
from wordorder.errors import UsageError, whole_number
from wordorder.kernels import call, run_pieces, translation as kernel
from wordorder.kernels._common import GOLDEN
from wordorder.text.raw_lines import RawLines
from wordorder.text.vocabulary import number_lines
from wordorder.translation.language_model import LanguageModel, as_raw
from wordorder.translation.model import FEATURES, TranslationModel
from wordorder.translation.ngrams import SPECIAL
from wordorder.translation.phrase_table import PhraseTable

if TYPE_CHECKING:
    from wordorder.order.orders import Orders
    from wordorder.training.tuning.nbest import NBest


BEAM = 40

# Sentences that are searched between two looks for an interrupt.
AT_A_TIME = 64

# The number of words after the first free one that a set of 64 bits can represent.
WIDEST = 63

UNKNOWN = FEATURES.index("UnknownWordPenalty0_0")
LANGUAGE = FEATURES.index("LM0_0")

# Hypotheses are dropped whose estimated score is so far below the best of their stack, times the
# sum of the weights' sizes (but that of unknown words: all hypotheses copy the same ones). In a
# monotone stack all have translated the same words, so that they can be compared better. Lists
# need the worse ones.
THRESHOLD, MONOTONE_THRESHOLD = 2.0, 0.7

# What the language model may like better than the estimate, in nats: a phrase that cannot stay in
# its stack even so is not tried, before its first word was asked and after.
MARGIN, MARGIN_BEHIND = 3.0, 0.5

# As the kernel has it.
SPARSER = 2

# What the kernel has room for at first; it grows.
ROOM = 1 << 12


class Decoder:
    """Translates lines by a phrase-based model.

    Parameters
    ----------
    model : TranslationModel
    weights : float64[15], optional
        One for each of `wordorder.translation.model.FEATURES`; without them the model's.
    window : int, optional
        How many words may be jumped over between two phrases, 0 to keep their order; the words
        that were left free must stay within reach. Without it the model's. At most 63 count.
    beam : int
        Hypotheses that are kept for each number of translated words.
    nbest : int
        Translations of a line at most, all different.

    Raises
    ------
    UsageError
        If a number is out of its range.

    Notes
    -----
    Stack decoding (Koehn, Och & Marcu 2003) with a threshold (Koehn 2004): hypotheses far below the
    best of their stack are dropped. Lists are taken from the lattice, the best derivation first
    (Huang & Chiang 2005), and are exact but for what the beam lost. The distance feature is as
    Moses has it: each phrase counts the words between it and the end of the phrase before; the end
    of the sentence does not count. Time and memory grow with the length of a line, by about 70
    kilobytes a word with the beam of 40 and a window of 4.
    """

    def __init__(
        self,
        model: TranslationModel,
        *,
        weights: Sequence[float] | Float64 | None = None,
        window: int | None = None,
        beam: int = BEAM,
        nbest: int = 1,
    ) -> None:
        self.model = model
        self.search = PhraseSearch(
            model.phrases,
            model.language_model,
            np.array(model.weights if weights is None else weights, np.float64),
            model.window if window is None else window,
            beam,
            nbest,
            jumps=model.jumps,
        )

    def translate(
        self, lines: RawLines | Sequence[str], orders: Orders | None = None
    ) -> Translated:
        """Translate lines, words separated by blanks.

        Parameters
        ----------
        lines : lines
        orders : Orders, optional
            The order of the words of each line; needed if the model puts them in order, which
            ``model.preordering.begin(name).orders(lines)`` does.

        Returns
        -------
        Translated
        """
        rows, vocabulary = number_lines(as_raw(lines))
        words = vocabulary.words
        if self.model.case == "lower":
            words = [word.lower() for word in words]
        positions = None
        values = rows.values
        if orders is not None:
            positions = orders.positions.values
            values = values[positions + np.repeat(rows.offsets[:-1], rows.lengths)]
        word_numbers, copied = self._numbers(words)
        numbers = Ragged(word_numbers[values], rows.offsets)
        derivations = self.search.find(numbers, copied[values])
        table = self.model.phrases
        counts = _counts(table.target_offsets, derivations.entry)
        source = self.model.source_numbers
        # What is not known, but would be in lower case.
        lower = [
            not n and w.lower() in source for w, n in zip(words, word_numbers.tolist(), strict=True)
        ]
        return Translated(
            len(rows),
            derivations.sentence,
            self._texts(
                derivations, counts, values + len(self.model.target_words), rows.offsets, words
            ),
            self._links(derivations, counts, positions, rows.offsets),
            derivations.features,
            derivations.scores,
            len(values),
            int(np.count_nonzero(numbers.values == 0)),
            int(np.count_nonzero(np.array(lower, np.bool_)[values])),
        )

    def _numbers(self, words: list[str]) -> tuple[Int32, Int32]:
        """Return the number of each source word, and the target word that a copy of it is.

        The latter is below 0 for a word that the language model does not know.
        """
        source, target = self.model.source_numbers, self.model.language_model.numbers
        word_numbers = np.array([source.get(word, 0) for word in words], np.int32)
        unknown_words: dict[str, int] = {}
        copies = []
        for word in words:
            number = target.get(word, 0)
            if number < len(SPECIAL):
                number = unknown_words.setdefault(word, -1 - len(unknown_words))
            copies.append(number)
        return word_numbers, np.array(copies, np.int32)

    def _texts(
        self,
        derivations: Derivations,
        counts: Int64,
        copies: Int32,
        offsets: Int64,
        words: list[str],
    ) -> tuple[str, ...]:
        """Return the text of each translation.

        A target word has its own number; source word `i` of these lines comes behind all of them.
        """
        table, target_words = self.model.phrases, self.model.target_words
        copied = derivations.entry < 0
        starts = np.where(copied, 0, table.target_offsets[derivations.entry])
        places = concat_ranges(starts, counts)
        numbers = table.target_words[places] if len(table.target_words) else places
        sentence = np.repeat(derivations.sentence, np.diff(derivations.offsets))[copied]
        ends = np.cumsum(counts)
        numbers[ends[copied] - 1] = copies[offsets[sentence] + derivations.start[copied]]
        size = len(target_words)
        output_words = [target_words[n] if n < size else words[n - size] for n in numbers.tolist()]
        bounds = np.concatenate([np.zeros(1, np.int64), ends])[derivations.offsets].tolist()
        return tuple(" ".join(output_words[a:b]) for a, b in pairwise(bounds))

    def _links(
        self, derivations: Derivations, counts: Int64, positions: Int32 | None, offsets: Int64
    ) -> Alignments:
        """Return the links of each translation, with source positions as they were given."""
        table = self.model.phrases
        phrases = np.diff(derivations.offsets)
        copied = derivations.entry < 0
        links = _counts(table.link_offsets, derivations.entry)
        places = concat_ranges(np.where(copied, 0, table.link_offsets[derivations.entry]), links)
        inside = table.links[places] if len(table.links) else np.zeros((len(places), 2), np.int32)
        inside[np.repeat(copied, links)] = 0
        # Where each phrase begins in its translation.
        begins = np.cumsum(counts) - counts
        firsts = np.append(begins, 0)[np.minimum(derivations.offsets[:-1], len(begins))]
        begins = begins - np.repeat(firsts, phrases)
        source = inside[:, 0] + np.repeat(derivations.start, links)
        target = (inside[:, 1] + np.repeat(begins, links)).astype(np.int32)
        translation = np.repeat(np.repeat(np.arange(len(derivations)), phrases), links)
        if positions is not None:
            source = positions[offsets[derivations.sentence[translation]] + source]
        order = np.lexsort((target, source, translation))
        return Alignments(source[order], target[order], row_offsets(links)[derivations.offsets])


def _counts(offsets: Int64, entries: Int64) -> Int64:
    """Return how many words, or links, an entry has; a copied word, entry -1, has one."""
    if len(offsets) < 2:
        return np.ones(len(entries), np.int64)
    return np.where(entries < 0, 1, np.diff(offsets)[entries])


@dataclass(frozen=True, eq=False)
class Derivations:
    """Translations as rows of phrases, the best of each sentence first.

    Attributes
    ----------
    sentence : int64[C]
        The sentence that each translates, not falling. A sentence without words has one, which has
        no phrases, and all features 0.
    offsets : int64[C+1]
        Where the phrases of each begin.
    entry : int64[]
        The entry of the phrase table that each phrase is; -1 for a source word that is copied.
    start, length : int32[]
        Its first word and its words in the source.
    features : float64[C, 15]
        As `wordorder.translation.model` names them, rounded to six decimals.
    scores : float64[C]
        The features, weighted and summed up one after the other.
    """

    sentence: Int64
    offsets: Int64
    entry: Int64
    start: Int32
    length: Int32
    features: Float64
    scores: Float64

    def __len__(self) -> int:
        return len(self.sentence)

    @classmethod
    def of(
        cls, parts: list[tuple[Int64, Int64, Float64, Int64, Int32, Int32]], blank: Int64
    ) -> Derivations:
        """Put parts together as kernels write them, without scores; `blank` lacks words."""
        longs, ints = np.zeros(0, np.int64), np.zeros(0, np.int32)
        features = np.zeros((len(blank), len(FEATURES)))
        parts = [(blank, np.zeros_like(blank), features, longs, ints, ints), *parts]
        # Where the phrases of each part begin among those of all.
        shifts = np.cumsum([0, *(len(part[3]) for part in parts)])
        begins = [part[1] + shift for part, shift in zip(parts, shifts[:-1], strict=True)]
        rows, _, features, entry, start, length = map(np.concatenate, zip(*parts, strict=True))
        offsets = np.append(np.concatenate(begins), shifts[-1])
        return cls(rows, offsets, entry, start, length, features, np.zeros(0))

    def scored(self, weights: Float64) -> Derivations:
        """Return them with scores, those of a sentence in the order of their scores."""
        features = np.round(self.features, 6) + 0.0
        scores = np.zeros(len(self))
        # Feature by feature, so that equal translations have equal scores.
        for column, weight in zip(features.T, weights.tolist(), strict=True):
            scores += column * weight
        order = np.lexsort((-scores, self.sentence))
        counts = np.diff(self.offsets)[order]
        offsets = row_offsets(counts)
        places = concat_ranges(self.offsets[:-1][order], counts)
        phrases = self.entry[places], self.start[places], self.length[places]
        sentence = self.sentence[order]
        return Derivations(sentence, offsets, *phrases, features[order], scores[order])


@dataclass(frozen=True, eq=False)
class PhraseSearch:
    """Finds the best translations under given weights.

    Parameters
    ----------
    phrases : PhraseTable
    language_model : LanguageModel
        Over the words of the table's target phrases.
    weights : float64[15]
        Of `wordorder.translation.model.FEATURES`.
    window : int
        Words between the end of a phrase and the start of the next, at most; 0 is monotone. A
        window above 63 counts as 63.
    beam : int
        Hypotheses that a stack keeps.
    nbest : int
        Translations of a sentence at most, all with different words.
    threshold : float, optional
        Hypotheses are dropped whose estimated score is below the best of their stack by more than
        this times the sum of the weights' sizes, without that of unknown words. 2 unless it is
        given, 0.7 in monotone search, and none for lists.
    jumps : float32[V+1, 5], optional
        Of a maximum-entropy reordering model; see `wordorder.translation.model.TranslationModel`.

    Raises
    ------
    UsageError
        If a number is out of its range, or there is not a weight a feature.
    """

    phrases: PhraseTable
    language_model: LanguageModel
    weights: Float64
    window: int = 4
    beam: int = BEAM
    nbest: int = 1
    threshold: float | None = None
    jumps: Float32 | None = None
    # Kernels that no thread uses.
    _idle: deque[Any] = field(default_factory=deque, init=False, repr=False)

    def __post_init__(self) -> None:
        for name, least in (("window", 0), ("beam", 1), ("nbest", 1)):
            whole_number(name, getattr(self, name), least)
        if self.threshold is not None and not self.threshold >= 0:
            raise UsageError(f"threshold is a number of at least 0, not {self.threshold!r}")
        weights = np.asarray(self.weights)
        if weights.shape != (len(FEATURES),) or not np.isfinite(weights).all():
            raise UsageError(f"{weights.size} weights; expected {len(FEATURES)} finite numbers")
        if self.phrases.longest > WIDEST:
            raise UsageError(f"source phrases of {self.phrases.longest} words; at most {WIDEST}")

    @cached_property
    def listed_bits(self) -> UInt8:
        """Which hashes of n-grams there are: small enough for a cache that the table is not.

        Most n-grams that the search asks for are not in the language model.
        """
        model = self.language_model
        keys = model.keys[model.keys != -1].astype(np.uint64)
        bits = np.zeros(len(model.keys) << SPARSER, np.bool_)
        bits[(keys * np.uint64(GOLDEN)) >> np.uint64(model.shift - SPARSER)] = True
        return np.packbits(bits, bitorder="little")

    def find(self, sentences: Ragged, copied: Int32) -> Derivations:
        """Return the best translations of each sentence.

        Parameters
        ----------
        sentences : Ragged
            Source words by number, 0 where a word is not known.
        copied : int32[]
            What each word becomes where no phrase translates it alone: a target word, or below 0
            a word that the language model does not know. Equal for equal words.

        Returns
        -------
        Derivations
        """
        longest = max(self.phrases.longest, 1)
        if self.phrases.longest:
            first, last = self.phrases.options(sentences)
        else:
            first = last = np.zeros(len(sentences.values), np.int64)
        odds = np.zeros(0)
        if self.jumps is not None:
            # Most models have none.
            from wordorder.translation.jumps import jump_odds

            odds = jump_odds(self.jumps, sentences)
        arrays = sentences.offsets, np.ascontiguousarray(copied, np.int32), first, last, odds
        # The largest number of options of a sentence: entries, and a copy of each word.
        sums = row_offsets(last - first)
        options = np.diff(sums[sentences.offsets * longest]) + sentences.lengths

        def work(begin: int) -> Any:
            rows = slice(begin, min(begin + AT_A_TIME, len(sentences)))
            mine = self._decoder()
            mine.prepare(int(sentences.lengths[rows].max()), int(options[rows].max()))
            call(kernel.decode, mine, *arrays, rows.start, rows.stop)
            row, begins, features, entry, start, length = map(np.array, mine.take_results())
            self._idle.append(mine)
            return row, begins, features.reshape(-1, len(FEATURES)), entry, start, length

        parts = run_pieces(work, range(0, len(sentences), AT_A_TIME))
        blank = np.flatnonzero(sentences.lengths == 0)
        return Derivations.of(parts, blank).scored(self.weights)

    def _decoder(self) -> Any:
        """Return a kernel that no other thread uses."""
        try:
            return self._idle.pop()
        except IndexError:
            pass
        table, model = self.phrases, self.language_model
        weights = np.asarray(self.weights, np.float64)
        likes = max(float(weights[LANGUAGE]), 0.0)
        threshold = self.threshold
        if threshold is None:
            threshold = THRESHOLD if self.window else MONOTONE_THRESHOLD
            threshold = threshold if self.nbest == 1 else math.inf
        return call(
            kernel.StackDecoder,
            *(table.target_offsets, table.target_words, len(model.words)),
            *(table.scores.reshape(-1), table.reordering.reshape(-1)),
            *(model.probability, model.backoff, model.suffix, model.following),
            *(model.keys, model.nodes, model.shift, self.listed_bits),
            weights,
            *(max(table.longest, 1), int(np.diff(table.target_offsets).max(initial=1))),
            *(min(self.window, WIDEST), self.beam),
            # Zero times infinity is no number.
            threshold * max(float(np.abs(weights[:UNKNOWN]).sum()), 1e-9),
            *(MARGIN * likes, MARGIN_BEHIND * likes),
            *(self.nbest, self.jumps is not None, ROOM),
        )


@dataclass(frozen=True, eq=False)
class Translated:
    """What lines were translated into.

    Attributes
    ----------
    size : int
        Lines.
    sentence : int64[C]
        The line that each translation is of, from 0, not falling; the best comes first. A line
        without words has one, which is empty.
    texts : tuple of str
        The C translations. Those of one line are all different.
    links : Alignments
        Of each translation: positions in the source as it was given, before it was put in order,
        and in the translation.
    features : float64[C, 15]
        As `wordorder.translation.model.FEATURES` names them.
    scores : float64[C]
        Features times weights.
    source_words, unknown_words : int
        Words of all lines, and those that the model does not know. They are copied.
    unknown_capitals : int
        Those among them that it knows in lower case.
    """

    size: int
    sentence: Int64
    texts: tuple[str, ...]
    links: Alignments
    features: Float64
    scores: Float64
    source_words: int
    unknown_words: int
    unknown_capitals: int

    def __len__(self) -> int:
        return self.size

    @cached_property
    def _first(self) -> Int64:
        """The best translation of each line."""
        return np.searchsorted(self.sentence, np.arange(self.size))

    @property
    def lines(self) -> list[str]:
        """The best translation of each line."""
        return [self.texts[row] for row in self._first.tolist()]

    @property
    def alignments(self) -> Alignments:
        """The links of the best translation of each line."""
        return self.links.take(self._first)

    def nbest(self, path: str = "translations") -> NBest:
        """Return the lists as tuning reads them.

        Parameters
        ----------
        path : str
            What messages call them.
        """
        from wordorder.training.tuning.nbest import NBest

        places = np.arange(1, len(self.sentence) + 1)
        return NBest(
            self.sentence,
            self.texts,
            self.features,
            FEATURES,
            self.scores,
            tuple(Pharaoh().rows(self.links)),
            (path,),
            np.column_stack([np.zeros_like(places), places]),
        )

    def nbest_lines(self, before: int = 0) -> Iterator[str]:
        """Yield the lists in Moses' notation, sentences numbered from `before` on."""

        nbest = self.nbest()
        return replace(nbest, sentence=nbest.sentence + before).lines()
