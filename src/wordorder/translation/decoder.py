"""The decoder: translates lines of text by a search over phrases."""

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
from wordorder.translation.ngrams import SPECIAL_WORDS
from wordorder.translation.phrase_table import PhraseTable

if TYPE_CHECKING:
    from wordorder.order.orders import Orders
    from wordorder.training.tuning.nbest import NBest


DEFAULT_BEAM = 40

# The number of sentences between two checks for an interrupt.
CHUNK_SENTENCES = 64

# The kernel stores which words behind the first untranslated one are translated in 64 bits.
MAX_WINDOW = 63

UNKNOWN_FEATURE = FEATURES.index("UnknownWordPenalty0_0")
LANGUAGE_MODEL_FEATURE = FEATURES.index("LM0_0")

# A hypothesis is dropped if its estimated score is below the best of its stack by more than this
# times the sum of the absolute weights. The weight of unknown words is left out of the sum, since
# all hypotheses copy the same ones.
# In a monotone stack all hypotheses have translated the same words, so estimates are more
# comparable. N-best lists have no threshold.
THRESHOLD, MONOTONE_THRESHOLD = 2.0, 0.7

# By how many nats the language model may still exceed the estimate of a phrase: before the phrase
# is scored, and after its first word is. A phrase that would be dropped even so is not tried.
MARGIN, MARGIN_AFTER_FIRST_WORD = 3.0, 0.5

# The filter of n-grams has 2 ** 2 bits per slot of the hash table, as in the kernel.
FILTER_BITS = 2

# The number of hypotheses for which the kernel allocates memory at first.
INITIAL_CAPACITY = 1 << 12


class Decoder:
    """Translates lines with a phrase-based model.

    Parameters
    ----------
    model : TranslationModel
    weights : float64[15], optional
        The weight of each of `wordorder.translation.model.FEATURES`; by default the model's.
    window : int, optional
        The number of words that may be jumped over between two phrases; 0 keeps their order. A
        phrase behind an untranslated word ends within this many words, counted from that word. By
        default the model's; at most 63.
    beam : int
        The number of hypotheses that are kept per number of translated words.
    nbest : int
        The maximum number of translations per line, all different.

    Raises
    ------
    UsageError
        If a number is out of its range.

    Notes
    -----
    Stack decoding (Koehn, Och & Marcu 2003) with a threshold (Koehn 2004): hypotheses far below the
    best of their stack are dropped. N-best lists are extracted from the lattice, the best
    derivation first (Huang & Chiang 2005), and are exact except for pruned hypotheses. The distance
    feature is that of Moses: each phrase counts the words between it and the end of the previous
    phrase; the end of the sentence does not count. Time and memory grow with the length of a line,
    by about 70 kilobytes per word with a beam of 40 and a window of 4.
    """

    def __init__(
        self,
        model: TranslationModel,
        *,
        weights: Sequence[float] | Float64 | None = None,
        window: int | None = None,
        beam: int = DEFAULT_BEAM,
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
        """Translate lines of words separated by spaces.

        Parameters
        ----------
        lines : lines
        orders : Orders, optional
            The order of the words of each line, required if the model has a preordering:
            ``model.preordering.begin(name).orders(lines)``.

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
        source_ids, copy_ids = self._word_ids(words)
        source_rows = Ragged(source_ids[values], rows.offsets)
        derivations = self.search.find(source_rows, copy_ids[values])
        table = self.model.phrases
        target_lengths = _count_per_entry(table.target_offsets, derivations.entry)
        source = self.model.source_numbers
        # Words that are unknown, but known in lower case.
        known_in_lower_case = [
            not n and w.lower() in source for w, n in zip(words, source_ids.tolist(), strict=True)
        ]
        return Translated(
            len(rows),
            derivations.sentence,
            self._texts(
                derivations,
                target_lengths,
                values + len(self.model.target_words),
                rows.offsets,
                words,
            ),
            self._links(derivations, target_lengths, positions, rows.offsets),
            derivations.features,
            derivations.scores,
            len(values),
            int(np.count_nonzero(source_rows.values == 0)),
            int(np.count_nonzero(np.array(known_in_lower_case, np.bool_)[values])),
        )

    def _word_ids(self, words: list[str]) -> tuple[Int32, Int32]:
        """Return the source id of each word, and the target id of its copy.

        The source id is 0 for an unknown word; the target id is negative for a word that is unknown
        to the language model.
        """
        source, target = self.model.source_numbers, self.model.language_model.numbers
        source_ids = np.array([source.get(word, 0) for word in words], np.int32)
        unknown_words: dict[str, int] = {}
        copy_ids = []
        for word in words:
            target_id = target.get(word, 0)
            if target_id < len(SPECIAL_WORDS):
                target_id = unknown_words.setdefault(word, -1 - len(unknown_words))
            copy_ids.append(target_id)
        return source_ids, np.array(copy_ids, np.int32)

    def _texts(
        self,
        derivations: Derivations,
        target_lengths: Int64,
        copied_words: Int32,
        offsets: Int64,
        words: list[str],
    ) -> tuple[str, ...]:
        """Return the text of each translation.

        `copied_words` has for each source word its index in `words` plus the number of target
        words: the id of its copy.
        """
        table, target_words = self.model.phrases, self.model.target_words
        is_copied = derivations.entry < 0
        starts = np.where(is_copied, 0, table.target_offsets[derivations.entry])
        word_index = concat_ranges(starts, target_lengths)
        word_ids = table.target_words[word_index] if len(table.target_words) else word_index
        sentence = np.repeat(derivations.sentence, np.diff(derivations.offsets))[is_copied]
        ends = np.cumsum(target_lengths)
        word_ids[ends[is_copied] - 1] = copied_words[
            offsets[sentence] + derivations.start[is_copied]
        ]
        size = len(target_words)
        output_words = [target_words[n] if n < size else words[n - size] for n in word_ids.tolist()]
        bounds = np.concatenate([np.zeros(1, np.int64), ends])[derivations.offsets].tolist()
        return tuple(" ".join(output_words[a:b]) for a, b in pairwise(bounds))

    def _links(
        self, derivations: Derivations, counts: Int64, positions: Int32 | None, offsets: Int64
    ) -> Alignments:
        """Return the links of each translation, with positions in the original source order."""
        table = self.model.phrases
        phrase_counts = np.diff(derivations.offsets)
        is_copied = derivations.entry < 0
        link_counts = _count_per_entry(table.link_offsets, derivations.entry)
        link_index = concat_ranges(
            np.where(is_copied, 0, table.link_offsets[derivations.entry]), link_counts
        )
        phrase_links = (
            table.links[link_index]
            if len(table.links)
            else np.zeros((len(link_index), 2), np.int32)
        )
        phrase_links[np.repeat(is_copied, link_counts)] = 0
        # Where each phrase starts in its translation.
        target_starts = np.cumsum(counts) - counts
        translation_starts = np.append(target_starts, 0)[
            np.minimum(derivations.offsets[:-1], len(target_starts))
        ]
        target_starts = target_starts - np.repeat(translation_starts, phrase_counts)
        source = phrase_links[:, 0] + np.repeat(derivations.start, link_counts)
        target = (phrase_links[:, 1] + np.repeat(target_starts, link_counts)).astype(np.int32)
        translation = np.repeat(np.repeat(np.arange(len(derivations)), phrase_counts), link_counts)
        if positions is not None:
            source = positions[offsets[derivations.sentence[translation]] + source]
        order = np.lexsort((target, source, translation))
        return Alignments(
            source[order], target[order], row_offsets(link_counts)[derivations.offsets]
        )


def _count_per_entry(offsets: Int64, entries: Int64) -> Int64:
    """Return the number of words or links of each entry; a copied word (entry -1) has one."""
    if len(offsets) < 2:
        return np.ones(len(entries), np.int64)
    return np.where(entries < 0, 1, np.diff(offsets)[entries])


@dataclass(frozen=True, eq=False)
class Derivations:
    """Translations as sequences of phrases, the best of each sentence first.

    Attributes
    ----------
    sentence : int64[C]
        The sentence of each derivation, in ascending order. A sentence without words has one
        derivation without phrases, whose features are all 0.
    offsets : int64[C+1]
        The offset of the phrases of each derivation.
    entry : int64[]
        The phrase-table entry of each phrase; -1 for a copied source word.
    start, length : int32[]
        The first source word and the number of source words of each phrase.
    features : float64[C, 15]
        The values of `wordorder.translation.model.FEATURES`, rounded to six decimals.
    scores : float64[C]
        The weighted sums of the features, added in their order.
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
        cls,
        results: list[tuple[Int64, Int64, Float64, Int64, Int32, Int32]],
        empty_sentences: Int64,
    ) -> Derivations:
        """Concatenate results of the kernel and derivations of empty sentences, without scores."""
        empty_int64, empty_int32 = np.zeros(0, np.int64), np.zeros(0, np.int32)
        features = np.zeros((len(empty_sentences), len(FEATURES)))
        results = [
            (
                empty_sentences,
                np.zeros_like(empty_sentences),
                features,
                empty_int64,
                empty_int32,
                empty_int32,
            ),
            *results,
        ]
        # The offset of the phrases of each result among all phrases.
        shifts = np.cumsum([0, *(len(part[3]) for part in results)])
        starts = [part[1] + shift for part, shift in zip(results, shifts[:-1], strict=True)]
        rows, _, features, entry, start, length = map(np.concatenate, zip(*results, strict=True))
        offsets = np.append(np.concatenate(starts), shifts[-1])
        return cls(rows, offsets, entry, start, length, features, np.zeros(0))

    def scored(self, weights: Float64) -> Derivations:
        """Return the derivations with scores; those of a sentence are sorted by score."""
        features = np.round(self.features, 6) + 0.0
        scores = np.zeros(len(self))
        # Sum in a fixed order, so that equal translations have equal scores.
        for column, weight in zip(features.T, weights.tolist(), strict=True):
            scores += column * weight
        order = np.lexsort((-scores, self.sentence))
        counts = np.diff(self.offsets)[order]
        offsets = row_offsets(counts)
        phrase_index = concat_ranges(self.offsets[:-1][order], counts)
        phrases = self.entry[phrase_index], self.start[phrase_index], self.length[phrase_index]
        sentence = self.sentence[order]
        return Derivations(sentence, offsets, *phrases, features[order], scores[order])


@dataclass(frozen=True, eq=False)
class PhraseSearch:
    """Finds the best translations of sentences under fixed weights.

    Parameters
    ----------
    phrases : PhraseTable
    language_model : LanguageModel
        A model of the words of the table's target phrases.
    weights : float64[15]
        The weight of each of `wordorder.translation.model.FEATURES`.
    window : int
        The maximum number of words between the end of a phrase and the start of the next; 0 is
        monotone. Windows above 63 are treated as 63.
    beam : int
        The number of hypotheses per stack.
    nbest : int
        The maximum number of translations of a sentence, all with different words.
    threshold : float, optional
        A hypothesis is dropped if its estimated score is below the best of its stack by more than
        this times the sum of absolute weights, without that of unknown words. By default 2, or 0.7
        in monotone search; infinite for n-best lists.
    jumps : float32[V+1, 5], optional
        See `wordorder.translation.model.TranslationModel`.

    Raises
    ------
    UsageError
        If a number is out of its range, or there is not one weight per feature.
    """

    phrases: PhraseTable
    language_model: LanguageModel
    weights: Float64
    window: int = 4
    beam: int = DEFAULT_BEAM
    nbest: int = 1
    threshold: float | None = None
    jumps: Float32 | None = None
    # Kernel decoders that no thread uses at the moment.
    _idle: deque[Any] = field(default_factory=deque, init=False, repr=False)

    def __post_init__(self) -> None:
        for name, minimum in (("window", 0), ("beam", 1), ("nbest", 1)):
            whole_number(name, getattr(self, name), minimum)
        if self.threshold is not None and not self.threshold >= 0:
            raise UsageError(f"threshold is a number of at least 0, not {self.threshold!r}")
        weights = np.asarray(self.weights)
        if weights.shape != (len(FEATURES),) or not np.isfinite(weights).all():
            raise UsageError(f"{weights.size} weights; expected {len(FEATURES)} finite numbers")
        if self.phrases.longest > MAX_WINDOW:
            raise UsageError(
                f"source phrases of {self.phrases.longest} words; at most {MAX_WINDOW}"
            )

    @cached_property
    def listed_bits(self) -> UInt8:
        """A bit for each hash, packed: 1 if an n-gram of the language model has it.

        The search reads it before the hash table: most n-grams are not in the language model, and
        the bits fit into the processor's cache, unlike the table.
        """
        model = self.language_model
        keys = model.keys[model.keys != -1].astype(np.uint64)
        bits = np.zeros(len(model.keys) << FILTER_BITS, np.bool_)
        bits[(keys * np.uint64(GOLDEN)) >> np.uint64(model.shift - FILTER_BITS)] = True
        return np.packbits(bits, bitorder="little")

    def find(self, sentences: Ragged, copied: Int32) -> Derivations:
        """Return the best translations of each sentence.

        Parameters
        ----------
        sentences : Ragged
            The ids of source words, 0 for unknown words.
        copied : int32[]
            The target id of the copy of each word, which is used if no phrase translates the word
            alone; a negative id for a word unknown to the language model. Equal words have equal
            ids.

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
            # Imported here because most models have no jumps.
            from wordorder.translation.jumps import jump_odds

            odds = jump_odds(self.jumps, sentences)
        arrays = sentences.offsets, np.ascontiguousarray(copied, np.int32), first, last, odds
        # The number of options of each sentence: its phrase-table entries, and a copy of each word.
        sums = row_offsets(last - first)
        options = np.diff(sums[sentences.offsets * longest]) + sentences.lengths

        def decode_chunk(chunk_start: int) -> Any:
            rows = slice(chunk_start, min(chunk_start + CHUNK_SENTENCES, len(sentences)))
            decoder = self._decoder()
            decoder.prepare(int(sentences.lengths[rows].max()), int(options[rows].max()))
            call(kernel.decode, decoder, *arrays, rows.start, rows.stop)
            row, starts, features, entry, start, length = map(np.array, decoder.take_results())
            self._idle.append(decoder)
            return row, starts, features.reshape(-1, len(FEATURES)), entry, start, length

        results = run_pieces(decode_chunk, range(0, len(sentences), CHUNK_SENTENCES))
        empty_sentences = np.flatnonzero(sentences.lengths == 0)
        return Derivations.of(results, empty_sentences).scored(self.weights)

    def _decoder(self) -> Any:
        """Return a kernel decoder that no other thread uses."""
        try:
            return self._idle.pop()
        except IndexError:
            pass
        table, model = self.phrases, self.language_model
        weights = np.asarray(self.weights, np.float64)
        language_weight = max(float(weights[LANGUAGE_MODEL_FEATURE]), 0.0)
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
            *(min(self.window, MAX_WINDOW), self.beam),
            # The sum must not be 0, since 0 times infinity is NaN.
            threshold * max(float(np.abs(weights[:UNKNOWN_FEATURE]).sum()), 1e-9),
            *(MARGIN * language_weight, MARGIN_AFTER_FIRST_WORD * language_weight),
            *(self.nbest, self.jumps is not None, INITIAL_CAPACITY),
        )


@dataclass(frozen=True, eq=False)
class Translated:
    """The translations of lines.

    Attributes
    ----------
    size : int
        The number of lines.
    sentence : int64[C]
        The line of each translation, in ascending order, from 0; the best translation of a line
        comes first. A line without words has one empty translation.
    texts : tuple of str
        The C translations; those of one line are all different.
    links : Alignments
        The links of each translation, with positions in the original source order and in the
        translation.
    features : float64[C, 15]
        The values of `wordorder.translation.model.FEATURES`.
    scores : float64[C]
        The weighted sums of the features.
    source_words, unknown_words : int
        The number of words of all lines, and of unknown words, which are copied.
    unknown_capitals : int
        The number of unknown words that are known in lower case.
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
        """The index of the best translation of each line."""
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
        """Return the n-best lists in the form that tuning reads.

        Parameters
        ----------
        path : str
            The name of the lists in messages.
        """
        from wordorder.training.tuning.nbest import NBest

        ranks = np.arange(1, len(self.sentence) + 1)
        return NBest(
            self.sentence,
            self.texts,
            self.features,
            FEATURES,
            self.scores,
            tuple(Pharaoh().rows(self.links)),
            (path,),
            np.column_stack([np.zeros_like(ranks), ranks]),
        )

    def nbest_lines(self, first_sentence: int = 0) -> Iterator[str]:
        """Yield n-best lists in Moses' format; sentences count from `first_sentence`."""
        nbest = self.nbest()
        return replace(nbest, sentence=nbest.sentence + first_sentence).lines()
