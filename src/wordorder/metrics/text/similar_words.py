"""Words that cost less to substitute for each other: of one stem, or of one synonym set."""

from __future__ import annotations

import os

import numpy as np

from wordorder.alignment.monolingual.candidates import (
    LANGUAGES,
    STEMMERS,
    SynonymSets,
    snowball_version,
    stem_classes,
)
from wordorder.errors import UsageError, choose
from wordorder.metrics.text.substitution import CostTable, Fields, WordCosts, checked_cost
from wordorder.ragged import Ragged
from wordorder.text.texts import Texts
from wordorder.text.vocabulary import Vocabulary

# As the kernel numbers costs of words that share a class.
SHARED = 3


class StemCosts(WordCosts):
    """One cost for words of the same stem, 1 for others.

    Parameters
    ----------
    language : str
        One with a Snowball stemmer: ``en``, ``de``, ``fr``, ...
    similar : float
        Above 0, at most 2.
    metric : str
        Who asks, for messages.

    Examples
    --------
    >>> from wordorder.metrics import metric
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["the talks are long"], ["the talk was long"])
    >>> metric("wer", substitution="stem").segment_scores(segments)
    array([0.375])
    """

    name = "stem"

    def __init__(self, language: str, similar: float, metric: str) -> None:
        self.language = language
        if not STEMMERS[choose(f"{metric}.language", language, LANGUAGES)]:
            raise UsageError(f"there is no stemmer for {metric}.language={language}")
        self.similar = checked_cost(f"{metric}.similar", similar)

    @property
    def fields(self) -> Fields:
        """Language, version of the stemmers, and cost."""
        stems = (("stems", self.language), ("snowball", snowball_version()))
        return (*stems, ("similar", f"{self.similar:g}"))

    def table(self, texts: Texts) -> CostTable:
        """Return costs by stems."""
        vocabulary = texts.vocabulary
        rows = vocabulary.derived(("stem rows", self.language), lambda: self._rows(vocabulary))
        return CostTable(SHARED, rows, np.array([self.similar]))

    def _rows(self, vocabulary: Vocabulary) -> Ragged:
        """Return a row for each word, with the number of its stem. Stemmers know no capitals."""
        lowered = [word.lower() for word in vocabulary.words]
        distinct = list(dict.fromkeys(lowered))
        classes = stem_classes(distinct, self.language)
        numbers = dict(zip(distinct, classes.tolist(), strict=True))
        values = np.fromiter((numbers[word] for word in lowered), np.int32, len(lowered))
        return Ragged(values, np.arange(len(lowered) + 1, dtype=np.int64))


class SynonymCosts(WordCosts):
    """One cost for words that share a synonym set, 1 for others.

    Parameters
    ----------
    path : path
        As `SynonymSets` takes it: WordNet's directory, where inflected words have the sets of their
        base forms, or a file with a synonym set a line.
    similar : float
        Above 0, at most 2.
    metric : str
        Who asks, for messages.

    Notes
    -----
    No metric in the mathematical sense: *bank* is a synonym of words that are none of each other.
    """

    name = "synonym"

    def __init__(self, path: str | os.PathLike[str], similar: float, metric: str) -> None:
        self.sets = SynonymSets(path)
        self.similar = checked_cost(f"{metric}.similar", similar)

    @property
    def fields(self) -> Fields:
        """Digest of the synonym sets, and cost."""
        return (("synonyms", self.sets.digest), ("similar", f"{self.similar:g}"))

    def table(self, texts: Texts) -> CostTable:
        """Return costs by synonym sets."""
        words = texts.vocabulary.words
        key = ("synonym rows", self.sets.digest)
        rows = texts.vocabulary.derived(key, lambda: Ragged.from_rows(map(self._sets, words)))
        return CostTable(SHARED, rows, np.array([self.similar]))

    def _sets(self, word: str) -> list[int]:
        """Return the numbers of a word's sets, rising; WordNet has its words in lower case."""
        return sorted(self.sets.of(word) | self.sets.of(word.lower()))
