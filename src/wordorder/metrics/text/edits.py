"""Error rates: WER, PER, CDER, long jumps, inversions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.kernels import edits as kernel, run_rows
from wordorder.metrics.contract import best_reference, quotient, real, whole
from wordorder.metrics.options import checked, choice, option_fields, unchecked
from wordorder.metrics.text.substitution import (
    Fields,
    WordCosts,
    matching_costs,
    open_costs,
    weighted_distances,
)
from wordorder.metrics.text.text_metric import Pairs, TextMetric, bag_matches
from wordorder.notes import note
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.texts import Texts

# Sums of fractions of words are rounded once, and once more where they are divided by a length.
ROUNDING = 8 * np.finfo(np.float64).eps

LIMIT = 20_000

# Years of search.
HIGHEST_LIMIT = 10**15

# Above this number of pairs of positions, the relaxed bound is not computed.
MOST_PLACES = 1 << 18

SLOTS = 1 << 16

# The kernel works some ten times as long on a word as others do.
WEIGHT = 8

# What an edit costs in the kernel, which computes with whole numbers.
EDIT = 1000

LONGEST = 50

# The chart of a sentence of this length takes half a gigabyte.
LONGEST_OF_ALL = 100

DEAREST = 1000.0

# Pairs of spans that are as much work as a word is for other kernels.
PAIRS = 1000


@dataclass(kw_only=True, eq=False, repr=False)
class ErrorRate(TextMetric):
    """A distance between hypothesis and reference, divided by the length of the reference.

    The rate of a segment is that of the reference with the smallest rate, the first of them on
    ties. The rate of a corpus is the sum of these distances over the sum of these lengths.

    Parameters
    ----------
    ref_len : "best" or "average"
        Divide by the length of the best reference, or by the mean length of all references of the
        segment; then the best reference is the one with the smallest distance.

    Raises
    ------
    UsageError
        If the value is unknown.

    Notes
    -----
    Where there are no reference words at all, the rate is 0 if the distance is 0, else 1. A
    segment without references is left out and counted.
    """

    higher_is_better = False
    ref_len: str = choice("best", "average")

    def texts(self, segments: Segments) -> Texts:
        """Return the texts that are compared: here those of the segments as they are."""
        return segments.texts

    @abstractmethod
    def distances(self, segments: Segments) -> Float64:
        """Return the distance to each reference, float64[R].

        It is infinite for a reference that cannot be used; a segment without any other is left
        out.
        """

    def extra_fields(self) -> Fields:
        """Return the signature's fields of options that only this metric has."""
        return option_fields(self, ErrorRate)

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(self.name, (*self.extra_fields(), ("ref_len", self.ref_len)))

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 3]: distance, length and 1; zeros for a segment that is left out."""
        texts = self.texts(segments)
        distances = self.distances(segments)
        lengths = texts.references.lengths.astype(np.float64)
        offsets = texts.reference_offsets
        reference_costs = distances
        if self.ref_len == "best":
            reference_costs = np.where(np.isfinite(distances), rates(distances, lengths), np.inf)
        best = best_reference(reference_costs, offsets, ROUNDING)
        statistics = np.zeros((len(segments), 3))
        used = np.flatnonzero(best >= 0)
        used = used[np.isfinite(distances[best[used]])]
        chosen = best[used]
        statistics[used, 0] = distances[chosen]
        if self.ref_len == "best":
            statistics[used, 1] = lengths[chosen]
        else:
            word_offsets = texts.references.offsets[offsets]
            statistics[used, 1] = np.diff(word_offsets)[used] / np.diff(offsets)[used]
        statistics[used, 2] = 1.0
        return statistics

    def score(self, totals: Float64) -> Float64:
        """Return distance over length: float64[..., 3] to float64[...]."""
        return rates(totals[..., 0], totals[..., 1])


@dataclass(kw_only=True, eq=False, repr=False)
class WeightedErrorRate(ErrorRate):
    """An error rate whose substitutions may cost what the two words differ by.

    Costs are above 0 and at most 2, 0 for equal words and the same in both directions; insertions
    and deletions cost 1 (Leusch et al. 2006, section 4.1).

    Parameters
    ----------
    direction : "reference", "candidate" or "max"
        Which sentence a length penalty is taken against.
    penalty : "none", "length", "miscoverage" or "mean"
        What is added: the number of words that the hypothesis has more than the reference (for
        ``direction="candidate"`` the reverse, for ``"max"`` the larger); the miscoverage, which
        is 0 where a distance covers every word once; or the mean of both (Leusch et al. 2006,
        section 3.3).
    substitution : str
        "constant": 1. "prefix" or "levenshtein": by spelling, see `substitution_cost`. "stem",
        "synonym": `similar` for words of one stem or synonym set, else 1. "table": as the file
        `costs` lists. "information": by the information of both words, see `InformationCosts`.
    language : str
        For "stem": ``en``, ``de``, ... as METEOR names languages.
    synonyms : path
        For "synonym": WordNet's directory, or a file with one synonym set per line.
    costs : path
        For "table": a file with two words and a cost on each line; other pairs cost 1.
    similar : float
        What words of one stem or synonym set cost: above 0, at most 2.
    ref_len : "best" or "average"
        As `ErrorRate`.

    Raises
    ------
    UsageError
        If a value is unknown or out of range, or a file is missing.
    InputError
        If a file cannot be read, or lists costs that break the rules.
    """

    direction: str = choice("reference", "candidate", "max")
    penalty: str = choice("none", "length", "miscoverage", "mean")
    # `open_costs` checks these together.
    substitution: str = unchecked("constant")
    language: str = unchecked("en")
    synonyms: str = unchecked("")
    costs: str = unchecked("")
    similar: float = unchecked(0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.word_costs: WordCosts = open_costs(
            self.substitution,
            language=self.language,
            synonyms=self.synonyms,
            costs=self.costs,
            similar=self.similar,
            metric=self.name,
        )

    @property
    def constant(self) -> bool:
        """Whether every substitution costs 1."""
        return self.word_costs.name == "constant"

    def extra_fields(self) -> Fields:
        """Return direction, penalty and the kind of substitution costs."""
        costs = (("substitution", self.word_costs.name), *self.word_costs.fields)
        return (("direction", self.direction), ("penalty", self.penalty), *costs)

    @property
    def needs_preparation(self) -> bool:
        """Whether the costs depend on the references, which have not been seen."""
        return self.word_costs.needs_preparation

    def prepare(self, references: Segments | Iterable[Segments]) -> WeightedErrorRate:
        """Return the metric once its costs have seen the references of all segments."""
        pieces = [references] if isinstance(references, Segments) else references
        prepared = copy(self)
        prepared.word_costs = self.word_costs.prepare(pieces)
        return prepared


class SymmetricErrorRate(WeightedErrorRate):
    """An error rate whose distance is symmetric and covers every word of both sentences once.

    Parameters and errors: `WeightedErrorRate`.
    """

    @abstractmethod
    def symmetric_distances(self, segments: Segments) -> Float64:
        """Return the distance to each reference without penalty, float64[R]."""

    def extra_fields(self) -> Fields:
        """Return penalty and kind of substitution costs; the direction where it can matter."""
        direction, _, *costs = super().extra_fields()
        if self.penalty in ("none", "miscoverage"):
            return (("penalty", "none"), *costs)
        return (direction, ("penalty", self.penalty), *costs)

    def distances(self, segments: Segments) -> Float64:
        """Return the distances with their penalties, float64[R]."""
        distances = self.symmetric_distances(segments)
        if self.penalty in ("none", "miscoverage"):
            return distances
        texts = segments.texts
        surplus = texts.hypothesis.lengths[texts.segment_of] - texts.references.lengths
        if self.direction == "candidate":
            surplus = -surplus
        penalised_words = np.abs(surplus) if self.direction == "max" else np.maximum(surplus, 0)
        penalty_weight = 0.5 if self.penalty == "mean" else 1.0
        penalised: Float64 = distances + penalty_weight * penalised_words
        return penalised


class WordErrorRate(SymmetricErrorRate):
    """Levenshtein distance in words over the length of the reference.

    The fewest insertions, deletions and substitutions that turn one sentence into the other. A
    word that is in another place costs two of them, and a block of words two a word.

    Parameters and errors: `WeightedErrorRate`.

    Notes
    -----
    Time: hypothesis times reference words, 64 of them at a time with constant costs. Memory grows
    with the length.

    Examples
    --------
    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> WordErrorRate().segment_scores(segments)
    array([0.66666667])
    """

    name = "wer"

    def symmetric_distances(self, segments: Segments) -> Float64:
        """Return Levenshtein distances, float64[R]."""
        texts = segments.texts
        if not self.constant:
            table = self.word_costs.table(texts)
            return weighted_distances(Pairs.of(texts), table, jumps=False)[0]
        return Pairs.of(texts, local=True).bit_parallel()


class PositionIndependentErrorRate(SymmetricErrorRate):
    """Edits between two sentences whose words may come in any order, over the reference length.

    Words that both have are matched, repeated ones as often as both have them. The other words of
    the shorter sentence are substituted, and what the longer one has more is inserted or deleted:
    ``max(I, L)`` less the common words (Tillmann et al. 1997).

    With other than constant substitutions the words are matched so that the sum of their costs is
    the least (Leusch et al. 2006, section 4.1). Parameters and errors: `WeightedErrorRate`.

    Notes
    -----
    Linear time with constant costs; with others up to the third power of the length, and memory for
    each pair of words.

    Examples
    --------
    >>> segments = Segments.from_text(["a b b c"], ["b a d"])
    >>> PositionIndependentErrorRate().segment_scores(segments)
    array([0.66666667])
    """

    name = "per"

    def symmetric_distances(self, segments: Segments) -> Float64:
        """Return the costs of the words that differ and of those that are too many, float64[R]."""
        texts = segments.texts
        hypothesis_lengths, reference_lengths = (
            texts.hypothesis.lengths[texts.segment_of],
            texts.references.lengths,
        )
        if not self.constant:
            surplus: Float64 = np.abs(hypothesis_lengths - reference_lengths).astype(np.float64)
            return matching_costs(texts, self.word_costs.table(texts)) + surplus
        return (np.maximum(hypothesis_lengths, reference_lengths) - bag_matches(texts)).astype(
            np.float64
        )


def rates(distances: Float64, lengths: Float64) -> Float64:
    """Divide distances by lengths; where a length is 0, by the distance itself: 0 or 1.

    Examples
    --------
    >>> rates(np.array([1.0, 2.0, 0.0]), np.array([4.0, 0.0, 0.0]))
    array([0.25, 1.  , 0.  ])
    """
    return quotient(distances, lengths, np.asarray(distances > 0, np.float64))


class CoverDisjointErrorRate(WeightedErrorRate):
    """Edits and jumps between blocks of words, over the length of the reference.

    The reference is read from its first to its last word. Beside insertions, deletions and
    substitutions there are jumps, at cost 1, to any place of the hypothesis: its words may be taken
    never, once, or several times (Leusch et al. 2006, equation 1).

    Parameters
    ----------
    direction : "reference", "candidate" or "max"
        Which sentence is covered exactly once: the reference, as in the paper; the hypothesis,
        with jumps in the reference ("reversed"); or the larger of both distances.
    penalty : "none", "length", "miscoverage" or "mean"
        What is added, since jumps leave words out: the number of words that the sentence with the
        jumps has more than the other; the sum of ``|1 - coverage|`` over its words; or the mean of
        both (section 3.3). For ``direction="max"`` each distance has its own penalty.
    substitution, language, synonyms, costs, similar
        What a substitution costs: as `WeightedErrorRate`.
    ref_len : "best" or "average"
        As `ErrorRate`. Rates are over the length of the reference in all directions.

    Raises
    ------
    UsageError, InputError
        As `WeightedErrorRate`.

    Notes
    -----
    Time: hypothesis times reference words, 64 of them at a time with constant costs and no
    miscoverage. The miscoverage is that of one cheapest path; other ones may have other
    values. It is followed from its end, by substitution or identity where that is possible, else
    by insertion, else by deletion, else by a jump from the first minimum.

    Examples
    --------
    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> CoverDisjointErrorRate().segment_scores(segments)
    array([0.5])
    """

    name = "cder"

    def distances(self, segments: Segments) -> Float64:
        """Return cover distances with their penalties, float64[R]."""
        texts = segments.texts
        if self.direction == "max":
            return np.maximum(self._directed(texts, False), self._directed(texts, True))
        return self._directed(texts, self.direction == "candidate")

    def _directed(self, texts: Texts, reverse: bool) -> Float64:
        """Return the distances of one direction."""
        traced = self.penalty in ("miscoverage", "mean")
        if self.constant and not traced:
            pairs = Pairs.of(texts, local=True, reverse=reverse)
            distances = pairs.bit_parallel(cover=True)
            missing = np.zeros(len(pairs), np.int64)
        else:
            pairs = Pairs.of(texts, reverse=reverse)
            distances, missing = weighted_distances(
                pairs, self.word_costs.table(texts), jumps=True, traced=traced
            )
        if self.penalty in ("length", "mean"):
            missing = missing + pairs.surplus
        return np.add(distances, missing / 2 if self.penalty == "mean" else missing)


@dataclass(kw_only=True, eq=False, repr=False)
class LongJump(ErrorRate):
    """Long jump distance over the length of the reference.

    The fewest edits and jumps with which a reader covers the hypothesis completely, each word
    once, while they write the reference. A jump to another place costs as much as an edit (Leusch,
    Ueffing and Ney 2006, section 2.2).

    Parameters
    ----------
    limit : int, default 20000
        How many states the search of one pair of sentences may look at. Where that does not
        prove a distance, the smallest one that is known to be possible counts, and a warning tells
        for how many references.
    ref_len : "best" or "average"
        As `ErrorRate`.

    Raises
    ------
    UsageError
        If a value is unknown, of another kind or negative.

    Notes
    -----
    The distance is NP-hard. Most pairs are decided by a bound that takes a few edit distances;
    `long_jump_bounds` tells which are not.

    Examples
    --------
    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> LongJump().segment_scores(segments)
    array([0.5])
    """

    name = "long-jump"
    # Some sentences take a tenth of a second: whoever wants it asks for it by name.
    slow = True

    limit: int = checked(LIMIT, whole, 0, HIGHEST_LIMIT)

    def distances(self, segments: Segments) -> Float64:
        """Return the smallest distances that are known to be possible, float64[R].

        Warns
        -----
        note
            If some are not proven to be the smallest.
        """
        lower, upper = long_jump_bounds(segments.texts, limit=self.limit)
        unproven = int(np.count_nonzero(lower < upper))
        if unproven:
            problem = (
                f"{unproven} of {len(upper)} distances are not proven within limit={self.limit}"
            )
            note(f"long-jump: {problem}; the smallest ones found count")
        return upper.astype(np.float64)


def long_jump_bounds(texts: Texts, *, limit: int = LIMIT) -> tuple[Int64, Int64]:
    """Return proven bounds of the long jump distance to each reference.

    Parameters
    ----------
    texts : Texts
    limit : int
        How many states the search of one pair may look at; 0 does without any search.

    Returns
    -------
    lower, upper : int64[R]
        The distance is one of ``lower .. upper``; where the two are equal, it is that. Both depend
        on `limit` and on nothing else.

    Raises
    ------
    UsageError
        If `limit` is not a whole number from 0 to 10**15.

    Notes
    -----
    The lower bound lets the words of the shorter sentence be covered any number of times, at prices
    that are adjusted until this does not pay (Lagrangian relaxation), which is never below the CDER
    distance in that direction; a search refutes the distances above it one after the other. Pairs
    with more than 64 words on both sides are not searched. Those with more than about 500 lie
    between the words that are missing or too many and the edit distance.

    Examples
    --------
    >>> texts = Texts.from_segments(["a b c d e"], [["d e a b c", "e d c b a"]])
    >>> [bound.tolist() for bound in long_jump_bounds(texts)]
    [[3, 4], [3, 4]]
    """
    limit = checked_limit(limit)
    pairs = Pairs.of(texts, local=True)
    lower = np.empty(len(pairs), np.int32)
    # Whoever never jumps pays the edit distance.
    upper = pairs.bit_parallel().astype(np.int32)
    longest = int(np.diff(texts.token_offsets).max(initial=0))
    run_rows(
        *(kernel.long_jump_distances, texts.token_offsets * WEIGHT, pairs.rows),
        *(limit, lower, upper),
        scratch=lambda _: (
            *(longest, np.empty(min((longest + 2) ** 2 // 4, MOST_PLACES), np.int32)),
            np.empty(SLOTS, np.uint64),
            np.zeros(2 * SLOTS, np.int64),
        ),
    )
    return lower.astype(np.int64), upper.astype(np.int64)


def checked_limit(limit: int) -> int:
    """Return a limit of the search, if it is one."""
    return whole("long-jump.limit", limit, 0, HIGHEST_LIMIT)


def check_cost(option: str, value: float) -> float:
    """Return the cost of an exchange of blocks, if it is a number with at most three decimals."""
    cost = real(option, value, 0, DEAREST)
    if round(cost * EDIT, 6) % 1:
        raise UsageError(f"{option} has at most three decimals, not {value!r}")
    return cost


@dataclass(kw_only=True, eq=False, repr=False)
class InversionWordErrorRate(ErrorRate):
    """Edit distance with block exchanges over the length of the reference.

    Hypothesis and reference are cut into pairs of blocks, in order or crosswise, down to single
    words that are edited; each crosswise cut costs as much as an edit (Leusch, Ueffing and Ney
    2003). What an inversion transduction grammar cannot express, is edited.

    Parameters
    ----------
    inversion_cost : float, default 1.0
        What an exchange costs: from 0, with at most three decimals.
    max_words : int, default 50
        Pairs with a longer sentence are not compared, since the time grows with the sixth power.
        A segment without any other reference is left out and counted, with a warning.
    ref_len : "best" or "average"
        As `ErrorRate`.

    Raises
    ------
    UsageError
        If a value is unknown or out of range.

    Examples
    --------
    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> InversionWordErrorRate().segment_scores(segments).round(4)
    array([0.1667])
    """

    name = "inversion-wer"
    # Some sentences take it a second: whoever wants it asks for it by name.
    slow = True

    inversion_cost: float = checked(1.0, check_cost)
    max_words: int = checked(LONGEST, whole, 1, LONGEST_OF_ALL)

    def extra_fields(self) -> Fields:
        """Return the cost of an exchange and the longest sentence."""
        return (("inversion_cost", f"{self.inversion_cost:g}"), ("max_words", str(self.max_words)))

    def distances(self, segments: Segments) -> Float64:
        """Return the distances, float64[R]; infinite where a sentence is too long.

        Warns
        -----
        note
            If some are.
        """
        texts = segments.texts
        distances = inversion_distances(
            texts, inversion_cost=self.inversion_cost, max_words=self.max_words
        )
        too_long = np.isinf(distances)
        if too_long.any():
            used = np.zeros(len(texts), np.int64)
            np.add.at(used, texts.segment_of, ~too_long)
            left_out = int(np.count_nonzero((used == 0) & (np.diff(texts.reference_offsets) > 0)))
            note(
                f"inversion-wer: {int(too_long.sum())} of {len(distances)} references are not "
                f"compared, because they or the hypothesis have more than "
                f"max_words={self.max_words} words; {left_out} segments are left out"
            )
        return distances


def inversion_distances(
    texts: Texts, *, inversion_cost: float = 1.0, max_words: int = LONGEST
) -> Float64:
    """Return the inversion distance to each reference.

    The least of the edit distance and, over all ways to cut both sentences in two, of the sum of
    the distances of the two pairs of parts, with `inversion_cost` on top if the front of one goes
    with the back of the other.

    Parameters
    ----------
    texts : Texts
    inversion_cost : float
        From 0, with at most three decimals.
    max_words : int
        At most 100.

    Returns
    -------
    float64[R]
        Infinite where one of the two sentences has more than `max_words` words.

    Raises
    ------
    UsageError
        If `inversion_cost` or `max_words` is out of range.

    Notes
    -----
    Time: third power of both lengths at worst, and second power where exchanges cannot pay.
    Memory: six bytes times the squares of both lengths.

    Examples
    --------
    Two exchanges side by side; one inside the other; an order that exchanges cannot make.

    >>> texts = Texts.from_segments(["a b c d"], [["b a d c", "d c a b", "b d a c"]])
    >>> inversion_distances(texts)
    array([2., 2., 3.])
    """
    exchange = round(check_cost("inversion-wer.inversion_cost", inversion_cost) * EDIT)
    word_limit = whole("inversion-wer.max_words", max_words, 1, LONGEST_OF_ALL)
    pairs = Pairs.of(texts, local=True)
    distances = np.empty(len(pairs), np.int32)
    lengths = np.diff(texts.token_offsets)
    longest = int(lengths.max(initial=0))
    places = min((longest + 2) ** 2 // 4, (word_limit + 1) ** 2)
    work = np.minimum(lengths, 2 * word_limit).astype(np.float64) ** 4 / 16 / PAIRS
    ends = np.concatenate([np.zeros(1), np.cumsum(work + lengths)]).astype(np.int64)
    run_rows(
        *(
            kernel.compute_inversion_distances,
            ends,
            pairs.rows,
            EDIT,
            exchange,
            word_limit,
            distances,
        ),
        scratch=lambda _: (
            *(longest, places, np.empty(places**2, np.int32)),
            np.empty(places**2 // 2 + 2, np.int32),
        ),
    )
    return np.where(distances < 0, np.inf, distances / EDIT)
