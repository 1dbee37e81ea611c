"""Marks of sentences: no word of a text is taken for one, in letters, colours or on pages."""

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from html.parser import HTMLParser
from typing import TypeVar

import pytest
from hypothesis import given, strategies as st

from wordorder.analysis.section import Section
from wordorder.analysis.sentences import reference_text, result_text
from wordorder.order.orders import Order
from wordorder.report.marks import in_letters, marked_html, styled, words_html
from wordorder.report.tables import paragraph
from wordorder.text.shown import ENCODING, STYLED, Marked, marked, separated

Value = TypeVar("Value")
# A word, whether it is marked as one without a counterpart, and whether the order breaks before it.
Read = list[tuple[str, bool, bool]]

WORDS = st.lists(st.text(st.sampled_from("()|[]{}⟦⟧¦‖\\/ab語"), min_size=1, max_size=4), max_size=6)


@contextlib.contextmanager
def setting(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    token = variable.set(value)
    yield
    variable.reset(token)


def read(text: str, opening: str = "⟦", closing: str = "⟧", sign: str = "¦") -> Read:
    """Read a marked text as its notes say: a backslash makes what follows it a part of the text."""
    found: Read = []
    word, inside, breaks, seen = "", False, False, False
    was_free = False
    letters = iter(f"{text} ")
    for letter in letters:
        if letter == "\\":
            word, seen, was_free = word + next(letters), True, inside
        elif letter == opening:
            inside = True
        elif letter == closing:
            inside = False
        elif letter == sign:
            breaks = True
        elif letter != " ":
            word, seen, was_free = word + letter, True, inside
        elif seen:
            found.append((word, was_free, breaks))
            word, breaks, seen = "", False, False
    assert not inside
    return found


class Page(HTMLParser):
    """Reads what a page shows: words, dots below them, boxes and bars."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: Read = []
        self.moved: set[int] = set()
        self.breaks = False
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.breaks |= tag == "i"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for word in data.split():
            if "mark" in self.open:
                self.moved.add(len(self.words))
            self.words.append((word, "u" in self.open, self.breaks))
            self.breaks = False


def expected(words: list[str], free: set[int], breaks: set[int]) -> Read:
    return [(word, place in free, place in breaks) for place, word in enumerate(words)]


@given(words=WORDS, free=st.sets(st.integers(0, 5)), breaks=st.sets(st.integers(0, 5)))
def test_marks_are_read_back_whatever_the_words(
    words: list[str], free: set[int], breaks: set[int]
) -> None:
    text = marked(words, free, breaks)
    right = expected(words, free, breaks)
    assert read(text) == right
    with setting(ENCODING, "ascii"):
        assert read(in_letters(text), "(", ")", "|") == right
    assert Page(marked_html(text)).words == right
    moved = set(range(len(words))) - free
    page = Page(words_html(words, free, breaks, moved))
    assert (page.words, page.moved) == (right, moved)


@given(words=WORDS, free=st.sets(st.integers(0, 5)), breaks=st.sets(st.integers(0, 5)))
def test_colours_are_on_marks_alone(words: list[str], free: set[int], breaks: set[int]) -> None:
    text = paragraph(marked(words, free, breaks), "    text  ", "          ")
    with setting(STYLED, True):
        shown = styled(text)
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == text
    for line in shown.split("\n"):
        # Nothing goes on into the next line, and its indentation is not underlined.
        assert re.fullmatch(r"([^\x1b]|\x1b\[[0-9;]+m\S[^\x1b]*\x1b\[0m)*", line)
    underlined = re.findall(r"\x1b\[4;31m([^\x1b]*)\x1b\[0m", shown)
    assert read(" ".join(underlined)) == [
        (w, True, False) for w, is_free, _ in read(text) if is_free
    ]
    assert shown.count("\x1b[1;36m") == len({b for b in breaks if b < len(words)})
    assert styled(text) == text


def test_a_text_of_brackets_differs_from_a_marked_one() -> None:
    """A literal "(()" was shown for a bracket without a counterpart."""
    words = ["(", "Laughter", ")", "ends", "(", "they", "|", "so"]
    text = marked(words, free={4}, breaks={3, 5})
    assert text == "( Laughter ) ¦ ends ⟦(⟧ ¦ they | so"
    with setting(ENCODING, "ascii"):
        assert in_letters(text) == r"\( Laughter \) | ends (\() | they \| so"
    assert marked_html(text) == "( Laughter ) <i></i> ends <u>(</u> <i></i> they | so"


def test_orders_with_ties_keep_literal_braces_apart() -> None:
    words = ["{{", "a", "}}", "(", "|"]
    assert reference_text(words, Order(((0,), (1, 2), (3, 4)))) == r"\{\{ {{ a \}\} }} {{ ( | }}"
    assert result_text(words, [0, 3, 4], [False, None, True]) == r"\{\{ ⟦(⟧ ¦ |"
    text = reference_text(words, Order(((0,), (1, 2))))
    assert marked_html(text) == "{{ <i>{{</i> a }} <i>}}</i>"


def test_members_are_separated() -> None:
    assert separated(["|", "a ¦ b"]) == r"| ¦ a \¦ b"
    assert isinstance(separated([]), Marked)


@pytest.mark.parametrize("text", ["⟦a", "a⟧", "\\", "⟦a ⟦b⟧"])
def test_what_is_cut_off_is_painted_as_far_as_it_goes(text: str) -> None:
    with setting(STYLED, True):
        assert re.sub(r"\x1b\[[0-9;]*m", "", styled(text)) == text


def test_other_programs_get_plain_strings() -> None:
    section = Section("a", "A", "", ("text",), ((marked(["¦"]),),))
    assert section.marked
    assert type(section.to_columns()["text"][0]) is str
    assert section.to_json()["rows"] == [{"text": r"\¦"}]
    assert not Section("a", "A", "", ("text",), (("¦",),)).marked
