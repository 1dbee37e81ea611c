"""Bracketed phrase-structure trees: reading, nodes, and phrases with their heads."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wordorder.errors import InputError, location
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name

# Separates the category of a Penn Treebank label, its functions and its numbers: -SBJ-1, =2.
_LABEL_SEPARATOR = re.compile(r"[-=]")
EMPTY_CATEGORY = "-NONE-"

# Words are separated by ASCII spaces, as in all formats; other spaces are part of a word.
_BRACKET_OR_WORD = re.compile(r"[()]|[^ \t\r\n()]+")

# No sentence is nested this deeply: a bracket is missing. Python's stack is deeper.
MAX_BRACKET_DEPTH = 200


@dataclass(eq=False)
class Phrase:
    """A word, or a phrase with its parts and head.

    Attributes
    ----------
    node : Node
        Category, functions and word.
    parts : list of Phrase
        The parts of a phrase, without empty elements.
    place : int
        The position of a word, from 1; 0 for a phrase.
    head : Phrase or None
        The part that is the head; None for a word.
    governor : Phrase or None
        The part on which this part depends, if that is not the head.
    role : str
        The relation, if it was determined with the head: ``aux``, ``cop``, ``conj``, …
    passive : bool
        Whether the verb at the head is passive.
    existential : bool
        Whether the subject of the clause is "there".
    traces : frozenset of str
        The traces in the phrase: ``SBJ:1`` is a subject with the index 1.
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
        """True if this is a word."""
        return self.node.is_word

    @property
    def text(self) -> str:
        """The head word in lower case."""
        return (self.lexical.node.word or "").lower()

    @property
    def lexical(self) -> Phrase:
        """The head word: the head of the head, and so on."""
        phrase = self
        while phrase.head is not None:
            phrase = phrase.head
        return phrase

    def heads(self) -> Iterator[Phrase]:
        """Yield the phrase, its head, the head of that, and so on."""
        phrase: Phrase | None = self
        while phrase is not None:
            yield phrase
            phrase = phrase.head

    def has(self, *categories: str) -> bool:
        """True if a part has one of the categories."""
        return any(part.category in categories for part in self.parts)


def phrases_of(tree: Node) -> Phrase | None:
    """Return the phrase of a tree, without empty elements; None if it has no words.

    Examples
    --------
    >>> subject = Node.of("NP-SBJ-1"); subject.children = [Node.of("-NONE-", "*")]
    >>> verb = Node.of("VP"); verb.children = [Node.of("VB", "Go")]
    >>> tree = Node.of("S"); tree.children = [subject, verb]
    >>> [part.category for part in phrases_of(tree).parts]
    ['VP']
    """
    return _build_phrase(tree, {id(word): place for place, word in enumerate(tree.words(), 1)})


def _build_phrase(node: Node, positions: dict[int, int]) -> Phrase | None:
    """Return the phrase of a node, or None if it has no words."""
    if node.is_word:
        position = positions.get(id(node))
        return None if position is None else Phrase(node, place=position)
    parts = [part for part in (_build_phrase(child, positions) for child in node.children) if part]
    if not parts:
        return None
    traces = frozenset().union(*(part.traces for part in parts), *map(_trace_names, node.children))
    return Phrase(node, parts, traces=traces)


def _trace_names(node: Node) -> frozenset[str]:
    """Return the traces in a phrase that consists of empty elements only: function and index."""
    empty = [leaf for leaf in node.walk() if leaf.is_word]
    if node.is_word or any(leaf.category != EMPTY_CATEGORY for leaf in empty):
        return frozenset()
    function = "SBJ" if "SBJ" in node.functions else "PRD" if "PRD" in node.functions else "OBJ"
    indices = [leaf.word.rpartition("-")[2] for leaf in empty if leaf.word and "*T*" in leaf.word]
    return frozenset(f"{function}:{index}" for index in indices)


@dataclass(eq=False)
class Node:
    """A word with its tag, or a phrase with its parts.

    Attributes
    ----------
    category : str
        The tag or the category, without functions: ``NP`` of ``NP-SBJ-1``; "" for brackets without
        a label, which the Penn Treebank puts around each tree.
    functions : frozenset of str
        The functions of the label: ``{"SBJ"}``.
    index : str
        The number by which other nodes refer to this node, or "".
    word : str or None
        None for a phrase.
    children : list of Node
    """

    category: str
    functions: frozenset[str] = frozenset()
    index: str = ""
    word: str | None = None
    children: list[Node] = field(default_factory=list)

    @classmethod
    def of(cls, label: str, word: str | None = None) -> Node:
        """Return a node for a label of the treebank.

        Examples
        --------
        >>> node = Node.of("NP-SBJ-1")
        >>> node.category, sorted(node.functions), node.index
        ('NP', ['SBJ'], '1')
        >>> Node.of("-LRB-", "(").category, Node.of("ADVP|PRT").category
        ('-LRB-', 'ADVP')
        """
        if label.startswith("-") or word is not None:
            return cls(label, word=word)
        category, *label_parts = _LABEL_SEPARATOR.split(label)
        numbers = [label_part for label_part in label_parts if label_part.isdigit()]
        return cls(
            category.partition("|")[0],
            frozenset(label_part for label_part in label_parts if not label_part.isdigit()),
            # A number after "=" also refers to another node, but not to a trace.
            numbers[0] if numbers and "=" not in label else "",
        )

    @property
    def is_word(self) -> bool:
        """True if the node is a word with its tag."""
        return self.word is not None

    def walk(self) -> Iterator[Node]:
        """Yield the node and all its descendants, each phrase before its parts."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)

    def words(self) -> list[Node]:
        """Return the nodes of words from left to right, without empty elements."""
        return [node for node in self.walk() if node.is_word and node.category != EMPTY_CATEGORY]


def by_category(**categories: str) -> dict[str, str]:
    """Return the name of each category, given the categories of each name, separated by spaces.

    Examples
    --------
    >>> by_category(det="DT WDT", poss="PRP$")
    {'DT': 'det', 'WDT': 'det', 'PRP$': 'poss'}
    """
    return {category: name for name, text in categories.items() for category in text.split()}


@dataclass(frozen=True)
class Bracketed:
    """A tree, the line of the file on which it starts (from 1), and the parser's score, if any."""

    tree: Node
    line: int
    score: float | None = None


@dataclass(eq=False)
class _OpenBracket:
    """A bracket that is not closed yet."""

    line: int
    label: str = ""
    word: str | None = None
    parts: list[Node] | None = None


def read_brackets(path: Path, *, name: str = "") -> Iterator[Bracketed]:
    r"""Read trees in brackets, one at a time.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.text.sources.Source`, compressed or not. A tree may span several lines.
    name : str, optional
        The name of the file in messages.

    Yields
    ------
    Bracketed
        Empty elements (``-NONE-``) are in the tree.

    Raises
    ------
    InputError
        At ``file:line`` if the file cannot be read, a bracket is not matched, text is outside all
        brackets, or brackets contain neither a tag with one word nor other brackets.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.mrg")
    >>> _ = path.write_text("( (S (NP-SBJ (PRP It))\n (VP (VBZ rains)) (. .)) )\n")
    >>> [(each.line, [word.word for word in each.tree.words()]) for each in read_brackets(path)]
    [(1, ['It', 'rains', '.'])]
    """
    return trees_of(enumerate(read_lines(path), 1), name or display_name(path))


def trees_of(lines: Iterable[tuple[int, str]], name: str) -> Iterator[Bracketed]:
    """Yield the trees of numbered lines, as `read_brackets` does."""
    reader = BracketReader(name)
    for number, line in lines:
        yield from reader.read(number, line)
    reader.close()


class BracketReader:
    """Reads bracketed trees line by line.

    Parameters
    ----------
    name : str
        The name of the file in messages.

    Examples
    --------
    >>> reader = BracketReader("a.mrg")
    >>> len(list(reader.read(1, "(NP (DT the)"))), reader.is_open
    (0, True)
    >>> [each.line for each in reader.read(2, "(NN cat)) (NN dog)")], reader.is_open
    ([1, 2], False)
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._stack: list[_OpenBracket] = []

    @property
    def is_open(self) -> bool:
        """True if a tree has started and not ended."""
        return bool(self._stack)

    def read(self, number: int, line: str) -> Iterator[Bracketed]:
        """Yield the trees that end on a line; for errors see `read_brackets`."""
        stack = self._stack
        for match in _BRACKET_OR_WORD.finditer(line):
            token = match.group()
            error_location = location(self.name, number)
            if token == "(":
                if len(stack) == MAX_BRACKET_DEPTH:
                    raise InputError(
                        error_location,
                        f"{MAX_BRACKET_DEPTH} brackets are open",
                        "a ')' before this one",
                    )
                if stack:
                    _add_brackets(stack[-1], error_location)
                stack.append(_OpenBracket(number))
            elif not stack:
                problem = (
                    "')' without '('" if token == ")" else f"{token[:30]!r} outside all brackets"
                )
                raise InputError(error_location, problem, "'(', with which a tree begins")
            elif token == ")":
                closed = stack.pop()
                node = _close_bracket(closed, error_location)
                if stack:
                    parts = stack[-1].parts
                    assert parts is not None
                    parts.append(node)
                else:
                    yield Bracketed(node, closed.line)
            else:
                _add_text(stack[-1], token, error_location)

    def close(self) -> None:
        """Check that no tree is open at the end of the file."""
        if self._stack:
            error_location = location(self.name, self._stack[0].line)
            problem = f"the tree that begins here lacks {len(self._stack)} ')'"
            raise InputError(error_location, problem, "its end")


def _add_text(brackets: _OpenBracket, token: str, where: str) -> None:
    """Store a token as the label or the word of open brackets."""
    if brackets.parts is not None:
        raise InputError(where, f"the word {token[:30]!r} has no tag", f"(TAG {token[:30]})")
    if not brackets.label:
        brackets.label = token
    elif brackets.word is None:
        brackets.word = token
    else:
        raise InputError(where, f"two words in ({brackets.label} …)", "one word a tag")


def _add_brackets(brackets: _OpenBracket, where: str) -> None:
    """Prepare open brackets for brackets inside of them; InputError if they have a word."""
    if brackets.word is not None:
        problem = f"brackets after the word {brackets.word[:30]!r}"
        raise InputError(where, problem, f"({brackets.label} {brackets.word[:30]})")
    if brackets.parts is None:
        brackets.parts = []


def _close_bracket(brackets: _OpenBracket, where: str) -> Node:
    """Return the node of closed brackets."""
    if brackets.parts is None and brackets.word is None:
        raise InputError(where, f"({brackets.label}) is empty", "(TAG word) or (LABEL (…) …)")
    node = Node.of(brackets.label, brackets.word)
    node.children = brackets.parts or []
    return node
