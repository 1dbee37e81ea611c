"""The order that several orders of a sentence agree on best, and how similar two orders are."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Ragged, concat_ranges
from wordorder.errors import UsageError
from wordorder.kernels import run_rows
from wordorder.kernels.learned import consensus_orders
from wordorder.order.orders import Orders
from wordorder.reordering.learned.examples import LONGEST

# Longer sentences move fewer words at a time: the work grows with the square of the block.
LONG, BLOCK = 80, 8

# What decides between orders that the metric finds equally good.
TIE = 0.01

Similarity = Callable[[Orders, Orders], Float64]


@dataclass(frozen=True)
class AgreementWeights:
    """What orders are to share: neighbours, the first and last word, pairs in the same order."""

    neighbours: float
    ends: float
    pairs: float


# The metrics whose best order is searched for among all permutations. Neighbours are what fuzzy
# reordering counts, pairs what Kendall's tau counts.
AGREEMENT_WEIGHTS = {
    "frs": AgreementWeights(1.0, 0.0, TIE),
    "frs-boundary": AgreementWeights(1.0, 1.0, TIE),
    "kendall": AgreementWeights(TIE, TIE, 1.0),
    # A pair in the other order is subtracted, so half a pair here is a whole one in the mean.
    "mix(formula=0.5*frs+0.5*kendall)": AgreementWeights(1.0, 0.0, 0.5),
}


def agreed_orders(
    candidates: Sequence[Orders], *, weights: Sequence[float] | None = None, metric: str = "frs"
) -> Orders:
    """Return for each sentence the order with the highest expected score against several others.

    Each of the candidates is taken for the right order with a probability as its weight (minimum
    Bayes risk; Kumar and Byrne 2004). For ``frs``, ``frs-boundary`` and ``kendall`` the search goes
    on from the best of the candidates to any other permutation by moving blocks of words; under
    other metrics, and of sentences of more than 512 words, the best of the candidates wins.

    Parameters
    ----------
    candidates : sequence of Orders
        Orders of the same sentences, all their words, no ties.
    weights : sequence of float, optional
        One a candidate, more than 0; all the same unless given.
    metric : str
        What compares two orders.

    Raises
    ------
    UsageError
        If there is no candidate, the candidates are of different sentences, a weight is not
        positive, or the metric does not compare orders.

    Examples
    --------
    >>> rows = [[[0, 1, 2, 3]], [[1, 0, 2, 3]], [[0, 1, 3, 2]]]
    >>> agreed_orders([Orders.from_rows(each) for each in rows])[0].positions
    (0, 1, 2, 3)
    """
    chosen = _check_candidates(candidates, weights)
    if metric not in AGREEMENT_WEIGHTS:
        return _best_candidates(candidates, chosen, order_similarity(metric))
    long = candidates[0].lengths > LONGEST
    if not long.any():
        return _search_orders(candidates, chosen, AGREEMENT_WEIGHTS[metric])
    # What the search takes grows with the cube of the length, and its memory with the square.
    rows, short_rows = np.flatnonzero(long), np.flatnonzero(~long)
    parts = [
        _best_candidates(
            [orders.take(rows) for orders in candidates], chosen, order_similarity(metric)
        )
    ]
    if len(short_rows):
        parts.append(
            _search_orders(
                [orders.take(short_rows) for orders in candidates],
                chosen,
                AGREEMENT_WEIGHTS[metric],
            )
        )
    back = np.argsort(np.concatenate([rows, short_rows]), kind="stable")
    return Orders.concatenate([Orders(part.positions) for part in parts]).take(back)


def order_similarity(metric: str) -> Similarity:
    """Return what scores each sentence of one column of orders against another by a metric.

    Raises
    ------
    UsageError
        If there is no such metric, or it compares something else than orders.
    """
    # Metrics are above this floor: they are looked up by name, as registries do.
    scorer = importlib.import_module("wordorder.metrics.registry").named_metric(metric)
    if set(scorer.columns) != {"permutation"}:
        names = importlib.import_module("wordorder.metrics").metrics_for({"permutation"})
        legal = ", ".join(sorted(names))
        raise UsageError(f"{scorer.name} does not compare orders; legal names: {legal}")
    segments = importlib.import_module("wordorder.segments").Segments
    sign = 1.0 if scorer.higher_is_better else -1.0

    def similarity(system: Orders, reference: Orders) -> Float64:
        scores = scorer.segment_scores(segments.from_orders(system, reference))
        # An empty sentence, which metrics leave out, has one order: all agree on it.
        return sign * np.nan_to_num(np.asarray(scores, np.float64))

    return similarity


def _check_candidates(candidates: Sequence[Orders], weights: Sequence[float] | None) -> Float64:
    """Return the weights of candidates that fit together."""
    if not candidates:
        raise UsageError("a consensus needs at least one order of each sentence")
    offsets = candidates[0].positions.offsets
    for orders in candidates:
        if not np.array_equal(orders.positions.offsets, offsets) or orders.ranks is not None:
            raise UsageError("a consensus is of orders of the same sentences, without ties")
    chosen = np.ones(len(candidates)) if weights is None else np.array(weights, np.float64)
    if chosen.shape != (len(candidates),) or not (np.isfinite(chosen) & (chosen > 0)).all():
        raise UsageError(f"weights {list(chosen)}; expected {len(candidates)} positive numbers")
    return chosen


def _search_orders(
    candidates: Sequence[Orders], weights: Float64, agreement: AgreementWeights
) -> Orders:
    positions = candidates[0].positions
    positions_found = np.empty(len(positions.values), np.int32)
    # Long sentences apart, so that short ones need no large tables.
    long = positions.lengths > LONG
    for rows, block in ((np.flatnonzero(~long), LONG), (np.flatnonzero(long), BLOCK)):
        if not len(rows):
            continue
        parts = [orders.positions.take(rows) for orders in candidates]
        offsets = parts[0].offsets
        order = np.empty(int(offsets[-1]), np.int32)
        run_rows(
            consensus_orders,
            offsets,
            offsets,
            np.concatenate([part.values for part in parts]),
            weights,
            *(agreement.neighbours, agreement.ends, agreement.pairs, block),
            order,
            scratch=lambda longest: (longest,),
        )
        positions_found[concat_ranges(positions.offsets[:-1][rows], np.diff(offsets))] = order
    return Orders(Ragged(positions_found, positions.offsets))


def _best_candidates(
    candidates: Sequence[Orders], weights: Float64, similarity: Similarity
) -> Orders:
    """Return for each sentence the candidate that the others are most similar to."""
    rows = len(candidates[0])
    lengths = candidates[0].lengths
    used = np.flatnonzero(lengths > 0)
    value = np.zeros((len(candidates), rows))
    for number, system in enumerate(candidates):
        for weight, reference in zip(weights.tolist(), candidates, strict=True):
            value[number, used] += weight * similarity(system.take(used), reference.take(used))
    chosen = np.argmax(np.round(value, 12), axis=0)
    stacked = Orders.concatenate([Orders(orders.positions) for orders in candidates])
    return stacked.take(chosen * rows + np.arange(rows))
