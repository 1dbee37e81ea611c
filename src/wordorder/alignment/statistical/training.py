"""Train statistical aligners by expectation maximisation on a parallel text."""

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

# Pairs with smaller counts are left out; most words that co-occur are not translations.
MIN_PAIR_COUNT = 1e-6


# Bytes of memory per pair of source and target word of a sentence pair: 90 if nearly all pairs of
# words are different, less if pairs are frequent.
CELL_BYTES = 60

# The smallest probability, so that sums of products stay above 0.
MIN_PROBABILITY = 1e-30

# The pseudo-count of each jump width.
JUMP_SMOOTHING = 0.5

# Wider jumps share one weight.
MAX_JUMP = 100

# The number of cells per chunk. Jumps are summed by chunk, so the size must not depend on threads.
CHUNK_CELLS = 1 << 17

# The number of initial letters that define the stem of a word.
STEM_LETTERS = 4

# Words that start with an ideograph have it as their stem.
IDEOGRAPHS = (("\u3400", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"))


def train_counts(
    text: ParallelText, settings: AlignerSettings, progress: OnProgress | None = None
) -> tuple[Lexicon, Counts, Counts]:
    """Train both directions of a model.

    Parameters
    ----------
    text : ParallelText
    settings : AlignerSettings
    progress : callable, optional
        Called with the number of sentence pairs processed, in all passes together.

    Returns
    -------
    lexicon : Lexicon
        The lexicon with the pairs that have a count, sorted.
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
    models = [uniform_model(len(mapping.pairs), len(text.words), d, settings) for d in directions]
    passes = settings.warm_up + settings.iterations
    done = 0
    for pass_number in range(1, passes + 1):
        sums = [_Sums(text, mapping, settings, d) for d in directions]
        for block in text.blocks():
            block_posteriors = [compute_posteriors(block, side) for side in models]
            for direction_sums in sums:
                direction_sums.add(block, block_posteriors)
            done += len(block.source)
            if progress is not None:
                progress(done)
        direction_counts = [direction_sums.counts() for direction_sums in sums]
        jumps = settings.jumps and pass_number >= settings.warm_up
        if pass_number < passes:
            models = [
                compute_probabilities(
                    lexicon, direction_counts[d], mapping, d, settings, jumps=jumps
                )
                for d in directions
            ]
    return _prune_pairs(lexicon, direction_counts[0], direction_counts[1], settings)


class _Sums:
    """Sums the expected counts of one direction over blocks.

    The order is that of the text, so that rounding does not depend on the number of threads.
    """

    def __init__(
        self,
        text: ParallelText,
        mapping: LexiconMapping,
        settings: AlignerSettings,
        transposed: bool,
    ) -> None:
        self._state_words = text.pair_target if transposed else text.pair_source
        self._agree = settings.agree
        self._transposed = transposed
        self._pairs = mapping.prior.copy()
        self._null = np.zeros(len(text.words))
        self._jumps = np.zeros(2 * MAX_JUMP + 1)

    def add(self, block: Block, both_sides: list[Posteriors]) -> None:
        """Add the counts of a block, from the posteriors of both directions."""
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
        totals = np.bincount(self._state_words, weights=self._pairs, minlength=size).astype(
            np.float64
        )
        return Counts(self._pairs, totals, self._null, self._jumps)


def _prune_pairs(
    lexicon: Lexicon, forward: Counts, backward: Counts, settings: AlignerSettings
) -> tuple[Lexicon, Counts, Counts]:
    """Leave out the pairs whose count is only the smoothing, and sort the others."""
    larger_counts = np.maximum(forward.pairs, backward.pairs)
    pairs = np.flatnonzero(larger_counts > settings.smoothing + MIN_PAIR_COUNT)
    pairs = pairs[np.lexsort((lexicon.pair_target[pairs], lexicon.pair_source[pairs]))]
    return lexicon.take(pairs), forward.take(pairs), backward.take(pairs)


@dataclass(frozen=True, eq=False)
class Counts:
    """The expected counts of one direction.

    Attributes
    ----------
    pairs : float64[E]
        The expected count of each (state, token) pair, including the prior pseudo-count.
    totals : float64[V]
        The sum of the counts over all pairs of the state's word, including pruned pairs.
    null : float64[V]
        The expected count of each word with the null word as state.
    jumps : float64[2 * MAX_JUMP + 1]
        The expected count of each jump width.
    """

    pairs: Float64
    totals: Float64
    null: Float64
    jumps: Float64

    def take(self, pairs: Int64) -> Counts:
        """Return the counts of the selected pairs."""
        return Counts(self.pairs[pairs], self.totals, self.null, self.jumps)


def uniform_model(
    pairs: int, words: int, transposed: bool, settings: AlignerSettings
) -> DirectionModel:
    """Return the initial model of a direction, with uniform translation probabilities."""
    probability = 1.0 / max(words, 1)
    return DirectionModel(
        transposed,
        np.full(pairs, probability),
        np.full(words, probability),
        None,
        settings.null_share,
    )


def compute_probabilities(
    lexicon: Lexicon,
    counts: Counts,
    mapping: LexiconMapping,
    transposed: bool,
    settings: AlignerSettings,
    *,
    jumps: bool,
) -> DirectionModel:
    """Compute the probabilities of a direction for the pairs of words of a text.

    With ``backing`` b, the count c(s, t) of a pair, the probabilities p(T|S) of the stems and the
    share p(t|T) of a word in its stem, the probability is ``(c(s, t) + b p(T|S) p(t|T)) / (c(s) +
    b)``: the mean under a Dirichlet prior whose mean is that of the stems.
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
    null = _values_at(smoothed, mapping.words) / max(_sum_in_order(smoothed), MIN_PROBABILITY)
    return DirectionModel(
        transposed,
        np.maximum(pairs / np.where(total > 0, total, 1.0), MIN_PROBABILITY),
        np.maximum(null, MIN_PROBABILITY),
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
    """Return the probability of each pair of a text from the stems of its words, float64[E]."""
    keys, pair_group = lexicon.stem_pairs
    stems = len(lexicon.similarity.stems)
    group_counts = np.bincount(pair_group, weights=counts.pairs, minlength=len(keys))
    state_stems = keys % stems if transposed else keys // stems
    totals = np.bincount(state_stems, weights=group_counts, minlength=stems)
    rates = group_counts / np.where(totals > 0, totals, 1.0)[state_stems]
    frequency = lexicon.source_frequency if transposed else lexicon.target_frequency
    stem_frequency = np.bincount(lexicon.similarity.stem, weights=frequency, minlength=stems)
    # A word that is not in the training text is given frequency 1.
    word_frequency = np.where(mapping.words >= 0, _values_at(frequency, mapping.words), 1)
    stem_total = _values_at(stem_frequency, mapping.stems) + (mapping.words < 0)
    share = word_frequency / np.maximum(stem_total, 1)
    return _values_at(rates, mapping.stem_pairs) * share[token]


def _values_at(values: Float64 | Int64, indices: Int64) -> Float64:
    """Return the values at the indices; 0 for index -1."""
    if not len(values):
        return np.zeros(len(indices))
    return np.where(indices >= 0, values[indices], 0.0)


def _sum_in_order(values: Float64) -> float:
    """Sum in the order of the values, so that rounding is the same on any machine."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


@dataclass(frozen=True, eq=False)
class DirectionModel:
    """One direction of a model, for the pairs of words of one text.

    Attributes
    ----------
    transposed : bool
        False: source words are states and target words are tokens. True: the reverse.
    translation : float64[E]
        The probability of the token's word given the state's word, for each pair.
    null_translation : float64[V]
        The probability of each word given the null word.
    jumps : float64[2 * MAX_JUMP + 1] or None
        The weight of each jump width; None for Model 1.
    null_share : float
        The probability of the null word.
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
        The probability of the null word for each token.
    jumps : float64[2 * MAX_JUMP + 1]
        The expected count of each jump width; zeros for Model 1.
    """

    cells: Float64
    null: Float64
    jumps: Float64


def compute_posteriors(block: Block, model: DirectionModel) -> Posteriors:
    """Compute the posteriors of one direction on a block, over all alignments of each pair."""
    states, tokens = block.source, block.target
    if model.transposed:
        states, tokens = tokens, states
    cells = np.empty(len(block.pair))
    null = np.empty(len(tokens.values))
    arrays = (
        states.offsets,
        tokens.offsets,
        block.cell_offsets,
        int(model.transposed),
        block.pair,
        model.translation,
        tokens.values,
        model.null_translation,
        model.null_share,
        cells,
        null,
    )
    if model.jumps is None:
        run_rows(kernel.ibm1_posteriors, block.cell_offsets, *arrays)
        return Posteriors(cells, null, np.zeros(2 * MAX_JUMP + 1))
    spans = _cut_into_spans(block)
    counts = np.zeros((len(spans), 2 * MAX_JUMP + 1))
    max_sizes = [
        int(lengths.max(initial=0))
        for lengths in (states.lengths, tokens.lengths, np.diff(block.cell_offsets))
    ]

    def compute_span(span_index: int) -> None:
        chain = call(kernel.HmmChain, *max_sizes, MAX_JUMP)
        call(
            kernel.hmm_posteriors,
            chain,
            *arrays,
            model.jumps,
            counts[span_index],
            *spans[span_index],
        )

    run_pieces(compute_span, range(len(spans)))
    # Sum in a fixed order, so that rounding does not depend on the threads.
    total = np.zeros(2 * MAX_JUMP + 1)
    for row in counts:
        total += row
    return Posteriors(cells, null, total)


def find_best_states(block: Block, transposed: bool, posteriors: Posteriors) -> Int32:
    """Return the most probable state of each token, int32; -1 for the null word."""
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


def _cut_into_spans(block: Block) -> list[tuple[int, int]]:
    """Cut the rows of a block into spans with similar work."""
    offsets = block.cell_offsets
    targets = np.linspace(0, int(offsets[-1]), int(offsets[-1]) // CHUNK_CELLS + 2)[1:-1]
    cuts = [0, *np.searchsorted(offsets, targets).tolist(), len(offsets) - 1]
    return [(first, last) for first, last in pairwise(cuts) if first < last]


@dataclass(frozen=True, eq=False)
class WordSimilarity:
    """Groups of words with similar forms.

    Attributes
    ----------
    folded : int32[V]
        The group of each word; words that differ only in case are in the same group.
    stem : int32[V]
        The stem of each word, its first letters.
    long : bool[V]
        Whether the stem is long enough to suggest that words of two languages are related.
    stems : dict of str to int
        The stems by their text.
    """

    folded: Int32
    stem: Int32
    long: Bool
    stems: dict[str, int]

    @classmethod
    def of_words(cls, words: Sequence[str], spelled: bool) -> WordSimilarity:
        """Group words by their letters; unless `spelled`, each word is a group of its own.

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
            stem_text = _stem(form) if spelled else word
            folded[number] = folded_numbers.setdefault(form, len(folded_numbers))
            stem[number] = stems.setdefault(stem_text, len(stems))
            long[number] = spelled and len(stem_text) >= STEM_LETTERS
        return cls(folded, stem, long, stems)

    def prior(self, source: Int32, target: Int32, identical: float, cognate: float) -> Prior:
        """Return the prior pseudo-count of pairs of words, from the similarity of their forms.

        Parameters
        ----------
        source, target : int32[E]
            The words of each pair.
        identical, cognate : float
            The pseudo-count for words that differ at most in case, and for others with a common
            stem.

        Returns
        -------
        float64[E]
        """
        is_identical = self.folded[source] == self.folded[target]
        is_cognate = (
            (self.stem[source] == self.stem[target]) & self.long[source] & self.long[target]
        )
        return np.where(is_identical, identical, np.where(is_cognate, cognate, 0.0))


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
        The V words, by id.
    spelled : bool
        Whether the words have letters, not only ids.
    source_frequency, target_frequency : int64[V]
        The frequency of each word in source and target.
    pair_source, pair_target : int32[E]
        The words of each distinct pair.
    """

    words: list[str]
    spelled: bool
    source_frequency: Int64
    target_frequency: Int64
    pair_source: Int32
    pair_target: Int32

    @classmethod
    def of_text(cls, text: ParallelText) -> Lexicon:
        """Create the lexicon of a text, with all its words and pairs."""
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
        """The groups of similar words."""
        return WordSimilarity.of_words(self.words, self.spelled)

    @cached_property
    def stem_pairs(self) -> tuple[Int64, Int64]:
        """The pairs of stems as sorted keys, and the index of the key of each pair of words."""
        stem = self.similarity.stem.astype(np.int64)
        keys = stem[self.pair_source] * len(self.similarity.stems) + stem[self.pair_target]
        stems, group = np.unique(keys, return_inverse=True)
        return stems, group

    def take(self, pairs: Int64) -> Lexicon:
        """Return the lexicon with the selected pairs only."""
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
    """The indices of the words and pairs of a text in a lexicon; -1 for unknown ones.

    Attributes
    ----------
    words, stems : int64[V]
        The index of each word of the text, and of its stem.
    source, target : int32[E]
        The words of the text's pairs, by their ids in the text.
    pairs, stem_pairs : int64[E]
        The index of each pair of the text, and of its pair of stems.
    prior : float64[E]
        The prior pseudo-count of each pair.
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
        """Look up the words and pairs of a text in a lexicon with sorted pairs."""
        numbers = {word: number for number, word in enumerate(lexicon.words)}
        words = np.array([numbers.get(word, -1) for word in text.words], np.int64)
        similarity = WordSimilarity.of_words(text.words, text.spelled)
        known_stems = lexicon.similarity.stems
        # `similarity.stems` is in the order of its ids.
        stems = np.array([known_stems.get(stem, -1) for stem in similarity.stems], np.int64)[
            similarity.stem
        ]
        size = len(lexicon.words)
        source, target = text.pair_source, text.pair_target
        return cls(
            words,
            stems,
            source,
            target,
            _find_keys(
                lexicon.pair_source.astype(np.int64) * size + lexicon.pair_target,
                size,
                words[source],
                words[target],
            ),
            _find_keys(lexicon.stem_pairs[0], len(known_stems), stems[source], stems[target]),
            _compute_prior(similarity, text, settings),
        )

    @classmethod
    def itself(
        cls, lexicon: Lexicon, text: ParallelText, settings: AlignerSettings
    ) -> LexiconMapping:
        """Return the mapping of a text to its own lexicon, which has all words and pairs."""
        similarity = lexicon.similarity
        return cls(
            np.arange(len(text.words)),
            similarity.stem.astype(np.int64),
            text.pair_source,
            text.pair_target,
            np.arange(len(text.pair_source)),
            lexicon.stem_pairs[1],
            _compute_prior(similarity, text, settings),
        )


def _compute_prior(
    similarity: WordSimilarity, text: ParallelText, settings: AlignerSettings
) -> Float64:
    pairs = text.pair_source, text.pair_target
    return settings.smoothing + similarity.prior(*pairs, settings.identical, settings.cognate)


def _find_keys(keys: Int64, size: int, first: Int64, second: Int64) -> Int64:
    """Return the index of ``first * size + second`` in sorted keys; -1 if it is not there."""
    wanted_keys = first * size + second
    indices = np.searchsorted(keys, wanted_keys)
    is_found = (first >= 0) & (second >= 0) & (indices < len(keys))
    is_found[is_found] = keys[indices[is_found]] == wanted_keys[is_found]
    return np.where(is_found, indices, -1)
