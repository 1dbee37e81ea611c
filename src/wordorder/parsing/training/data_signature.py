"""The data that a model was trained on, as one short string that tells it from all other data."""

from __future__ import annotations

import hashlib

import numpy as np

from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank

# What taggers and parsers learn from.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "label")
BYTES = 16


def data_signature(treebank: Treebank) -> str:
    """Return what tells the sentences, tags and trees of a treebank from all others.

    Comments, multiword ranges and the columns DEPS and MISC do not matter.

    Returns
    -------
    str
        32 hexadecimal digits (BLAKE2b).

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"], ["Go"]])
    >>> data_signature(bank)
    '702a5e6ef85df87f254708d18a332eae'
    >>> data_signature(bank[:1]) == data_signature(bank)
    False
    """
    digest = hashlib.blake2b(digest_size=BYTES)
    digest.update(treebank.lengths.astype("<i8").tobytes())
    digest.update(treebank.heads.astype("<i4").tobytes())
    for name in COLUMNS:
        codes, strings = _canonical(treebank.columns[name])
        # Lengths in between: two lists of strings are never the same bytes.
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        digest.update(np.array([len(codes), *map(len, encoded)], "<i8").tobytes())
        digest.update(b"".join(encoded))
        digest.update(codes.astype("<i4").tobytes())
    return digest.hexdigest()


def _canonical(column: Column) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], list[str]]:
    """Number the strings in order of their first word; those of no word have no number."""
    used, first, codes = np.unique(column.codes, return_index=True, return_inverse=True)
    words = column.vocabulary.words
    numbers: dict[str, int] = {}
    table = np.zeros(len(used), np.int64)
    for place in np.argsort(first).tolist():
        table[place] = numbers.setdefault(words[int(used[place])], len(numbers))
    return table[codes], list(numbers)
