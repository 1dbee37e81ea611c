"""Why one system orders words better than another: the difference in FRS, part by part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from wordorder.analysis.tally import NEAR, largest_first
from wordorder.analysis.translations.blocks import LOCAL, Blocks, as_places, ordered_blocks
from wordorder.analysis.translations.kinds import COMMONEST, WordClasses, unclear_kinds
from wordorder.analysis.translations.lengths import LENGTHS, reference_lengths
from wordorder.analysis.translations.stored import (
    MIN_BYTES_OF_MANY,
    concatenate,
    count_values,
    free_memory,
    move_to_file,
    narrow_field,
    read_part,
    release_pages,
)
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.arrays import (
    Array,
    Bool,
    Float64,
    Int32,
    Int64,
    concat_ranges,
    group_rows,
    row_offsets,
    row_positions,
)
from wordorder.errors import choose
from wordorder.kernels import piece_spans
from wordorder.metrics import METRICS
from wordorder.metrics.order.common_words import (
    FEWEST,
    common_references,
    has_common_words,
    repeated_unequally,
)
from wordorder.statistics.distributions import student_tail
from wordorder.statistics.intervals import DRAWN, ResamplingPlan, interval
from wordorder.statistics.measurement import bootstrap_totals
from wordorder.statistics.paired_tests import MANY_SYSTEMS, SWAPS, holm, swapped_p_values

# Parts that are significant at 95 % after Holm's correction are sure.
SURE = 0.05

# Where the whole difference may be chance, p-values of its parts count so many times: of twenty
# analyses of equal systems, no more than one says anything for sure.
STRICT = 5

# The part of a difference on own words that is no difference on common words.
ONLY_ONE = "words that only one system matches"

# The metrics that are cut into parts; what is said of one block is said of both.
MEASURES = ("frs", "kendall")

# Words that are too early and too late about equally often, up to this share, have no direction.
ONE_WAY = 0.1


@dataclass(frozen=True)
class Part:
    """A part of a difference in FRS, or the difference under some condition.

    Attributes
    ----------
    name : str
    points, low, high : float
        Hundredths of FRS by which the first system is better, and the 95 % interval.
    uncorrected : float
        The p-value of the part by itself.
    p_value : float
        Corrected by Holm's method: for all parts that may become findings (kinds, their families
        and words that one system lacks), or for all other parts. Parts that were named in advance
        are corrected for each other alone.
    other : (float, float, float), optional
        The same points and interval of the other metric: Kendall's tau, or FRS.
    moved : (int, int), optional
        Moved blocks of either system.
    right : (float, float), optional
        The share of the words of the part that either system does not move.
    early : float, optional
        The share of the words that the moved blocks are named after, of the system that loses more,
        that are too early.
    family : str
        What it belongs to, if it is a kind of moved blocks.
    examples : tuple of int
        Sentences that show it, the most typical first.
    places : tuple of sets of int
        For each of these, the words that the system that loses moves, and the other does not:
        places in ``texts.references.values``.
    """

    name: str
    points: float
    low: float
    high: float
    uncorrected: float
    p_value: float
    other: tuple[float, ...] | None = None
    moved: tuple[int, int] | None = None
    right: tuple[float, float] | None = None
    early: float | None = None
    family: str = ""
    examples: tuple[int, ...] = ()
    places: tuple[frozenset[int], ...] = ()

    @property
    def sure(self) -> bool:
        """Whether the part is more than chance."""
        return self.p_value <= SURE

    @property
    def direction(self) -> str:
        """Where most of these words are: "early", "late", or "" if about half are either."""
        if self.early is None or abs(self.early - 0.5) < ONE_WAY:
            return ""
        return "early" if self.early > 0.5 else "late"


@dataclass(frozen=True)
class Dropped:
    """A word that one system matches more often than the other, more than chance.

    Attributes
    ----------
    word : str
    ours, theirs : float
        The share of it that either system matches.
    p_value : float
        Corrected by Holm's method.
    """

    word: str
    ours: float
    theirs: float
    p_value: float


@dataclass(frozen=True, eq=False)
class Difference:
    """The FRS of one system minus that of another, and its parts.

    It is the difference on the words that both systems match (`CommonWords`), so that it is about
    order alone. FRS is 1 minus a sum over lost neighbours: pairs of words that follow each other in
    the reference, but not in the output. A sentence of m words loses ``1 / (m - 1)`` with each
    pair, and the moved block that parts the pair is charged with it; blocks that part it together
    share it equally. So the parts of each group add up to the difference.

    Attributes
    ----------
    metric : str
        ``frs``, or ``kendall``, whose costs are the pairs of words that a block inverts.
    names : (str, str)
        The better system and the other one.
    total : Part
    kinds : tuple of Part
        By the kind of the moved block, the largest first.
    groups : mapping of str to tuple of Part
        Other ways to cut the same difference: by ``distance``, ``length``, ``tag`` (where the
        references are tagged) and ``word``.
    checks : tuple of Part
        The difference without punctuation, without the commonest words, and that of the scores of
        each system on its own matched words.
    matched : (float, float)
        The share of the reference words that either system matches.
    dropped : tuple of Dropped
        The common words that one system lacks, those whose shares differ most first.
    hypotheses : tuple of Part
        The parts that were named in advance, with the numbers of their moved blocks.
    test : str
        How parts were tested.
    unclear : set of str
        The kinds that no finding is about: see `unclear_kinds`.
    """

    metric: str
    names: tuple[str, str]
    total: Part
    kinds: tuple[Part, ...]
    groups: dict[str, tuple[Part, ...]]
    checks: tuple[Part, ...]
    matched: tuple[float, float]
    dropped: tuple[Dropped, ...] = ()
    hypotheses: tuple[Part, ...] = ()
    test: str = ""
    unclear: frozenset[str] = frozenset()

    @property
    def sure(self) -> tuple[Part, ...]:
        """The parts by kind that are more than chance, and not 0."""
        return tuple(part for part in self.kinds if part.sure)

    @property
    def explained(self) -> float:
        """The share of the difference that is in sure parts; 0 without a difference."""
        sure = sum(part.points for part in self.sure)
        return sure / self.total.points if abs(self.total.points) > 1e-9 else 0.0


@narrow_field
@dataclass(frozen=True, eq=False)
class MatchedOrder:
    """The matched words of the references in the order of one system's output.

    Attributes
    ----------
    rows : int64[S]
        The reference that the metric reads for each segment; -1 for none.
    places : int32[M], or int64[M] of very many words
        Where the words are in ``texts.references.values``, segment by segment.
    offsets : int64[S+1]
        Where the words of each segment begin, with the end of the last one.
    matched : bool[N]
        Whether each word of all references is among them.
    """

    rows: Int64
    places: Array
    offsets: Int64
    matched: Bool

    @classmethod
    def of(cls, system: TranslatedSystem, rows: Int64) -> MatchedOrder:
        """Read the order of a system's matches with some references."""
        texts, matches = system.texts, system.matches
        matched = np.zeros(len(texts.references.values), np.bool_)
        parts, counts = [np.zeros(0, np.int32)], []
        for begin, end in _spans(len(rows)):
            used = begin + np.flatnonzero(rows[begin:end] >= 0)
            links, offsets = row_positions(matches.offsets, rows[used])
            owner = np.repeat(used, np.diff(offsets))
            order = np.lexsort((matches.hypothesis_start[links], owner))
            links, owner = links[order], owner[order]
            first = texts.references.offsets[rows[owner]] + matches.start[links]
            length = matches.length[links].astype(np.int64)
            places = concat_ranges(first, length)
            matched[places] = True
            parts.append(move_to_file(as_places(places), MIN_BYTES_OF_MANY))
            counts.append(np.bincount(owner - begin, length, end - begin).astype(np.int64))
            release_pages()
        lengths = np.concatenate([np.zeros(0, np.int64), *counts])
        kind = parts[-1].dtype
        return cls(
            rows, concatenate(each.astype(kind) for each in parts), row_offsets(lengths), matched
        )

    def only(self, chosen: Bool) -> MatchedOrder:
        """Return the order of some of the words, bool[N]."""
        parts, counts = [np.zeros(0, self.places.dtype)], []
        for begin, end in _spans(len(self.rows)):
            offsets = self.offsets[begin : end + 1]
            places = self.places[slice(*offsets[[0, -1]].tolist())]
            used = chosen[places]
            parts.append(move_to_file(places[used], MIN_BYTES_OF_MANY))
            counts.append(np.diff(row_offsets(used)[offsets - offsets[0]]))
            release_pages()
        lengths = np.concatenate([np.zeros(0, np.int64), *counts])
        return MatchedOrder(
            self.rows, concatenate(parts), row_offsets(lengths), self.matched & chosen
        )

    def counts(self) -> Int64:
        """Return how many words each segment has, int64[S]."""
        return np.diff(self.offsets)

    def blocks(self) -> Iterator[tuple[slice, Blocks]]:
        """Cut the words into blocks, those that stay and those that have moved.

        Yields
        ------
        slice, Blocks
            Some segments, and their blocks; segments are counted from the first of these.
        """
        places, offsets = self.places, self.offsets
        for begin, end in _spans(len(self.rows), 2) or [(0, 0)]:
            words = slice(*offsets[[begin, end]].tolist())
            order = np.argsort(places[words])
            own = offsets[begin : end + 1] - offsets[begin]
            ranks = np.arange(len(order)) - np.repeat(own[:-1], np.diff(own))
            found = ordered_blocks(places[words][order], ranks[order].astype(np.int32), own)
            yield slice(begin, end), found


@dataclass(frozen=True, eq=False)
class LostOrder:
    """What one system loses on some of its matched words.

    Attributes
    ----------
    blocks : Blocks
        Of S segments; C of their blocks have moved.
    segments : int64[C]
        The segment of each.
    costs : (float64[C], float64[C])
        What each moved block costs its segment: of FRS and Kendall's tau.
    scored : float64[S]
        1 for a segment with words, else 0.
    scale : float64[S]
        What one lost pair of neighbours costs a segment.
    """

    blocks: Blocks
    segments: Int64
    costs: tuple[Float64, Float64]
    scored: Float64
    scale: Float64

    @classmethod
    def of(cls, order: MatchedOrder) -> LostOrder:
        """Charge the moved blocks of an order."""
        count = order.counts()
        scale = 1.0 / np.maximum(count - 1, 1)
        pairs = scale * 2 / np.maximum(count, 1)
        parts, begins, charged = [], [], []
        for segments, blocks in order.blocks():
            moved = blocks.moved
            rows = segments.start + blocks.segments[moved]
            lost = blocks.cost[moved] * scale[rows]
            charged.append((rows, lost, inverted_pairs(blocks)[moved] * pairs[rows]))
            parts.append(blocks)
            begins.append(segments.start)
            free_memory()
        rows, lost, inverted = map(concatenate, zip(*charged, strict=True))
        scored = move_to_file(np.minimum(count, 1).astype(np.float64))
        blocks = Blocks.joined(parts, begins, [0] * len(parts))
        return cls(blocks, rows, (lost, inverted), scored, move_to_file(scale))

    def by_block(self, groups: Int64, size: int) -> Iterator[Float64]:
        """Add up what moved blocks of each group cost.

        Yields
        ------
        float64[2, s, size]
            FRS and Kendall, of the segments of each of `_spans`.
        """
        for begin, end in _spans(len(self.scale)) or [(0, 0)]:
            chosen = slice(*np.searchsorted(self.segments, (begin, end)).tolist())
            cells = (self.segments[chosen] - begin) * size + groups[chosen]
            costs = [np.bincount(cells, each[chosen], (end - begin) * size) for each in self.costs]
            yield np.stack(costs).astype(np.float64).reshape(2, end - begin, size)

    def scores(self, measure: int) -> Float64:
        """Return the score of each segment under one of `MEASURES`, 0 without words, float64[S]."""
        lost = np.bincount(self.segments, self.costs[measure], len(self.scored))
        value: Float64 = self.scored - lost
        return value

    def by_word(self, groups: Int64, size: int) -> Iterator[Float64]:
        """Share each lost pair between its two words; add up by their groups.

        Yields
        ------
        float64[s, size]
            Of the segments of each of `_spans`.
        """
        spans = _spans(len(self.scale))
        cuts = np.searchsorted(
            self.blocks.segments, [*(begin for begin, _ in spans), len(self.scale)]
        )
        for (begin, end), (first, last) in zip(spans, pairwise(cuts.tolist()), strict=True):
            segments = read_part(self.blocks, "segments", slice(first, last)) - begin
            starts = read_part(self.blocks, "first", slice(first, last + 1))
            words = read_part(self.blocks, "reference", slice(starts[0], starts[-1]))
            rows = np.repeat(segments, np.diff(starts))
            of_group, scale = groups[words], self.scale[begin:end]
            second = starts[1:-1] - starts[0]
            second = second[rows[second] == rows[second - 1]]
            total = np.zeros((end - begin) * size)
            for word in (second - 1, second):
                cells = rows[word] * size + of_group[word]
                total += np.bincount(cells, scale[rows[word]] / 2, len(total))
            yield total.reshape(-1, size)
            release_pages()


# Segments whose words are looked at together.
SPAN = 1 << 14


def _spans(segments: int, spans: int = 1) -> list[tuple[int, int]]:
    """Cut segments into spans, or into stretches of several spans."""
    size = spans * SPAN
    return [(begin, min(begin + size, segments)) for begin in range(0, segments, size)]


# Pairs of blocks that are in memory at a time.
PAIRS = 1 << 18


def inverted_pairs(blocks: Blocks) -> Float64:
    """Count the pairs of words in the wrong order that each moved block causes, float64[B].

    Both words of such a pair are in different blocks. If both blocks have moved, each causes half
    of the pair; a block that stays causes none.

    Examples
    --------
    >>> found = ordered_blocks(np.arange(5), np.array([3, 4, 0, 1, 2], np.int32), np.array([0, 5]))
    >>> found.words.tolist(), inverted_pairs(found).tolist()
    ([2, 3], [6.0, 0.0])
    """
    segments, words, moved = blocks.segments, blocks.words, blocks.moved
    size = np.bincount(segments)
    starts = np.cumsum(size) - size
    several = size[segments]
    place = blocks.hypothesis[blocks.first[:-1]]
    inverted = np.zeros(len(blocks))
    # All pairs of blocks of a segment, in both directions; some blocks at a time, since they are
    # many more than words.
    for begin, end in piece_spans(row_offsets(several), PAIRS):
        one = np.repeat(np.arange(begin, end), several[begin:end])
        other = concat_ranges(starts[segments[begin:end]], several[begin:end])
        wrong = (one < other) != (place[one] < place[other])
        wrong &= (one != other) & moved[one]
        one, other = one[wrong], other[wrong]
        pairs = words[one] * words[other] / np.where(moved[other], 2, 1)
        inverted[begin:end] = np.bincount(one - begin, pairs, end - begin)
    return inverted


# Numbers in the columns that are drawn at a time: of each there are some copies. So many columns
# are drawn together, if they have no more than `MOST` numbers: each time the choices of segments
# are drawn again.
TOGETHER, MANY_TOGETHER, MOST = 1 << 20, 32, 1 << 24

# Sums over all segments, and those that they are divided by, with a factor.
Quotients = tuple[tuple[int, int, float], ...]


class _Columns:
    """Numbers of each segment that are drawn together, and parts that are made of their sums."""

    def __init__(self, segments: int) -> None:
        self.segments = segments
        # Where a column is not 0, and its values there: most columns have few.
        self.columns: list[tuple[Int32, Float64]] = []
        self.parts: list[Quotients] = []

    def column(self, values: Float64) -> int:
        """Take a column, float64[S]; return its number."""
        self.columns.append(_nonzero(values))
        return len(self.columns) - 1

    def several(self, pieces: Iterable[Float64]) -> list[int]:
        """Take columns, float64[s, k] of some segments after the others; return their numbers."""
        found: list[list[tuple[Int32, Float64]]] = []
        begin = 0
        for piece in pieces:
            found.append([_nonzero(column, begin) for column in piece.T])
            begin += len(piece)
        known = len(self.columns)
        for parts in zip(*found, strict=True):
            places, values = zip(*parts, strict=True)
            used, column = np.concatenate(places), np.concatenate(values)
            self.columns.append(
                (move_to_file(used, MIN_BYTES_OF_MANY), move_to_file(column, MIN_BYTES_OF_MANY))
            )
        return list(range(known, len(self.columns)))

    def part(self, quotients: Quotients) -> int:
        """Take a part; return its number."""
        self.parts.append(quotients)
        return len(self.parts) - 1

    def values(self, totals: Float64) -> Float64:
        """Return all parts in points for sums of the columns, float64[..., P]."""
        parts = np.zeros((*totals.shape[:-1], len(self.parts)))
        below = np.where(totals > 0, totals, 1.0)
        for number, quotients in enumerate(self.parts):
            for over, under, factor in quotients:
                parts[..., number] += 100 * factor * totals[..., over] / below[..., under]
        return parts

    def _matrix(self, columns: Sequence[tuple[Int32, Float64]]) -> Float64:
        """Return some columns with all their zeros, float64[S, k]."""
        matrix = np.zeros((self.segments, len(columns)))
        for number, (used, values) in enumerate(columns):
            matrix[used, number] = values
        return matrix

    def drawn(self, drawn: ResamplingPlan) -> Float64:
        """Return value, low, high and two p-values of all parts, float64[5, P].

        The first p-value counts resamples, as that of the answer, and is never below one in their
        number. The second is of Student's t with the standard error of the resamples: it can be
        corrected for many tests. Of fewer than 100 segments both are those of randomization; where
        the second would be too rough to be corrected, it is of Student's t with the deviation of
        random swaps.
        """
        number = self.segments if drawn.documents is None else len(drawn.documents)
        few = max(MOST // max(self.segments, 1), 1)
        together = max(TOGETHER // max(self.segments, 1), min(MANY_TOGETHER, few))
        value = self.values(np.array([math.fsum(values) for _, values in self.columns]))
        # All pieces get the same choices of segments.
        totals = np.concatenate(
            [
                bootstrap_totals(
                    drawn.sums(self._matrix(self.columns[first : first + together])),
                    resamples=drawn.resamples,
                    seed=drawn.seed,
                )
                for first in range(0, len(self.columns), together)
            ],
            axis=1,
        )
        samples = self.values(totals).T
        low, high = interval(samples, drawn.level)
        shifted = np.abs(samples - samples.mean(axis=1, keepdims=True))
        extreme = np.count_nonzero(shifted >= np.abs(value)[:, np.newaxis] - NEAR, axis=1)
        p_value = (extreme + 1) / (drawn.resamples + 1)
        error = samples.std(axis=1, ddof=1) if drawn.resamples > 1 else np.zeros(len(value))
        nothing = (np.abs(value) < NEAR) | (number < 2)
        tails = [
            1.0 if none or drawn.resamples < 2 else 2 * student_tail(t, drawn.resamples - 1)
            for none, t in zip(nothing, np.abs(value) / np.maximum(error, NEAR), strict=True)
        ]
        if number < MANY_SYSTEMS:
            # Of few segments both claim too much.
            added = drawn.sums(self._contributions(self._matrix(self.columns)))
            p_value = swapped_p_values(added, drawn.seed, drawn.swaps or SWAPS)
            tails = [
                p if p > ROUGH else min(p, 2 * student_tail(t, number - 1))
                for p, t in zip(p_value.tolist(), swapped_deviations(added), strict=True)
            ]
        return np.stack([value, low, high, np.where(nothing, 1.0, p_value), tails])

    def _contributions(self, matrix: Float64) -> Float64:
        """Return what each segment adds to each part, float64[S, P]."""
        totals = matrix.sum(axis=0)
        below = np.where(totals > 0, totals, 1.0)
        added = np.zeros((self.segments, len(self.parts)))
        for number, quotients in enumerate(self.parts):
            for over, under, factor in quotients:
                added[:, number] += factor * matrix[:, over] / below[under]
        return added


def _nonzero(values: Float64, begin: int = 0) -> tuple[Int32, Float64]:
    """Return where a column is not 0, counted from `begin`, and its values there."""
    used = np.flatnonzero(values)
    places = (begin + used).astype(np.int32)
    return move_to_file(places, MIN_BYTES_OF_MANY // 16), move_to_file(
        values[used], MIN_BYTES_OF_MANY // 16
    )


# Below, so few of the random swaps are as extreme that a p-value is too rough to be corrected.
ROUGH = 0.001


def swapped_deviations(added: Float64) -> list[float]:
    """Return how many standard deviations of random swaps each sum over segments is away from 0."""
    deviation = np.sqrt((added * added).sum(axis=0))
    away: list[float] = (np.abs(added.sum(axis=0)) / np.maximum(deviation, NEAR)).tolist()
    return away


def paired_p_values(columns: Sequence[Float64], drawn: ResamplingPlan) -> Float64:
    """Test whether sums over all segments are 0.

    Parameters
    ----------
    columns : sequence of float64[S]
        What each segment adds to a difference of systems.
    drawn : Drawn

    Returns
    -------
    float64
        A p-value each: Student's t with the standard error of bootstrap resamples of segments.
        They are not corrected for their number.

    Examples
    --------
    >>> paired_p_values([np.resize([1.0, 0.0], 40), np.resize([1.0, -1.0], 40)], DRAWN).round(3)
    array([0., 1.])
    """
    if not columns:
        return np.zeros(0)
    table = _Columns(len(columns[0]))
    size = table.column(np.ones(table.segments))
    for column in columns:
        table.part(((table.column(column), size, 1.0),))
    p_values: Float64 = table.drawn(drawn)[4]
    return p_values


def difference(
    translations: Translations,
    pair: tuple[int, int],
    drawn: ResamplingPlan = DRAWN,
    metric: str = "frs",
    hypotheses: Sequence[str] = (),
    words: WordClasses | None = None,
    *,
    own: bool = False,
) -> Difference | None:
    """Cut the difference in FRS, or in Kendall's tau, of two systems into parts.

    Parameters
    ----------
    translations : Translations
    pair : two int
        The systems, by number; the better one first.
    drawn : Drawn
        How intervals and tests are drawn.
    metric : str
        One of `MEASURES`.
    hypotheses : sequence of str
        Kinds of words, or families of them, that were chosen before the outputs were seen: their
        parts are corrected for each other alone, and all other parts without them.
    words : WordClasses, optional
        Those of the references, if they are made already.
    own : bool
        Whether the difference is that of the scores of each system on its own words. One more part
        is then what that adds to the difference on common words, which has the other parts.

    Returns
    -------
    Difference, or None
        None where the metric is not of the matched words, as with alignments, or has other options.

    Raises
    ------
    UsageError
        If no kind and no family is called like a hypothesis.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["we met at six"] * 9, "B": ["we at six met"] * 9}
    >>> found = difference(translations_of(lines, ["we met at six"] * 9, metrics="frs"), (0, 1))
    >>> [(part.name, round(part.points, 4)) for part in found.kinds if part.points]
    [('common words', 66.6667)]
    """
    plain = str(METRICS.make(metric).signature())
    numbers = [n for n, each in enumerate(translations.metrics) if str(each.signature()) == plain]
    if not numbers:
        return None
    systems = [translations.systems[number] for number in pair]
    sides = [system.segments for system in systems]
    if translations.links is not None or not has_common_words(sides):
        return None
    rows = common_references(*sides)
    whole = [MatchedOrder.of(system, rows) for system in systems]
    scored = [system.statistics[numbers[0]] for system in systems]
    words = WordClasses.of(translations.texts, translations.trees) if words is None else words
    parts = _Parts(translations, words, systems, whole, scored, metric, own=own)
    legal = tuple(dict.fromkeys((*parts.words.families, *parts.words.names)))
    for hypothesis in hypotheses:
        choose("hypothesis", hypothesis, legal)
    return parts.difference(drawn, tuple(dict.fromkeys(hypotheses)))


# A part before it is drawn: its name, its number, and that under the other metric.
_Named = tuple[str, int, "int | None"]


def _minus(one: Quotients, other: Quotients) -> Quotients:
    """Return the difference of two sums of quotients."""
    return (*one, *((over, under, -factor) for over, under, factor in other))


class _Parts:
    """All parts of the difference of two systems, before and after they are drawn."""

    def __init__(
        self,
        translations: Translations,
        words: WordClasses,
        systems: Sequence[TranslatedSystem],
        whole: Sequence[MatchedOrder],
        statistics: Sequence[Float64],
        metric: str,
        *,
        own: bool = False,
    ) -> None:
        self.systems, self.whole, self.metric = systems, whole, metric
        self.measure = MEASURES.index(metric)
        both = whole[0].matched & whole[1].matched
        repeated = repeated_unequally(systems[0].segments, systems[1].segments)
        if repeated is not None:
            both &= ~repeated
        shared = whole[0].only(both)
        few = shared.counts() < FEWEST
        both[shared.places[np.repeat(few, shared.counts())]] = False
        self.common = [order.only(both) for order in whole]
        self.lost = [LostOrder.of(order) for order in self.common]
        free_memory()
        self.words = words
        self.unclear = unclear_kinds(characters=translations.characters)
        self.table = _Columns(len(translations))
        # Sentences with words that both match.
        self.below = self.table.column(self.lost[0].scored)
        common = [self._scored(lost) for lost in self.lost]
        total = [_minus(common[0][n], common[1][n]) for n in (0, 1)]
        common_part = self._part("on the words that both systems match", *total)
        weighted = [[self.table.column(column) for column in each.T] for each in statistics]
        ours, theirs = (((value, weight, 1.0),) for value, weight in weighted)
        own_part = self._part("on each system's own matched words", _minus(ours, theirs))
        self.total, self.check = (own_part, common_part) if own else (common_part, own_part)
        # What own words add to the difference on common words.
        self.rest: list[_Named] = []
        if own:
            self.rest = [self._part(ONLY_ONE, _minus(_minus(ours, theirs), total[0]))]

    def _scored(self, lost: LostOrder) -> tuple[Quotients, Quotients]:
        """Return the score of a system, and that under the other metric."""
        measures = self.measure, 1 - self.measure
        score, other = (((self.table.column(lost.scores(n)), self.below, 1.0),) for n in measures)
        return score, other

    def _by_block(
        self, names: Sequence[str], groups: Sequence[Int64]
    ) -> tuple[list[_Named], Float64]:
        """Make parts of what the second system loses more in each group of moved blocks.

        Returns
        -------
        list of _Named, float64[S, K]
            The parts, of both metrics, and what each segment adds to that of the first one.
        """
        gains = []

        def more() -> Iterator[Float64]:
            systems = zip(self.lost, groups, strict=True)
            for ours, theirs in zip(
                *(lost.by_block(each, len(names)) for lost, each in systems), strict=True
            ):
                both = (theirs - ours)[:: -1 if self.measure else 1]
                gains.append(move_to_file(both[0].copy(), MIN_BYTES_OF_MANY))
                yield np.concatenate(both, axis=1)

        columns = self.table.several(more())
        parts = [
            self._part(name, ((score, self.below, 1.0),), ((other, self.below, 1.0),))
            for name, score, other in zip(
                names, columns[: len(names)], columns[len(names) :], strict=True
            )
        ]
        return parts, concatenate(gains)

    def _part(self, name: str, score: Quotients, other: Quotients | None = None) -> _Named:
        return name, self.table.part(score), None if other is None else self.table.part(other)

    def _together(self, by_kind: Sequence[_Named]) -> list[_Named]:
        """Add up the parts of each family of kinds."""
        made = self.table.parts
        families = group_rows(zip(self.words.families, by_kind, strict=True))
        return [
            self._part(
                family,
                tuple(quotient for _, score, _ in named for quotient in made[score]),
                tuple(quotient for _, _, other in named for quotient in made[other or 0]),
            )
            for family, named in families.items()
        ]

    def _by_word(self, names: Sequence[str], groups: Int64) -> list[_Named]:
        pieces = zip(*(lost.by_word(groups, len(names)) for lost in self.lost), strict=True)
        columns = self.table.several(theirs - ours for ours, theirs in pieces)
        return [
            self._part(name, ((column, self.below, 1.0),))
            for name, column in zip(names, columns, strict=True)
        ]

    def _by_length(self, lost: Sequence[LostOrder]) -> list[_Named]:
        """Cut both scores by the length of the reference."""
        lengths = reference_lengths(self.systems[0].texts)
        groups = np.where(lengths < 0, -1, LENGTHS.of(lengths))
        return [
            self._part(
                f"references of {name} words", self._compared(lost, self.below, groups == at)
            )
            for at, name in enumerate(LENGTHS.names)
        ]

    def _compared(
        self, lost: Sequence[LostOrder], below: int, chosen: Bool | None = None
    ) -> Quotients:
        """Return the difference in score of both systems, or what some segments add to it.

        The number `below` is that of the column of scored segments, which both share.
        """
        quotients: Quotients = ()
        for each, factor in zip(lost, (1.0, -1.0), strict=True):
            value = each.scores(self.measure)
            above = self.table.column(value if chosen is None else np.where(chosen, value, 0.0))
            quotients += ((above, below, factor),)
        return quotients

    def _without(self, name: str, words: Bool) -> _Named:
        """Compare the systems without some of the words of the references."""
        # Both have the same words; blocks are much, so those of one system at a time.
        below = self.table.column(np.minimum(self.common[0].only(~words).counts(), 1.0))
        quotients: Quotients = ()
        for order, factor in zip(self.common, (1.0, -1.0), strict=True):
            free_memory()
            score = LostOrder.of(order.only(~words)).scores(self.measure)
            quotients += ((self.table.column(score), below, factor),)
        return self._part(name, quotients)

    def difference(self, drawn: ResamplingPlan, hypotheses: Sequence[str] = ()) -> Difference:
        """Draw all parts together."""
        words = self.words
        kinds = [words.blocks(lost.blocks) for lost in self.lost]
        by_kind, gain = self._by_block(words.names, [each for each, _ in kinds])
        families = [*self._together(by_kind), *self.rest]
        far, _ = self._by_block(DISTANCES, [_distances(lost.blocks) for lost in self.lost])
        groups = {
            "distance": [*far, *self.rest],
            "length": [*self._by_length(self.lost), *self.rest],
        }
        free_memory()
        # A pair in the wrong order is of two words that may be far from each other.
        if self.metric == "frs":
            groups |= {"tag": [*self._by_word(*words.tags), *self.rest]} if words.tags else {}
            groups["word"] = [*self._by_word(*words.forms), *self.rest]
        checks = [
            self._without("without punctuation", words.punctuation),
            self._without(f"without the {COMMONEST} commonest words", words.common),
            self.check,
        ]
        dropped, tested = self._dropped()
        free_memory()
        numbers = self.table.drawn(drawn)
        free_memory()
        dropped = [
            replace(each, p_value=float(numbers[4, part]))
            for each, part in zip(dropped, tested, strict=True)
        ]
        # The whole difference and its checks are tested as the answer is; all other rows that may
        # become findings are corrected together, and so are the rows that do not.
        corrected = numbers[3].copy()
        checked = [score for _, score, _ in checks]
        corrected[checked] = holm(corrected[checked])
        strict = 1 if corrected[self.total[1]] <= SURE else STRICT
        # A kind may be a family of its own, with a number of its own.
        scores = {name: score for name, score, _ in (*by_kind, *families)}
        alone = holm([numbers[4, scores[name]] for name in hypotheses]).tolist()
        named_before = {
            score: alone[hypotheses.index(name)]
            for name, score, _ in (*by_kind, *families)
            if name in hypotheses
        }
        told = list(dict.fromkeys(s for _, s, _ in (*by_kind, *families) if s not in named_before))
        others = {score for named in groups.values() for _, score, _ in named}
        beside = sorted(others.difference(told, named_before))
        pooled = holm([*numbers[4, told], *(each.p_value for each in dropped)])
        corrected[told] = np.minimum(strict * pooled[: len(told)], 1)
        corrected[beside] = np.minimum(strict * holm(numbers[4, beside]), 1)
        corrected[list(named_before)] = list(named_before.values())
        p_values = np.minimum(strict * pooled[len(told) :], 1).tolist()
        # The whole and its checks count resamples, as the answer does.
        uncorrected = numbers[4].copy()
        whole = [self.total[1], *checked]
        uncorrected[whole] = numbers[3, whole]

        values = numbers[:3].T.tolist()

        def parts(named: Sequence[_Named]) -> list[Part]:
            made = []
            for name, score, other in named:
                points, low, high = values[score]
                beside = None if other is None else tuple(values[other])
                tests = float(uncorrected[score]), float(corrected[score])
                made.append(Part(name, points, low, high, *tests, beside))
            return made

        groups = {"kinds of words": families, **groups}
        shown = [*self._shown(parts(by_kind), kinds, gain), *parts(self.rest)]
        all_parts = (*shown, *parts(families), *parts(by_kind))
        told_of = {part.name for part in all_parts if part.sure}
        both = list(zip(words.names, words.families, strict=True))
        clear = [at for at, (name, _) in enumerate(both) if name not in self.unclear]
        sure = [at for at in clear if not told_of.isdisjoint(both[at])]
        named_parts = [next(p for p in all_parts if p.name == name) for name in hypotheses]
        drawn_rows = self.table.segments if drawn.documents is None else len(drawn.documents)
        # The sentences of the whole show what is sure of it, or all that has moved.
        among = [np.isin(each, sure or clear) for each, _ in kinds]
        total, named = gain[:, sure or clear].sum(axis=1), kinds[1][1]
        examples, places = self._examples(total, gain, 1, among[1], named)
        return Difference(
            self.metric,
            (self.systems[0].name, self.systems[1].name),
            replace(parts([self.total])[0], examples=examples, places=places),
            _largest(shown),
            {
                by: tuple(part for part in parts(named) if part.points or part.high)
                if by == "length"
                else _largest(parts(named))
                for by, named in groups.items()
            },
            tuple(parts(checks)),
            self._matched(),
            tuple(
                replace(each, p_value=p_value)
                for each, p_value in zip(dropped, p_values, strict=True)
                if p_value <= SURE
            ),
            tuple(self._moved(part, kinds) for part in named_parts),
            "approximate randomization" if drawn_rows < MANY_SYSTEMS else "paired bootstrap",
            self.unclear,
        )

    def _moved(self, part: Part, kinds: Sequence[tuple[Int64, Int64]]) -> Part:
        """Count the moved blocks of a kind, or of a family of them."""
        both = zip(self.words.names, self.words.families, strict=True)
        among = [at for at, each in enumerate(both) if part.name in each]
        ours, theirs = (int(np.isin(each, among).sum()) for each, _ in kinds)
        return replace(part, moved=(ours, theirs))

    def _shown(
        self, parts: Sequence[Part], kinds: Sequence[tuple[Int64, Int64]], gain: Float64
    ) -> Iterator[Part]:
        """Add to the parts by kind how many blocks moved, and sentences that show them."""
        size, both = len(self.words.names), self.common[0].matched
        there = count_values(self.words.kinds[both], size)
        for at, part in enumerate(parts):
            chosen = [each == at for each, _ in kinds]
            if not any(map(np.any, chosen)):
                continue
            right = None
            if there[at]:
                # A word that is named by several blocks is out of place once.
                wrong = [
                    np.unique(words[which]) for which, (_, words) in zip(chosen, kinds, strict=True)
                ]
                ours, theirs = (1 - int(both[each].sum()) / int(there[at]) for each in wrong)
                right = (ours, theirs)
            loser = 1 if part.points > 0 else 0
            added = gain[:, at] * np.sign(part.points)
            which, named = chosen[loser], kinds[loser][1]
            distances = self.lost[loser].blocks.word_distances(which, named[which])
            part = replace(
                part,
                moved=(int(chosen[0].sum()), int(chosen[1].sum())),
                right=right,
                family=self.words.families[at],
                early=float(np.mean(distances < 0)) if len(distances) else None,
            )
            examples, places = self._examples(added, gain, loser, which, named, part.direction)
            yield replace(part, examples=examples, places=places)

    def _examples(
        self,
        part: Float64,
        gain: Float64,
        loser: int,
        chosen: Bool,
        named: Int64,
        direction: str = "",
    ) -> tuple[tuple[int, ...], tuple[frozenset[int], ...]]:
        """Return typical sentences of some moved blocks, and the words that are seen to move.

        Words that the blocks are named after, and that have moved themselves, but not in the other
        system. No other word looks like one of them, which might be taken for it. With a
        `direction` they have moved that way.
        """
        ours, theirs = (self.lost[n].blocks for n in (loser, 1 - loser))
        block, word = np.flatnonzero(ours.moved)[chosen], named[chosen]
        at = np.searchsorted(ours.reference[:-1], as_places(word))
        inside = (ours.first[block] <= at) & (at < ours.first[block + 1])
        # Instead of a block that passes one word, that word may have moved.
        inside |= (ours.passed[block] == word) & (ours.passed_last[block] == word)
        # Beside punctuation alone nothing is seen to move.
        passing = self._passing
        inside &= passing[ours.passed_last[block] + 1] > passing[ours.passed[block]]
        # Both have the same words.
        right = ~theirs.word_moved[at] & ~theirs.word_moved[ours.first[block]]
        seen = inside & (ours.reference[at] == word) & right
        if direction:
            seen &= (ours.word_distances(chosen, word) < 0) == (direction == "early")
        segments = ours.segments[block[seen]]
        alone = self._alone(segments, word[seen])
        words: dict[int, set[int]] = {}
        shown_words = zip(segments[alone].tolist(), word[seen][alone].tolist(), strict=True)
        for segment, place in shown_words:
            words.setdefault(segment, set()).add(place)
        shown = np.zeros(len(part))
        shown[list(words)] = part[list(words)]
        # A common word may match one with another role: it shows less than a line of other words.
        longest = self._longest.copy()
        common = [row for row, places in words.items() if self.words.common[list(places)].all()]
        longest[common] += READABLE[1]
        examples = typical(shown, np.abs(gain).sum(axis=1), longest)
        return examples, tuple(frozenset(words[each]) for each in examples)

    @cached_property
    def _passing(self) -> Int32 | Int64:
        """How many words that are no punctuation come before each, and how many there are."""
        words = ~self.words.punctuation
        kind = np.int32 if len(words) < 1 << 31 else np.int64
        return move_to_file(np.append(np.zeros(1, kind), np.cumsum(words, dtype=kind)))

    @cached_property
    def _longest(self) -> Float64:
        """The words of the longest text of each segment, float64[S]."""
        texts = [(each.references, each.texts.hypothesis) for each in self.systems]
        lengths = [rows.lengths for both in texts for rows in both]
        longest: Float64 = np.max(lengths, axis=0).astype(np.float64)
        # Sentences of which few words match are as hard to read as long ones.
        longest[self.common[0].counts() < MATCHED * longest] = np.inf
        return longest

    def _alone(self, segments: Int64, places: Int64) -> Bool:
        """Return for words of segments whether no other word looks like them there, bool[K].

        Neither in their reference nor in an output.
        """
        stems = self.words.stems
        sought = stems[self.systems[0].texts.references.values[places]]
        references = self.systems[0].texts.references
        texts = [(references, self.whole[0].rows[segments])]
        texts += [(each.texts.hypothesis, segments) for each in self.systems]
        alone = np.ones(len(segments), np.bool_)
        for text, rows in texts:
            for first in range(0, len(rows), SPAN):
                some = slice(first, first + SPAN)
                there, offsets = row_positions(text.offsets, rows[some])
                word = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
                same = stems[text.values[there]] == sought[some][word]
                alone[some] &= np.bincount(word[same], minlength=len(offsets) - 1) == 1
        return alone

    def _matched(self) -> tuple[float, float]:
        """Return what share of the reference words either system matches."""
        references = self.systems[0].texts.references
        ours, theirs = (
            float(each.matched.sum())
            / max(int(references.lengths[each.rows[each.rows >= 0]].sum()), 1)
            for each in self.whole
        )
        return ours, theirs

    def _dropped(self) -> tuple[list[Dropped], list[int]]:
        """Return the common words, how often either system matches each, and the part of each."""
        names, groups = self.words.forms
        size = len(names)
        totals = np.zeros((2, size), np.int64)
        free_memory()
        columns = [(each.offsets, each.places) for each in self.whole]

        def more() -> Iterator[Float64]:
            """Yield how much oftener the first system matches each word, in some segments."""
            for begin, end in _spans(self.table.segments):
                counts = []
                for offsets, places in columns:
                    words = slice(*offsets[[begin, end]].tolist())
                    rows = np.repeat(np.arange(end - begin), np.diff(offsets[begin : end + 1]))
                    cells = rows * size + groups[places[words]]
                    found = np.bincount(cells, minlength=(end - begin) * size)
                    counts.append(found.reshape(-1, size))
                totals[:] += np.sum(counts, axis=1)
                # Punctuation and the other words are no words that are named.
                yield (counts[0] - counts[1])[:, :-2].astype(np.float64)

        every = self.table.column(np.ones(self.table.segments))
        parts = [self.table.part(((each, every, 1.0),)) for each in self.table.several(more())]
        there = np.maximum(count_values(groups, size), 1)
        shares = totals / there
        listed = largest_first(np.abs(shares[0] - shares[1])[:-2]).tolist()
        dropped = [
            Dropped(names[at], float(shares[0][at]), float(shares[1][at]), math.nan)
            for at in listed
        ]
        return dropped, [parts[at] for at in listed]


# Directions and distances of moved blocks.
DISTANCES = (
    "blocks more than 3 words too early",
    "blocks up to 3 words too early",
    "blocks up to 3 words too late",
    "blocks more than 3 words too late",
)


def _distances(blocks: Blocks) -> Int64:
    far = np.abs(blocks.distance) > LOCAL
    late = blocks.distance > 0
    return np.where(late, 2 + far, 1 - far)[blocks.moved]


def _largest(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Sort parts, the largest first, whatever their sign."""
    listed = list(parts)
    order = largest_first(np.abs([part.points for part in listed]))
    return tuple(listed[at] for at in order.tolist())


# Sentences of so many words are easy to read in a picture, if so large a share of them matches.
READABLE, MATCHED = (6, 25), 0.6


def typical(gain: Float64, turned: Float64, words: Float64) -> tuple[int, ...]:
    """Return sentences that show a part best: not the extreme ones, but those like the mean.

    Parameters
    ----------
    gain : float64[S]
        What each sentence adds to the part.
    turned : float64[S]
        What it adds to all parts, whatever the sign.
    words : float64[S]
        Of each sentence, in the longest of its texts: a picture has so many lines.

    Returns
    -------
    tuple of int
        At most five sentences that add to the part: those first that are neither short nor long,
        whose gain is near the mean of such sentences, and that add to little else. Of long ones,
        those of fewer lines come first.

    Examples
    --------
    >>> gain = np.array([0.1, 0.5, 0.3, 0.0, 0.3])
    >>> typical(gain, np.array([0.1, 0.5, 0.9, 0, 0.3]), np.full(5, 9.0))
    (4, 0, 1, 2)
    """
    there = np.flatnonzero(gain > NEAR)
    if not len(there):
        return ()
    near = np.abs(gain[there] / gain[there].mean() - 1)
    pure = gain[there] / np.maximum(turned[there], gain[there])
    lines = np.ceil(words[there] / READABLE[1])
    hard = np.where(words[there] < READABLE[0], 2, lines)
    order = np.lexsort((np.round(near + 1 - pure, 9), hard))
    return tuple(there[order][:5].tolist())
