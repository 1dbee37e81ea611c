"""Writing lists of trees in CoNLL-U: several trees a sentence, each with its rank and score."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import BinaryIO

import numpy as np

from wordorder.errors import InputError
from wordorder.text.opening import Path
from wordorder.text.output import write_output
from wordorder.treebank.kbest import KBest
from wordorder.treebank.sentence_places import sentences_of
from wordorder.treebank.treebank import Margin
from wordorder.treebank.writing import TreebankWriter

_SENT_ID = re.compile(r"#\s*sent_id\s*=")
# Comments that say the place of a tree in its list.
COUNTED = re.compile(r"#\s*(?:rank|score)\s*=")


class KBestWriter:
    r"""Writes lists of trees in CoNLL-U one behind the other.

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
        margins = [_counted(*each) for each in counted]
        with sentences_of("", lists.sentence):
            self._writer.write(replace(lists.trees, margins=margins))


def write_kbest(path: Path, lists: KBest) -> None:
    """Write lists of trees in CoNLL-U.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.output.write_output` takes it.
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
    before, after = lists.scores[:-1], lists.scores[1:]
    within = lists.sentence[:-1] == lists.sentence[1:]
    wrong = within & ((after > before) | (np.isnan(after) != np.isnan(before)))
    if wrong.any():
        place = int(np.argmax(wrong))
        shown = " before ".join(map(repr, lists.scores[place : place + 2].tolist()))
        where = f"sentence {int(lists.sentence[place]) + 1}"
        raise InputError(where, f"score {shown}", "numbers that never rise, or none in a list")


def _counted(margin: Margin, rank: int, score: float) -> Margin:
    """Say rank and score in the comments of a tree, in place of what they said."""
    said = [f"# rank = {rank}", *([] if math.isnan(score) else [f"# score = {score!r}"])]
    comments = [comment for comment in margin.comments if not COUNTED.match(comment)]
    at = next((i for i, c in enumerate(comments, 1) if _SENT_ID.match(c)), 0)
    return replace(margin, comments=(*comments[:at], *said, *comments[at:]))
