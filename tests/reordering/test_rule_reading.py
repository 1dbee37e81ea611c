"""Files of rules: what they say, each mistake with its line, and conditions on words."""

import random
import time
from pathlib import Path
from typing import Any

import pytest
from tests.compact_trees import trees_of
from tests.files import written
from tests.oracles_precedence import (
    CLASSES,
    Sentence,
    meets,
    random_condition,
    random_rows,
    rules_of,
)
from tests.oracles_trees import random_tree
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.reordering.compiled import CompiledRules
from wordorder.reordering.conditions import (
    Condition,
    Pattern,
    RuleFile,
    implies,
    is_impossible,
    read_condition,
)
from wordorder.reordering.rule_reading import read_rules

RULE = '[[rule]]\norder = ["*", "self"]\n'


def read(folder: Path, content: str | bytes, name: str = "a.toml") -> RuleFile:
    return read_rules(written(folder, content, name))


def ranks(rules: RuleFile, number: int = 0) -> dict[str, tuple[int, bool]]:
    rule = rules.rules[number]
    return {member.name: (member.rank, rule.turned[member.rank]) for member in rule.members}


def test_what_a_file_says_of_itself(tmp_path: Path) -> None:
    empty = read(tmp_path, "", "my rules.v1.toml")
    assert (empty.name, empty.about, empty.scheme, empty.rules) == ("my-rules", "", "ud", ())
    said = read(tmp_path, 'name = "x"\nabout = "all of it"\nscheme = "any"\n' + RULE)
    assert (said.name, said.about, said.scheme) == ("x", "all of it", "any")
    assert said.path == str(tmp_path / "a.toml")
    assert [(rule.name, rule.line) for rule in said.rules] == [("rule-1", 4)]
    assert read(tmp_path, "", f"{'x' * 120}.toml").name == "x" * 100
    assert read(tmp_path, "", "\x1b[31m a.toml").name == "[31m-a"


def test_the_identity_is_that_of_the_contents(tmp_path: Path) -> None:
    plain = read(tmp_path, RULE)
    spaced = read(tmp_path, b"\xef\xbb\xbf# comment\r\n[[rule]]\r\norder = [ '*',\r\n 'self' ]\r\n")
    assert plain.identity == spaced.identity
    assert len(plain.identity) == 8
    assert read(tmp_path, RULE.replace('"*", "self"', '"self", "*"')).identity != plain.identity


def test_an_order(tmp_path: Path) -> None:
    rules = read(
        tmp_path,
        '[classes]\nneg = { form = "not" }\n[[rule]]\nname = "verb"\nhead = { upos = "VERB" }\n'
        'order = ["nsubj", ["obj", "iobj"], "*", { upos = "ADV" },\n'
        '  { equal = ["aux", "self", "neg"], order = "reverse" }, { equal = "mark" }]\n',
    )
    ordered = {"nsubj": 0, "obj": 1, "iobj": 1, "*": 2, '{upos = "ADV"}': 3, "mark": 5}
    assert ranks(rules) == {name: (rank, False) for name, rank in ordered.items()} | dict.fromkeys(
        ("aux", "self", "neg"), (4, True)
    )
    members = {member.name: member for member in rules.rules[0].members}
    assert members["aux"].condition is None
    assert members["neg"].condition is not None
    assert members["neg"].condition.clauses[0].own == (Pattern("form", ("not",)),)
    # A condition is shown as it is written.
    rules = read(tmp_path, '[[rule]]\norder = [{ form = ["は", "が"] }, "*", "self"]\n')
    assert rules.rules[0].members[0].name == '{form = ["は", "が"]}'


@pytest.mark.parametrize("form", ["inline", "table", "dotted"])
def test_weights(form: str, tmp_path: Path) -> None:
    entries = {"nsubj": "2", "dobj": "-1", "aux": '[-2.5, "reverse"]', "self": '[-2.5, "reverse"]'}
    rows = [f"{name} = {value}" for name, value in entries.items()]
    said = {
        "inline": f"weights = {{ {', '.join(rows)} }}\n",
        "table": "\n".join(["[rule.weights]", *rows]),
        "dotted": "\n".join(f"weights.{row}" for row in rows),
    }
    rules = read(tmp_path, f'scheme = "sd"\n[[rule]]\n{said[form]}')
    straight = {"nsubj": (0, False), "*": (1, False), "dobj": (2, False)}
    assert ranks(rules) == {**straight, "aux": (3, True), "self": (3, True)}


def test_weights_without_self_and_others(tmp_path: Path) -> None:
    found = ranks(read(tmp_path, "[[rule]]\nweights = { obj = 1 }\n"))
    assert found == {"obj": (0, False), "self": (1, False), "*": (1, False)}
    said = '{ obj = [0, "reverse"], "nsubj" = [1, "normal"] }'
    reverse = read(tmp_path, f"[[rule]]\nweights = {said}\n")
    found = ranks(reverse)
    assert found == {"nsubj": (0, False), "obj": (1, True), "self": (1, True), "*": (1, True)}


def test_barriers_of_the_file_and_of_rules(tmp_path: Path) -> None:
    rules = read(
        tmp_path,
        'barriers = ["punct", { upos = "CCONJ" }]\n'
        + RULE
        + '[[rule]]\nname = "own"\norder = ["*", "self"]\nbarriers = ["cc"]\n'
        + '[[rule]]\nname = "none"\norder = ["*", "self"]\nbarriers = []\n',
    )
    names = [[barrier.name for barrier in rule.barriers] for rule in rules.rules]
    assert names == [["punct", '{upos = "CCONJ"}'], ["cc"], []]


def test_a_class_comes_before_a_label_and_may_name_earlier_ones(tmp_path: Path) -> None:
    rules = read(
        tmp_path,
        '[classes]\nobj = { form = "it" }\nboth = ["obj", "iobj", { upos = "X" }]\n'
        '[[rule]]\nhead = ["both", "root"]\norder = ["obj", "both", "*", "self"]\n',
    )
    (rule,) = rules.rules
    assert [clause.own[0] for clause in rule.head.clauses] == [
        *(Pattern("form", ("it",)), Pattern("label", ("iobj",))),
        *(Pattern("upos", ("X",)), Pattern("label", ("root",))),
    ]
    # The same condition is not asked for twice, however often it is named.
    doubling = "".join(f'c{n + 1} = ["c{n}", "c{n}"]\n' for n in range(60))
    rules = read(tmp_path, f'[classes]\nc0 = {{ upos = "X" }}\n{doubling}{RULE}')
    deep = read(tmp_path, f'[classes]\nc0 = {{ upos = "X" }}\n{doubling}{RULE}head = "c60"\n')
    assert len(deep.rules[0].head.clauses) == 1
    CompiledRules(deep)


# What a head may not be, in the third line of a file.
HEADS = [
    ("1", "1; expected a condition: { upos = ..., label = ... }"),
    ("[]", "[]; expected a condition"),
    ('{ pos = "X" }', "unknown key 'pos' (did you mean"),
    ('{ upos = "" }', "upos = ''; expected a text of 1 to 200"),
    ('{ feats = "Mood=Imp|" }', "expected features between the bars"),
    ("{ upos = [] }", "upos with 0 texts; expected from 1 to 10000"),
    ('{ upos = ["X", ["Y"]] }', "upos = ['Y']; expected a text"),
    ('{ position = "behind" }', "unknown position 'behind'; legal names: final"),
    ("{ position = [1] }", "unknown position '1'"),
    ('{ parent = "X" }', "parent = 'X'; expected a table of conditions"),
    ("{ parent = { not = {} } }", "not inside of parent; expected only"),
    ('{ parent = { child = "cop" } }', "child inside of parent"),
    ("{ parent = { parent = {} } }", "parent inside of parent"),
    ('{ parent = { xyz = "" } }', "unknown key 'xyz'"),
    ('{ child = { child = "cop" } }', "child or parent inside of child"),
    ('{ child = { parent = { upos = "X" } } }', "parent inside of child"),
    ("{ child = 1 }", "1; expected a condition"),
    ('{ not = ["X"] }', "not = ['X']; expected a table of conditions"),
    ("{ not = { not = {} } }", "not inside of not; expected one of them"),
    ('{ not = { upso = "X" } }', "unknown key 'upso' (did you mean 'upos'?)"),
]
TOP = 'name = "x"\n'
MISTAKES = [
    # The file.
    ("nam = 1\n", 1, "unknown key 'nam' (did you mean 'name'?); legal names: about, barriers"),
    (f"{TOP}rules = []\n", 2, "unknown key 'rules' (did you mean 'rule'?)"),
    ("name = 3\n", 1, "name = 3; expected a text"),
    ('\nname = "a b"\n', 2, "the name 'a b'; expected 1 to 100 characters, no blanks, colons and"),
    ('name = "\\u001b[31m"\n', 1, "the name '\\x1b[31m'"),
    ('name = ""\n', 1, "the name ''"),
    ('name = "a|b"\n', 1, "the name 'a|b'"),
    (f"name = '{'x' * 101}'\n", 1, "the name"),
    (f"{TOP}about = 2026-01-01\n", 2, "expected a text"),
    (
        f'{TOP}scheme = "usd"\n',
        2,
        "unknown scheme 'usd' (did you mean 'ud' or 'sd'?); legal names: any, sd",
    ),
    (f"{TOP}scheme = true\n", 2, "scheme = True; expected a text"),
    (f'{TOP}barriers = "punct"\n', 2, "barriers = 'punct'; expected a list of classes"),
    (f'{TOP}barriers = [\n"cc",\n"self"]\n', 2, "'self' among the barriers"),
    (f'{TOP}barriers = ["*"]\n', 2, "'*' among the barriers; expected classes of children"),
    (f"{TOP}barriers = [1]\n", 2, "1; expected a label, the name of a class or a condition"),
    (f"{TOP}classes = 1\n", 2, "classes = 1; expected a table"),
    ('[classes]\na = { upos = "X" }\nself = { upos = "X" }\n', 3, "a class called 'self'"),
    ('[classes]\n"*" = "obj"\n', 2, "a class called '*'; expected another name"),
    ("[rule]\nname = 'a'\n", 1, "rules; expected tables [[rule]]"),
    (f"{TOP}rule = [1]\n", 2, "rules; expected tables [[rule]]"),
    (f'{RULE}name = "a"\n{RULE}name = "a"\n', 6, "a second rule 'a'; expected each name once"),
    ("rule = [\n{ order = ['*', 'self'] },\n{ ordre = [] },\n]\n", 3, "unknown key 'ordre'"),
    (f'about = """\n{RULE}"""\n{RULE}odrer = []\n', 7, "unknown key 'odrer'"),
    (f'[[rule]]\norder = ["*", "self",\n["obj"]\n]\n{RULE}odrer = []\n', 7, "unknown key 'odr"),
    ('[classes]\na = ["obj", "b"]\nb = { upos = "X" }\n', 2, "the class 'b' is named before it is"),
    (
        '[classes]\na = { child = "a" }\n',
        2,
        "expected classes that are defined above, or { label = 'a' }",
    ),
    # Rules.
    (f"{RULE}[[rule]]\nodrer = []\n", 4, "unknown key 'odrer' (did you mean 'order'?)"),
    (f"{RULE}name = 4\n", 3, "name = 4; expected a text"),
    (f'{RULE}name = "a\\tb"\n', 3, "the name 'a\\tb'; expected a word"),
    (f'{RULE}[[rule]]\nname = "b"\n', 3, "a rule; expected either order = [...] or weights"),
    (f"{RULE}weights = {{}}\n", 1, "a rule; expected either order"),
    ('[[rule]]\norder = "self"\n', 2, "order = 'self'; expected a list of classes"),
    ('[[rule]]\norder = ["*"]\n', 2, "no 'self' in the order; expected both"),
    ('[[rule]]\norder = [\n"self",\n"nsubj"]\n', 2, "no '*' in the order"),
    ('[[rule]]\norder = ["*", "self",\n"iobj", "obj",\n"obj"]\n', 3, "'obj' is listed twice"),
    ('[[rule]]\norder = ["*", "self", ["obj", ["iobj"]]]\n', 2, "expected a label, the name of"),
    ('[[rule]]\norder = ["*", "self", ""]\n', 2, "''; expected a label"),
    ('[[rule]]\norder = ["*", "self", 1.5]\n', 2, "1.5; expected a label"),
    (f'[[rule]]\norder = ["*", "self",\n"{"x" * 201}"]\n', 3, "a text of 1 to 200 characters"),
    (
        '[[rule]]\norder = ["*", "self",\n{ equal = ["obj"], ordre = "reverse" }]\n',
        3,
        "unknown key 'ordre' (did you mean 'order'?); legal names: equal, order",
    ),
    (
        '[[rule]]\norder = ["*", "self",\n{ equal = ["obj"], order = "back" }]\n',
        3,
        "unknown order 'back'; legal names: normal, reverse",
    ),
    ('[[rule]]\norder = ["*", "self", { equal = 1 }]\n', 2, "1; expected a label"),
    ('[[rule]]\norder = ["*", "self", { equal = [] }]\n', 2, "expected at least one class"),
    ('[[rule]]\norder = ["*", "self", []]\n', 2, "[]; expected at least one class"),
    ('[[rule]]\norder = ["*", "self", { form = 2026-01-01 }]\n', 2, "expected a text of 1 to 200"),
    ("[[rule]]\nweights = [1]\n", 2, "weights = [1]; expected a table of classes"),
    ("[[rule]]\nweights = { aux = 1,\tobj = true }\n", 2, "weight True; expected a number, or"),
    ('[[rule]]\n[rule.weights]\naux = 1\nobj = "1"\n', 4, "weight '1'; expected a number, or"),
    ("[[rule]]\nweights.aux = 1\nweights.obj = nan\n", 3, "weight nan; expected a number between"),
    ("[[rule]]\nweights = { aux = -inf }\n", 2, "weight -inf; expected a number between"),
    (f"[[rule]]\nweights = {{ aux = 1{'0' * 100} }}\n", 2, "expected a number between -1e15 and"),
    ("[[rule]]\nweights = { aux = 1.1e15 }\n", 2, "expected a number between -1e15 and 1e15"),
    ('[[rule]]\nweights = { aux = [1, "back"] }\n', 2, "unknown order 'back'; legal names: normal"),
    ("[[rule]]\nweights = { aux = [1, [2]] }\n", 2, "unknown order '[2]'"),
    ('[[rule]]\nweights = { aux = [1, "reverse", 3] }\n', 2, "weight [1, 'reverse', 3]"),
    ('[[rule]]\nweights = { "" = 1 }\n', 2, "''; expected a label"),
    (
        '[[rule]]\n[rule.weights]\naux = [1, "reverse"]\nobj = 2\ncop = 1\n',
        5,
        "cop in another order than others of weight 1; expected one order for all",
    ),
    # Conditions.
    *((f"{RULE}head = {said}\n", 3, part) for said, part in HEADS),
    (f"{RULE}[rule.head]\nupos = 1\n", 3, "upos = 1; expected a text of 1 to 200 characters"),
    (f'{RULE}[rule.head]\nupos = "X"\n[rule.head.not]\nupos = 1\n', 3, "upos = 1; expected a text"),
    (f"{RULE}[rule.head.not]\nupos = 1\n", 3, "upos = 1; expected a text"),
    ('[classes]\na = { upos = "X" }\nb = { upos = 2 }\n', 3, "upos = 2"),
    ('[classes]\n[classes.a]\nupos = "X"\n[classes.b]\nupso = "Y"\n', 4, "unknown key 'upso'"),
]


@pytest.mark.parametrize(("content", "line", "part"), MISTAKES, ids=[m[2][:40] for m in MISTAKES])
def test_a_mistake_is_named_with_its_line(
    content: str, line: int, part: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    message = str(caught.value)
    path = str(tmp_path / "a.toml")
    assert message.startswith(f"{path}:{line}: "), message
    assert part in message, message
    # No message repeats a whole file.
    assert len(message) < len(path) + 300


def test_child_may_name_a_class_of_single_words(tmp_path: Path) -> None:
    good = '[classes]\na = { upos = "X", not = { form = "y" } }\n'
    assert read(tmp_path, good + RULE + 'head = { child = "a" }\n').rules[0].head.clauses[0].child
    bad = '[classes]\na = { child = "cop" }\n'
    with pytest.raises(InputError, match="child or parent inside of child"):
        read(tmp_path, bad + RULE + 'head = { child = "a" }\n')


@pytest.mark.parametrize(
    "content", ["barriers" + ".a" * 3_000 + " = 1\n", "barriers = " + "[" * 150 + "]" * 150]
)
def test_what_is_nested_too_deeply_is_refused(content: str, tmp_path: Path) -> None:
    message = r":1: (values nested|a key of) too .*; expected at most 20"
    refuses(InputError, message, read, tmp_path, content)


def test_rules_of_too_many_conditions_are_refused(tmp_path: Path) -> None:
    texts = [f"{{form='a{n % 30}',upos='b{n // 30}'}}" for n in range(900)]
    many = f"[classes]\nc = [{', '.join(texts)}]\n"
    for rule in ("order = ['c', '*', 'self']\n", "head = 'c'\norder = ['*', 'self']\n"):
        rules = read(tmp_path, many + f"[[rule]]\n{rule}" * 100)
        refuses(InputError, r":\d+: more than 65,536 conditions", CompiledRules, rules)


@pytest.mark.parametrize("depth", [30, 90, 250, 400, 5_000])
@pytest.mark.parametrize(("start", "end"), [("[", "]"), ("{child=", "}"), ("{not=", "}")])
def test_any_depth_is_read_or_refused(start: str, end: str, depth: int, tmp_path: Path) -> None:
    content = f'{RULE}head = {start * depth}"a"{end * depth}\n'
    try:
        rules = read(tmp_path, content)
    except InputError:
        return
    CompiledRules(rules)


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        '[[rule]]\norder = ["*", "self", ' + '"a", ' * 200_000 + "]\n",
        f'{RULE}head = {{ upos = ["' + '", "'.join(map(str, range(80_000))) + '"] }\n',
        "".join(f"[[rule]]\nname = 'r{n}'\norder = ['*', 'self']\n" for n in range(20_000)),
        "[[rule]]\n[rule.weights]\n" + "".join(f"l{n} = {n}\n" for n in range(50_000)),
        "[[rule]]\norder = ['*', 'self',\n" + "".join(f"'l{n}',\n" for n in range(50_000)) + "]\n",
        "[classes]\n" + "".join(f"c{n} = ['a']\n" for n in range(50_000)) + "x = 1\n",
    ],
    ids=["one label", "texts", "rules", "weights", "labels", "classes"],
)
def test_a_megabyte_of_anything_is_refused_soon(content: str, tmp_path: Path) -> None:
    assert 300_000 < len(content) <= 1 << 20
    start = time.process_time()
    with pytest.raises(InputError):
        read(tmp_path, content)
    assert time.process_time() - start < 5


def test_a_million_texts_are_more_than_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="more than a megabyte; expected a file of rules"):
        read(tmp_path, '[[rule]]\norder = ["*", "self", ' + '"a", ' * 1_000_000 + "]\n")


# -- Conditions on words, and which of them follow from others. ------------------------------------


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
        ("label", ["a?x"], ["aux", "aux:pass"], ["auxpass", "ax"]),
        ("label", ["a?x:"], ["aux"], ["aux:pass"]),
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


HE_DID_NOT = trees_of(
    r"""
He/he/PRON/PRP/Case=Nom|Person=3/4/nsubj did/do/AUX/VBD/Tense=Past/4/aux \
not/not/PART/RB/Polarity=Neg/4/advmod eat/eat/VERB/VB/VerbForm=Inf/0/root \
rice/rice/NOUN/NN/_/4/obj today/today/NOUN/NN/_/4/obl:tmod ././PUNCT/./_/4/punct
""",
    "form lemma upos xpos feats heads label",
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
