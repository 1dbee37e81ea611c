"""A check of the language of a text, by the words and letters that a model knows."""

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

# The shares from which on a text is probably in another language: of unknown words, to which one
# standard deviation for that length is added, and of letters that no known word has. English of
# other kinds than the training data had up to 25 % of unknown words, and .1 % of letters; other
# languages at least 62 % of words.
MOST_WORDS = 0.5

MOST_LETTERS = 0.3

# Where the share of unknown words in new text of the language is known, the limit is halfway
# between it (within bounds: small treebanks are not believed) and that of other languages, and the
# sentences are judged with somewhat more than a standard deviation. So 88 % of Spanish sentences
# of Wikipedia, 91 % of French and 99 % of German ones are found; of English ones .5 % (web).
OTHER = 0.6

LEAST_UNKNOWN, MOST_UNKNOWN = 0.1, 0.6

DEVIATIONS, OWN_DEVIATIONS = 0.5, 0.6

# Shares of less text say little; so do the words of a model that knows few.
LEAST_WORDS = 15

LEAST_LETTERS = 20

LEAST_KNOWN = 3000

# A sentence of at least this many words is judged by itself too, by the same share of words. A text
# with a smaller share of such sentences is all right.
LEAST_SENTENCE = 5

FEWEST_SENTENCES = 0.01

# Distinct words that are compared with other models, and the share of them that one must know.
COMPARED, ALIKE = 2000, 0.5

# Shares of more text say no more.
ENOUGH_WORDS = 100_000

# Each tenth sentence of a treebank is held out, to measure the share of unknown words.
HELD_OUT = 10


def unknown_share(sentences: Sequence[Sequence[str]]) -> float:
    """Return the share of words that sentences held out of a treebank have and the others lack.

    Examples
    --------
    >>> unknown_share([["it", "rains"]] * 9 + [["it", "snows"]])
    0.5
    """
    held_out = [row for number, row in enumerate(sentences, 1) if number % HELD_OUT == 0]
    known_forms = {
        normal_form(word)
        for number, row in enumerate(sentences, 1)
        if number % HELD_OUT
        for word in row
    }
    words = [normal_form(word) for row in held_out for word in row if any(map(str.isalpha, word))]
    return sum(word not in known_forms for word in words) / max(len(words), 1)


class LanguageCheck:
    """Counts the words and letters of a text that a model does not know.

    Only words with a letter count. Case does not matter, nor which digits there are.

    Parameters
    ----------
    known : sequence of str
        The words that the model knows.
    unknown : float, optional
        The share of unknown words in new text of its language.

    Examples
    --------
    >>> check = LanguageCheck(["it", "rains"])
    >>> check.add(Column.of("彼 は つら い 人生 を 送っ た が 、 それ を 悔い て い た".split()))
    >>> check.message("en")
    '100 % of the words and 100 % of the letters are unknown to en (in its own language mostly
    below 30 % and 1 %): is it another language, or names and jargon?'
    """

    def __init__(self, known: Sequence[str], unknown: float | None = None) -> None:
        self._known = {normal_form(word) for word in known}
        self._letters_known = {letter for word in self._known for letter in word}
        self._limit, self._deviations = MOST_WORDS, DEVIATIONS
        if unknown is not None:
            usual_share = min(max(unknown, LEAST_UNKNOWN), MOST_UNKNOWN)
            self._limit, self._deviations = (usual_share + OTHER) / 2, OWN_DEVIATIONS
        self._is_enough = unknown is not None or len(self._known) >= LEAST_KNOWN
        self._words = self._letters = self._unknown = self._strange = 0
        self._sentences = self._foreign = 0
        # The first foreign sentence: its number in the file, its unknown words, all its words.
        self._first = 0, 0, 0
        # Words of the text, a part of them, to compare with other models at hand.
        self._seen: Counter[str] = Counter()

    @classmethod
    def of(cls, model: object, unknown: float | None) -> LanguageCheck | None:
        """Return a check by the words that a model knows, if it tells them."""
        return cls(model.learnt_words(), unknown) if isinstance(model, KnowsWords) else None

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
        if len(self._seen) < COMPARED:
            used = np.flatnonzero(times * is_word).tolist()
            self._seen.update({form.vocabulary.words[code]: int(times[code]) for code in used})
        self._words += int(times @ is_word)
        self._unknown += int(times @ is_unknown)
        if offsets is not None and len(offsets) > 1:
            if numbers is None:
                numbers = np.arange(len(offsets) - 1)
            words, unknown = (
                np.diff(np.concatenate([[0], np.cumsum(marks[form.codes])])[offsets])
                for marks in (is_word, is_unknown)
            )
            self._judge(words, unknown, numbers)

    def _is_other(self, unknown: Int64, words: Int64) -> Bool:
        """Return whether this share of unknown words is that of another language."""
        least = np.maximum(words, 1)
        is_other: Bool = unknown / least > self._limit + self._deviations / np.sqrt(least)
        return is_other

    def _judge(self, words: Int64, unknown: Int64, numbers: Int64) -> None:
        """Count the sentences that may be in another language."""
        enough = words >= LEAST_SENTENCE
        foreign = np.flatnonzero(enough & self._is_other(unknown, words))
        if len(foreign) and not self._foreign:
            row = int(foreign[0])
            self._first = int(numbers[row]), int(unknown[row]), int(words[row])
        self._sentences += int(enough.sum())
        self._foreign += len(foreign)

    def message(self, model: str) -> str:
        """Describe the share of unknown words and letters, if it points to another language.

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
        enough = self._words >= LEAST_WORDS and self._is_enough
        is_other = enough and self._is_other(np.array(self._unknown), np.array(self._words))
        if is_other or (self._letters >= LEAST_LETTERS and letters > MOST_LETTERS):
            nearest = nearest_model(self._seen, model)
            which = f"it is that of the model {nearest}" if nearest else "is it another language"
            which += "" if nearest else ", or names and jargon?"
            return (
                f"{100 * words:.0f} % of the words and {100 * letters:.0f} % of the letters are "
                f"unknown to {model} (in its own language mostly below 30 % and 1 %): "
                f"{which}"
            )
        if not self._is_enough or self._share < FEWEST_SENTENCES:
            return ""
        number, unknown, of = self._first
        have = "has" if self._foreign == 1 else "have"
        return (
            f"{self._counted} {have} mostly words unknown to {model} (sentence {number + 1}: "
            f"{unknown} of {of}): is it another language, or names and jargon?"
        )

    @property
    def _share(self) -> float:
        return self._foreign / max(self._sentences, 1)

    @property
    def _counted(self) -> str:
        """Describe the number of sentences that may be in another language."""
        return (
            f"{self._foreign:,} of {counted(self._sentences, 'sentence', commas=True)} of "
            f"{LEAST_SENTENCE} words or more ({100 * self._share:.0f} %)"
        )


def nearest_model(words: Counter[str], but: str) -> str:
    """Return the model at hand that knows most of some words; empty if none knows half of them.

    Parameters
    ----------
    words : Counter
        How often each occurs.
    but : str
        A model that is not asked.
    """
    from wordorder.parsing import installed, model_file

    best, max_count = "", ALIKE * words.total()
    at_hand = {name: os.fspath(model.path) for name, model in installed.installed_models().items()}
    for name, path in ({name: name for name in model_file.SHIPPED} | at_hand).items():
        try:
            parser = None if name == but else model_file.load_models(path).parser
        except WordOrderError:
            # Whoever asks for it will be told.
            continue
        known_forms = (
            set(map(normal_form, parser.learnt_words())) if isinstance(parser, KnowsWords) else ()
        )
        count = sum(times for word, times in words.items() if normal_form(word) in known_forms)
        if count > max_count:
            best, max_count = name, count
    return best
