"""Metrics of links: comparison with gold alignments, and word order in alignments."""

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Float64, Int32, Int64, Ragged, row_offsets
from wordorder.errors import UsageError
from wordorder.kernels import alignment as alignment_kernel, orders as kernel, run_rows
from wordorder.metrics.contract import BaseMetric, check_integer, quotient
from wordorder.metrics.options import checked, choice, option_fields
from wordorder.metrics.rows import count_per_row
from wordorder.segments import Segments
from wordorder.signature import Signature

# Numerators and denominators of all segments, [S] each.
Ratio = tuple[Float64, Int64]

# The largest `k`: positions are 32-bit integers.
MAX_LAG = 2**31 - 1

# Columns of the statistics: the numbers of system links, of sure gold links, of system links that
# are sure gold links, of system links that are gold links; and 1.
SYSTEM, SURE, IN_SURE, IN_GOLD, SEGMENT = range(5)


class LinkCountMetric(BaseMetric):
    """A ratio of counts of system links, gold links and common links.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.
    """

    columns: tuple[str, ...] = ("gold",)

    def signature(self) -> Signature:
        """Return the name; there are no options."""
        return Signature(self.name)

    def statistics(self, segments: Segments) -> Float64:
        """Return |A|, |S|, |A ∩ S|, |A ∩ P| and 1, float64[S, 5]; see `count_links`."""
        return segments.derived("link counts", lambda: count_links(segments))


class AlignmentErrorRate(LinkCountMetric):
    """Share of links that are wrong or missing: 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|).

    A are the system's links, S the sure gold links and P all gold links, including the sure ones
    (Och and Ney 2003). The rate is 0 if a system has all sure links and otherwise only possible
    ones. The counts are summed over the corpus.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Notes
    -----
    Without system links and sure gold links, the rate is 0. Time is linear in the number of links.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> from wordorder.segments import Segments
    >>> system = Alignments.from_rows([[(0, 0), (1, 1), (2, 2)]])
    >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True), (3, 3)]])
    >>> AlignmentErrorRate().segment_scores(Segments.from_links(system, gold))
    array([0.4])
    """

    name = "aer"
    higher_is_better = False

    def score(self, totals: Float64) -> Float64:
        """Return the rate, float64[...] for totals of shape [..., 5]."""
        correct = totals[..., IN_SURE] + totals[..., IN_GOLD]
        return 1.0 - quotient(correct, totals[..., SYSTEM] + totals[..., SURE], 1.0)


class AlignmentRecall(LinkCountMetric):
    """Share of the sure gold links that the system has: |A ∩ S| / |S|.

    (Och and Ney 2003.) The counts are summed over the corpus.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Notes
    -----
    Without sure gold links, the recall is 1. Time is linear in the number of links.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> from wordorder.segments import Segments
    >>> system = Alignments.from_rows([[(0, 0), (1, 1), (2, 2), (4, 4)]])
    >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True), (2, 2), (3, 3), (5, 5)]])
    >>> AlignmentRecall().segment_scores(Segments.from_links(system, gold))
    array([0.5])
    """

    name = "recall"

    def score(self, totals: Float64) -> Float64:
        """Return the share, float64[...] for totals of shape [..., 5]."""
        return quotient(totals[..., IN_SURE], totals[..., SURE], 1.0)


@dataclass(kw_only=True, eq=False, repr=False)
class LinkMetric(BaseMetric):
    """A ratio computed from the links between each source sentence and its translation.

    Sure and possible links are treated alike.

    Parameters
    ----------
    average : "micro" or "segment"
        The corpus score: the sum of numerators over the sum of denominators, or the mean over
        segments. A segment whose denominator is 0 is left out of both.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no links.
    """

    columns = ("links",)
    average: str = choice("micro", "segment")

    @abstractmethod
    def ratio(self, links: Alignments, source_lengths: Int64, target_lengths: Int64) -> Ratio:
        """Return numerators, float64[S], and denominators, int64[S], of all segments."""

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature fields of the options that only this metric has."""
        return option_fields(self, LinkMetric)

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        return Signature(self.name, (*self.extra_fields(), ("average", self.average)))

    def statistics(self, segments: Segments) -> Float64:
        """Return numerator and denominator, float64[S, 2]; value and 1 for ``average="segment"``.

        A segment that is left out has a row of zeros.
        """
        links = segments.links
        if links.source_lengths is None or links.hypothesis_lengths is None:
            remedy = "--source and a system's text, Segments.from_alignments"
            problem = f"{self.name} needs the lengths of the sentences"
            raise UsageError(f"{problem}: give source and translation ({remedy})")
        lengths = links.source_lengths, links.hypothesis_lengths
        numerator, denominator = self.ratio(links.hypothesis, *lengths)
        has_value = denominator > 0
        if self.average == "segment":
            ratio = quotient(numerator, denominator)
            return np.stack([ratio, has_value.astype(np.float64)], axis=1)
        return np.stack(
            [np.where(has_value, numerator, 0.0), denominator.astype(np.float64)], axis=1
        )

    def score(self, totals: Float64) -> Float64:
        """Return numerators over denominators; 0 where the denominator is 0."""
        return quotient(totals[..., 0], totals[..., 1])


@dataclass(kw_only=True, eq=False, repr=False)
class Unaligned(LinkMetric):
    """Share of source words without a link.

    It is high for free, figurative and shortened translations, low for word-for-word ones (Raunak
    et al. 2023, "unaligned source words"). For target words, it is the hallucination rate of Chen
    et al. (2021): the share of words that are not linked to any source word.

    Parameters
    ----------
    side : "source" or "target"
        The sentence whose words are counted.
    average : "micro" or "segment"
        All unaligned words over all words, or the mean over segments.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no links.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> links = Alignments.from_rows([[(0, 0), (3, 0)]])
    >>> segments = Segments.from_alignments(
    ...     ["by the skin of his teeth"], ["de justesse"], [[]], links
    ... )
    >>> Unaligned().segment_scores(segments).round(4)
    array([0.6667])
    >>> Unaligned(side="target").segment_scores(segments)
    array([0.5])
    """

    name = "unaligned"
    higher_is_better = False
    side: str = choice("source", "target")

    def ratio(self, links: Alignments, source_lengths: Int64, target_lengths: Int64) -> Ratio:
        """Return the number of unaligned words and of all words in each sentence of `side`."""
        on_source = self.side == "source"
        lengths = source_lengths if on_source else target_lengths
        word_offsets = row_offsets(lengths)
        is_unaligned = np.ones(word_offsets[-1], np.bool_)
        is_unaligned[
            word_offsets[segment_of_links(links)] + (links.source if on_source else links.target)
        ] = False
        return np.diff(row_offsets(is_unaligned)[word_offsets]).astype(np.float64), lengths


@dataclass(kw_only=True, eq=False, repr=False)
class Anticipation(LinkMetric):
    """Share of target words linked to a source word at least `k` positions further on.

    Target word `j` is k-anticipated if it is linked to at least one source word ``i >= j + k``
    (Chen et al. 2021): an interpreter who follows the speaker at a distance of `k` words, like a
    wait-k policy, has not heard it yet. Unlinked target words are not anticipated. The share is 0
    for a translation in the order of its source.

    Parameters
    ----------
    k : int
        The number of words by which the translation follows the source, at least 1.
    average : "micro" or "segment"
        All anticipated words over all target words, or the mean over segments.

    Raises
    ------
    UsageError
        If `k` is not a whole number of at least 1, a value is unknown, or the segments have no
        links.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> links = Alignments.from_rows([[(0, 0), (1, 1), (3, 2), (2, 3)]])
    >>> segments = Segments.from_alignments(
    ...     ["ich habe ihn gesehen"], ["i have seen him"], [[]], links
    ... )
    >>> Anticipation(k=1).segment_scores(segments), Anticipation(k=2).segment_scores(segments)
    (array([0.25]), array([0.]))
    """

    name = "anticipation"
    higher_is_better = False
    k: int = checked(1, check_integer, 1, MAX_LAG)

    def ratio(self, links: Alignments, source_lengths: Int64, target_lengths: Int64) -> Ratio:
        """Return the number of anticipated words and of all words in each target sentence."""
        word_offsets = row_offsets(target_lengths)
        is_early = links.source.astype(np.int64) - links.target >= self.k
        early_words = word_offsets[segment_of_links(links)[is_early]] + links.target[is_early]
        anticipated = np.zeros(word_offsets[-1], np.bool_)
        anticipated[early_words] = True
        count = np.diff(row_offsets(anticipated)[word_offsets])
        return count.astype(np.float64), target_lengths


@dataclass(kw_only=True, eq=False, repr=False)
class Synchrony(LinkMetric):
    """Rank correlation of the linked positions of source and translation, rescaled to 0 to 1.

    Each link is a pair of positions; the value is ``(r + 1) / 2`` for their rank correlation `r`:
    1 for a translation in the order of its source, 0 for an inverted one, 0.5 without correlation
    (Makinae et al. 2024 use Spearman's rho). The links of one word are tied.

    Parameters
    ----------
    correlation : "spearman" or "kendall"
        Spearman's rho, where tied positions have their mean rank, or Kendall's tau-b.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no links.

    Notes
    -----
    A segment without links is left out and counted. A segment whose links have the same source
    word, or the same target word, has no order and scores 1. The corpus score is the mean over
    segments.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> links = Alignments.from_rows([[(0, 0), (1, 2), (2, 1), (3, 3)]])
    >>> segments = Segments.from_alignments(["a b c d"], ["w x y z"], [[]], links)
    >>> Synchrony().segment_scores(segments)
    array([0.9])
    >>> Synchrony(correlation="kendall").segment_scores(segments).round(4)
    array([0.8333])
    """

    name = "synchrony"

    correlation: str = choice("spearman", "kendall")
    # Correlations cannot be pooled over the corpus.
    average: str = field(init=False, default="segment")

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        return Signature(self.name, (("correlation", self.correlation),))

    def ratio(self, links: Alignments, source_lengths: Int64, target_lengths: Int64) -> Ratio:
        """Return the value of each segment, and 1 for segments with links."""
        correlate = _spearman_parts if self.correlation == "spearman" else _kendall_parts
        correlation, normalisation = correlate(links, source_lengths, target_lengths)
        value = quotient(correlation, normalisation, 1.0)
        has_links = (np.diff(links.offsets) > 0).astype(np.int64)
        # Rounding of the root must not lead out of the range.
        return (np.clip(value, -1.0, 1.0) + 1.0) / 2.0, has_links


def _spearman_parts(
    links: Alignments, source_lengths: Int64, target_lengths: Int64
) -> tuple[Float64, Float64]:
    """Return the covariance of the ranks and the product of their deviations, float64[S] each."""
    source = _centred_ranks(links, links.source, source_lengths)
    target = _centred_ranks(links, links.target, target_lengths)
    squares = [sum_rows(ranks * ranks, links.offsets) for ranks in (source, target)]
    return sum_rows(source * target, links.offsets), np.sqrt(squares[0] * squares[1])


def _centred_ranks(links: Alignments, positions: Int32, lengths: Int64) -> Float64:
    """Return twice the distance of each link's rank from the mean rank, float64[L].

    It is doubled because the mean rank of the links of one word may be a multiple of 0.5.
    """
    segment = segment_of_links(links)
    word_offsets = row_offsets(lengths)
    word_index = word_offsets[segment] + positions
    link_counts_of_words = np.bincount(word_index, minlength=int(word_offsets[-1]))
    starts = row_offsets(link_counts_of_words)
    # Floats, because sums of products of these integers may exceed 64 bits.
    doubled_ranks = (
        2.0 * (starts[word_index] - links.offsets[segment]) + link_counts_of_words[word_index]
    )
    return np.asarray(doubled_ranks - np.diff(links.offsets)[segment], np.float64)


def _kendall_parts(
    links: Alignments, source_lengths: Int64, target_lengths: Int64
) -> tuple[Float64, Float64]:
    """Return concordant minus discordant pairs, and the geometric mean of the untied pairs."""
    segment = segment_of_links(links)
    # The links of one source word have ascending targets, so they are not inversions.
    order = np.lexsort((links.target, links.source, segment))
    rows = Ragged(np.ascontiguousarray(links.target[order]), links.offsets)
    discordant = count_per_row(kernel.inversions, rows, 2)
    pairs = _count_pairs(np.diff(links.offsets))
    tied = []
    for positions, lengths in ((links.source, source_lengths), (links.target, target_lengths)):
        word_offsets = row_offsets(lengths)
        count = np.bincount(word_offsets[segment] + positions, minlength=int(word_offsets[-1]))
        tied.append(sum_rows(_count_pairs(count), word_offsets))
    # No link is listed twice, so a pair is tied in at most one of the two sentences.
    difference = pairs - tied[0] - tied[1] - 2 * discordant
    return difference, np.sqrt((pairs - tied[0]) * (pairs - tied[1]))


def _count_pairs(count: Int64) -> Float64:
    return np.asarray(count * (count - 1.0) / 2.0, np.float64)


class AlignmentPrecision(LinkCountMetric):
    """Share of a system's links that are gold links, sure or possible: |A ∩ P| / |A|.

    (Och and Ney 2003.) The counts are summed over the corpus.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Notes
    -----
    Without system links, the precision is 1. Time is linear in the number of links.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> from wordorder.segments import Segments
    >>> system = Alignments.from_rows([[(0, 0), (1, 1), (2, 2), (4, 4)]])
    >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True), (2, 2), (3, 3)]])
    >>> AlignmentPrecision().segment_scores(Segments.from_links(system, gold))
    array([0.75])
    """

    name = "precision"

    def score(self, totals: Float64) -> Float64:
        """Return the share, float64[...] for totals of shape [..., 5]."""
        return quotient(totals[..., IN_GOLD], totals[..., SYSTEM], 1.0)


def count_links(segments: Segments) -> Float64:
    """Count the system links A, the sure gold links S, and the links of A in S and in P.

    P are all gold links, including the sure ones (Och and Ney 2003). Whether system links are sure
    or possible does not matter.

    Parameters
    ----------
    segments : Segments
        The result of `Segments.from_links`.

    Returns
    -------
    float64[S, 5]
        |A|, |S|, |A ∩ S|, |A ∩ P| and 1.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> system = Alignments.from_rows([[(0, 0), (1, 1), (2, 2)]])
    >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True), (3, 3)]])
    >>> count_links(Segments.from_links(system, gold))
    array([[3., 2., 1., 2., 1.]])
    """
    links = segments.links
    system, gold = links.hypothesis, links.references
    if not len(segments):
        return np.zeros((0, 5))
    if gold is None or not links.gold:
        problem = "gold alignments of the same sentence pairs are missing"
        raise UsageError(f"{problem}: Segments.from_links(system, gold)")
    sure, in_sure, in_gold = (np.zeros(len(system), np.int64) for _ in range(3))
    run_rows(
        # Work is proportional to the links of both; the table has slots for all links of a row.
        *(alignment_kernel.link_overlap, system.offsets + gold.offsets),
        *(system.source, system.target, system.offsets),
        *(gold.source, gold.target, gold.possible.view(np.uint8), gold.offsets),
        *(sure, in_sure, in_gold),
        scratch=lambda longest: (np.full(1 << (2 * longest).bit_length(), -1, np.int64),),
    )
    system_counts = np.diff(system.offsets)
    columns = (system_counts, sure, in_sure, in_gold, np.ones(len(system), np.int64))
    return np.stack(columns, axis=1).astype(np.float64)


@dataclass(kw_only=True, eq=False, repr=False)
class NonMonotonicity(LinkMetric):
    """Mean distance of the links from the diagonal.

    ``mean of |i / S - j / T|`` over the links of source word `i` of `S` and target word `j` of
    `T`, both counted from 1 (Schioppa et al. 2021; Raunak et al. 2023). It is 0 for a translation
    of the same length that follows its source word by word.

    Parameters
    ----------
    average : "segment" or "micro"
        The mean over segments, or over the links of all segments. A segment without links is left
        out and counted.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no links.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> links = Alignments.from_rows([[(0, 0), (1, 2), (2, 1), (3, 3)]])
    >>> segments = Segments.from_alignments(["a b c d"], ["w x y z"], [[]], links)
    >>> NonMonotonicity().segment_scores(segments)
    array([0.125])
    """

    name = "non-monotonicity"
    higher_is_better = False
    average: str = choice("micro", "segment", default="segment")

    def ratio(self, links: Alignments, source_lengths: Int64, target_lengths: Int64) -> Ratio:
        """Return the sum of distances and the number of links of each segment."""
        segment = segment_of_links(links)
        # With the common denominator S * T, distances are integers, and their sums are exact.
        distance = np.abs(
            (links.source + np.int64(1)) * target_lengths[segment]
            - (links.target + np.int64(1)) * source_lengths[segment]
        )
        total = np.diff(row_offsets(distance)[links.offsets])
        count = np.diff(links.offsets)
        area = np.maximum(source_lengths * target_lengths, 1)
        return total / area, count


def segment_of_links(links: Alignments) -> Int64:
    """Return the segment of each link, int64[L].

    Examples
    --------
    >>> segment_of_links(Alignments.from_rows([[(0, 0), (1, 2)], [], [(0, 1)]]))
    array([0, 0, 2])
    """
    return np.repeat(np.arange(len(links)), np.diff(links.offsets))


def sum_rows(values: Float64 | Int64, offsets: Int64) -> Float64:
    """Sum the values of each row, float64[S]; the rounding of a sum does not depend on other rows.

    Examples
    --------
    >>> sum_rows(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    array([3., 0., 3.])
    """
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.bincount(rows, weights=values, minlength=len(offsets) - 1).astype(np.float64)
