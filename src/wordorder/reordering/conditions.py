"""What a file of rules says: conditions on words of a tree, rules, and names that nothing has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property
from typing import Any

from wordorder.errors import InputError, unknown_name

# What a pattern may be about, in the order of CoNLL-U.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "label")

# Forms and lemmas are compared without regard to case.
CASELESS = ("form", "lemma")

# Where a word is: before or behind its head, as the root, as the first word of the sentence,
# or followed by punctuation alone.
POSITIONS = ("left", "right", "root", "first", "final")

KEYS = (*COLUMNS, "position", "parent", "child", "not")

# No file that anyone wrote has more texts in a list.
MOST = 10_000

# Characters of a label or a pattern.
LONGEST = 200

# What makes a text a pattern.
WILD = frozenset("*?[")

SELF = "self"
OTHERS = "*"


@dataclass(frozen=True)
class Pattern:
    """What a column has: one of several texts, in which ``*`` and ``?`` are any characters.

    A label matches its subtypes too: ``nsubj`` is ``nsubj:pass`` as well, ``nsubj:`` is not. One
    text of features may hold several, all of which a word must have: ``Mood=Imp|VerbForm=Fin``.

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
        """The texts, if none has a wildcard: found at once."""
        if any(set(text) & set("*?[") for text in self.texts):
            return None
        lower = self.column in CASELESS
        return frozenset(text.lower() if lower else text for text in self.texts)

    def matches(self, text: str) -> bool:
        """Return whether the text of a word's column is one of those meant."""
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
    """Where a word is: at one of several of `POSITIONS`."""

    places: tuple[str, ...]


Predicate = Pattern | Position


@dataclass(frozen=True)
class Clause:
    """What a word, its parent and its children must be, and must not be; all of it at once.

    Attributes
    ----------
    own, parent : tuple of Predicate
        All of which hold for the word, or its parent.
    not_own, not_parent : tuple of Predicate
        None of which does; a root has no parent, of whom nothing holds.
    child, not_child : tuple of Condition
        Each of which at least one child meets, or none does. They ask for no children themselves.
    """

    own: tuple[Predicate, ...] = ()
    not_own: tuple[Predicate, ...] = ()
    parent: tuple[Predicate, ...] = ()
    not_parent: tuple[Predicate, ...] = ()
    child: tuple[Condition, ...] = ()
    not_child: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Condition:
    """One clause of several must hold.

    Attributes
    ----------
    clauses : tuple of Clause
    source : mapping or str
        As in the file, for messages and explanations.
    """

    clauses: tuple[Clause, ...]
    source: Mapping[str, object] | str = field(default="", compare=False, hash=False)


def read_condition(value: object, place: str, classes: Mapping[str, Condition | None]) -> Condition:
    """Read a condition: a table, a list of which one must hold, the name of a class, or a label.

    Parameters
    ----------
    value : object
        A part of a TOML file.
    place : str
        Its place, for messages.
    classes : mapping of name to Condition
        Those that may be named; None for one that is not there yet.

    Raises
    ------
    InputError
        If it is not a condition; the message lists the legal forms.

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
        # Each clause once: lists of lists of classes would double them without end.
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
    """Return the condition that a word has a label."""
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
        expected = f"only {', '.join((*COLUMNS, 'position'))}"
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
        if key not in (*COLUMNS, "position"):
            raise InputError(place, str(unknown_name("key", key, (*COLUMNS, "position"))))
        texts = value if isinstance(value, list) else [value]
        if not texts or len(texts) > MOST:
            raise InputError(place, f"{key} with {len(texts)} texts", f"from 1 to {MOST} of them")
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
    """Return a pattern if it is one."""
    problem = f"{key} = {text!r}"[:60]
    if not isinstance(text, str) or not text or len(text) > LONGEST:
        raise InputError(place, problem, f"a text of 1 to {LONGEST} characters")
    if key == "feats" and not all(text.split("|")):
        raise InputError(place, problem, "features between the bars: Mood=Imp|VerbForm=Fin")
    return text


def _check_keys(table: Mapping[str, Any], place: str) -> None:
    for key in table:
        if key not in KEYS:
            raise InputError(place, str(unknown_name("key", key, KEYS)))


def implies(first: Condition, second: Condition) -> bool:
    """Return whether each word that meets the first condition meets the second.

    Only what the two say is compared: True is certain, False may only mean that it is not seen.

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
    """Return whether a clause asks for what it forbids."""
    return (
        _overlap(clause.own, clause.not_own)
        or _overlap(clause.parent, clause.not_parent)
        or any(implies(must, ban) for must in clause.child for ban in clause.not_child)
    )


def _overlap(must: Sequence[Predicate], banned: Sequence[Predicate]) -> bool:
    return any(_predicate_implies(predicate, ban) for predicate in must for ban in banned)


def _clause_implies(first: Clause, second: Clause) -> bool:
    """Whether the first clause asks for at least as much as the second."""
    return (
        _all_implied(first.own, second.own)
        and _all_implied(first.parent, second.parent)
        # To forbid more is to ask for more.
        and _all_banned(first.not_own, second.not_own)
        and _all_banned(first.not_parent, second.not_parent)
        and all(any(implies(a, b) for a in first.child) for b in second.child)
        and all(any(implies(b, a) for a in first.not_child) for b in second.not_child)
    )


def _all_implied(predicates: Sequence[Predicate], required: Sequence[Predicate]) -> bool:
    return all(
        any(_predicate_implies(predicate, want) for predicate in predicates) for want in required
    )


def _all_banned(predicates: Sequence[Predicate], banned: Sequence[Predicate]) -> bool:
    return all(
        any(_predicate_implies(want, predicate) for predicate in predicates) for want in banned
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
    """Whether everything that one text of a pattern fits is fitted by another pattern."""
    if text in pattern.texts:
        return True
    if WILD & set(text):
        return False
    if pattern.column != "label":
        return pattern.matches(text)
    if text.endswith(":"):
        return pattern.matches(text.removesuffix(":"))
    # A label means its subtypes too, one with a subtype only itself.
    labels_without_subtype = Pattern(
        "label", tuple(part for part in pattern.texts if ":" not in part)
    )
    return labels_without_subtype.matches(text) or (":" in text and pattern.matches(text))


@dataclass(frozen=True)
class Member:
    """A class of children with its place in the order.

    Attributes
    ----------
    name : str
        As in the file: ``nsubj``, the name of a class, ``self``, ``*``.
    rank : int
        Smaller ranks come first; of one rank are equals.
    condition : Condition or None
        What a child must be; None for a plain label, ``self`` and ``*``.
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
        Whose families it orders.
    members : tuple of Member
        ``self`` and ``*`` are among them.
    turned : tuple of bool
        For each rank, whether equals come in the reverse of their source order.
    barriers : tuple of Member
        Children that keep their places, and across which nothing moves; their rank says nothing.
    line : int
        Its place in its file.
    """

    name: str
    head: Condition
    members: tuple[Member, ...]
    turned: tuple[bool, ...]
    barriers: tuple[Member, ...]
    line: int = 0

    def index(self, name: str) -> int:
        """Return the number of the member called `name`."""
        return next(i for i, member in enumerate(self.members) if member.name == name)


@dataclass(frozen=True)
class UnknownName:
    """A label, tag or feature in a file of rules that no word can have.

    Attributes
    ----------
    place : str
        Its file and line.
    owner : str
        What names it: ``rule 'verb'``, ``class 'neg'``, ``barriers``.
    column : {"label", "upos", "xpos", "feats"}
    text : str
    what : str
        The fault, and a similar name that may be meant.
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
    """What a file of rules says.

    Attributes
    ----------
    name, about : str
    scheme : str
        Whose labels it uses: ``ud``, ``sd`` or ``any``.
    rules : tuple of Rule
        Of several that fit a head, the first orders its family.
    path : str
        What messages call it.
    identity : str
        The first eight digits of a hash of what the file says, comments and layout aside.
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
