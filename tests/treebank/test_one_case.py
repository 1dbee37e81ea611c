"""Sentences that say nothing by their case, and their copies in lower case."""

from __future__ import annotations

from wordorder.treebank.preparation import in_one_case, with_lower_case
from wordorder.treebank.treebank import Treebank

SENTENCES = [
    ["It", "rains"],
    ["OK", "!"],
    [],
    ["ok", "Then"],
    ["3", "%"],
    ["straße"],
    ["NASA", "is"],
]


def test_each_sentence_counts_alone() -> None:
    """Oracle: a sentence is in both cases if lowering and raising it both change it."""
    bank = Treebank.from_words(SENTENCES)
    expected = []
    for words in SENTENCES:
        text = " ".join(words)
        expected += [text in (text.lower(), text.upper())] * len(words)
    assert in_one_case(bank.form, bank.offsets).tolist() == expected


def test_copies_are_of_the_sentences_in_both_cases() -> None:
    bank, rows = with_lower_case(Treebank.from_words(SENTENCES))
    assert rows.tolist() == [0, 3, 6]
    lowered = [bank[i : i + 1].form.strings() for i in range(len(SENTENCES), len(bank))]
    assert lowered == [["it", "rains"], ["ok", "then"], ["nasa", "is"]]
