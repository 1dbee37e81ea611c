"""The changes to a rule set that training tries."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.arrays import Bool, Int64
from wordorder.reordering.conditions import (
    OTHER_CHILDREN,
    SELF,
    Clause,
    Condition,
    Member,
    Pattern,
    Predicate,
    Rule,
    RuleFile,
)
from wordorder.training.rules.features import Feature, conjunction, features_of, labels_of
from wordorder.training.rules.trials import Slot, Trial, Trials

NO_WORDS = np.zeros(0, np.int64)


class EditCandidates:
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
        is_other = self.trials.entry == first + rule.index(OTHER_CHILDREN)
        member_names = {member.name for member in rule.members}
        for label in self.labels:
            words = label.words[is_other[label.words]]
            if self._enough(words) and label.name not in member_names:
                yield Edit(Trial(number, words), label.name)

    def _classes(self, number: int) -> Iterator[Edit]:
        """Yield conditions on children: a label together with a feature, then a feature alone."""
        inside = (self.trials.above == number) & (self.trials.entry >= 0)
        seen: set[bytes] = set()
        for label in self.labels:
            of_label = _mask(label.words[inside[label.words]], self.words)
            for feature in self.features:
                yield from self._class(number, label, feature, of_label, seen)
        for feature in self.features:
            yield from self._class(number, None, feature, inside, seen)

    def _class(
        self, number: int, label: Feature | None, feature: Feature, inside: Bool, seen: set[bytes]
    ) -> Iterator[Edit]:
        words = feature.words[inside[feature.words]]
        if not self._enough(words) or words.tobytes() in seen:
            return
        seen.add(words.tobytes())
        clause: Clause | None = feature.clause
        name = class_name("any", feature.name)
        if label is not None:
            clause = conjunction(label.clause, feature.clause)
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


def _mask(words: Int64, number: int) -> Bool:
    mask = np.zeros(number, np.bool_)
    mask[words] = True
    return mask


@dataclass(frozen=True, eq=False)
class Edit:
    """A change to one rule; where its entry goes is found by trying.

    Attributes
    ----------
    trial : Trial
        The words and heads that it is about.
    entry : str
        The entry that moves, a label, or what a new class is called.
    clause : Clause or None
        The condition of a new class.
    head : Clause or None
        What heads must meet besides: they get a copy of the rule, in which the entry moves.
    special : str
        What the copy is called after.
    """

    trial: Trial
    entry: str
    clause: Clause | None = None
    head: Clause | None = None
    special: str = ""

    @property
    def key(self) -> str:
        """The identity of this edit of a rule, without the numbers of words."""
        return f"{self.entry} {self.clause} {self.head} {self.trial.own}"

    def made(self, file: RuleFile, slot: Slot) -> RuleFile:
        """Return the rules with the entry at a place."""
        number = self.trial.rule
        rule = file.rules[number]
        changed = self._insert_entry(rule, slot, _names(file))
        rules = list(file.rules)
        if self.head is None:
            rules[number] = changed
        else:
            head = Condition(tuple(filter(None, self._narrowed(rule, self.head))))
            name = _free(
                f"{rule.name}-{self.special}", {existing_rule.name for existing_rule in rules}
            )
            rules.insert(number, replace(changed, name=name, head=head, line=0))
        return replace(file, rules=tuple(rules))

    def can_be_said(self, rule: Rule) -> bool:
        """Return whether a rule file can say the condition on the heads."""
        return self.head is None or None not in self._narrowed(rule, self.head)

    def _narrowed(self, rule: Rule, head: Clause) -> list[Clause | None]:
        return [conjunction(clause, head) for clause in rule.head.clauses]

    def _insert_entry(self, rule: Rule, slot: Slot, names: dict[str, Condition | None]) -> Rule:
        """Return the rule with the entry at its new place."""
        rank = slot.at // 2
        members = list(rule.members)
        turned = list(rule.turned)
        if slot.at % 2 == 0:
            turned.insert(rank, slot.turned)
            members = [replace(m, rank=m.rank + (m.rank >= rank)) for m in members]
        there = [number for number, member in enumerate(members) if member.name == self.entry]
        if self.clause is not None:
            condition = Condition((self.clause,))
            # A class of the same words in another rule keeps its name.
            if names.get(self.entry) != condition or any(m.name == self.entry for m in members):
                name = _free(self.entry, names)
            else:
                name = self.entry
            members.insert(0, Member(name, rank, condition))
        elif there:
            members[there[0]] = replace(members[there[0]], rank=rank)
        else:
            members.append(Member(self.entry, rank))
        return _without_gaps(replace(rule, members=tuple(members), turned=tuple(turned)))


def merged(file: RuleFile) -> RuleFile | None:
    """Return rules whose newest class is merged with one of the same rank; None without one.

    Two classes that differ in the texts of one column become one with the texts of both. It takes
    the place of the newer one, so other words may fall into it: whoever merges must look.
    """
    for number, rule in enumerate(file.rules):
        first, *later = rule.members
        # A class that other rules have too stays what it is.
        elsewhere = _names(replace(file, rules=file.rules[:number] + file.rules[number + 1 :]))
        for candidate in later:
            union = _union(first, candidate)
            if union is not None and candidate.name not in elsewhere:
                members = (union, *(member for member in later if member is not candidate))
                rules = list(file.rules)
                rules[number] = replace(rule, members=members)
                return replace(file, rules=tuple(rules))
    return None


def class_name(*parts: str) -> str:
    """Return a name for a class, of letters, digits and what TOML takes without quotes.

    Examples
    --------
    >>> class_name("aux", "'t"), class_name("punct", ",")
    ('aux_t', 'punct_x2c')
    """
    return "_".join(
        re.sub(r"[^\w-]+", "", part) or "x" + "".join(f"{ord(c):x}" for c in part[:3])
        for part in parts
    )


def _union(first: Member, second: Member) -> Member | None:
    """Return a class of the words of both, if one condition can say it."""
    if first.rank != second.rank or first.condition is None or second.condition is None:
        return None
    if len(first.condition.clauses) > 1 or len(second.condition.clauses) > 1:
        return None
    first_clause, second_clause = first.condition.clauses[0], second.condition.clauses[0]
    for part in ("own", "parent"):
        without: dict[str, Any] = {part: ()}
        if replace(first_clause, **without) == replace(second_clause, **without):
            both = _united(getattr(first_clause, part), getattr(second_clause, part))
            if both is None:
                return None
            clause = replace(first_clause, **(without | {part: both}))
            return Member(second.name, first.rank, Condition((clause,)))
    return None


def _united(
    first: Sequence[Predicate], second: Sequence[Predicate]
) -> tuple[Predicate, ...] | None:
    """Return conditions that differ in the texts of one column, with the texts of both."""
    if len(first) != len(second):
        return None
    predicates: list[Predicate] = []
    for predicate, second_predicate in zip(first, second, strict=True):
        if predicate == second_predicate:
            predicates.append(predicate)
        elif (
            isinstance(predicate, Pattern)
            and isinstance(second_predicate, Pattern)
            and predicate.column == second_predicate.column
        ):
            texts = dict.fromkeys((*second_predicate.texts, *predicate.texts))
            predicates.append(Pattern(predicate.column, tuple(texts)))
        else:
            return None
    return (
        tuple(predicates) if sum(a != b for a, b in zip(first, second, strict=True)) == 1 else None
    )


def _without_gaps(rule: Rule) -> Rule:
    """Return a rule whose ranks all have entries."""
    ranks = sorted({member.rank for member in rule.members})
    return replace(
        rule,
        members=tuple(replace(member, rank=ranks.index(member.rank)) for member in rule.members),
        turned=tuple(rule.turned[rank] for rank in ranks),
    )


def _names(file: RuleFile) -> dict[str, Condition | None]:
    """Return all entries and barriers, with their conditions."""
    members = (member for rule in file.rules for member in (*rule.members, *rule.barriers))
    return {member.name: member.condition for member in members}


def _free(name: str, names_taken: Container[str]) -> str:
    """Return the name, or the first of name_2, name_3, … that is free."""
    number, free = 1, name
    while free in names_taken:
        number += 1
        free = f"{name}_{number}"
    return free
