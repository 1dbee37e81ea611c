"""The words that a model knows, the pairs of them that it has seen, and a text among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordorder.alignment.statistical.likeness import Likeness
from wordorder.alignment.statistical.parallel_text import ParallelText
from wordorder.alignment.statistical.settings import Settings
from wordorder.types import Float64, Int32, Int64


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The words of a training text.

    Attributes
    ----------
    words : list of str
        V words, by number.
    spelled : bool
        Whether their letters mean something.
    source_frequency, target_frequency : int64[V]
        How often each word occurs on each side.
    pair_source, pair_target : int32[E]
        The words of each pair; each pair once.
    """

    words: list[str]
    spelled: bool
    source_frequency: Int64
    target_frequency: Int64
    pair_source: Int32
    pair_target: Int32

    @classmethod
    def of_text(cls, text: ParallelText) -> Lexicon:
        """Take the words and pairs of a text."""
        size = len(text.words)
        return cls(
            text.words,
            text.spelled,
            np.bincount(text.source.values, minlength=size),
            np.bincount(text.target.values, minlength=size),
            text.pair_source,
            text.pair_target,
        )

    @cached_property
    def likeness(self) -> Likeness:
        """Which words look alike."""
        return Likeness.of_words(self.words, self.spelled)

    @cached_property
    def stem_pairs(self) -> tuple[Int64, Int64]:
        """The pairs of stems as sorted keys, and which of these each pair of words has."""
        stem = self.likeness.stem.astype(np.int64)
        keys = stem[self.pair_source] * len(self.likeness.stems) + stem[self.pair_target]
        stems, group = np.unique(keys, return_inverse=True)
        return stems, group

    def take(self, pairs: Int64) -> Lexicon:
        """Return the same words with some of the pairs."""
        return Lexicon(
            self.words,
            self.spelled,
            self.source_frequency,
            self.target_frequency,
            self.pair_source[pairs],
            self.pair_target[pairs],
        )


@dataclass(frozen=True, eq=False)
class Known:
    """Where the words and pairs of a text are in a lexicon, -1 for nowhere.

    Attributes
    ----------
    words, stems : int64[V]
        By word of the text.
    source, target : int32[E]
        The words of the text's pairs, by their numbers in the text.
    pairs, stem_pairs : int64[E]
        By pair of the text.
    prior : float64[E]
        What each pair counts before any text has been seen.
    """

    words: Int64
    stems: Int64
    source: Int32
    target: Int32
    pairs: Int64
    stem_pairs: Int64
    prior: Float64

    @classmethod
    def of_text(cls, lexicon: Lexicon, text: ParallelText, settings: Settings) -> Known:
        """Look up what a text has in common with a lexicon whose pairs are sorted."""
        numbers = {word: number for number, word in enumerate(lexicon.words)}
        words = np.array([numbers.get(word, -1) for word in text.words], np.int64)
        like = Likeness.of_words(text.words, text.spelled)
        known_stems = lexicon.likeness.stems
        # The stems of the text are in the order of their numbers.
        stems = np.array([known_stems.get(stem, -1) for stem in like.stems], np.int64)[like.stem]
        size = len(lexicon.words)
        source, target = text.pair_source, text.pair_target
        return cls(
            words,
            stems,
            source,
            target,
            _find(
                lexicon.pair_source.astype(np.int64) * size + lexicon.pair_target,
                size,
                words[source],
                words[target],
            ),
            _find(lexicon.stem_pairs[0], len(known_stems), stems[source], stems[target]),
            _prior(like, text, settings),
        )

    @classmethod
    def itself(cls, lexicon: Lexicon, text: ParallelText, settings: Settings) -> Known:
        """Return what a text has in common with its own lexicon: all."""
        like = lexicon.likeness
        return cls(
            np.arange(len(text.words)),
            like.stem.astype(np.int64),
            text.pair_source,
            text.pair_target,
            np.arange(len(text.pair_source)),
            lexicon.stem_pairs[1],
            _prior(like, text, settings),
        )


def _prior(like: Likeness, text: ParallelText, settings: Settings) -> Float64:
    pairs = text.pair_source, text.pair_target
    return settings.smoothing + like.prior(*pairs, settings.identical, settings.cognate)


def _find(keys: Int64, size: int, first: Int64, second: Int64) -> Int64:
    """Return the place of ``first * size + second`` among sorted keys, -1 if nowhere."""
    wanted = first * size + second
    places = np.searchsorted(keys, wanted)
    there = (first >= 0) & (second >= 0) & (places < len(keys))
    there[there] = keys[places[there]] == wanted[there]
    return np.where(there, places, -1)
