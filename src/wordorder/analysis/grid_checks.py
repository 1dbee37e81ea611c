"""Checks that the parts of a grid are of the same sentences, and that its metrics fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wordorder.errors import InputError, UsageError
from wordorder.metrics import metrics_for
from wordorder.metrics.contract import BaseMetric
from wordorder.text.lines import line_count_mismatch
from wordorder.text.quoting import quoted
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank


def check_same_words(treebanks: Mapping[str, Treebank]) -> None:
    """Check that treebanks have the same sentences, word by word.

    Parameters
    ----------
    treebanks : mapping of name to Treebank
        The names are what messages call them.

    Raises
    ------
    InputError
        If one differs from the first; the message names sentence and word.

    Examples
    --------
    >>> check_same_words({
    ...     "p1.conllu": Treebank.from_words([["He", "left"]]),
    ...     "p2.conllu": Treebank.from_words([["He", "leaves"]]),
    ... })
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: p2.conllu: sentence 1, word 2: 'leaves'; expected 'left', as in \
p1.conllu
    """
    (first, words), *others = treebanks.items()
    for name, other in others:
        if other is not words:
            _check_pair(first, words, name, other)


def _check_pair(first: str, words: Treebank, name: str, other: Treebank) -> None:
    """Check a treebank against the first one."""
    if len(other) != len(words):
        raise line_count_mismatch(name, len(other), first, len(words), "sentence")
    differing = np.flatnonzero(other.lengths != words.lengths)
    if len(differing):
        row = int(differing[0])
        raise InputError(
            f"{name}: {_sentence(other, row)}",
            f"{_words(other, row)}",
            f"{_words(words, row)}, as in {first}",
        )
    # Renumbered: a vocabulary may have a string twice.
    codes = Column.concatenate([words.form, other.form]).codes
    wrong = np.flatnonzero(codes[: words.words] != codes[words.words :])
    if len(wrong):
        at = int(wrong[0])
        row = int(np.searchsorted(words.offsets, at, side="right")) - 1
        theirs, ours = (
            quoted(bank.form[at : at + 1].strings()[0].encode()) for bank in (other, words)
        )
        raise InputError(
            f"{name}: {_sentence(other, row)}, word {at - int(words.offsets[row]) + 1}",
            theirs,
            f"{ours}, as in {first}",
        )


def _sentence(bank: Treebank, row: int) -> str:
    """Name a sentence by its number, and by its ``sent_id`` if it has one."""
    name = bank.margins[row].value("sent_id")
    return f"sentence {row + 1}" + ("" if name in (None, str(row + 1)) else f" ({name})")


def _words(bank: Treebank, row: int) -> str:
    count = int(bank.lengths[row])
    return f"{count} word{'' if count == 1 else 's'}"


def check_order_metrics(metrics: Sequence[BaseMetric]) -> None:
    """Check that metrics compare orders.

    Raises
    ------
    UsageError
        If one reads something else; the message lists those that do not.

    Examples
    --------
    >>> from wordorder.metrics import metric
    >>> check_order_metrics([metric("frs")])
    """
    for each in metrics:
        if set(each.columns) != {"permutation"}:
            legal = ", ".join(sorted(metrics_for({"permutation"})))
            raise UsageError(f"{each.name} does not compare orders; legal names: {legal}")
