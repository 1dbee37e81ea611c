"""Placement: where a system puts each word, where the reference has it, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.order.chunks import kept_pairs
from wordorder.order.orders import Orders
from wordorder.order.relative import relative_orders
from wordorder.types import Bool, Float64, Int64


@dataclass(frozen=True, eq=False)
class Placement:
    """The words of a system's orders beside those of the reference, M words that both have.

    Two adjacent words in the system's order are a *boundary*. It is *broken* if
    they do not follow each other in the reference (ties read as suits the system best): a new
    chunk begins there, and the sentence of m words loses ``1 / (m - 1)`` of its FRS. Half of that
    is charged to either word, so that what all words are charged adds up to what the corpus
    lost: ``lost.sum() == 1 - FRS``. A word beside a broken boundary is *misordered*.

    Attributes
    ----------
    words : int64[M]
        Which word of the corpus each is, in the order of the system, sentence by sentence.
    sentences : int64[M]
        The sentence of each.
    displacement : int64[M]
        How many words too far to the right the system puts it, among the words that both have;
        below 0 too far to the left. Words that tie in the reference are read in the system's
        order.
    misordered : bool[M]
    begins : bool[M]
        Whether the boundary before the word is broken.
    lost : float64[M]
        The FRS of the corpus (a mean of sentences) that each word is charged.
    left : int64[B]
        For each boundary, the place of its left word in these arrays; the right one is next.
    broken : bool[B]
    cost : float64[B]
        The FRS of the corpus that each boundary costs, or would cost if it were broken.
    scored : int
        Sentences with a word that both have: those over which FRS is a mean.
    """

    words: Int64
    sentences: Int64
    displacement: Int64
    misordered: Bool
    begins: Bool
    lost: Float64
    left: Int64
    broken: Bool
    cost: Float64
    scored: int

    @property
    def frs(self) -> float:
        """The FRS of the corpus, 1 if nothing is scored."""
        return 1.0 - float(self.cost[self.broken].sum())


def placement(corpus: Corpus, orders: Orders) -> Placement:
    """Compare a system's orders with the reference, word by word.

    Parameters
    ----------
    corpus : Corpus
    orders : Orders
        S rows over the words of the corpus.

    Raises
    ------
    InputError
        If there are not as many rows as reference orders.

    Notes
    -----
    Chunks are those of the fuzzy reordering score (Talbot et al. 2011, equation 1) with its
    default options: words matched by position, ties in the system's favour, mean of sentences.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = Treebank.from_words([["a", "b", "c", "d", "e"]])
    >>> corpus = Corpus(words, Orders.from_rows([[0, 1, 2, 3, 4]]))
    >>> found = placement(corpus, Orders.from_rows([[0, 1, 4, 2, 3]]))
    >>> found.displacement.tolist(), found.misordered.tolist(), found.frs
    ([0, 0, -2, 1, 1], [False, True, True, True, False], 0.5)
    """
    relative = relative_orders(orders, corpus.reference)
    kept, _ = kept_pairs(orders, corpus.reference)
    offsets = relative.permutation.offsets
    lengths = relative.permutation.lengths
    sentences = np.repeat(np.arange(len(lengths)), lengths)
    size = len(sentences)
    starts = corpus.words.offsets[:-1][sentences]
    places = np.arange(size) - offsets[:-1][sentences]

    last = np.zeros(size, np.bool_)
    last[offsets[1:][lengths > 0] - 1] = True
    left = np.flatnonzero(~last)
    scored = int(np.count_nonzero(lengths))
    cost = 1.0 / (np.maximum(lengths[sentences[left]] - 1, 1) * max(scored, 1))
    broken = ~kept
    at = left[broken]
    begins = np.zeros(size, np.bool_)
    begins[at + 1] = True
    misordered = begins.copy()
    misordered[at] = True
    charge = cost[broken] / 2
    lost = np.bincount(at, charge, size).astype(np.float64)
    lost += np.bincount(at + 1, charge, size)
    return Placement(
        words=starts + orders.positions.values[relative.kept],
        sentences=sentences,
        displacement=places - relative.permutation.values,
        misordered=misordered,
        begins=begins,
        lost=lost,
        left=left,
        broken=broken,
        cost=cost,
        scored=scored,
    )
