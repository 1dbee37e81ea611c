"""Conditions on words of a tree: tags, labels, features, position, parent and children."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property

# What a pattern may be about, in the order of CoNLL-U.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "label")
# Forms and lemmas are compared without regard to case.
CASELESS = ("form", "lemma")
# Where a word is: before or behind its head, as the root, as the first word of the sentence,
# or with nothing but punctuation behind it.
POSITIONS = ("left", "right", "root", "first", "final")


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
        found = []
        for text in self.texts:
            parts = text.split("|") if self.column == "feats" else [text]
            if self.column in CASELESS:
                parts = [part.lower() for part in parts]
            if self.column == "label":
                parts = [part.removesuffix(":") for part in parts]
            found.append(tuple(re.compile(translate(part)) for part in parts))
        return tuple(found)

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
            held = text.split("|")
            return any(
                all(any(part.match(feature) for feature in held) for part in parts)
                for parts in self._compiled
            )
        if self.column in CASELESS:
            text = text.lower()
        if self.column != "label":
            if self.plain is not None:
                return text in self.plain
            return any(part.match(text) for (part,) in self._compiled)
        base = text.partition(":")[0]
        return any(
            part.match(text) or (":" not in wanted and part.match(base))
            for (part,), wanted in zip(self._compiled, self.texts, strict=True)
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
