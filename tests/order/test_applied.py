"""Applying orders, against plain lists that do the same word by word."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.refusing import refuses
from tests.strategies import shuffles

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Ragged
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import Orders
from wordorder.order.reference import (
    complete_orders,
    inverse_orders,
    reference_orders,
    reorder_alignments,
    reorder_rows,
    reorder_tokens,
)

Link = tuple[int, int, bool]

CORPORA = st.lists(shuffles(shortest=0, longest=9), max_size=5)


@st.composite
def partial(draw: st.DrawFn) -> tuple[list[int], int]:
    """Some of the positions of a sentence, in some order, and how many words it has."""
    order = draw(shuffles(shortest=0, longest=9))
    return order[: draw(st.integers(0, len(order)))], len(order)


def inserted(order: list[int], words: int, missing: str) -> list[int]:
    """Insert the words one by one as the rule says it in prose."""
    if missing == "drop":
        return order
    lacking = [word for word in range(words) if word not in order]
    if missing == "end":
        return order + lacking
    found = list(order)
    if missing == "next":
        for word in reversed(lacking):
            # What follows it has been put in its place already.
            place = found.index(word + 1) if word + 1 < words and word + 1 in found else len(found)
            at_end = all(later not in order for later in range(word, words))
            if at_end:
                place = len(order)
            found.insert(place, word)
        return found
    for word in lacking:
        found.insert(found.index(word - 1) + 1 if word else 0, word)
    return found


@given(st.lists(partial(), max_size=5), st.sampled_from(["next", "previous", "end", "drop"]))
def test_words_without_a_place_go_where_the_rule_says(
    rows: list[tuple[list[int], int]], missing: str
) -> None:
    orders = Orders.from_rows([order for order, _ in rows])
    found = complete_orders(orders, [words for _, words in rows], missing=missing)
    assert found.positions.to_lists() == [inserted(*row, missing) for row in rows]
    assert found.ranks is None


@pytest.mark.parametrize(("rule", "missing"), [("talbot", "next"), ("lrscore", "previous")])
@given(data=st.data())
def test_they_go_where_reference_orders_have_them(
    rule: str, missing: str, data: st.DataObject
) -> None:
    """Orders of aligned words alone, completed, are those that the rule makes of all words."""
    rows = data.draw(st.lists(partial(), max_size=4))
    links = [[(word, place) for place, word in enumerate(order)] for order, _ in rows]
    lengths = [words for _, words in rows]
    alignments = Alignments.from_rows(links)
    lone = reference_orders(alignments, lengths, rule=rule, unaligned="drop")
    whole = reference_orders(alignments, lengths, rule=rule, unaligned=missing)
    found = complete_orders(lone, lengths, missing=missing)
    assert [order.positions for order in found] == [order.positions for order in whole]


def test_ties_are_read_as_written() -> None:
    orders = Orders.from_rows([[(3, 1), 0, 2]], provenance=(("rule", "x"),))
    for missing in ("error", "next", "drop"):
        found = complete_orders(orders, [4], missing=missing)
        assert (str(found[0]), found.provenance) == ("3 1 0 2", (("rule", "x"),))
    untied = Orders.from_rows([[1, 0]])
    assert complete_orders(untied, [2]) is untied


def test_orders_that_do_not_fit_the_sentences() -> None:
    orders = Orders.from_rows([[0], [1, 0], [2, 0]])
    with pytest.raises(InputError, match=r"^a\.orders:9: position 2, but the sentence has 2 words"):
        complete_orders(orders, [1, 2, 2], path="a.orders", first_line=7)
    with pytest.raises(InputError, match=r"^orders:3: no position 1 of a sentence of 4 words; "):
        complete_orders(orders, [1, 2, 4])
    refuses(InputError, "3 orders for 2 sentences", complete_orders, orders, [1, 2])
    with pytest.raises(UsageError, match="legal names: drop, end, error, next, previous"):
        complete_orders(orders, [1, 2, 3], missing="last")


@given(CORPORA)
def test_rows_tokens_and_what_puts_them_back(rows: list[list[int]]) -> None:
    orders = Orders.from_rows(rows)
    words = [[f"w{place}" for place in range(len(row))] for row in rows]
    moved = reorder_tokens(words, orders)
    assert moved == [[f"w{place}" for place in row] for row in rows]
    assert reorder_tokens(moved, inverse_orders(orders)) == words
    assert inverse_orders(inverse_orders(orders)).positions == orders.positions
    numbers = Ragged.from_rows([range(100, 100 + len(row)) for row in rows])
    assert reorder_rows(numbers, orders).to_lists() == [[100 + p for p in row] for row in rows]


def test_factors_go_along_and_an_order_that_lacks_words_has_no_inverse() -> None:
    refuses(InputError, "orders:1: position 2", inverse_orders, Orders.from_rows([[2, 0]]))
    rows = [["a|DT|x", "cat|NN|y", "sat|VB|z"], []]
    found = reorder_tokens(rows, Orders.from_rows([[2, 0, 1], []]))
    assert found == [["sat|VB|z", "a|DT|x", "cat|NN|y"], []]


@st.composite
def linked(draw: st.DrawFn) -> tuple[list[int], int, list[Link]]:
    order, words = draw(partial())
    pairs = draw(st.sets(st.tuples(st.integers(0, max(words - 1, 0)), st.integers(0, 5))))
    chosen = draw(st.permutations(sorted(pairs))) if words else []
    return order, words, [(s, t, draw(st.booleans())) for s, t in chosen]


@given(st.lists(linked(), max_size=4), st.sampled_from(["next", "end", "drop"]), st.booleans())
def test_links_follow_their_words(
    rows: list[tuple[list[int], int, list[Link]]], missing: str, turned: bool
) -> None:
    orders = Orders.from_rows([order for order, _, _ in rows])
    lengths = [words for _, words, _ in rows]
    links = Alignments.from_rows(
        [row for _, _, row in rows],
        source_lengths=lengths,
        target_lengths=[6] * len(rows),
        path="a.align",
    )
    if turned:
        found = reorder_alignments(
            links.transpose(), orders, side="target", missing=missing
        ).transpose()
    else:
        found = reorder_alignments(links, orders, missing=missing)
    expected = []
    for order, words, row in rows:
        places = {word: place for place, word in enumerate(inserted(order, words, missing))}
        expected.append([(places[s], t, p) for s, t, p in row if s in places])
    got = [
        [(s, t, (s, t) in alignment.possible) for s, t in alignment.links] for alignment in found
    ]
    assert got == expected
    assert found.target_lengths is not None
    assert found.target_lengths.tolist() == [6] * len(rows)
    assert found.source_lengths is not None
    kept = [len(inserted(order, words, missing)) for order, words, _ in rows]
    assert found.source_lengths.tolist() == kept
    assert found.path == "a.align"


def test_links_without_lengths() -> None:
    links = Alignments.from_rows([[(0, 0)], [(1, 0)]], path="a.align")
    orders = Orders.from_rows([[1, 0], [1, 0]])
    assert [str(row) for row in reorder_alignments(links, orders)] == ["1-0", "0-0"]
    with pytest.raises(UsageError, match="missing=end needs the lengths"):
        reorder_alignments(links, orders, missing="end")
    short = Orders.from_rows([[1, 0], [0]])
    with pytest.raises(InputError, match=r"^a\.align:2: a link of word 1, but the order has 1 "):
        reorder_alignments(links, short)
    refuses(UsageError, "side", reorder_alignments, links, orders, side="left")


def test_links_of_a_source_in_its_reference_order_do_not_cross() -> None:
    rng = np.random.default_rng(3)
    rows = [[(s, int(t)) for s, t in enumerate(rng.permutation(8))] for _ in range(20)]
    links = Alignments.from_rows(rows)
    orders = reference_orders(links, [8] * 20)
    moved = reorder_alignments(links, orders)
    # A source in the order of the target has the identity for its reference.
    again = reference_orders(moved, [8] * 20)
    assert again.positions.to_lists() == [list(range(8))] * 20
