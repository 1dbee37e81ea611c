"""What trials of edited rules answer on small random trees."""

import random

from tests.training.rules.corpora import random_bank, random_reference, start_rules

import wordorder as wo
from wordorder.training.rules.candidates import Candidates
from wordorder.training.rules.trials import Trials


def answers(rng: random.Random) -> dict[str, object]:
    """Try some edits at every place."""
    bank = random_bank(1, 12)
    trials = Trials(bank, random_reference(bank, 1), wo.metric("frs"))
    trials.use(start_rules())
    found = []
    for edit in Candidates(trials, 3):
        slots = trials.slots(edit.trial)
        if slots and rng.random() < 0.1:
            found.append(trials.run(edit.trial, slots).totals.tolist())
    return {"rule trials": found}
