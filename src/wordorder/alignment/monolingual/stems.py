"""Stems: words of one stem as classes of word numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from wordorder.alignment.monolingual.languages import STEMMERS
from wordorder.types import Int32

# As many words as are kept before all are forgotten: a stream must not fill the memory.
MOST_KEPT = 1 << 20
_kept: dict[str, dict[str, str]] = {}


def stem_classes(words: Sequence[str], language: str) -> Int32:
    """Return for each word the number of the first word that has its stem.

    Parameters
    ----------
    words : sequence of str
        Distinct words, lower-cased: Snowball stemmers know no capitals.
    language : str
        One with a stemmer.

    Returns
    -------
    int32[V]

    Examples
    --------
    >>> stem_classes(["cat", "sits", "cats", "sit"], "en").tolist()
    [0, 1, 0, 1]
    """
    known = _kept.setdefault(language, {})
    if len(known) > MOST_KEPT:
        known.clear()
    stem = _stem(STEMMERS[language])
    first: dict[str, int] = {}
    classes = np.empty(len(words), np.int32)
    for number, word in enumerate(words):
        stemmed = known.get(word)
        if stemmed is None:
            stemmed = known[word] = stem(word)
        classes[number] = first.setdefault(stemmed, number)
    return classes


def snowball_version() -> str:
    """Return the version of the stemmers: other versions can give other stems."""
    from importlib.metadata import version

    return version("PyStemmer")


def _stem(name: str) -> Callable[[str], str]:
    """Return Snowball's function that stems; it keeps no words of its own."""
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(name, 0).stemWord
    return stem
