"""``wordorder rules`` from the outside."""

import functools
from pathlib import Path

import pytest
from tests.cli.running import SAMPLE, call, process, write

from wordorder.parsing.pipeline.loading import open_parser
from wordorder.reordering import open_rules
from wordorder.reordering.rules import RULES
from wordorder.text.display import display_width

TREES = str(SAMPLE / "trees.conllu")
OPENED = functools.cache(open_parser)
GOOD = """\
name = "sov"
[classes]
neg = { form = "not" }
[[rule]]
name = "verb"
head = { upos = ["VERB", "AUX"] }
order = ["nsubj", "*", "obj", { equal = ["aux", "neg", "self"], order = "reverse" }]
"""
BAD = GOOD.replace('"nsubj"', '"nsbj"').replace('"neg", ', "")


@pytest.fixture(autouse=True)
def one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the shipped model once for all tests in this process."""
    monkeypatch.setattr("wordorder.parsing.pipeline.loading.open_parser", OPENED)


WRITTEN = [name for name, path in RULES.built_in.items() if path.endswith(".toml")]


def test_good_files_are_fine(tmp_path: Path) -> None:
    good = write(tmp_path, "a.toml", GOOD)
    answer = process("rules", "check", good, "R1").good()
    assert answer.stderr == ""
    assert answer.text == (
        f"{good}: sov, scheme ud, 1 rule, 1 class: fine\n"
        "R1: R1, scheme any, 0 rules, 0 classes: fine\n"
    )
    assert call("rules", "check", "-", stdin=GOOD.encode()).good().text.startswith("<stdin>: sov, ")
    everything = call("rules", "check", *WRITTEN).good().text.splitlines()
    assert len(everything) == len(WRITTEN)
    assert all(line.endswith(": fine") for line in everything)


def test_tags_that_only_some_trees_have_are_noted(tmp_path: Path) -> None:
    tags = write(tmp_path, "a.toml", GOOD.replace('upos = ["VERB", "AUX"]', 'xpos = "VBZZ"'))
    answer = call("rules", "check", tags).good()
    assert answer.text.endswith(": fine\n")
    assert f"{tags}:{GOOD[: GOOD.index('head =')].count(chr(10)) + 1}: rule 'verb': 'VBZZ'" in (
        answer.stderr
    )
    assert "is no tag of the Penn Treebank" in answer.stderr
    assert "VBZZ" in str(call("rules", "check", tags, "--format", "json").good().json["notes"])


def test_mistakes_in_standard_input_are_named_like_everywhere() -> None:
    answer = call("rules", "check", "-", stdin=BAD.encode())
    assert (answer.status, answer.text.startswith("<stdin>:")) == (1, True)


def test_mistakes_are_printed_with_their_lines(tmp_path: Path) -> None:
    bad = write(tmp_path, "bad.toml", BAD)
    worse = write(tmp_path, "worse.toml", GOOD + "ordre = []\n")
    broken = write(tmp_path, "broken.toml", "a = 1\nb =")
    good = write(tmp_path, "good.toml", GOOD)
    none = str(tmp_path / "none.toml")
    answer = process("rules", "check", bad, worse, broken, none, good)
    assert (answer.status, answer.stderr) == (1, "")
    lines = answer.text.splitlines()
    near = "is no label of Universal Dependencies (did you mean 'nsubj'?)"
    assert lines[:2] == [f"{bad}:3: no rule names the class 'neg'", f"{bad}:7: 'nsbj' {near}"]
    assert lines[2].startswith(f"{worse}:8: unknown key 'ordre' (did you mean 'order'?); legal")
    assert lines[3].startswith(f"{broken}:2: ")
    assert lines[3].endswith("; expected TOML")
    assert lines[4] == f"{none}: No such file or directory; expected a file to read"
    assert lines[5].endswith(": fine")
    assert len(lines) == 6


def test_mistakes_as_data(tmp_path: Path) -> None:
    bad = write(tmp_path, "bad.toml", BAD)
    unread = write(tmp_path, "unread.toml", b"\xff")
    answer = call("rules", "check", bad, unread, "--format", "json")
    assert answer.status == 1
    found, other = answer.json["files"]
    assert {key: found[key] for key in found if key != "faults"} == {
        "file": bad,
        "name": "sov",
        "scheme": "ud",
        "rules": 1,
        "classes": 1,
    }
    assert [fault["line"] for fault in found["faults"]] == [3, 7]
    assert found["faults"][0]["what"] == "no rule names the class 'neg'"
    assert other["name"] is None
    assert other["faults"] == [{"line": 1, "what": "bytes that are not UTF-8; expected UTF-8"}]
    rows = call("rules", "check", bad, unread, "R1", "--format", "tsv")
    assert rows.status == 1
    assert [line.split("\t")[:2] for line in rows.text.splitlines()] == [
        ["file", "line"],
        [bad, "3"],
        [bad, "7"],
        [unread, "1"],
    ]


def test_the_list_has_all_rules() -> None:
    found = call("rules", "list", "--format", "json").good().json["rules"]
    assert [each["name"] for each in found][: len(RULES.built_in)] == list(RULES.built_in)
    assert {each["package"] for each in found[: len(RULES.built_in)]} == {"wordorder"}
    schemes = {each["name"]: each["scheme"] for each in found}
    assert (schemes["R1"], schemes["R5"], schemes["R5-sd"]) == ("any", "ud", "sd")
    assert all(each["about"] for each in found)
    assert all(each["rules"] for each in found if each["name"] in WRITTEN and each["name"] != "R1")
    text = call("rules", "list").good().text
    assert text.splitlines()[0].split() == ["name", "scheme", "rules", "package", "about"]
    rows = call("rules", "list", "--format", "tsv").good().text.splitlines()
    assert rows[1].split("\t")[:4] == ["R1", "any", "0", "wordorder"]
    listed = call("list", "rules", "--format", "json").good().json["entries"]
    assert [each["summary"] for each in listed] == [each["about"] for each in found]
    assert listed[0]["options"] == {"scheme": "any", "rules": 0}


class Point:
    """An entry point of another package."""

    dist = None

    def __init__(self, value: str, made: object) -> None:
        self.value = value
        self._made = made

    def load(self) -> object:
        return self._made


class Other:
    """Leaves everything where it is.

    And more of it.
    """

    name = "other"

    def orders(self, treebank: object) -> None:
        raise AssertionError


def test_rules_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {"bad": Point("b:Bad", lambda: 1 / 0), "other": Point("o:Other", Other)}
    monkeypatch.setattr(RULES, "installed", points)
    found = {each["name"]: each for each in call("rules", "list", "--format", "json").json["rules"]}
    assert found["other"] == {
        "name": "other",
        "about": "Leaves everything where it is.",
        "scheme": None,
        "rules": None,
        "package": "o:Other",
    }
    assert found["bad"]["about"].endswith("ZeroDivisionError: division by zero")
    made = {"nothing": None, "kind": Other}
    monkeypatch.setattr(
        RULES, "installed", points | {k: Point(k, lambda v=v: v) for k, v in made.items()}
    )
    for name, what in [("nothing", "it lacks name or orders(treebank)"), ("kind", "makes a class")]:
        call("reorder", TREES, "--rules", name).refused(
            2, f"rule set '{name}' cannot be used", what
        )
    call("rules", "show", "other").refused(2, "other is not a file, but code of another", "o:Other")
    call("rules", "explain", "other", "--text", "a").refused(2, "neither rules of precedence")


@pytest.mark.parametrize("name", sorted(set(RULES.built_in) - set(WRITTEN)))
def test_a_learned_order_has_no_text(name: str) -> None:
    call("rules", "show", name).refused(2, f"{name} is a learned order", "rules explain")
    call("rules", "check", name).refused(2, f"{name} is a learned order")
    found = call("rules", "explain", name, "--text", "I read it").good().text
    assert found.startswith("I read it\n")


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_that_is_shown_can_be_used(name: str, tmp_path: Path) -> None:
    shown = call("rules", "show", name).good().text
    assert shown.rstrip("\n") == Path(RULES.built_in[name]).read_text("utf-8").rstrip("\n")
    copy = write(tmp_path, f"{name}.toml", shown)
    call("rules", "check", copy).good()
    orders = [
        call("reorder", TREES, "--rules", rules, "--to", "orders").good().text
        for rules in (name, copy)
    ]
    assert orders[0] == orders[1] if name != "R5-sd" else orders[0]


def test_a_sentence_is_parsed_and_explained(tmp_path: Path) -> None:
    rules = write(tmp_path, "a.toml", GOOD)
    answer = call("rules", "explain", rules, "--text", "John can hit the ball .").good()
    assert answer.stderr == ""
    assert answer.text == (
        "John can hit the ball .\n\n"
        "1. hit (root): rule verb, line 4\n"
        "   from John ¦ can ¦ hit ¦ the ball ¦ .\n"
        "   John      nsubj  nsubj  1             its label\n"
        "   .         punct  *      2             none of the others\n"
        "   the ball  obj    obj    3             its label\n"
        "   hit       root   self   4 (reversed)  the head\n"
        "   can       aux    aux    4 (reversed)  its label\n"
        "   => John . the ball hit can\n\n"
        "2. ball (obj): no rule orders its family\n\n"
        "1 of 2 families changed\n"
    )
    other = call(
        "rules", "explain", rules, "--text", "John can hit the ball.", "--tokenizer", "english"
    )
    assert other.good().text == answer.text
    same = call("rules", "explain", "-", "--text", "John can hit the ball .", stdin=GOOD.encode())
    assert same.good().text == answer.text
    named = ["--text", "John can hit the ball .", "--parser", "en"]
    assert call("rules", "explain", rules, *named).good().text == answer.text


def test_the_explanation_leads_to_what_reorder_writes() -> None:
    reordered = call("reorder", TREES, "--rules", "R5").good().text.splitlines()
    for number in (1, 2, 40, 72):
        found = call(
            *("rules", "explain", "R5", "--trees", TREES, "--sentence", str(number)),
            *("--format", "json"),
        )
        data = found.good().json
        assert " ".join(data["sentence"]) == reordered[number - 1]
        assert data["rules"] == "R5"
        names = open_rules("R5").rule_names  # type: ignore[attr-defined]
        assert {step["rule"] for step in data["steps"]} <= {*names, None}
    by_id = call(
        "rules", "explain", "R5", "--trees", TREES, "--sentence", "sent_id=enja-072"
    ).good()
    assert by_id.text == call("rules", "explain", "R5", "--trees", TREES, "--sentence", "72").text
    first = call("rules", "explain", "R5", "--trees", TREES, "--format", "tsv").good()
    rows = [line.split("\t") for line in first.text.splitlines()]
    assert rows[0] == "step head rule line word words label entry place why".split()
    assert [row[4:6] for row in rows[1:]] == [["2", "Enter"], ["1", "Press"], ["3", "."]]
    # Trees that are there may be replaced all the same.
    call("rules", "explain", "R5", "--trees", TREES, "--parser", "en").good()


def test_what_moves_nothing_is_marked() -> None:
    text = call("rules", "explain", "R1", "--trees", TREES).good().text
    assert text == (
        "Press Enter .\n\n1. Press (root): no rule orders its family\n\n0 of 1 family changed\n"
    )
    text = call("rules", "explain", "head-final", "--trees", TREES, "--sentence", "2").good().text
    assert "nothing moves" in text


def test_long_families_and_odd_texts_stay_on_their_lines(tmp_path: Path) -> None:
    rows = [(1, "ate\x1b[2J", 0, "root"), (2, "語" * 60, 1, "obj"), (3, "in", 1, "obl")]
    rows += [(n, "word" + str(n), 3, "dep") for n in range(4, 40)]
    rows.append((40, "x" * 90, 3, "dep"))
    text = "".join(
        f"{n}\t{form}\t_\tX\t_\t_\t{head}\t{label}\t_\t_\n" for n, form, head, label in rows
    )
    trees = write(tmp_path, "a.conllu", text + "\n")
    shown = call("rules", "explain", "R2", "--trees", trees).good().text
    assert "\x1b" not in shown
    assert "ate\\x1b[2J" in shown
    tables = [line for line in shown.splitlines() if line.endswith(("others", "the head"))]
    assert len(tables) == 41
    assert max(map(display_width, tables)) < 100


def test_rules_of_another_scheme_are_noted() -> None:
    answer = call("rules", "explain", "R5-sd", "--text", "He eats rice .").good()
    assert "note: the sentence: the trees seem to be of Universal Dependencies" in answer.stderr
    assert "R5 reads those" in answer.stderr


def test_reorder_notes_rules_of_another_scheme_once() -> None:
    answer = call("reorder", TREES, "--rules", "R5-sd").good()
    notes = [line for line in answer.stderr.splitlines() if "seem to be" in line]
    assert len(notes) == 1
    assert notes[0].startswith(f"wordorder: note: {TREES}: the trees seem to be of Universal")


def test_without_an_action_the_help_is_an_error() -> None:
    answer = call("rules")
    assert (answer.status, answer.stdout) == (2, b"")
    assert "\nCommands:\n  check " in answer.stderr


ORDERS = str(SAMPLE / "reference.orders")
UNKNOWN = """\
[[rule]]
name = "verb"
head = { upos = "VRB" }
order = ["nsubj", "*", "self"]
"""


@pytest.mark.parametrize(
    "command",
    [
        ["reorder", TREES, "--rules", "RULES"],
        ["evaluate", ORDERS, "--trees", TREES, "--rules", "RULES"],
        ["evaluate", ORDERS, *(f"--trees=P{n}={TREES}" for n in (1, 2)), "--rules", "RULES"],
        ["analyze", ORDERS, "--trees", TREES, "--rules", "RULES"],
        ["rules", "explain", "RULES", "--trees", TREES],
    ],
    ids=["reorder", "evaluate", "two parsers", "analyze", "explain"],
)
def test_a_tag_that_no_word_has_is_noted_once(command: list[str], tmp_path: Path) -> None:
    rules = write(tmp_path, "mine.toml", UNKNOWN)
    answer = call(*(rules if each == "RULES" else each for each in command)).good()
    note = (
        f"{rules}:3: rule 'verb': 'VRB' is no universal tag (did you mean 'VERB'?); "
        "it matches nothing"
    )
    assert answer.stderr.count(note) == 1
    assert answer.stderr.count("VRB") == 1
    write(tmp_path, "mine.toml", UNKNOWN.replace("VRB", "VERB"))
    assert "matches nothing" not in call(*(rules if e == "RULES" else e for e in command)).stderr
