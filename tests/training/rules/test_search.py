"""Rules get better step by step, hidden rules are found, and trials say what edits score."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from tests.compact_trees import trees_of
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
from wordorder.reordering.rule_writing import rules_text
from wordorder.training import RuleSettings, train_rules
from wordorder.training.rules.candidates import EditCandidates, class_name, merge_newest_class
from wordorder.training.rules.training import (
    RuleSearch,
    RuleTraining,
    held_out_rows,
    rules_from_text,
)
from wordorder.training.rules.trials import Slot, Trials, first_rules, head_strengths
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


def test_entries_that_no_word_can_have_are_left_out() -> None:
    """They order nothing, and entries of the start without a word are said to be as there."""
    start = rules_from_text(
        'barriers = ["punct"]\n[[rule]]\nhead = { upos = "VERB", child = "obj" }\n'
        'order = ["*", "obj", "self", "ccomp"]\n'
        '[[rule]]\nname = "second"\nhead = { upos = "VERB" }\n'
        'order = ["self", "obj", "*", "punct"]\n'
    )
    bank = trees_of(["saw/VERB/0/root him/PRON/1/obj"] * 30, "form upos heads label")
    learned = train_rules(bank, wo.Orders.from_rows([[1, 0]] * 30), start)
    assert [member.name for member in learned.rules.file.rules[1].members] == ["self", "*"]
    assert learned.comments["rule-1", "ccomp"] == "0 words: as in the start"
    others = random_bank(7, 40)
    ours, before = (rules.orders(others).positions.values for rules in (learned.rules, start))
    assert ours.tolist() == before.tolist()


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
    file = merge_newest_class(rule_of(case("new", 1, "of"), case("old", 1, "in", "on")))
    assert file is not None
    first = file.rules[0].members[0]
    assert (first.name, first.rank) == ("old", 1)
    assert first.condition is not None
    assert first.condition.clauses[0].own[1] == Pattern("form", ("in", "on", "of"))
    assert len(file.rules[0].members) == 3
    # Another rank, another position.
    assert merge_newest_class(rule_of(case("new", 0, "of"), case("old", 1, "in"))) is None
    assert (
        merge_newest_class(rule_of(case("new", 1, "of"), case("old", 1, "in", place="right")))
        is None
    )


def test_names_of_classes() -> None:
    assert class_name("nmod-poss", "'s") == "nmod-poss_s"
    assert class_name("punct", "``") == "punct_x6060"


def test_settings_and_metrics_that_cannot_be() -> None:
    bank = random_bank(1, 30)
    reference = random_reference(bank, 1)
    message = "bleu does not compare orders; legal names: .*frs"
    refuses(UsageError, message, train_rules, bank, reference, metric="bleu")
    for wrong in ({"held_out": 0.7}, {"caution": -1}, {"least": 0}):
        settings = RuleSettings(**wrong)
        refuses(UsageError, ".", train_rules, bank, reference, settings=settings)
    refuses(InputError, "29 orders for 30 sentences", train_rules, bank, reference[:29])


def test_empty_input_and_single_words() -> None:
    empty = wo.treebank.Treebank.from_words([])
    assert train_rules(empty, wo.Orders.from_rows([]), start_rules()).edits == 0
    single = wo.treebank.Treebank.from_words([["a"]] * 40, heads=[[0]] * 40)
    assert train_rules(single, wo.Orders.from_rows([[0]] * 40)).edits == 0


def test_punctuation_bars_movement_where_that_is_better() -> None:
    text = "he/PRON/2/nsubj saw/VERB/6/parataxis her/PRON/2/obj ,/PUNCT/6/punct she/PRON/6/nsubj "
    bank = trees_of([f"{text} left/VERB/0/root"] * 30, "form upos heads label")
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


# -- What a trial says of an edit is what the edited rules score. ----------------------------------


@pytest.mark.parametrize("metric", ["frs", "kendall", "frs-boundary", "ulam"])
@pytest.mark.parametrize("seed", range(2))
def test_every_edit_at_every_place(metric: str, seed: int) -> None:
    bank = random_bank(seed, 40)
    reference = random_reference(bank, seed)
    trials = Trials(bank, reference, wo.metric(metric))
    trials.use(start_rules())
    rng = np.random.default_rng(seed)
    edits = [*EditCandidates(trials, 2)]
    assert {(edit.clause is None, edit.trial.moves_heads, edit.head is None) for edit in edits} == {
        (True, False, True),
        (False, False, True),
        (True, True, True),
        (True, True, False),
    }
    tried = 0
    for edit in edits:
        if rng.random() < 0.97:
            continue
        slots = trials.slots(edit.trial)
        outcome = trials.run(edit.trial, slots) if slots else None
        for at, slot in enumerate(slots):
            assert outcome is not None
            made = PrecedenceRules(edit.apply(trials.rules.file, slot))
            segments = wo.Segments.from_orders(made.orders(bank), reference)
            wanted = trials.metric.statistics(segments)
            assert np.allclose(outcome.statistics[at], wanted[outcome.rows])
            # What the edit does not touch scores as before.
            rest = np.setdiff1d(np.arange(len(bank)), outcome.rows)
            assert np.array_equal(wanted[rest], trials.statistics[rest])
            assert np.allclose(outcome.totals[at], wanted.sum(axis=0))
            tried += 1
    assert tried > 25


@pytest.mark.parametrize("seed", range(2))
def test_no_place_is_left_out(seed: int) -> None:
    """Any weight of an entry gives the orders of one of the places that are tried."""
    bank = random_bank(seed, 15)
    trials = Trials(bank, random_reference(bank, seed), wo.metric("frs"))
    trials.use(start_rules())
    rng = np.random.default_rng(seed)
    for edit in EditCandidates(trials, 3):
        if rng.random() < 0.8:
            continue
        tried = {
            PrecedenceRules(edit.apply(trials.rules.file, slot))
            .orders(bank)
            .positions.values.tobytes()
            for slot in trials.slots(edit.trial)
        }
        ranks = len(trials.rules.file.rules[edit.trial.rule].turned)
        for at in range(2 * ranks + 1):
            for turned in (False, True) if at % 2 == 0 else (False,):
                made = PrecedenceRules(edit.apply(trials.rules.file, Slot(at, turned)))
                # Nothing else in the families: every place is the same.
                if tried:
                    assert made.orders(bank).positions.values.tobytes() in tried


def test_a_sentence_without_a_tree() -> None:
    bank = wo.treebank.Treebank.from_words([["a", "b"]])
    with pytest.raises(InputError, match="sentence 1: no tree"):
        Trials(bank, wo.Orders.from_rows([[1, 0]]), wo.metric("frs"))


def test_more_words_than_one_call_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    bank = random_bank(8)
    trials = Trials(bank, random_reference(bank, 8), wo.metric("frs"))
    trials.use(start_rules())
    edit = max(EditCandidates(trials, 2), key=lambda each: len(each.trial.words))
    slots = trials.slots(edit.trial)
    whole = trials.run(edit.trial, slots)
    monkeypatch.setattr("wordorder.training.rules.trials.MAX_WORDS", 1)
    assert np.array_equal(trials.run(edit.trial, slots).statistics, whole.statistics)


# -- Strengths of classes, and the rules that begin with them. -------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_strengths_maximise_the_likelihood(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins = np.asarray(rng.integers(0, 30, (5, 5)) + 0.5, np.float64)

    def loss(strength: np.ndarray) -> float:
        before = strength[:, None] - strength[None, :]
        log = wins * np.log1p(np.exp(-before))
        return float(log.sum() - np.trace(log))

    found = head_strengths(wins)
    best = scipy.optimize.minimize(loss, np.zeros(5)).x
    assert np.allclose(found, best - best.mean(), atol=1e-3)


def test_one_class() -> None:
    assert head_strengths(np.ones((1, 1))).tolist() == [0.0]


FIXED_ORDERS = """
[[rule]]
name = "VERB"
head = { upos = "VERB" }
order = ["advmod", "nsubj", { equal = ["obl"], order = "reverse" }, "obj", "self", "aux", "*"]
[[rule]]
name = "rest"
order = ["nmod", "obl", "self", "case", "*"]
"""


def test_rules_that_made_the_orders_are_found() -> None:
    bank = random_bank(1, 1500)
    bank = bank.take(np.flatnonzero(bank.lengths > 1))
    reference = rules_from_text(FIXED_ORDERS).orders(bank)
    rules = first_rules(bank, reference)
    assert isinstance(rules, PrecedenceRules)
    assert rules.rule_names == ("ADJ", "NOUN", "VERB", "rest")
    verb = [member.name for member in rules.file.rules[2].members]
    named = [name for name in verb if name in ("advmod", "nsubj", "obl", "obj", "self", "aux")]
    assert named == ["advmod", "nsubj", "obl", "obj", "self", "aux"]
    turned = rules.file.rules[2].turned[verb.index("obl")], rules.file.rules[2].turned[0]
    assert turned == (True, False)
    segments = wo.Segments.from_orders(rules.orders(bank), reference)
    assert wo.metric("kendall").corpus_score(segments).value > 0.9


def test_words_that_the_reference_lacks_and_ties_say_nothing() -> None:
    bank = trees_of(["a/2/nsubj b/0/root c/2/obj"] * 30, "form heads label")
    rules = first_rules(bank, wo.Orders.from_rows([[[0, 1]]] * 30))
    # All strengths are the same then: nothing has a reason to move but by the names' order.
    assert sorted(rules.orders(bank)[0].positions) == [0, 1, 2]
    rules = first_rules(bank, wo.Orders.from_rows([[2, 1]] * 30))
    order = rules.orders(bank)[0].positions
    assert order.index(2) < order.index(1)


def test_nothing_to_learn_from() -> None:
    rules = first_rules(Treebank.from_words([]), wo.Orders.from_rows([]))
    bank = random_bank(2)
    assert len(rules.orders(bank)) == len(bank)


def test_labels_that_a_rule_file_cannot_name() -> None:
    """A label that is a pattern, or called as others or the head are, has no weight of its own."""
    bank = trees_of(["a/N*/0/root b/X/1/* c/X/1/self d/X/1/o[b]j"] * 9, "form upos heads label")
    rules = first_rules(bank, wo.Orders.from_rows([[3, 2, 1, 0]] * 9), min_count=1)
    assert rules_from_text(rules_text(rules.file)).orders(bank) == rules.orders(bank)
    assert [member.name for rule in rules.file.rules for member in rule.members] == ["*", "self"]
