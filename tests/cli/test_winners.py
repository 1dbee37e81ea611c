"""Another rule for words without a link may make another system the best: `evaluate` says so."""

import json
from pathlib import Path

import pytest
from tests.cli.running import SAMPLE, call, write

# "she slept in the house"; Japanese says "she, house, slept", and in and the have no link. So the
# reference is 0 2 3 4 1 (next), 0 4 1 2 3 (previous) or 0 4 1 (drop). By hand, of 1 - (C-1)/(M-1):
# English keeps 0 1 2 3 4: .5, .5, 0; "she the house in slept" is 0 3 4 2 1: .25, 0, 1.
TREE = """\
1\tshe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tslept\t_\tVERB\t_\t_\t0\troot\t_\t_
3\tin\t_\tADP\t_\t_\t5\tcase\t_\t_
4\tthe\t_\tDET\t_\t_\t5\tdet\t_\t_
5\thouse\t_\tNOUN\t_\t_\t2\tobl\t_\t_

"""
RULES = """\
name = "ja"
[[rule]]
name = "verb"
head = { upos = "VERB" }
order = ["nsubj", "*", "self"]
[[rule]]
name = "noun"
order = ["*", "self", "case"]
"""
START = (
    "wordorder: note: which system is best by frs depends on -O unaligned, the place of words "
    "without a link (40 % of the words): "
)
KEPT = {"next": 0.5, "previous": 0.5, "drop": 0.0}
MOVED = {"next": 0.25, "previous": 0.0, "drop": 1.0}


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    links = write(tmp_path, "a.align", "0-0 4-1 1-2\n")
    trees = write(tmp_path, "t.conllu", TREE)
    rules = write(tmp_path, "ja.toml", RULES)
    return ["evaluate", links, f"--trees=P={trees}", "--rules", "R1", rules, "-m", "frs,exact"]


@pytest.mark.parametrize(
    ("unaligned", "said"),
    [
        ("next", "next: P/R1 (0.500; P/ja 0.250), drop: P/ja (1.000; P/R1 0.000)"),
        ("previous", "previous: P/R1 (0.500; P/ja 0.000), drop: P/ja (1.000; P/R1 0.000)"),
        (
            "drop",
            "drop: P/ja (1.000; P/R1 0.000), next: P/R1 (0.500; P/ja 0.250), "
            "previous: P/R1 (0.500; P/ja 0.000)",
        ),
    ],
)
def test_another_winner_is_noted(command: list[str], unaligned: str, said: str) -> None:
    note = f"{START}{said}; --sensitivity shows all cases\n"
    answer = call(*command, "-O", f"unaligned={unaligned}").good()
    assert answer.stderr.count(note) == answer.stderr.count("--sensitivity") == 1
    rows = call(*command, "-O", f"unaligned={unaligned}", "--format", "tsv").text
    assert f"P/R1\tP\tR1\tfrs\t{KEPT[unaligned]}\t" in rows
    assert f"P/ja\tP\tja\tfrs\t{MOVED[unaligned]}\t" in rows
    assert "depends on -O unaligned" not in call(*command, "--sensitivity").good().stderr


def test_one_winner_is_not_noted(command: list[str], tmp_path: Path) -> None:
    # One system; rules whose orders are the same; orders that leave nothing open.
    assert call(*command[:3], "--rules", "R1").good().stderr == ""
    assert call(*command[:3], "--rules", "R1", "same=R1").good().stderr == ""
    orders = write(tmp_path, "a.orders", "0 4 1\n")
    assert "best" not in call("evaluate", orders, *command[2:]).good().stderr
    sample = [str(SAMPLE / "alignments.talbot"), "--trees", str(SAMPLE / "trees.conllu")]
    assert "best" not in call("evaluate", *sample, "--rules", "R1", "R5").good().stderr


@pytest.mark.parametrize("rule", ["lrscore", "lader", "topdown-btg"])
def test_only_what_a_rule_can_do_is_varied(command: list[str], rule: str) -> None:
    said = call(*command, "--rule", rule).good().stderr
    assert ("drop: " in said) == (rule == "lrscore"), said


@pytest.fixture
def orders(command: list[str], tmp_path: Path) -> list[str]:
    """Reference orders of the links, and the orders of both systems."""
    source = write(tmp_path, "s.txt", "she slept in the house\n")
    reference = str(tmp_path / "r.orders")
    call("reference", command[1], "--source", source, "-o", reference).good()
    systems = {"R1": "0 1 2 3 4\n", "ja": "0 3 4 2 1\n"}
    return [
        reference,
        "-i",
        *(write(tmp_path, f"{name}.orders", line) for name, line in systems.items()),
    ]


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_another_winner_is_noted_of_orders(orders: list[str], verb: str) -> None:
    said = (
        "wordorder: note: which system is best by frs depends on the place of words without a "
        "link (40 % of the words): next: R1 (0.500; ja 0.250), drop: ja (1.000; R1 0.000) "
        "(r.orders has next)\n"
    )
    answer = call(verb, *orders, "-m", "frs,exact").good()
    assert answer.stderr.count(said) == 1
    assert "rule:talbot|null:next" in call(verb, *orders, "--format", "json").text


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_winners_are_systems_with_the_means_of_their_runs(orders: list[str], verb: str) -> None:
    """A has both orders as runs, B one of them twice: (.5 + .25) / 2 and (0 + 1) / 2."""
    reference, english, other = orders[0], *orders[2:]
    systems = [f"A={english},{other}", f"B={other},{other}"]
    said = call(verb, reference, "-i", *systems, "-m", "frs").good().stderr
    assert "next: A (0.375; B 0.250), drop: B (1.000; A 0.500) (r.orders has next)" in said
    alone = call(verb, reference, "-i", f"A={english},{other}", "-m", "frs").good().stderr
    assert "which system is best" not in alone


@pytest.mark.parametrize("unaligned", ["next", "previous", "drop"])
@pytest.mark.parametrize("rule", ["talbot", "lrscore"])
def test_orders_say_their_rule(
    command: list[str], orders: list[str], rule: str, unaligned: str, tmp_path: Path
) -> None:
    how = ["--source", str(tmp_path / "s.txt"), "--rule", rule, "-O", f"unaligned={unaligned}"]
    call("reference", command[1], *how, "-o", orders[0]).good()
    answer = call("score", *orders, "-m", "frs", "--format", "tsv").good()
    for name, values in (("R1", KEPT), ("ja", MOVED)):
        assert f"{name}\tfrs\t\t{values[unaligned]}\t" in answer.text
    places = [unaligned, *(each for each in ("next", "previous", "drop") if each != unaligned)]
    best = {
        each: f"{each}: ja (1.000; R1 0.000)" if each == "drop" else f"{each}: R1 (0.500; ja "
        for each in places
    }
    said = answer.stderr.partition("(40 % of the words): ")[2]
    for each in places if unaligned == "drop" else (unaligned, "drop"):
        assert best[each] in said
    (tmp_path / "r.orders.unlinked").unlink()
    alone = call("score", *orders, "-m", "frs", "--format", "tsv").good()
    assert "link" not in alone.stderr
    assert alone.text == answer.text.replace(f"|rule:{rule}|null:{unaligned}", "")


def test_a_list_of_unlinked_words_of_other_orders_is_left_out(orders: list[str]) -> None:
    Path(orders[0]).write_text("0 1 2 3 4\n")
    answer = call("score", *orders).good()
    assert (
        "r.orders.unlinked is left out: it was changed, or is of other orders than" in answer.stderr
    )
    assert "null:" not in answer.text


def test_many_unlinked_words_are_noted_where_the_best_stays(orders: list[str]) -> None:
    answer = call("score", *orders[:2], orders[2]).good()
    assert "40 % of the words of " in answer.stderr
    assert "have no link" in answer.stderr


def test_analyze_names_both_winners_and_the_loss_beside_unlinked_words(
    command: list[str], orders: list[str], tmp_path: Path
) -> None:
    """She and house have links. English, 0 1 2 3 4, is 0 2 3 4 1 in the reference.

    So the boundaries 0 1 and 1 2 are broken, the second one beside "in": half of the loss.
    """
    links = ["analyze", *command[1:-2]]
    winners = "next: P/R1 (0.500; P/ja 0.250), drop: P/ja (1.000; P/R1 0.000)."
    loss = (
        "Of the 50.0 points of FRS that P/R1 loses, 25.0 (50 %) lie beside words without a link "
        "(40 % of the words): the reference places these by a rule (unaligned next), not by the "
        "translation."
    )
    found = json.loads(call(*links, "--format", "json").good().text)
    assert found["answer"].endswith(winners)
    assert ". Which system is best by FRS depends on -O unaligned, the place" in found["answer"]
    assert found["answer"].lower().count("but ") < 2
    assert found["findings"][0]["sentence"] == loss
    section = next(each for each in found["sections"] if each["key"] == "unlinked")
    assert [row["broken"] for row in section["rows"]] == [1, 1]
    dropped = json.loads(call(*links, "-O", "unaligned=drop", "--format", "json").good().text)
    assert dropped["answer"].endswith(
        "drop: P/ja (1.000; P/R1 0.000), next: P/R1 (0.500; P/ja 0.250), "
        "previous: P/R1 (0.500; P/ja 0.000)."
    )
    assert "unlinked" not in {each["key"] for each in dropped["sections"]}
    source = ["--source", str(tmp_path / "s.txt")]
    found = json.loads(call("analyze", *orders, *source, "--format", "json").good().text)
    assert found["answer"].endswith(winners.replace("P/", ""))
    assert found["findings"][0]["sentence"] == loss.replace("P/", "")
    said = call("evaluate", orders[0], *command[2:]).good().stderr
    assert winners.removesuffix(".") in said
