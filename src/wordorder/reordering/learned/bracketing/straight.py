"""How much a model prefers straight splits: what is best on sentences that it has not seen.

From few sentences a model learns words by heart, and turns more round in new sentences than is
right. A bonus for straight splits keeps the source order wherever the model is not sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wordorder.reordering.learned.consensus.agreement import order_similarity
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.reordering.learned.folds import grouped_folds
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64

if TYPE_CHECKING:
    from wordorder.reordering.learned.bracketing.model import Bracketing

# What is tried. The last one leaves every sentence in the source order, or nearly so.
BONUSES = (0.0, 0.02, 0.04, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 1.0)
# The smallest bonus wins that is no further than this from the best: peaks are flat, and a model of
# one run needs a larger bonus than the mean of several.
NEAR = 0.002
# Each probe leaves out one part of so many; there are this many probes.
PARTS, PROBES = 4, 2
# Fewer sentences than this decide nothing; more are not needed.
FEWEST, MOST = 40, 2000


def held_out(treebank: Treebank, *, seed: int) -> list[Int64]:
    """Return the sentences that each probe leaves out; none if there are too few sentences."""
    if len({tuple(words) for words in treebank.sentences()}) < FEWEST:
        return []
    folds = grouped_folds(treebank, PARTS, seed=seed)
    return [np.flatnonzero(folds == part) for part in range(PROBES)]


def chosen_bonus(
    probes: Sequence[Bracketing], unseen: Sequence[OrderExamples], *, metric: str = "frs"
) -> float:
    """Return the bonus under which models order unseen sentences best; 0 for too few of these.

    Parameters
    ----------
    probes : sequence of Bracketing
    unseen : sequence of OrderExamples
        For each model sentences that it has not learned from.
    metric : str
        What compares two orders.

    Raises
    ------
    UsageError
        If the metric does not compare orders.
    """
    similarity = order_similarity(metric)
    totals = np.zeros(len(BONUSES))
    weight = 0.0
    count = 0
    for model, examples in zip(probes, unseen, strict=True):
        counted = np.flatnonzero(examples.ranked & (examples.weights > 0))[:MOST]
        if not len(counted):
            continue
        some = examples.take(counted)
        for number, bonus in enumerate(BONUSES):
            orders = model.preferring(bonus).orders(some.treebank)
            totals[number] += np.dot(similarity(orders, some.references), some.weights)
        weight += float(some.weights.sum())
        count += len(counted)
    if count < FEWEST:
        return 0.0
    means = totals / weight
    return BONUSES[int(np.argmax(means >= means.max() - NEAR))]
