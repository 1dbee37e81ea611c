"""What the metrics of a permutation share: ties, averages, degenerate lengths."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.kernels._run import Kernel, run_rows
from wordorder.metrics.contract import BaseMetric, best_reference
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Float64, Int64

Counts = Float64 | Int64
# What a ratio metric counts of each row, and the most that it could count; int64[S] each.
Ratio = tuple[Int64, Int64]
DEGENERATE = ("standard", "skip", "beer")


class OrderMetric(BaseMetric):
    """A metric of a permutation, 1 for the identity, larger being better.

    Of several references the one with the best value counts, the first of equal ones.

    Parameters
    ----------
    match : "index" or "first-unmatched"
        How repeated words are matched: by source position, or each to the first instance of
        itself in the reference that is still free.
    ties : "best" or "rank"
        How reference words without an order among them count: the reference is read as suits the
        system best, or they share a rank.
    average : "segment", "micro" or "length"
        The corpus score: the mean over segments; the sum of numerators over the sum of
        denominators; the mean weighted by reference length.
    degenerate : "standard", "skip" or "beer"
        Rows for which a formula has no value. "standard": one word scores 1, a row without words
        is left out and counted. "skip": a row of one word is left out and counted too. "beer": what
        BEER 1.1 prints. With ``average="micro"``, where such rows have nothing to add, "beer" is as
        "standard", and so is "skip" unless one word has something to add (`one_word_counts`).

    Raises
    ------
    UsageError
        If a value is unknown, or the metric has no numerators to sum.
    """

    # What `ties` can change: nothing, since both rules agree; or the value, under a named rule.
    tie_rules: ClassVar[dict[str, str]] = {}
    # BEER 1.1's values for short rows, where they differ from the standard ones.
    beer_values: ClassVar[dict[int, float]] = {}
    averages: ClassVar[tuple[str, ...]] = ("segment", "micro", "length")
    # Whether a row of one word has a denominator, which ``average="micro"`` adds to the others.
    one_word_counts: ClassVar[bool] = True

    def __init__(
        self,
        *,
        match: str = "index",
        ties: str = "best",
        average: str = "segment",
        degenerate: str = "standard",
    ) -> None:
        self.match = choose(f"{self.name}.match", match, ("index", "first-unmatched"))
        self.ties = choose(f"{self.name}.ties", ties, ("best", "rank"))
        self.average = choose(f"{self.name}.average", average, ("segment", "micro", "length"))
        self.degenerate = choose(f"{self.name}.degenerate", degenerate, DEGENERATE)
        if average not in self.averages:
            raise UsageError(
                f"{self.name} has no numerators and denominators to sum: "
                f"average is one of {', '.join(self.averages)}"
            )
        if average == "micro" and not (degenerate == "skip" and self.one_word_counts):
            self.degenerate = "standard"

    @abstractmethod
    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return the value of each row, float64[S]; of a row without words, anything."""

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        fields = [("match", self.match)]
        if self.tie_rules:
            fields.append(("ties", self.tie_rules[self.ties]))
        fields += [*self.extra_fields(), ("average", self.average)]
        if self.average != "micro" or self.degenerate == "skip":
            fields.append(("degenerate", self.degenerate))
        return Signature(self.name, tuple(fields))

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return ()

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: weighted value and weight; zeros for a row that is left out."""
        values, weights = self.row_values(segments)
        if self.average == "length":
            weights = weights * segments.reference_lengths
        return _of_best(np.stack([values * weights, weights], axis=1), values, weights, segments)

    def score(self, totals: Float64) -> Float64:
        """Return weighted values over weights, 0 where there is no weight."""
        return _ratio(totals[..., 0], totals[..., 1])

    def row_values(self, segments: Segments) -> tuple[Float64, Float64]:
        """Return values and weights, the degenerate rows settled."""
        permutation, groups = segments.matched(self.match)
        lengths = permutation.lengths
        values = np.where(lengths > 0, self.values(permutation, groups, segments), 0.0)
        weights = (lengths > 0).astype(np.float64)
        if self.degenerate == "skip":
            values[lengths == 1] = weights[lengths == 1] = 0.0
        if self.degenerate == "beer":
            for length, value in self.beer_values.items():
                values[lengths == length] = value
            weights[:] = 1.0
        return values, weights


class RatioMetric(OrderMetric):
    """An order metric whose value is a function of a ratio of two counts."""

    @abstractmethod
    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return numerator and denominator of each row, both int64[S]."""

    def transform(self, ratio: Float64) -> Float64:
        """Return the value of a ratio."""
        return ratio

    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return the value of each row; 1 where nothing can be wrong."""
        numerator, denominator = self.counts(permutation, groups, segments)
        return self._value(numerator, denominator)

    def _value(self, numerator: Counts, denominator: Counts) -> Float64:
        """Return the value of a ratio, 1 where the denominator is 0."""
        ratio = _ratio(numerator, denominator)
        return np.where(denominator > 0, self.transform(ratio), 1.0)

    def statistics(self, segments: Segments) -> Float64:
        """Return as `OrderMetric`; for ``average="micro"`` float64[S, 4].

        The four columns are numerator and denominator, and for rows without a denominator their
        value and their number, which count only in a corpus of nothing else.
        """
        if self.average != "micro":
            return super().statistics(segments)
        values, weights = self.row_values(segments)
        permutation, groups = segments.matched(self.match)
        numerator, denominator = self.counts(permutation, groups, segments)
        plain = (denominator > 0) & (weights > 0)
        other = np.where(plain, 0.0, weights)
        statistics = np.stack(
            [
                np.where(plain, numerator, 0.0),
                np.where(plain, denominator, 0.0),
                values * other,
                other,
            ],
            axis=1,
        )
        return _of_best(statistics, values, weights, segments)

    def score(self, totals: Float64) -> Float64:
        """Return the value of summed statistics."""
        if self.average != "micro":
            return super().score(totals)
        rest = _ratio(totals[..., 2], totals[..., 3])
        return np.where(
            totals[..., 1] > 0,
            self._value(totals[..., 0], totals[..., 1]),
            rest,
        )


def _of_best(statistics: Float64, values: Float64, weights: Float64, segments: Segments) -> Float64:
    """Return the statistics of each segment's best reference: R rows to S rows."""
    if segments.single:
        return statistics
    costs = np.where(weights > 0, -values, np.inf)
    best = best_reference(costs, segments.reference_offsets)
    chosen = statistics[best] if len(statistics) else np.zeros((len(best), statistics.shape[1]))
    return np.where(best[:, np.newaxis] >= 0, chosen, 0.0)


def _ratio(numerator: Counts, denominator: Counts) -> Float64:
    """Divide, with 0 where there is nothing to divide by."""
    # Not by the `where` of numpy's ufuncs: out of memory, that ends the process.
    some = np.asarray(denominator) > 0
    return np.where(some, numerator / np.where(some, denominator, 1), 0.0)


def per_row(kernel: Kernel, rows: Ragged, working: int = 0) -> Int64:
    """Return the number that a kernel finds for each row, int64[S].

    Parameters
    ----------
    kernel : callable
        Takes values, offsets and the numbers to be written.
    rows : Ragged
    working : int
        How many working arrays it takes, of one entry more than the longest row.
    """
    found = np.empty(len(rows), np.int64)
    run_rows(
        kernel,
        *(rows.offsets, rows.values, rows.offsets, found),
        scratch=lambda longest: tuple(np.empty(longest + 1, np.int32) for _ in range(working)),
    )
    return found
