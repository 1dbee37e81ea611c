"""Coordination: which parts of a phrase are joined by a conjunction."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.treebank.brackets.head_table import PUNCTUATION
from wordorder.treebank.brackets.phrase import Phrase

CONJUNCTIONS = ("CC", "CONJP")
BOTH = ("both", "either", "neither")
_COMMAS = (",", ":")
_ADVERBS = ("RB", "ADVP")
# Tags and categories that may be in one list: "rice , beans and fresh fish".
_KINDS = {
    "NN": ("NN", "NNS", "NNP", "NNPS", "NP", "NX", "NML", "NAC", "PRP"),
    "VB": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "VP"),
    "JJ": ("JJ", "JJR", "JJS", "ADJP"),
    "RB": ("RB", "RBR", "RBS", "ADVP"),
    "S": ("S", "SINV", "SBAR"),
}
_KIND = {category: kind for kind, categories in _KINDS.items() for category in categories}


def join(parts: Sequence[Phrase]) -> None:
    """Make later members of each coordination depend on the first, and conjunctions too.

    Sets ``governor`` and ``role`` of parts.
    """
    chains: list[list[int]] = []
    for place, part in enumerate(parts):
        if part.category not in CONJUNCTIONS:
            continue
        left = _left(parts, place)
        right = _right(parts, place, left)
        if left is None or right is None:
            continue
        chain = next((chain for chain in chains if left in chain), None)
        if chain is None:
            chain = _listed(parts, left)
            chains.append(chain)
        _attach(parts, chain, place, right)
        chain.append(right)
    for chain in chains:
        _mark(parts, chain)


def _left(parts: Sequence[Phrase], place: int) -> int | None:
    """Return what is joined on the left of a conjunction."""
    for left in range(place - 1, -1, -1):
        category = parts[left].category
        if category in PUNCTUATION:
            continue
        return None if category in (*CONJUNCTIONS, "DT", "PDT") else left
    return None


def _right(parts: Sequence[Phrase], place: int, left: int | None) -> int | None:
    """Return what is joined on the right: of words before a noun, the noun."""
    if left is None:
        return None
    others = (*PUNCTUATION, *CONJUNCTIONS)
    places = [p for p in range(place + 1, len(parts)) if parts[p].category not in others]
    if not places:
        return None
    while (
        len(places) > 1
        and parts[places[0]].category in _ADVERBS
        and not _alike(parts, left, places[0])
    ):
        places.pop(0)
    right = places[0]
    # "cats and white dogs" in one phrase: the dogs are joined.
    if parts[left].is_word and _alike_kind(parts[left]) == "NN" and not _alike(parts, left, right):
        run = right
        while run + 1 < len(parts) and parts[run].category not in others:
            if parts[run].is_word and _alike(parts, left, run):
                return run
            run += 1
        return run if _alike(parts, left, run) else right
    return right


def _alike_kind(part: Phrase) -> str:
    return _KIND.get(part.category, part.category)


def _alike(parts: Sequence[Phrase], one: int, other: int) -> bool:
    """Whether two parts may be members of one list."""
    return _alike_kind(parts[one]) == _alike_kind(parts[other])


def _listed(parts: Sequence[Phrase], left: int) -> list[int]:
    """Return the members of a list that ends with `left`, the first one first."""
    chain = [left]
    while (
        chain[0] >= 2
        and parts[chain[0] - 1].category in _COMMAS
        and _alike(parts, chain[0] - 2, chain[0])
    ):
        chain.insert(0, chain[0] - 2)
    return chain


def _attach(parts: Sequence[Phrase], chain: Sequence[int], place: int, right: int) -> None:
    """Make a conjunction and the words before its right member depend on what they belong to."""
    first = parts[chain[0]]
    parts[place].governor, parts[place].role = first, "cc"
    for between in range(place + 1, right):
        if parts[between].category not in PUNCTUATION:
            parts[between].governor = parts[right]


def _mark(parts: Sequence[Phrase], chain: Sequence[int]) -> None:
    """Make the members of a list depend on the first."""
    first = parts[chain[0]]
    for place in chain[1:]:
        parts[place].governor, parts[place].role = first, "conj"
    for place in range(chain[0] + 1, chain[-1]):
        if parts[place].category in PUNCTUATION:
            parts[place].governor = first
    for part in parts[: chain[0]]:
        if part.is_word and part.text in BOTH:
            part.governor, part.role = first, "preconj"
