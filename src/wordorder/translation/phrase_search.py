"""The search over numbered sentences: on threads, with the same result for any number of them."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import phrase_decoder as kernel
from wordorder.kernels._run import call, run_pieces
from wordorder.ragged import Ragged
from wordorder.translation.derivations import Derivations
from wordorder.translation.features import FEATURES
from wordorder.translation.language_model import LanguageModel
from wordorder.translation.phrase_table import PhraseTable
from wordorder.types import Float64, Int32, UInt8

# Sentences that are searched between two looks for an interrupt.
AT_A_TIME = 64
# The words behind the first free one that a set of 64 bits can tell.
WIDEST = 63
BEAM = 40
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
# As the kernel has them.
SPREAD = np.uint64(0x9E3779B97F4A7C15)
SPARSER = 2
# What the kernel has room for at first; it grows.
ROOM = 1 << 12


@dataclass(frozen=True, eq=False)
class PhraseSearch:
    """Finds the best translations under given weights.

    Parameters
    ----------
    phrases : PhraseTable
    language_model : LanguageModel
        Over the words of the table's target phrases.
    weights : float64[15]
        Of `wordorder.translation.features.FEATURES`.
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
    # Kernels that no thread uses, with the room that they were prepared for.
    _idle: deque[_Kernel] = field(default_factory=deque, init=False, repr=False)

    def __post_init__(self) -> None:
        for name, least in (("window", 0), ("beam", 1), ("nbest", 1)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise UsageError(f"{name} is a whole number of at least {least}, not {value!r}")
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
        bits[(keys * SPREAD) >> np.uint64(model.shift - SPARSER)] = True
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
        arrays = sentences.offsets, np.ascontiguousarray(copied, np.int32), first, last
        # At most so many options has a sentence: entries, and a copy of each word.
        sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(last - first)])
        options = np.diff(sums[sentences.offsets * longest]) + sentences.lengths

        def work(begin: int) -> Any:
            rows = slice(begin, min(begin + AT_A_TIME, len(sentences)))
            mine = self._kernel()
            mine.prepare(int(sentences.lengths[rows].max()), int(options[rows].max()))
            call(kernel.decode, mine.decoder, *arrays, rows.start, rows.stop)
            row, begins, features, entry, start, length = map(np.array, mine.decoder.taken())
            self._idle.append(mine)
            return row, begins, features.reshape(-1, len(FEATURES)), entry, start, length

        parts = run_pieces(work, range(0, len(sentences), AT_A_TIME))
        return Derivations.of(parts).scored(self.weights)

    def _kernel(self) -> _Kernel:
        """Return a kernel that no other thread uses."""
        try:
            return self._idle.pop()
        except IndexError:
            return _Kernel(self)


class _Kernel:
    """A kernel, and the sentences that it has room for."""

    def __init__(self, search: PhraseSearch) -> None:
        table, model = search.phrases, search.language_model
        weights = np.asarray(search.weights, np.float64)
        likes = max(float(weights[LANGUAGE]), 0.0)
        threshold = search.threshold
        if threshold is None:
            threshold = THRESHOLD if search.window else MONOTONE_THRESHOLD
            threshold = threshold if search.nbest == 1 else math.inf
        self._words = self._options = 1
        self.decoder: Any = call(
            kernel.StackDecoder,
            table.target_offsets,
            table.target_words,
            len(model.words),
            table.scores.reshape(-1),
            table.reordering.reshape(-1),
            *(model.probability, model.backoff, model.suffix, model.following),
            *(model.keys, model.nodes, model.shift, search.listed_bits),
            weights,
            max(table.longest, 1),
            int(np.diff(table.target_offsets).max(initial=1)),
            min(search.window, WIDEST),
            search.beam,
            # Zero times infinity is no number.
            threshold * max(float(np.abs(weights[:UNKNOWN]).sum()), 1e-9),
            *(MARGIN * likes, MARGIN_BEHIND * likes),
            search.nbest,
            ROOM,
        )

    def prepare(self, words: int, options: int) -> None:
        """Make room for longer sentences than before, or for more options."""
        if words > self._words or options > self._options:
            self._words = max(words, 2 * self._words)
            self._options = max(options, 2 * self._options)
            self.decoder.prepare(self._words, self._options)
