"""Rules get better step by step, and hidden rules are found."""

from dataclasses import replace

import numpy as np
import pytest
from tests.refusing import refuses
from tests.threads import with_threads
from tests.training.rules.corpora import random_bank, random_reference, start_rules

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.reordering import PrecedenceRules, open_rules
from wordorder.reordering.conditions import (
    Clause,
    Condition,
    Member,
    Pattern,
    Position,
    Rule,
    RuleFile,
)
from wordorder.training import RuleSettings, train_rules
from wordorder.training.rules.candidates import class_name, merged
from wordorder.training.rules.training import (
    RuleSearch,
    RuleTraining,
    held_out_rows,
    rules_from_text,
)
from wordorder.training.rules.trials import Trials, first_rules
from wordorder.treebank import Treebank

HIDDEN = """
[classes]
of = { label = "case", form = "of" }
late = { label = "obl", parent = { form = "tea" } }
[[rule]]
head = { upos = "VERB" }
order = ["nsubj", "*", { equal = ["late"], order = "reverse" }, "obj", "self", "of", "aux"]
[[rule]]
order = ["of", "*", "self", "case"]
"""
START = """
[[rule]]
head = { upos = "VERB" }
order = ["self", "*"]
[[rule]]
order = ["*", "self"]
"""


def score(rules: PrecedenceRules, bank: wo.treebank.Treebank, reference: wo.Orders) -> float:
    segments = wo.Segments.from_orders(rules.orders(bank), reference)
    return wo.metric("frs").corpus_score(segments).value


def test_hidden_rules_are_found() -> None:
    bank, other = random_bank(1, 300), random_bank(2, 200)
    hidden, start = rules_from_text(HIDDEN), rules_from_text(START)
    found = train_rules(bank, hidden.orders(bank), start)
    assert score(start, other, hidden.orders(other)) < 0.7
    assert score(found.rules, other, hidden.orders(other)) > 0.97
    assert found.held_out == 60
    # One condition has one name in all rules.
    names = {m.name for rule in found.rules.file.rules for m in rule.members if m.condition}
    assert names == {"case_of"}
    assert found.held_out_gain is not None
    assert found.held_out_gain[1] > 0.2


@pytest.mark.parametrize("metric", ["frs", "kendall"])
def test_each_edit_makes_the_training_better(metric: str) -> None:
    bank = random_bank(3, 60)
    settings = RuleSettings(caution=0.0, held_out=0.0, edits=12)
    training = RuleTraining(
        bank, random_reference(bank, 3), start_rules(), metric=metric, settings=settings
    )
    training.run()
    values = [step.training for step in training.steps]
    assert len(values) == 13
    assert all(np.diff(values) > 0)
    # What is written down is what was scored.
    value = training.learned("x").after
    assert value == pytest.approx(values[-1])


def test_nothing_is_learned_from_noise() -> None:
    bank = random_bank(4, 60)
    found = train_rules(
        bank, random_reference(bank, 4), start_rules(), settings=RuleSettings(caution=6.0)
    )
    assert (found.edits, found.before) == (0, found.after)
    assert found.rules.orders(bank).positions == start_rules().orders(bank).positions


def test_the_same_seed_and_any_threads_give_the_same_rules() -> None:
    bank = random_bank(5, 60)
    reference = random_reference(bank, 5)
    settings = RuleSettings(caution=0.5, edits=2)
    one, three = with_threads(
        lambda: train_rules(bank, reference, start_rules(), settings=settings)
    )
    assert one.rules.file == three.rules.file
    assert one.comments == three.comments
    others = replace(settings, seed=1)
    third = train_rules(bank, reference, start_rules(), settings=others)
    assert third.held_out_before != one.held_out_before


def test_learned_rules_can_be_learned_on_from() -> None:
    bank = random_bank(6, 100)
    hidden = rules_from_text(HIDDEN)
    settings = RuleSettings(edits=2, held_out=0.0)
    first = train_rules(bank, hidden.orders(bank), rules_from_text(START), settings=settings)
    second = train_rules(bank, hidden.orders(bank), first.rules, settings=settings)
    assert first.edits == second.edits == 2
    assert second.before == pytest.approx(first.after)
    assert second.after > first.after


def test_without_a_start() -> None:
    bank = random_bank(7, 100)
    hidden = rules_from_text(HIDDEN)
    found = train_rules(bank, hidden.orders(bank), settings=RuleSettings(edits=5))
    assert found.after > found.before > score(open_rules("R1"), bank, hidden.orders(bank))  # type: ignore[arg-type]


def test_a_file_without_room_for_more_conditions() -> None:
    """An edit that needs one condition too many is passed over, and others are made."""
    forms = [f"w{number}" for number in range(63)]
    classes = "\n".join(f'{form} = {{ form = "{form}" }}' for form in forms)
    text = f"""
[classes]
{classes}
[[rule]]
order = ["self", "*", {", ".join(f'"{form}"' for form in forms)}]
"""
    bank = random_bank(1, 300)
    reference = rules_from_text(HIDDEN).orders(bank)
    settings = RuleSettings(edits=6, held_out=0.0)
    found = train_rules(bank, reference, rules_from_text(text), settings=settings)
    assert found.edits > 0
    assert found.after > found.before


def test_caution_is_in_standard_errors() -> None:
    bank = random_bank(9, 40)
    reference = random_reference(bank, 9)
    bold = RuleSearch(Trials(bank, reference, wo.metric("frs")), start_rules(), caution=0.0)
    careful = RuleSearch(Trials(bank, reference, wo.metric("frs")), start_rules(), caution=1.0)
    assert bold.step()
    assert careful.step()
    keys = set(bold.known) & set(careful.known)
    assert len(keys) > 50
    assert all(careful.known[key] <= bold.known[key] for key in keys)


def rule_of(*members: Member) -> RuleFile:
    listed = (*members, Member("self", 0), Member("*", 1))
    rule = Rule("r", Condition((Clause(),)), listed, (False, False), ())
    return RuleFile("r", "", "any", (rule,), "-", "0")


def case(name: str, rank: int, *texts: str, place: str = "left") -> Member:
    own = (Pattern("label", ("case",)), Pattern("form", texts), Position((place,)))
    return Member(name, rank, Condition((Clause(own),)))


def test_classes_that_differ_in_texts_become_one() -> None:
    file = merged(rule_of(case("new", 1, "of"), case("old", 1, "in", "on")))
    assert file is not None
    first = file.rules[0].members[0]
    assert (first.name, first.rank) == ("old", 1)
    assert first.condition is not None
    assert first.condition.clauses[0].own[1] == Pattern("form", ("in", "on", "of"))
    assert len(file.rules[0].members) == 3
    # Another rank, another position.
    assert merged(rule_of(case("new", 0, "of"), case("old", 1, "in"))) is None
    assert merged(rule_of(case("new", 1, "of"), case("old", 1, "in", place="right"))) is None


def test_names_of_classes() -> None:
    assert class_name("nmod-poss", "'s") == "nmod-poss_s"
    assert class_name("punct", "``") == "punct_x6060"


def test_settings_and_metrics_that_cannot_be() -> None:
    bank = random_bank(1, 30)
    reference = random_reference(bank, 1)
    with pytest.raises(UsageError, match="bleu does not compare orders; legal names: .*frs"):
        train_rules(bank, reference, metric="bleu")
    for settings in (RuleSettings(held_out=0.7), RuleSettings(caution=-1), RuleSettings(least=0)):
        with pytest.raises(UsageError):
            train_rules(bank, reference, settings=settings)
    refuses(InputError, "29 orders for 30 sentences", train_rules, bank, reference[:29])


def test_empty_input_and_single_words() -> None:
    empty = wo.treebank.Treebank.from_words([])
    assert train_rules(empty, wo.Orders.from_rows([]), start_rules()).edits == 0
    single = wo.treebank.Treebank.from_words([["a"]] * 40, heads=[[0]] * 40)
    assert train_rules(single, wo.Orders.from_rows([[0]] * 40)).edits == 0


def test_punctuation_bars_movement_where_that_is_better() -> None:
    words, tags = ["he", "saw", "her", ",", "she", "left"], ["PRON", "VERB", "PRON", "PUNCT"]
    bank = wo.treebank.Treebank.from_words(
        [words] * 30,
        heads=[[2, 6, 2, 6, 6, 0]] * 30,
        upos=[[*tags, "PRON", "VERB"]] * 30,
        label=[["nsubj", "parataxis", "obj", "punct", "nsubj", "root"]] * 30,
    )
    reference = wo.Orders.from_rows([[0, 2, 1, 3, 4, 5]] * 30)
    found = train_rules(bank, reference, settings=RuleSettings(edits=0))
    assert [each.name for each in found.rules.file.rules[0].barriers] in ([], ["punct"])
    assert found.before == max(
        score(first_rules(bank, reference, barriers=each), bank, reference)
        for each in ((), ("punct",))
    )


def test_sentences_of_five_hundred_words() -> None:
    rng = np.random.default_rng(1)
    heads = [[0, *[1] * 499], [*range(500)], *[[2, 0, 2]] * 30]
    bank = wo.treebank.Treebank.from_words(
        [["w"] * len(row) for row in heads],
        heads=heads,
        upos=[["VERB"] * len(row) for row in heads],
        label=[rng.choice(["obj", "nsubj", "punct"], len(row)).tolist() for row in heads],
    )
    reference = wo.Orders.from_rows([list(range(len(row)))[::-1] for row in heads])
    for start in (None, start_rules()):
        found = train_rules(bank, reference, start, settings=RuleSettings(edits=2, caution=0.0))
        assert found.after >= found.before


@pytest.mark.parametrize("share", [0.02, 0.1, 0.2, 0.3, 0.4, 0.5])
def test_the_share_that_is_held_out(share: float) -> None:
    bank = Treebank.from_words([[f"w{number}"] for number in range(1000)])
    held = held_out_rows(bank, RuleSettings(held_out=share))
    assert held.mean() == pytest.approx(share)
