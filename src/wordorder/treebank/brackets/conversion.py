"""From trees in brackets to dependencies."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.errors import choose
from wordorder.treebank.brackets.head_table import PUNCTUATION, STYLES
from wordorder.treebank.brackets.heads import find_heads
from wordorder.treebank.brackets.node import Node
from wordorder.treebank.brackets.phrase import Phrase, phrases_of
from wordorder.treebank.brackets.relations import relation
from wordorder.treebank.treebank import Treebank

_ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}


def dependencies(trees: Sequence[Node], *, style: str = "stanford") -> Treebank:
    r"""Make dependencies of trees of phrases.

    Parameters
    ----------
    trees : sequence of Node
        With functions and empty elements as the Penn Treebank has them, or without, as parsers
        write them. Empty elements are left out; their functions tell what a question word or a
        relative pronoun is.
    style : {"stanford", "surface"}
        ``stanford``: words of content are heads, as in Stanford Dependencies, with their labels.
        ``surface``: auxiliaries and words that open a clause are heads; labels are ``root``,
        ``punct`` and ``dep``.

    Returns
    -------
    Treebank
        A tree without words becomes a sentence without words. ``\/`` becomes ``/``, and ``-LRB-``
        becomes ``(``; tags are in ``xpos``.

    Raises
    ------
    UsageError
        If there is no such style.

    Examples
    --------
    >>> from wordorder.treebank.brackets.reading import read_brackets
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.mrg")
    >>> _ = path.write_text("(S (NP (PRP It)) (VP (MD will) (VP (VB rain))) (. .))")
    >>> trees = [each.tree for each in read_brackets(path)]
    >>> bank = dependencies(trees)
    >>> bank.heads.tolist(), bank.label.strings()
    ([3, 3, 0, 3], ['nsubj', 'aux', 'root', 'punct'])
    >>> dependencies(trees, style="surface").heads.tolist()
    [2, 0, 2, 2]
    """
    choose("style", style, STYLES)
    words: list[list[str]] = []
    tags: list[list[str]] = []
    heads: list[list[int]] = []
    labels: list[list[str]] = []
    for tree in trees:
        leaves = tree.words()
        words.append([_unescaped(leaf.word or "") for leaf in leaves])
        tags.append([leaf.category for leaf in leaves])
        found = _arcs(tree, style)
        heads.append([head for head, _ in found])
        labels.append([label for _, label in found])
    return Treebank.from_words(words, xpos=tags, heads=heads, label=labels)


def _arcs(tree: Node, style: str) -> list[tuple[int, str]]:
    """Return the head and the label of each word."""
    top = phrases_of(tree)
    if top is None:
        return []
    find_heads(top, style)
    arcs: dict[int, tuple[int, str]] = {top.lexical.place: (0, "root")}
    waiting: list[tuple[Phrase, Phrase | None]] = [(top, None)]
    while waiting:
        phrase, above = waiting.pop()
        for part in phrase.parts:
            waiting.append((part, phrase))
            if part is phrase.head:
                continue
            governor = part.governor or phrase
            label = relation(part, phrase, above) if style == "stanford" else _plain(part)
            arcs[part.lexical.place] = governor.lexical.place, label
    return [arcs[place] for place in sorted(arcs)]


def _plain(part: Phrase) -> str:
    return "punct" if part.lexical.category in PUNCTUATION else "dep"


def _unescaped(word: str) -> str:
    r"""Return a word without the signs that the brackets need.

    Examples
    --------
    >>> _unescaped(r"1\/2"), _unescaped("-LRB-")
    ('1/2', '(')
    """
    return _ESCAPES.get(word, word.replace("\\/", "/").replace("\\*", "*"))
