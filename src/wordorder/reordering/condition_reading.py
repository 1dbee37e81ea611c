"""Conditions as they are written in a file of rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wordorder.errors import InputError, unknown_name
from wordorder.reordering.conditions import (
    COLUMNS,
    POSITIONS,
    Clause,
    Condition,
    Pattern,
    Position,
    Predicate,
)

KEYS = (*COLUMNS, "position", "parent", "child", "not")
# No file that anyone wrote has more texts in a list.
MOST = 10_000
# Characters of a label or a pattern.
LONGEST = 200


def read_condition(said: object, place: str, classes: Mapping[str, Condition | None]) -> Condition:
    """Read a condition: a table, a list of which one must hold, the name of a class, or a label.

    Parameters
    ----------
    said : object
        A part of a TOML file.
    place : str
        Its place, for messages.
    classes : mapping of name to Condition
        Those that may be named; None for one that is not there yet.

    Raises
    ------
    InputError
        If it is none; the message says what is legal.

    Examples
    --------
    >>> condition = read_condition({"upos": "VERB", "not": {"child": "obj"}}, "a.toml:1", {})
    >>> condition.clauses[0].own, len(condition.clauses[0].not_child)
    ((Pattern(column='upos', texts=('VERB',)),), 1)
    """
    if isinstance(said, str):
        if said not in classes:
            return label_condition(said, place)
        named = classes[said]
        if named is None:
            raise InputError(
                place,
                f"the class {said!r} is named before it is there",
                f"classes that are defined above, or {{ label = {said!r} }}",
            )
        return named
    if isinstance(said, list) and said:
        parts = [read_condition(each, place, classes) for each in said]
        # Each clause once: lists of lists of classes would double them without end.
        clauses = dict.fromkeys(clause for part in parts for clause in part.clauses)
        return Condition(tuple(clauses), str(said))
    if not isinstance(said, dict):
        raise InputError(place, f"{said!r}"[:60], "a condition: { upos = ..., label = ... }")
    _check_keys(said, place)
    own, parent, child = _parts(said, place, classes)
    banned: Any = said.get("not", {})
    if not isinstance(banned, dict):
        raise InputError(place, f"not = {banned!r}"[:60], "a table of conditions")
    if "not" in banned:
        raise InputError(place, "not inside of not", "one of them")
    _check_keys(banned, place)
    not_own, not_parent, not_child = _parts(banned, place, classes)
    return Condition((Clause(own, not_own, parent, not_parent, child, not_child),), said)


def label_condition(label: str, place: str) -> Condition:
    """Return the condition that a word has a label."""
    pattern = Pattern("label", (_checked_text(label, "label", place),))
    return Condition((Clause((pattern,)),), label)


def _parts(
    said: dict[str, Any], place: str, classes: Mapping[str, Condition | None]
) -> tuple[tuple[Predicate, ...], tuple[Predicate, ...], tuple[Condition, ...]]:
    """Read what is said of a word, of its parent and of its children."""
    above: Any = said.get("parent", {})
    if not isinstance(above, dict):
        raise InputError(place, f"parent = {above!r}"[:60], "a table of conditions")
    inside = {"parent", "child", "not"} & set(above)
    if inside:
        expected = f"only {', '.join((*COLUMNS, 'position'))}"
        raise InputError(place, f"{min(inside)} inside of parent", expected)
    children: tuple[Condition, ...] = ()
    if "child" in said:
        child = read_condition(said["child"], place, classes)
        for clause in child.clauses:
            if clause.child or clause.not_child or clause.parent or clause.not_parent:
                raise InputError(place, "child or parent inside of child", "conditions of one word")
        children = (child,)
    return _predicates(said, place), _predicates(above, place), children


def _predicates(said: Mapping[str, Any], place: str) -> tuple[Predicate, ...]:
    """Read patterns and positions."""
    found: list[Predicate] = []
    for key, value in said.items():
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
            found.append(Position(tuple(texts)))
        else:
            found.append(Pattern(key, tuple(_checked_text(text, key, place) for text in texts)))
    return tuple(found)


def _checked_text(text: object, key: str, place: str) -> str:
    """Return a pattern if it is one."""
    what = f"{key} = {text!r}"[:60]
    if not isinstance(text, str) or not text or len(text) > LONGEST:
        raise InputError(place, what, f"a text of 1 to {LONGEST} characters")
    if key == "feats" and not all(text.split("|")):
        raise InputError(place, what, "features between the bars: Mood=Imp|VerbForm=Fin")
    return text


def _check_keys(said: Mapping[str, Any], place: str) -> None:
    for key in said:
        if key not in KEYS:
            raise InputError(place, str(unknown_name("key", key, KEYS)))
