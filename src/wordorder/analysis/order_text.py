"""The orders of one sentence as lines of text, chunks and ties marked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.placement import Placement
from wordorder.drawing.marks import END_OF_TIE, TIE, Marked, escaped, marked
from wordorder.order.orders import Order, Orders

# Words of a long sentence that are shown.
WORDS = 100


def sentence_texts(
    corpus: Corpus, sentence: int, orders: Orders, placement: Placement
) -> tuple[str, Marked, Marked]:
    """Return source, result and reference of a sentence, of a system with these orders.

    Parameters
    ----------
    corpus : Corpus
    sentence : int
        From 0.
    orders : Orders
    placement : Placement
        Of the same orders.
    """
    start = int(corpus.words.offsets[sentence])
    words = corpus.words.form[start : int(corpus.words.offsets[sentence + 1])].strings()
    order = orders.positions[sentence].tolist()
    first, last = np.searchsorted(placement.sentences, [sentence, sentence + 1]).tolist()
    begins = dict(
        zip(
            (placement.words[first:last] - start).tolist(),
            placement.begins[first:last],
            strict=True,
        )
    )
    return (
        shortened_text(words),
        result_text(words, order, [begins.get(position) for position in order]),
        reference_text(words, corpus.reference[sentence]),
    )


def result_text(
    words: Sequence[str], order: Sequence[int], broken: Sequence[bool | None]
) -> Marked:
    """Write a system's order with a mark where a new chunk begins.

    Parameters
    ----------
    words : sequence of str
        The source sentence.
    order : sequence of int
        The positions in the order of the system.
    broken : sequence of bool or None
        For each position of the order whether a chunk begins before it; None for a word that the
        reference does not have, which is marked too.

    Examples
    --------
    >>> result_text(["she", "can", "read", "it"], [0, 2, 3, 1], [False, True, True, None])
    'she ¦ read ¦ it ⟦can⟧'
    """
    free = {place for place, new in enumerate(broken) if new is None}
    breaks = {place for place, new in enumerate(broken) if new}
    forms = [words[position] for position in order]
    return Marked(f"{marked(forms[:WORDS], free, breaks)}{_more(forms)}")


def reference_text(words: Sequence[str], order: Order) -> Marked:
    """Write a reference order with double braces around words that tie.

    As the gold reorderings in Talbot et al. (2011), Figures 1 and 2.

    Examples
    --------
    >>> reference_text(["she", "can", "read", "it"], Order(((0,), (3,), (1, 2))))
    'she it {{ can read }}'
    """
    parts = []
    for group in order.groups:
        tied = [escaped(words[position]) for position in group]
        if len(tied) > 1:
            tied[0] = f"{TIE} {tied[0]}"
            tied[-1] = f"{tied[-1]} {END_OF_TIE}"
        parts += tied
    return Marked(shortened_text(parts))


def shortened_text(words: Sequence[str]) -> str:
    """Join words with blanks, the first hundred of them.

    Examples
    --------
    >>> shortened_text(["a", "b"]), shortened_text(["a"] * 103)[-20:]
    ('a b', 'a a ... 3 more words')
    """
    return " ".join(words[:WORDS]) + _more(words)


def _more(words: Sequence[str]) -> str:
    """Say how many words are left out, if any are."""
    more = len(words) - WORDS
    return "" if more <= 0 else f" ... {more} more words"
