"""Whether a text is in the language of a model, by the words and letters that it knows."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import WordOrderError
from wordorder.messages import counted
from wordorder.parsing.base import KnowsWords, Letters
from wordorder.parsing.tagging.tag_set import normal_form
from wordorder.treebank.treebank import Column

# The shares from which on a text is probably in another language: of unknown words, to which one
# standard deviation for so many words is added, and of letters that no known word has. English of
# other kinds than the training data had up to 25 % of unknown words, and .1 % of letters; other
# languages at least 62 % of words. Of 20 words at a time, .02 % of English news and web texts
# and 1.2 % of English full of Japanese names had more; 95 % of German did.
MOST_WORDS = 0.5

MOST_LETTERS = 0.3

# Shares of less text say little; so do the words of a model that knows few.
LEAST_WORDS = 15

LEAST_LETTERS = 20

LEAST_KNOWN = 3000

# A sentence of at least so many words is judged by itself too, by the same share of words. Of
# English .1 % had more, mostly lists of names, and of English full of Japanese names 4 %; of German
# 93 %, of Turkish 98 %. So a text with a smaller share of such sentences is all right.
LEAST_SENTENCE = 5

FEWEST_SENTENCES = 0.01

# With a profile of the language's letters, a sentence and a text are judged by the odds that they
# are in another language: of a word, by whether it is known, as OTHER of the words of another
# language are not; of a letter, by its bits less a third of those of the language, as in others
# they are 0. Words count as half and letters as a tenth of what they would if they did not depend
# on each other: then 90 % of French sentences are found, and of English ones .6 % (news, web), of
# those full of Japanese names 10 %.
OTHER, WORD_WEIGHT, BIT_WEIGHT = 0.65, 0.5, 0.1

# Between these is the share of unknown words in a language that its profile is believed.
LEAST_UNKNOWN, MOST_UNKNOWN = 0.1, 0.6

# What is at least so probably in another language is told; of a text, words that count at most.
PROBABLE, COUNTED = 0.99, 40

# Distinct words that are compared with other models, and the share of the bits of a language that
# words in it have at least: in others it is next to none.
COMPARED, ALIKE = 2000, 0.6

# Shares of more text say no more.
ENOUGH_WORDS = 100_000


class LanguageCheck:
    """Counts the words and letters of a text that a model does not know.

    Only words with a letter count. Case does not matter, nor which digits there are.

    Parameters
    ----------
    known : sequence of str
        The words that the model knows.
    profile : Letters, optional
        Of the letters of its language.

    Examples
    --------
    >>> check = LanguageCheck(["it", "rains"])
    >>> check.add(Column.of("彼 は つら い 人生 を 送っ た が 、 それ を 悔い て い た".split()))
    >>> check.message("en")
    '100 % of the words and 100 % of the letters are unknown to en (in its own language mostly
    below 30 % and 1 %): is it another language, or names and jargon?'
    """

    def __init__(self, known: Sequence[str], profile: Letters | None = None) -> None:
        self._profile = profile
        self._known = {normal_form(word) for word in known}
        self._letters_known = {letter for word in self._known for letter in word}
        self._words = self._letters = self._unknown = self._strange = 0
        self._sentences = self._foreign = 0
        # The first foreign sentence: its number in the file, its unknown words, all its words.
        self._first = 0, 0, 0
        # Words of the text, a part of them, to compare with other models at hand.
        self._seen: Counter[str] = Counter()
        # Logarithms of the odds that the whole, and that sentence, are in the language.
        self._odds = self._first_odds = 0.0

    @classmethod
    def of(cls, model: object, profile: Letters | None) -> LanguageCheck | None:
        """Return a check by the words that a model knows, if it tells them."""
        return cls(model.learnt_words(), profile) if isinstance(model, KnowsWords) else None

    def add(self, form: Column, offsets: Int64 | None = None, numbers: Int64 | None = None) -> None:
        """Count further words, up to about 100,000.

        Parameters
        ----------
        form : Column
        offsets : int64[S+1], optional
            Where sentences begin, which are to be judged by themselves too.
        numbers : int64[S], optional
            Their numbers in the file, from 0; from the sentences so far unless given.
        """
        if self._words >= ENOUGH_WORDS:
            return
        times = np.bincount(form.codes, minlength=len(form.vocabulary))
        is_word = np.zeros(len(form.vocabulary), np.int64)
        is_unknown = np.zeros(len(form.vocabulary), np.int64)
        odds = np.zeros(len(form.vocabulary))
        for code in np.flatnonzero(times).tolist():
            word, count = form.vocabulary.words[code], int(times[code])
            letters = sum(map(str.isalpha, word))
            if letters:
                normal = normal_form(word)
                strange = sum(
                    letter.isalpha() and letter not in self._letters_known for letter in normal
                )
                is_word[code] = 1
                # A model of Turkish knows words in the lower case of Turkish.
                both = {normal, normal_form(word, dotless=True)}
                is_unknown[code] = both.isdisjoint(self._known)
                self._letters += count * letters
                self._strange += count * strange
        if self._profile is not None:
            odds = self._word_odds(form.vocabulary.words, is_word, is_unknown)
            self._odds += float(times @ odds)
            if len(self._seen) < COMPARED:
                used = np.flatnonzero(times).tolist()
                self._seen.update({form.vocabulary.words[code]: int(times[code]) for code in used})
        self._words += int(times @ is_word)
        self._unknown += int(times @ is_unknown)
        if offsets is not None and len(offsets) > 1:
            if numbers is None:
                numbers = np.arange(len(offsets) - 1)
            words, unknown, own = (
                np.diff(np.concatenate([[0], np.cumsum(each[form.codes])])[offsets])
                for each in (is_word, is_unknown, odds)
            )
            self._judge(words, unknown, own, numbers)

    def _word_odds(self, words: Sequence[str], is_word: Int64, is_unknown: Int64) -> Float64:
        """Return how much each word speaks for the language."""
        profile = self._profile
        assert profile is not None
        bits, letters = profile.scores(words)
        share = min(max(profile.unknown, LEAST_UNKNOWN), MOST_UNKNOWN)
        if_unknown, if_known = math.log(share / OTHER), math.log((1 - share) / (1 - OTHER))
        by_word = np.where(is_unknown > 0, if_unknown, if_known)
        by_letters = bits - profile.mean / 3 * letters
        odds: Float64 = is_word * (WORD_WEIGHT * by_word + BIT_WEIGHT * by_letters)
        return odds

    def _judge(self, words: Int64, unknown: Int64, odds: Float64, numbers: Int64) -> None:
        """Count the sentences that may be in another language."""
        least = np.maximum(words, 1)
        enough = words >= LEAST_SENTENCE
        other = unknown / least > MOST_WORDS + 0.5 / np.sqrt(least)
        if self._profile is not None:
            other = odds < -np.log(PROBABLE / (1 - PROBABLE))
        foreign = np.flatnonzero(enough & other)
        if len(foreign) and not self._foreign:
            row = int(foreign[0])
            self._first = int(numbers[row]), int(unknown[row]), int(words[row])
            self._first_odds = float(odds[row])
        self._sentences += int(enough.sum())
        self._foreign += len(foreign)

    def message(self, model: str) -> str:
        """Say what share is unknown, if it is so large that the language must be another.

        Of a text as a whole; else of the sentences that were judged, if there are enough such.

        Examples
        --------
        >>> from itertools import product
        >>> from string import ascii_lowercase
        >>> known = ["".join(each) for each in product(ascii_lowercase, repeat=3)]
        >>> check = LanguageCheck(known)
        >>> check.add(Column.of("er war gestern nicht zu Hause".split()), np.array([0, 6]))
        >>> check.message("en")
        '1 of 1 sentence of 5 words or more (100 %) has mostly words unknown to en (sentence 1: 5 of
        6): is it another language, or names and jargon?'
        """
        words = self._unknown / max(self._words, 1)
        letters = self._strange / max(self._letters, 1)
        if self._profile is not None:
            return self._by_profile(model, words)
        model_knows = len(self._known) >= LEAST_KNOWN
        enough = self._words >= LEAST_WORDS and model_knows
        other = enough and words > MOST_WORDS + 0.5 / self._words**0.5
        if other or (self._letters >= LEAST_LETTERS and letters > MOST_LETTERS):
            return (
                f"{100 * words:.0f} % of the words and {100 * letters:.0f} % of the letters are "
                f"unknown to {model} (in its own language mostly below 30 % and 1 %): is it "
                "another language, or names and jargon?"
            )
        if not model_knows or self._share < FEWEST_SENTENCES:
            return ""
        number, unknown, of = self._first
        have = "has" if self._foreign == 1 else "have"
        return (
            f"{self._counted} {have} mostly words unknown to {model} (sentence {number + 1}: "
            f"{unknown} of {of}): is it another language, or names and jargon?"
        )

    def _by_profile(self, model: str, unknown: float) -> str:
        """Say how probable it is that a text, or a share of it, is in another language."""
        chance = _probability(self._odds * min(1.0, COUNTED / max(self._words, 1)))
        if self._words >= LEAST_SENTENCE and chance >= PROBABLE:
            other = nearest_model(self._seen, model)
            nearest = f"; by them it is that of the model {other}" if other else ""
            return (
                f"another language than that of {model} (probability {_shown(chance)}): "
                f"{100 * unknown:.0f} % of its words are unknown to {model}, and its letters "
                f"follow each other in other ways{nearest}"
            )
        if self._share < FEWEST_SENTENCES:
            return ""
        number, _, _ = self._first
        are = "is" if self._foreign == 1 else "are"
        return (
            f"{self._counted} {are} probably in another language than that of {model}, or names "
            f"and jargon (sentence {number + 1}: probability "
            f"{_shown(_probability(self._first_odds))})"
        )

    @property
    def _share(self) -> float:
        return self._foreign / max(self._sentences, 1)

    @property
    def _counted(self) -> str:
        """How many sentences may be in another language."""
        return (
            f"{self._foreign:,} of {counted(self._sentences, 'sentence', commas=True)} of "
            f"{LEAST_SENTENCE} words or more ({100 * self._share:.0f} %)"
        )


def nearest_model(words: Counter[str], but: str) -> str:
    """Return the model at hand whose language some words most probably are in; empty if none is.

    Parameters
    ----------
    words : Counter
        How often each occurs.
    but : str
        A model that is not asked.
    """
    from wordorder.parsing import installed, model_file

    best, most = "", ALIKE
    times = np.array(list(words.values()), np.int64)
    at_hand = {name: os.fspath(model.path) for name, model in installed.installed_models().items()}
    for name, path in ({name: name for name in model_file.SHIPPED} | at_hand).items():
        try:
            letters = None if name == but else model_file.load_models(path).letters
        except WordOrderError:
            # Whoever asks for it will be told.
            continue
        if letters is None:
            continue
        bits, lengths = letters.scores(list(words))
        mean = float(times @ bits) / max(int(times @ lengths), 1)
        if mean > most * letters.mean:
            best, most = name, mean / letters.mean
    return best


def _probability(odds: float) -> float:
    """Return how probable another language is."""
    return 1 / (1 + math.exp(min(odds, 700.0)))


def _shown(chance: float) -> str:
    return "over .999" if chance > 0.999 else f"{chance:.3f}".lstrip("0")
