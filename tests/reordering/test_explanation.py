"""Explanations, against the traces of Xu, Kang, Ringgaard and Och (2009) and the engine itself."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from tests.oracles_precedence import bank_of, random_rows, random_rules, rules_of
from tests.oracles_trees import random_tree
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.reordering import PrecedenceRules, open_rules
from wordorder.reordering.explanation import Explanation, explain
from wordorder.treebank import Treebank

# Their Table 1: the weights of the worked examples are theirs, the others follow their section 3.
XU = """
name = "xu2009"
scheme = "sd"

[[rule]]
name = "verb"
head = { xpos = "VB*" }
barriers = ["p", "cc", "conj"]
[rule.weights]
advcl = 1
dobj = -1
prt = [-2, "reverse"]
aux = [-2, "reverse"]
auxpass = [-2, "reverse"]
neg = [-2, "reverse"]
self = [-2, "reverse"]

[[rule]]
name = "adjective"
head = { xpos = ["JJ", "JJR", "JJS"] }
barriers = ["p", "cc", "conj"]
[rule.weights]
advcl = 1
self = -1
aux = [-2, "reverse"]
auxpass = [-2, "reverse"]
neg = [-2, "reverse"]
cop = [-2, "reverse"]

[[rule]]
name = "noun"
head = { xpos = ["NN", "NNS"] }
weights = { prep = 2, rcmod = 1 }

[[rule]]
name = "preposition"
head = { xpos = ["IN", "TO"] }
weights = { pobj = 1 }
"""
LIVING = """
Living/VBG/csubj/3 is/VBZ/cop/3 exciting/JJ/root/0 because/IN/mark/8 we/PRP/nsubj/8 do/VBP/aux/8
n't/RB/neg/8 know/VB/advcl/3 what/WP/dobj/12 the/DT/det/11 future/NN/nsubj/12 has/VBZ/ccomp/8
././p/3
"""
BALL = "John/NNP/nsubj/3 can/MD/aux/3 hit/VB/root/0 the/DT/det/5 ball/NN/dobj/3 ././p/3"
BALLS = """
John/NNP/nsubj/2 hit/VBD/root/0 the/DT/det/4 ball/NN/dobj/2 but/CC/cc/2 Sam/NNP/nsubj/7
threw/VBD/conj/2 the/DT/det/9 ball/NN/dobj/7
"""


def bank_of_text(text: str) -> Treebank:
    form, tags, label, heads = zip(*(word.rsplit("/", 3) for word in text.split()), strict=True)
    columns = {"xpos": [tags], "upos": [tags], "label": [label]}
    return Treebank.from_words([form], heads=[[*map(int, heads)]], **columns)


def moves(found: Explanation) -> list[tuple[str, str]]:
    return [(step.form, " ".join(step.sentence)) for step in found.steps if step.changed]


def test_the_trace_of_living_is_exciting(tmp_path: Path) -> None:
    found = explain(rules_of(tmp_path, XU), bank_of_text(LIVING)[0])
    assert moves(found) == [
        ("exciting", "because we do n't know what the future has Living exciting is ."),
        ("know", "because we what the future has know n't do Living exciting is ."),
        ("has", "because we the future what has know n't do Living exciting is ."),
    ]
    assert [(step.form, step.rule, step.line) for step in found.steps] == [
        ("exciting", "adjective", 18),
        ("know", "verb", 5),
        ("has", "verb", 5),
        ("future", "noun", 30),
    ]
    root = found.steps[0]
    assert [(part.text, part.entry, part.place) for part in root.after] == [
        ("because we do n't know what the future has", "advcl", 1),
        ("Living", "*", 2),
        ("exciting", "self", 3),
        ("is", "cop", 4),
        (".", "p", None),
    ]
    shown = [part.why for part in root.after]
    assert shown == ["its label", "none of the others", "the head", "its label", "a barrier"]
    assert [part.is_barrier for part in root.after] == [False] * 4 + [True]
    assert [part.text for part in root.before][1:3] == ["is", "exciting"]
    assert [part.turned for part in found.steps[1].after] == [False] * 3 + [True] * 3


def test_the_trace_of_john_can_hit_the_ball(tmp_path: Path) -> None:
    said = '[[rule]]\nname = "verb"\nhead = { xpos = "VB*" }\n'
    said += "weights = { nsubj = 2, dobj = 1, self = 0 }\n"
    found = explain(rules_of(tmp_path, 'scheme = "sd"\n' + said), bank_of_text(BALL)[0])
    assert moves(found) == [("hit", "John the ball can hit .")]
    assert " ".join(found.sentence) == "John the ball can hit ."
    # With all of the table the auxiliary goes behind its verb.
    found = explain(rules_of(tmp_path, XU), bank_of_text(BALL)[0])
    assert " ".join(found.sentence) == "John the ball hit can ."


def test_nothing_moves_across_a_conjunction(tmp_path: Path) -> None:
    found = explain(rules_of(tmp_path, XU), bank_of_text(BALLS)[0])
    assert moves(found) == [
        ("hit", "John the ball hit but Sam threw the ball"),
        ("threw", "John the ball hit but Sam the ball threw"),
    ]
    entries = [(part.text, part.entry) for part in found.steps[0].after if part.is_barrier]
    assert entries == [("but", "cc"), ("Sam threw the ball", "conj")]


@pytest.mark.parametrize("seed", range(25))
def test_the_steps_lead_to_the_order_of_the_rules(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    rules = rules_of(tmp_path, random_rules(rng))
    for n in (1, 2, 5, 12):
        rows, heads = random_rows(rng, n), random_tree(rng, n, roots=rng.choice([1, 2]))
        bank = bank_of([rows], [heads])
        applied = rules.apply(bank)
        found = explain(rules, bank[0])
        assert found.order == applied.orders[0].positions
        last = found.steps[-1].sentence if found.steps else found.forms
        assert last == found.sentence == tuple(found.forms[place] for place in found.order)
        heads_of_families = [word for word in range(1, n + 1) if word in applied.treebank.heads]
        assert sorted(step.head for step in found.steps) == heads_of_families
        before = found.forms
        for step in found.steps:
            shown = sorted(step.before, key=lambda p: p.word)
            assert shown == sorted(step.after, key=lambda p: p.word)
            assert sorted(step.sentence) == sorted(before)
            if not step.changed:
                assert step.sentence == before
            before = step.sentence
            names = [rule.name for rule in rules.file.rules]
            fired = applied.fired[step.head - 1]
            assert step.rule == (names[fired] if fired >= 0 else None)
            # Between barriers places rise.
            places = [part.place or 0 for part in step.after]
            for one, other in pairwise(places):
                assert step.rule is None or one <= other or other == 0


def test_why_a_word_is_an_entry(tmp_path: Path) -> None:
    said = """
barriers = [{ label = "punct" }, "cc"]
[classes]
negation = { form = "not" }
[[rule]]
order = ["nsubj", "ob?", { upos = "ADV" }, "aux", "negation", "*", "self"]
"""
    text = "he/PRON/nsubj:pass/2 hit/VERB/root/0 it/PRON/obj/2 now/ADV/advmod/2 has/AUX/aux/2 "
    text += "not/PART/advmod/2 up/ADP/compound/2 and/CCONJ/cc/2 ./PUNCT/punct/2"
    step = explain(rules_of(tmp_path, said), bank_of_text(text)[0]).steps[0]
    assert {part.text: (part.entry, part.why) for part in step.before} == {
        "he": ("nsubj", "its label without subtype"),
        "hit": ("self", "the head"),
        "it": ("ob?", "fits the pattern"),
        "now": ('{upos = "ADV"}', "meets the condition"),
        "has": ("aux", "its label"),
        "not": ("negation", "in the class negation"),
        "up": ("*", "none of the others"),
        "and": ("cc", "a barrier"),
        ".": ('{label = "punct"}', "a barrier"),
    }


def test_families_without_a_rule_and_lifted_words(tmp_path: Path) -> None:
    said = {"rule": [{"name": "verb", "head": {"upos": "VERB"}, "order": ["*", "self"]}]}
    bank = Treebank.from_words(
        [["A", "hearing", "is", "scheduled", "today"]],
        heads=[[2, 4, 4, 0, 2]],
        upos=[["DET", "NOUN", "AUX", "VERB", "NOUN"]],
    )
    found = explain(rules_of(tmp_path, said), bank[0])
    assert found.lifted == (5,)
    shown = [(step.form, step.rule, step.changed) for step in found.steps]
    assert shown == [("scheduled", "verb", True), ("hearing", None, False)]
    assert [part.entry for part in found.steps[1].after] == [None, None]
    assert " ".join(found.sentence) == "A hearing is today scheduled"


def test_what_has_no_explanation() -> None:
    rules = open_rules("R2")
    assert isinstance(rules, PrecedenceRules)
    long = Treebank.from_words([["a"] * 1001], heads=[list(range(1001))])
    refuses(InputError, "1001 words; expected at most 1000 to explain", explain, rules, long[0])
    refuses(InputError, "no tree", explain, rules, Treebank.from_words([["a"]])[0])
    longest = explain(rules, Treebank.from_words([["a"] * 1000], heads=[[0] + [1] * 999])[0])
    assert longest.order == tuple(range(1000))[::-1]
    assert explain(rules, Treebank.from_words([["a"]], heads=[[0]])[0]).steps == ()
