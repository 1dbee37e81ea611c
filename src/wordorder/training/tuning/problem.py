"""The input of tuning: features and statistics of the candidates of each sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wordorder.arrays import Bool, Float64, Int64, concat_ranges, row_offsets
from wordorder.errors import InputError, UsageError
from wordorder.kernels import run_rows, translation as kernel

ScoreFunction = Callable[[Float64], Float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """The candidates of all sentences: their features, and their statistics for a metric.

    Parameters
    ----------
    features : float64[N, F]
        Finite. The score of a candidate is the sum of its features times the weights; in each
        sentence the first candidate with the highest score is chosen.
    statistics : float64[N, k]
        Finite. The metric's statistics of each candidate.
    offsets : int64[S+1]
        Sentence ``s`` has the candidates ``offsets[s] .. offsets[s+1]-1``, at least one.
    score : callable, float64[..., k] -> float64[...]
        The metric's value for the summed statistics of the chosen candidates.
    higher_is_better : bool
    objective : str
        The name of the value.

    Raises
    ------
    InputError
        If a number is not finite.
    UsageError
        If shapes do not match, or a sentence has no candidate.

    Examples
    --------
    >>> problem = Problem(
    ...     features=np.array([[1.0, 0.0], [0.0, 1.0]]),
    ...     statistics=np.array([[0.0], [1.0]]),
    ...     offsets=np.array([0, 2]),
    ...     score=lambda totals: totals[..., 0],
    ... )
    >>> problem.value(np.array([1.0, 0.0])), problem.value(np.array([0.0, 1.0]))
    (0.0, 1.0)
    """

    features: Float64
    statistics: Float64
    offsets: Int64
    score: ScoreFunction
    higher_is_better: bool = True
    objective: str = "score"

    def __post_init__(self) -> None:
        for name in ("features", "statistics"):
            matrix = np.ascontiguousarray(getattr(self, name), np.float64)
            if matrix.ndim != 2 or matrix.shape[1] == 0:
                raise UsageError(
                    f"{name} are a matrix [candidates, n], not of shape {matrix.shape}"
                )
            if not np.isfinite(matrix).all():
                row, column = np.argwhere(~np.isfinite(matrix))[0].tolist()
                candidate = f"candidate {row}"
                raise InputError(
                    candidate, f"{name}[{column}] is {matrix[row, column]}", "a number"
                )
            object.__setattr__(self, name, matrix)
        offsets = np.ascontiguousarray(self.offsets, np.int64)
        if len(offsets) < 2 or np.any(np.diff(offsets) < 1) or offsets[0] != 0:
            raise UsageError("tuning needs sentences, each with at least one candidate")
        if not offsets[-1] == len(self.features) == len(self.statistics):
            raise UsageError(
                f"{len(self.features)} rows of features, {len(self.statistics)} of statistics, "
                f"but sentences of {offsets[-1]} candidates"
            )
        object.__setattr__(self, "offsets", offsets)

    @property
    def width(self) -> int:
        """Number of features, F."""
        return int(self.features.shape[1])

    @property
    def sentences(self) -> int:
        """Number of sentences, S."""
        return len(self.offsets) - 1

    @cached_property
    def columns(self) -> Float64:
        """The features, transposed, float64[F, N]."""
        return np.ascontiguousarray(self.features.T)

    @cached_property
    def sentence_of(self) -> Int64:
        """The sentence of each candidate, int64[N]."""
        return np.repeat(np.arange(self.sentences, dtype=np.int64), np.diff(self.offsets))

    @cached_property
    def spread(self) -> Float64:
        """Mean absolute deviation of each feature in the sentences where it varies, float64[F].

        So the spread does not depend on how many sentences a feature varies in.
        """
        means = np.add.reduceat(self.features, self.offsets[:-1], axis=0)
        means /= np.diff(self.offsets)[:, np.newaxis]
        first_features = self.features[self.offsets[:-1]]
        differs = self.features != first_features[self.sentence_of]
        varies = np.logical_or.reduceat(differs, self.offsets[:-1], axis=0)
        counts = (varies * np.diff(self.offsets)[:, np.newaxis]).sum(axis=0)
        deviations = np.where(
            varies[self.sentence_of], np.abs(self.features - means[self.sentence_of]), 0
        )
        return np.asarray(deviations.sum(axis=0) / np.maximum(counts, 1), np.float64)

    @cached_property
    def varies(self) -> Bool:
        """Whether each feature differs between any candidates of a sentence, bool[F]."""
        first_features = self.features[self.offsets[:-1]]
        return np.asarray((self.features != first_features[self.sentence_of]).any(axis=0), np.bool_)

    def goodness(self, totals: Float64) -> Float64:
        """Return the metric's value for sums of statistics, negated if lower is better."""
        scores = np.asarray(self.score(totals), np.float64)
        if not np.isfinite(scores).all():
            index = tuple(np.argwhere(~np.isfinite(scores))[0])
            raise UsageError(
                f"{self.objective} is {scores[index]} for the sums {totals[index].tolist()}"
            )
        return scores if self.higher_is_better else -scores

    def project(self, directions: Float64) -> Float64:
        """Return the products of features and directions, float64[D, F] to float64[D, N]."""
        directions = np.ascontiguousarray(directions, np.float64)
        out = np.empty((len(directions), len(self.features)))
        rows = np.arange(len(self.features) + 1, dtype=np.int64) * directions.size
        arrays = (self.columns.ravel(), directions.ravel(), self.width, len(self.features))
        run_rows(kernel.project, rows, *arrays, out.ravel())
        return out

    def best(self, scores: Float64) -> Int64:
        """Return the index of the first candidate with the highest score per sentence, int64[S]."""
        best = np.empty(self.sentences, np.int64)
        run_rows(kernel.best_candidates, self.offsets, scores, self.offsets, best)
        return best

    def chosen(self, weights: Float64) -> Int64:
        """Return the index of the candidate that weights choose for each sentence, int64[S]."""
        return self.best(self.project(weights[np.newaxis])[0])

    def totals(self, weights: Float64) -> Float64:
        """Return the summed statistics of the chosen candidates, float64[k]."""
        return np.asarray(self.statistics[self.chosen(weights)].sum(axis=0), np.float64)

    def value(self, weights: Float64) -> float:
        """Return the metric's value of the candidates that weights choose."""
        return float(self.score(self.totals(weights)))

    def take(self, sentences: Int64) -> Problem:
        """Return the problem of some sentences, which may be repeated."""
        counts = np.diff(self.offsets)[sentences]
        offsets, rows = row_offsets(counts), concat_ranges(self.offsets[sentences], counts)
        return replace(
            self, features=self.features[rows], statistics=self.statistics[rows], offsets=offsets
        )


def drop_duplicates(problem: Problem) -> tuple[Problem, Int64]:
    """Drop candidates that have the features of an earlier one of their sentence.

    Under any weights the earlier one is chosen.

    Returns
    -------
    Problem, and int64[M]: the ascending indices of the kept candidates
    """
    features = problem.features + 0.0  # -0.0 is 0.0
    rows = np.column_stack([problem.sentence_of.astype(np.float64), features])
    row_bytes = np.ascontiguousarray(rows).view([("", np.float64)] * rows.shape[1]).ravel()
    _, first = np.unique(row_bytes, return_index=True)
    first_rows = np.sort(first)
    offsets = np.searchsorted(first_rows, problem.offsets)
    reduced = replace(
        problem,
        features=problem.features[first_rows],
        statistics=problem.statistics[first_rows],
        offsets=offsets,
    )
    return reduced, first_rows
