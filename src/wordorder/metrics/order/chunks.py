"""Metrics of a permutation that count its pairs, places and longest run in order."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wordorder.arrays import Bool, Float64, Int64, Ragged, concat_ranges, row_offsets
from wordorder.errors import UsageError
from wordorder.kernels import orders as orders_kernel
from wordorder.metrics.contract import BaseMetric, best_reference, rows_or_zeros
from wordorder.metrics.options import choice
from wordorder.metrics.rows import count_per_row
from wordorder.order.orders import tied_pairs
from wordorder.segments import Segments
from wordorder.segments.columns import Provenance
from wordorder.signature import Signature

Counts = Float64 | Int64
# What a ratio metric counts of each row, and the most that it could count; int64[S] each.
Ratio = tuple[Int64, Int64]
DEGENERATE = ("standard", "skip", "beer")
FEW = ("zero", "skip", "one")


@dataclass(kw_only=True, eq=False, repr=False)
class OrderMetric(BaseMetric):
    """A metric of a permutation, 1 for the identity, larger being better.

    Of several references the one with the best value counts, the first of equal ones; of
    translations only those references count that match best (by F1 of matched words).

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
    few : "zero", "skip" or "one"
        Translations that match fewer than two words of a longer reference, and orders without any
        of the reference's words. "zero": they score 0, as in RIBES 1.03, so that leaving words out
        gains nothing. "skip": they are left out and counted. "one": a single matched word scores 1,
        and a row without any is left out. With ``degenerate="beer"`` BEER's values stay.

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

    match: str = choice("index", "first-unmatched")
    ties: str = choice("best", "rank")
    average: str = choice("segment", "micro", "length")
    degenerate: str = choice(*DEGENERATE)
    few: str = choice(*FEW)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.average not in self.averages:
            legal = ", ".join(self.averages)
            problem = f"{self.name} has no numerators and denominators to sum"
            raise UsageError(f"{problem}: average is one of {legal}")
        skips = self.degenerate == "skip" and self.one_word_counts
        if self.average == "micro" and not skips:
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
        if self.degenerate != "beer":
            fields.append(("few", self.few))
        return Signature(self.name, tuple(fields))

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return ()

    def origin(self, segments: Segments) -> Provenance:
        """Return the fields of signatures that tell how the orders came about."""
        return segments.of_matched_words().described(self.columns)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: weighted value and weight; zeros for a row that is left out."""
        segments = segments.of_matched_words()
        values, weights = self.scored_values(segments)
        if self.average == "length":
            weights = weights * segments.reference_lengths
        return _of_best(np.stack([values * weights, weights], axis=1), values, weights, segments)

    def score(self, totals: Float64) -> Float64:
        """Return weighted values over weights, 0 where there is no weight."""
        return _ratio(totals[..., 0], totals[..., 1])

    def scored_values(self, segments: Segments) -> tuple[Float64, Float64]:
        """Return values and weights, with the rows that match too few words as `few` says."""
        values, weights = self.row_values(segments)
        if self.few != "one" and self.degenerate != "beer":
            has_few = few_matches(segments)
            values[has_few] = 0.0
            weights[has_few] = float(self.few == "zero")
        return values, weights

    def row_values(self, segments: Segments) -> tuple[Float64, Float64]:
        """Return values and weights of the words that match, the degenerate rows settled."""
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

    # The ratio whose value is 0.
    worst_ratio: ClassVar[float] = 0.0

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
        segments = segments.of_matched_words()
        values, weights = self.scored_values(segments)
        permutation, groups = segments.matched(self.match)
        numerator, denominator = self.counts(permutation, groups, segments)
        few_rows = np.flatnonzero(few_matches(segments))
        if self.few == "zero" and len(few_rows):
            # Silence counts like a whole reference in the worst order.
            numerator, denominator = numerator.copy(), denominator.copy()
            largest = self._largest_denominators(segments.reference_lengths[few_rows])
            numerator[few_rows], denominator[few_rows] = self.worst_ratio * largest, largest
        plain = (denominator > 0) & (weights > 0)
        other_weights = np.where(plain, 0.0, weights)
        counts = [np.where(plain, column, 0.0) for column in (numerator, denominator)]
        statistics = np.stack([*counts, values * other_weights, other_weights], axis=1)
        return _of_best(statistics, values, weights, segments)

    def _largest_denominators(self, lengths: Int64) -> Int64:
        """Return the largest denominator for each row length, without ties."""
        rows = Ragged(concat_ranges(0, lengths).astype(np.int32), row_offsets(lengths))
        return self.counts(rows, None, Segments.from_permutations(rows))[1]

    def score(self, totals: Float64) -> Float64:
        """Return the value of summed statistics."""
        if self.average != "micro":
            return super().score(totals)
        remainder = _ratio(totals[..., 2], totals[..., 3])
        return np.where(totals[..., 1] > 0, self._value(totals[..., 0], totals[..., 1]), remainder)


def few_matches(segments: Segments) -> Bool:
    """Return which rows match too few words of their reference to have an order, bool[R].

    Those without a word where the reference has some; of translations also those that match one
    word of a longer reference.
    """
    matched, reference = segments.permutation.lengths, segments.reference_lengths
    least = 2 if segments.of_translations else 1
    return matched < np.minimum(reference, least)


def _of_best(statistics: Float64, values: Float64, weights: Float64, segments: Segments) -> Float64:
    """Return the statistics of each segment's best reference: R rows to S rows."""
    if segments.single:
        return statistics
    return rows_or_zeros(statistics, best_matched(values, segments, weights > 0))


def best_matched(values: Float64, segments: Segments, has_value: Bool | None = None) -> Int64:
    """Return for each segment the number of the reference that is scored, int64[S].

    It is -1 if no reference has a value. Of translations it is one with the best F1 of matched
    words, so that a reference that shares few words changes nothing; among these, and of orders, it
    is the first with the best value.

    Parameters
    ----------
    values : float64[R]
    segments : Segments
    has_value : bool[R], optional
        Whether the reference has a value; by default all have one.
    """
    costs = -values if has_value is None else np.where(has_value, -values, np.inf)
    offsets = segments.reference_offsets
    if segments.of_translations:
        shares = segments.matched_f1
        best = best_reference(-shares, offsets)
        chosen = np.repeat(best, np.diff(offsets))
        costs[shares < shares[chosen]] = np.inf
    return best_reference(costs, offsets)


def _ratio(numerator: Counts, denominator: Counts) -> Float64:
    """Divide, with 0 where there is nothing to divide by."""
    # Not by the `where` of numpy's ufuncs: out of memory, that ends the process.
    is_positive = np.asarray(denominator) > 0
    return np.where(is_positive, numerator / np.where(is_positive, denominator, 1), 0.0)


class FuzzyReorderingScore(RatioMetric):
    """Share of neighbouring words that the system keeps together and in order.

    Cut the system's order into the fewest pieces that occur unbroken in the reference. A reader
    who follows the reference jumps once between pieces, so with ``C`` pieces over ``M`` words the
    score is ``1 - (C - 1) / (M - 1)`` (Talbot et al. 2011, equation 1). 1 exactly when the orders
    agree; one word scores 1 (``degenerate="beer"``: 0).

    With ``ties="best"`` the words of a group are read in the order that suits the system best,
    exactly and in linear time. With ``ties="rank"`` neighbours count when their ranks are equal
    or rise by one, even if a word of the group is left behind between them.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    Katz-Brown et al. (2011): reference A B C D E, system A B E C D.

    >>> FuzzyReorderingScore().segment_scores(Segments.from_permutations([[0, 1, 4, 2, 3]]))
    array([0.5])
    """

    name = "frs"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0, 1: 0.0}
    one_word_counts = False

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return contiguous pairs and all pairs of neighbours."""
        pairs = segments.derived(
            ("contiguous", self.match, self.ties),
            lambda: contiguous_pairs(permutation, groups, self.ties),
        )
        return pairs, permutation.lengths - 1


def contiguous_pairs(permutation: Ragged, groups: Ragged | None, ties: str) -> Int64:
    """Count the neighbours of each row that follow each other in the reference too, int64[S]."""
    if groups is None:
        return count_per_row(orders_kernel.count_contiguous_pairs, permutation)
    if ties == "rank":
        return count_per_row(orders_kernel.contiguous_rank_pairs, groups)
    return tied_pairs(groups)[0]


class BoundaryReorderingScore(RatioMetric):
    """Share of neighbours kept together, both ends of the sentence counting as words.

    With ``n`` words there are ``n + 1`` pairs of neighbours: the score is ``1 - d / (n + 1)``, with
    `d` of them not contiguous in the reference. This is what the evaluators of lader and
    topdown-btg print as "fuzzy reordering score"; it is another number than `frs`.
    ``ties="rank"`` is their rule for words of one rank.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> BoundaryReorderingScore().segment_scores(Segments.from_permutations([[0, 1, 4, 2, 3]]))
    array([0.5])
    >>> BoundaryReorderingScore().segment_scores(Segments.from_permutations([[2, 1, 0]]))
    array([0.])
    """

    name = "frs-boundary"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0}

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return contiguous pairs and all pairs of neighbours, the ends included."""

        def with_both() -> Int64:
            tied = None if groups is None else with_ends(groups)
            return contiguous_pairs(with_ends(permutation), tied, self.ties)

        pairs = segments.derived(("contiguous with ends", self.match, self.ties), with_both)
        return pairs, permutation.lengths + 1


def with_ends(rows: Ragged) -> Ragged:
    """Add a first word and a last word to each row, both in place.

    Examples
    --------
    >>> with_ends(Ragged.from_rows([[1, 0], []])).to_lists()
    [[0, 2, 1, 3], [0, 1]]
    """
    offsets = rows.offsets + 2 * np.arange(len(rows) + 1)
    inside = np.ones(int(offsets[-1]), np.bool_)
    inside[offsets[:-1]] = False
    inside[offsets[1:] - 1] = False
    values = np.zeros(int(offsets[-1]), np.int32)
    values[inside] = rows.values + np.int32(1)
    highest = np.zeros(len(rows), np.int32)
    filled = rows.lengths > 0
    if filled.any():
        highest[filled] = np.maximum.reduceat(rows.values, rows.offsets[:-1][filled]) + 1
    values[offsets[1:] - 1] = highest + 1
    return Ragged(values, offsets)


class Exact(OrderMetric):
    """1 for a sentence whose whole order is right, 0 for any other.

    The corpus score is the share of such sentences ("Exact" in Hall et al. 2011, table 1). Tied
    words may come in any order inside their group; both rules for ties agree. Numerator and
    denominator are the value and 1, so ``average="micro"`` is the mean over segments.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Exact().segment_scores(Segments.from_permutations([[0, 1, 2], [0, 2, 1]]))
    array([1., 0.])
    """

    name = "exact"
    beer_values = {0: 0.0}

    def __post_init__(self) -> None:
        if self.average == "micro":
            self.average = "segment"
        super().__post_init__()

    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return 1 for the identity, 0 for any other row."""
        # Tied words are in the system's order: an order without a fault is the identity.
        pairs = segments.derived(
            ("contiguous, no ties", self.match), lambda: contiguous_pairs(permutation, None, "best")
        )
        right: Float64 = (pairs == permutation.lengths - 1).astype(np.float64)
        return right


class Ulam(RatioMetric):
    """Share of words that can stay where they are while the others are moved.

    ``(LCS(pi, identity) - 1) / (n - 1)`` (Stanojević & Sima'an 2016, figure 2), with the longest
    common subsequence that the order shares with the reference. One word moved costs one place,
    however far. One word scores 1 (``degenerate="beer"``: 0).

    Tied words may come in any order inside their group; both rules for ties agree.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Ulam().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.75])
    """

    name = "ulam"
    beer_values = {0: 0.0, 1: 0.0}
    one_word_counts = False

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return the longest increasing subsequence and the words, each less one."""
        # Tied words are in the system's order, which lets all of them count.
        length = segments.derived(
            ("in order", self.match),
            lambda: count_per_row(orders_kernel.longest_increasing, permutation, 1),
        )
        return length - 1, permutation.lengths - 1


class Kendall(RatioMetric):
    """Share of pairs of words that are in the right order.

    ``1 - d / ((n^2 - n) / 2)`` with `d` pairs in the wrong order (Stanojević & Sima'an 2016, figure
    2; Birch & Osborne 2010). The identity scores 1, the inverted order 0, a random one .5. This is
    ``(tau + 1) / 2`` for the tau of statistics. One word scores 1 (``degenerate="beer"``: 0).

    With ``ties="best"`` pairs inside a group are right; with ``ties="rank"`` they do not count at
    all, neither as right nor as pairs.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Kendall().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.9])
    """

    name = "kendall"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0, 1: 0.0}
    one_word_counts = False

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return pairs in order and all pairs."""
        discordant, pairs = discordant_pairs(self, permutation, groups, segments)
        return pairs - discordant, pairs


def discordant_pairs(
    metric: RatioMetric, permutation: Ragged, groups: Ragged | None, segments: Segments
) -> tuple[Int64, Int64]:
    """Return the pairs of each row in the wrong order, and its pairs; both int64[S]."""
    lengths = permutation.lengths
    pairs = lengths * (lengths - 1) // 2
    if groups is not None and metric.ties == "rank":
        pairs = pairs - segments.derived(("tied pairs", metric.match), lambda: _tied_pairs(groups))
    # Tied words are in the system's order, so no pair inside a group is ever discordant.
    discordant = segments.derived(
        ("inversions", metric.match),
        lambda: count_per_row(orders_kernel.inversions, permutation, 2),
    )
    return discordant, pairs


def _tied_pairs(groups: Ragged) -> Int64:
    """Count the pairs of words of each row that share a group."""
    row = np.repeat(np.arange(len(groups)), groups.lengths)
    order = np.lexsort((groups.values, row))
    # Group numbers are dense, so the start of a row plus a group's number is unique.
    number = groups.values[order] + groups.offsets[row]
    size = np.bincount(number, minlength=len(groups.values))
    total = row_offsets(size * (size - 1) // 2)
    return np.diff(total[groups.offsets])


class Spearman(RatioMetric):
    """One minus the normalised sum of squared distances between places.

    ``1 - 3 * sum((pi_i - i)^2) / (n (n^2 - 1))`` (Stanojević & Sima'an 2016, figure 2): the
    identity scores 1, the inverted order 0. This is ``(rho + 1) / 2`` for the rho of statistics. A
    word far from its place weighs much more than several that are slightly off. One word scores 1
    (``degenerate="beer"``: .5).

    With ``ties="rank"`` the place of a word of a group is the middle of the group's places, so an
    order with ties cannot reach 1.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Spearman().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.95])
    """

    name = "spearman"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0, 1: 0.5}
    one_word_counts = False

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return the squared distances saved, and those of the inverted order."""
        lengths = permutation.lengths
        largest = lengths * (lengths * lengths - 1) // 3
        if groups is not None and self.ties == "rank":
            doubled = segments.derived(
                ("middle places", self.match),
                lambda: count_per_row(orders_kernel.squared_tied_displacement, groups, 1),
            )
            return 4 * largest - doubled, 4 * largest
        distance = segments.derived(
            ("places", self.match),
            lambda: count_per_row(orders_kernel.squared_displacement, permutation),
        )
        return largest - distance, largest


class KendallSqrt(RatioMetric):
    """One minus the square root of the share of pairs in the wrong order.

    ``1 - sqrt(d / ((n^2 - n) / 2))``: the form in which Kendall's distance enters LRscore; its
    authors found the square root to predict people's judgements better (Birch et al. 2010, as
    Talbot et al. 2011, section 2.1, report). The first wrong pairs cost most. One word scores 1
    (``degenerate="beer"``: 0). Ties as in `Kendall`. With ``average="micro"`` the root is taken of
    the pooled share.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> KendallSqrt().segment_scores(Segments.from_permutations([[0, 3, 4, 1, 2]])).round(4)
    array([0.3675])
    """

    name = "kendall-sqrt"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0, 1: 0.0}
    one_word_counts = False
    worst_ratio = 1.0

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return pairs in the wrong order and all pairs."""
        return discordant_pairs(self, permutation, groups, segments)

    def transform(self, ratio: Float64) -> Float64:
        """Return the value of a share of wrong pairs."""
        return 1.0 - np.sqrt(ratio)


class Hamming(RatioMetric):
    """Share of words that are in their place.

    ``#{i : pi_i = i} / n`` (Stanojević & Sima'an 2016, figure 2; Birch & Osborne 2010). One word
    moved from the front to the end takes all words out of their place and scores 0.

    A word of a tie group is in place in any place of its group; both rules for ties agree.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Hamming().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.6])
    """

    name = "hamming"
    beer_values = {0: 0.0}

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return words in place and all words."""

        def in_place() -> Int64:
            if groups is None:
                return count_per_row(orders_kernel.in_place, permutation)
            return count_per_row(orders_kernel.in_tied_place, groups, 1)

        return segments.derived(("in place", self.match), in_place), permutation.lengths
