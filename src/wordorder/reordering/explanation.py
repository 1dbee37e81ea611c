"""Explain step by step, from the root down, how rules order the words of a tree."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wordorder.errors import InputError, WordOrderError
from wordorder.records import Record, computed, key
from wordorder.reordering.compiled import BARRIER
from wordorder.reordering.conditions import OTHER_CHILDREN, SELF, Rule
from wordorder.reordering.learned.learned_order import LearnedOrder
from wordorder.reordering.precedence import AppliedRules, PrecedenceRules
from wordorder.reordering.rules import RULES, open_rules
from wordorder.treebank.treebank import Tree, Treebank

# Limit for sentences: explanations of longer ones would not be read.
MAX_EXPLAINED_WORDS = 1000


@dataclass(frozen=True)
class Part(Record):
    """A member of a family: the head alone, or a child with all its descendants."""

    word: int = key("the member, from 1: the head or a child")
    positions: tuple[int, ...] = key(
        "the member with all that depends on it, in the order of the source; the head by itself",
        column=False,
    )
    words: str = key("the forms of these")
    label: str = key("its label")
    entry: str | None = key(
        "its entry in the rule, or the barrier that it is; `null` where no rule fires",
        default=None,
    )
    place: int | None = key(
        "the place of the entry, from 1; equals share one; `null` for a barrier", default=None
    )
    reversed: bool = key(
        "whether equals of this place come in reverse order", column=False, default=False
    )
    why: str = key("what made it this entry", default="")

    @computed("whether it keeps its place and nothing moves across it", column=False)
    def barrier(self) -> bool:
        """Return whether it is a barrier."""
        return self.entry is not None and self.place is None


@dataclass(frozen=True)
class Step(Record):
    """The reordering of one family: a head with its children."""

    step: int = key("the number of the step, from 1")
    head: int = key("the head of the family, from 1; heads come before their children")
    form: str = key("the form of the head")
    label: str = key("its label")
    rule: str | None = key("the rule that orders the family; `null` if none does")
    line: int | None = key("the line where that rule begins")
    before: tuple[Part, ...] = key("the members of the family in the order of the source")
    after: tuple[Part, ...] = key("the members in their new order")
    sentence: tuple[str, ...] = key("all words of the sentence in their order after the step")

    @computed("whether the step moved anything")
    def changed(self) -> bool:
        """Return whether the order of the family is another one."""
        return self.before != self.after


@dataclass(frozen=True)
class Explanation(Record, rows="steps after", first="step head rule line"):
    """How rules ordered a sentence.

    Words are counted from 1 as in CoNLL-U, positions of `order` from 0.
    """

    rules: str = key("the name of the rules")
    path: str = key("the file that has them")
    forms: tuple[str, ...] = key("the words of the sentence")
    order: tuple[int, ...] = key("the positions of the words in their new order")
    steps: tuple[Step, ...] = key("a step for each word with children")
    lifted: tuple[int, ...] = key(
        "words whose arc is not projective: they count as children of an ancestor of their head"
    )

    @computed("the words in their new order")
    def sentence(self) -> tuple[str, ...]:
        """Return the words in their new order."""
        return tuple(self.forms[position] for position in self.order)


def explain(rules: PrecedenceRules, tree: Tree) -> Explanation:
    """Explain how rules order a sentence: for each family, the rule that fires and its effect.

    Parameters
    ----------
    rules : PrecedenceRules
    tree : Tree
        A tree of at most 1,000 words.

    Raises
    ------
    InputError
        If the sentence has no tree, or is longer.

    Examples
    --------
    >>> from wordorder.reordering import open_rules
    >>> bank = Treebank.from_words(
    ...     [["John", "hit", "it"]], heads=[[2, 0, 2]], label=[["nsubj", "root", "obj"]]
    ... )
    >>> found = explain(open_rules("head-final"), bank[0])
    >>> step = found.steps[0]
    >>> step.rule, [part.words for part in step.after], [part.why for part in step.after]
    ('head-final', ['John', 'it', 'hit'], ['none of the others', 'none of the others', 'the head'])
    """
    if len(tree) > MAX_EXPLAINED_WORDS:
        sentence_name = f"sentence {tree.sent_id or ''}".rstrip()
        expected = f"at most {MAX_EXPLAINED_WORDS} to explain"
        raise InputError(sentence_name, f"{len(tree)} words", expected)
    columns = {"lemma": [tree.lemmas], "upos": [tree.upos], "xpos": [tree.xpos]}
    columns |= {"feats": [tree.feats], "label": [tree.labels]}
    bank = Treebank.from_words([tree.forms], heads=[tree.heads], **columns)
    return _Explainer(rules, bank, rules.apply(bank)).explanation(tree.heads)


class _Explainer:
    """Explains the reordering of one sentence."""

    def __init__(self, rules: PrecedenceRules, bank: Treebank, applied: AppliedRules) -> None:
        self._rules = rules
        self._bank = bank
        self._tree = applied.treebank[0]
        self._order = applied.orders[0].positions
        self._fired = applied.fired.tolist()
        self._entry = applied.entry.tolist()
        self._new_position = {position + 1: new for new, position in enumerate(self._order)}
        self._entry_start = rules.compiled.entry_start.tolist()
        # For each rule, and each of its barriers, whether each word is that barrier.
        self._barriers: dict[int, list[list[bool]]] = {}

    def explanation(self, heads: Sequence[int]) -> Explanation:
        """Return the explanation; `heads` are those before projectivization."""
        tree = self._tree
        families: dict[int, tuple[int, ...]] = {}
        steps: list[Step] = []
        pending = list(reversed(tree.roots))
        while pending:
            word = pending.pop()
            children = tree.children(word)
            if not children:
                continue
            members = tuple(self._part(member, word) for member in sorted((word, *children)))
            # Members are contiguous in the new order, so they can be sorted by their main word.
            after = tuple(sorted(members, key=lambda part: self._new_position[part.word]))
            families[word] = tuple(part.word for part in after)
            rule_index = self._fired[word - 1]
            rule = self._rules.file.rules[rule_index] if rule_index >= 0 else None
            name, line = (rule.name, rule.line) if rule else (None, None)
            form, label = tree.forms[word - 1], tree.labels[word - 1]
            sentence = self._sentence(families)
            number = len(steps) + 1
            steps.append(Step(number, word, form, label, name, line, members, after, sentence))
            pending += [member for member in reversed(families[word]) if member != word]
        lifted = [word for word, head in enumerate(tree.heads, 1) if head != heads[word - 1]]
        file = self._rules.file
        return Explanation(
            file.name, file.path, tree.forms, self._order, tuple(steps), tuple(lifted)
        )

    def _part(self, member: int, head: int) -> Part:
        tree = self._tree
        words = (member,) if member == head else tree.subtree(member)
        text = " ".join(tree.forms[word - 1] for word in words)
        part = Part(member, words, text, tree.labels[member - 1])
        rule_index = self._fired[head - 1]
        if rule_index < 0:
            return part
        rule = self._rules.file.rules[rule_index]
        entry = self._entry[member - 1]
        if member != head and entry == BARRIER:
            return replace(part, entry=self._barrier(rule, rule_index, member), why="a barrier")
        index = rule.index(SELF) if member == head else entry - self._entry_start[rule_index]
        member_entry = rule.members[index]
        why = _match_reason(member_entry.name, member_entry.condition is not None, part.label)
        return replace(
            part,
            entry=member_entry.name,
            place=member_entry.rank + 1,
            reversed=rule.turned[member_entry.rank],
            why=why,
        )

    def _barrier(self, rule: Rule, rule_index: int, member: int) -> str:
        """Return the first barrier of a rule that a word is."""
        if rule_index not in self._barriers:
            # Apply the rule with one barrier at a time.
            self._barriers[rule_index] = []
            for barrier in rule.barriers:
                file = replace(self._rules.file, rules=(replace(rule, barriers=(barrier,)),))
                entry = PrecedenceRules(file).apply(self._bank).entry
                self._barriers[rule_index].append((entry == BARRIER).tolist())
        return next(
            barrier.name
            for barrier, is_barrier in zip(rule.barriers, self._barriers[rule_index], strict=True)
            if is_barrier[member - 1]
        )

    def _sentence(self, families: Mapping[int, tuple[int, ...]]) -> tuple[str, ...]:
        """Return the words in their order after some families are sorted."""
        tree = self._tree
        words = []
        pending = [(word, True) for word in reversed(tree.roots)]
        while pending:
            word, is_family = pending.pop()
            if not is_family:
                words.append(tree.forms[word - 1])
                continue
            family = families.get(word) or sorted((word, *tree.children(word)))
            pending += [(member, member != word) for member in reversed(family)]
        return tuple(words)


def _match_reason(name: str, by_condition: bool, label: str) -> str:
    """Return the reason why a word matches an entry."""
    if name == SELF:
        return "the head"
    if by_condition:
        return "meets the condition" if name.startswith("{") else f"in the class {name}"
    if name == OTHER_CHILDREN:
        return "none of the others"
    if name == label:
        return "its label"
    return "its label without subtype" if name == label.partition(":")[0] else "fits the pattern"


@dataclass(frozen=True)
class ListedRules(Record):
    """A rule set in a list."""

    name: str = key("the name for `--rules`, and for `wordorder.reordering.rules.open_rules`")
    scheme: str | None = key(
        "whose labels it reads, `ud`, `sd` or `any`; `null` for rules that are no file"
    )
    rules: int | None = key("how many rules it has; `null` for rules that are no file")
    package: str = key("the package that brings it")
    about: str = key("what the file says that it is for; why it cannot be used, if it cannot")


@dataclass(frozen=True)
class RuleListing(Record, rows="rules"):
    """The installed rule sets, the built-in ones first."""

    rules: tuple[ListedRules, ...] = key("the rule sets")


def listed_rules() -> list[ListedRules]:
    """Return all installed rule sets, the built-in ones first.

    Examples
    --------
    >>> found = listed_rules()[1]
    >>> found.name, found.about, found.scheme, found.rules
    ('R2-literal', 'the reverse of the source order, final punctuation too', 'any', 1)
    """
    return [_list_rules(name) for name in RULES.names()]


def _list_rules(name: str) -> ListedRules:
    package = RULES.package(name)
    try:
        rule_set = open_rules(name)
    except WordOrderError as error:
        return ListedRules(name, None, None, package, str(error))
    if isinstance(rule_set, PrecedenceRules):
        about = " ".join(rule_set.file.about.split())
        return ListedRules(name, rule_set.scheme, len(rule_set.file.rules), package, about)
    if isinstance(rule_set, LearnedOrder):
        return ListedRules(name, None, None, package, rule_set.summary)
    about = (inspect.getdoc(rule_set) or "").split("\n\n")[0].replace("\n", " ")
    return ListedRules(name, None, None, package, about)
