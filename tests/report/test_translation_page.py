"""The page of an analysis of translations."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.report.page_analyses import sections, unpacked
from tests.report.page_translations import page_translations
from tests.report.test_marks import Page
from tests.report.test_page import Reader

from wordorder.analysis.translations.files import translations_of
from wordorder.report.page.page import MarkedWords, TranslationSentences, report_page

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
    marked = MarkedWords(system)
    for i, (words, references) in enumerate(rows):
        if not references:
            assert marked.html(i) == " ".join(words)
            assert marked.reference(i) == []
            continue
        reference = references[int(system.rows[i]) - int(system.texts.reference_offsets[i])]
        assert marked.reference(i) == reference
        shared = [word for word in reference if word in words]
        stay = longest([shared.index(word) for word in words if word in shared])
        page, before = Page(marked.html(i)), None
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
        assert len(kept) == stay
        assert marked.partners(i) == [reference.index(w) if w in shared else -1 for w in words]


def longest(numbers: list[int]) -> int:
    """Return the length of a longest increasing subsequence, by trying all."""
    return max(
        size
        for size in range(len(numbers) + 1)
        for chosen in combinations(numbers, size)
        if list(chosen) == sorted(chosen)
    )


def sample() -> TranslationSentences:
    return TranslationSentences(
        page_translations(
            {
                "A": ["on tuesday we met", "yes", "a b"],
                "B": ["we met on tuesday", "yes", "b a"],
                "C": ["met tuesday", "no", "b a"],
            },
            [["we met on tuesday", "we met on monday"], ["yes"], []],
            ["wir trafen uns am dienstag", "ja", "b a"],
        )
    )


def test_a_sentence_shows_references_and_what_systems_make_of_them() -> None:
    first, second, third = sample().views()
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
        assert (f">{sentences.names[s]}</text>" in beside.pictures[0].svg) == (s in pair)
    worst = int(np.argmax(sentences.scores[:, 0]))
    assert [each.caption for each in path.pictures] == [sentences.names[worst]]
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
    linked = replace(made, translations=replace(made.translations, links=()))
    told = TranslationSentences(linked).help
    assert "links" not in plain.help
    assert told.startswith(plain.help)
    assert "come from the links with the source" in told
