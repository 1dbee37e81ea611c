"""Changes to a rule set: an entry moves, gets a class of its own, or a rule gets a special case."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from wordorder.reordering.conditions import Clause, Condition, Pattern, Predicate
from wordorder.reordering.rule import Member, Rule, RuleFile
from wordorder.training.rules.features import joined
from wordorder.training.rules.trials import Slot, Trial


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
        """What tells this edit of a rule from others, whatever the numbers of words."""
        return f"{self.entry} {self.clause} {self.head} {self.trial.own}"

    def made(self, file: RuleFile, slot: Slot) -> RuleFile:
        """Return the rules with the entry at a place."""
        number = self.trial.rule
        rule = file.rules[number]
        changed = self._placed(rule, slot, _names(file))
        rules = list(file.rules)
        if self.head is None:
            rules[number] = changed
        else:
            head = Condition(tuple(filter(None, self._narrowed(rule, self.head))))
            name = _free(f"{rule.name}-{self.special}", {each.name for each in rules})
            rules.insert(number, replace(changed, name=name, head=head, line=0))
        return replace(file, rules=tuple(rules))

    def can_be_said(self, rule: Rule) -> bool:
        """Return whether a rule file can say the condition on the heads."""
        return self.head is None or None not in self._narrowed(rule, self.head)

    def _narrowed(self, rule: Rule, head: Clause) -> list[Clause | None]:
        return [joined(clause, head) for clause in rule.head.clauses]

    def _placed(self, rule: Rule, slot: Slot, names: dict[str, Condition | None]) -> Rule:
        """Return the rule with the entry at its new place."""
        rank = slot.at // 2
        members = list(rule.members)
        turned = list(rule.turned)
        if slot.at % 2 == 0:
            turned.insert(rank, slot.turned)
            members = [replace(m, rank=m.rank + (m.rank >= rank)) for m in members]
        there = [number for number, each in enumerate(members) if each.name == self.entry]
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
    """Return rules whose newest class took up one of the same rank; None if there is none.

    Two classes that differ in the texts of one column become one with the texts of both. It takes
    the place of the newer one, so other words may fall into it: whoever merges must look.
    """
    for number, rule in enumerate(file.rules):
        first, *others = rule.members
        # A class that other rules have too stays what it is.
        elsewhere = _names(replace(file, rules=file.rules[:number] + file.rules[number + 1 :]))
        for other in others:
            union = _union(first, other)
            if union is not None and other.name not in elsewhere:
                members = (union, *(each for each in others if each is not other))
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
    ours, theirs = first.condition.clauses[0], second.condition.clauses[0]
    clause: Clause | None = None
    if replace(ours, own=()) == replace(theirs, own=()):
        own = _united(ours.own, theirs.own)
        clause = None if own is None else replace(ours, own=own)
    elif replace(ours, parent=()) == replace(theirs, parent=()):
        parent = _united(ours.parent, theirs.parent)
        clause = None if parent is None else replace(ours, parent=parent)
    return None if clause is None else Member(second.name, first.rank, Condition((clause,)))


def _united(ours: Sequence[Predicate], theirs: Sequence[Predicate]) -> tuple[Predicate, ...] | None:
    """Return conditions that differ in the texts of one column, with the texts of both."""
    if len(ours) != len(theirs):
        return None
    found: list[Predicate] = []
    for one, other in zip(ours, theirs, strict=True):
        if one == other:
            found.append(one)
        elif isinstance(one, Pattern) and isinstance(other, Pattern) and one.column == other.column:
            texts = dict.fromkeys((*other.texts, *one.texts))
            found.append(Pattern(one.column, tuple(texts)))
        else:
            return None
    return tuple(found) if sum(a != b for a, b in zip(ours, theirs, strict=True)) == 1 else None


def _without_gaps(rule: Rule) -> Rule:
    """Return a rule whose ranks all have entries."""
    ranks = sorted({member.rank for member in rule.members})
    return replace(
        rule,
        members=tuple(replace(each, rank=ranks.index(each.rank)) for each in rule.members),
        turned=tuple(rule.turned[rank] for rank in ranks),
    )


def _names(file: RuleFile) -> dict[str, Condition | None]:
    """Return all entries and barriers, with their conditions."""
    members = (each for rule in file.rules for each in (*rule.members, *rule.barriers))
    return {each.name: each.condition for each in members}


def _free(name: str, taken: Container[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free
