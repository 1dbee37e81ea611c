"""A translation above its reference as SVG: lines join the words that match, and cross."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from wordorder.drawing.order_svg import order_svg
from wordorder.drawing.word_rows import OrderRow
from wordorder.errors import InputError


def crossing_svg(
    words: Sequence[str],
    reference: Sequence[str],
    partners: Sequence[int],
    *,
    moved: frozenset[int] = frozenset(),
    names: tuple[str, str] = ("translation", "reference"),
    title: str = "Translation and reference",
) -> str:
    """Draw two rows of words, with a line from each word to the one that it matches.

    Parameters
    ----------
    words : sequence of str
        Of the translation.
    reference : sequence of str
    partners : sequence of int
        For each word of the translation the word of the reference that it matches, counted from
        0; -1 for none. If several match one word, the first of them is joined with it.
    moved : set of int
        The words of the translation whose lines are drawn as moved.
    names : (str, str)
        What is printed before the rows.
    title : str
        What the picture is, for readers who cannot see it.

    Returns
    -------
    str
        One ``<svg>`` element, as `wordorder.drawing.order_svg.order_svg` draws it: frames stand
        around the words that follow each other in both rows, leaving out those without a match.

    Raises
    ------
    InputError
        If there is not one partner for each word, or one is no word of the reference.

    Examples
    --------
    >>> drawing = crossing_svg(["so", "<we>", "met"], ["we", "met"], [-1, 0, 1])
    >>> "&lt;we&gt;" in drawing, "1 chunk of 2 words" in drawing, "not in reference" in drawing
    (True, True, True)
    """
    if len(partners) != len(words):
        raise InputError("partners", f"{len(partners)} for {len(words)} words", "one for each word")
    # Matched words have the numbers of the translation's words in both rows.
    joined: dict[int, int] = {}
    for word, partner in enumerate(partners):
        if not -1 <= partner < len(reference):
            raise InputError(
                "partners", f"word {partner}", f"-1, or a word from 0 to {len(reference) - 1}"
            )
        if partner >= 0:
            joined.setdefault(partner, word)
    below = [joined.get(place, len(words) + place) for place in range(len(reference))]
    forms = {joined[place]: reference[place] for place in joined}
    rank = {word: number for number, word in enumerate(word for word in below if word < len(words))}
    matched = sorted(rank)
    chunks: list[list[int]] = [[matched[0]]] if matched else []
    for one, other in pairwise(matched):
        if rank[other] == rank[one] + 1:
            chunks[-1].append(other)
        else:
            chunks.append([other])
    rows = [
        OrderRow(names[0], [[word] for word in range(len(words))], chunks),
        OrderRow(names[1], [[word] for word in below], (), moved & set(rank), forms),
    ]
    return order_svg([*words, *reference], rows, title=title, sentence=words)
