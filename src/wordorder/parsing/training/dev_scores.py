"""How well a model does on the development part, epoch by epoch."""

from __future__ import annotations

import numpy as np

from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool


def attachment_scores(found: Treebank, gold: Treebank) -> tuple[float, float]:
    """Return the shares of words with the right head and label, and with the right head.

    Parameters
    ----------
    found, gold : Treebank
        The same sentences, at least one word; punctuation counts.

    Examples
    --------
    >>> gold = Treebank.from_words([["It", "rains"]], heads=[[2, 0]], label=[["expl", "root"]])
    >>> found = Treebank.from_words([["It", "rains"]], heads=[[2, 0]], label=[["nsubj", "root"]])
    >>> attachment_scores(found, gold)
    (0.5, 1.0)
    """
    heads = found.heads == gold.heads
    labels = heads & _equal(found.label, gold.label)
    return float(labels.mean()), float(heads.mean())


def tag_accuracy(found: Treebank, gold: Treebank) -> dict[str, float]:
    """Return the share of words with the right tag for each kind of tag that `gold` has.

    Examples
    --------
    >>> gold = Treebank.from_words([["It", "rains"]], upos=[["PRON", "VERB"]])
    >>> found = Treebank.from_words([["It", "rains"]], upos=[["PRON", "NOUN"]])
    >>> tag_accuracy(found, gold)
    {'upos': 0.5}
    """
    return {
        name: float(_equal(found.columns[name], gold.columns[name]).mean())
        for name in ("xpos", "upos")
        if gold.columns[name].said().any()
    }


def _equal(found: Column, gold: Column) -> Bool:
    """Return which words have the same string in both columns."""
    numbers = {word: number for number, word in enumerate(gold.vocabulary.words)}
    return np.asarray(found.encode(numbers, -1) == gold.encode(numbers, -2))
