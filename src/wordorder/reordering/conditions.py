"""The contents of a file of rules: conditions on words of a tree, rules, and unknown names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property
from typing import Any

from wordorder.errors import InputError, unknown_name

# Columns that patterns can match, in the order of CoNLL-U.
PATTERN_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "label")

# Columns that are compared without regard to case.
CASELESS = ("form", "lemma")

# Positions of a word: before or after its head, the root, the first word of the sentence, or
# followed only by punctuation.
POSITIONS = ("left", "right", "root", "first", "final")

CONDITION_KEYS = (*PATTERN_COLUMNS, "position", "parent", "child", "not")

# Limit for lists of rules, classes and strings in a file.
MAX_ENTRIES = 10_000

# Limit for the characters of a label or a pattern.
MAX_TEXT_LENGTH = 200

# Special characters of patterns.
WILDCARDS = frozenset("*?[")

# Names of the head itself, and of all other children, in an order.
SELF = "self"
OTHER_CHILDREN = "*"


@dataclass(frozen=True)
class Pattern:
    """A column that must match one of several texts, which may have the wildcards ``*`` and ``?``.

    A label matches its subtypes too: ``nsubj`` matches ``nsubj:pass``, and ``nsubj:`` does not. A
    text of features may have several, all of which a word must have: ``Mood=Imp|VerbForm=Fin``.

    Examples
    --------
    >>> Pattern("xpos", ("VB*",)).matches("VBD"), Pattern("label", ("nsubj",)).matches("nsubj:pass")
    (True, True)
    >>> Pattern("feats", ("Mood=Imp",)).matches("Mood=Imp|VerbForm=Fin")
    True
    """

    column: str
    texts: tuple[str, ...]

    @cached_property
    def _compiled(self) -> tuple[tuple[re.Pattern[str], ...], ...]:
        compiled = []
        for text in self.texts:
            parts = text.split("|") if self.column == "feats" else [text]
            if self.column in CASELESS:
                parts = [part.lower() for part in parts]
            if self.column == "label":
                parts = [part.removesuffix(":") for part in parts]
            compiled.append(tuple(re.compile(translate(part)) for part in parts))
        return tuple(compiled)

    @cached_property
    def plain(self) -> frozenset[str] | None:
        """The texts as a set, for look-ups; None if one has a wildcard."""
        if any(WILDCARDS & set(text) for text in self.texts):
            return None
        lower = self.column in CASELESS
        return frozenset(text.lower() if lower else text for text in self.texts)

    def matches(self, text: str) -> bool:
        """Return whether the text of a word's column matches."""
        if self.column == "feats":
            values = text.split("|")
            return any(
                all(any(part.match(feature) for feature in values) for part in parts)
                for parts in self._compiled
            )
        if self.column in CASELESS:
            text = text.lower()
        if self.column != "label":
            if self.plain is not None:
                return text in self.plain
            return any(part.match(text) for (part,) in self._compiled)
        base = text.partition(":")[0]
        if self.plain is not None:
            exact = text in self.plain and not text.endswith(":")
            return exact or base in self.plain or f"{text}:" in self.plain
        return any(
            part.match(text) or (":" not in pattern_text and part.match(base))
            for (part,), pattern_text in zip(self._compiled, self.texts, strict=True)
        )


@dataclass(frozen=True)
class Position:
    """A word must be at one of several of `POSITIONS`."""

    places: tuple[str, ...]


Predicate = Pattern | Position


@dataclass(frozen=True)
class Clause:
    """A conjunction of requirements on a word, its parent and its children.

    Attributes
    ----------
    own, parent : tuple of Predicate
        All must hold for the word, or its parent.
    not_own, not_parent : tuple of Predicate
        None may hold for the word, or its parent; none holds for the missing parent of a root.
    child, not_child : tuple of Condition
        Each must be met by at least one child, or by none. They have no conditions on children.
    """

    own: tuple[Predicate, ...] = ()
    not_own: tuple[Predicate, ...] = ()
    parent: tuple[Predicate, ...] = ()
    not_parent: tuple[Predicate, ...] = ()
    child: tuple[Condition, ...] = ()
    not_child: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Condition:
    """A disjunction of clauses.

    Attributes
    ----------
    clauses : tuple of Clause
    source : mapping or str
        The condition as in the file, for messages and explanations.
    """

    clauses: tuple[Clause, ...]
    source: Mapping[str, object] | str = field(default="", compare=False, hash=False)


def read_condition(value: object, place: str, classes: Mapping[str, Condition | None]) -> Condition:
    """Read a condition: a table, the name of a class, a label, or a list of alternatives.

    Parameters
    ----------
    value : object
        A part of a TOML file.
    place : str
        Its file and line, for messages.
    classes : mapping of name to Condition
        The classes of the file; None for classes that are defined later.

    Raises
    ------
    InputError
        If it is not a condition; the message shows the expected form.

    Examples
    --------
    >>> condition = read_condition({"upos": "VERB", "not": {"child": "obj"}}, "a.toml:1", {})
    >>> condition.clauses[0].own, len(condition.clauses[0].not_child)
    ((Pattern(column='upos', texts=('VERB',)),), 1)
    """
    if isinstance(value, str):
        if value not in classes:
            return label_condition(value, place)
        class_condition = classes[value]
        if class_condition is None:
            expected = f"classes that are defined above, or {{ label = {value!r} }}"
            raise InputError(place, f"the class {value!r} is named before it is there", expected)
        return class_condition
    if isinstance(value, list) and value:
        parts = [read_condition(item, place, classes) for item in value]
        # Without duplicates: their number could double with each class that lists others.
        clauses = dict.fromkeys(clause for part in parts for clause in part.clauses)
        return Condition(tuple(clauses), str(value))
    if not isinstance(value, dict):
        raise InputError(place, f"{value!r}"[:60], "a condition: { upos = ..., label = ... }")
    _check_keys(value, place)
    own_predicates, parent, child = _parts(value, place, classes)
    banned: Any = value.get("not", {})
    if not isinstance(banned, dict):
        raise InputError(place, f"not = {banned!r}"[:60], "a table of conditions")
    if "not" in banned:
        raise InputError(place, "not inside of not", "one of them")
    _check_keys(banned, place)
    not_own, not_parent, not_child = _parts(banned, place, classes)
    return Condition(
        (Clause(own_predicates, not_own, parent, not_parent, child, not_child),), value
    )


def label_condition(label: str, place: str) -> Condition:
    """Return the condition that a word has a certain label."""
    pattern = Pattern("label", (_checked_text(label, "label", place),))
    return Condition((Clause((pattern,)),), label)


def _parts(
    table: dict[str, Any], place: str, classes: Mapping[str, Condition | None]
) -> tuple[tuple[Predicate, ...], tuple[Predicate, ...], tuple[Condition, ...]]:
    """Read the conditions on a word, on its parent and on its children."""
    above: Any = table.get("parent", {})
    if not isinstance(above, dict):
        raise InputError(place, f"parent = {above!r}"[:60], "a table of conditions")
    inside = {"parent", "child", "not"} & set(above)
    if inside:
        expected = f"only {', '.join((*PATTERN_COLUMNS, 'position'))}"
        raise InputError(place, f"{min(inside)} inside of parent", expected)
    children: tuple[Condition, ...] = ()
    if "child" in table:
        child = read_condition(table["child"], place, classes)
        for clause in child.clauses:
            if clause.child or clause.not_child or clause.parent or clause.not_parent:
                raise InputError(place, "child or parent inside of child", "conditions of one word")
        children = (child,)
    return _predicates(table, place), _predicates(above, place), children


def _predicates(table: Mapping[str, Any], place: str) -> tuple[Predicate, ...]:
    """Read patterns and positions."""
    predicates: list[Predicate] = []
    for key, value in table.items():
        if key in ("parent", "child", "not"):
            continue
        if key not in (*PATTERN_COLUMNS, "position"):
            raise InputError(place, str(unknown_name("key", key, (*PATTERN_COLUMNS, "position"))))
        texts = value if isinstance(value, list) else [value]
        if not texts or len(texts) > MAX_ENTRIES:
            expected = f"from 1 to {MAX_ENTRIES} of them"
            raise InputError(place, f"{key} with {len(texts)} texts", expected)
        if key == "position":
            for text in texts:
                if text not in POSITIONS:
                    raise InputError(place, str(unknown_name("position", str(text), POSITIONS)))
            predicates.append(Position(tuple(texts)))
        else:
            predicates.append(
                Pattern(key, tuple(_checked_text(text, key, place) for text in texts))
            )
    return tuple(predicates)


def _checked_text(text: object, key: str, place: str) -> str:
    """Return the text of a pattern; refuse one that is not valid."""
    problem = f"{key} = {text!r}"[:60]
    if not isinstance(text, str) or not text or len(text) > MAX_TEXT_LENGTH:
        raise InputError(place, problem, f"a text of 1 to {MAX_TEXT_LENGTH} characters")
    if key == "feats" and not all(text.split("|")):
        raise InputError(place, problem, "features between the bars: Mood=Imp|VerbForm=Fin")
    return text


def _check_keys(table: Mapping[str, Any], place: str) -> None:
    for key in table:
        if key not in CONDITION_KEYS:
            raise InputError(place, str(unknown_name("key", key, CONDITION_KEYS)))


def implies(first: Condition, second: Condition) -> bool:
    """Return whether each word that meets the first condition certainly meets the second.

    Only the clauses are compared, so False may be returned for some conditions that do imply.

    Examples
    --------
    >>> from wordorder.reordering.conditions import read_condition
    >>> verb = read_condition({"upos": "VERB", "position": "root"}, "", {})
    >>> either = read_condition({"upos": ["VERB", "AUX"]}, "", {})
    >>> implies(verb, either), implies(either, verb)
    (True, False)
    """
    return all(
        is_impossible(clause)
        or any(_clause_implies(clause, alternative) for alternative in second.clauses)
        for clause in first.clauses
    )


def is_impossible(clause: Clause) -> bool:
    """Return whether a clause requires what it forbids."""
    return (
        _overlap(clause.own, clause.not_own)
        or _overlap(clause.parent, clause.not_parent)
        or any(implies(must, ban) for must in clause.child for ban in clause.not_child)
    )


def _overlap(must: Sequence[Predicate], banned: Sequence[Predicate]) -> bool:
    return any(_predicate_implies(predicate, ban) for predicate in must for ban in banned)


def _clause_implies(first: Clause, second: Clause) -> bool:
    """Return whether the first clause requires at least as much as the second."""
    return (
        _all_implied(first.own, second.own)
        and _all_implied(first.parent, second.parent)
        # Forbidding more is requiring more.
        and _all_banned(first.not_own, second.not_own)
        and _all_banned(first.not_parent, second.not_parent)
        and all(any(implies(a, b) for a in first.child) for b in second.child)
        and all(any(implies(b, a) for a in first.not_child) for b in second.not_child)
    )


def _all_implied(predicates: Sequence[Predicate], required: Sequence[Predicate]) -> bool:
    return all(
        any(_predicate_implies(predicate, target) for predicate in predicates)
        for target in required
    )


def _all_banned(predicates: Sequence[Predicate], banned: Sequence[Predicate]) -> bool:
    return all(
        any(_predicate_implies(target, predicate) for predicate in predicates) for target in banned
    )


def _predicate_implies(first: Predicate, second: Predicate) -> bool:
    if isinstance(first, Position) and isinstance(second, Position):
        return set(first.places) <= set(second.places)
    if isinstance(first, Position) or isinstance(second, Position):
        return False
    if first.column != second.column:
        return False
    return all(_text_implies(text, second) for text in first.texts)


def _text_implies(text: str, pattern: Pattern) -> bool:
    """Return whether each string that matches one text also matches another pattern."""
    if text in pattern.texts:
        return True
    if WILDCARDS & set(text):
        return False
    if pattern.column != "label":
        return pattern.matches(text)
    if text.endswith(":"):
        return pattern.matches(text.removesuffix(":"))
    # A label matches its subtypes too, and a label with a subtype only itself.
    labels_without_subtype = Pattern(
        "label", tuple(part for part in pattern.texts if ":" not in part)
    )
    return labels_without_subtype.matches(text) or (":" in text and pattern.matches(text))


@dataclass(frozen=True)
class Member:
    """A class of children with its rank in the order.

    Attributes
    ----------
    name : str
        As in the file: ``nsubj``, the name of a class, ``self``, ``*``.
    rank : int
        Smaller ranks come first; children of equal rank keep or reverse their order.
    condition : Condition or None
        The condition on a child; None for a plain label, ``self`` and ``*``.
    """

    name: str
    rank: int
    condition: Condition | None = None


@dataclass(frozen=True)
class Rule:
    """The precedence of the children of some heads.

    Attributes
    ----------
    name : str
    head : Condition
        The condition on heads whose children the rule orders.
    members : tuple of Member
        The classes of the order, with ``self`` and ``*``.
    turned : tuple of bool
        For each rank, whether children of that rank are put in reverse order.
    barriers : tuple of Member
        Children that stay, and that no other child crosses; their rank is not used.
    line : int
        The line of its file where the rule starts.
    """

    name: str
    head: Condition
    members: tuple[Member, ...]
    turned: tuple[bool, ...]
    barriers: tuple[Member, ...]
    line: int = 0

    def index(self, name: str) -> int:
        """Return the index of the member called `name`."""
        return next(i for i, member in enumerate(self.members) if member.name == name)


@dataclass(frozen=True)
class UnknownName:
    """A label, tag or feature in a file of rules that no word can have.

    Attributes
    ----------
    place : str
        The file and line.
    owner : str
        The part of the file with the name: ``rule 'verb'``, ``class 'neg'``, ``barriers``.
    column : {"label", "upos", "xpos", "feats"}
    text : str
        The unknown name.
    what : str
        The problem, and a similar name that may be meant.
    """

    place: str
    owner: str
    column: str
    text: str
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.owner}: {self.what}; it matches nothing"


@dataclass(frozen=True)
class RuleFile:
    """The contents of a file of rules.

    Attributes
    ----------
    name, about : str
    scheme : str
        The scheme of the labels: ``ud``, ``sd`` or ``any``.
    rules : tuple of Rule
        The children of a head are ordered by the first rule whose condition the head meets.
    path : str
        The name of the file in messages.
    identity : str
        The first eight digits of a hash of the contents, without comments and layout.
    unknown : tuple of UnknownName
        Labels, tags and features that no word can have.
    """

    name: str
    about: str
    scheme: str
    rules: tuple[Rule, ...]
    path: str
    identity: str
    unknown: tuple[UnknownName, ...] = ()
