"""Words as numbers, against the obvious dictionary."""

import pickle

import pytest
from hypothesis import given, strategies as st

from wordorder.text.blocks import RawLines
from wordorder.text.lines import tokens
from wordorder.text.vocabulary import SLOTS, number_lines, number_tokens

WORDS = st.sampled_from(["a", "b", "ab", "\u00a0", "\u3000x", "caf\u00e9", "\r", "\x00", "\u2028"])
LINES = st.lists(
    st.lists(st.one_of(WORDS, st.sampled_from([" ", "\t", "  "])), max_size=12).map("".join),
    max_size=20,
)


def numbered(rows: list[list[str]]) -> tuple[list[list[int]], list[str]]:
    known: dict[str, int] = {}
    return [[known.setdefault(word, len(known)) for word in row] for row in rows], list(known)


@given(LINES)
def test_lines_are_numbered_as_a_dictionary_would(lines: list[str]) -> None:
    numbers, vocabulary = number_lines(RawLines.from_strings(lines))
    assert (numbers.to_lists(), vocabulary.words) == numbered([tokens(line) for line in lines])


@given(st.lists(st.text(alphabet="ab\x00", min_size=1, max_size=18), max_size=60))
def test_words_of_few_and_of_many_bytes(words: list[str]) -> None:
    # Up to seven bytes are compared as one number, more of them one by one.
    rows = [words, [word[:7] for word in words], [word[-8:] + word[:1] for word in words]]
    numbers, vocabulary = number_lines(RawLines.from_strings([" ".join(row) for row in rows]))
    assert (numbers.to_lists(), vocabulary.words) == numbered(rows)


@pytest.mark.parametrize("words", [0, 1, SLOTS // 2 - 1, SLOTS // 2, SLOTS // 2 + 1, SLOTS * 5])
@pytest.mark.parametrize("a_line", [1, 7, 100_000])
def test_the_table_grows(words: int, a_line: int) -> None:
    flat = [f"w{number * 7919 % max(words, 1)}" for number in range(2 * words)]
    rows = [flat[i : i + a_line] for i in range(0, len(flat), a_line)]
    numbers, vocabulary = number_lines(RawLines.from_strings([" ".join(row) for row in rows]))
    assert len(vocabulary) == words
    assert (numbers.to_lists(), vocabulary.words) == numbered(rows)


@given(st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=8))
def test_tokens_are_taken_as_they_are(rows: list[list[str]]) -> None:
    columns, vocabulary = number_tokens([rows, rows[::-1]])
    expected, words = numbered([*rows, *rows[::-1]])
    assert [row for column in columns for row in column.to_lists()] == expected
    assert vocabulary.words == words


def test_code_points_of_words() -> None:
    _, vocabulary = number_lines(RawLines.from_strings(["a \u00e9\U0001f600 a"]))
    assert vocabulary.code_points().to_lists() == [[97], [0xE9, 0x1F600]]


def test_what_is_made_of_the_words_is_made_once_and_is_not_sent_to_other_processes() -> None:
    vocabulary = number_lines(RawLines.from_strings(["a b"]))[1]
    made = vocabulary.derived("lengths", lambda: [len(word) for word in vocabulary.words])
    assert vocabulary.derived("lengths", list) is made
    other = pickle.loads(pickle.dumps(vocabulary))
    assert other.words == ["a", "b"]
    assert other.derived("lengths", list) == []
