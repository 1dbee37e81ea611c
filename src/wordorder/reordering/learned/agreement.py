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
from wordorder.reordering.learned.examples import MAX_WORDS

# In sentences with more words than `LONG_SENTENCE`, the search moves at most `MAX_BLOCK` words at a
# time, since its time grows with the square of the block.
LONG_SENTENCE, MAX_BLOCK = 80, 8

# The weight of statistics that decide between orders with equal scores by the metric.
TIE_WEIGHT = 0.01

Similarity = Callable[[Orders, Orders], Float64]


@dataclass(frozen=True)
class AgreementWeights:
    """Weights of shared neighbours, of the same first and last word, and of pairs in one order."""

    neighbours: float
    ends: float
    pairs: float


# The metrics whose best order is searched for among all permutations. Fuzzy reordering counts
# neighbours, Kendall's tau counts pairs.
AGREEMENT_WEIGHTS = {
    "frs": AgreementWeights(1.0, 0.0, TIE_WEIGHT),
    "frs-boundary": AgreementWeights(1.0, 1.0, TIE_WEIGHT),
    "kendall": AgreementWeights(TIE_WEIGHT, TIE_WEIGHT, 1.0),
    # Discordant pairs are subtracted, so the weight of a pair is half of that in the mean.
    "mix(formula=0.5*frs+0.5*kendall)": AgreementWeights(1.0, 0.0, 0.5),
}


def agreed_orders(
    candidates: Sequence[Orders], *, weights: Sequence[float] | None = None, metric: str = "frs"
) -> Orders:
    """Return for each sentence the order with the highest expected score against several others.

    The weight of a candidate is proportional to the probability that it is correct (minimum Bayes
    risk; Kumar and Byrne 2004). For the metrics in `AGREEMENT_WEIGHTS`, a search starts from the
    best candidate and moves blocks of words; for other metrics, and for sentences of more than 512
    words, the best candidate is returned.

    Parameters
    ----------
    candidates : sequence of Orders
        Orders of the same sentences: all words, no ties.
    weights : sequence of float, optional
        One per candidate, more than 0; equal by default.
    metric : str
        The metric that compares two orders.

    Raises
    ------
    UsageError
        If there is no candidate, the candidates are of different sentences, a weight is not
        positive, or the metric does not compare orders.

    Examples
    --------
    >>> rows = [[[0, 1, 2, 3]], [[1, 0, 2, 3]], [[0, 1, 3, 2]]]
    >>> agreed_orders([Orders.from_rows(row) for row in rows])[0].positions
    (0, 1, 2, 3)
    """
    checked = _check_candidates(candidates, weights)
    if metric not in AGREEMENT_WEIGHTS:
        return _best_candidates(candidates, checked, order_similarity(metric))
    agreement = AGREEMENT_WEIGHTS[metric]
    is_long = candidates[0].lengths > MAX_WORDS
    if not is_long.any():
        return _search_orders(candidates, checked, agreement)
    # The time of the search grows with the cube of the length, its memory with the square.
    long_rows, short_rows = np.flatnonzero(is_long), np.flatnonzero(~is_long)
    long = [orders.take(long_rows) for orders in candidates]
    parts = [_best_candidates(long, checked, order_similarity(metric))]
    if len(short_rows):
        short = [orders.take(short_rows) for orders in candidates]
        parts.append(_search_orders(short, checked, agreement))
    back = np.argsort(np.concatenate([long_rows, short_rows]), kind="stable")
    return Orders.concatenate([Orders(part.positions) for part in parts]).take(back)


def order_similarity(metric: str) -> Similarity:
    """Return a function that scores each of some orders against a reference, higher is better.

    Raises
    ------
    UsageError
        If the metric does not exist, or does not compare orders.
    """
    # Metrics are a higher layer, so they are imported by name, as in registries.
    scorer = importlib.import_module("wordorder.metrics.registry").named_metric(metric)
    if set(scorer.columns) != {"permutation"}:
        names = importlib.import_module("wordorder.metrics").metrics_for({"permutation"})
        legal = ", ".join(sorted(names))
        raise UsageError(f"{scorer.name} does not compare orders; legal names: {legal}")
    segments = importlib.import_module("wordorder.segments").Segments
    sign = 1.0 if scorer.higher_is_better else -1.0

    def similarity(system: Orders, reference: Orders) -> Float64:
        scores = scorer.segment_scores(segments.from_orders(system, reference))
        # Metrics leave out empty sentences, on which all orders agree.
        return sign * np.nan_to_num(np.asarray(scores, np.float64))

    return similarity


def _check_candidates(candidates: Sequence[Orders], weights: Sequence[float] | None) -> Float64:
    """Return the weights of candidates; refuse candidates of different sentences."""
    if not candidates:
        raise UsageError("a consensus needs at least one order of each sentence")
    offsets = candidates[0].positions.offsets
    for orders in candidates:
        if not np.array_equal(orders.positions.offsets, offsets) or orders.ranks is not None:
            raise UsageError("a consensus is of orders of the same sentences, without ties")
    checked = np.ones(len(candidates)) if weights is None else np.array(weights, np.float64)
    if checked.shape != (len(candidates),) or not (np.isfinite(checked) & (checked > 0)).all():
        raise UsageError(f"weights {list(checked)}; expected {len(candidates)} positive numbers")
    return checked


def _search_orders(
    candidates: Sequence[Orders], weights: Float64, agreement: AgreementWeights
) -> Orders:
    positions = candidates[0].positions
    best_positions = np.empty(len(positions.values), np.int32)
    # Long sentences are searched separately, so that short ones need no large tables.
    is_long = positions.lengths > LONG_SENTENCE
    for rows, block in (
        (np.flatnonzero(~is_long), LONG_SENTENCE),
        (np.flatnonzero(is_long), MAX_BLOCK),
    ):
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
        best_positions[concat_ranges(positions.offsets[:-1][rows], np.diff(offsets))] = order
    return Orders(Ragged(best_positions, positions.offsets))


def _best_candidates(
    candidates: Sequence[Orders], weights: Float64, similarity: Similarity
) -> Orders:
    """Return for each sentence the candidate that is most similar to all candidates."""
    rows = len(candidates[0])
    nonempty = np.flatnonzero(candidates[0].lengths > 0)
    scores = np.zeros((len(candidates), rows))
    for n, system in enumerate(candidates):
        for weight, reference in zip(weights.tolist(), candidates, strict=True):
            system_scores = similarity(system.take(nonempty), reference.take(nonempty))
            scores[n, nonempty] += weight * system_scores
    best = np.argmax(np.round(scores, 12), axis=0)
    stacked = Orders.concatenate([Orders(orders.positions) for orders in candidates])
    return stacked.take(best * rows + np.arange(rows))
