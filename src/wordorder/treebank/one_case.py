"""Text that says nothing by its case: sentences all in lower case, or all in capitals."""

from __future__ import annotations

import numpy as np

from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool, Int64


def in_one_case(form: Column, offsets: Int64) -> Bool:
    """Return which words are in sentences whose letters all have the same case, bool[N].

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"], ["it", "rains"], ["IT", "RAINS"]])
    >>> in_one_case(bank.form, bank.offsets).tolist()
    [False, False, True, True, True, True]
    """
    words = form.vocabulary.words
    lengths = np.diff(offsets)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    both = np.ones(len(lengths), np.bool_)
    for other in (str.lower, str.upper):
        changes = np.fromiter((other(word) != word for word in words), np.bool_, len(words))
        both &= np.bincount(sentence, changes[form.codes], len(lengths)) > 0
    return ~both[sentence]


def with_lower_case(sentences: Treebank) -> tuple[Treebank, Int64]:
    """Return sentences and copies in lower case of those that are in both cases.

    Returns
    -------
    Treebank
        First all sentences, then the copies.
    int64 array
        The numbers of the sentences that the copies are of.

    Examples
    --------
    >>> bank, rows = with_lower_case(Treebank.from_words([["It", "rains"], ["hi"]]))
    >>> bank.form.strings(), rows.tolist()
    (['It', 'rains', 'hi', 'it', 'rains'], [0])
    """
    cased = ~in_one_case(sentences.form, sentences.offsets)
    rows = np.unique(np.repeat(np.arange(len(sentences)), sentences.lengths)[cased])
    copies = sentences.take(rows)
    copies = copies.replace(form=copies.form.map(str.lower))
    return Treebank.concatenate([sentences, copies]), rows
