"""The picture of a sentence's orders: source, result and reference, with what moved and broke."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.drawing.orders import OrderRow, order_svg
from wordorder.errors import InputError
from wordorder.order.orders import Order, Orders
from wordorder.order.relative import best_reading, kept_pairs, moved_words


def order_picture(
    words: Sequence[str] | None,
    result: Order | Sequence[int],
    reference: Order | None = None,
    *,
    title: str = "Word order",
    names: tuple[str, str, str] = ("source", "result", "reference"),
) -> str:
    """Draw how a sentence is reordered: source, result and reference, with lines between them.

    A line joins each word with itself in the next row. Of two rows as few words as possible have
    moved: their lines are blue, broken and thick, those of the others grey and thin. A frame is
    drawn around each chunk of the result, words that follow each other in the reference too, and a
    zigzag where the order is broken: the chunks are those that the fuzzy reordering score counts
    (``frs`` with its default options). Tied words are in double braces; the reference is read as
    suits the result best. Words that the result or the reference lacks are darker, with a broken
    edge.

    Parameters
    ----------
    words : sequence of str, optional
        The words of the source, W of them; without them the numbers of those that the orders
        have, counted from 0.
    result : Order or sequence of int
        Source positions from 0 to W-1, each at most once, in the order of the system.
    reference : Order, optional
        Likewise, in the order of the reference. Without it there are two rows.
    title : str
        What the picture is, for readers who cannot see it; the sentence is added.
    names : (str, str, str)
        The heading of the rows.

    Returns
    -------
    str
        One ``<svg>`` element, as `wordorder.drawing.orders.order_svg` draws it.

    Raises
    ------
    InputError
        If a position is out of range or listed twice.

    Examples
    --------
    >>> words = ["She", "can", "<read>", "it"]
    >>> drawing = order_picture(words, [0, 3, 2, 1], Order(((0,), (2, 3), (1,))))
    >>> drawing.startswith("<svg "), "&lt;read&gt;" in drawing, "1 chunk of 4 words" in drawing
    (True, True, True)
    """
    given = [result if isinstance(result, Order) else Order(tuple((int(p),) for p in result))]
    given += [reference] if reference is not None else []
    if words is None:
        words, given = _numbered(given)
    for order, name in zip(given, names[1:], strict=False):
        _check(order, len(words), name)
    chunks: list[list[int]] = []
    if reference is not None:
        chunks = _chunks(*given)
        given[1] = _read_for(*given)
    source = Order(tuple((position,) for position in range(len(words))))
    rows = [
        OrderRow(names[0], source.groups),
        OrderRow(names[1], given[0].groups, chunks, _moved(source, given[0])),
    ]
    if reference is not None:
        rows.append(OrderRow(names[2], given[1].groups, (), _moved(*given)))
    return order_svg(words, rows, title=title)


def _numbered(orders: Sequence[Order]) -> tuple[list[str], list[Order]]:
    """Return the numbers of all words as words, and the orders of these."""
    numbers = sorted({position for order in orders for position in order.positions})
    place = {number: place for place, number in enumerate(numbers)}
    renamed = [
        Order(tuple(tuple(place[position] for position in group) for group in order.groups))
        for order in orders
    ]
    return list(map(str, numbers)), renamed


def _check(order: Order, words: int, name: str) -> None:
    """Check that all positions are words of the sentence, each at most once."""
    seen: set[int] = set()
    for position in order.positions:
        if not 0 <= position < words:
            expected = f"a position from 0 to {words - 1}" if words else "no position: no words"
            raise InputError(name, f"position {position}", expected)
        if position in seen:
            raise InputError(name, f"position {position} is listed twice", "each position once")
        seen.add(position)


def _columns(result: Order, reference: Order) -> tuple[Orders, Orders]:
    return Orders.from_rows([result.positions]), Orders.from_rows([reference.groups])


def _chunks(result: Order, reference: Order) -> list[list[int]]:
    """Return the words of each chunk of the result."""
    kept, _ = kept_pairs(*_columns(result, reference))
    known = set(reference.positions)
    both = [position for position in result.positions if position in known]
    chunks: list[list[int]] = []
    for position, joined in zip(both, [False, *kept.tolist()], strict=False):
        if joined:
            chunks[-1].append(position)
        else:
            chunks.append([position])
    return chunks


def _read_for(result: Order, reference: Order) -> Order:
    """Return the reference, with the words of each group in the order that suits the result."""
    read = iter(best_reading(*_columns(result, reference))[0].positions)
    return Order(tuple(tuple(next(read) for _ in group) for group in reference.groups))


def _moved(upper: Order, lower: Order) -> frozenset[int]:
    """Return the words that move from one row to the next."""
    where = {position: number for number, position in enumerate(upper.positions)}
    both = [position for position in lower.positions if position in where]
    moved = moved_words([where[position] for position in both])
    return frozenset(p for p, moves in zip(both, moved, strict=True) if moves)
