"""N-best lists of orders, whose features compare them with the orders of pre-orderers."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric
from wordorder.order.orders import Orders
from wordorder.segments import Segments
from wordorder.training.tuning.nbest import SEPARATOR, NBest


def nbest_of_orders(orders_by_name: Mapping[str, Orders], metric: BaseMetric) -> NBest:
    """Build n-best lists from the orders of several rule sets and pre-orderers.

    The candidates of a sentence are the distinct orders. Each pre-orderer is a feature: the score
    of a candidate, by `metric`, against its order. Tuned weights say how much each of them counts
    in a combination.

    Parameters
    ----------
    orders_by_name : mapping of name to Orders
        One row per sentence, all positions in each.
    metric : BaseMetric
        A metric of orders for which higher is better.

    Raises
    ------
    UsageError
        If there are no orders, a name cannot be written in a list, or the numbers of
        sentences differ.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> one, other = Orders.from_rows([[0, 1, 2]]), Orders.from_rows([[2, 1, 0]])
    >>> nbest = nbest_of_orders({"unchanged": one, "reversed": other}, metric("kendall"))
    >>> nbest.names, nbest.text
    (('unchanged_0', 'reversed_0'), ('0 1 2', '2 1 0'))
    >>> nbest.features.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if not orders_by_name:
        raise UsageError("there are no orders")
    # Provenance is dropped, since it differs.
    orders_by_name = {
        name: replace(orders, provenance=()) for name, orders in orders_by_name.items()
    }
    names = list(orders_by_name)
    sentences = len(orders_by_name[names[0]])
    for name, orders in orders_by_name.items():
        if not name or SEPARATOR in name or "=" in name or len(name.split()) != 1:
            raise UsageError(f"the name {name!r}: expected one without blanks and = for a list")
        if len(orders) != sentences:
            raise UsageError(
                f"{name} orders {len(orders)} sentences, {names[0]} orders {sentences}"
            )
    columns = [list(map(str, orders)) for orders in orders_by_name.values()]
    sentence: list[int] = []
    row_of: list[tuple[int, int]] = []
    text: list[str] = []
    for row in range(sentences):
        distinct_orders: dict[str, None] = {}
        for column, system_orders in enumerate(columns):
            if system_orders[row] not in distinct_orders:
                distinct_orders[system_orders[row]] = None
                sentence.append(row)
                row_of.append((column, row))
        text += distinct_orders
    sentence_of_candidate = np.array(sentence, np.int64)
    rows = np.array([column * sentences + row for column, row in row_of], np.int64)
    candidates = Orders.concatenate(list(orders_by_name.values())).take(rows)
    # The score of each candidate against the order of each pre-orderer.
    closeness = [
        np.nan_to_num(
            metric.segment_scores(
                Segments.from_orders(candidates, orders.take(sentence_of_candidate))
            )
        )
        for orders in orders_by_name.values()
    ]
    return NBest(
        sentence_of_candidate,
        tuple(text),
        np.column_stack(closeness),
        tuple(f"{name}_0" for name in names),
        None,
        ("",) * len(text),
        ("the orders",),
        np.column_stack([np.zeros(len(text), np.int64), np.arange(1, len(text) + 1)]),
    )
