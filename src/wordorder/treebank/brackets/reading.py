"""Reading trees in brackets: ``( (S (NP-SBJ (PRP It)) (VP (VBZ rains)) (. .)) )``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wordorder.errors import InputError, location
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.treebank.brackets.node import Node

_TOKEN = re.compile(r"[()]|[^\s()]+")
# No sentence is nested as deep: a file that is has lost a bracket. Python's stack holds more.
DEEPEST = 200


@dataclass(frozen=True)
class Bracketed:
    """A tree and the line of the file on which it begins, from 1."""

    tree: Node
    line: int


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
        As `wordorder.text.opening.Source` takes it, compressed or not. A tree may be on one line
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
    name = name or display_name(path)
    stack: list[_Open] = []
    for number, line in enumerate(read_lines(path), 1):
        for match in _TOKEN.finditer(line):
            token = match.group()
            where = location(name, number)
            if token == "(":
                if len(stack) == DEEPEST:
                    raise InputError(where, f"{DEEPEST} brackets are open", "a ')' before this one")
                if stack:
                    _add_brackets(stack[-1], where)
                stack.append(_Open(number))
            elif not stack:
                what = "')' without '('" if token == ")" else f"{token[:30]!r} outside all brackets"
                raise InputError(where, what, "'(', with which a tree begins")
            elif token == ")":
                done = stack.pop()
                node = _closed(done, where)
                if stack:
                    parts = stack[-1].parts
                    assert parts is not None
                    parts.append(node)
                else:
                    yield Bracketed(node, done.line)
            else:
                _add_text(stack[-1], token, where)
    if stack:
        where = location(name, stack[0].line)
        raise InputError(where, f"the tree that begins here lacks {len(stack)} ')'", "its end")


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
    """Let brackets hold others."""
    if brackets.word is not None:
        what = f"brackets after the word {brackets.word[:30]!r}"
        raise InputError(where, what, f"({brackets.label} {brackets.word[:30]})")
    if brackets.parts is None:
        brackets.parts = []


def _closed(brackets: _Open, where: str) -> Node:
    """Make a node of brackets that have ended."""
    if brackets.parts is None and brackets.word is None:
        what = f"({brackets.label}) is empty"
        raise InputError(where, what, "(TAG word) or (LABEL (…) …)")
    node = Node.of(brackets.label, brackets.word)
    node.children = brackets.parts or []
    return node
