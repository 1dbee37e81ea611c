"""OneList: the list of one sentence at a time, made quickly."""

from __future__ import annotations

import numpy as np

from wordorder.treebank.column import Column
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import COLUMNS, Treebank
from wordorder.types import Float64, Int32


class OneList:
    """Makes lists of candidates for single sentences, as `KBest` for whole ones.

    What is said of a sentence's words is copied for all of its candidates at once: where lists are
    made one by one, that is most of the work.

    Parameters
    ----------
    sentences : Treebank

    Examples
    --------
    >>> one = OneList(Treebank.from_words([["Go"], ["It", "rains"]]))
    >>> heads = np.array([2, 0, 0, 1], np.int32)
    >>> lists = one.candidates(1, np.array([3.0, 1.0]), heads=heads)
    >>> lists, lists.trees.form.strings()
    (KBest(1 sentence, 2 trees), ['It', 'rains', 'It', 'rains'])
    """

    def __init__(self, sentences: Treebank) -> None:
        self.sentences = sentences
        self._cuts = sentences.offsets.tolist()
        self._codes = np.stack([sentences.columns[name].codes for name in COLUMNS])
        self._vocabularies = [sentences.columns[name].vocabulary for name in COLUMNS]

    def candidates(
        self, row: int, scores: Float64, *, heads: Int32 | None = None, **columns: Column
    ) -> KBest:
        """Return the list of one sentence.

        Parameters
        ----------
        row : int
        scores : float64[T]
        heads : int32[T * n], optional
            Of all candidates; those of the sentence if not given.
        columns : Column
            What else differs between candidates, with ``T * n`` entries.
        """
        start, stop = self._cuts[row], self._cuts[row + 1]
        trees, words = len(scores), stop - start
        codes = np.tile(self._codes[:, start:stop], (1, trees))
        found = {
            name: Column(codes[number], vocabulary)
            for number, (name, vocabulary) in enumerate(
                zip(COLUMNS, self._vocabularies, strict=True)
            )
        }
        found.update(columns)
        if heads is None:
            heads = np.tile(self.sentences.heads[start:stop], trees)
        bank = Treebank(
            words * np.arange(trees + 1), heads, found, [self.sentences.margins[row]] * trees
        )
        return KBest(bank, np.array([0, trees]), scores)
