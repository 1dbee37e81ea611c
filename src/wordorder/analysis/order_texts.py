"""Texts of source words in the order of a system or of the reference, with marks."""

from collections.abc import Sequence

from wordorder.order.orders import Order
from wordorder.text import display

# The first words of a long sentence, which are shown.
WORDS = 100

MARKS = (
    f"In a system order, {display.BREAK} marks the start of a new chunk, and {display.OPEN}these "
    f"words{display.CLOSE} are not in the reference. In the reference order, {display.TIE} these "
    f"words {display.END_OF_TIE} may come in any order. {display.ESCAPES}"
)


def result_text(
    words: Sequence[str], order: Sequence[int], broken: Sequence[bool | None]
) -> display.Marked:
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
    return display.Marked(f"{display.marked(forms[:WORDS], free, breaks)}{_more(forms)}")


def reference_text(words: Sequence[str], order: Order) -> display.Marked:
    """Write a reference order with double braces around words that tie.

    As the gold reorderings in Talbot et al. (2011), Figures 1 and 2.

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
