"""A check that a text is in the language of a model, by the words and letters it knows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

import numpy as np

from wordorder.arrays import Bool, Int64
from wordorder.errors import WordOrderError
from wordorder.messages import counted
from wordorder.parsing.base import KnowsWords
from wordorder.treebank.preparation import normal_form
from wordorder.treebank.treebank import Column

# A text is probably in another language if its shares of unknown words (plus a part of a standard
# deviation for its length) or of unknown letters are higher. English of other genres than the
# training data had up to 25 % unknown words and .1 % unknown letters; other languages had at least
# 62 % unknown words.
MAX_UNKNOWN_WORDS = 0.5

MAX_UNKNOWN_LETTERS = 0.3

# If the usual share of unknown words in the language was measured, the limit is halfway between it
# (within bounds, since small treebanks are unreliable) and the share of other languages. This
# detects 88 % of Spanish sentences of Wikipedia, 91 % of French and 99 % of German ones, and .5 %
# of English sentences (web).
OTHER_LANGUAGE_SHARE = 0.6

MIN_USUAL_SHARE, MAX_USUAL_SHARE = 0.1, 0.6

# The standard deviations added to the two limits.
DEFAULT_DEVIATIONS, MEASURED_DEVIATIONS = 0.5, 0.6

# Shares of shorter texts, and models that know fewer words, are unreliable.
MIN_WORDS = 15

MIN_LETTERS = 20

MIN_KNOWN_WORDS = 3000

# Sentences with at least this number of words are also judged one by one, with the same limit;
# they are reported if their share is at least `MIN_SENTENCE_SHARE`.
MIN_SENTENCE_WORDS = 5

MIN_SENTENCE_SHARE = 0.01

# Distinct words that are compared with other models, and the share that the right model knows.
WORDS_COMPARED, MIN_KNOWN_SHARE = 2000, 0.5

# Shares of longer texts are not more reliable.
MAX_COUNTED_WORDS = 100_000

# Each tenth sentence of a treebank is held out, to measure the share of unknown words.
HELD_OUT_EVERY = 10


def unknown_share(sentences: Sequence[Sequence[str]]) -> float:
    """Return the share of words in held-out sentences that the other sentences do not have.

    Examples
    --------
    >>> unknown_share([["it", "rains"]] * 9 + [["it", "snows"]])
    0.5
    """
    held_out = [row for number, row in enumerate(sentences, 1) if number % HELD_OUT_EVERY == 0]
    known_forms = {
        normal_form(word)
        for number, row in enumerate(sentences, 1)
        if number % HELD_OUT_EVERY
        for word in row
    }
    words = [normal_form(word) for row in held_out for word in row if any(map(str.isalpha, word))]
    return sum(word not in known_forms for word in words) / max(len(words), 1)


class LanguageCheck:
    """Counts the words and letters of a text that a model does not know.

    Only words with a letter count. Case and the values of digits are ignored.

    Parameters
    ----------
    known_words : sequence of str
        The words that the model knows.
    unknown_share : float, optional
        The share of unknown words in new text of its language.

    Examples
    --------
    >>> check = LanguageCheck(["it", "rains"])
    >>> check.add(Column.of("彼 は つら い 人生 を 送っ た が 、 それ を 悔い て い た".split()))
    >>> check.message("en")
    '100 % of the words and 100 % of the letters are unknown to en (in its own language mostly
    below 30 % and 1 %): is it another language, or names and jargon?'
    """

    def __init__(self, known_words: Sequence[str], unknown_share: float | None = None) -> None:
        self._known = {normal_form(word) for word in known_words}
        self._letters_known = {letter for word in self._known for letter in word}
        self._limit, self._deviations = MAX_UNKNOWN_WORDS, DEFAULT_DEVIATIONS
        if unknown_share is not None:
            usual_share = min(max(unknown_share, MIN_USUAL_SHARE), MAX_USUAL_SHARE)
            self._limit, self._deviations = (
                (usual_share + OTHER_LANGUAGE_SHARE) / 2,
                MEASURED_DEVIATIONS,
            )
        self._is_enough = unknown_share is not None or len(self._known) >= MIN_KNOWN_WORDS
        self._words = self._letters = self._unknown = self._strange = 0
        self._sentences = self._foreign = 0
        # The first foreign sentence: its index in the file, its unknown words, all its words.
        self._first = 0, 0, 0
        # The first distinct words of the text, to compare with installed models.
        self._seen: Counter[str] = Counter()

    @classmethod
    def of(cls, model: object, unknown: float | None) -> LanguageCheck | None:
        """Return a check by the words that a model knows, or None if it has no list of them."""
        return cls(model.learnt_words(), unknown) if isinstance(model, KnowsWords) else None

    def add(
        self, form: Column, offsets: Int64 | None = None, sentence_numbers: Int64 | None = None
    ) -> None:
        """Count further words, up to about 100,000.

        Parameters
        ----------
        form : Column
        offsets : int64[S+1], optional
            The offsets of sentences, which are then also judged one by one.
        sentence_numbers : int64[S], optional
            The indices of these sentences in the file; from 0 on by default.
        """
        if self._words >= MAX_COUNTED_WORDS:
            return
        frequencies = np.bincount(form.codes, minlength=len(form.vocabulary))
        is_word = np.zeros(len(form.vocabulary), np.int64)
        is_unknown = np.zeros(len(form.vocabulary), np.int64)
        for code in np.flatnonzero(frequencies).tolist():
            word, count = form.vocabulary.words[code], int(frequencies[code])
            letters = sum(map(str.isalpha, word))
            if letters:
                normal = normal_form(word)
                unknown_letters = sum(
                    letter.isalpha() and letter not in self._letters_known for letter in normal
                )
                is_word[code] = 1
                # Models of Turkish have words lowercased by its rules.
                spellings = {normal, normal_form(word, dotless=True)}
                is_unknown[code] = spellings.isdisjoint(self._known)
                self._letters += count * letters
                self._strange += count * unknown_letters
        if len(self._seen) < WORDS_COMPARED:
            used = np.flatnonzero(frequencies * is_word).tolist()
            self._seen.update(
                {form.vocabulary.words[code]: int(frequencies[code]) for code in used}
            )
        self._words += int(frequencies @ is_word)
        self._unknown += int(frequencies @ is_unknown)
        if offsets is not None and len(offsets) > 1:
            if sentence_numbers is None:
                sentence_numbers = np.arange(len(offsets) - 1)
            words, unknown = (
                np.diff(np.concatenate([[0], np.cumsum(marks[form.codes])])[offsets])
                for marks in (is_word, is_unknown)
            )
            self._judge(words, unknown, sentence_numbers)

    def _is_other(self, unknown: Int64, words: Int64) -> Bool:
        """Return whether shares of unknown words are as high as in another language."""
        least = np.maximum(words, 1)
        is_other: Bool = unknown / least > self._limit + self._deviations / np.sqrt(least)
        return is_other

    def _judge(self, words: Int64, unknown: Int64, sentence_numbers: Int64) -> None:
        """Count the sentences that may be in another language."""
        is_long_enough = words >= MIN_SENTENCE_WORDS
        foreign = np.flatnonzero(is_long_enough & self._is_other(unknown, words))
        if len(foreign) and not self._foreign:
            row = int(foreign[0])
            self._first = int(sentence_numbers[row]), int(unknown[row]), int(words[row])
        self._sentences += int(is_long_enough.sum())
        self._foreign += len(foreign)

    def message(self, model: str) -> str:
        """Describe the share of unknown words and letters if the text is in another language.

        Otherwise describe the sentences in another language if their share is high enough, else
        return "".

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
        is_long_enough = self._words >= MIN_WORDS and self._is_enough
        is_other = is_long_enough and self._is_other(np.array(self._unknown), np.array(self._words))
        if is_other or (self._letters >= MIN_LETTERS and letters > MAX_UNKNOWN_LETTERS):
            nearest = nearest_model(self._seen, model)
            conclusion = (
                f"it is that of the model {nearest}" if nearest else "is it another language"
            )
            conclusion += "" if nearest else ", or names and jargon?"
            return (
                f"{100 * words:.0f} % of the words and {100 * letters:.0f} % of the letters are "
                f"unknown to {model} (in its own language mostly below 30 % and 1 %): "
                f"{conclusion}"
            )
        if not self._is_enough or self._share < MIN_SENTENCE_SHARE:
            return ""
        number, unknown, word_count = self._first
        have = "has" if self._foreign == 1 else "have"
        return (
            f"{self._counted} {have} mostly words unknown to {model} (sentence {number + 1}: "
            f"{unknown} of {word_count}): is it another language, or names and jargon?"
        )

    @property
    def _share(self) -> float:
        return self._foreign / max(self._sentences, 1)

    @property
    def _counted(self) -> str:
        """Describe the number of sentences that may be in another language."""
        return (
            f"{self._foreign:,} of {counted(self._sentences, 'sentence', commas=True)} of "
            f"{MIN_SENTENCE_WORDS} words or more ({100 * self._share:.0f} %)"
        )


def nearest_model(words: Counter[str], excluded: str) -> str:
    """Return the installed model that knows the most of some words; "" if none knows half of them.

    Parameters
    ----------
    words : Counter
        The frequency of each word.
    excluded : str
        A model that is not considered.
    """
    from wordorder.parsing import installed, model_file

    best_name, max_count = "", MIN_KNOWN_SHARE * words.total()
    installed_paths = {
        name: os.fspath(model.path) for name, model in installed.installed_models().items()
    }
    for name, path in ({name: name for name in model_file.SHIPPED} | installed_paths).items():
        try:
            parser = None if name == excluded else model_file.load_models(path).parser
        except WordOrderError:
            # The user gets this error when they use that model.
            continue
        known_forms = (
            set(map(normal_form, parser.learnt_words())) if isinstance(parser, KnowsWords) else ()
        )
        count = sum(
            frequency for word, frequency in words.items() if normal_form(word) in known_forms
        )
        if count > max_count:
            best_name, max_count = name, count
    return best_name
