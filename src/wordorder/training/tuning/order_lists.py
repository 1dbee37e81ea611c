"""N-best lists of orders, whose features are what several pre-orderers think of them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric
from wordorder.order.orders import Orders
from wordorder.segments import Segments
from wordorder.training.tuning.nbest import SEPARATOR, NBest


def nbest_of_orders(proposed: Mapping[str, Orders], metric: BaseMetric) -> NBest:
    """Make n-best lists of the orders that rule sets and pre-orderers give the same sentences.

    The candidates of a sentence are the different orders among those proposed. Each pre-orderer is
    a feature: how close, by `metric`, a candidate comes to its order. Tuned weights say how much
    each of them counts when they are asked together.

    Parameters
    ----------
    proposed : mapping of name to Orders
        One row per sentence, all positions in each.
    metric : BaseMetric
        One of orders, higher being better.

    Raises
    ------
    UsageError
        If there is nothing proposed, a name cannot be written in a list, or the numbers of
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
    if not proposed:
        raise UsageError("there are no orders")
    # How they came about, which differs, is not what they are compared by.
    proposed = {name: replace(orders, provenance=()) for name, orders in proposed.items()}
    names = list(proposed)
    sentences = len(proposed[names[0]])
    for name, orders in proposed.items():
        if not name or SEPARATOR in name or "=" in name or len(name.split()) != 1:
            raise UsageError(f"the name {name!r}: expected one without blanks and = for a list")
        if len(orders) != sentences:
            raise UsageError(
                f"{name} orders {len(orders)} sentences, {names[0]} orders {sentences}"
            )
    columns = [list(map(str, orders)) for orders in proposed.values()]
    sentence: list[int] = []
    row_of: list[tuple[int, int]] = []
    text: list[str] = []
    for number in range(sentences):
        distinct_orders: dict[str, None] = {}
        for column, system_orders in enumerate(columns):
            if system_orders[number] not in distinct_orders:
                distinct_orders[system_orders[number]] = None
                sentence.append(number)
                row_of.append((column, number))
        text += distinct_orders
    place = np.array(sentence, np.int64)
    rows = np.array([column * sentences + row for column, row in row_of], np.int64)
    candidates = Orders.concatenate(list(proposed.values())).take(rows)
    # How close each candidate comes to the order that each of them proposes.
    close = [
        np.nan_to_num(metric.segment_scores(Segments.from_orders(candidates, orders.take(place))))
        for orders in proposed.values()
    ]
    return NBest(
        place,
        tuple(text),
        np.column_stack(close),
        tuple(f"{name}_0" for name in names),
        None,
        ("",) * len(text),
        ("the orders",),
        np.column_stack([np.zeros(len(text), np.int64), np.arange(1, len(text) + 1)]),
    )
