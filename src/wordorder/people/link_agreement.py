"""How far two annotators agree on links, and where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

Link = tuple[int, int]


@dataclass(frozen=True)
class LinkDifference:
    """One sentence on which two annotators differ.

    Attributes
    ----------
    sentence : int
        From 1.
    source, target : tuple of str
        The tokens, cut wherever one of the two cut.
    only_first, only_second : tuple of (source position, target position)
    """

    sentence: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    only_first: tuple[Link, ...]
    only_second: tuple[Link, ...]


@dataclass(frozen=True)
class LinkAgreement:
    """What `link_agreement` found.

    Attributes
    ----------
    f1 : float
        ``2 |A and B| / (|A| + |B|)`` over the links of all sentences; 1 if nobody linked anything.
    kappa : float
        Cohen's kappa of "linked" and "not linked" over all pairs of words; 1 if both always say
        the same.
    sentences : int
        How many were compared.
    not_compared : tuple of int
        Sentences, from 1, whose translations differ: their links point to other words.
    words : tuple of (str, int, int)
        Source words with the number of times that their links differ and of all times they occur,
        the most doubtful first.
    differences : tuple of LinkDifference
    """

    f1: float
    kappa: float
    sentences: int
    not_compared: tuple[int, ...]
    words: tuple[tuple[str, int, int], ...]
    differences: tuple[LinkDifference, ...]


def link_agreement(
    first: Sequence[Mapping[str, Any] | None], second: Sequence[Mapping[str, Any] | None]
) -> LinkAgreement:
    """Compare the links that two annotators made in the same sentences.

    Sure and possible links count alike. Where one annotator split a token that the other left
    whole, both are compared on the smaller pieces: a link of the whole is one of each piece.

    Parameters
    ----------
    first, second : sequences of answers
        As `checked_alignment` returns them; None where an annotator has not been.

    Examples
    --------
    >>> words = {"source": ["a", "b"], "target": ["B", "A"]}
    >>> one = {**words, "links": [[0, 1, "sure"], [1, 0, "sure"]]}
    >>> other = {**words, "links": [[0, 1, "possible"], [1, 1, "sure"]]}
    >>> found = link_agreement([one], [other])
    >>> found.f1, round(found.kappa, 3), found.words
    (0.5, 0.0, (('b', 1, 1), ('a', 0, 1)))
    """
    both = neither = one_only = other_only = compared = 0
    doubtful: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    differences, not_compared = [], []
    for sentence, (one, other) in enumerate(zip(first, second, strict=True), 1):
        if one is None or other is None:
            continue
        if any("".join(one[side]) != "".join(other[side]) for side in ("source", "target")):
            not_compared.append(sentence)
            continue
        compared += 1
        source, target = (refined_tokens(one[side], other[side]) for side in ("source", "target"))
        ours, theirs = (refined_links(each, source, target) for each in (one, other))
        both += len(ours & theirs)
        one_only += len(ours - theirs)
        other_only += len(theirs - ours)
        neither += len(source) * len(target) - len(ours | theirs)
        seen.update(source)
        doubtful.update(source[s] for s in {s for s, _ in ours ^ theirs})
        if ours != theirs:
            missing, added = tuple(sorted(ours - theirs)), tuple(sorted(theirs - ours))
            differences.append(LinkDifference(sentence, source, target, missing, added))
    links = 2 * both + one_only + other_only
    words = sorted(seen, key=lambda word: (-doubtful[word], word))
    return LinkAgreement(
        f1=2 * both / links if links else 1.0,
        kappa=_kappa(both, one_only, other_only, neither),
        sentences=compared,
        not_compared=tuple(not_compared),
        words=tuple((word, doubtful[word], seen[word]) for word in words),
        differences=tuple(differences),
    )


def _kappa(both: int, one_only: int, other_only: int, neither: int) -> float:
    """Return Cohen's kappa of a table of two by two."""
    cells = both + one_only + other_only + neither
    if not cells:
        return 1.0
    linked = (both + one_only) * (both + other_only)
    unlinked = (neither + other_only) * (neither + one_only)
    expected = linked + unlinked
    if expected == cells * cells:
        return 1.0
    return ((both + neither) * cells - expected) / (cells * cells - expected)


def refined_tokens(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens cut wherever one of two cuts the same letters."""
    text = "".join(one)
    ends = sorted({*accumulate(map(len, one)), *accumulate(map(len, other))})
    return tuple(text[start:end] for start, end in zip([0, *ends], ends, strict=False))


def refined_links(
    answer: Mapping[str, Any], source: Sequence[str], target: Sequence[str]
) -> set[Link]:
    """Return the links of an answer between the pieces of its tokens."""
    rows = _pieces(answer["source"], source)
    columns = _pieces(answer["target"], target)
    return {(s, t) for a, b, _ in answer["links"] for s in rows[a] for t in columns[b]}


def _pieces(tokens: Sequence[str], pieces: Sequence[str]) -> list[range]:
    """Return which pieces each token is cut into."""
    found, place = [], 0
    for token in tokens:
        start, length = place, 0
        while length < len(token):
            length += len(pieces[place])
            place += 1
        found.append(range(start, place))
    return found
