"""The page of an analysis of translations."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.page_analyses import sections
from tests.report.page_translations import page_translations
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
    marked = MarkedWords.of(system)
    for i, (words, references) in enumerate(rows):
        if not references:
            assert marked.text(i) == " ".join(words)
            assert marked.reference(i) == []
            continue
        reference = references[int(system.rows[i]) - int(system.texts.reference_offsets[i])]
        assert marked.reference(i) == reference
        shared = [word for word in reference if word in words]
        expected, before = [], None
        for word in words:
            if word not in shared:
                expected.append(f"⟦{word}⟧")
                continue
            follows = before is None or shared.index(word) == shared.index(before) + 1
            expected.append(word if follows else f"¦ {word}")
            before = word
        assert marked.text(i) == " ".join(expected).replace("⟧ ⟦", " ")
        assert marked.partners(i) == [reference.index(w) if w in shared else -1 for w in words]


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
    assert [each.words for each in first.results] == [
        "on tuesday ¦ we met",
        "we met on tuesday",
        "met tuesday",
    ]
    assert first.results[1].scores == "CDER\u00a00.000, FRS\u00a01.000"
    # One line for two systems that say the same.
    assert [each.systems for each in second.results] == [("A", "B"), ("C",)]
    assert second.score == "0.000–1.000"
    assert second.keys == "1 0.000 1.000 1.000 0.000 0.000 1.000"
    # Without a reference nothing is scored or marked.
    assert third.references == ()
    assert third.score == "–"
    assert {each.words for each in third.results} == {"a b", "b a"}


def test_the_pair_that_differs_most_is_drawn_with_the_path_of_the_worse() -> None:
    sentences = sample()
    crossing, path = sentences.pictures(0)
    assert [each.caption for each in crossing.pictures] == ["A", "B"] or [
        each.caption for each in crossing.pictures
    ] == ["B", "C"]
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
def test_three_thousand_sentences_are_at_most_five_megabytes(systems: int) -> None:
    generator = np.random.default_rng(3)
    lexicon = np.array(["".join(generator.choice(list("aeioubdfgklmnprst"), 5)) for _ in range(99)])
    rows = lexicon[generator.integers(0, 99, (3000, 16))]
    made = {
        f"system {s}": [" ".join(np.roll(row, s)) for row in rows] for s in range(1, systems + 1)
    }
    page = report_page(page_translations(made, [" ".join(row) for row in rows]), pictures=30)
    assert len(page.encode()) <= 5_000_000
    assert page.count('<details class="sentence"') == 3000
    assert "written out for" not in page
    assert re.search("[1-9][0-9]* sentences with pictures", page)


def test_the_page_says_that_marks_are_not_of_the_links() -> None:
    """With links FRS comes from them; bars and brackets still show words that match."""
    plain, made = sample(), page_translations({"A": ["a b"]}, ["a b"])
    linked = replace(made, translations=replace(made.translations, links=()))
    told = TranslationSentences(linked).help
    assert "links" not in plain.help
    assert told.startswith(plain.help)
    assert "come from the links with the source" in told
