"""Precedence rules: against a slow twin that reads the same file, written back, and explained."""

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.compact_trees import trees_of
from tests.oracles_precedence import (
    bank_of,
    precedence_order,
    random_rows,
    random_rules,
    rules_of,
)
from tests.oracles_trees import random_tree
from tests.refusing import refuses
from tests.threads import with_threads

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.reordering import PrecedenceRules, open_rules, write_rules
from wordorder.reordering.conditions import Clause, Condition, Member, Pattern, Rule, RuleFile
from wordorder.reordering.explanation import Explanation, explain
from wordorder.reordering.rule_writing import rules_text
from wordorder.reordering.rules import RULES
from wordorder.treebank import Treebank


@pytest.mark.parametrize("seed", range(30))
def test_any_rules_on_any_trees(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    said = random_rules(rng)
    rules = rules_of(tmp_path, said)
    lengths = [0, 1, 2, 3, *(rng.randrange(4, 15) for _ in range(25)), 40]
    rows = [random_rows(rng, n) for n in lengths]
    heads = [random_tree(rng, n, roots=rng.choice([1, 1, 2])) for n in lengths]
    wanted = [precedence_order(said, *row) for row in zip(rows, heads, strict=True)]
    assert rules.orders(bank_of(rows, heads)).positions.to_lists() == wanted


def test_long_families_are_sorted_as_short_ones(tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(10):
        said = random_rules(rng)
        rows = [random_rows(rng, 120)]
        heads = [[0 if word == 61 else 61 for word in range(1, 121)]]
        wanted = precedence_order(said, rows[0], heads[0])
        rules = rules_of(tmp_path, said)
        assert rules.orders(bank_of(rows, heads)).positions.to_lists() == [wanted]


def test_a_chain_of_100_000_words(tmp_path: Path) -> None:
    rules = rules_of(
        tmp_path, {"rule": [{"order": [{"equal": ["self", "*"], "order": "reverse"}]}]}
    )
    words = 100_000
    bank = Treebank.from_words([["a"] * words], heads=[list(range(words))])
    assert rules.orders(bank).positions.values.tolist() == list(range(words))[::-1]
    flat = Treebank.from_words([["a"] * words], heads=[[0] + [1] * (words - 1)])
    assert rules.orders(flat).positions.values.tolist() == list(range(words))[::-1]


def test_threads_and_cuts_make_no_difference() -> None:
    rng = random.Random(1)
    lengths = [rng.randrange(30) for _ in range(3000)]
    rows = [random_rows(rng, n) for n in lengths]
    bank = bank_of(rows, [random_tree(rng, n) for n in lengths])
    rules = open_rules("R5")
    whole = rules.orders(bank)
    (one,) = with_threads(lambda: rules.orders(bank), 1)
    assert np.array_equal(one.positions.values, whole.positions.values)
    parts = [rules.orders(bank[first : first + 777]) for first in range(0, len(bank), 777)]
    assert wo.Orders.concatenate(parts) == whole


def test_which_rule_fired_and_the_entries(tmp_path: Path) -> None:
    said = """
barriers = ["punct"]
[[rule]]
name = "verb"
head = { upos = "VERB" }
order = ["nsubj", "*", "self"]
[[rule]]
name = "noun"
head = { upos = "NOUN" }
order = ["self", "*"]
"""
    text = "he/PRON/2/nsubj ate/VERB/0/root the/DET/4/det rice/NOUN/2/obj ./PUNCT/2/punct"
    rules = rules_of(tmp_path, said)
    found = rules.apply(trees_of([text], "form upos heads label"))
    assert found.orders[0].positions == (0, 3, 2, 1, 4)
    assert found.fired.tolist() == [-1, 0, -1, 1, -1]
    assert found.entry.tolist() == [0, -1, 4, 1, -2]
    assert rules.entry_names == ("nsubj", "*", "self", "self", "*")


def test_rules_can_be_left_out(tmp_path: Path) -> None:
    verb = {"name": "a", "head": {"upos": "VERB"}, "order": ["*", "self"]}
    both = [verb, {"name": "b", "order": ["self", "*"]}]
    rules = rules_of(tmp_path, {"name": "two", "rule": both})
    assert rules.without("a").rule_names == ("b",)
    assert rules.without("a").name == "two-a"
    assert rules.without("a").provenance != rules.provenance
    refuses(UsageError, "unknown rule 'c'; legal names: a, b", rules.without, "c")


def test_orders_say_which_rules_made_them(tmp_path: Path) -> None:
    one = rules_of(tmp_path, {"name": "x", "rule": [{"name": "a", "order": ["*", "self"]}]})
    other = rules_of(tmp_path, {"name": "x", "rule": [{"name": "a", "order": ["self", "*"]}]})
    bank = Treebank.from_words([["a"]], heads=[[0]])
    assert one.orders(bank).provenance == one.provenance
    assert one.provenance[0][1].startswith("x@")
    assert one.provenance != other.provenance


def test_sentences_without_trees_are_refused() -> None:
    bank = Treebank.from_words([["a"], ["b", "c"]], heads=[[0], [-1, -1]])
    refuses(InputError, "sentence 2: no tree; expected heads", open_rules("R1").orders, bank)
    cycle = Treebank.from_words([["b", "c"]], heads=[[2, 1]])
    refuses(InputError, ".", open_rules("R1").orders, cycle)


def test_more_conditions_than_bits_are_refused(tmp_path: Path) -> None:
    order = [{"form": f"w{number}"} for number in range(65)]
    with pytest.raises(InputError, match="more than 64 different conditions"):
        rules_of(tmp_path, {"rule": [{"order": [*order, "self", "*"]}]})
    rules_of(tmp_path, {"rule": [{"order": [*order[:64], "self", "*"]}]})


# -- Rules that are written read back as the same rules. -------------------------------------------


def random_bank(rng: random.Random, sentences: int = 40) -> Treebank:
    lengths = [0, 1, 2, *(rng.randrange(1, 15) for _ in range(sentences)), 40]
    rows = [(random_rows(rng, n), random_tree(rng, n, roots=rng.choice([1, 2]))) for n in lengths]
    return bank_of([words for words, _ in rows], [heads for _, heads in rows])


def written(rules: PrecedenceRules, tmp_path: Path) -> PrecedenceRules:
    path = tmp_path / "written.toml"
    write_rules(rules, path)
    return PrecedenceRules.read(path)


def check(rules: PrecedenceRules, bank: Treebank, tmp_path: Path) -> None:
    again = written(rules, tmp_path)
    wanted, found = rules.apply(bank), again.apply(bank)
    assert found.orders.positions == wanted.orders.positions
    assert found.fired.tolist() == wanted.fired.tolist()
    assert again.rule_names == rules.rule_names
    shown = (again.name, again.scheme, again.file.about)
    assert shown == (rules.name, rules.scheme, rules.file.about)
    # What was written once is written the same way again.
    assert rules_text(again.file) == rules_text(written(again, tmp_path).file)


@pytest.mark.parametrize("seed", range(30))
def test_any_rules(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    check(rules_of(tmp_path, random_rules(rng)), random_bank(rng), tmp_path)


WRITTEN = sorted(name for name, path in RULES.built_in.items() if path.endswith(".toml"))


@pytest.mark.parametrize("name", WRITTEN)
def test_built_in_sets(name: str, tmp_path: Path) -> None:
    rules = open_rules(name)
    assert isinstance(rules, PrecedenceRules)
    check(rules, random_bank(random.Random(3), 100), tmp_path)
    for rule in rules.rule_names:
        check(rules.without(rule), random_bank(random.Random(4), 10), tmp_path)


@pytest.mark.parametrize("seed", range(6, 16))
def test_entries_asked_in_another_order_than_they_come_out(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    file = rules_of(tmp_path, random_rules(rng)).file
    shuffled = []
    for rule in file.rules:
        ranks = list(range(len(rule.turned) + 1))
        rng.shuffle(ranks)
        members = tuple(replace(m, rank=ranks[m.rank]) for m in rule.members)
        turned = tuple(rng.random() < 0.5 for _ in ranks)
        shuffled.append(replace(rule, members=members, turned=turned))
    rules = PrecedenceRules(replace(file, rules=tuple(shuffled)))
    check(rules, random_bank(rng), tmp_path)


def test_one_name_for_two_things(tmp_path: Path) -> None:
    def member(name: str, rank: int, *patterns: Pattern) -> Member:
        return Member(name, rank, Condition((Clause(patterns),)) if patterns else None)

    left, right = Pattern("form", ("a",)), Pattern("form", ('N"t\\\x7f', "never"))
    anything, others = Condition((Clause(),)), (member("self", 2), member("*", 3))
    rules = [
        Rule(name, anything, (*entries, *others), (False,) * 4, ())
        for name, entries in [
            ("one", (member("obj", 0, left), member("odd", 1, right))),
            ("two", (member("obj", 0), member("odd", 1, left))),
        ]
    ]
    # Only the first is asked: one file for each order of the two.
    for listed in (rules, rules[::-1]):
        made = PrecedenceRules(RuleFile("r", "", "any", tuple(listed), "-", "0"))
        check(made, random_bank(random.Random(1)), tmp_path)


def test_comments(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    comments = {("verb",): "fires 12 times\nbrings +.01", ("verb", "obj"): "3 words"}
    comments[("predicate", "discourse")] = "4 words"
    rules = PrecedenceRules.read(RULES.built_in["R5"])
    write_rules(rules, path, header="learned\nfrom nothing", comments=comments)
    lines = path.read_text().splitlines()
    assert lines[:3] == ["# learned", "# from nothing", 'name = "R5"']
    at = lines.index("# fires 12 times")
    assert lines[at + 1 : at + 4] == ["# brings +.01", "[[rule]]", 'name = "verb"']
    assert '    "obj",  # 3 words' in lines
    # Of two entries in one line, the comment says which is meant.
    assert '    ["discourse", "vocative"],  # discourse: 4 words' in lines
    assert PrecedenceRules.read(path).rule_names == rules.rule_names


def test_what_the_language_cannot_say(tmp_path: Path) -> None:
    def rules(clause: Clause) -> PrecedenceRules:
        members = (Member("self", 0), Member("*", 1))
        rule = Rule("r", Condition((clause,)), members, (False, False), ())
        return PrecedenceRules(RuleFile("r", "", "any", (rule,), "-", "0"))

    path, patterns = tmp_path / "r.toml", [Pattern("upos", (tag,)) for tag in "AB"]
    child = tuple(Condition((Clause((pattern,)),)) for pattern in patterns)
    refuses(UsageError, "one upos in a table", write_rules, rules(Clause(tuple(patterns))), path)
    refuses(UsageError, "one condition on children", write_rules, rules(Clause(child=child)), path)
    assert not (tmp_path / "r.toml").exists()


# -- Explanations, against the traces of Xu, Kang, Ringgaard and Och (2009). -----------------------


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
    found = trees_of([text], "form upos label heads")
    return found.replace(xpos=found.upos)


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
    assert [(part.words, part.entry, part.place) for part in root.after] == [
        ("because we do n't know what the future has", "advcl", 1),
        ("Living", "*", 2),
        ("exciting", "self", 3),
        ("is", "cop", 4),
        (".", "p", None),
    ]
    shown = [part.why for part in root.after]
    assert shown == ["its label", "none of the others", "the head", "its label", "a barrier"]
    assert [part.barrier for part in root.after] == [False] * 4 + [True]
    assert [part.words for part in root.before][1:3] == ["is", "exciting"]
    assert [part.reversed for part in found.steps[1].after] == [False] * 3 + [True] * 3


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
    entries = [(part.words, part.entry) for part in found.steps[0].after if part.barrier]
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
    assert {part.words: (part.entry, part.why) for part in step.before} == {
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
    text = "A/DET/2 hearing/NOUN/4 is/AUX/4 scheduled/VERB/0 today/NOUN/2"
    bank = trees_of([text], "form upos heads")
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
