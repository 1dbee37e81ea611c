"""How rules put the words of one tree in order: step by step, from the root down."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wordorder.errors import InputError, WordOrderError
from wordorder.reordering.compiled import BARRIER
from wordorder.reordering.conditions import OTHERS, SELF, Rule
from wordorder.reordering.learned.learned_order import LearnedOrder
from wordorder.reordering.precedence import AppliedRules, PrecedenceRules
from wordorder.reordering.rules import RULES, open_rules
from wordorder.treebank.treebank import Tree, Treebank

# Longer sentences have no explanation that anyone reads.
MOST_WORDS = 1000

COLUMNS = ("lemma", "upos", "xpos", "feats", "label")


@dataclass(frozen=True)
class Part:
    """A member of a family: the head itself, or a child with all that depends on it.

    Attributes
    ----------
    word : int
        The head or the child, from 1.
    words : tuple of int
        All its words, in the order of the source.
    text : str
        What they are.
    label : str
        The relation of the word to its head.
    entry : str or None
        Its entry in the rule, the barrier that it is, or None if no rule orders the family.
    place : int or None
        The place of the entry in the rule, from 1; equals share one. None for a barrier.
    turned : bool
        Whether equals of this place come in reverse order.
    why : str
        What made it this entry.
    """

    word: int
    words: tuple[int, ...]
    text: str
    label: str
    entry: str | None = None
    place: int | None = None
    turned: bool = False
    why: str = ""

    @property
    def is_barrier(self) -> bool:
        """Whether it keeps its place and nothing moves across it."""
        return self.entry is not None and self.place is None


@dataclass(frozen=True)
class Step:
    """What became of one family: a head with its children.

    Attributes
    ----------
    head : int
        The word, from 1.
    form, label : str
        What the head is.
    rule : str or None
        The rule that orders the family; None if there is none, and everything stays.
    line : int or None
        The place of the rule in its file.
    before, after : tuple of Part
        The family in the order of the source and in its new order.
    sentence : tuple of str
        All words of the sentence, in their order after this step.
    """

    head: int
    form: str
    label: str
    rule: str | None
    line: int | None
    before: tuple[Part, ...]
    after: tuple[Part, ...]
    sentence: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether the step moved anything."""
        return self.before != self.after


@dataclass(frozen=True)
class Explanation:
    """How rules ordered a sentence.

    Attributes
    ----------
    rules : str
        What the rules are called.
    path : str
        Their file.
    forms : tuple of str
        The words in the order of the source.
    order : tuple of int
        Their positions in the new order, from 0.
    steps : tuple of Step
        One for each word with children, heads before their children, in the order in which they
        are written.
    lifted : tuple of int
        Words, from 1, whose arc is not projective: they are taken for children of an ancestor of
        their head.
    """

    rules: str
    path: str
    forms: tuple[str, ...]
    order: tuple[int, ...]
    steps: tuple[Step, ...]
    lifted: tuple[int, ...]

    @property
    def sentence(self) -> tuple[str, ...]:
        """The words in their new order."""
        return tuple(self.forms[position] for position in self.order)


def explain(rules: PrecedenceRules, tree: Tree) -> Explanation:
    """Show how rules order a sentence: which rule fires where, and what it moves.

    Parameters
    ----------
    rules : PrecedenceRules
    tree : Tree
        Of up to 1,000 words.

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
    >>> step.rule, [part.text for part in step.after], [part.why for part in step.after]
    ('head-final', ['John', 'it', 'hit'], ['none of the others', 'none of the others', 'the head'])
    """
    if len(tree) > MOST_WORDS:
        file_position = f"sentence {tree.sent_id or ''}".rstrip()
        raise InputError(file_position, f"{len(tree)} words", f"at most {MOST_WORDS} to explain")
    columns = {"lemma": [tree.lemmas], "upos": [tree.upos], "xpos": [tree.xpos]}
    columns |= {"feats": [tree.feats], "label": [tree.labels]}
    bank = Treebank.from_words([tree.forms], heads=[tree.heads], **columns)
    return _Explainer(rules, bank, rules.apply(bank)).explanation(tree.heads)


class _Explainer:
    """Finds what the rules did with one sentence."""

    def __init__(self, rules: PrecedenceRules, bank: Treebank, applied: AppliedRules) -> None:
        self._rules = rules
        self._bank = bank
        self._tree = applied.treebank[0]
        self._order = applied.orders[0].positions
        self._fired = applied.fired.tolist()
        self._entry = applied.entry.tolist()
        self._place = {position + 1: place for place, position in enumerate(self._order)}
        self._first = rules.compiled.entry_start.tolist()
        self._barriers: dict[int, list[list[bool]]] = {}

    def explanation(self, heads: Sequence[int]) -> Explanation:
        """Return all steps."""
        tree = self._tree
        families: dict[int, tuple[int, ...]] = {}
        steps = []
        waiting = list(reversed(tree.roots))
        while waiting:
            word = waiting.pop()
            children = tree.children(word)
            if not children:
                continue
            members_before = tuple(self._part(member, word) for member in sorted((word, *children)))
            # Each member is a stretch of the new order, so its own word says where it is.
            after = tuple(sorted(members_before, key=lambda part: self._place[part.word]))
            families[word] = tuple(part.word for part in after)
            number = self._fired[word - 1]
            rule = self._rules.file.rules[number] if number >= 0 else None
            name, line = (rule.name, rule.line) if rule else (None, None)
            form, label = tree.forms[word - 1], tree.labels[word - 1]
            sentence = self._sentence(families)
            steps.append(Step(word, form, label, name, line, members_before, after, sentence))
            waiting += [member for member in reversed(families[word]) if member != word]
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
        number = self._fired[head - 1]
        if number < 0:
            return part
        rule = self._rules.file.rules[number]
        entry = self._entry[member - 1]
        if member != head and entry == BARRIER:
            return replace(part, entry=self._barrier(rule, number, member), why="a barrier")
        index = rule.index(SELF) if member == head else entry - self._first[number]
        member_entry = rule.members[index]
        why = _why(member_entry.name, member_entry.condition is not None, part.label)
        return replace(
            part,
            entry=member_entry.name,
            place=member_entry.rank + 1,
            turned=rule.turned[member_entry.rank],
            why=why,
        )

    def _barrier(self, rule: Rule, number: int, member: int) -> str:
        """Return the first barrier that a word is: the rule with this one alone finds it."""
        if number not in self._barriers:
            self._barriers[number] = []
            for barrier in rule.barriers:
                alone = replace(self._rules.file, rules=(replace(rule, barriers=(barrier,)),))
                entry = PrecedenceRules(alone).apply(self._bank).entry
                self._barriers[number].append((entry == BARRIER).tolist())
        barred = self._barriers[number]
        return next(
            barrier.name
            for barrier, words in zip(rule.barriers, barred, strict=True)
            if words[member - 1]
        )

    def _sentence(self, families: Mapping[int, tuple[int, ...]]) -> tuple[str, ...]:
        """Return the words in their order once some families are sorted."""
        tree = self._tree
        words = []
        waiting = [(word, True) for word in reversed(tree.roots)]
        while waiting:
            word, is_expanded = waiting.pop()
            if not is_expanded:
                words.append(tree.forms[word - 1])
                continue
            family = families.get(word) or sorted((word, *tree.children(word)))
            waiting += [(member, member != word) for member in reversed(family)]
        return tuple(words)


def _why(name: str, by_condition: bool, label: str) -> str:
    """Say what made a word an entry."""
    if name == SELF:
        return "the head"
    if by_condition:
        return "meets the condition" if name.startswith("{") else f"in the class {name}"
    if name == OTHERS:
        return "none of the others"
    if name == label:
        return "its label"
    return "its label without subtype" if name == label.partition(":")[0] else "fits the pattern"


@dataclass(frozen=True)
class ListedRules:
    """A rule set as a list shows it.

    Attributes
    ----------
    name : str
        What `wordorder.reordering.rules.open_rules` takes.
    about : str
        What it is for; why it cannot be used, if it cannot.
    scheme : str or None
        Whose labels it reads: ``ud``, ``sd``, ``any``; None for rules that are no file.
    rules : int or None
        How many rules it has; None for rules that are no file.
    package : str
        Where it comes from.
    """

    name: str
    about: str
    scheme: str | None
    rules: int | None
    package: str


def listed_rules() -> list[ListedRules]:
    """Return all rule sets that are installed, those of this package first.

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
        return ListedRules(name, str(error), None, None, package)
    if isinstance(rule_set, PrecedenceRules):
        about = " ".join(rule_set.file.about.split())
        return ListedRules(name, about, rule_set.scheme, len(rule_set.file.rules), package)
    if isinstance(rule_set, LearnedOrder):
        return ListedRules(name, rule_set.summary, None, None, package)
    about = (inspect.getdoc(rule_set) or "").split("\n\n")[0].replace("\n", " ")
    return ListedRules(name, about, None, None, package)
