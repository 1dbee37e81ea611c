"""Whether a text is in the language of a model, by the words and letters that it knows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.parsing.tagging.word_attributes import normal_form
from wordorder.treebank.column import Column

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
# Shares of more text say no more.
ENOUGH_WORDS = 100_000


class LanguageCheck:
    """Counts the words and letters of a text that a model does not know.

    Only words with a letter count. Case does not matter, nor which digits there are.

    Parameters
    ----------
    known : sequence of str
        The words that the model knows.

    Examples
    --------
    >>> check = LanguageCheck(["it", "rains"])
    >>> check.add(Column.of("彼 は つら い 人生 を 送っ た が 、 それ を 悔い て い た".split()))
    >>> check.message("en")
    '100 % of the words and 100 % of the letters are unknown to en (in its own language mostly
    below 30 % and 1 %): is it another language, or names and jargon?'
    """

    def __init__(self, known: Sequence[str]) -> None:
        self._known = {normal_form(word) for word in known}
        self._letters_known = {letter for word in self._known for letter in word}
        self._words = self._letters = self._unknown = self._strange = 0

    def add(self, form: Column) -> None:
        """Count further words, up to about 100,000."""
        if self._words >= ENOUGH_WORDS:
            return
        times = np.bincount(form.codes, minlength=len(form.vocabulary)).tolist()
        for word, count in zip(form.vocabulary.words, times, strict=True):
            letters = sum(map(str.isalpha, word)) if count else 0
            if letters:
                normal = normal_form(word)
                strange = sum(
                    letter.isalpha() and letter not in self._letters_known for letter in normal
                )
                self._words += count
                self._letters += count * letters
                self._unknown += count * (normal not in self._known)
                self._strange += count * strange

    def message(self, model: str) -> str:
        """Say what share is unknown, if it is so large that the language must be another."""
        words = self._unknown / max(self._words, 1)
        letters = self._strange / max(self._letters, 1)
        enough = self._words >= LEAST_WORDS and len(self._known) >= LEAST_KNOWN
        other = enough and words > MOST_WORDS + 0.5 / self._words**0.5
        if not other and not (self._letters >= LEAST_LETTERS and letters > MOST_LETTERS):
            return ""
        return (
            f"{100 * words:.0f} % of the words and {100 * letters:.0f} % of the letters are "
            f"unknown to {model} (in its own language mostly below 30 % and 1 %): is it another "
            "language, or names and jargon?"
        )
