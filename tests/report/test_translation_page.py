"""Marks of sentences in letters, colours and pages, and the page of an analysis of translations."""

import contextlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import replace
from html.parser import HTMLParser
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.oracles import lcs
from tests.report.page_analyses import sections, unpacked
from tests.report.page_translations import page_translations
from tests.report.test_page import Reader

from wordorder.analysis.order_texts import reference_text, result_text
from wordorder.analysis.section import Section
from wordorder.analysis.translations.files import translations_of
from wordorder.order.orders import Order
from wordorder.report.marks import marked_html, styled, with_writable_marks, word_html, words_html
from wordorder.report.page.page import MarkedWords, TranslationSentences, report_page
from wordorder.report.tables import paragraph
from wordorder.text.display import ENCODING, STYLED, Marked, marked, separated

Value = TypeVar("Value")
# A word, whether it is marked as one without a counterpart, and whether the order breaks before it.
Read = list[tuple[str, bool, bool]]

BRACKETS = st.lists(
    st.text(st.sampled_from("()|[]{}⟦⟧¦‖\\/ab語"), min_size=1, max_size=4), max_size=6
)


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


@given(words=BRACKETS, free=st.sets(st.integers(0, 5)), breaks=st.sets(st.integers(0, 5)))
def test_marks_are_read_back_whatever_the_words(
    words: list[str], free: set[int], breaks: set[int]
) -> None:
    text = marked(words, free, breaks)
    right = expected(words, free, breaks)
    assert read(text) == right
    with setting(ENCODING, "ascii"):
        assert read(with_writable_marks(text), "(", ")", "|") == right
    assert Page(marked_html(text)).words == right
    moved = set(range(len(words))) - free
    page = Page(words_html(words, free, breaks, moved))
    assert (page.words, page.moved) == (right, moved)


@given(words=BRACKETS, free=st.sets(st.integers(0, 5)), breaks=st.sets(st.integers(0, 5)))
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
        assert with_writable_marks(text) == r"\( Laughter \) | ends (\() | they \| so"
    assert marked_html(text) == "( Laughter ) <i></i> ends <u>(</u> <i></i> they | so"


def test_literal_braces_and_bars_are_kept_apart_and_others_get_plain_strings() -> None:
    words = ["{{", "a", "}}", "(", "|"]
    assert reference_text(words, Order(((0,), (1, 2), (3, 4)))) == r"\{\{ {{ a \}\} }} {{ ( | }}"
    assert result_text(words, [0, 3, 4], [False, None, True]) == r"\{\{ ⟦(⟧ ¦ |"
    text = reference_text(words, Order(((0,), (1, 2))))
    assert marked_html(text) == "{{ <i>{{</i> a }} <i>}}</i>"
    assert separated(["|", "a ¦ b"]) == r"| ¦ a \¦ b"
    assert isinstance(separated([]), Marked)
    section = Section("a", "A", "", ("text",), ((marked(["¦"]),),))
    assert section.marked
    assert type(section.to_columns()["text"][0]) is str
    assert not Section("a", "A", "", ("text",), (("¦",),)).marked


@pytest.mark.parametrize("text", ["⟦a", "a⟧", "\\", "⟦a ⟦b⟧"])
def test_what_is_cut_off_is_painted_as_far_as_it_goes(text: str) -> None:
    with setting(STYLED, True):
        assert re.sub(r"\x1b\[[0-9;]*m", "", styled(text)) == text


# -- The page of an analysis of translations.


WORDS = st.lists(st.sampled_from("a b c d e f".split()), max_size=7, unique=True)


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, max_size=2)), min_size=1, max_size=4))
def test_marks_are_those_that_one_sees_word_by_word(
    rows: list[tuple[list[str], list[list[str]]]],
) -> None:
    """Words of which none comes twice match the same word; a bar stands where none follows."""
    system = translations_of(
        {"A": [" ".join(words) for words, _ in rows]},
        [[" ".join(each) for each in references] for _, references in rows],
        metrics="cder",
    ).systems[0]
    marked, written = MarkedWords(system), list(map(word_html, system.texts.vocabulary.words))
    for i, (words, references) in enumerate(rows):
        if not references:
            assert marked.html(i, written) == " ".join(words)
            assert marked.reference(i) == []
            continue
        reference = references[int(system.rows[i]) - int(system.texts.reference_offsets[i])]
        assert marked.reference(i) == reference
        shared = [word for word in reference if word in words]
        numbers = [shared.index(word) for word in words if word in shared]
        page, before = Page(marked.html(i, written)), None
        assert [word for word, _, _ in page.words] == words
        for word, free, breaks in page.words:
            assert free == (word not in shared)
            if free:
                continue
            follows = before is None or shared.index(word) == shared.index(before) + 1
            assert breaks == (not follows)
            before = word
        kept = [
            shared.index(word)
            for place, word in enumerate(words)
            if word in shared and place not in page.moved
        ]
        # As few words as possible have moved.
        assert kept == sorted(kept)
        assert len(kept) == lcs(numbers, sorted(numbers))
        assert marked.partners(i) == [reference.index(w) if w in shared else -1 for w in words]


def sample() -> TranslationSentences:
    analysis = page_translations(
        {
            "A": ["on tuesday we met", "yes", "a b"],
            "B": ["we met on tuesday", "yes", "b a"],
            "C": ["met tuesday", "no", "b a"],
        },
        [["we met on tuesday", "we met on monday"], ["yes"], []],
        ["wir trafen uns am dienstag", "ja", "b a"],
    )
    return TranslationSentences(analysis.analysed, analysis.intervals)


def test_a_sentence_shows_references_and_what_systems_make_of_them() -> None:
    first, second, third = sample().views({0, 1, 2})
    assert first.source == first.title == "wir trafen uns am dienstag"
    assert first.references == ("we met on tuesday", "we met on monday")
    found = [each.words for each in first.results]
    assert found == ["<mark>on tuesday</mark> <i></i> we met", "we met on tuesday", "met tuesday"]
    assert first.results[1].scores == "CDER\u00a00.000, FRS\u00a01.000"
    # One line for two systems that say the same.
    assert [each.systems for each in second.results] == [("A", "B"), ("C",)]
    assert second.score == "0.000–1.000"
    # The difference counts as often as there are matched words: in two of three outputs none.
    assert second.keys == "1 0.000 1.000 0.667 0.000 0.000 1.000"
    # Without a reference nothing is scored or marked.
    assert third.references == ()
    assert third.score == "–"
    assert {each.words for each in third.results} == {"a b", "b a"}


def test_the_pair_that_differs_most_is_drawn_with_the_path_of_the_worse() -> None:
    sentences = sample()
    beside, path = sentences.pictures(0)
    pair = sentences.pair(0)
    for s in range(3):
        assert (f">{sentences.analysed.names[s]}</text>" in beside.pictures[0].svg) == (s in pair)
    worst = int(np.argmax(sentences.scores[:, 0]))
    assert [each.caption for each in path.pictures] == [sentences.analysed.names[worst]]
    assert "cost" in path.note
    assert sentences.pictures(2) == []


def test_the_page_of_translations() -> None:
    analysis = page_translations(
        {"A": ["on tuesday we met"] * 3, "B": ["we met on tuesday", "we met", "no"]},
        ["we met on tuesday"] * 3,
        sections=sections(3),
        notes=("No trees: the language is <unknown>.",),
    )
    page = report_page(analysis)
    Reader(page)
    assert analysis.answer in page.replace("&#39;", "'")
    assert page.count("cover disjoint error rate (CDER)") == 2
    assert "Lower is better." in page
    assert "FRS of each system, with its interval" in page
    assert "No trees: the language is &lt;unknown&gt;." in page
    assert "3 sentences with pictures" in page
    assert page.count('<details class="sentence"') == 3
    assert report_page(analysis) == page
    assert 'lang="ja"' in report_page(analysis, target_language="ja")


@pytest.mark.parametrize("systems", [1, 5])
def test_three_thousand_sentences_are_at_most_three_megabytes(systems: int) -> None:
    generator = np.random.default_rng(3)
    lexicon = np.array(["".join(generator.choice(list("aeioubdfgklmnprst"), 5)) for _ in range(99)])
    rows = lexicon[generator.integers(0, 99, (3000, 16))]
    made = {
        f"system {s}": [" ".join(np.roll(row, s)) for row in rows] for s in range(1, systems + 1)
    }
    page = report_page(page_translations(made, [" ".join(row) for row in rows]), pictures=30)
    assert len(page.encode()) <= 3_000_000
    assert unpacked(page).count('<details class="sentence"') == 3000
    assert "left out" not in page
    assert re.search("[1-9][0-9]* sentences with pictures", page)


def test_the_page_says_that_marks_are_not_of_the_links() -> None:
    """With links FRS comes from them; the marks still show words that match."""
    plain, made = sample(), page_translations({"A": ["a b"]}, ["a b"])
    linked = replace(made.analysed, links=())
    told = TranslationSentences(linked, made.intervals).help
    assert "links" not in plain.help
    assert told.startswith(plain.help)
    assert "come from the links with the source" in told
