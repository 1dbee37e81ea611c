"""What is known of each distinct word: its spelling, and the tags that it had in training."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from wordorder.kernels import word_attributes as kernel
from wordorder.kernels._run import call
from wordorder.parsing.tagging.templates import ATTRIBUTES
from wordorder.text.vocabulary import Vocabulary
from wordorder.types import Bool, Int32, UInt8, UInt64

COLUMNS = len(ATTRIBUTES)
# A word that is rarer has no class of its own; tags with a smaller share are not of its class.
LEAST_COUNT = 3
LEAST_SHARE = 0.02
# Longer words are all the same.
LONGEST = 12
MASK64 = 2**64 - 1
_DIGIT = re.compile(r"\d")


def normal_form(word: str) -> str:
    """Return a word in lower case, each digit a 0.

    Examples
    --------
    >>> normal_form("Boeing-747")
    'boeing-000'
    """
    return _DIGIT.sub("0", word.lower())


def word_attributes(
    words: Sequence[str], classes: Mapping[str, int], one_case: Bool | None = None
) -> UInt64:
    """Return the attributes of words, as `ATTRIBUTES` names them.

    Parameters
    ----------
    words : sequence of str
    classes : mapping of str to int
        The key of the class of a normal form; others have one together.
    one_case : bool[W], optional
        The words whose case says nothing, which are in lower case.

    Returns
    -------
    uint64[W * 17]
        A hash of each attribute; 0 where a word has none.
    """
    normal = [normal_form(word) for word in words]
    spelled, lowered = Vocabulary(words).code_points(), Vocabulary(normal).code_points()
    characters = _character_classes(spelled.values)
    if one_case is not None:
        blind = np.repeat(one_case, spelled.lengths)
        characters[blind & ((characters == 1) | (characters == 2))] = 4
    attributes = np.zeros((len(words), COLUMNS), np.uint64)
    call(
        kernel.word_attributes,
        spelled.values,
        spelled.offsets,
        characters,
        lowered.values,
        lowered.offsets,
        COLUMNS,
        attributes.reshape(-1),
        0,
        len(words),
    )
    lengths = np.array([key_of(length) for length in range(LONGEST + 1)], np.uint64)
    attributes[:, -2] = lengths[np.minimum(spelled.lengths, LONGEST)]
    other = key_of()
    attributes[:, -1] = np.fromiter((classes.get(w, other) for w in normal), np.uint64, len(words))
    return attributes.reshape(-1)


def tag_classes(
    words: Sequence[str], codes: Int32, tags: Int32
) -> tuple[list[str], list[list[int]]]:
    """Return the normal forms that are not rare, and the tags that each may have.

    Parameters
    ----------
    words : sequence of str
        By number.
    codes : int32[N]
        The number of each word of a text.
    tags : int32[N]
        The number of its tag.

    Returns
    -------
    forms : list of str
        Sorted.
    classes : list of lists of int
        The most frequent tag first.

    Examples
    --------
    >>> codes, tags = np.zeros(4, np.int32), np.array([2, 1, 2, 2], np.int32)
    >>> tag_classes(["Can"], codes, tags)
    (['can'], [[2, 1]])
    """
    numbers: dict[str, int] = {}
    table = [numbers.setdefault(normal_form(word), len(numbers)) for word in words]
    forms = np.array(table, np.int64)[codes]
    count = int(tags.max(initial=0)) + 1
    pairs, times = np.unique(forms * count + tags, return_counts=True)
    totals = np.bincount(forms, minlength=len(numbers))
    form, tag = np.divmod(pairs, count)
    kept = (totals[form] >= LEAST_COUNT) & (times >= LEAST_SHARE * totals[form])
    form, tag, times = form[kept], tag[kept], times[kept]
    order = np.lexsort((tag, -times, form))
    found: dict[int, list[int]] = {}
    for one, number in zip(form[order].tolist(), tag[order].tolist(), strict=True):
        found.setdefault(one, []).append(number)
    named = sorted((word, found[number]) for word, number in numbers.items() if number in found)
    return [word for word, _ in named], [tags for _, tags in named]


def key_of(*numbers: int) -> int:
    """Return a hash of numbers in their order; never 0.

    Examples
    --------
    >>> key_of(1, 2) != key_of(2, 1)
    True
    """
    key = 0x94D049BB133111EB
    for number in numbers:
        key = ((key ^ (number + 1)) * 0x9E3779B97F4A7C15) & MASK64
        key ^= key >> 29
        key = (key * 0xBF58476D1CE4E5B9) & MASK64
        key ^= key >> 32
    return key | 1


def _character_classes(code_points: Int32) -> UInt8:
    """Return the class of each character: capital, other letter, digit, or none."""
    different, places = np.unique(code_points, return_inverse=True)
    classes = np.zeros(len(different), np.uint8)
    for number, code_point in enumerate(different.tolist()):
        character = chr(code_point)
        if character.isupper() or character.istitle():
            classes[number] = 1
        elif character.isdigit():
            classes[number] = 3
        elif character.isalpha():
            classes[number] = 2
    return classes[places]
