"""Costs of words by their information: rare words cost more than frequent ones."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.text.ngram_information import NgramInformation
from wordorder.metrics.text.substitution import CostTable
from wordorder.metrics.text.word_costs import Fields, WordCosts
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.text.texts import Texts
from wordorder.types import Float64

# As the kernel numbers costs that are the sum of one part a word.
WEIGHTED = 5


class InformationCosts(WordCosts):
    """Costs that grow with the information of both words, as NIST weighs words.

    A word that makes up the share ``p`` of all reference words has ``log2(1 / p)`` bits, as in
    `NgramInformation`; a word that the references lack has as many as their rarest word. With
    ``H``, the mean over the running words of the references, a substitution costs
    ``(bits(a) + bits(b)) / (2 H)``, at most 2: about 1 for two words that are drawn from the
    references. These costs are a metric.

    Leusch et al. (2006, section 4.4) name information weights "as in the NIST measure" as a
    perspective and give no formula: this one is ours.
    """

    name = "information"

    def __init__(self, known: NgramInformation | None = None) -> None:
        self._known = known

    @property
    def needs_preparation(self) -> bool:
        """Whether the references are yet to be seen."""
        return self._known is None

    def prepare(self, references: Iterable[Segments]) -> InformationCosts:
        """Return costs that are counted on the references."""
        return InformationCosts(NgramInformation.count((part.texts for part in references), 1))

    @property
    def fields(self) -> Fields:
        """Which references were counted."""
        return (("information", "references" if self._known is None else self._known.digest),)

    def table(self, texts: Texts) -> CostTable:
        """Return the part of each word in the cost of a substitution.

        Raises
        ------
        UsageError
            If the references have not been counted.
        """
        if self._known is None:
            raise UsageError(
                "substitution=information weighs words by the references of the whole corpus: "
                "use metric.prepare(segments) before its statistics"
            )
        known, vocabulary = self._known, texts.vocabulary
        key = ("information parts", known.digest)
        parts = vocabulary.derived(key, lambda: word_parts(known, vocabulary.words))
        empty = Ragged(np.empty(0, np.int32), np.zeros(1, np.int64))
        return CostTable(WEIGHTED, empty, parts)


def word_parts(known: NgramInformation, words: list[str]) -> Float64:
    """Return half the cost of substituting each word for one like it, float64[V].

    Examples
    --------
    >>> references = Texts.from_segments([""], ["a a b c"])
    >>> word_parts(NgramInformation.count([references], 1), ["a", "b", "new"]).tolist()
    [0.3333333333333333, 0.6666666666666666, 0.6666666666666666]
    """
    bits = known.information[0]
    # An exact sum: the order in which references were counted must not matter.
    mean = fsum((np.exp2(-bits) * bits).tolist())
    if mean == 0:
        return np.full(len(words), 0.5)
    parts = np.full(len(words), bits.max())
    numbers = np.array([known.numbers.get(word, -1) for word in words], np.int64)
    parts[numbers >= 0] = bits[numbers[numbers >= 0]]
    return parts / (2 * mean)
