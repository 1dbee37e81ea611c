"""Reading lists of trees in CoNLL-U: several trees per sentence, each with its score."""

import math
import re
from dataclasses import replace
from typing import BinaryIO

import numpy as np

from wordorder.errors import InputError, location
from wordorder.text.blocks import quoted
from wordorder.text.lockstep import until_empty
from wordorder.text.opening import Closeable, Path
from wordorder.text.output import write_output
from wordorder.text.sources import Source
from wordorder.treebank.kbest import KBest
from wordorder.treebank.reading import TreebankReader, TreebankWriter, sentences_of
from wordorder.treebank.treebank import Margin, Treebank

# Lists that are read at once where all of a file is wanted, and trees that are read at once.
BATCH = 1 << 12
_TREES = 1 << 11

# The longest list that is read, so that memory stays bounded.
MAX_TREES = 1 << 20

# How a score is written.
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

_SENT_ID = re.compile(r"#\s*sent_id\s*=")

# Comments that say the place of a tree in its list.
COUNTED = re.compile(r"#\s*(?:rank|score)\s*=")


class KBestReader(Closeable):
    r"""Reads lists of trees some sentences at a time.

    Parameters
    ----------
    path : path, "-" or Source
        CoNLL-U, see `TreebankReader`.
    single_root : bool
        Whether a second word with head 0 is an error.

    Attributes
    ----------
    name : str
        What messages call the input.
    lines : int
        Lists read so far.
    rows : str
        What messages call that which is counted.

    Notes
    -----
    The trees of a sentence follow each other, best first, as any parser may write them: with
    the same comment ``# sent_id =``, with ``# rank =`` counting from 1, or with both. A tree with
    another ``sent_id`` than the one before it, or of rank 1, begins a new list. ``# score =`` is a
    finite number and never rises within a list; where a list has none its scores are NaN. Ranks
    and scores are taken out of the comments.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> tree = "# sent_id = a\n# score = {}\n1\tGo\t_\t_\t_\t_\t0\t{}\t_\t_\n\n"
    >>> _ = path.write_text(tree.format("-1.5", "root") + tree.format("-2", "dep"))
    >>> with KBestReader(path) as reader:
    ...     lists = reader.take(9)
    >>> len(lists), lists.scores.tolist(), lists.best().label.strings()
    (1, [-1.5, -2.0], ['root'])
    """

    rows = "list"

    def __init__(self, path: Path | Source, *, single_root: bool = True) -> None:
        self._reader = TreebankReader(path, single_root=single_root, lone_returns=False)
        self.name = self._reader.name
        self.lines = 0
        # Trees that are read and not yet given, with their scores, and which of them begin a list.
        self._trees = Treebank.concatenate([])
        self._scores: list[float] = []
        self._begins: list[bool] = []
        # The tree before the next one.
        self._id: str | None = None
        self._place = 0
        self._forms: list[str] = []
        self._ended = False

    def take(self, lists: int, *, trees: int | None = None) -> KBest:
        """Return up to `lists` further lists; none at the end.

        Parameters
        ----------
        lists : int
        trees : int, optional
            Stop after about this number of trees.

        Raises
        ------
        InputError
            As `TreebankReader.take` does, and at ``file:line`` if a tree has neither ``sent_id``
            nor rank, if a rank is out of order, if a score is no number, higher than the one
            before it or missing in some trees of a list, or if the trees of a list differ in
            their words.
        """
        parts = [self._trees]
        while not self._ended and sum(self._begins) <= lists:
            if trees is not None and len(self._begins) > trees and any(self._begins[1:]):
                break
            if len(self._begins) > MAX_TREES and not any(self._begins[1:]):
                raise InputError(self.name, f"a list of more than {MAX_TREES} trees", "fewer")
            further_trees = self._reader.take(_TREES)
            self._ended = not len(further_trees)
            parts.append(self._checked(further_trees))
        read = Treebank.concatenate(parts) if len(parts) > 1 else parts[0]
        # Of the last list more trees may follow, unless the input has ended.
        ends = [len(read)] if self._ended else []
        starts = np.flatnonzero(np.array(self._begins, np.bool_))
        offsets = np.append(starts, ends).astype(np.int64)[: lists + 1]
        cut = int(offsets[-1])
        complete_lists = KBest(read[:cut], offsets, np.array(self._scores[:cut], np.float64))
        self._trees = read[cut:]
        self._scores = self._scores[cut:]
        self._begins = self._begins[cut:]
        self.lines += len(complete_lists)
        return complete_lists

    def close(self) -> None:
        """Close the input."""
        self._reader.close()

    def _checked(self, trees: Treebank) -> Treebank:
        """Note where lists begin and what the scores are; take these out of the comments."""
        codes, cuts = trees.form.codes, trees.offsets.tolist()
        margins = []
        for number, margin in enumerate(trees.margins):
            begins = self._begins_list(number, margin)
            self._begins.append(begins)
            self._scores.append(self._score(number, margin, begins))
            words = codes[cuts[number] : cuts[number + 1]]
            if not begins:
                # Within one reading equal codes are equal strings.
                same = (
                    np.array_equal(words, codes[cuts[number - 1] : cuts[number]])
                    if number
                    else trees[:1].form.strings() == self._forms
                )
                if not same:
                    raise self._error(number, "other words than the tree before", "the same words")
            comments = tuple(c for c in margin.comments if not COUNTED.match(c))
            margins.append(replace(margin, comments=comments))
        if len(trees):
            self._forms = trees[len(trees) - 1 :].form.strings()
        return replace(trees, margins=margins)

    def _begins_list(self, number: int, margin: Margin) -> bool:
        """True if a tree is the first of its list."""
        sent_id, rank = margin.value("sent_id"), margin.value("rank")
        if sent_id is None and rank is None:
            problem = "a tree without sent_id and rank"
            raise self._error(number, problem, "a comment # sent_id = or # rank =")
        begins = rank == "1" or not self._place or sent_id != self._id
        self._id = sent_id
        self._place = 1 if begins else self._place + 1
        if rank is not None and rank != str(self._place):
            problem = f"rank {quoted(rank.encode())}"
            raise self._error(number, problem, str(self._place), "rank")
        return begins

    def _score(self, number: int, margin: Margin, begins: bool) -> float:
        """Read the score of a tree; NaN if its list has none."""
        text = margin.value("score")
        previous = math.nan if begins else self._scores[-1]
        if text is None:
            if not math.isnan(previous):
                problem = "a tree without a score after one with a score"
                raise self._error(number, problem, "a comment # score = in all trees of a list")
            return math.nan
        score = float(text) if NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(score):
            raise self._error(number, f"score {quoted(text.encode())}", "a finite number", "score")
        if not begins and math.isnan(previous):
            problem = "a score after a tree without one"
            raise self._error(number, problem, "# score = in all trees of a list", "score")
        if score > previous:
            problem = f"score {text} after {previous!r}"
            raise self._error(number, problem, "scores that never rise within a list", "score")
        return score

    def _error(self, number: int, what: str, expected: str, name: str = "") -> InputError:
        """Build an error at a tree of the last reading, or at its comment `name`."""
        return InputError(location(self.name, self._reader.line(number, name)), what, expected)


def read_kbest(path: Path, *, single_root: bool = True) -> KBest:
    r"""Read all lists of trees of a file.

    Parameters
    ----------
    path, single_root
        See `KBestReader`.

    Raises
    ------
    InputError
        As `KBestReader.take` does.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> tree = "# rank = {}\n1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    >>> _ = path.write_text("".join(map(tree.format, [1, 2, 1])))
    >>> read_kbest(path).rank.tolist()
    [1, 2, 1]
    """
    with KBestReader(path, single_root=single_root) as reader:
        return KBest.concatenate(list(until_empty(reader.take, BATCH)))


class KBestWriter:
    r"""Writes lists of trees in CoNLL-U one after another.

    Parameters
    ----------
    stream : binary stream
        Stays open.

    Notes
    -----
    Each tree has ``# rank = 1`` and so on behind its ``# sent_id``, or as first comment, and
    ``# score =`` with the shortest digits that give the same number again; none if it is NaN.

    Examples
    --------
    >>> import io
    >>> from wordorder.treebank.treebank import Treebank
    >>> lists = KBest(Treebank.from_words([["Go"]], heads=[[0]]), np.array([0, 1]), np.array([0.1]))
    >>> stream = io.BytesIO()
    >>> KBestWriter(stream).write(lists)
    >>> stream.getvalue()
    b'# rank = 1\n# score = 0.1\n1\tGo\t_\t_\t_\t_\t0\t_\t_\t_\n\n'
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._writer = TreebankWriter(stream)

    def write(self, lists: KBest) -> None:
        """Write the trees of all lists.

        Raises
        ------
        InputError
            If a list has no trees, which a file cannot say, a score is infinite, missing in some
            trees of a list or higher than the one before, or a string cannot be written.
        """
        empty = np.flatnonzero(np.diff(lists.offsets) == 0)
        if len(empty):
            raise InputError(f"sentence {int(empty[0]) + 1}", "no trees", "one or more a sentence")
        infinite = np.flatnonzero(np.isinf(lists.scores))
        if len(infinite):
            place = f"sentence {int(lists.sentence[infinite[0]]) + 1}"
            raise InputError(place, "an infinite score", "a finite number")
        _check_order(lists)
        counted = zip(lists.trees.margins, lists.rank.tolist(), lists.scores.tolist(), strict=True)
        margins = [_counted(*row) for row in counted]
        with sentences_of("", lists.sentence):
            self._writer.write(replace(lists.trees, margins=margins))


def write_kbest(path: Path, lists: KBest) -> None:
    """Write lists of trees in CoNLL-U.

    Parameters
    ----------
    path : path or "-"
        See `wordorder.text.output.write_output`.
    lists : KBest

    Raises
    ------
    UsageError
        If the file cannot be created.
    InputError
        As `KBestWriter.write` does.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from wordorder.treebank.treebank import Treebank
    >>> lists = KBest(Treebank.from_words([["Go"]], heads=[[0]]), np.array([0, 1]), np.array([0.1]))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.conllu"
    >>> write_kbest(path, lists)
    >>> path.read_text().splitlines()[:2]
    ['# rank = 1', '# score = 0.1']
    """
    with write_output(path) as stream:
        KBestWriter(stream).write(lists)


def _check_order(lists: KBest) -> None:
    """Check that a reader would take the scores of each list."""
    earlier, after = lists.scores[:-1], lists.scores[1:]
    within = lists.sentence[:-1] == lists.sentence[1:]
    wrong = within & ((after > earlier) | (np.isnan(after) != np.isnan(earlier)))
    if wrong.any():
        place = int(np.argmax(wrong))
        both_scores = " before ".join(map(repr, lists.scores[place : place + 2].tolist()))
        error_location = f"sentence {int(lists.sentence[place]) + 1}"
        raise InputError(
            error_location, f"score {both_scores}", "numbers that never rise, or none in a list"
        )


def _counted(margin: Margin, rank: int, score: float) -> Margin:
    """Replace the comments on rank and score of a tree."""
    rank_comments = [f"# rank = {rank}", *([] if math.isnan(score) else [f"# score = {score!r}"])]
    comments = [comment for comment in margin.comments if not COUNTED.match(comment)]
    insert_index = next((i for i, c in enumerate(comments, 1) if _SENT_ID.match(c)), 0)
    return replace(
        margin, comments=(*comments[:insert_index], *rank_comments, *comments[insert_index:])
    )
