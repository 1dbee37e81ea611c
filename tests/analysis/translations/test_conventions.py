"""Marks that a system writes otherwise throughout are a note, and punctuation is one row."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.notes import any_notes

from wordorder.analysis import analyze_translations
from wordorder.analysis.findings import top_findings
from wordorder.analysis.section import Finding, Section
from wordorder.analysis.translations.analyze import analyze
from wordorder.analysis.translations.conventions import mark_conventions
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.word_classes import subject_of
from wordorder.text.texts import Texts

LINES = [f'"we met number {n} at six," said the man on tuesday' for n in range(120)]


def noted(reference: str, output: str, lines: int = 25) -> list[str]:
    texts = Texts.from_segments([output] * lines, [reference] * lines)
    return [convention.describe("A") for convention in mark_conventions([texts])[0]]


@pytest.mark.parametrize(
    ("reference", "output", "described"),
    [
        ('" no "', "“ no ”", 'A writes “…” where the references write "…": 50 words'),
        ('" no "', "“no”", 'A writes “…” where the references write "…": 25 words'),
        ("「 no 」", '" no "', 'A writes "…" where the references write 「…」: 50 words'),
        ('"no way"', "'no way'", "A writes '…' where the references write \"…\": 25 words"),
        ("it 's", "it ’s", "A writes ’ where the references write ': 25 words"),
        ("yes — no", "yes - no", "A writes - where the references write —: 25 words"),
        ("yes ...", "yes …", "A writes … where the references write ...: 25 words"),
        ("yes , no", "yes, no", "A writes word, where the references write word ,: 25 words"),
        (
            "（ no ）",
            "( no )",
            "A writes ( , ) where the references write （，）: 50 words",
        ),
    ],
)
def test_conventions_are_described(reference: str, output: str, described: str) -> None:
    assert noted(reference, output) == [f"{described}; no finding names them"]


@pytest.mark.parametrize(
    ("reference", "output", "lines"),
    [
        ('" no "', '" no "', 25),
        ('" no "', "no", 25),
        ("no", "“ no ”", 25),
        # Too few marks for a habit.
        ('" no "', "“ no ”", 9),
        # Both ways: an error, if anything.
        ('" no "', '“ no "', 25),
        ("well-known", "well-known", 25),
        # Contractions and genitives are not quoted.
        ('" no "', "it 's the clients' '70s", 25),
    ],
)
def test_other_marks_are_no_convention(reference: str, output: str, lines: int) -> None:
    assert noted(reference, output, lines) == []


def test_a_convention_is_noted_and_no_finding_names_it(tmp_path: Path) -> None:
    """Without the rule the quotation mark is named by three findings."""
    curly = [line.replace('"we', "“ we").replace('six,"', "six , ”") for line in LINES]
    texts = {"reference": LINES, "A": LINES, "B": curly}
    for name, lines in texts.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    systems = [tmp_path / "A", tmp_path / "B"]
    with any_notes():
        made = analyze_translations(tmp_path / "reference", systems, tokenizer="13a")
    assert sum("B writes “…”" in note for note in made.notes) == 1
    sentences = [finding.sentence for finding, _ in top_findings(made.sections)]
    assert sentences
    assert not [sentence for sentence in sentences if '"' in sentence or "PUNCT" in sentence]


def test_punctuation_has_one_row_and_no_finding_of_its_kind() -> None:
    references = ["( we met ) , at six ; on tuesday"] * 120
    lines = {"A": references, "B": [", we ( met at ) six on ; tuesday"] * 120}
    made = analyze(translations_of(lines, references, metrics="frs,cder"))
    tables = {table.key: table for table in made.sections}
    rows = [row[0] for row in tables["frs-difference-by-word"].rows]
    assert rows.count("punctuation") == 1
    assert not {"(", ")", ",", ";"}.intersection(rows)
    first, *others = tables["frs-difference"].findings
    assert "in punctuation" in first.sentence
    assert not [each for each in others if "punctuation" in each.sentence]


@pytest.mark.parametrize(
    ("subjects", "top"),
    [
        (("the", "the cat", "dog"), ("the", "dog")),
        (("the cat", "the"), ("the cat",)),
        (("the cat", "the dog"), ("the cat", "the dog")),
        ((", but", "but"), (", but",)),
    ],
)
def test_findings_about_the_same_words_are_merged(
    subjects: tuple[str, ...], top: tuple[str, ...]
) -> None:
    tables = [
        Section(text, "", "", (), (), findings=(Finding(text, 9.0 - n, (n,), subject=words),))
        for n, (text, words) in enumerate((text, subject_of("A", text)) for text in subjects)
    ]
    other = Finding("of B", 0.5, subject=subject_of("B", subjects[0]))
    tables.append(Section("other", "", "", (), (), findings=(other,)))
    assert [finding.sentence for finding, _ in top_findings(tables)] == [*top, "of B"]
