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
from wordorder.metrics.contract import best_reference, check_integer, check_number, quotient
from wordorder.metrics.options import checked, choice, option_fields, unchecked
from wordorder.metrics.text.substitution import (
    Fields,
    WordCosts,
    compute_matching_costs,
    open_costs,
    weighted_distances,
)
from wordorder.metrics.text.text_metric import Pairs, TextMetric, count_bag_matches
from wordorder.notes import note
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.texts import Texts

# Tolerance when rates are compared: sums of fractions are rounded, and so are the quotients.
RATE_TOLERANCE = 8 * np.finfo(np.float64).eps

DEFAULT_SEARCH_LIMIT = 20_000

# A search of this number of states would take years.
MAX_SEARCH_LIMIT = 10**15

# Above this number of pairs of positions, the relaxed bound is not computed.
MAX_POSITION_PAIRS = 1 << 18

# The number of slots of the kernel's hash table.
SLOT_COUNT = 1 << 16

# The work per word, relative to other kernels, which are about ten times as fast.
WORK_PER_WORD = 8

# The cost of an edit in the kernel, which computes with whole numbers.
EDIT_COST = 1000

DEFAULT_MAX_WORDS = 50

# The chart of a sentence of this length takes half a gigabyte.
MAX_WORDS = 100

MAX_INVERSION_COST = 1000.0

# This number of pairs of spans takes as long as one word in other kernels.
SPAN_PAIRS_PER_WORD = 1000


@dataclass(kw_only=True, eq=False, repr=False)
class ErrorRate(TextMetric):
    """A distance between hypothesis and reference, divided by the length of the reference.

    The rate of a segment is the lowest rate over its references; on ties the first of them is
    used. The rate of a corpus is the sum of these distances over the sum of these lengths.

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
        """Return the texts that are compared: the texts of the segments, unchanged."""
        return segments.texts

    @abstractmethod
    def distances(self, segments: Segments) -> Float64:
        """Return the distance to each reference, float64[R].

        The distance is infinite for a reference that cannot be used; a segment without a usable
        reference is left out.
        """

    def extra_fields(self) -> Fields:
        """Return the fields of the signature for options that only this metric has."""
        return option_fields(self, ErrorRate)

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""
        return Signature(self.name, (*self.extra_fields(), ("ref_len", self.ref_len)))

    def statistics(self, segments: Segments) -> Float64:
        """Return distance, length and 1, float64[S, 3]; zeros for a segment that is left out."""
        texts = self.texts(segments)
        distances = self.distances(segments)
        lengths = texts.references.lengths.astype(np.float64)
        offsets = texts.reference_offsets
        reference_costs = distances
        if self.ref_len == "best":
            reference_costs = np.where(np.isfinite(distances), rates(distances, lengths), np.inf)
        best = best_reference(reference_costs, offsets, RATE_TOLERANCE)
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
    """An error rate whose substitutions may cost less for similar words.

    Costs are above 0 and at most 2, 0 for equal words and the same in both directions; insertions
    and deletions cost 1 (Leusch et al. 2006, section 4.1).

    Parameters
    ----------
    direction : "reference", "candidate" or "max"
        The sentence from whose length a penalty is measured; with "max", the shorter one.
    penalty : "none", "length", "miscoverage" or "mean"
        The penalty that is added to the distance. "length": the number of surplus words of the
        hypothesis (with ``direction="candidate"`` of the reference, with ``"max"`` of the longer
        sentence). "miscoverage": 0 for distances that cover every word once. "mean": the mean of
        both (Leusch et al. 2006, section 3.3).
    substitution : str
        How the cost of a substitution is computed. "constant": 1. "prefix" or "levenshtein": from
        the spelling, see `substitution_cost`. "stem" or "synonym": `similar` for words of one
        stem or synonym set, else 1. "table": the cost in the file `costs`. "information": from the
        information of both words, see `InformationCosts`.
    language : str
        For "stem": the language, a code such as ``en`` or ``de`` (METEOR's codes).
    synonyms : path
        For "synonym": WordNet's directory, or a file with one synonym set per line.
    costs : path
        For "table": a file with two words and a cost on each line; other pairs cost 1.
    similar : float
        The cost of substituting a word of the same stem or synonym set: above 0, at most 2.
    ref_len : "best" or "average"
        See `ErrorRate`.

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
        """Return the signature fields of direction, penalty and substitution costs."""
        costs = (("substitution", self.word_costs.name), *self.word_costs.fields)
        return (("direction", self.direction), ("penalty", self.penalty), *costs)

    @property
    def needs_preparation(self) -> bool:
        """Whether `prepare` has to be called because the costs depend on the references."""
        return self.word_costs.needs_preparation

    def prepare(self, references: Segments | Iterable[Segments]) -> WeightedErrorRate:
        """Return a copy of the metric with costs computed from the references of all segments."""
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
        """Return penalty and substitution costs, and the direction if it can change a value."""
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

    The distance is the smallest number of insertions, deletions and substitutions that turn one
    sentence into the other. A moved word costs two edits, a moved block two edits per word.

    Parameters and errors: `WeightedErrorRate`.

    Notes
    -----
    Time is proportional to the product of the two lengths; with constant costs, 64 words are
    compared at once. Memory is proportional to the length.

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
        return Pairs.of(texts, local=True).bit_parallel_distances()


class PositionIndependentErrorRate(SymmetricErrorRate):
    """Edits between two sentences whose words may come in any order, over the reference length.

    Words that occur in both sentences are matched, repeated words as often as they occur in both.
    The other words of the shorter sentence are substituted, and the surplus words of the longer
    one inserted or deleted: the distance is ``max(I, L)`` minus the number of matched words
    (Tillmann et al. 1997).

    With costs that are not constant, words are matched so that the sum of the costs is smallest
    (Leusch et al. 2006, section 4.1). Parameters and errors: `WeightedErrorRate`.

    Notes
    -----
    Time is linear with constant costs. With other costs it is at most cubic, and memory is
    quadratic.

    Examples
    --------
    >>> segments = Segments.from_text(["a b b c"], ["b a d"])
    >>> PositionIndependentErrorRate().segment_scores(segments)
    array([0.66666667])
    """

    name = "per"

    def symmetric_distances(self, segments: Segments) -> Float64:
        """Return the substitution costs plus 1 for each surplus word, float64[R]."""
        texts = segments.texts
        hypothesis_lengths, reference_lengths = (
            texts.hypothesis.lengths[texts.segment_of],
            texts.references.lengths,
        )
        if not self.constant:
            surplus: Float64 = np.abs(hypothesis_lengths - reference_lengths).astype(np.float64)
            return compute_matching_costs(texts, self.word_costs.table(texts)) + surplus
        return (
            np.maximum(hypothesis_lengths, reference_lengths) - count_bag_matches(texts)
        ).astype(np.float64)


def rates(distances: Float64, lengths: Float64) -> Float64:
    """Divide distances by lengths; for length 0 the rate is 0 if the distance is 0, else 1.

    Examples
    --------
    >>> rates(np.array([1.0, 2.0, 0.0]), np.array([4.0, 0.0, 0.0]))
    array([0.25, 1.  , 0.  ])
    """
    return quotient(distances, lengths, np.asarray(distances > 0, np.float64))


class CoverDisjointErrorRate(WeightedErrorRate):
    """Edits and jumps between blocks of words, over the length of the reference.

    The reference is read from its first to its last word. Besides insertions, deletions and
    substitutions, a jump to any position of the hypothesis costs 1, so the words of the hypothesis
    may be used never, once, or several times (Leusch et al. 2006, equation 1).

    Parameters
    ----------
    direction : "reference", "candidate" or "max"
        Which sentence is covered exactly once. "reference": the reference, as in the paper.
        "candidate": the hypothesis, with jumps in the reference. "max": the larger of these two
        distances.
    penalty : "none", "length", "miscoverage" or "mean"
        The penalty that is added to the distance for words that jumps skip. "length": the number
        of surplus words of the sentence with the jumps. "miscoverage": the sum of
        ``|1 - coverage|`` over its words. "mean": the mean of both (section 3.3). With
        ``direction="max"`` each distance has its own penalty.
    substitution, language, synonyms, costs, similar
        The cost of a substitution; see `WeightedErrorRate`.
    ref_len : "best" or "average"
        See `ErrorRate`. Rates are over the length of the reference in all directions.

    Raises
    ------
    UsageError, InputError
        See `WeightedErrorRate`.

    Notes
    -----
    Time is proportional to the product of the two lengths; with constant costs and no miscoverage,
    64 words are compared at once. The miscoverage is computed for one of the cheapest paths; other
    cheapest paths may have other values. The path is traced from its end, by substitution or
    identity where possible, else by insertion, else by deletion, else by a jump from the first
    minimum.

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
            distances = pairs.bit_parallel_distances(cover=True)
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

    The distance is the smallest number of edits and jumps with which a reader of the hypothesis,
    who reads each word exactly once, can write the reference. A jump to another position costs as
    much as an edit (Leusch, Ueffing and Ney 2006, section 2.2).

    Parameters
    ----------
    limit : int, default 20000
        The number of states that the search for one pair of sentences may visit. If that does not
        prove a distance, the smallest distance found counts, and a warning says for how many
        references.
    ref_len : "best" or "average"
        See `ErrorRate`.

    Raises
    ------
    UsageError
        If a value is unknown, of another kind or negative.

    Notes
    -----
    The distance is NP-hard. Most pairs are decided by a bound that takes a few edit distances;
    `long_jump_bounds` shows which are not.

    Examples
    --------
    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> LongJump().segment_scores(segments)
    array([0.5])
    """

    name = "long-jump"
    # Some sentences take a tenth of a second, so the metric is only computed if it is named.
    slow = True

    limit: int = checked(DEFAULT_SEARCH_LIMIT, check_integer, 0, MAX_SEARCH_LIMIT)

    def distances(self, segments: Segments) -> Float64:
        """Return the smallest distances found, float64[R].

        Warns
        -----
        note
            If some distances are not proven to be the smallest.
        """
        lower, upper = long_jump_bounds(segments.texts, limit=self.limit)
        unproven = int(np.count_nonzero(lower < upper))
        if unproven:
            problem = (
                f"{unproven} of {len(upper)} distances are not proven within limit={self.limit}"
            )
            note(f"long-jump: {problem}; the smallest ones found count")
        return upper.astype(np.float64)


def long_jump_bounds(texts: Texts, *, limit: int = DEFAULT_SEARCH_LIMIT) -> tuple[Int64, Int64]:
    """Return proven bounds of the long jump distance to each reference.

    Parameters
    ----------
    texts : Texts
    limit : int
        The number of states that the search for one pair may visit; with 0 there is no search.

    Returns
    -------
    lower, upper : int64[R]
        The distance is in ``lower .. upper``, and known if the two are equal. Only `limit` can
        change the bounds.

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
    limit = check_search_limit(limit)
    pairs = Pairs.of(texts, local=True)
    lower = np.empty(len(pairs), np.int32)
    # Without jumps, the distance is the edit distance.
    upper = pairs.bit_parallel_distances().astype(np.int32)
    longest = int(np.diff(texts.token_offsets).max(initial=0))
    run_rows(
        *(kernel.long_jump_distances, texts.token_offsets * WORK_PER_WORD, pairs.rows),
        *(limit, lower, upper),
        scratch=lambda _: (
            *(longest, np.empty(min((longest + 2) ** 2 // 4, MAX_POSITION_PAIRS), np.int32)),
            np.empty(SLOT_COUNT, np.uint64),
            np.zeros(2 * SLOT_COUNT, np.int64),
        ),
    )
    return lower.astype(np.int64), upper.astype(np.int64)


def check_search_limit(limit: int) -> int:
    """Return `limit`; raise an error unless it is a whole number in the legal range."""
    return check_integer("long-jump.limit", limit, 0, MAX_SEARCH_LIMIT)


def check_inversion_cost(option: str, value: float) -> float:
    """Return the cost of a block exchange; raise an error if it has more than three decimals."""
    cost = check_number(option, value, 0, MAX_INVERSION_COST)
    if round(cost * EDIT_COST, 6) % 1:
        raise UsageError(f"{option} has at most three decimals, not {value!r}")
    return cost


@dataclass(kw_only=True, eq=False, repr=False)
class InversionWordErrorRate(ErrorRate):
    """Edit distance with block exchanges over the length of the reference.

    Hypothesis and reference are cut into pairs of blocks, in order or crosswise, down to single
    words that are edited; each crosswise cut costs as much as an edit (Leusch, Ueffing and Ney
    2003). Reorderings that an inversion transduction grammar cannot express cost edits.

    Parameters
    ----------
    inversion_cost : float, default 1.0
        The cost of an exchange: from 0, with at most three decimals.
    max_words : int, default 50
        Pairs with a longer sentence are not compared, since the time grows with the sixth power.
        A segment without any other reference is left out and counted, with a warning.
    ref_len : "best" or "average"
        See `ErrorRate`.

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
    # Some sentences take a second, so the metric is only computed if it is named.
    slow = True

    inversion_cost: float = checked(1.0, check_inversion_cost)
    max_words: int = checked(DEFAULT_MAX_WORDS, check_integer, 1, MAX_WORDS)

    def extra_fields(self) -> Fields:
        """Return the cost of an exchange and the longest sentence."""
        return (("inversion_cost", f"{self.inversion_cost:g}"), ("max_words", str(self.max_words)))

    def distances(self, segments: Segments) -> Float64:
        """Return the distances, float64[R]; infinite where a sentence is too long.

        Warns
        -----
        note
            If a sentence is too long.
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
    texts: Texts, *, inversion_cost: float = 1.0, max_words: int = DEFAULT_MAX_WORDS
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
    exchange = round(
        check_inversion_cost("inversion-wer.inversion_cost", inversion_cost) * EDIT_COST
    )
    word_limit = check_integer("inversion-wer.max_words", max_words, 1, MAX_WORDS)
    pairs = Pairs.of(texts, local=True)
    distances = np.empty(len(pairs), np.int32)
    lengths = np.diff(texts.token_offsets)
    longest = int(lengths.max(initial=0))
    places = min((longest + 2) ** 2 // 4, (word_limit + 1) ** 2)
    work = np.minimum(lengths, 2 * word_limit).astype(np.float64) ** 4 / 16 / SPAN_PAIRS_PER_WORD
    ends = np.concatenate([np.zeros(1), np.cumsum(work + lengths)]).astype(np.int64)
    run_rows(
        *(
            kernel.compute_inversion_distances,
            ends,
            pairs.rows,
            EDIT_COST,
            exchange,
            word_limit,
            distances,
        ),
        scratch=lambda _: (
            *(longest, places, np.empty(places**2, np.int32)),
            np.empty(places**2 // 2 + 2, np.int32),
        ),
    )
    return np.where(distances < 0, np.inf, distances / EDIT_COST)
