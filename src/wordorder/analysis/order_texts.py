"""Texts with source words in the order of a system or of the reference, with marks."""

from collections.abc import Sequence

from wordorder.order.orders import Order
from wordorder.text import display

# The first words of a long sentence, which are shown.
MAX_SHOWN_WORDS = 100

ORDER_MARKS = (
    f"In a system order, {display.BREAK} marks the start of a new chunk, and {display.OPEN}these "
    f"words{display.CLOSE} are not in the reference. In the reference order, {display.TIE} these "
    f"words {display.END_OF_TIE} may come in any order. {display.ESCAPES}"
)


def result_text(
    words: Sequence[str], order: Sequence[int], broken: Sequence[bool | None]
) -> display.Marked:
    """Return words in the order of a system, with a mark at the start of each new chunk.

    Parameters
    ----------
    words : sequence of str
        The source sentence.
    order : sequence of int
        The positions of the words, in the order of the system.
    broken : sequence of bool or None
        For each word in this order, whether a chunk starts before it; None for a word that the
        reference lacks, which is marked too.

    Examples
    --------
    >>> result_text(["she", "can", "read", "it"], [0, 2, 3, 1], [False, True, True, None])
    'she ¦ read ¦ it ⟦can⟧'
    """
    unmatched = {rank for rank, is_start in enumerate(broken) if is_start is None}
    breaks = {rank for rank, is_start in enumerate(broken) if is_start}
    forms = [words[position] for position in order]
    return display.Marked(
        f"{display.marked(forms[:MAX_SHOWN_WORDS], unmatched, breaks)}{_count_omitted(forms)}"
    )


def reference_text(words: Sequence[str], order: Order) -> display.Marked:
    """Return words in a reference order, with double braces around tied words.

    Written like the gold reorderings in Talbot et al. (2011), Figures 1 and 2.

    Examples
    --------
    >>> reference_text(["she", "can", "read", "it"], Order(((0,), (3,), (1, 2))))
    'she it {{ can read }}'
    """
    parts = []
    for group in order.groups:
        tied = [display.escaped(words[position]) for position in group]
        if len(tied) > 1:
            tied[0] = f"{display.TIE} {tied[0]}"
            tied[-1] = f"{tied[-1]} {display.END_OF_TIE}"
        parts += tied
    return display.Marked(shortened_text(parts))


def shortened_text(words: Sequence[str]) -> str:
    """Join the first hundred words by spaces, and count the others.

    Examples
    --------
    >>> shortened_text(["a", "b"]), shortened_text(["a"] * 103)[-20:]
    ('a b', 'a a ... 3 more words')
    """
    return " ".join(words[:MAX_SHOWN_WORDS]) + _count_omitted(words)


def _count_omitted(words: Sequence[str]) -> str:
    """Return how many words are left out as text, ``""`` if none is."""
    omitted = len(words) - MAX_SHOWN_WORDS
    return "" if omitted <= 0 else f" ... {omitted} more words"
