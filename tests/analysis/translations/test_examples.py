"""The sentences that a finding cites show what it says."""

from __future__ import annotations

import pytest

from wordorder.analysis.analysed import Analysis
from wordorder.analysis.findings import top_findings
from wordorder.analysis.section import Finding
from wordorder.analysis.translations.analyze import analyze
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.translations import Translations

SIZE = 150
REFERENCES = [f"the clerk met a guest at noon behind gate{n} of the old hall" for n in range(SIZE)]
LONG = " ".join(f"filler{n}" for n in range(40))


def faulty(line: str, number: int) -> str:
    """Drop 'old', or put the place first; each twelfth line is long and wrong in many ways."""
    if number % 12 == 0:
        return f"{LONG} {line.replace('old', 'new')}"
    if number % 3 == 0:
        return line.replace(" old", "")
    if number % 3 == 1:
        return " ".join([*line.split()[7:], *line.split()[:7]])
    return line


BAD = [faulty(line, number) for number, line in enumerate(REFERENCES)]


@pytest.fixture(scope="module")
def report() -> Analysis[Translations]:
    systems = {"good": REFERENCES, "bad": BAD}
    return analyze(translations_of(systems, REFERENCES, metrics="frs,cder"))


def finding(report: Analysis[Translations], text: str) -> Finding:
    (match,) = [each for each, _ in top_findings(report.sections) if text in each.sentence]
    assert len(match.examples) == 5
    return match


def test_missing_words_are_missing_in_the_cited_sentences(report: Analysis[Translations]) -> None:
    for sentence in finding(report, "bad lacks").examples:
        assert "old" not in BAD[sentence].split()
        assert LONG not in BAD[sentence]


def test_moved_words_have_moved_in_the_cited_sentences(report: Analysis[Translations]) -> None:
    for sentence in finding(report, "bad puts 50 blocks of words too early").examples:
        assert BAD[sentence].startswith(f"behind gate{sentence} of")


def test_what_a_part_of_some_blocks_says_is_not_said_again(report: Analysis[Translations]) -> None:
    """All blocks that are too early move far."""
    listed = "bad moves 50 blocks of words, 50 of them by more than 3 words: the jumps to and from"
    sentences = [each.sentence for table in report.sections for each in table.findings]
    assert [sentence for sentence in sentences if sentence.startswith(listed)]
    top = [each.sentence for each, _ in top_findings(report.sections)]
    assert not [sentence for sentence in top if sentence.startswith(listed)]


def test_a_finding_that_no_sentence_shows_is_left_out() -> None:
    """Jumps fall on some words more than on others, but no word is missing."""
    moved = [line if number % 3 else faulty(line, 1) for number, line in enumerate(REFERENCES)]
    systems = {"good": REFERENCES, "bad": moved}
    made = analyze(translations_of(systems, REFERENCES, metrics="frs,cder"))
    assert [table for table in made.sections if table.key == "moved-blocks" and table.findings]
    assert not [table.key for table in made.sections if "words-by" in table.key and table.findings]


def test_characters_are_no_kind_that_can_be_seen() -> None:
    """Which of the same characters has moved cannot be told; a block of several can be."""
    references = [f"{n:03d} 猫 が 魚 を 食 べ る 。 犬 は 骨 を 見 る".split() for n in range(120)]
    lines = [" ".join(line) for line in references]
    moved = [" ".join([*line[9:15], *line[:9], *line[15:]]) for line in references]
    made = translations_of({"A": lines, "B": moved}, lines, metrics="frs", language="other")
    signatures = tuple(each.with_fields(("tok", "char")) for each in made.signatures)
    object.__setattr__(made, "signatures", signatures)
    (table,) = [each for each in analyze(made).sections if each.key == "frs-difference"]
    _, *parts = table.findings
    assert [part.sentence for part in parts if "blocks of 4 words or more" in part.sentence]
    assert not [part.sentence for part in parts if "common words right" in part.sentence]
