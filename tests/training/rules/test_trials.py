"""What a trial says of an edit is what the edited rules score."""

import numpy as np
import pytest
from tests.training.rules.corpora import random_bank, random_reference, start_rules

import wordorder as wo
from wordorder.errors import InputError
from wordorder.reordering import PrecedenceRules
from wordorder.training.rules.candidates import Candidates
from wordorder.training.rules.trials import Slot, Trials


@pytest.mark.parametrize("metric", ["frs", "kendall", "frs-boundary", "ulam"])
@pytest.mark.parametrize("seed", range(2))
def test_every_edit_at_every_place(metric: str, seed: int) -> None:
    bank = random_bank(seed, 40)
    reference = random_reference(bank, seed)
    trials = Trials(bank, reference, wo.metric(metric))
    trials.use(start_rules())
    rng = np.random.default_rng(seed)
    edits = [*Candidates(trials, 2)]
    assert {(edit.clause is None, edit.trial.own, edit.head is None) for edit in edits} == {
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
            made = PrecedenceRules(edit.made(trials.rules.file, slot))
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
    for edit in Candidates(trials, 3):
        if rng.random() < 0.8:
            continue
        tried = {
            PrecedenceRules(edit.made(trials.rules.file, slot))
            .orders(bank)
            .positions.values.tobytes()
            for slot in trials.slots(edit.trial)
        }
        ranks = len(trials.rules.file.rules[edit.trial.rule].turned)
        for at in range(2 * ranks + 1):
            for turned in (False, True) if at % 2 == 0 else (False,):
                made = PrecedenceRules(edit.made(trials.rules.file, Slot(at, turned)))
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
    edit = max(Candidates(trials, 2), key=lambda each: len(each.trial.words))
    slots = trials.slots(edit.trial)
    whole = trials.run(edit.trial, slots)
    monkeypatch.setattr("wordorder.training.rules.trials.MOST_WORDS", 1)
    assert np.array_equal(trials.run(edit.trial, slots).statistics, whole.statistics)
