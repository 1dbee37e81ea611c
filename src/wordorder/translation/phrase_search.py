"""The search over numbered sentences: on threads, with the same result for any number of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
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
from wordorder.types import Float64, Int32

# Sentences that are searched between two looks for an interrupt.
AT_A_TIME = 64
# The words behind the first free one that a set of 64 bits can tell.
WIDEST = 63
BEAM = 40
LANGUAGE = FEATURES.index("LM0_0")
# What is estimated to score so much less than all that a full stack keeps is not looked at: so
# many nats of the language model. Between phrases it is kinder than the estimate inside them.
MARGIN = 9.0
MARGIN_BEHIND = 3.0
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
    # Kernels that no thread uses, with the room that they were prepared for.
    _idle: deque[_Kernel] = field(default_factory=deque, init=False, repr=False)

    def __post_init__(self) -> None:
        for name, least in (("window", 0), ("beam", 1), ("nbest", 1)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise UsageError(f"{name} is a whole number of at least {least}, not {value!r}")
        weights = np.asarray(self.weights)
        if weights.shape != (len(FEATURES),) or not np.isfinite(weights).all():
            raise UsageError(f"{weights.size} weights; expected {len(FEATURES)} finite numbers")
        if self.phrases.longest > WIDEST:
            raise UsageError(f"source phrases of {self.phrases.longest} words; at most {WIDEST}")

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
        self._words = self._options = 1
        self.decoder: Any = call(
            kernel.StackDecoder,
            table.target_offsets,
            table.target_words,
            table.scores.reshape(-1),
            table.reordering.reshape(-1),
            *(model.probability, model.backoff, model.suffix, model.following),
            *(model.keys, model.nodes, model.shift),
            np.asarray(search.weights, np.float64),
            max(table.longest, 1),
            int(np.diff(table.target_offsets).max(initial=1)),
            min(search.window, WIDEST),
            search.beam,
            MARGIN * max(float(search.weights[LANGUAGE]), 0.0),
            MARGIN_BEHIND * max(float(search.weights[LANGUAGE]), 0.0),
            search.nbest,
            ROOM,
        )

    def prepare(self, words: int, options: int) -> None:
        """Make room for longer sentences than before, or for more options."""
        if words > self._words or options > self._options:
            self._words = max(words, 2 * self._words)
            self._options = max(options, 2 * self._options)
            self.decoder.prepare(self._words, self._options)
