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

# The number of lists per batch when a whole file is read, and of trees that are read at a time.
READ_LISTS = 1 << 12
READ_TREES = 1 << 11

# The maximum length of a list, so that memory is bounded.
MAX_TREES = 1 << 20

# The form of a score.
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

_SENT_ID = re.compile(r"#\s*sent_id\s*=")

# Comments with the rank or the score of a tree.
RANK_OR_SCORE = re.compile(r"#\s*(?:rank|score)\s*=")


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
        The name of the input in messages.
    lines : int
        The number of lists read so far.
    rows : str
        The word for a list in messages.

    Notes
    -----
    The trees of a sentence follow each other, best first, with the same comment ``# sent_id =``,
    with ``# rank =`` from 1 on, or with both. A tree of rank 1, or with another ``sent_id`` than
    the tree before it, starts a new list. ``# score =`` is a finite number and never rises within a
    list; scores of a list without such comments are NaN. Ranks and scores are removed from the
    comments.

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
        # Trees that were read but not returned yet, their scores, and whether they start a list.
        self._trees = Treebank.concatenate([])
        self._scores: list[float] = []
        self._begins: list[bool] = []
        # The sent_id, rank and words of the last tree.
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
            See `TreebankReader.take`. With ``file:line``, if a tree has neither ``sent_id`` nor
            rank, a rank is out of order, a score is not a number, higher than the one before it or
            missing in some trees of a list, or the trees of a list differ in their words.
        """
        parts = [self._trees]
        while not self._ended and sum(self._begins) <= lists:
            if trees is not None and len(self._begins) > trees and any(self._begins[1:]):
                break
            if len(self._begins) > MAX_TREES and not any(self._begins[1:]):
                raise InputError(self.name, f"a list of more than {MAX_TREES} trees", "fewer")
            further_trees = self._reader.take(READ_TREES)
            self._ended = not len(further_trees)
            parts.append(self._checked(further_trees))
        trees_read = Treebank.concatenate(parts) if len(parts) > 1 else parts[0]
        # The last list is incomplete unless the input has ended.
        ends = [len(trees_read)] if self._ended else []
        starts = np.flatnonzero(np.array(self._begins, np.bool_))
        offsets = np.append(starts, ends).astype(np.int64)[: lists + 1]
        end = int(offsets[-1])
        complete_lists = KBest(trees_read[:end], offsets, np.array(self._scores[:end], np.float64))
        self._trees = trees_read[end:]
        self._scores = self._scores[end:]
        self._begins = self._begins[end:]
        self.lines += len(complete_lists)
        return complete_lists

    def close(self) -> None:
        """Close the input."""
        self._reader.close()

    def _checked(self, trees: Treebank) -> Treebank:
        """Store which trees start lists and their scores; remove both from the comments."""
        codes, offsets = trees.form.codes, trees.offsets.tolist()
        margins = []
        for number, margin in enumerate(trees.margins):
            starts_list = self._begins_list(number, margin)
            self._begins.append(starts_list)
            self._scores.append(self._score(number, margin, starts_list))
            words = codes[offsets[number] : offsets[number + 1]]
            if not starts_list:
                # Codes can be compared within one batch only.
                is_same = (
                    np.array_equal(words, codes[offsets[number - 1] : offsets[number]])
                    if number
                    else trees[:1].form.strings() == self._forms
                )
                if not is_same:
                    raise self._error(number, "other words than the tree before", "the same words")
            comments = tuple(c for c in margin.comments if not RANK_OR_SCORE.match(c))
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
        starts_list = rank == "1" or not self._place or sent_id != self._id
        self._id = sent_id
        self._place = 1 if starts_list else self._place + 1
        if rank is not None and rank != str(self._place):
            problem = f"rank {quoted(rank.encode())}"
            raise self._error(number, problem, str(self._place), "rank")
        return starts_list

    def _score(self, number: int, margin: Margin, starts_list: bool) -> float:
        """Return the score of a tree, NaN if its list has no scores."""
        text = margin.value("score")
        previous = math.nan if starts_list else self._scores[-1]
        if text is None:
            if not math.isnan(previous):
                problem = "a tree without a score after one with a score"
                raise self._error(number, problem, "a comment # score = in all trees of a list")
            return math.nan
        score = float(text) if NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(score):
            raise self._error(number, f"score {quoted(text.encode())}", "a finite number", "score")
        if not starts_list and math.isnan(previous):
            problem = "a score after a tree without one"
            raise self._error(number, problem, "# score = in all trees of a list", "score")
        if score > previous:
            problem = f"score {text} after {previous!r}"
            raise self._error(number, problem, "scores that never rise within a list", "score")
        return score

    def _error(self, number: int, problem: str, expected: str, name: str = "") -> InputError:
        """Build an error at a tree of the last batch, or at its comment `name`."""
        return InputError(location(self.name, self._reader.line(number, name)), problem, expected)


def read_kbest(path: Path, *, single_root: bool = True) -> KBest:
    r"""Read all lists of trees of a file.

    Parameters
    ----------
    path, single_root
        See `KBestReader`.

    Raises
    ------
    InputError
        See `KBestReader.take`.

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
        return KBest.concatenate(list(until_empty(reader.take, READ_LISTS)))


class KBestWriter:
    r"""Writes lists of trees in CoNLL-U to a stream.

    Parameters
    ----------
    stream : binary stream
        Not closed.

    Notes
    -----
    Each tree has ``# rank =`` after its ``# sent_id``, or as its first comment, and ``# score =``
    with the shortest digits that represent the number, unless it is NaN.

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
            If a list has no trees, a score is infinite, missing in some trees of a list or higher
            than the one before, or a string cannot be written.
        """
        empty = np.flatnonzero(np.diff(lists.offsets) == 0)
        if len(empty):
            raise InputError(f"sentence {int(empty[0]) + 1}", "no trees", "one or more a sentence")
        infinite = np.flatnonzero(np.isinf(lists.scores))
        if len(infinite):
            error_location = f"sentence {int(lists.sentence[infinite[0]]) + 1}"
            raise InputError(error_location, "an infinite score", "a finite number")
        _check_order(lists)
        tree_rows = zip(
            lists.trees.margins, lists.rank.tolist(), lists.scores.tolist(), strict=True
        )
        margins = [_with_rank_and_score(*row) for row in tree_rows]
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
    """Raise an InputError if a score is higher than the one before it, or missing in some trees."""
    earlier, after = lists.scores[:-1], lists.scores[1:]
    is_same_list = lists.sentence[:-1] == lists.sentence[1:]
    is_wrong = is_same_list & ((after > earlier) | (np.isnan(after) != np.isnan(earlier)))
    if is_wrong.any():
        tree = int(np.argmax(is_wrong))
        both_scores = " before ".join(map(repr, lists.scores[tree : tree + 2].tolist()))
        error_location = f"sentence {int(lists.sentence[tree]) + 1}"
        raise InputError(
            error_location, f"score {both_scores}", "numbers that never rise, or none in a list"
        )


def _with_rank_and_score(margin: Margin, rank: int, score: float) -> Margin:
    """Return the comments of a tree with its rank and score, in place of old ones."""
    rank_comments = [f"# rank = {rank}", *([] if math.isnan(score) else [f"# score = {score!r}"])]
    comments = [comment for comment in margin.comments if not RANK_OR_SCORE.match(comment)]
    insert_index = next((i for i, c in enumerate(comments, 1) if _SENT_ID.match(c)), 0)
    return replace(
        margin, comments=(*comments[:insert_index], *rank_comments, *comments[insert_index:])
    )
