"""The imperative rate and tag tables, on trees whose answers are planted."""

import random

import pytest

from wordorder.analysis.tags import imperative_sections, tag_table_sections
from wordorder.metrics.trees.attachment import imperatives
from wordorder.treebank.preparation import tag_counts
from wordorder.treebank.treebank import Treebank

# What a sentence is like, and whether its parse begins with a root verb.
KINDS = {
    "imperative": (["Click", "here"], [0, 1], ["VERB", "ADV"], True),
    "quoted": (['"', "(", "Click", "here"], [3, 3, 0, 3], ["PUNCT", "PUNCT", "VERB", "ADV"], True),
    "auxiliary": (["Be", "!"], [0, 1], ["AUX", "PUNCT"], True),
    "polite": (["Please", "click"], [2, 0], ["INTJ", "VERB"], False),
    "subject": (["We", "click"], [2, 0], ["PRON", "VERB"], False),
    "noun": (["Click", "here"], [0, 1], ["NOUN", "ADV"], False),
    "adverbial": (["Asked", "he", "went"], [3, 3, 0], ["VERB", "PRON", "VERB"], False),
}
# These are not counted at all.
SILENT = {"marks": (["...", "!"], [0, 1], ["PUNCT", "PUNCT"], False), "empty": ([], [], [], False)}


def bank_of(names: list[str]) -> Treebank:
    rows = [{**KINDS, **SILENT}[name] for name in names]
    forms, heads, upos, _ = zip(*rows, strict=True)
    return Treebank.from_words(forms, heads=heads, upos=upos)


def test_the_rate_of_planted_imperatives() -> None:
    rng = random.Random(1)
    names = rng.choices([*KINDS, *SILENT], k=1000)
    found = imperatives(bank_of(names))
    assert found.imperative.tolist() == [{**KINDS, **SILENT}[name][3] for name in names]
    assert found.counted.tolist() == [name in KINDS for name in names]
    assert found.rate == pytest.approx(found.imperative.sum() / found.counted.sum())


def test_tags_of_the_penn_treebank() -> None:
    bank = Treebank.from_words(
        [["Click", "it"], ["Clicks", "hurt"]], heads=[[0, 1], [2, 0]], xpos=[["VB", "PRP"]] * 2
    )
    assert imperatives(bank).imperative.tolist() == [True, False]
    bank = Treebank.from_words([["Go"], ["Go"]], heads=[[0], [-1]], upos=[["VERB"], ["VERB"]])
    found = imperatives(bank)
    assert (found.imperative.tolist(), found.counted.tolist()) == ([True, False], [True, False])
    assert imperatives(bank[:0]).rate == 0.0


def test_the_section_names_what_was_missed_and_added() -> None:
    gold = bank_of(["imperative", "noun", "subject"])
    parsed = bank_of(["noun", "imperative", "subject"])
    (section,) = imperative_sections({"P1": parsed, "same": gold}, gold)
    assert section.header[-2:] == ("missed", "added")
    assert section.rows == (("P1", 3, 1, 1 / 3, 1, 1), ("gold", 3, 1, 1 / 3, 0, 0))
    assert section.examples == ((0, 1), (0,))
    (alone,) = imperative_sections({"P1": parsed})
    assert alone.rows == (("P1", 3, 1, 1 / 3),)
    assert alone.reading == "Sentences parsed as imperatives: 33.3 % by P1."
    assert imperative_sections({"P1": Treebank.from_words([["a"]])}) == []


def test_click_as_in_table_3_of_katz_brown() -> None:
    # Counts of two of their parsers, as N and as V.
    rows = {"Berkeley": (35, 35), "self-trained": (13, 58)}
    parsers = {}
    for name, (nouns, verbs) in rows.items():
        tags = ["NN"] * nouns + ["VB"] * verbs
        forms = [["Click"] if i % 2 else ["click"] for i in range(len(tags))]
        parsers[name] = Treebank.from_words(
            [*forms, ["clicks"]],
            heads=[[0]] * (len(tags) + 1),
            xpos=[*([t] for t in tags), ["NNS"]],
        )
    (section,) = tag_table_sections(["click"], parsers)
    found = [row[:5] for row in section.rows]
    assert found == [("Berkeley", 70, 35, 35, 0), ("self-trained", 71, 13, 58, 0)]
    assert section.rows[1][5] == "VB 58, NN 13"


def test_where_the_tag_is_another_one() -> None:
    words = [["a", "Click"], ["b"], ["click", "click"]]
    gold = Treebank.from_words(words, upos=[["DET", "NOUN"], ["X"], ["VERB", "X"]])
    parsed = Treebank.from_words(words, upos=[["DET", "PROPN"], ["X"], ["AUX", "X"]])
    one, other = tag_table_sections(["CLICK", "absent"], {"P1": parsed}, gold)
    assert one.key == "tag-table-1"
    assert one.rows[0] == ("P1", 3, 1, 1, 1, "AUX 1, PROPN 1, X 1")
    assert one.examples == ((0, 2), (0, 2))
    assert "does not occur" in other.reading
    (once,) = tag_table_sections(["a"], {"P1": parsed})
    assert once.reading.startswith("The word 'a' occurs 1 time; tagged")
    assert tag_counts(gold, "straße").places.tolist() == []
    assert tag_table_sections([], {"P1": parsed}) == []
