"""Rules that are written read back as the same rules."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from tests.oracles_precedence import bank_of, random_rows, random_rules, rules_of
from tests.oracles_trees import random_tree

from wordorder.errors import UsageError
from wordorder.reordering import PrecedenceRules, open_rules, write_rules
from wordorder.reordering.conditions import Clause, Condition, Member, Pattern, Rule, RuleFile
from wordorder.reordering.rule_writing import rules_text
from wordorder.reordering.rules import RULES
from wordorder.treebank import Treebank


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


@pytest.mark.parametrize(
    "name", sorted(n for n, p in RULES.built_in.items() if p.endswith(".toml"))
)
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
    rules = [
        Rule(
            name,
            Condition((Clause(),)),
            (*entries, member("self", 2), member("*", 3)),
            (False,) * 4,
            (),
        )
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

    with pytest.raises(UsageError, match="one upos in a table"):
        write_rules(
            rules(Clause((Pattern("upos", ("A",)), Pattern("upos", ("B",))))), tmp_path / "r.toml"
        )
    child = tuple(Condition((Clause((Pattern("upos", (t,)),)),)) for t in "AB")
    with pytest.raises(UsageError, match="one condition on children"):
        write_rules(rules(Clause(child=child)), tmp_path / "r.toml")
    assert not (tmp_path / "r.toml").exists()
