"""Training: expectation maximisation over a parallel text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from wordorder.alignment.statistical.parallel_text import AlignerSettings, Block, ParallelText
from wordorder.arrays import Bool, Float64, Int32, Int64, OnProgress
from wordorder.kernels import alignment as kernel, call, run_pieces, run_rows
from wordorder.messages import counted
from wordorder.notes import note_memory

# Pairs that have been counted less are left out: most words that meet have nothing in common.
LEAST_COUNT = 1e-6


# Bytes of memory that training takes for each pair of a source and a target word of a sentence
# pair: 90 where nearly all are different pairs of words, less the oftener they come back.
CELL_BYTES = 60

# No probability is smaller, so that sums of products stay above 0.
LEAST = 1e-30

# How often every width of a jump counts as seen before any text.
JUMP_SMOOTHING = 0.5

# Wider jumps share one weight.
WIDEST_JUMP = 100

# The cells of a piece of work: jumps are summed by piece, so the cuts must not depend on threads.
PIECE_CELLS = 1 << 17

# Words that begin alike are taken for forms of one word.
STEM_LETTERS = 4

# One ideograph says as much as a few letters.
IDEOGRAPHS = (("\u3400", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"))


def train_counts(
    text: ParallelText, settings: AlignerSettings, progress: OnProgress | None = None
) -> tuple[Lexicon, Counts, Counts]:
    """Train both directions of a model.

    Parameters
    ----------
    text : ParallelText
    settings : Settings
    progress : callable, optional
        Told how many sentence pairs have been worked through, all passes together.

    Returns
    -------
    lexicon : Lexicon
        With the pairs that count for something, sorted.
    forward, backward : Counts
    """
    cells = int(text.cell_offsets[-1])
    pairs = counted(cells, "pair", commas=True)
    note_memory(
        f"{counted(len(text), 'sentence pair')} with {pairs} of words",
        CELL_BYTES * cells,
        "fewer lines need less; a model of --save links any number with --load",
    )
    lexicon = Lexicon.of_text(text)
    mapping = LexiconMapping.itself(lexicon, text, settings)
    directions = (False, True)
    sides = [uniform(len(mapping.pairs), len(text.words), d, settings) for d in directions]
    passes = settings.warm_up + settings.iterations
    done = 0
    for number in range(1, passes + 1):
        sums = [_Sums(text, mapping, settings, d) for d in directions]
        for block in text.blocks():
            both = [posteriors(block, side) for side in sides]
            for direction_sums in sums:
                direction_sums.add(block, both)
            done += len(block.source)
            if progress is not None:
                progress(done)
        learned = [direction_sums.counts() for direction_sums in sums]
        jumps = settings.jumps and number >= settings.warm_up
        if number < passes:
            sides = [
                probabilities(lexicon, learned[d], mapping, d, settings, jumps=jumps)
                for d in directions
            ]
    return _prune_pairs(lexicon, learned[0], learned[1], settings)


class _Sums:
    """Adds up what one direction expects, block after block.

    Always in the order of the text, so that the number of threads does not change a digit.
    """

    def __init__(
        self,
        text: ParallelText,
        mapping: LexiconMapping,
        settings: AlignerSettings,
        transposed: bool,
    ) -> None:
        self._given = text.pair_target if transposed else text.pair_source
        self._agree = settings.agree
        self._transposed = transposed
        self._pairs = mapping.prior.copy()
        self._null = np.zeros(len(text.words))
        self._jumps = np.zeros(2 * WIDEST_JUMP + 1)

    def add(self, block: Block, both_sides: list[Posteriors]) -> None:
        """Add the posteriors of both directions on a block, as far as they concern this one."""
        posterior = both_sides[self._transposed]
        if self._agree:
            both = (both_sides[0].cells, both_sides[1].cells)
            call(kernel.add_products, block.pair, *both, self._pairs, len(block.pair))
        else:
            call(kernel.add_weights, block.pair, posterior.cells, self._pairs, len(block.pair))
        tokens = (block.source if self._transposed else block.target).values
        call(kernel.add_weights, tokens, posterior.null, self._null, len(tokens))
        self._jumps += posterior.jumps

    def counts(self) -> Counts:
        """Return the sums."""
        size = len(self._null)
        totals = np.bincount(self._given, weights=self._pairs, minlength=size).astype(np.float64)
        return Counts(self._pairs, totals, self._null, self._jumps)


def _prune_pairs(
    lexicon: Lexicon, forward: Counts, backward: Counts, settings: AlignerSettings
) -> tuple[Lexicon, Counts, Counts]:
    """Leave out the pairs that count no more than any other, and sort the rest."""
    larger_counts = np.maximum(forward.pairs, backward.pairs)
    pairs = np.flatnonzero(larger_counts > settings.smoothing + LEAST_COUNT)
    pairs = pairs[np.lexsort((lexicon.pair_target[pairs], lexicon.pair_source[pairs]))]
    return lexicon.take(pairs), forward.take(pairs), backward.take(pairs)


@dataclass(frozen=True, eq=False)
class Counts:
    """The expected counts of one direction.

    Attributes
    ----------
    pairs : float64[E]
        Expected count of each (state, token) pair, including the prior pseudo-count.
    totals : float64[V]
        The sum of these over all pairs of the state's word, also those that are not kept.
    null : float64[V]
        How often each word came from the null word.
    jumps : float64[2 * WIDEST_JUMP + 1]
        How often each width was jumped.
    """

    pairs: Float64
    totals: Float64
    null: Float64
    jumps: Float64

    def take(self, pairs: Int64) -> Counts:
        """Return the counts of some of the pairs."""
        return Counts(self.pairs[pairs], self.totals, self.null, self.jumps)


def uniform(pairs: int, words: int, transposed: bool, settings: AlignerSettings) -> DirectionModel:
    """Return a direction before its first pass: every translation as probable as any other."""
    even = 1.0 / max(words, 1)
    return DirectionModel(
        transposed, np.full(pairs, even), np.full(words, even), None, settings.null_share
    )


def probabilities(
    lexicon: Lexicon,
    counts: Counts,
    mapping: LexiconMapping,
    transposed: bool,
    settings: AlignerSettings,
    *,
    jumps: bool,
) -> DirectionModel:
    """Make the probabilities of a direction for the pairs of words of a text.

    With ``backing`` b, a count c(s, t) of the pair, the translations p(T|S) of the stems and a
    word's share p(t|T) of its stem, it is ``(c(s, t) + b p(T|S) p(t|T)) / (c(s) + b)``: the mean
    under a Dirichlet prior with the mean of the stems.
    """
    state, token = (
        (mapping.target, mapping.source) if transposed else (mapping.source, mapping.target)
    )
    pairs = np.where(mapping.pairs >= 0, _values_at(counts.pairs, mapping.pairs), mapping.prior)
    total = _values_at(counts.totals, mapping.words)[state]
    if settings.backing:
        pairs += settings.backing * _stem_probabilities(
            lexicon, counts, mapping, transposed, state, token
        )
        total += settings.backing
    smoothed = counts.null + settings.smoothing
    null = _values_at(smoothed, mapping.words) / max(_sum(smoothed), LEAST)
    return DirectionModel(
        transposed,
        np.maximum(pairs / np.where(total > 0, total, 1.0), LEAST),
        np.maximum(null, LEAST),
        counts.jumps + JUMP_SMOOTHING if jumps else None,
        settings.null_share,
    )


def _stem_probabilities(
    lexicon: Lexicon,
    counts: Counts,
    mapping: LexiconMapping,
    transposed: bool,
    state: Int32,
    token: Int32,
) -> Float64:
    """Return how probable each pair of a text is by the stems of its words."""
    keys, group = lexicon.stem_pairs
    stems = len(lexicon.similarity.stems)
    by_group = np.bincount(group, weights=counts.pairs, minlength=len(keys))
    state_stems = keys % stems if transposed else keys // stems
    totals = np.bincount(state_stems, weights=by_group, minlength=stems)
    rates = by_group / np.where(totals > 0, totals, 1.0)[state_stems]
    frequency = lexicon.source_frequency if transposed else lexicon.target_frequency
    stem_frequency = np.bincount(lexicon.similarity.stem, weights=frequency, minlength=stems)
    # A word that the training text has not counts as if it had stood there once.
    word_frequency = np.where(mapping.words >= 0, _values_at(frequency, mapping.words), 1)
    stem_total = _values_at(stem_frequency, mapping.stems) + (mapping.words < 0)
    share = word_frequency / np.maximum(stem_total, 1)
    return _values_at(rates, mapping.stem_pairs) * share[token]


def _values_at(values: Float64 | Int64, places: Int64) -> Float64:
    """Return the values at some places, 0 at place -1."""
    if not len(values):
        return np.zeros(len(places))
    return np.where(places >= 0, values[places], 0.0)


def _sum(values: Float64) -> float:
    """Add up in the order of the values, the same on any machine."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


@dataclass(frozen=True, eq=False)
class DirectionModel:
    """One direction of a model, for the pairs of words of one text.

    Attributes
    ----------
    transposed : bool
        False: source words are states and target words tokens; True: the other way round.
    translation : float64[E]
        The probability of the token's word given the state's, by pair.
    null_translation : float64[V]
        That of a word given the null word.
    jumps : float64[2 * WIDEST_JUMP + 1] or None
        The weight of each width; None for Model 1.
    null_share : float
        How probable the null word is.
    """

    transposed: bool
    translation: Float64
    null_translation: Float64
    jumps: Float64 | None
    null_share: float


@dataclass(frozen=True, eq=False)
class Posteriors:
    """The posteriors of one direction on a block.

    Attributes
    ----------
    cells : float64
        The probability of each link.
    null : float64
        That of the null word, by token.
    jumps : float64[2 * WIDEST_JUMP + 1]
        How often each width is expected; zeros for Model 1.
    """

    cells: Float64
    null: Float64
    jumps: Float64


def posteriors(block: Block, side: DirectionModel) -> Posteriors:
    """Sum over all alignments of each sentence pair of a block."""
    states, tokens = block.source, block.target
    if side.transposed:
        states, tokens = tokens, states
    cells = np.empty(len(block.pair))
    null = np.empty(len(tokens.values))
    arrays = (
        states.offsets,
        tokens.offsets,
        block.cell_offsets,
        int(side.transposed),
        block.pair,
        side.translation,
        tokens.values,
        side.null_translation,
        side.null_share,
        cells,
        null,
    )
    if side.jumps is None:
        run_rows(kernel.ibm1_posteriors, block.cell_offsets, *arrays)
        return Posteriors(cells, null, np.zeros(2 * WIDEST_JUMP + 1))
    spans = _spans(block)
    counts = np.zeros((len(spans), 2 * WIDEST_JUMP + 1))
    room = [
        int(lengths.max(initial=0))
        for lengths in (states.lengths, tokens.lengths, np.diff(block.cell_offsets))
    ]

    def work(piece: int) -> None:
        chain = call(kernel.HmmChain, *room, WIDEST_JUMP)
        call(kernel.hmm_posteriors, chain, *arrays, side.jumps, counts[piece], *spans[piece])

    run_pieces(work, range(len(spans)))
    # Piece by piece: a sum in another order could differ in its last digit.
    total = np.zeros(2 * WIDEST_JUMP + 1)
    for row in counts:
        total += row
    return Posteriors(cells, null, total)


def probable_states(block: Block, transposed: bool, posteriors: Posteriors) -> Int32:
    """Return for each token its most probable state, int32; -1 for the null word."""
    states, tokens = block.source, block.target
    if transposed:
        states, tokens = tokens, states
    best = np.empty(len(tokens.values), np.int32)
    run_rows(
        kernel.find_best_states,
        block.cell_offsets,
        *(states.offsets, tokens.offsets, block.cell_offsets, int(transposed), posteriors.cells),
        *(posteriors.null, best),
    )
    return best


def _spans(block: Block) -> list[tuple[int, int]]:
    """Cut the rows of a block into pieces of like work."""
    offsets = block.cell_offsets
    targets = np.linspace(0, int(offsets[-1]), int(offsets[-1]) // PIECE_CELLS + 2)[1:-1]
    cuts = [0, *np.searchsorted(offsets, targets).tolist(), len(offsets) - 1]
    return [(first, last) for first, last in pairwise(cuts) if first < last]


@dataclass(frozen=True, eq=False)
class WordSimilarity:
    """Groups of words by number.

    Attributes
    ----------
    folded : int32[V]
        Equal for words that differ in case alone.
    stem : int32[V]
        Equal for words that begin alike.
    long : bool[V]
        Whether a common stem makes two words of different languages look related.
    stems : dict of str to int
        The stems by their text.
    """

    folded: Int32
    stem: Int32
    long: Bool
    stems: dict[str, int]

    @classmethod
    def of_words(cls, words: Sequence[str], spelled: bool) -> WordSimilarity:
        """Group words by their letters; without meaningful ones, each word is alone.

        Examples
        --------
        >>> words = ["Parliament", "parlement", "parliament", "le"]
        >>> similar = WordSimilarity.of_words(words, True)
        >>> similar.folded.tolist(), similar.stem.tolist(), similar.long.tolist()
        ([0, 1, 0, 2], [0, 0, 0, 1], [True, True, True, False])
        """
        folded_numbers: dict[str, int] = {}
        stems: dict[str, int] = {}
        folded = np.empty(len(words), np.int32)
        stem = np.empty(len(words), np.int32)
        long = np.zeros(len(words), np.bool_)
        for number, word in enumerate(words):
            form = word.casefold() if spelled else word
            beginning = _stem(form) if spelled else word
            folded[number] = folded_numbers.setdefault(form, len(folded_numbers))
            stem[number] = stems.setdefault(beginning, len(stems))
            long[number] = spelled and len(beginning) >= STEM_LETTERS
        return cls(folded, stem, long, stems)

    def prior(self, source: Int32, target: Int32, identical: float, cognate: float) -> Prior:
        """Return how often pairs of words count as seen together because they look alike.

        Parameters
        ----------
        source, target : int32[E]
            The words of each pair.
        identical, cognate : float
            For words that differ in case at most, and for others that begin alike.

        Returns
        -------
        float64[E]
        """
        same = self.folded[source] == self.folded[target]
        alike = (self.stem[source] == self.stem[target]) & self.long[source] & self.long[target]
        return np.where(same, identical, np.where(alike, cognate, 0.0))


Prior = Float64


def _stem(form: str) -> str:
    """Return the first letters of a folded word, or its first ideograph.

    Examples
    --------
    >>> _stem("houses"), _stem("海洋"), _stem("の")
    ('hous', '海', 'の')
    """
    ideograph = any(low <= form[:1] <= high for low, high in IDEOGRAPHS)
    return form[:1] if ideograph else form[:STEM_LETTERS]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The words of a training text.

    Attributes
    ----------
    words : list of str
        V words, by number.
    spelled : bool
        Whether their letters mean something.
    source_frequency, target_frequency : int64[V]
        How often each word occurs on each side.
    pair_source, pair_target : int32[E]
        The words of each pair; each pair once.
    """

    words: list[str]
    spelled: bool
    source_frequency: Int64
    target_frequency: Int64
    pair_source: Int32
    pair_target: Int32

    @classmethod
    def of_text(cls, text: ParallelText) -> Lexicon:
        """Take the words and pairs of a text."""
        size = len(text.words)
        return cls(
            text.words,
            text.spelled,
            np.bincount(text.source.values, minlength=size),
            np.bincount(text.target.values, minlength=size),
            text.pair_source,
            text.pair_target,
        )

    @cached_property
    def similarity(self) -> WordSimilarity:
        """Which words look alike."""
        return WordSimilarity.of_words(self.words, self.spelled)

    @cached_property
    def stem_pairs(self) -> tuple[Int64, Int64]:
        """The pairs of stems as sorted keys, and which of these each pair of words has."""
        stem = self.similarity.stem.astype(np.int64)
        keys = stem[self.pair_source] * len(self.similarity.stems) + stem[self.pair_target]
        stems, group = np.unique(keys, return_inverse=True)
        return stems, group

    def take(self, pairs: Int64) -> Lexicon:
        """Return the same words with some of the pairs."""
        return Lexicon(
            self.words,
            self.spelled,
            self.source_frequency,
            self.target_frequency,
            self.pair_source[pairs],
            self.pair_target[pairs],
        )


@dataclass(frozen=True, eq=False)
class LexiconMapping:
    """Where the words and pairs of a text are in a lexicon, -1 for nowhere.

    Attributes
    ----------
    words, stems : int64[V]
        By word of the text.
    source, target : int32[E]
        The words of the text's pairs, by their numbers in the text.
    pairs, stem_pairs : int64[E]
        By pair of the text.
    prior : float64[E]
        What each pair counts before any text has been seen.
    """

    words: Int64
    stems: Int64
    source: Int32
    target: Int32
    pairs: Int64
    stem_pairs: Int64
    prior: Float64

    @classmethod
    def of_text(
        cls, lexicon: Lexicon, text: ParallelText, settings: AlignerSettings
    ) -> LexiconMapping:
        """Look up what a text has in common with a lexicon whose pairs are sorted."""
        numbers = {word: number for number, word in enumerate(lexicon.words)}
        words = np.array([numbers.get(word, -1) for word in text.words], np.int64)
        like = WordSimilarity.of_words(text.words, text.spelled)
        known_stems = lexicon.similarity.stems
        # The stems of the text are in the order of their numbers.
        stems = np.array([known_stems.get(stem, -1) for stem in like.stems], np.int64)[like.stem]
        size = len(lexicon.words)
        source, target = text.pair_source, text.pair_target
        return cls(
            words,
            stems,
            source,
            target,
            _find(
                lexicon.pair_source.astype(np.int64) * size + lexicon.pair_target,
                size,
                words[source],
                words[target],
            ),
            _find(lexicon.stem_pairs[0], len(known_stems), stems[source], stems[target]),
            _prior(like, text, settings),
        )

    @classmethod
    def itself(
        cls, lexicon: Lexicon, text: ParallelText, settings: AlignerSettings
    ) -> LexiconMapping:
        """Return what a text has in common with its own lexicon: all."""
        like = lexicon.similarity
        return cls(
            np.arange(len(text.words)),
            like.stem.astype(np.int64),
            text.pair_source,
            text.pair_target,
            np.arange(len(text.pair_source)),
            lexicon.stem_pairs[1],
            _prior(like, text, settings),
        )


def _prior(like: WordSimilarity, text: ParallelText, settings: AlignerSettings) -> Float64:
    pairs = text.pair_source, text.pair_target
    return settings.smoothing + like.prior(*pairs, settings.identical, settings.cognate)


def _find(keys: Int64, size: int, first: Int64, second: Int64) -> Int64:
    """Return the place of ``first * size + second`` among sorted keys, -1 if nowhere."""
    searched = first * size + second
    places = np.searchsorted(keys, searched)
    there = (first >= 0) & (second >= 0) & (places < len(keys))
    there[there] = keys[places[there]] == searched[there]
    return np.where(there, places, -1)
