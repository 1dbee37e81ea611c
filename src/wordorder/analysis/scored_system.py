"""Scoring the orders of a system sentence by sentence, for an analysis."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.order_scores import OrderScores
from wordorder.analysis.system import AnalysedSystem
from wordorder.errors import InputError
from wordorder.metrics.contract import Metric, completed, left_out
from wordorder.order.orders import Orders
from wordorder.reordering.base import RuleSet
from wordorder.reordering.order_checks import check_orders
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
    check_orders(corpus.reference, corpus.words)
    check_orders(orders, corpus.words, name=name)
    if treebank is not None and not np.array_equal(treebank.offsets, corpus.words.offsets):
        raise InputError(
            f"the trees of {name}",
            f"{len(treebank)} sentences, {treebank.words} words",
            f"the same lengths as the corpus: {len(corpus.words)} sentences, "
            f"{corpus.words.words} words",
        )
    complete = completed(metric)
    statistics = OrderScores(corpus, complete).statistics(orders)
    skipped = left_out(statistics)
    scores = np.where(skipped, 0.0, complete.score_segments(statistics))
    return AnalysedSystem(name, orders, scores, skipped, treebank, rules)
