"""Which conditions follow from others: what is seen without looking at a tree."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.reordering.conditions import Clause, Condition, Pattern, Position, Predicate

_WILD = frozenset("*?[")


def implies(first: Condition, second: Condition) -> bool:
    """Return whether each word that meets the first condition meets the second.

    Only what the two say is compared: True is certain, False may only mean that it is not seen.

    Examples
    --------
    >>> from wordorder.reordering.condition_reading import read_condition
    >>> verb = read_condition({"upos": "VERB", "position": "root"}, "", {})
    >>> either = read_condition({"upos": ["VERB", "AUX"]}, "", {})
    >>> implies(verb, either), implies(either, verb)
    (True, False)
    """
    return all(
        is_impossible(clause) or any(_clause_implies(clause, other) for other in second.clauses)
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


def _all_implied(given: Sequence[Predicate], wanted: Sequence[Predicate]) -> bool:
    return all(any(_predicate_implies(predicate, want) for predicate in given) for want in wanted)


def _all_banned(given: Sequence[Predicate], wanted: Sequence[Predicate]) -> bool:
    return all(any(_predicate_implies(want, predicate) for predicate in given) for want in wanted)


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
    if _WILD & set(text):
        return False
    if pattern.column != "label":
        return pattern.matches(text)
    if text.endswith(":"):
        return pattern.matches(text.removesuffix(":"))
    # A label means its subtypes too, one with a subtype only itself.
    whole = Pattern("label", tuple(part for part in pattern.texts if ":" not in part))
    return whole.matches(text) or (":" in text and pattern.matches(text))
