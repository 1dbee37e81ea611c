"""Conditions on words, and which of them follow from others."""

import random
from pathlib import Path
from typing import Any

import pytest
from tests.oracles_precedence import (
    CLASSES,
    Sentence,
    meets,
    random_condition,
    random_rows,
    rules_of,
)
from tests.oracles_trees import random_tree

from wordorder.reordering.conditions import (
    Condition,
    Pattern,
    implies,
    is_impossible,
    read_condition,
)
from wordorder.treebank import Treebank


def condition(said: Any) -> Condition:
    return read_condition(said, "a.toml:1", {})


@pytest.mark.parametrize(
    ("column", "texts", "fits", "others"),
    [
        ("upos", ["VERB"], ["VERB"], ["verb", "VERB2", "AVERB", "_", ""]),
        ("upos", ["VERB", "AUX"], ["VERB", "AUX"], ["VERBAUX"]),
        ("xpos", ["VB*"], ["VB", "VBD", "VB*"], ["MD", "vb", "XVB"]),
        ("xpos", ["NN?"], ["NNS", "NNP"], ["NN", "NNPS"]),
        ("xpos", ["N[NP]"], ["NN", "NP"], ["NS", "N[NP]"]),
        ("xpos", ["PRP$", ".", "-LRB-"], ["PRP$", ".", "-LRB-"], ["PRP", ",", "LRB"]),
        ("form", ["n't", "Not"], ["n't", "N'T", "not", "NOT"], ["nt"]),
        ("form", ["straße", "İ*"], ["STRAße", "İx"], ["strasse"]),
        ("form", ["a*\n?"], ["a\nb", "ab\nc"], ["a"]),
        ("lemma", ["be"], ["be", "BE"], ["been"]),
        ("label", ["nsubj"], ["nsubj", "nsubj:pass", "nsubj:outer:x"], ["nsubjpass", "csubj"]),
        ("label", ["nsubj:"], ["nsubj"], ["nsubj:pass", "nsubj:"]),
        ("label", ["nsubj:pass"], ["nsubj:pass"], ["nsubj", "nsubj:outer"]),
        ("label", ["*subj"], ["nsubj", "csubj:pass"], ["subject", "obj"]),
        ("label", ["*:pass"], ["nsubj:pass", "aux:pass"], ["nsubj", "pass"]),
        ("label", ["*"], ["nsubj:pass", "_", ""], []),
        ("feats", ["Mood=Imp"], ["Mood=Imp", "A=1|Mood=Imp|Z=2"], ["Mood=Ind", "Mood=Imper", "_"]),
        ("feats", ["A=1|B=2"], ["B=2|A=1", "A=1|B=2|C=3"], ["A=1", "B=2", "A=1|B=3"]),
        ("feats", ["A=1", "B=2"], ["A=1", "B=2"], ["C=3"]),
        ("feats", ["Case=*"], ["Case=Gen"], ["Number=Sing"]),
        ("feats", ["_"], ["_"], ["A=1"]),
        ("label", [], [], ["nsubj", ""]),
    ],
)
def test_patterns(column: str, texts: list[str], fits: list[str], others: list[str]) -> None:
    pattern = Pattern(column, tuple(texts))
    assert [text for text in fits if not pattern.matches(text)] == []
    assert [text for text in others if pattern.matches(text)] == []


def test_a_pattern_of_many_stars_is_matched_soon() -> None:
    pattern = Pattern("form", ("*a" * 50 + "b",))
    assert not pattern.matches("a" * 100_000)
    assert pattern.matches("a" * 1000 + "b")


HE_DID_NOT = Treebank.from_words(
    [["He", "did", "not", "eat", "rice", "today", "."]],
    heads=[[4, 4, 4, 0, 4, 4, 4]],
    lemma=[["he", "do", "not", "eat", "rice", "today", "."]],
    upos=[["PRON", "AUX", "PART", "VERB", "NOUN", "NOUN", "PUNCT"]],
    xpos=[["PRP", "VBD", "RB", "VB", "NN", "NN", "."]],
    feats=[["Case=Nom|Person=3", "Tense=Past", "Polarity=Neg", "VerbForm=Inf", "_", "_", "_"]],
    label=[["nsubj", "aux", "advmod", "root", "obj", "obl:tmod", "punct"]],
)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({}, "He did not rice today ."),
        ({"form": "HE"}, "He"),
        ({"lemma": ["do", "rice"]}, "did rice"),
        ({"upos": "NOUN", "label": "obl"}, "today"),
        ({"xpos": "VB*"}, "did"),
        ({"feats": "Person=3|Case=Nom"}, "He"),
        ({"position": "left"}, "He did not"),
        ({"position": "right"}, "rice today ."),
        ({"position": "first"}, "He"),
        # Nothing but punctuation behind it, itself aside.
        ({"position": "final"}, "today ."),
        ({"position": ["first", "final"], "not": {"upos": "PUNCT"}}, "He today"),
        ({"position": "root"}, ""),
        ({"parent": {"upos": "VERB", "position": "root"}, "upos": "NOUN"}, "rice today"),
        ({"parent": {"upos": "NOUN"}}, ""),
        ({"not": {"parent": {"upos": "VERB"}}}, ""),
        ({"child": "det"}, ""),
        ({"not": {"child": "det", "position": "right"}}, "He did not"),
        ({"not": {"upos": ["NOUN", "PUNCT"], "label": "aux"}}, "He not"),
        (["obj", {"form": "he"}], "He rice"),
        ("obl", "today"),
    ],
)
def test_what_a_condition_picks_of_the_children(said: Any, found: str, tmp_path: Path) -> None:
    """Those that meet it go behind all others."""
    rules = rules_of(tmp_path, {"classes": {"c": said}, "rule": [{"order": ["self", "*", "c"]}]})
    entry = rules.apply(HE_DID_NOT).entry
    names = [rules.entry_names[number] if number >= 0 else "" for number in entry.tolist()]
    words = HE_DID_NOT.form.strings()
    assert [word for word, name in zip(words, names, strict=True) if name == "c"] == found.split()


@pytest.mark.parametrize(
    ("said", "fires"),
    [
        ({"child": "obj"}, True),
        ({"child": {"form": "not", "label": "advmod"}}, True),
        ({"child": {"form": "not", "label": "obj"}}, False),
        ({"child": ["iobj", "obl"]}, True),
        ({"child": {"not": {"position": "left"}, "upos": "PUNCT"}}, True),
        ({"not": {"child": "obj"}}, False),
        ({"not": {"child": "iobj"}, "child": "aux"}, True),
        ({"position": "root"}, True),
        # A root has no parent, of whom nothing holds.
        ({"parent": {}}, True),
        ({"parent": {"upos": "*"}}, False),
        ({"not": {"parent": {"upos": "*"}}}, True),
        ({"parent": {"position": "root"}}, False),
    ],
)
def test_conditions_on_heads(said: Any, fires: bool, tmp_path: Path) -> None:
    rules = rules_of(tmp_path, {"rule": [{"head": said, "order": ["self", "*"]}]})
    assert (int(rules.fired(HE_DID_NOT)[3]) == 0) is fires


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"upos": "VERB"}, {}, True),
        ({}, {"upos": "VERB"}, False),
        ({}, {"upos": "*"}, False),
        ({"upos": "VERB"}, {"upos": ["AUX", "V*"]}, True),
        ({"upos": "V*"}, {"upos": "VE*"}, False),
        ({"upos": "V*"}, {"upos": ["X", "V*"]}, True),
        ({"upos": "VERB"}, {"xpos": "VERB"}, False),
        ({"label": "nsubj"}, {"label": "nsubj:"}, False),
        ({"label": "nsubj:"}, {"label": "nsubj"}, True),
        ({"label": "nsubj:pass"}, {"label": "nsubj"}, True),
        ({"label": "nsubj:pass"}, {"label": "*:pass"}, True),
        ({"label": "nsubj"}, {"label": "*:pass"}, False),
        ({"label": "nsubj"}, {"label": "*"}, True),
        ({"feats": "A=1|B=2"}, {"feats": "B=2"}, True),
        ({"feats": "B=2"}, {"feats": "A=1|B=2"}, False),
        ({"position": "left"}, {"position": ["left", "root"]}, True),
        ({"position": ["left", "root"]}, {"position": "left"}, False),
        ({"position": "left"}, {"form": "left"}, False),
        ({"not": {"upos": ["X", "Y"]}}, {"not": {"upos": "X"}}, True),
        ({"not": {"upos": "X"}}, {"not": {"upos": ["X", "Y"]}}, False),
        ({"child": {"upos": "X", "form": "a"}}, {"child": {"upos": "X"}}, True),
        ({"not": {"child": {"upos": "X"}}}, {"not": {"child": {"upos": "X", "form": "a"}}}, True),
        ({"not": {"child": {"upos": "X", "form": "a"}}}, {"not": {"child": {"upos": "X"}}}, False),
        ({"parent": {"upos": "X", "form": "a"}}, {"parent": {"upos": "X"}}, True),
        ({"parent": {"upos": "X"}}, {"upos": "X"}, False),
        (["obj", "iobj"], {"label": ["obj", "iobj", "obl"]}, True),
        ({"label": ["obj", "iobj"]}, ["obj", "iobj"], False),
        # What no word meets implies anything.
        ({"upos": "X", "not": {"upos": ["X", "Y"]}}, {"form": "a"}, True),
    ],
)
def test_implication(first: Any, second: Any, expected: bool) -> None:
    assert implies(condition(first), condition(second)) is expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"upos": "X", "not": {"upos": "X"}}, True),
        ({"upos": ["X", "Y"], "not": {"upos": "X"}}, False),
        ({"parent": {"form": "a"}, "not": {"parent": {"form": "A*"}}}, True),
        ({"child": {"upos": "X", "form": "a"}, "not": {"child": {"upos": "X"}}}, True),
        ({"child": "obj", "not": {"label": "obj"}}, False),
        ({}, False),
    ],
)
def test_what_no_word_can_meet(said: Any, expected: bool) -> None:
    assert is_impossible(condition(said).clauses[0]) is expected


@pytest.mark.parametrize("seed", range(8))
def test_no_word_contradicts_an_implication(seed: int) -> None:
    rng = random.Random(seed)
    made = [random_condition(rng) for _ in range(30)]
    # Often enough one is a part of another.
    pairs = [(a | b, a) for a in made for b in made[:6]] + [(a, b) for a in made for b in made]
    implied = [pair for pair in pairs if implies(*map(condition, pair))]
    assert len(implied) > 30
    for _ in range(8):
        n = rng.randrange(1, 9)
        sentence = Sentence(random_rows(rng, n), random_tree(rng, n))
        for first, second in implied:
            for word in range(1, n + 1):
                if meets(first, {}, sentence, word):
                    assert meets(second, {}, sentence, word), (first, second)


def test_the_names_of_the_classes_do_not_matter() -> None:
    classes = {name: condition({"upos": name.upper()}) for name in CLASSES}
    named = read_condition([CLASSES[0], "obj"], "", classes)
    found = [clause.own[0] for clause in named.clauses]
    assert found == [Pattern("upos", (CLASSES[0].upper(),)), Pattern("label", ("obj",))]
