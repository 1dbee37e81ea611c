"""The changes to a rule set that training tries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wordorder.reordering.conditions import Clause
from wordorder.reordering.rule import OTHERS, SELF
from wordorder.training.rules.edits import Edit, class_name
from wordorder.training.rules.features import Feature, features_of, joined, labels_of
from wordorder.training.rules.trials import Trial, Trials
from wordorder.types import Bool, Int64


class Candidates:
    """Lists edits of the rules that `trials` holds.

    Parameters
    ----------
    trials : Trials
    least : int
        In how many sentences the words of a class occur at least.
    """

    def __init__(self, trials: Trials, least: int) -> None:
        self.trials = trials
        self.least = least
        self.labels = labels_of(trials.treebank, least)
        self.features = features_of(trials.treebank, least)
        self.words = trials.treebank.words

    def __iter__(self) -> Iterator[Edit]:
        for number in range(len(self.trials.rules.file.rules)):
            yield from self._moves(number)
            yield from self._labels(number)
            yield from self._classes(number)
            yield from self._heads(number)

    def _moves(self, number: int) -> Iterator[Edit]:
        """Yield each entry of a rule: it may move."""
        first = int(self.trials.entry_start[number])
        for place, member in enumerate(self.trials.rules.file.rules[number].members):
            if member.name == SELF:
                heads = np.flatnonzero(self.trials.fired == number)
                if self._enough(heads):
                    # All heads of the rule, which itself changes.
                    yield Edit(Trial(number, NO_WORDS, heads, own=True), SELF)
                continue
            words = np.flatnonzero(self.trials.entry == first + place)
            if self._enough(words):
                yield Edit(Trial(number, words), member.name)

    def _labels(self, number: int) -> Iterator[Edit]:
        """Yield labels that the rule does not name."""
        rule = self.trials.rules.file.rules[number]
        first = int(self.trials.entry_start[number])
        others = self.trials.entry == first + rule.index(OTHERS)
        named = {member.name for member in rule.members}
        for label in self.labels:
            words = label.words[others[label.words]]
            if self._enough(words) and label.name not in named:
                yield Edit(Trial(number, words), label.name)

    def _classes(self, number: int) -> Iterator[Edit]:
        """Yield conditions on children: a label and a feature, a feature alone, or a label."""
        inside = (self.trials.above == number) & (self.trials.entry >= 0)
        seen: set[bytes] = set()
        for label in self.labels:
            of_label = _mask(label.words[inside[label.words]], self.words)
            for feature in self.features:
                yield from self._class(number, label, feature, of_label, seen)
        for feature in self.features:
            yield from self._class(number, None, feature, inside, seen)

    def _class(
        self,
        number: int,
        label: Feature | None,
        feature: Feature,
        inside: Bool,
        seen: set[bytes],
    ) -> Iterator[Edit]:
        words = feature.words[inside[feature.words]]
        if not self._enough(words) or words.tobytes() in seen:
            return
        seen.add(words.tobytes())
        clause: Clause | None = feature.clause
        name = class_name("any", feature.name)
        if label is not None:
            clause = joined(label.clause, feature.clause)
            name = class_name(label.name.replace(":", "-"), feature.name)
        if clause is not None:
            yield Edit(Trial(number, words), name, clause)

    def _heads(self, number: int) -> Iterator[Edit]:
        """Yield conditions on heads: these may move in their families."""
        ordered = self.trials.fired == number
        rule = self.trials.rules.file.rules[number]
        for feature in self.features:
            heads = feature.words[ordered[feature.words]]
            if self._enough(heads) and len(heads) < np.count_nonzero(ordered):
                trial = Trial(number, NO_WORDS, heads, own=True)
                edit = Edit(trial, SELF, head=feature.clause, special=class_name(feature.name))
                if edit.can_be_said(rule):
                    yield edit

    def _enough(self, words: Int64) -> bool:
        """Whether words occur in enough sentences to learn from."""
        if len(words) < self.least:
            return False
        return len(np.unique(self.trials.sentence[words])) >= self.least


NO_WORDS = np.zeros(0, np.int64)


def _mask(words: Int64, number: int) -> Bool:
    mask = np.zeros(number, np.bool_)
    mask[words] = True
    return mask
