"""Phrases with their heads: which word depends on which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from wordorder.treebank.brackets.node import EMPTY, Node


@dataclass(eq=False)
class Phrase:
    """A word, or a phrase whose head and parts are known.

    Attributes
    ----------
    node : Node
        Category, functions and word.
    parts : list of Phrase
        Without empty elements.
    place : int
        Of a word: its position from 1; of a phrase 0.
    head : Phrase or None
        The part that is the head; None of a word.
    governor : Phrase or None
        Of a part that depends on another part than the head: which.
    role : str
        The relation, where finding the head has settled it: ``aux``, ``cop``, ``conj``, …
    passive : bool
        Whether the verb at the head is passive.
    existential : bool
        Whether the subject of the clause is "there".
    traces : frozenset of str
        Where in the phrase an index is empty: ``SBJ:1`` says that the subject is what has index 1.
    """

    node: Node
    parts: list[Phrase] = field(default_factory=list)
    place: int = 0
    head: Phrase | None = None
    governor: Phrase | None = None
    role: str = ""
    passive: bool = False
    existential: bool = False
    traces: frozenset[str] = frozenset()

    @property
    def category(self) -> str:
        """The tag or the category."""
        return self.node.category

    @property
    def functions(self) -> frozenset[str]:
        """The functions of the label."""
        return self.node.functions

    @property
    def is_word(self) -> bool:
        """Whether this is a word with its tag."""
        return self.node.is_word

    @property
    def text(self) -> str:
        """The word of the head, in lower case."""
        return (self.lexical.node.word or "").lower()

    @property
    def lexical(self) -> Phrase:
        """The word that is the head of the head, and so on."""
        found = self
        while found.head is not None:
            found = found.head
        return found

    def heads(self) -> Iterator[Phrase]:
        """Yield the phrase, its head, the head of that, and so on."""
        found: Phrase | None = self
        while found is not None:
            yield found
            found = found.head

    def has(self, *categories: str) -> bool:
        """Whether a part has one of some categories."""
        return any(part.category in categories for part in self.parts)


def phrases_of(tree: Node) -> Phrase | None:
    """Return the phrases of a tree without empty elements; None if there are no words.

    Examples
    --------
    >>> subject = Node.of("NP-SBJ-1"); subject.children = [Node.of("-NONE-", "*")]
    >>> verb = Node.of("VP"); verb.children = [Node.of("VB", "Go")]
    >>> tree = Node.of("S"); tree.children = [subject, verb]
    >>> [part.category for part in phrases_of(tree).parts]
    ['VP']
    """
    places = {id(word): place for place, word in enumerate(tree.words(), 1)}
    return _phrase(tree, places)


def _phrase(node: Node, places: dict[int, int]) -> Phrase | None:
    """Make the phrase of a node."""
    if node.is_word:
        place = places.get(id(node))
        return None if place is None else Phrase(node, place=place)
    parts = [part for part in (_phrase(each, places) for each in node.children) if part]
    if not parts:
        return None
    traces = frozenset().union(*(part.traces for part in parts), *map(_emptied, node.children))
    return Phrase(node, parts, traces=traces)


def _emptied(node: Node) -> frozenset[str]:
    """Return the trace that a phrase is, if it is nothing else: its function and its number."""
    empty = [each for each in node.walk() if each.is_word]
    if node.is_word or any(each.category != EMPTY for each in empty):
        return frozenset()
    function = "SBJ" if "SBJ" in node.functions else "PRD" if "PRD" in node.functions else "OBJ"
    indices = [each.word.rpartition("-")[2] for each in empty if each.word and "*T*" in each.word]
    return frozenset(f"{function}:{index}" for index in indices)
