"""Base classes of the learners of taggers and parsers: encoded sentences, lists, updates."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from wordorder.arrays import Array, Int32, Int64, concatenate_pieces
from wordorder.errors import InputError
from wordorder.parsing.epochs import UpdateCounts
from wordorder.parsing.weights import UNIT, Step, Weights
from wordorder.treebank.kbest import KBest, OneList
from wordorder.treebank.treebank import Treebank

# Takes the index of a sentence and the maximum number of candidates; returns the best candidates
# in codes of the model, their scores in units, and their columns of a treebank.
Best = Callable[[int, int], tuple[Any, Int64, dict[str, Any]]]

# The tags or the tree of a sentence, as strings and heads, and in codes of the model.
Specified = TypeVar("Specified")
Encoded = TypeVar("Encoded")


class CandidateSentences(ABC, Generic[Specified, Encoded]):
    """Encoded sentences from which a model can learn to prefer any tags or trees over others.

    Attributes
    ----------
    offsets : int64[S+1]
        The offset of each sentence's first word.
    """

    offsets: Int64

    @abstractmethod
    def numbered(self, row: int, given: Specified) -> Encoded:
        """Return the tags or the tree of a sentence in codes; InputError if they are invalid."""

    @abstractmethod
    def change(
        self, weights: Weights, row: int, better: Encoded, worse: Encoded, before: int
    ) -> bool:
        """Update the weights as `update` does, for candidates in codes."""

    def update(
        self, weights: Weights, row: int, better: Specified, worse: Specified, before: int
    ) -> bool:
        """Add the features of one candidate of a sentence to the weights, subtract another's.

        Parameters
        ----------
        weights : Weights
        row : int
            The index of the sentence.
        better, worse : tags, or (heads, labels)
            The tags of words, such as ``("NOUN", "NN")``; or heads, and labels as strings; tags
            and labels may also be codes of the model.
        before : int
            The number of instances that the weights have seen before this one, which counts as an
            instance even if nothing changes.

        Returns
        -------
        bool
            Whether the candidates differ.

        Raises
        ------
        InputError
            If a candidate is invalid.
        """
        good, bad = self.numbered(row, better), self.numbered(row, worse)
        return self.change(weights, row, good, bad, before)

    def require(self, row: int, **columns: Sequence[object] | Array) -> None:
        """Raise an InputError unless columns have one entry per word of a sentence."""
        n = int(self.offsets[row + 1] - self.offsets[row])
        for name, entries in columns.items():
            if len(entries) != n:
                raise InputError(f"sentence {row + 1}", f"{len(entries)} {name}", str(n))


class CandidateLister:
    """Lists the best candidates of a sentence, and updates the weights to prefer one of them.

    Parameters
    ----------
    sentences : CandidateSentences
    lists : OneList
    best : Best
        The search with `weights`.
    weights : Weights
    """

    def __init__(
        self, sentences: CandidateSentences[Any, Any], lists: OneList, best: Best, weights: Weights
    ) -> None:
        self._sentences, self._lists = sentences, lists
        self._best, self._weights = best, weights
        self._row = 0
        self._candidates: Any = ()

    def list_candidates(self, row: int, k: int) -> KBest:
        """Return up to `k` candidates of a sentence with the present weights."""
        self._row = row
        self._candidates, scores, columns = self._best(row, k)
        return self._lists.candidates(row, scores / UNIT, **columns)

    def prefer(self, better: int, before: int) -> bool:
        """Prefer a candidate of the last list to its first one; return whether they differ."""
        good, bad = self._candidates[better], self._candidates[0]
        return self._sentences.change(self._weights, self._row, good, bad, before)


class SentenceLearner(ABC, Generic[Specified]):
    """The base class of learners of taggers and parsers, which process single sentences."""

    _sentences: CandidateSentences[Specified, Any]

    @abstractmethod
    def encoded(self, sentences: Treebank) -> CandidateSentences[Specified, Any]:
        """Return the encoded sentences."""

    @abstractmethod
    def best(self, sentences: Any, weights: Weights) -> Best:
        """Return a function that finds the best candidates of a sentence of `encoded`."""

    def lister(self, sentences: Treebank) -> Callable[[Weights], CandidateLister]:
        """Return a function that builds a lister with weights; a parser's sentences have tags."""
        encoded, lists = self.encoded(sentences), OneList(sentences)
        return lambda weights: CandidateLister(encoded, lists, self.best(encoded, weights), weights)

    @property
    def instances(self) -> int:
        """The number of sentences to learn from."""
        return len(self._sentences.offsets) - 1

    @abstractmethod
    def step(self, weights: Weights) -> Step:
        """Return a function that processes one sentence at a time, as `learn` does."""

    def learn(self, rows: Int64, weights: Weights, before: int) -> UpdateCounts:
        """Process sentences in the given order and change the weights in place.

        Parameters
        ----------
        rows : int64 array
            The indices of the sentences.
        weights : Weights
        before : int
            The number of instances that the weights have seen before these.
        """
        step = self.step(weights)
        updates = sum(step(row, seen) for seen, row in enumerate(rows.tolist(), before))
        return UpdateCounts(len(rows), updates)

    def update(
        self, weights: Weights, row: int, better: Specified, worse: Specified, before: int
    ) -> bool:
        """Update the weights by two candidates; see `CandidateSentences.update`."""
        return self._sentences.update(weights, row, better, worse, before)


def concatenate_trees(pieces: Sequence[tuple[Int32, Int32, Int64, Int64]]) -> tuple[Any, ...]:
    """Concatenate the heads, labels, scores and numbers of trees of several pieces."""
    return concatenate_pieces(pieces, np.int32, np.int32, np.int64, np.int64)
