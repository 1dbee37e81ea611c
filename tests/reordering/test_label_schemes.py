"""Label schemes, and whether rules fit files, schemes and trees."""

import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.files import written
from tests.notes import noted
from tests.oracles_precedence import (
    as_toml,
    bank_of as bank_of_rows,
    random_rows,
    random_rules,
    rules_of,
)
from tests.oracles_trees import random_tree

from wordorder.analysis.grid_systems import grid_systems
from wordorder.order.orders import Orders
from wordorder.reordering import PrecedenceRules, open_rules
from wordorder.reordering.rule_reading import rule_faults
from wordorder.reordering.rules import RULES
from wordorder.reordering.scheme_check import fit_problems, names_without_match, note_fit_problems
from wordorder.reordering.unknown_names import foreign_labels, label_scheme, unknown_names
from wordorder.samples import sample_path
from wordorder.text.toml import TomlFile, read_toml
from wordorder.treebank import Treebank, read_treebank

# The 37 relations of UD v2: core, non-core and nominal dependents, function words, the rest.
UD = """
nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse aux cop mark
nmod appos nummod acl amod det clf case conj cc fixed flat compound list parataxis orphan goeswith
reparandum punct root dep
""".split()
# Those of basic Stanford dependencies that head the sentences of its papers.
SD = """
root aux auxpass cop agent acomp attr ccomp xcomp complm dobj iobj pobj mark rel nsubj nsubjpass
csubj csubjpass cc conj expl abbrev amod appos advcl purpcl det predet preconj infmod partmod advmod
neg rcmod quantmod tmod nn npadvmod num number prep pcomp poss possessive prt parataxis punct p ref
sdep xsubj dep goeswith mwe discourse vmod arg comp obj subj mod
""".split()


def said_in(folder: Path, said: str) -> TomlFile:
    path = written(folder, said, "a.toml")
    return read_toml(path)


def bank_of(*labels: str, **columns: list[str]) -> Treebank:
    n = len(labels)
    heads = [0] + [1] * (n - 1)
    rows: dict[str, Any] = {name: [said] for name, said in columns.items()}
    return Treebank.from_words([["w"] * n], heads=[heads], label=[labels], **rows)


def test_the_relations_of_universal_dependencies() -> None:
    scheme = label_scheme("ud")
    assert len(UD) == 37
    assert set(scheme.labels) == set(UD)
    assert all(subtype.split(":")[0] in UD for subtype in scheme.subtypes)
    assert len(set(scheme.subtypes)) == len(scheme.subtypes)
    assert {"nsubj:pass", "acl:relcl", "compound:prt", "nmod:poss"} <= set(scheme.subtypes)


def test_the_relations_of_stanford_dependencies() -> None:
    scheme = label_scheme("sd")
    assert [label for label in SD if not scheme.knows(label)] == []
    assert not set(scheme.labels) & set(scheme.others)


@pytest.mark.parametrize(
    ("key", "known", "others"),
    [
        ("ud", "nsubj obl:whatever nsubj:pass", "dobj NSUBJ nsubj: _ x:pass"),
        ("sd", "dobj prep_in conj_and ROOT relcl", "nsubj:pass obl _ conj-and"),
    ],
)
def test_labels_of_trees(key: str, known: str, others: str) -> None:
    scheme = label_scheme(key)
    assert [label for label in known.split() if not scheme.knows(label)] == []
    assert [label for label in others.split() if scheme.knows(label)] == []


# Labels and patterns that mean something, and others with what is nearest.
MEANT = {
    "ud": "nsubj nsubj: ob* * x* obl:* *:pass obl:mine",
    "sd": "prep_* prep_of root",
}
NEAREST = {
    "ud": "nsbj>nsubj dobj>obj Nsubj>nsubj q*> qqq:*> nsubj:pas>nsubj:pass acl:relc>acl:relcl x5>",
    "sd": "nsubj:pass>nsubjpass rcmd>rcmod",
}


@pytest.mark.parametrize("key", MEANT)
def test_labels_and_patterns_of_rules(key: str) -> None:
    scheme = label_scheme(key)
    assert [text for text in MEANT[key].split() if not scheme.means(text)] == []
    for text, nearest in (pair.split(">") for pair in NEAREST[key].split()):
        assert not scheme.means(text), text
        assert scheme.nearest(text) == (nearest or None), text


def test_each_place_of_a_file_is_looked_at(tmp_path: Path) -> None:
    """Each name that is wrong says its line."""
    text = """barriers = ["punct",
"bad2"]
[classes]
good = { form = "x" }
b = { label = ["obj", "bad5"], not = { label = "bad5b" } }
c = ["good", "bad6", { child = "bad6b" }]
[[rule]]
head = { parent = { label = "bad8" }, child = { label = "goodx8" } }
order = ["c", "b", ["bad9"],
{ equal = ["bad10", "good"] }, { label = "bad10b" },
"*", "self"]
barriers = ["bad12"]
[[rule]]
name = "w"
[rule.weights]
obj = 1
bad17 = 2
bad2 = 3
"""
    unknown = unknown_names(said_in(tmp_path, text))
    assert len({each.text for each in unknown}) == 12
    for each in unknown:
        assert each.place.rsplit(":", 1)[1] == "".join(filter(str.isdigit, each.text))
    assert unknown_names(said_in(tmp_path, f'scheme = "any"\n{text}')) == ()


def test_rules_keep_what_they_misspell(tmp_path: Path) -> None:
    path = written(tmp_path, '[[rule]]\norder = ["nsbj", "*", "self"]\n', "a.toml")
    (unknown,) = PrecedenceRules.read(path).file.unknown
    message = "'nsbj' is no label of Universal Dependencies (did you mean 'nsubj'?)"
    assert str(unknown) == f"{path}:2: rule 'rule-1': {message}; it matches nothing"


FAULTS = [
    ("", []),
    (
        'barriers = [{ upos = "PUNC" }]\n'
        '[classes]\na = { upos = "V*", parent = { upos = "noun" } }\n[[rule]]\n'
        'head = [{ upos = "VREB" }, { not = { child = { upos = ["X", "_", "CONJ"] } } }]\n'
        'order = ["a", "*", "self",\n{ equal = [{ upos = "ADVERB" }] }]\n',
        [
            (1, "'PUNC' is no universal tag (did you mean 'PUNCT'?)"),
            (3, "'noun' is no universal tag (did you mean 'NOUN'?)"),
            (5, "'CONJ' is no universal tag (did you mean 'SCONJ' or 'CCONJ'?)"),
            (5, "'VREB' is no universal tag (did you mean 'VERB'?)"),
            (7, "'ADVERB' is no universal tag (did you mean 'VERB' or 'ADV'?)"),
        ],
    ),
    (
        'scheme = "sd"\n[[rule]]\nhead = { upos = ["VREB", "PRT"] }\norder = ["*", "self"]\n',
        [(3, "'VREB' is no universal tag (did you mean 'VERB'?)")],
    ),
    (
        '[[rule]]\norder = ["*", "self"]\nhead = { feats = [\n"Moood=Imp|Number=Sing",'
        '"NumForm=Digit"], '
        'not = { feats = ["Case=Acc,Dat", "Gender=Masque", "Person[psor]=1", "Tense=*"],'
        'xpos = "VBX" } }\n',
        [
            (4, "'Moood=Imp' is no feature of Universal Dependencies (did you mean 'Mood=Imp'?)"),
            (
                4,
                "'Gender=Masque' is no feature of Universal Dependencies "
                "(did you mean 'Gender=Masc'?)",
            ),
        ],
    ),
    (
        '[classes]\nnegation = { form = "not" }\n'
        '[[rule]]\norder = ["negation", "negaton", "*", "self"]\n',
        [(4, "'negaton' is no label of Universal Dependencies (did you mean 'negation'?)")],
    ),
    (
        '[classes]\na = { form = "x" }\nb = ["a"]\nc = { form = "y" }\nd = { child = "c" }\n'
        'f = { form = "z" }\ne = { not = { child = "f" } }\n'
        '[[rule]]\nhead = "d"\norder = ["b", "*", "self"]\n',
        # Which classes are named only by others is seen by the names of those.
        [(6, "no rule names the class 'f'"), (7, "no rule names the class 'e'")],
    ),
    (
        '[[rule]]\nname = "one"\nhead = { upos = ["X", "NUM"] }\norder = ["*", "self"]\n'
        '[[rule]]\nname = "two"\nhead = { upos = "NUM", form = "a" }\norder = ["self", "*"]\n'
        '[[rule]]\nname = "three"\nhead = { upos = "SYM" }\norder = ["self", "*"]\n'
        '[[rule]]\nname = "four"\norder = ["self", "*"]\n'
        '[[rule]]\nname = "five"\norder = ["self", "*"]\n',
        [
            (7, "the rule 'two' never fires: 'one' (line 1) takes all its heads"),
            (16, "the rule 'five' never fires: 'four' (line 13) takes all its heads"),
        ],
    ),
    (
        '[[rule]]\nhead = { upos = "X", not = { upos = "X*" } }\norder = ["*", "self"]\n',
        [(2, "the rule 'rule-1' never fires: its condition contradicts itself")],
    ),
    (
        'barriers = ["punct", "conj"]\n[classes]\nneg = { label = "advmod", form = "not" }\n'
        'neither = { label = "advmod", form = ["not", "nor"] }\n'
        'any = { label = "obj" }\nwrong = { form = "a", not = { form = "a" } }\n'
        '[[rule]]\norder = ["neither", "advmod",\n"neg", "any", "obj",\n"obj:lvc", "conj", "iobj",'
        '\n"iobj:", "nsubj:", "wrong", { form = "b" }, "*", "self"]\n',
        [
            (9, "'neg' in the rule 'rule-1' says nothing: 'neither' takes all its words"),
            (9, "'obj' in the rule 'rule-1' says nothing: 'any' takes all its words"),
            (
                10,
                "'conj' in the rule 'rule-1' says nothing: the barrier 'conj' takes all its words",
            ),
            (10, "'obj:lvc' in the rule 'rule-1' says nothing: 'any' takes all its words"),
            (11, "'wrong' in the rule 'rule-1' says nothing: its condition contradicts itself"),
        ],
    ),
    (
        "[[rule]]\n[rule.weights]\nnsbj = 1\npunct = 1\n"
        '[[rule]]\nname = "b"\nbarriers = ["punct"]\n[rule.weights]\npunct = 1\n',
        [
            (3, "'nsbj' is no label of Universal Dependencies (did you mean 'nsubj'?)"),
            (5, "the rule 'b' never fires: 'rule-1' (line 1) takes all its heads"),
            (9, "'punct' in the rule 'b' says nothing: the barrier 'punct' takes all its words"),
        ],
    ),
    (
        '[[rule]]\nname = "a"\nhead = { upos = "NOUN", child = "compound" }\n'
        'order = ["*", "compound", "self"]\n'
        '[[rule]]\nhead = { upos = "NOUN", position = "left" }\norder = ["self", "amod",\n'
        '"compound:prt",\n"compound", "*"]\n',
        [
            (
                8,
                "'compound:prt' in the rule 'rule-2' says nothing: "
                "'a' (line 1) takes all heads with it",
            ),
            (
                9,
                "'compound' in the rule 'rule-2' says nothing: "
                "'a' (line 1) takes all heads with it",
            ),
        ],
    ),
    (
        'barriers = ["punct", "con?"]\n[[rule]]\nhead = { upos = "NOUN" }\n'
        'order = ["*", "self", "case"]\n'
        '[[rule]]\nname = "verb"\nhead = { upos = "VERB" }\norder = ["case", "*", "self"]\n'
        '[[rule]]\nname = "rest"\nbarriers = ["punct"]\norder = ["*", "self", "conj", "case"]\n',
        [
            (
                2,
                "the rule 'rule-1' puts 'case' behind its head, and the barrier 'con?' keeps it "
                'inside a coordination ("the park in and the garden"): give the rule barriers '
                "without it, and 'conj' before 'case'",
            ),
        ],
    ),
]


@pytest.mark.parametrize(("said", "expected"), FAULTS)
def test_faults(said: str, expected: list[tuple[int, str]], tmp_path: Path) -> None:
    _, faults = rule_faults(said_in(tmp_path, said))
    assert sorted((fault.line, fault.what) for fault in faults) == sorted(expected)


@pytest.mark.parametrize(
    "name", [name for name, path in RULES.built_in.items() if path.endswith(".toml")]
)
def test_the_rules_of_the_package_have_no_faults(name: str) -> None:
    rules, faults = rule_faults(read_toml(Path(RULES.built_in[name])))
    assert rules.name == name
    assert list(map(str, faults)) == []


@pytest.mark.parametrize("seed", range(30))
def test_what_is_at_fault_has_no_effect(seed: int, tmp_path: Path) -> None:
    """Neither a rule that never fires nor an entry that says nothing is met by any tree."""
    rng = random.Random(seed)
    said = random_rules(rng)
    for rule in said.get("rule", [])[1:]:
        if rng.random() < 0.5 and "head" in said["rule"][0]:
            rule["head"] = said["rule"][0]["head"]
    file = said_in(tmp_path, as_toml(said))
    rules = PrecedenceRules.read(tmp_path / "a.toml")
    faults = [fault.what for fault in rule_faults(file)[1]]
    rows = [random_rows(rng, rng.randrange(1, 14)) for _ in range(60)]
    bank = bank_of_rows(rows, [random_tree(rng, len(sentence)) for sentence in rows])
    applied = rules.apply(bank)
    fired = {rules.rule_names[number] for number in applied.fired.tolist() if number >= 0}
    used = set()
    first = 0
    for rule in rules.file.rules:
        for number, member in enumerate(rule.members, first):
            if (applied.entry == number).any():
                used.add((member.name, rule.name))
        first += len(rule.members)
    assert not [name for name in fired if any(f"rule {name!r} never" in what for what in faults)]
    for name, rule_name in used:
        assert not [what for what in faults if f"{name!r} in the rule {rule_name!r} says" in what]


def test_labels_of_trees_are_counted() -> None:
    bank = bank_of("dobj", "prep", "dobj", "_", "nsubj", "root")
    assert foreign_labels(label_scheme("ud"), bank) == {"dobj": 2, "prep": 1}
    assert foreign_labels(label_scheme("sd"), bank) == {}
    # A slice has the vocabulary of the whole.
    both = Treebank.concatenate([bank_of("nsubj"), bank])
    assert foreign_labels(label_scheme("ud"), both[:1]) == {}


mine = partial(rules_of, name="mine.toml")
FULL = {"upos": ["X"] * 4, "xpos": ["X"] * 4}


def test_trees_of_the_other_scheme() -> None:
    stanford = bank_of("root", "dobj", "prep", "prep", **FULL)
    universal = bank_of("root", "obj", "obl", "case", **FULL)
    assert fit_problems(open_rules("R5"), stanford) == [
        "the trees seem to be of Stanford Dependencies (prep 2, dobj 1), but R5 reads "
        "Universal Dependencies; R5-sd reads those"
    ]
    assert fit_problems(open_rules("R5-sd"), universal) == [
        "the trees seem to be of Universal Dependencies (case 1, obj 1, obl 1), but R5-sd reads "
        "Stanford Dependencies; R5 reads those"
    ]
    for name, bank in (("R5", universal), ("R5-sd", stanford)):
        assert fit_problems(open_rules(name), bank) == []
    # spaCy's labels are Stanford's but for some.
    spacy = bank_of("ROOT", "pobj", "prep", "relcl", **FULL)
    assert fit_problems(open_rules("R5-sd"), spacy) == []
    for name in ("R1", "R2", "R3", "R4", "head-final"):
        assert fit_problems(open_rules(name), stanford) == []


def test_labels_that_no_scheme_knows(tmp_path: Path) -> None:
    rules = mine(tmp_path, '[[rule]]\norder = ["subj", "obj", "*", "self"]\n')
    note = "the trees have labels that Universal Dependencies lacks: "
    assert fit_problems(rules, bank_of("root", "SBJ", "SBJ", "OBJ"))[-1] == (
        f"{note}SBJ 2, OBJ 1; mine takes them like any other"
    )
    many = bank_of("root", *"abcdefg" * 2, *"a" * 2000)
    assert fit_problems(rules, many)[-1] == (
        f"{note}a 2,002, b 2, c 2, d 2, e 2 and 2 more; mine takes them like any other"
    )


def test_labels_that_neither_the_scheme_nor_the_trees_have(tmp_path: Path) -> None:
    rules = mine(tmp_path, '[[rule]]\norder = ["nsbj", "*", "self"]\n')
    (note,) = names_without_match(rules, bank_of("root", "nsubj"))
    assert note.endswith(
        "mine.toml:2: rule 'rule-1': 'nsbj' is no label of Universal Dependencies "
        "(did you mean 'nsubj'?); it matches nothing"
    )
    # A label of one's own that trees have is no mistake, only no label of the scheme.
    assert names_without_match(rules, bank_of("root", "nsbj")) == []
    assert fit_problems(rules, bank_of("root", "nsbj")) == [
        "the trees have labels that Universal Dependencies lacks: nsbj 1; mine takes them like "
        "any other"
    ]
    many = ", ".join(f'"bad{n}"' for n in range(9))
    notes = names_without_match(
        mine(tmp_path, f'[[rule]]\norder = [{many}, "*", "self"]\n'), bank_of("root")
    )
    assert len(notes) == 6
    assert notes[-1] == "mine has 4 more names like these"


def test_tags_and_features_that_neither_anybody_nor_the_trees_have(tmp_path: Path) -> None:
    rules = rules_of(
        tmp_path,
        '[[rule]]\nname = "verb"\norder = ["*", "self"]\n'
        'head = [{ upos = "VRB" }, { xpos = "VBX" }, { feats = "Moood=Imp" }]\n',
    )
    tags = {"upos": ["VERB", "NOUN"], "xpos": ["VB", "NN"]}
    place = f"{tmp_path / 'a.toml'}:4: rule 'verb': "
    assert names_without_match(rules, bank_of("root", "obj", **tags)) == [
        f"{place}'VRB' is no universal tag (did you mean 'VERB'?); it matches nothing",
        f"{place}'VBX' is no tag of the Penn Treebank (did you mean 'VB' or 'VBZ'?); it matches "
        "nothing",
        f"{place}'Moood=Imp' is no feature of Universal Dependencies (did you mean 'Mood=Imp'?); "
        "it matches nothing",
    ]
    # Tags of another language are not known, and what trees have is no mistake.
    tags = {"upos": ["VRB", "NOUN"], "xpos": ["VVFIN", "NN"], "feats": ["Moood=Imp", "_"]}
    assert names_without_match(rules, bank_of("root", "obj", **tags)) == []
    assert names_without_match(open_rules("R5"), bank_of("root", "obj", **tags)) == []


def test_columns_that_say_nothing(tmp_path: Path) -> None:
    said = '[[rule]]\nhead = { upos = "V", child = { lemma = "a", feats = "B=1" } }\n'
    rules = mine(tmp_path, said + 'order = ["*", "self"]\nbarriers = [{ xpos = "," }]\n')
    empty = bank_of("root", "obj")
    found = fit_problems(rules, empty)
    assert found == ["the rules mine read lemma, upos, xpos and feats, which no word has"]
    some = bank_of("root", "obj", upos=["_", "V"], lemma=["a", "_"], xpos=["_", ","])
    assert fit_problems(rules, some) == ["the rules mine read feats, which no word has"]
    assert fit_problems(rules, empty[:0]) == []


def test_trees_without_labels(tmp_path: Path) -> None:
    bank = bank_of("_", "_")
    note = "read labels, which no word has"
    assert fit_problems(open_rules("head-final"), bank) == [f"the rules head-final {note}"]
    rules = mine(tmp_path, 'scheme = "any"\n[[rule]]\norder = ["obj", "*", "self"]\n')
    assert fit_problems(rules, bank) == [f"the rules mine {note}"]
    assert fit_problems(open_rules("R3"), bank) == [f"the rules R3 {note}"]
    for name in ("R1", "R2-literal", "R3-literal", "R4-literal"):
        assert fit_problems(open_rules(name), bank) == []


def test_labels_of_neither_scheme_for_rules_that_fit_both() -> None:
    foreign = bank_of("HD", "SB", "SB", "punct")
    (note,) = fit_problems(open_rules("R3"), foreign)
    assert note == (
        "75% of the words have labels of neither Universal Dependencies nor Stanford Dependencies "
        "(SB 2, HD 1); R3 takes them like any other"
    )
    # Half of them are too few for a note, and rules that read no labels miss none.
    assert fit_problems(open_rules("R3"), bank_of("root", "SB", "SB", "punct")) == []
    assert fit_problems(open_rules("R3-literal"), foreign) == []


class Other:
    """Rules of another package."""

    name = "other"

    def orders(self, treebank: Treebank) -> Orders:
        return Orders.from_rows([list(range(n)) for n in treebank.lengths.tolist()])


def test_a_note_names_the_file() -> None:
    bank = bank_of("root", "dobj", "prep", "prep", **FULL)
    with noted(r"^a.conllu: the trees seem to be of Stanford"):
        note_fit_problems(open_rules("R5"), bank, "a.conllu")
    note_fit_problems(open_rules("R5-sd"), bank, "a.conllu")
    note_fit_problems(Other(), bank, "a.conllu")


def test_the_rules_of_the_package_fit_the_sample() -> None:
    bank = read_treebank(sample_path("trees.conllu"))
    for name in RULES.built_in:
        found = fit_problems(open_rules(name), bank)
        assert (found == []) is (not name.endswith("-sd")), (name, found)


def test_a_grid_notes_each_pair_that_does_not_fit() -> None:
    stanford = bank_of("root", "dobj", "prep", "prep", **FULL)
    with noted() as notes:
        grid_systems({"P1": stanford}, ["R1", "R5", "R5-sd"])
    assert [note.split(":")[0] for note in notes] == ["P1, R5"]
