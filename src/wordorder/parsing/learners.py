"""The common part of the learners of taggers and parsers: encoded sentences, lists, updates."""

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

# Takes the index of a sentence and a number of candidates; returns at most that number, best first:
# in codes of the model, their scores in units, and as columns and heads of a treebank.
Best = Callable[[int, int], tuple[Any, Int64, dict[str, Any]]]

# Tags or a tree of a sentence, as they are given, and in the numbers of a model.
Given = TypeVar("Given")
Numbered = TypeVar("Numbered")


class CandidateSentences(ABC, Generic[Given, Numbered]):
    """Sentences as a tagger or parser sees them, to learn from any tags or trees of theirs.

    Attributes
    ----------
    offsets : int64[S+1]
        Where each sentence starts.
    """

    offsets: Int64

    @abstractmethod
    def numbered(self, row: int, given: Given) -> Numbered:
        """Return tags or a tree of a sentence in numbers; an InputError if they cannot be."""

    @abstractmethod
    def change(
        self, weights: Weights, row: int, better: Numbered, worse: Numbered, before: int
    ) -> bool:
        """Update the weights as `update` does, without its checks."""

    def update(self, weights: Weights, row: int, better: Given, worse: Given, before: int) -> bool:
        """Add the features of one candidate for a sentence to the weights, take off another's.

        Parameters
        ----------
        weights : Weights
        row : int
            Number of the sentence.
        better, worse : tags, or (heads, labels)
            Tags as the tagger writes them, such as ``("NOUN", "NN")``; heads and labels as
            `features` of a parser takes them; or the numbers of tags and labels.
        before : int
            How many instances these weights have seen; one more after this call, even if
            nothing changed.

        Returns
        -------
        bool
            Whether the candidates differ.

        Raises
        ------
        InputError
            If one of them cannot be.
        """
        good, bad = self.numbered(row, better), self.numbered(row, worse)
        return self.change(weights, row, good, bad, before)

    def require(self, row: int, **columns: Sequence[object] | Array) -> None:
        """Refuse columns that have not one entry for each word of a sentence."""
        n = int(self.offsets[row + 1] - self.offsets[row])
        for name, entries in columns.items():
            if len(entries) != n:
                raise InputError(f"sentence {row + 1}", f"{len(entries)} {name}", str(n))


class CandidateLister:
    """Lists the best candidates of a sentence, and favours one of them.

    Parameters
    ----------
    sentences : CandidateSentences
    lists : OneList
    best : Best
        Under `weights`.
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
        """Return up to `k` candidates of a sentence under the weights of this moment."""
        self._row = row
        self._candidates, scores, columns = self._best(row, k)
        return self._lists.candidates(row, scores / UNIT, **columns)

    def prefer(self, better: int, before: int) -> bool:
        """Favour a candidate of the last list over the first one; say if they differ."""
        good, bad = self._candidates[better], self._candidates[0]
        return self._sentences.change(self._weights, self._row, good, bad, before)


class SentenceLearner(ABC, Generic[Given]):
    """The base class of learners of taggers and parsers, which process single sentences."""

    _sentences: CandidateSentences[Given, Any]

    @abstractmethod
    def encoded(self, sentences: Treebank) -> CandidateSentences[Given, Any]:
        """Return sentences as the model sees them."""

    @abstractmethod
    def best(self, sentences: Any, weights: Weights) -> Best:
        """Return a function that finds the best candidates of a sentence of `encoded`."""

    def lister(self, sentences: Treebank) -> Callable[[Weights], CandidateLister]:
        """Return a function that makes listers of sentences; a parser's sentences have tags."""
        encoded, lists = self.encoded(sentences), OneList(sentences)
        return lambda weights: CandidateLister(encoded, lists, self.best(encoded, weights), weights)

    @property
    def instances(self) -> int:
        """Number of sentences to learn from."""
        return len(self._sentences.offsets) - 1

    @abstractmethod
    def step(self, weights: Weights) -> Step:
        """Return a function that processes one sentence at a time, as `learn` does."""

    def learn(self, rows: Int64, weights: Weights, before: int) -> UpdateCounts:
        """Process sentences in the given order and change the weights in place.

        Parameters
        ----------
        rows : int64 array
            Numbers of sentences.
        weights : Weights
        before : int
            How many instances these weights have seen; counts up with each sentence.
        """
        step = self.step(weights)
        updates = sum(step(row, seen) for seen, row in enumerate(rows.tolist(), before))
        return UpdateCounts(len(rows), updates)

    def update(self, weights: Weights, row: int, better: Given, worse: Given, before: int) -> bool:
        """Favour one candidate for a sentence, as `CandidateSentences.update` does."""
        return self._sentences.update(weights, row, better, worse, before)


def joined_trees(pieces: Sequence[tuple[Int32, Int32, Int64, Int64]]) -> tuple[Any, ...]:
    """Return heads, labels, scores and numbers of trees of all pieces."""
    return concatenate_pieces(pieces, np.int32, np.int32, np.int64, np.int64)
