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
# Numerator and denominator of each row, int64[S] each.
Ratio = tuple[Int64, Int64]
DEGENERATE = ("standard", "skip", "beer")
FEW = ("zero", "skip", "one")


@dataclass(kw_only=True, eq=False, repr=False)
class OrderMetric(BaseMetric):
    """A metric of a permutation: 1 for the identity, and larger is better.

    A segment with several references gets the best value over them. For translations, only the
    references with the highest F1 of matched words are considered.

    Parameters
    ----------
    match : "index" or "first-unmatched"
        How repeated words are matched. "index": by source position. "first-unmatched": to the
        first unmatched instance of the word in the reference.
    ties : "best" or "rank"
        How tied reference words are scored. "best": in the order that suits the system best.
        "rank": they share a rank.
    average : "segment", "micro" or "length"
        How the corpus score is computed. "segment": the mean over segments. "micro": the sum of
        numerators over the sum of denominators. "length": the mean weighted by reference length.
    degenerate : "standard", "skip" or "beer"
        How rows are scored for which a formula has no value. "standard": one word scores 1, a row
        without words is left out and counted. "skip": a row of one word is left out and counted
        too. "beer": as BEER 1.1 does. With ``average="micro"``, where such rows add nothing, "beer"
        is the same as "standard", and so is "skip" unless one word adds something
        (`one_word_counts`).
    few : "zero", "skip" or "one"
        How rows with too few matches are scored: translations that match fewer than two words of a
        longer reference, and orders without any of the reference's words. "zero": they score 0, as
        in RIBES 1.03, so that leaving words out gains nothing. "skip": they are left out and
        counted. "one": a single matched word scores 1, and a row without matches is left out. With
        ``degenerate="beer"``, the values of BEER are used.

    Raises
    ------
    UsageError
        If a value is unknown, or `average` is "micro" and the metric is not a ratio.
    """

    # The signature's name of each rule for ties; empty if both rules give the same value.
    tie_rules: ClassVar[dict[str, str]] = {}
    # The values of BEER 1.1 for short rows, by length, where they differ from the standard ones.
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
            averages = ", ".join(self.averages)
            problem = f"{self.name} has no numerators and denominators to sum"
            raise UsageError(f"{problem}: average is one of {averages}")
        skips = self.degenerate == "skip" and self.one_word_counts
        if self.average == "micro" and not skips:
            self.degenerate = "standard"

    @abstractmethod
    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return the value of each row, float64[S]; values of empty rows are ignored."""

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
        """Return the signature fields of the options that only this metric has."""
        return ()

    def origin(self, segments: Segments) -> Provenance:
        """Return the signature fields about the origin of the orders."""
        return segments.of_matched_words().described(self.columns)

    def statistics(self, segments: Segments) -> Float64:
        """Return weighted value and weight, float64[S, 2]; zeros for a row that is left out."""
        segments = segments.of_matched_words()
        values, weights = self.scored_values(segments)
        if self.average == "length":
            weights = weights * segments.reference_lengths
        return _take_best_references(
            np.stack([values * weights, weights], axis=1), values, weights, segments
        )

    def score(self, totals: Float64) -> Float64:
        """Return weighted values over weights; 0 where the weight is 0."""
        return _divide_or_zero(totals[..., 0], totals[..., 1])

    def scored_values(self, segments: Segments) -> tuple[Float64, Float64]:
        """Return values and weights; rows with too few matches are scored according to `few`."""
        values, weights = self.row_values(segments)
        if self.few != "one" and self.degenerate != "beer":
            has_few = few_matches(segments)
            values[has_few] = 0.0
            weights[has_few] = float(self.few == "zero")
        return values, weights

    def row_values(self, segments: Segments) -> tuple[Float64, Float64]:
        """Return values and weights of the matched words, with `degenerate` applied."""
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
        ratio = _divide_or_zero(numerator, denominator)
        return np.where(denominator > 0, self.transform(ratio), 1.0)

    def statistics(self, segments: Segments) -> Float64:
        """Return value and weight as in `OrderMetric`; four columns for ``average="micro"``.

        The four columns are numerator, denominator, and the value and weight of rows without a
        denominator, which are used only in a corpus that has no other rows.
        """
        if self.average != "micro":
            return super().statistics(segments)
        segments = segments.of_matched_words()
        values, weights = self.scored_values(segments)
        permutation, groups = segments.matched(self.match)
        numerator, denominator = self.counts(permutation, groups, segments)
        few_rows = np.flatnonzero(few_matches(segments))
        if self.few == "zero" and len(few_rows):
            # A row with too few matches counts like the complete reference in the worst order.
            numerator, denominator = numerator.copy(), denominator.copy()
            largest = self._largest_denominators(segments.reference_lengths[few_rows])
            numerator[few_rows], denominator[few_rows] = self.worst_ratio * largest, largest
        has_denominator = (denominator > 0) & (weights > 0)
        other_weights = np.where(has_denominator, 0.0, weights)
        counts = [np.where(has_denominator, column, 0.0) for column in (numerator, denominator)]
        statistics = np.stack([*counts, values * other_weights, other_weights], axis=1)
        return _take_best_references(statistics, values, weights, segments)

    def _largest_denominators(self, lengths: Int64) -> Int64:
        """Return the denominators of rows of these lengths without ties."""
        rows = Ragged(concat_ranges(0, lengths).astype(np.int32), row_offsets(lengths))
        return self.counts(rows, None, Segments.from_permutations(rows))[1]

    def score(self, totals: Float64) -> Float64:
        """Return the value of summed statistics: float64[..., k] to float64[...]."""
        if self.average != "micro":
            return super().score(totals)
        one_word_value = _divide_or_zero(totals[..., 2], totals[..., 3])
        return np.where(
            totals[..., 1] > 0, self._value(totals[..., 0], totals[..., 1]), one_word_value
        )


def few_matches(segments: Segments) -> Bool:
    """Return which rows match too few words of their reference to have an order, bool[R].

    These are rows without matches, unless the reference is empty, and translations that match one
    word of a longer reference.
    """
    matched, reference = segments.permutation.lengths, segments.reference_lengths
    min_matches = 2 if segments.of_translations else 1
    return matched < np.minimum(reference, min_matches)


def _take_best_references(
    statistics: Float64, values: Float64, weights: Float64, segments: Segments
) -> Float64:
    """Reduce R rows of statistics to S rows, those of each segment's best reference."""
    if segments.single:
        return statistics
    return rows_or_zeros(statistics, best_matched_reference(values, segments, weights > 0))


def best_matched_reference(
    values: Float64, segments: Segments, has_value: Bool | None = None
) -> Int64:
    """Return the index of the reference row that is scored for each segment, int64[S].

    It is the first one with the best value, or -1 if no reference has a value. For translations,
    only the references with the best F1 of matched words are considered, so that a reference that
    shares few words has no influence.

    Parameters
    ----------
    values : float64[R]
    segments : Segments
    has_value : bool[R], optional
        Whether each reference has a value; by default all have one.
    """
    costs = -values if has_value is None else np.where(has_value, -values, np.inf)
    offsets = segments.reference_offsets
    if segments.of_translations:
        f1 = segments.matched_f1
        best = best_reference(-f1, offsets)
        best_of_row = np.repeat(best, np.diff(offsets))
        costs[f1 < f1[best_of_row]] = np.inf
    return best_reference(costs, offsets)


def _divide_or_zero(numerator: Counts, denominator: Counts) -> Float64:
    """Return numerator over denominator, and 0 where the denominator is not positive."""
    # Without numpy's `where=`, which aborts the process when memory is short.
    is_positive = np.asarray(denominator) > 0
    return np.where(is_positive, numerator / np.where(is_positive, denominator, 1), 0.0)


class FuzzyReorderingScore(RatioMetric):
    """Share of neighbouring words that the system keeps together and in order.

    The system's order is cut into the smallest number of chunks that are contiguous in the
    reference. With ``C`` chunks over ``M`` words the score is ``1 - (C - 1) / (M - 1)`` (Talbot et
    al. 2011, equation 1). It is 1 exactly when the orders agree; one word scores 1
    (``degenerate="beer"``: 0).

    With ``ties="best"``, tied words are read in the order that suits the system best, exactly and
    in linear time. With ``ties="rank"``, neighbours count when their ranks are equal or rise by
    one, even if another word of the group is elsewhere.

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
        """Return the number of contiguous pairs and of all pairs of neighbours."""
        pairs = segments.derived(
            ("contiguous", self.match, self.ties),
            lambda: count_contiguous_pairs(permutation, groups, self.ties),
        )
        return pairs, permutation.lengths - 1


def count_contiguous_pairs(permutation: Ragged, groups: Ragged | None, ties: str) -> Int64:
    """Count the neighbours in each row that are also neighbours in the reference, int64[S]."""
    if groups is None:
        return count_per_row(orders_kernel.count_contiguous_pairs, permutation)
    if ties == "rank":
        return count_per_row(orders_kernel.contiguous_rank_pairs, groups)
    return tied_pairs(groups)[0]


class BoundaryReorderingScore(RatioMetric):
    """Share of neighbours kept together, where both ends of the sentence count as words.

    Of the ``n + 1`` pairs of neighbours of ``n`` words, `d` are not contiguous in the reference;
    the score is ``1 - d / (n + 1)``. The evaluators of lader and topdown-btg print it as "fuzzy
    reordering score", but it differs from `frs`. ``ties="rank"`` is their rule for tied words.

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
        """Return the number of contiguous pairs and of all pairs of neighbours, with the ends."""

        def count_with_ends() -> Int64:
            groups_with_ends = None if groups is None else add_end_words(groups)
            return count_contiguous_pairs(add_end_words(permutation), groups_with_ends, self.ties)

        pairs = segments.derived(("contiguous with ends", self.match, self.ties), count_with_ends)
        return pairs, permutation.lengths + 1


def add_end_words(rows: Ragged) -> Ragged:
    """Add a word at the start and one at the end of each row, both at their right positions.

    Examples
    --------
    >>> add_end_words(Ragged.from_rows([[1, 0], []])).to_lists()
    [[0, 2, 1, 3], [0, 1]]
    """
    offsets = rows.offsets + 2 * np.arange(len(rows) + 1)
    is_inner = np.ones(int(offsets[-1]), np.bool_)
    is_inner[offsets[:-1]] = False
    is_inner[offsets[1:] - 1] = False
    values = np.zeros(int(offsets[-1]), np.int32)
    values[is_inner] = rows.values + np.int32(1)
    highest = np.zeros(len(rows), np.int32)
    has_words = rows.lengths > 0
    if has_words.any():
        highest[has_words] = np.maximum.reduceat(rows.values, rows.offsets[:-1][has_words]) + 1
    values[offsets[1:] - 1] = highest + 1
    return Ragged(values, offsets)


class Exact(OrderMetric):
    """1 for a sentence in exactly the reference order, 0 for any other.

    The corpus score is the share of such sentences ("Exact" in Hall et al. 2011, table 1). Tied
    words may come in any order; both rules for ties agree. ``average="micro"`` is the mean over
    segments, since all denominators are 1.

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
        # Tied words are numbered in the system's order, so an order without errors is the identity.
        pairs = segments.derived(
            ("contiguous, no ties", self.match),
            lambda: count_contiguous_pairs(permutation, None, "best"),
        )
        is_identity: Float64 = (pairs == permutation.lengths - 1).astype(np.float64)
        return is_identity


class Ulam(RatioMetric):
    """Share of words that keep their position when the fewest words are moved.

    ``(LCS(pi, identity) - 1) / (n - 1)`` (Stanojević & Sima'an 2016, figure 2), where LCS is the
    length of the longest common subsequence of order and reference. A moved word costs 1 at any
    distance. One word scores 1 (``degenerate="beer"``: 0).

    Tied words may come in any order; both rules for ties agree.

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
        """Return the length of the longest increasing subsequence and of the row, each minus 1."""
        # Tied words are numbered in the system's order, so all of them can be in the subsequence.
        length = segments.derived(
            ("in order", self.match),
            lambda: count_per_row(orders_kernel.longest_increasing, permutation, 1),
        )
        return length - 1, permutation.lengths - 1


class Kendall(RatioMetric):
    """Share of pairs of words that are in the right order.

    ``1 - d / ((n^2 - n) / 2)`` with `d` pairs in the wrong order (Stanojević & Sima'an 2016, figure
    2; Birch & Osborne 2010). The identity scores 1, the inverted order 0, a random order 0.5 on
    average. This is ``(tau + 1) / 2`` for Kendall's tau. One word scores 1 (``degenerate="beer"``:
    0).

    With ``ties="best"``, pairs of tied words are right; with ``ties="rank"`` they are not counted.

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
        """Return the number of pairs in order and of all pairs."""
        discordant, pairs = count_discordant_pairs(self, permutation, groups, segments)
        return pairs - discordant, pairs


def count_discordant_pairs(
    metric: RatioMetric, permutation: Ragged, groups: Ragged | None, segments: Segments
) -> tuple[Int64, Int64]:
    """Return the number of pairs in the wrong order and of all pairs, both int64[S]."""
    lengths = permutation.lengths
    pairs = lengths * (lengths - 1) // 2
    if groups is not None and metric.ties == "rank":
        pairs = pairs - segments.derived(
            ("tied pairs", metric.match), lambda: _count_tied_pairs(groups)
        )
    # Tied words are numbered in the system's order, so pairs of tied words are never discordant.
    discordant = segments.derived(
        ("inversions", metric.match),
        lambda: count_per_row(orders_kernel.inversions, permutation, 2),
    )
    return discordant, pairs


def _count_tied_pairs(groups: Ragged) -> Int64:
    """Count the pairs of tied words in each row, int64[S]."""
    row = np.repeat(np.arange(len(groups)), groups.lengths)
    order = np.lexsort((groups.values, row))
    # Group numbers of a row are dense, so row offset plus group number is unique.
    group_ids = groups.values[order] + groups.offsets[row]
    group_sizes = np.bincount(group_ids, minlength=len(groups.values))
    pair_offsets = row_offsets(group_sizes * (group_sizes - 1) // 2)
    return np.diff(pair_offsets[groups.offsets])


class Spearman(RatioMetric):
    """One minus the normalised sum of squared distances between positions.

    ``1 - 3 * sum((pi_i - i)^2) / (n (n^2 - 1))`` (Stanojević & Sima'an 2016, figure 2): the
    identity scores 1, the inverted order 0. This is ``(rho + 1) / 2`` for Spearman's rho. One word
    far from its position costs much more than several slightly displaced ones. One word scores 1
    (``degenerate="beer"``: 0.5).

    With ``ties="rank"``, tied words have the mean of their positions, so an order with ties cannot
    reach 1.

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
        """Return the squared distances of the inverted order, minus those of the row and alone."""
        lengths = permutation.lengths
        largest = lengths * (lengths * lengths - 1) // 3
        if groups is not None and self.ties == "rank":
            quadrupled_distance = segments.derived(
                ("middle places", self.match),
                lambda: count_per_row(orders_kernel.squared_tied_displacement, groups, 1),
            )
            return 4 * largest - quadrupled_distance, 4 * largest
        distance = segments.derived(
            ("places", self.match),
            lambda: count_per_row(orders_kernel.squared_displacement, permutation),
        )
        return largest - distance, largest


class KendallSqrt(RatioMetric):
    """One minus the square root of the share of pairs in the wrong order.

    ``1 - sqrt(d / ((n^2 - n) / 2))`` with `d` pairs in the wrong order. LRscore uses Kendall's
    distance in this form: its authors found that the square root predicts human judgements better
    (Birch et al. 2010, as reported by Talbot et al. 2011, section 2.1). The first wrong pairs cost
    most. One word scores 1 (``degenerate="beer"``: 0). Ties are scored as in `Kendall`. With
    ``average="micro"``, the root is taken of the pooled share.

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
        """Return the number of pairs in the wrong order and of all pairs."""
        return count_discordant_pairs(self, permutation, groups, segments)

    def transform(self, ratio: Float64) -> Float64:
        """Return 1 minus the square root of the share of wrong pairs."""
        return 1.0 - np.sqrt(ratio)


class Hamming(RatioMetric):
    """Share of words that are at their position in the reference.

    ``#{i : pi_i = i} / n`` (Stanojević & Sima'an 2016, figure 2; Birch & Osborne 2010). If one word
    is moved from the front to the end, all positions change and the score is 0.

    Tied words may be at any position of their group; both rules for ties agree.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Hamming().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.6])
    """

    name = "hamming"
    beer_values = {0: 0.0}

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return the number of words at their position and of all words."""

        def count_words_in_place() -> Int64:
            if groups is None:
                return count_per_row(orders_kernel.in_place, permutation)
            return count_per_row(orders_kernel.in_tied_place, groups, 1)

        return segments.derived(("in place", self.match), count_words_in_place), permutation.lengths
