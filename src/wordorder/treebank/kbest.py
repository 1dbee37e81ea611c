"""KBest: several trees of each sentence with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from wordorder.arrays import Float64, Int32, Int64, concat_ranges, row_offsets
from wordorder.messages import counted
from wordorder.treebank.treebank import STRING_COLUMNS, Column, Treebank


@dataclass(frozen=True, eq=False)
class KBest:
    """The best trees of each sentence, best first.

    Attributes
    ----------
    trees : Treebank
        T trees, ordered by sentence.
    offsets : int64[S+1]
        The trees of sentence ``i`` are ``offsets[i] .. offsets[i+1]-1``.
    scores : float64[T]
        The parser's score of each tree, which never rises within a sentence and can be compared
        only there. NaN if a file has no scores.

    Examples
    --------
    >>> trees = Treebank.from_words([["I", "go"]] * 2 + [["Go"]], heads=[[2, 0], [0, 1], [0]])
    >>> lists = KBest(trees, np.array([0, 2, 3]), np.array([-1.0, -3.5, 0.0]))
    >>> len(lists), lists.sentence.tolist(), lists.rank.tolist(), lists.best().heads.tolist()
    (2, [0, 0, 1], [1, 2, 1], [2, 0, 0])
    >>> lists
    KBest(2 sentences, 3 trees)
    """

    trees: Treebank
    offsets: Int64
    scores: Float64

    @classmethod
    def concatenate(cls, parts: Sequence[KBest]) -> KBest:
        """Concatenate lists."""
        lengths = [np.zeros(1, np.int64), *(np.diff(part.offsets) for part in parts)]
        return cls(
            Treebank.concatenate([part.trees for part in parts]),
            np.cumsum(np.concatenate(lengths)),
            np.concatenate([np.zeros(0), *(part.scores for part in parts)]),
        )

    @classmethod
    def of(cls, sentences: Treebank, counts: Int64, scores: Float64, **columns: Any) -> KBest:
        """Return lists of `counts` trees per sentence, which differ in heads or columns."""
        trees = sentences.take(np.repeat(np.arange(len(sentences)), counts))
        return cls(trees.replace(**columns), row_offsets(counts), scores)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"KBest({counted(len(self), 'sentence')}, {counted(len(self.trees), 'tree')})"

    def _repr_html_(self) -> str:
        from wordorder.drawing.svg import rows_html

        return rows_html(repr(self), self.trees, len(self.trees))

    @property
    def sentence(self) -> Int64:
        """The sentence of each tree, int64[T]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @property
    def rank(self) -> Int64:
        """The rank of each tree in its list, counted from 1, int64[T]."""
        return concat_ranges(1, np.diff(self.offsets))

    def __getitem__(self, rows: slice) -> KBest:
        """Return the lists of some sentences."""
        if not isinstance(rows, slice):
            raise TypeError("lists are taken by slices: lists[i : i + 1] is one of them")
        start, stop, step = rows.indices(len(self))
        if step != 1:
            raise IndexError("a slice of lists has step 1")
        stop = max(start, stop)
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        return KBest(
            self.trees[first:last], self.offsets[start : stop + 1] - first, self.scores[first:last]
        )

    def take(self, rows: Int64, *, most: int | None = None) -> KBest:
        """Return the lists with the indices `rows`, in that order, also repeatedly.

        Parameters
        ----------
        rows : int64 array
        most : int, optional
            The maximum number of trees of each list, of which the best are kept.

        Examples
        --------
        >>> trees = Treebank.from_words([["Go"], ["I", "go"], ["I", "go"]])
        >>> lists = KBest(trees, np.array([0, 1, 3]), np.array([0.0, -1.0, -3.5]))
        >>> lists.take(np.array([1, 0]), most=1).scores.tolist()
        [-1.0, 0.0]
        """
        sizes = np.diff(self.offsets)[rows]
        list_sizes = sizes if most is None else np.minimum(sizes, most)
        trees = concat_ranges(self.offsets[rows], list_sizes)
        return KBest(self.trees.take(trees), row_offsets(list_sizes), self.scores[trees])

    def distinct(self, *columns: Int32) -> KBest:
        """Return the lists without trees that equal an earlier one in all of the columns."""
        words = zip(self.sentence.tolist(), pairwise(self.trees.offsets.tolist()), strict=True)
        seen: set[tuple[int | bytes, ...]] = set()
        distinct_trees = []
        for tree, (sentence, (first, last)) in enumerate(words):
            key = (sentence, *(column[first:last].tobytes() for column in columns))
            if key not in seen:
                seen.add(key)
                distinct_trees.append(tree)
        trees = np.array(distinct_trees, np.int64)
        counts = np.bincount(self.sentence[trees], minlength=len(self))
        return KBest(self.trees.take(trees), row_offsets(counts), self.scores[trees])

    def united(self, other: KBest) -> KBest:
        """Return all trees of these lists and others of the same sentences, each once."""
        sentence = np.concatenate([self.sentence, other.sentence])
        scores = np.concatenate([self.scores, other.scores])
        # The sort is stable: of equal scores, trees of these lists come first.
        order = np.lexsort((-scores, sentence))
        trees = Treebank.concatenate([self.trees, other.trees]).take(order)
        counts = np.bincount(sentence, minlength=len(self))
        merged = KBest(trees, row_offsets(counts), scores[order])
        return merged.distinct(trees.heads, trees.label.codes)

    def best(self) -> Treebank:
        """Return the first tree of each list; a list without trees is left out."""
        return self.trees.take(self.offsets[:-1][np.diff(self.offsets) > 0])


class OneList:
    """Builds the k-best lists of single sentences.

    The columns of a sentence are copied for all of its candidates in one step, since copying is
    most of the work.

    Parameters
    ----------
    sentences : Treebank

    Examples
    --------
    >>> one = OneList(Treebank.from_words([["Go"], ["It", "rains"]]))
    >>> heads = np.array([2, 0, 0, 1], np.int32)
    >>> lists = one.candidates(1, np.array([3.0, 1.0]), heads=heads)
    >>> lists, lists.trees.form.strings()
    (KBest(1 sentence, 2 trees), ['It', 'rains', 'It', 'rains'])
    """

    def __init__(self, sentences: Treebank) -> None:
        self.sentences = sentences
        self._cuts = sentences.offsets.tolist()
        self._codes = np.stack([sentences.columns[name].codes for name in STRING_COLUMNS])
        self._vocabularies = [sentences.columns[name].vocabulary for name in STRING_COLUMNS]

    def candidates(
        self, row: int, scores: Float64, *, heads: Int32 | None = None, **columns: Column
    ) -> KBest:
        """Return the list of one sentence.

        Parameters
        ----------
        row : int
        scores : float64[T]
        heads : int32[T * n], optional
            The heads of all candidates; by default those of the sentence.
        columns : Column
            Further columns that differ between candidates, with ``T * n`` entries.
        """
        start, stop = self._cuts[row], self._cuts[row + 1]
        trees, words = len(scores), stop - start
        codes = np.tile(self._codes[:, start:stop], (1, trees))
        candidate_columns = {
            name: Column(codes[number], vocabulary)
            for number, (name, vocabulary) in enumerate(
                zip(STRING_COLUMNS, self._vocabularies, strict=True)
            )
        }
        candidate_columns.update(columns)
        if heads is None:
            heads = np.tile(self.sentences.heads[start:stop], trees)
        bank = Treebank(
            words * np.arange(trees + 1),
            heads,
            candidate_columns,
            [self.sentences.margins[row]] * trees,
        )
        return KBest(bank, np.array([0, trees]), scores)
