"""Sentences as the bracketing kernel reads them: attributes of words, heads and labels."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.errors import InputError
from wordorder.reordering.learned.pieces import local_heads, piece_offsets
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int32, Int64, UInt64

# What the features can read of a word. Strings of different attributes never have the same key:
# "NOUN" the word is not "NOUN" the tag.
ATTRIBUTES = ("form", "class", "xpos", "upos", "label")
TAGS = ("xpos", "upos")
# Words without tags are told apart by themselves if they came so often, by their form if not.
FREQUENT = 8


@dataclass(frozen=True, eq=False)
class WordArrays:
    """Flat arrays of the words of sentences, which are cut where they are too long.

    Attributes
    ----------
    attributes : uint64[N * columns]
        A key for each attribute of each word, word by word.
    heads : int32[N]
        The position of each word's head in its piece, -1 if it is not there.
    labels : uint64[N]
    offsets : int64[P+1]
        Where the pieces begin, each of at most `LONGEST` words.
    """

    attributes: UInt64
    heads: Int32
    labels: UInt64
    offsets: Int64

    @property
    def longest(self) -> int:
        """Words of the longest piece."""
        return int(np.diff(self.offsets).max(initial=1))


def frequent_words(form: Column) -> tuple[str, ...]:
    """Return the words that came at least `FREQUENT` times, in lower case, sorted.

    Examples
    --------
    >>> frequent_words(Column.of(["The", "cat", *["the"] * 7]))
    ('the',)
    """
    counts: Counter[str] = Counter()
    number = np.bincount(form.codes, minlength=len(form.vocabulary))
    for word, count in zip(form.vocabulary.words, number.tolist(), strict=True):
        counts[word.lower()] += count
    return tuple(sorted(word for word, count in counts.items() if count >= FREQUENT))


def word_class(form: str, frequent: frozenset[str]) -> str:
    """Return a frequent word itself, of others whether they are numbers or names, or their end.

    Examples
    --------
    >>> [word_class(form, frozenset(["of"])) for form in ("Of", "1997", "Rome", "reads", "学生")]
    ['of', '0', 'A', '-ds', '-学生']
    """
    lower = form.lower()
    if lower in frequent:
        return lower
    if any(letter.isdigit() for letter in form):
        return "0"
    if form[:1].isupper():
        return "A"
    return f"-{form[-2:]}"


def word_arrays(
    treebank: Treebank,
    attributes: tuple[str, ...],
    *,
    trees: bool,
    frequent: Sequence[str] = (),
) -> WordArrays:
    """Return what the kernel reads; `frequent` are the words that are classes by themselves.

    Raises
    ------
    InputError
        If a sentence lacks what is to be read: a tree, or the tags of all words.
    """
    _check(treebank, attributes, trees=trees)
    offsets = piece_offsets(treebank.offsets)
    known = frozenset(frequent)
    columns = {
        **treebank.columns,
        "class": treebank.form.map(lambda form: word_class(form, known)),
    }
    keys = [_keys(columns[name], name) for name in attributes]
    if trees:
        heads = local_heads(treebank, offsets)
        labels = _keys(treebank.label, "label")
    else:
        heads, labels = np.zeros(1, np.int32), np.zeros(1, np.uint64)
    flat = np.ascontiguousarray(np.stack(keys, axis=1).reshape(-1))
    return WordArrays(flat, heads, labels, offsets)


def _keys(column: Column, name: str) -> UInt64:
    """Return a key of 64 bits for each word, which depends on the strings alone."""
    table = [
        hashlib.blake2b(f"{name}\t{word}".encode(), digest_size=8).digest()
        for word in column.vocabulary.words
    ]
    return np.frombuffer(b"".join(table), "<u8").astype(np.uint64)[column.codes]


def _check(treebank: Treebank, attributes: tuple[str, ...], *, trees: bool) -> None:
    """Raise unless the sentences have what is to be read."""
    if trees and not treebank.has_trees:
        raise _lacking(treebank, int(np.argmax(treebank.heads < 0)), "tree", "heads")
    for name in TAGS:
        if name in attributes and treebank.words:
            said = treebank.columns[name].said()
            if not said.any():
                raise _lacking(treebank, 0, name.upper(), "tags")


def _lacking(treebank: Treebank, word: int, what: str, expected: str) -> InputError:
    row = int(np.searchsorted(treebank.offsets, word, side="right")) - 1
    return InputError(f"sentence {row + 1}", f"no {what}", f"{expected}, as the model was trained")
