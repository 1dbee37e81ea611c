"""Scoring the orders of a system sentence by sentence, for an analysis."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.order_scores import OrderScores
from wordorder.analysis.system import AnalysedSystem
from wordorder.errors import InputError
from wordorder.metrics.base import Metric, left_out, scores_of_rows
from wordorder.order.orders import Orders
from wordorder.reordering.base import RuleSet
from wordorder.treebank.treebank import Treebank


def scored_system(
    name: str,
    orders: Orders,
    corpus: Corpus,
    metric: Metric,
    *,
    treebank: Treebank | None = None,
    rules: RuleSet | None = None,
) -> AnalysedSystem:
    """Score a system's orders against the reference of a corpus.

    Parameters
    ----------
    name : str
        What tables call the system.
    orders : Orders
        S rows over the words of the corpus.
    corpus : Corpus
    metric : Metric
        Of orders: one that reads permutations.
    treebank : Treebank, optional
        The trees that the orders came from.
    rules : RuleSet, optional
        What made the orders of the trees.

    Raises
    ------
    InputError
        If orders, reference or trees do not fit the words of the corpus.

    Examples
    --------
    >>> from wordorder.metrics import metric
    >>> corpus = Corpus(Treebank.from_words([["a", "b", "c"]]), Orders.from_rows([[2, 0, 1]]))
    >>> scored_system("as it is", Orders.from_rows([[0, 1, 2]]), corpus, metric("frs")).scores
    array([0.5])
    """
    check_positions("the reference", corpus.reference, corpus.words)
    check_positions(name, orders, corpus.words)
    if treebank is not None and not np.array_equal(treebank.offsets, corpus.words.offsets):
        raise InputError(
            f"the trees of {name}",
            f"{len(treebank)} sentences, {treebank.words} words",
            f"the same lengths as the corpus: {len(corpus.words)} sentences, "
            f"{corpus.words.words} words",
        )
    statistics = OrderScores(corpus, metric).statistics(orders)
    skipped = left_out(statistics)
    scores = np.where(skipped, 0.0, scores_of_rows(metric, statistics))
    return AnalysedSystem(name, orders, scores, skipped, treebank, rules)


def check_positions(name: str, orders: Orders, words: Treebank) -> None:
    """Check that orders are of these sentences.

    Parameters
    ----------
    name : str
        What messages call them.
    orders : Orders
    words : Treebank

    Raises
    ------
    InputError
        If there are more or fewer rows than sentences, or a position lies beyond its sentence.

    Examples
    --------
    >>> check_positions("A", Orders.from_rows([[0, 3]]), Treebank.from_words([["a", "b"]]))
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: A, sentence 1: position 3; expected positions from 0 to 1: the \
sentence has 2 words
    """
    if len(orders) != len(words):
        raise InputError(name, f"{len(orders)} orders", f"{len(words)}, one a sentence")
    lengths = np.repeat(words.lengths, orders.lengths)
    beyond = np.flatnonzero(orders.positions.values >= lengths)
    if len(beyond):
        at = int(beyond[0])
        sentence = int(np.searchsorted(orders.positions.offsets, at, side="right")) - 1
        size = int(lengths[at])
        noun = "word" if size == 1 else "words"
        raise InputError(
            f"{name}, sentence {sentence + 1}",
            f"position {orders.positions.values[at]}",
            f"positions from 0 to {size - 1}: the sentence has {size} {noun}"
            if size
            else "none: the sentence has no words",
        )
