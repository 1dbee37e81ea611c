"""Lists of trees in brackets with their scores, as n-best parsers write them."""

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

# One tree per line behind its score, as the Berkeley parser writes them.
_SCORED = re.compile(r"([^\s()]+)\s+(\(.*)")


def read_lists(path: Path) -> Iterator[list[Bracketed]]:
    r"""Read trees in brackets, those of a sentence at a time.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.treebank.brackets.phrase.read_brackets`.

    Yields
    ------
    list of Bracketed
        In the order of the file; one tree without a score where the file has no scores.

    Raises
    ------
    InputError
        As `read_brackets` does, and at ``file:line`` if a score is no finite number or has no
        tree, a tree has no score, a list has no trees or another number of them than it says, its
        trees differ in their words, or a line is of another form than those before it.

    Notes
    -----
    The first line tells the form.

    - ``2 7``, the number of trees and a name of the sentence, begins a list of Charniak's parser:
      a line with the logarithm of the probability and a line with the tree, in turn.
    - ``# Parse 1 with score -12.1`` comes before each tree of Stanford's parser; 1 begins a list.
    - ``-12.1 (S …)`` is a score and its tree, behind a tab in the Berkeley parser. An empty line or
      other words begin a list.
    - Other files have one tree per sentence, without scores.

    Trees may be on many lines in all forms.

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
    for pattern, read in ((_STANFORD, _stanford), (_CHARNIAK, _charniak), (_SCORED, _scored)):
        if pattern.fullmatch(first[1].strip()):
            yield from read(lines, _List(name))
            return
    for tree in trees_of(lines, name):
        yield [tree]


class _List:
    """The trees of a sentence so far, and the score of the next one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.reader = BracketReader(name)
        self.trees: list[Bracketed] = []
        self._score: float | None = None
        self._line = 0

    def error(self, number: int, what: str, expected: str) -> InputError:
        """Build an error at a line."""
        return InputError(location(self.name, number), what, expected)

    def expect(self, number: int, score: str) -> None:
        """Take the score of the next tree."""
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
        """Take the trees that end on a line; they have the words of those before."""
        for tree in self.read(number, line):
            if not self.fits(tree):
                problem = "a tree with other words than the tree before"
                raise self.error(tree.line, problem, "the same words in all trees of a list")
            self.trees.append(tree)

    def fits(self, tree: Bracketed) -> bool:
        """True if a tree has the words of the list."""
        previous_words, after = (
            [word.word for word in tree_of_list.tree.words()]
            for tree_of_list in ((self.trees or [tree])[-1], tree)
        )
        return previous_words == after

    def check(self) -> None:
        """Check that nothing is open."""
        self.reader.close()
        if self._score is not None:
            raise self.error(self._line, "a score without a tree", "a tree behind it")

    def flush(self) -> Iterator[list[Bracketed]]:
        """Yield the list, if it has trees, and start the next one."""
        self.check()
        if self.trees:
            yield self.trees
        self.trees = []


def _stanford(lines: _Lines, found: _List) -> Iterator[list[Bracketed]]:
    for number, line in lines:
        text = line.strip()
        if found.reader.is_open or text.startswith("("):
            found.add(number, text)
        elif text:
            match = _STANFORD.fullmatch(text)
            if not match:
                problem = f"{quoted(text.encode())} between the trees"
                raise found.error(
                    number, problem, "# Parse 1 with score -12.1, as in the first line"
                )
            # First of all: where a tree is missing, the rank may be right.
            found.check()
            if match[1] == "1":
                yield from found.flush()
            elif int(match[1]) != len(found.trees) + 1:
                expected_number = f"{len(found.trees) + 1}, or 1" if found.trees else "1"
                raise found.error(number, f"parse {match[1]}", expected_number)
            found.expect(number, match[2])
    yield from found.flush()


def _charniak(lines: _Lines, found: _List) -> Iterator[list[Bracketed]]:
    # The trees that the header promises, and its line.
    announced = header = 0
    scored = False
    for number, line in lines:
        text = line.strip()
        if not text:
            continue
        if found.reader.is_open or scored:
            if not found.reader.is_open and not text.startswith("("):
                problem = f"{quoted(text.encode())} behind a score"
                raise found.error(number, problem, "a tree on the line behind its score")
            found.add(number, text)
            scored = False
        elif len(found.trees) < announced:
            if text.startswith("(") or _CHARNIAK.fullmatch(text) or _SCORED.fullmatch(text):
                context = f"{len(found.trees)} of {announced} trees of the list of line {header}"
                problem = f"{quoted(text.encode())} behind {context}"
                raise found.error(number, problem, "a line with a score, then a line with its tree")
            found.expect(number, text)
            scored = True
        else:
            yield from found.flush()
            match = _CHARNIAK.fullmatch(text)
            if not match:
                problem = f"{quoted(text.encode())} behind a list"
                raise found.error(number, problem, "the number of trees and a name of the sentence")
            announced, header = int(match[1]), number
            if not announced:
                raise found.error(number, "a list without trees", "one or more a sentence")
    found.check()
    if len(found.trees) < announced:
        problem = f"a list of {announced} trees has {len(found.trees)}"
        raise found.error(header, problem, "as many as it says")
    yield from found.flush()


def _scored(lines: _Lines, found: _List) -> Iterator[list[Bracketed]]:
    gaps = 0
    for number, line in lines:
        text = line.strip()
        if not found.reader.is_open:
            if not text:
                yield from found.flush()
                gaps += 1
                continue
            if gaps > 1:
                problem = "a list without trees: two empty lines"
                raise found.error(number - 1, problem, "one empty line between sentences")
            gaps = 0
            match = _SCORED.fullmatch(text)
            if not match:
                problem = f"{quoted(text.encode())} among trees with scores"
                raise found.error(number, problem, "a score and its tree: -12.1 (S …)")
            found.expect(number, match[1])
            text = match[2]
        for tree in found.read(number, text):
            if not found.fits(tree):
                # `taken` would miss the tree of this score, which is in our hands.
                yield found.trees
                found.trees = []
            found.trees.append(tree)
    yield from found.flush()
