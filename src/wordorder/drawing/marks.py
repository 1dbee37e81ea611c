"""Marks in a sentence, which no word of the sentence can be taken for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

# Words without a counterpart are between the first two.
OPEN, CLOSE = "⟦", "⟧"
# The order breaks: a new chunk begins, or another member of a family.
BREAK = "¦"
# Between two references.
OTHER = "‖"
# Words between them may come in any order (Talbot et al. 2011, Figures 1 and 2).
TIE, END_OF_TIE = "{{", "}}"
# For the notes below what is marked.
ESCAPES = "A backslash comes before a mark or a backslash that the text itself has."
# A character of the text behind a backslash, a mark, or any other text.
_SIGNS = f"{OPEN}{CLOSE}{BREAK}{OTHER}"
PIECE = re.compile(rf"\\(.)|([{_SIGNS}]|{{{{|}}}})|[^\\{_SIGNS}{{}}]+|.", re.DOTALL)
_MARK = re.compile(rf"[\\{_SIGNS}]|{{{{+|}}}}+")


class Marked(str):
    r"""A text with marks; a backslash comes before what would be one and belongs to the text.

    Examples
    --------
    >>> isinstance(marked(["a"]), Marked)
    True
    """

    __slots__ = ()


def escaped(text: str) -> str:
    r"""Put a backslash before what would be a mark.

    Examples
    --------
    >>> print(escaped("( a | b ¦ { {{ \\"))
    ( a | b \¦ { \{\{ \\
    """
    return _MARK.sub(lambda found: "".join(f"\\{sign}" for sign in found[0]), text)


def marked(
    words: Sequence[str], free: Collection[int] = (), breaks: Collection[int] = ()
) -> Marked:
    r"""Join words with blanks, and mark those without a counterpart and the breaks.

    Parameters
    ----------
    words : sequence of str
    free : collection of int
        The words without a counterpart, counted from 0; neighbours share one pair of marks.
    breaks : collection of int
        The words before which the order breaks.

    Examples
    --------
    >>> print(marked(["on", "tuesday", "evening", "we", "met"], free={2}, breaks={3}))
    on tuesday ⟦evening⟧ ¦ we met
    >>> print(marked(["ends", "(", "Laughter", ")", "⟧"], free={3, 4}))
    ends ( Laughter ⟦) \⟧⟧
    """
    shown: list[str] = []
    for place, word in enumerate(words):
        if place in breaks:
            shown.append(BREAK)
        first = OPEN if place in free and (place - 1 not in free or place in breaks) else ""
        going_on = place + 1 in free and place + 1 not in breaks and place + 1 < len(words)
        last = CLOSE if place in free and not going_on else ""
        shown.append(f"{first}{escaped(word)}{last}")
    return Marked(" ".join(shown))


def separated(members: Iterable[str]) -> Marked:
    """Join texts with the mark of a break between them.

    Examples
    --------
    >>> print(separated(["You", "can", "find | it"]))
    You ¦ can ¦ find | it
    """
    return Marked(f" {BREAK} ".join(map(escaped, members)))
