"""Lists of bracketed trees with scores, the output of n-best parsers."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from wordorder.errors import InputError, location
from wordorder.text.blocks import quoted
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.treebank.brackets.phrase import Bracketed, BracketReader, trees_of
from wordorder.treebank.kbest_files import NUMBER

_Lines = Iterable[tuple[int, str]]

_STANFORD = re.compile(r"# *Parse +([0-9]{1,9}) +with +score +(\S+)")

_CHARNIAK = re.compile(r"([0-9]{1,9})\s+[^()]+")

# A tree after its score, as in the output of the Berkeley parser.
_SCORED_TREE = re.compile(r"([^\s()]+)\s+(\(.*)")


def read_lists(path: Path) -> Iterator[list[Bracketed]]:
    r"""Read lists of bracketed trees, one sentence at a time.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.treebank.brackets.phrase.read_brackets`.

    Yields
    ------
    list of Bracketed
        In the order of the file; one tree without a score if the file has no scores.

    Raises
    ------
    InputError
        See `read_brackets`. At ``file:line`` if a score is not a finite number or has no tree, a
        tree has no score, a list is empty or has another number of trees than announced, its trees
        differ in their words, or a line has another format than those before it.

    Notes
    -----
    The first line determines the format.

    - Charniak's parser: ``2 7``, the number of trees and a name of the sentence, starts a list;
      then a line with the log probability and a line with the tree, in turn.
    - Stanford parser: ``# Parse 1 with score -12.1`` precedes each tree; 1 starts a list.
    - Berkeley parser: ``-12.1 (S …)``, a score and its tree. An empty line or other words start a
      list.
    - Other files have one tree per sentence, without scores.

    In all formats a tree may span several lines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "n.mrg")
    >>> _ = path.write_text("-1.5 (S (VB Go))\n-2 (NP (NN Go))\n\n-1 (S (VB Go))\n")
    >>> [[each.score for each in found] for found in read_lists(path)]
    [[-1.5, -2.0], [-1.0]]
    """
    name = display_name(path)
    numbered = enumerate(read_lines(path), 1)
    first = next((numbered_line for numbered_line in numbered if numbered_line[1].strip()), None)
    if first is None:
        return
    lines = chain([first], numbered)
    for pattern, read in (
        (_STANFORD, _read_stanford),
        (_CHARNIAK, _read_charniak),
        (_SCORED_TREE, _read_scored),
    ):
        if pattern.fullmatch(first[1].strip()):
            yield from read(lines, _TreeList(name))
            return
    for tree in trees_of(lines, name):
        yield [tree]


class _TreeList:
    """The list of a sentence so far, and the score of its next tree."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.reader = BracketReader(name)
        self.trees: list[Bracketed] = []
        self._score: float | None = None
        self._line = 0

    def error(self, number: int, problem: str, expected: str) -> InputError:
        """Build an error at a line."""
        return InputError(location(self.name, number), problem, expected)

    def expect(self, number: int, score: str) -> None:
        """Store the score of the next tree."""
        self.check()
        value = float(score) if NUMBER.fullmatch(score) else math.nan
        if not math.isfinite(value):
            raise self.error(number, f"score {quoted(score.encode())}", "a finite number")
        self._score, self._line = value, number

    def read(self, number: int, line: str) -> Iterator[Bracketed]:
        """Yield the trees that end on a line, with their scores."""
        for tree in self.reader.read(number, line):
            if self._score is None:
                raise self.error(tree.line, "a tree without a score", "a score before each tree")
            yield replace(tree, score=self._score)
            self._score = None

    def add(self, number: int, line: str) -> None:
        """Add the trees that end on a line; InputError if they differ in their words."""
        for tree in self.read(number, line):
            if not self.fits(tree):
                problem = "a tree with other words than the tree before"
                raise self.error(tree.line, problem, "the same words in all trees of a list")
            self.trees.append(tree)

    def fits(self, tree: Bracketed) -> bool:
        """True if a tree has the words of the list."""
        previous_words, words = (
            [word.word for word in tree_of_list.tree.words()]
            for tree_of_list in ((self.trees or [tree])[-1], tree)
        )
        return previous_words == words

    def check(self) -> None:
        """Check that no tree is open and no score is without a tree."""
        self.reader.close()
        if self._score is not None:
            raise self.error(self._line, "a score without a tree", "a tree behind it")

    def flush(self) -> Iterator[list[Bracketed]]:
        """Yield the list if it has trees, and start the next one."""
        self.check()
        if self.trees:
            yield self.trees
        self.trees = []


def _read_stanford(lines: _Lines, tree_list: _TreeList) -> Iterator[list[Bracketed]]:
    for number, line in lines:
        text = line.strip()
        if tree_list.reader.is_open or text.startswith("("):
            tree_list.add(number, text)
        elif text:
            match = _STANFORD.fullmatch(text)
            if not match:
                problem = f"{quoted(text.encode())} between the trees"
                raise tree_list.error(
                    number, problem, "# Parse 1 with score -12.1, as in the first line"
                )
            # Checked first, since the rank may be right although a tree is missing.
            tree_list.check()
            if match[1] == "1":
                yield from tree_list.flush()
            elif int(match[1]) != len(tree_list.trees) + 1:
                expected_number = f"{len(tree_list.trees) + 1}, or 1" if tree_list.trees else "1"
                raise tree_list.error(number, f"parse {match[1]}", expected_number)
            tree_list.expect(number, match[2])
    yield from tree_list.flush()


def _read_charniak(lines: _Lines, tree_list: _TreeList) -> Iterator[list[Bracketed]]:
    # The number of trees according to the header, and the line of the header.
    announced = header_line = 0
    has_score = False
    for number, line in lines:
        text = line.strip()
        if not text:
            continue
        if tree_list.reader.is_open or has_score:
            if not tree_list.reader.is_open and not text.startswith("("):
                problem = f"{quoted(text.encode())} behind a score"
                raise tree_list.error(number, problem, "a tree on the line behind its score")
            tree_list.add(number, text)
            has_score = False
        elif len(tree_list.trees) < announced:
            if text.startswith("(") or _CHARNIAK.fullmatch(text) or _SCORED_TREE.fullmatch(text):
                context = (
                    f"{len(tree_list.trees)} of {announced} trees of the list of line {header_line}"
                )
                problem = f"{quoted(text.encode())} behind {context}"
                raise tree_list.error(
                    number, problem, "a line with a score, then a line with its tree"
                )
            tree_list.expect(number, text)
            has_score = True
        else:
            yield from tree_list.flush()
            match = _CHARNIAK.fullmatch(text)
            if not match:
                problem = f"{quoted(text.encode())} behind a list"
                raise tree_list.error(
                    number, problem, "the number of trees and a name of the sentence"
                )
            announced, header_line = int(match[1]), number
            if not announced:
                raise tree_list.error(number, "a list without trees", "one or more a sentence")
    tree_list.check()
    if len(tree_list.trees) < announced:
        problem = f"a list of {announced} trees has {len(tree_list.trees)}"
        raise tree_list.error(header_line, problem, "as many as it says")
    yield from tree_list.flush()


def _read_scored(lines: _Lines, tree_list: _TreeList) -> Iterator[list[Bracketed]]:
    empty_lines = 0
    for number, line in lines:
        text = line.strip()
        if not tree_list.reader.is_open:
            if not text:
                yield from tree_list.flush()
                empty_lines += 1
                continue
            if empty_lines > 1:
                problem = "a list without trees: two empty lines"
                raise tree_list.error(number - 1, problem, "one empty line between sentences")
            empty_lines = 0
            match = _SCORED_TREE.fullmatch(text)
            if not match:
                problem = f"{quoted(text.encode())} among trees with scores"
                raise tree_list.error(number, problem, "a score and its tree: -12.1 (S …)")
            tree_list.expect(number, match[1])
            text = match[2]
        for tree in tree_list.read(number, text):
            if not tree_list.fits(tree):
                # Not `flush`, whose check would fail: the tree of the last score is not stored yet.
                yield tree_list.trees
                tree_list.trees = []
            tree_list.trees.append(tree)
    yield from tree_list.flush()
