"""The search for better rules: the best edit, again and again, as long as one is worth it."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wordorder.errors import InputError
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rule import RuleFile
from wordorder.training.rules.candidates import Candidates
from wordorder.training.rules.edits import Edit, merged
from wordorder.training.rules.trials import Slot, Trials

# Gains below this are rounding.
NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Found:
    """What the best place of an edit brings.

    Attributes
    ----------
    worth : float
        The gain less `caution` standard errors.
    gain : float
        How much better the metric becomes.
    """

    worth: float
    gain: float
    edit: Edit
    slot: Slot


class RuleSearch:
    """Improves rules on training sentences, one edit at a time.

    Parameters
    ----------
    trials : Trials
        Trees, reference orders and metric.
    rules : PrecedenceRules
        Where to start.
    caution : float
        By how many standard errors a gain must exceed 0. An edit is chosen among thousands, each
        at its best place: the gains of the best ones are partly luck.
    least : int
        In how many sentences the words of an edit must occur.

    Attributes
    ----------
    rules : PrecedenceRules
        The best so far.
    known : dict of str to float
        What each edit was worth when it was tried last. Most edits become worth less as others are
        made, so those that were worth little wait until it is their turn.
    """

    def __init__(
        self, trials: Trials, rules: PrecedenceRules, *, caution: float = 2.0, least: int = 5
    ) -> None:
        self.trials = trials
        self.caution = caution
        self.least = least
        self.known: dict[str, float] = {}
        self._candidates: Candidates | None = None
        self.go_on_from(rules)

    def go_on_from(self, rules: PrecedenceRules) -> None:
        """Take other rules for the best so far."""
        self.rules = rules
        self.trials.use(rules)

    def step(self, progress: Callable[[int, int], object] | None = None) -> bool:
        """Make the best edit; return whether there was one."""
        while (found := self._best(progress)) is not None:
            file = found.edit.made(self.rules.file, found.slot)
            shorter = merged(file)
            if shorter is not None and self._accepted(shorter, found):
                return True
            if self._accepted(file, found):
                return True
            # More conditions than a file may have: others may do with those that are there.
            self.known[self._key(found.edit)] = -1.0
        return False

    def _accepted(self, file: RuleFile, found: Found) -> bool:
        """Take rules over if they can be said and bring what the trial promised."""
        before = self.rules
        value, sign = self.trials.value, self.trials.sign
        try:
            rules = PrecedenceRules(file)
        except InputError:
            return False
        self.go_on_from(rules)
        if sign * (self.trials.value - value) < found.gain - NOTHING:
            self.go_on_from(before)
            return False
        return True

    def _best(self, progress: Callable[[int, int], object] | None) -> Found | None:
        """Return the edit that is worth most; those that were worth less are not tried again."""
        edits: dict[str, Edit] = {}
        if self._candidates is None:
            self._candidates = Candidates(self.trials, self.least)
        for edit in self._candidates:
            edits.setdefault(self._key(edit), edit)
        waiting = [(-self.known.get(key, np.inf), number, key) for number, key in enumerate(edits)]
        heapq.heapify(waiting)
        best: Found | None = None
        done = 0
        while waiting and -waiting[0][0] > (best.worth if best else NOTHING):
            _, _, key = heapq.heappop(waiting)
            found = self._tried(edits[key])
            self.known[key] = found.worth if found else -1.0
            if found is not None and found.worth > (best.worth if best else NOTHING):
                best = found
            done += 1
            if progress is not None:
                progress(done, len(edits))
        return best

    def _tried(self, edit: Edit) -> Found | None:
        """Return the best place of an edit's entry: a line search over all that differ."""
        trials = self.trials
        slots = trials.slots(edit.trial)
        if not slots:
            return None
        outcome = trials.run(edit.trial, slots)
        gains = trials.sign * (trials.metric.score(outcome.totals) - trials.value)
        worth = gains - self.caution * trials.errors(outcome)
        best = int(np.argmax(worth))
        return Found(float(worth[best]), float(gains[best]), edit, slots[best])

    def _key(self, edit: Edit) -> str:
        return f"{self.rules.rule_names[edit.trial.rule]} {edit.key}"
