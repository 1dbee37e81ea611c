"""Metrics of links: against gold alignments, and of the order that they show."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Float64, Int32, Int64, Ragged, row_offsets
from wordorder.errors import UsageError, choose
from wordorder.kernels import alignment as alignment_kernel, orders as kernel, run_rows
from wordorder.metrics.contract import BaseMetric, check_integer, quotient
from wordorder.metrics.options import checked, choice, option_fields
from wordorder.metrics.rows import count_per_row
from wordorder.segments import Segments
from wordorder.signature import Signature

# Numerators and denominators of all segments, [S] each.
Ratio = tuple[Float64, Int64]

# No sentence has a word so far ahead.
FARTHEST = 2**31 - 1

# Columns of the statistics: links of the system, sure gold links, the system's links among the
# sure ones and among all gold links, and 1 for each segment.
SYSTEM, SURE, IN_SURE, IN_GOLD, SEGMENT = range(5)


class LinkCountMetric(BaseMetric):
    """A ratio of the counts of links that a system and a gold alignment have in common.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.
    """

    columns: tuple[str, ...] = ("gold",)

    def signature(self) -> Signature:
        """Return the name: there are no choices."""
        return Signature(self.name)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 5]: |A|, |S|, |A ∩ S|, |A ∩ P| and 1; see `link_counts`."""
        return segments.derived("link counts", lambda: link_counts(segments))


class AlignmentErrorRate(LinkCountMetric):
    """Share of links that are wrong or missing: one minus |A ∩ S| + |A ∩ P| over |A| + |S|.

    A are the system's links, S the sure gold links and P all gold links, the sure ones included
    (Och and Ney 2003). Whoever has all sure links and none that is not at least possible makes no
    error. The counts are summed over the corpus.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Notes
    -----
    Nothing to align that is not aligned is no error: 0. Linear in the number of links.

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
        right = totals[..., IN_SURE] + totals[..., IN_GOLD]
        return 1.0 - quotient(right, totals[..., SYSTEM] + totals[..., SURE], 1.0)


class AlignmentRecall(LinkCountMetric):
    """Share of the sure gold links that a system finds: |A ∩ S| / |S|.

    (Och and Ney 2003.) The counts are summed over the corpus.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Notes
    -----
    Where no link is sure, none is missing: 1. Linear in the number of links.

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
    """A ratio of the links between each source sentence and its translation.

    Sure and possible links count alike.

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
        """Return the signature's fields of options that only this metric has."""
        return option_fields(self, LinkMetric)

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(self.name, (*self.extra_fields(), ("average", self.average)))

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: numerator and denominator; for ``average="segment"`` value and 1.

        Zeros for a segment that is left out.
        """
        links = segments.links
        if links.source_lengths is None or links.hypothesis_lengths is None:
            how = "--source and a system's text, Segments.from_alignments"
            problem = f"{self.name} needs the lengths of the sentences"
            raise UsageError(f"{problem}: give source and translation ({how})")
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
        """Return numerators over denominators, 0 where there is nothing to divide by."""
        return quotient(totals[..., 0], totals[..., 1])


@dataclass(kw_only=True, eq=False, repr=False)
class Unaligned(LinkMetric):
    """Share of source words that no link reaches.

    High for free, figurative and shortening translations, low for word-for-word ones (Raunak et
    al. 2023, "unaligned source words"). Counted on the target side it is the hallucination rate of
    Chen et al. (2021): words that no source word accounts for.

    Parameters
    ----------
    side : "source" or "target"
        Whose words are counted.
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
        """Return words without a link and all words of each sentence of the side."""
        on_source = self.side == "source"
        lengths = source_lengths if on_source else target_lengths
        first = row_offsets(lengths)
        free = np.ones(first[-1], np.bool_)
        free[first[segment_of_links(links)] + (links.source if on_source else links.target)] = False
        return np.diff(row_offsets(free)[first]).astype(np.float64), lengths


@dataclass(kw_only=True, eq=False, repr=False)
class Anticipation(LinkMetric):
    """Share of target words that need a source word at least `k` places ahead of them.

    Target word `j` is k-anticipated if it is linked to at least one source word ``i >= j + k``
    (Chen et al. 2021): a translator who follows the speaker at a distance of `k` words, as a wait-k
    policy does, has not heard it yet. Unlinked target words count as words that are not
    anticipated. 0 for a translation that follows its source.

    Parameters
    ----------
    k : int
        At least 1; how many words the translation is behind.
    average : "micro" or "segment"
        All anticipated words over all target words, or the mean over segments.

    Raises
    ------
    UsageError
        If `k` is no whole number from 1, a value is unknown, or the segments have no links.

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
    k: int = checked(1, check_integer, 1, FARTHEST)

    def ratio(self, links: Alignments, source_lengths: Int64, target_lengths: Int64) -> Ratio:
        """Return anticipated words and all words of each target sentence."""
        first = row_offsets(target_lengths)
        early = links.source.astype(np.int64) - links.target >= self.k
        places = first[segment_of_links(links)[early]] + links.target[early]
        anticipated = np.zeros(first[-1], np.bool_)
        anticipated[places] = True
        count = np.diff(row_offsets(anticipated)[first])
        return count.astype(np.float64), target_lengths


class Synchrony(LinkMetric):
    """Rank correlation of the linked positions of source and translation, on the scale 0 to 1.

    Each link is a pair of positions; the value is ``(r + 1) / 2`` for their rank correlation `r`:
    1 for a translation in the order of its source, 0 for an inverted one, .5 for no relation
    (Makinae et al. 2024 take Spearman's rho). Words with several links tie.

    Parameters
    ----------
    correlation : "spearman" or "kendall"
        Spearman's rho, tied positions sharing their mean rank, or Kendall's tau-b.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no links.

    Notes
    -----
    A segment without links is left out and counted. One whose links have all one source word, or
    all one target word, has no order that could be wrong and scores 1. The corpus score is the
    mean over segments.

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

    def __init__(self, *, correlation: str = "spearman") -> None:
        # A correlation is no ratio that could be pooled.
        super().__init__(average="segment")
        self.correlation = choose("synchrony.correlation", correlation, ("spearman", "kendall"))

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(self.name, (("correlation", self.correlation),))

    def ratio(self, links: Alignments, source_lengths: Int64, target_lengths: Int64) -> Ratio:
        """Return the value of each segment, and 1 for each that has links."""
        correlate = _spearman if self.correlation == "spearman" else _kendall
        correlation, alone = correlate(links, source_lengths, target_lengths)
        value = quotient(correlation, alone, 1.0)
        linked = (np.diff(links.offsets) > 0).astype(np.int64)
        # Roundings of the root must not leave the scale.
        return (np.clip(value, -1.0, 1.0) + 1.0) / 2.0, linked


def _spearman(
    links: Alignments, source_lengths: Int64, target_lengths: Int64
) -> tuple[Float64, Float64]:
    """Return the covariance of the ranks of each segment and the product of their deviations."""
    source = _centred_ranks(links, links.source, source_lengths)
    target = _centred_ranks(links, links.target, target_lengths)
    squares = [sum_rows(ranks * ranks, links.offsets) for ranks in (source, target)]
    return sum_rows(source * target, links.offsets), np.sqrt(squares[0] * squares[1])


def _centred_ranks(links: Alignments, positions: Int32, lengths: Int64) -> Float64:
    """Return twice the distance of each link's rank from the mean rank, float64[L].

    Doubled, since links of one word share a mean rank that may be a half.
    """
    segment = segment_of_links(links)
    words = row_offsets(lengths)
    place = words[segment] + positions
    count = np.bincount(place, minlength=int(words[-1]))
    starts = row_offsets(count)
    # Whole numbers, as floats because their products of long rows need more than 64 bits.
    middle = 2.0 * (starts[place] - links.offsets[segment]) + count[place]
    return np.asarray(middle - np.diff(links.offsets)[segment], np.float64)


def _kendall(
    links: Alignments, source_lengths: Int64, target_lengths: Int64
) -> tuple[Float64, Float64]:
    """Return concordant less discordant pairs of each segment, and the mean of comparable ones."""
    segment = segment_of_links(links)
    # Within a source word the targets ascend, so that its links are no inversions.
    order = np.lexsort((links.target, links.source, segment))
    rows = Ragged(np.ascontiguousarray(links.target[order]), links.offsets)
    discordant = count_per_row(kernel.inversions, rows, 2)
    pairs = _pairs(np.diff(links.offsets))
    tied = []
    for positions, lengths in ((links.source, source_lengths), (links.target, target_lengths)):
        words = row_offsets(lengths)
        count = np.bincount(words[segment] + positions, minlength=int(words[-1]))
        tied.append(sum_rows(_pairs(count), words))
    # No link is listed twice, so a pair is tied on one side at most.
    difference = pairs - tied[0] - tied[1] - 2 * discordant
    return difference, np.sqrt((pairs - tied[0]) * (pairs - tied[1]))


def _pairs(count: Int64) -> Float64:
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
    Who links nothing links nothing wrongly: 1. Linear in the number of links.

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


def link_counts(segments: Segments) -> Float64:
    """Count the links A of a system, the sure gold links S, and those of A in S and in P.

    P are all gold links, the sure ones included (Och and Ney 2003). Marks of the system's own
    links do not matter.

    Parameters
    ----------
    segments : Segments
        From `Segments.from_links`.

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
    >>> link_counts(Segments.from_links(system, gold))
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
        # Both sides cost; the table is as large as the longest of both together needs.
        *(alignment_kernel.link_overlap, system.offsets + gold.offsets),
        *(system.source, system.target, system.offsets),
        *(gold.source, gold.target, gold.possible.view(np.uint8), gold.offsets),
        *(sure, in_sure, in_gold),
        scratch=lambda longest: (np.full(1 << (2 * longest).bit_length(), -1, np.int64),),
    )
    proposed = np.diff(system.offsets)
    columns = (proposed, sure, in_sure, in_gold, np.ones(len(system), np.int64))
    return np.stack(columns, axis=1).astype(np.float64)


@dataclass(kw_only=True, eq=False, repr=False)
class NonMonotonicity(LinkMetric):
    """Mean distance of the links from the diagonal.

    ``mean of |i / S - j / T|`` over the links of source word `i` of `S` and target word `j` of
    `T`, both counted from 1 (Schioppa et al. 2021; Raunak et al. 2023). 0
    for a translation of the same length that follows its source word by word.

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
        """Return the summed distances and the number of links of each segment."""
        segment = segment_of_links(links)
        # Over the common denominator S * T the distances are whole numbers, and their sums exact.
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
    """Sum the values of each row, float64[S]; a row's sum does not depend on the rows around it.

    Examples
    --------
    >>> sum_rows(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    array([3., 0., 3.])
    """
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.bincount(rows, weights=values, minlength=len(offsets) - 1).astype(np.float64)
