"""Rows that come in parts, and lines as they are written."""

import numpy as np
from hypothesis import given, strategies as st

from wordorder.reordering.reordered_text import text_lines
from wordorder.text.lines import take_exactly
from wordorder.treebank.treebank import Column, Treebank

WORDS = st.text(st.characters(exclude_characters=" \t\n", exclude_categories=["Cs"]), min_size=1)


@given(st.integers(1, 12), st.integers(0, 15), st.integers(1, 5))
def test_parts_make_up_what_is_asked(count: int, available: int, most: int) -> None:
    rest = list(range(available))

    def take(there: int, missing: int) -> list[int]:
        assert there + missing == count
        given = rest[: min(missing, most)]
        del rest[: len(given)]
        return given

    found = take_exactly(take, count, lambda parts: [each for part in parts for each in part])
    assert found == (list(range(count)) if count <= available else None)


@given(st.lists(st.lists(WORDS, max_size=4), max_size=5))
def test_lines_are_words_between_blanks(rows: list[list[str]]) -> None:
    bank = Treebank.from_words(rows)
    expected = "".join(" ".join(row) + "\n" for row in rows)
    assert text_lines(bank.form, bank.offsets).decode() == expected


def test_a_blank_inside_a_word_does_not_make_two() -> None:
    found = text_lines(Column.of(["New York", "is"]), np.array([0, 2]))
    assert found.decode() == "New\u00a0York is\n"
