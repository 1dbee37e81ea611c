"""The candidate edits of a rule set in training."""

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
    """Lists candidate edits of the rules of `trials`.

    Parameters
    ----------
    trials : Trials
    min_sentences : int
        The minimum number of sentences with words of a new class.
    """

    def __init__(self, trials: Trials, min_sentences: int) -> None:
        self.trials = trials
        self.least = min_sentences
        self.labels = labels_of(trials.treebank, min_sentences)
        self.features = features_of(trials.treebank, min_sentences)
        self.words = trials.treebank.words

    def __iter__(self) -> Iterator[Edit]:
        for rule_index in range(len(self.trials.rules.file.rules)):
            yield from self._moves(rule_index)
            yield from self._labels(rule_index)
            yield from self._classes(rule_index)
            yield from self._heads(rule_index)

    def _moves(self, rule_index: int) -> Iterator[Edit]:
        """Yield an edit that moves each entry of a rule."""
        first = int(self.trials.entry_start[rule_index])
        for index, member in enumerate(self.trials.rules.file.rules[rule_index].members):
            if member.name == SELF:
                heads = np.flatnonzero(self.trials.fired == rule_index)
                if self._enough(heads):
                    # The head moves in all families of the rule: the rule itself changes.
                    yield Edit(Trial(rule_index, NO_WORDS, heads, moves_heads=True), SELF)
                continue
            words = np.flatnonzero(self.trials.entry == first + index)
            if self._enough(words):
                yield Edit(Trial(rule_index, words), member.name)

    def _labels(self, rule_index: int) -> Iterator[Edit]:
        """Yield edits that add a label to the rule."""
        rule = self.trials.rules.file.rules[rule_index]
        first = int(self.trials.entry_start[rule_index])
        is_other = self.trials.entry == first + rule.index(OTHER_CHILDREN)
        member_names = {member.name for member in rule.members}
        for label in self.labels:
            words = label.words[is_other[label.words]]
            if self._enough(words) and label.name not in member_names:
                yield Edit(Trial(rule_index, words), label.name)

    def _classes(self, rule_index: int) -> Iterator[Edit]:
        """Yield edits that add a class of children: by a label and a feature, then by a feature."""
        is_child = (self.trials.above == rule_index) & (self.trials.entry >= 0)
        seen: set[bytes] = set()
        for label in self.labels:
            of_label = _mask(label.words[is_child[label.words]], self.words)
            for feature in self.features:
                yield from self._class(rule_index, label, feature, of_label, seen)
        for feature in self.features:
            yield from self._class(rule_index, None, feature, is_child, seen)

    def _class(
        self,
        rule_index: int,
        label: Feature | None,
        feature: Feature,
        candidates: Bool,
        seen: set[bytes],
    ) -> Iterator[Edit]:
        words = feature.words[candidates[feature.words]]
        if not self._enough(words) or words.tobytes() in seen:
            return
        seen.add(words.tobytes())
        clause: Clause | None = feature.clause
        name = class_name("any", feature.name)
        if label is not None:
            clause = conjunction(label.clause, feature.clause)
            name = class_name(label.name.replace(":", "-"), feature.name)
        if clause is not None:
            yield Edit(Trial(rule_index, words), name, clause)

    def _heads(self, rule_index: int) -> Iterator[Edit]:
        """Yield edits that move the heads which meet a further condition."""
        ordered = self.trials.fired == rule_index
        rule = self.trials.rules.file.rules[rule_index]
        for feature in self.features:
            heads = feature.words[ordered[feature.words]]
            if self._enough(heads) and len(heads) < np.count_nonzero(ordered):
                trial = Trial(rule_index, NO_WORDS, heads, moves_heads=True)
                edit = Edit(trial, SELF, head=feature.clause, special=class_name(feature.name))
                if edit.can_be_said(rule):
                    yield edit

    def _enough(self, words: Int64) -> bool:
        """Return whether words occur in enough sentences to learn from."""
        if len(words) < self.least:
            return False
        return len(np.unique(self.trials.sentence[words])) >= self.least


def _mask(words: Int64, size: int) -> Bool:
    mask = np.zeros(size, np.bool_)
    mask[words] = True
    return mask


@dataclass(frozen=True, eq=False)
class Edit:
    """A change to one rule; the position of its entry is found by trials.

    Attributes
    ----------
    trial : Trial
        The words and heads that it concerns.
    entry : str
        The entry that moves, a label, or the name of a new class.
    clause : Clause or None
        The condition of a new class.
    head : Clause or None
        A further condition on heads: these get a copy of the rule, in which the entry moves.
    special : str
        A suffix for the name of this copy.
    """

    trial: Trial
    entry: str
    clause: Clause | None = None
    head: Clause | None = None
    special: str = ""

    @property
    def key(self) -> str:
        """A key of this edit within its rule, independent of the words concerned."""
        return f"{self.entry} {self.clause} {self.head} {self.trial.moves_heads}"

    def apply(self, file: RuleFile, slot: Slot) -> RuleFile:
        """Return the rules with the entry at this slot."""
        rule_index = self.trial.rule
        rule = file.rules[rule_index]
        changed = self._insert_entry(rule, slot, _names(file))
        rules = list(file.rules)
        if self.head is None:
            rules[rule_index] = changed
        else:
            head = Condition(tuple(filter(None, self._narrowed(rule, self.head))))
            name = _free_name(
                f"{rule.name}-{self.special}", {existing_rule.name for existing_rule in rules}
            )
            rules.insert(rule_index, replace(changed, name=name, head=head, line=0))
        return replace(file, rules=tuple(rules))

    def can_be_said(self, rule: Rule) -> bool:
        """Return whether a rule file can express the condition on the heads."""
        return self.head is None or None not in self._narrowed(rule, self.head)

    def _narrowed(self, rule: Rule, head: Clause) -> list[Clause | None]:
        return [conjunction(clause, head) for clause in rule.head.clauses]

    def _insert_entry(self, rule: Rule, slot: Slot, names: dict[str, Condition | None]) -> Rule:
        """Return the rule with the entry at the slot."""
        rank = slot.position // 2
        members = list(rule.members)
        turned = list(rule.turned)
        if slot.position % 2 == 0:
            turned.insert(rank, slot.turned)
            members = [replace(m, rank=m.rank + (m.rank >= rank)) for m in members]
        entry_indices = [
            number for number, member in enumerate(members) if member.name == self.entry
        ]
        if self.clause is not None:
            condition = Condition((self.clause,))
            # An equal class in another rule keeps its name.
            if names.get(self.entry) != condition or any(m.name == self.entry for m in members):
                name = _free_name(self.entry, names)
            else:
                name = self.entry
            members.insert(0, Member(name, rank, condition))
        elif entry_indices:
            members[entry_indices[0]] = replace(members[entry_indices[0]], rank=rank)
        else:
            members.append(Member(self.entry, rank))
        return _without_gaps(replace(rule, members=tuple(members), turned=tuple(turned)))


def merge_newest_class(file: RuleFile) -> RuleFile | None:
    """Return rules whose newest class is merged with one of the same rank; None if there is none.

    Two classes that differ in the texts of one column become one with the texts of both, at the
    position of the newer one. Other words may then match it, so callers must check the result.
    """
    for rule_index, rule in enumerate(file.rules):
        first, *later = rule.members
        # A class that other rules use too is not changed.
        other_names = _names(
            replace(file, rules=file.rules[:rule_index] + file.rules[rule_index + 1 :])
        )
        for candidate in later:
            union = _union(first, candidate)
            if union is not None and candidate.name not in other_names:
                members = (union, *(member for member in later if member is not candidate))
                rules = list(file.rules)
                rules[rule_index] = replace(rule, members=members)
                return replace(file, rules=tuple(rules))
    return None


def class_name(*parts: str) -> str:
    """Return a name for a class, made of characters that TOML allows in bare keys.

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
    """Return a class of the words of both, or None if one condition cannot express it."""
    if first.rank != second.rank or first.condition is None or second.condition is None:
        return None
    if len(first.condition.clauses) > 1 or len(second.condition.clauses) > 1:
        return None
    first_clause, second_clause = first.condition.clauses[0], second.condition.clauses[0]
    for part in ("own", "parent"):
        cleared: dict[str, Any] = {part: ()}
        if replace(first_clause, **cleared) == replace(second_clause, **cleared):
            predicates = _unite_predicates(
                getattr(first_clause, part), getattr(second_clause, part)
            )
            if predicates is None:
                return None
            clause = replace(first_clause, **(cleared | {part: predicates}))
            return Member(second.name, first.rank, Condition((clause,)))
    return None


def _unite_predicates(
    first: Sequence[Predicate], second: Sequence[Predicate]
) -> tuple[Predicate, ...] | None:
    """Return predicates that differ in the texts of one column, with the texts of both; or None."""
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
    """Return a rule without ranks that have no entry."""
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


def _free_name(name: str, names_taken: Container[str]) -> str:
    """Return the name, or the first unused one of name_2, name_3, …"""
    number, candidate = 1, name
    while candidate in names_taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate
