"""Parts of a grid that are not of the same sentences."""

from dataclasses import replace

import numpy as np
import pytest

from wordorder.analysis.grid_systems import check_same_words
from wordorder.errors import InputError
from wordorder.order.orders import Orders
from wordorder.reordering.rules import check_orders
from wordorder.treebank.treebank import Column, Margin, Treebank

WORDS = [["he", "left"], [], ["she", "came", "home"]]


def bank(words: list[list[str]], **names: str) -> Treebank:
    margins = [Margin()] * len(words)
    for name, sent_id in names.items():
        margins[int(name[1:])] = Margin((f"# sent_id = {sent_id}",))
    return replace(Treebank.from_words(words), margins=margins)


def test_the_same_words_may_be_numbered_in_other_ways() -> None:
    one = bank(WORDS)
    flat = [word for row in WORDS for word in row]
    other = one.replace(form=Column.of(flat[::-1]).take(np.arange(len(flat))[::-1]))
    assert other.form.strings() == flat
    assert other.form.codes.tolist() != one.form.codes.tolist()
    check_same_words({"a": one, "b": other, "c": one})


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (bank(WORDS[:2]), "b: 2 sentences, but a has 3; expected as many sentences in both"),
        (
            bank([["he", "left"], [], ["she", "came"]], s2="x-7"),
            "b: sentence 3 (x-7): 2 words; expected 3 words, as in a",
        ),
        (
            bank([["he", "left"], ["!"], ["she", "came", "home"]]),
            "b: sentence 2: 1 word; expected 0 words, as in a",
        ),
        (
            bank([["he", "left"], [], ["she", "came", "Home"]], s2="3"),
            "b: sentence 3, word 3: 'Home'; expected 'home', as in a",
        ),
    ],
)
def test_other_words_are_named(other: Treebank, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_same_words({"a": bank(WORDS), "b": other})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("rows", "path", "message"),
    [
        ([[0]], None, "the reference: 1 orders for 3 sentences; expected one order per sentence"),
        (
            [[0, 1], [0], []],
            "a.orders",
            "a.orders:2: position 0, but the sentence has 0 words; expected none",
        ),
        (
            [[1], [], [0, 3]],
            None,
            "the reference, sentence 3: position 3, but the sentence has 3 words; expected "
            "positions from 0 to 2",
        ),
    ],
)
def test_orders_of_other_sentences_are_named(
    rows: list[list[int]], path: str | None, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        check_orders(Orders.from_rows(rows), bank(WORDS), path=path)
    assert str(caught.value) == message


def test_orders_may_lack_words() -> None:
    check_orders(Orders.from_rows([[1], [], [[2, 0]]]), bank(WORDS))
