"""Scores of taggers and parsers on held-out trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wordorder.arrays import Bool
from wordorder.errors import InputError
from wordorder.treebank.treebank import Column, Treebank

Scores = dict[str, float]


def tagger_scores(model: Any, dev: Treebank) -> Scores:
    """Return the tag accuracy of a tagger: ``tags``, the mean, first, then that of each column."""
    accuracies = tag_accuracy(model.tag(dev), dev, model.tag_set.columns)
    if not accuracies:
        columns = " or ".join(model.tag_set.columns)
        raise InputError(
            "the treebank of dev", f"no tag in {columns}", "tags that the tagger gives"
        )
    return {"tags": sum(accuracies.values()) / len(accuracies), **accuracies}


def parser_scores(model: Any, tagged: Treebank, dev: Treebank) -> Scores:
    """Return the LAS and UAS of a parser on `tagged`, the sentences of `dev` with tags."""
    las, uas = attachment_scores(model.parse(tagged), dev)
    return {"las": las, "uas": uas}


def format_scores(scores: Scores) -> list[str]:
    """Format scores in per cent, without ``tags``, the mean by which the best epoch is chosen.

    Examples
    --------
    >>> format_scores({"las": 0.875, "uas": 0.9})
    ['LAS 87.50', 'UAS 90.00']
    """
    return [f"{name.upper()} {100 * value:.2f}" for name, value in scores.items() if name != "tags"]


def attachment_scores(predicted: Treebank, gold: Treebank) -> tuple[float, float]:
    """Return the shares of words with the right head and label, and with the right head.

    Parameters
    ----------
    predicted, gold : Treebank
        The same sentences, at least one word; punctuation counts.

    Examples
    --------
    >>> gold = Treebank.from_words([["It", "rains"]], heads=[[2, 0]], label=[["expl", "root"]])
    >>> found = Treebank.from_words([["It", "rains"]], heads=[[2, 0]], label=[["nsubj", "root"]])
    >>> attachment_scores(found, gold)
    (0.5, 1.0)
    """
    heads = predicted.heads == gold.heads
    labels = heads & _equal(predicted.label, gold.label)
    return float(labels.mean()), float(heads.mean())


def tag_accuracy(
    predicted: Treebank, gold: Treebank, columns: Sequence[str] = ("xpos", "upos")
) -> dict[str, float]:
    """Return the share of words with the right tag for each requested column that `gold` has.

    Examples
    --------
    >>> gold = Treebank.from_words([["It", "rains"]], upos=[["PRON", "VERB"]])
    >>> found = Treebank.from_words([["It", "rains"]], upos=[["PRON", "NOUN"]])
    >>> tag_accuracy(found, gold)
    {'upos': 0.5}
    """
    return {
        name: float(_equal(predicted.columns[name], gold.columns[name]).mean())
        for name in ("xpos", "upos", "feats")
        if name in columns and gold.columns[name].has_value().any()
    }


def _equal(predicted: Column, gold: Column) -> Bool:
    """Return a mask of the words with the same string in both columns."""
    numbers = {word: number for number, word in enumerate(gold.vocabulary.words)}
    return np.asarray(predicted.encode(numbers, -1) == gold.encode(numbers, -2))
