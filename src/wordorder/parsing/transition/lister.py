"""TransitionLister: lists from a beam, one sentence at a time, to learn which tree is better."""

from __future__ import annotations

from wordorder.parsing.transition.search import Search
from wordorder.parsing.transition.sentences import EncodedSentences
from wordorder.parsing.weights import UNIT, Weights
from wordorder.treebank.column import Column
from wordorder.treebank.kbest import KBest
from wordorder.treebank.one_list import OneList
from wordorder.types import Int32


class TransitionLister:
    """Lists the best trees that a beam ends with, and favours one of them.

    Parameters
    ----------
    sentences : EncodedSentences
    lists : OneList
        Of the same sentences.
    weights : Weights
        Read for each list, and changed.
    beam : int
        A list longer than that comes of a beam as wide as it is long.
    """

    def __init__(
        self, sentences: EncodedSentences, lists: OneList, weights: Weights, beam: int
    ) -> None:
        self._sentences, self._lists = sentences, lists
        self._weights = weights
        self._beam = beam
        self._searches: dict[int, Search] = {}
        self._labels = sentences.system.label_names
        self._row = 0
        self._derivations: Int32 | None = None

    def listed(self, row: int, k: int) -> KBest:
        """Return up to `k` trees of a sentence under the weights of this moment.

        Raises
        ------
        InputError
            If the sentence is too long for a beam of `k`.
        """
        search = self._search(max(k, self._beam))
        actions, scores = search.derivations(self._weights, row, k)
        self._row, self._derivations = row, actions
        heads, labels = search.tree_parts(actions)
        named = Column(labels, self._labels)
        return self._lists.candidates(row, scores / UNIT, heads=heads, label=named)

    def prefer(self, better: int, before: int) -> bool:
        """Favour the derivation of a tree of the last list over that of the first one."""
        assert self._derivations is not None
        if better == 0:
            return False
        more, less = self._derivations[better], self._derivations[0]
        search = self._search(self._beam)
        for changes in search.changes(self._weights, self._row, more, less):
            self._weights.add(*changes, before)
        return True

    def _search(self, beam: int) -> Search:
        """Return the search with a beam."""
        if beam not in self._searches:
            words, offsets = self._sentences.words, self._sentences.offsets
            self._searches[beam] = Search(self._sentences.system, words, offsets, beam)
        return self._searches[beam]
