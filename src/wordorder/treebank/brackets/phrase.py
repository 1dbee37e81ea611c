"""Phrases with their heads: which word depends on which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wordorder.errors import InputError, location
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name

# The rest of a Penn Treebank label after its category: functions and numbers, -SBJ-1 or =2.
_PARTS = re.compile(r"[-=]")
EMPTY = "-NONE-"

# Words are separated by the blanks that separate them in all formats; others are part of a word.
_TOKEN = re.compile(r"[()]|[^ \t\r\n()]+")

# No sentence is nested as deep: a file that is has lost a bracket. Python's stack holds more.
DEEPEST = 200


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
        Empty elements of the phrase: ``SBJ:1`` is a subject with the index 1.
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
        """True if this is a word with its tag."""
        return self.node.is_word

    @property
    def text(self) -> str:
        """The word of the head, in lower case."""
        return (self.lexical.node.word or "").lower()

    @property
    def lexical(self) -> Phrase:
        """The word that is the head of the head, and so on."""
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
        """True if a part has one of some categories."""
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
    return _phrase(tree, {id(word): place for place, word in enumerate(tree.words(), 1)})


def _phrase(node: Node, places: dict[int, int]) -> Phrase | None:
    """Return the phrase of a node."""
    if node.is_word:
        place = places.get(id(node))
        return None if place is None else Phrase(node, place=place)
    parts = [part for part in (_phrase(child, places) for child in node.children) if part]
    if not parts:
        return None
    traces = frozenset().union(*(part.traces for part in parts), *map(_emptied, node.children))
    return Phrase(node, parts, traces=traces)


def _emptied(node: Node) -> frozenset[str]:
    """Return the trace that a phrase is, if it is nothing else: its function and its number."""
    empty = [leaf for leaf in node.walk() if leaf.is_word]
    if node.is_word or any(leaf.category != EMPTY for leaf in empty):
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
        The tag or the category, without functions: ``NP`` of ``NP-SBJ-1``; the empty string for
        brackets without a label, which the Penn Treebank puts around each tree.
    functions : frozenset of str
        What the label says besides: ``{"SBJ"}``.
    index : str
        The number that other nodes refer to, or the empty string.
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
        category, *label_parts = _PARTS.split(label)
        numbers = [label_part for label_part in label_parts if label_part.isdigit()]
        return cls(
            category.partition("|")[0],
            frozenset(label_part for label_part in label_parts if not label_part.isdigit()),
            # What is behind "=" refers to another node too, but is no trace.
            numbers[0] if numbers and "=" not in label else "",
        )

    @property
    def is_word(self) -> bool:
        """True if the node is a word with its tag."""
        return self.word is not None

    def walk(self) -> Iterator[Node]:
        """Yield the node and all below it, each phrase before its parts."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def words(self) -> list[Node]:
        """Return the words, first to last, without empty elements."""
        return [node for node in self.walk() if node.is_word and node.category != EMPTY]


@dataclass(frozen=True)
class Bracketed:
    """A tree and the line of the file on which it begins, from 1.

    The parser's score is None where the file has no scores.
    """

    tree: Node
    line: int
    score: float | None = None


@dataclass(eq=False)
class _Open:
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
        See `wordorder.text.sources.Source`, compressed or not. A tree may be on one line
        or on many.
    name : str, optional
        What messages call the file.

    Yields
    ------
    Bracketed
        Empty elements (``-NONE-``) are in the tree.

    Raises
    ------
    InputError
        At ``file:line`` if the file cannot be read, a bracket has no partner, something is outside
        all brackets, or brackets hold neither a tag with one word nor other brackets.

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
    """Reads trees line by line.

    Parameters
    ----------
    name : str
        What messages call the file.

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
        self._stack: list[_Open] = []

    @property
    def is_open(self) -> bool:
        """True if a tree has started and not ended."""
        return bool(self._stack)

    def read(self, number: int, line: str) -> Iterator[Bracketed]:
        """Yield the trees that end on a line; errors are as in `read_brackets`."""
        stack = self._stack
        for match in _TOKEN.finditer(line):
            token = match.group()
            error_location = location(self.name, number)
            if token == "(":
                if len(stack) == DEEPEST:
                    raise InputError(
                        error_location, f"{DEEPEST} brackets are open", "a ')' before this one"
                    )
                if stack:
                    _add_brackets(stack[-1], error_location)
                stack.append(_Open(number))
            elif not stack:
                problem = (
                    "')' without '('" if token == ")" else f"{token[:30]!r} outside all brackets"
                )
                raise InputError(error_location, problem, "'(', with which a tree begins")
            elif token == ")":
                done = stack.pop()
                node = _closed(done, error_location)
                if stack:
                    parts = stack[-1].parts
                    assert parts is not None
                    parts.append(node)
                else:
                    yield Bracketed(node, done.line)
            else:
                _add_text(stack[-1], token, error_location)

    def close(self) -> None:
        """Check that no tree is open at the end of the file."""
        if self._stack:
            error_location = location(self.name, self._stack[0].line)
            problem = f"the tree that begins here lacks {len(self._stack)} ')'"
            raise InputError(error_location, problem, "its end")


def _add_text(brackets: _Open, token: str, where: str) -> None:
    """Take a label or a word."""
    if brackets.parts is not None:
        raise InputError(where, f"the word {token[:30]!r} has no tag", f"(TAG {token[:30]})")
    if not brackets.label:
        brackets.label = token
    elif brackets.word is None:
        brackets.word = token
    else:
        raise InputError(where, f"two words in ({brackets.label} …)", "one word a tag")


def _add_brackets(brackets: _Open, where: str) -> None:
    """Add brackets to the ones that enclose them."""
    if brackets.word is not None:
        problem = f"brackets after the word {brackets.word[:30]!r}"
        raise InputError(where, problem, f"({brackets.label} {brackets.word[:30]})")
    if brackets.parts is None:
        brackets.parts = []


def _closed(brackets: _Open, where: str) -> Node:
    """Return the node of closed brackets."""
    if brackets.parts is None and brackets.word is None:
        raise InputError(where, f"({brackets.label}) is empty", "(TAG word) or (LABEL (…) …)")
    node = Node.of(brackets.label, brackets.word)
    node.children = brackets.parts or []
    return node
