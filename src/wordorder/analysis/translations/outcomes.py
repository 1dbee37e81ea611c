"""What happened to each word: matched or missing, in order or misplaced, and what it costs."""

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.monolingual.aligner import Matches
from wordorder.analysis.tally import Tally
from wordorder.analysis.translations.stored import narrow_field
from wordorder.arrays import Bool, Float64, Int32, Int64, concat_ranges, value_indices
from wordorder.metrics.text.paths import DELETION, INSERTION, JUMP, SUBSTITUTION, CoverPaths
from wordorder.text.texts import Texts


@narrow_field
@dataclass(frozen=True, eq=False)
class WordOutcomes:
    """What happened to each reference word, and the source of each word of a translation.

    The M reference words are those of the references that translations are compared with, and the
    N output words those of translations with a reference, segment by segment. A reference word is
    *matched* if the monolingual alignment links it with an output word, else *missing*; an output
    word without a link is *added*. A matched word is *misplaced* if the matched word before or
    after it in the output is not its neighbour among the matched words of the reference: a chunk of
    FRS over the matched words ends there.

    Attributes
    ----------
    indices : int64[M]
        Index of each reference word in ``texts.references.values``.
    words : int32[M]
        Its id in the vocabulary.
    segments : int64[M]
    matched, misplaced : bool[M]
    output_words : int32[N]
    output_segments : int64[N]
    partners : int64[N]
        The reference word that each output word is matched with, an index below M; -1 for an added
        word. The words of phrases are paired from left to right; surplus output words are paired
        with the last reference word.
    starts_chunk : bool[N]
        Whether a chunk starts at an output word, except at the first matched word of a segment.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> texts = Texts.from_segments(["on tuesday we met at six"], ["we met at six on monday"])
    >>> outcomes = word_outcomes(texts, np.array([0]), MonolingualAligner().align(texts))
    >>> outcomes.missing.tolist(), outcomes.added.tolist()
    ([False, False, False, False, False, True], [False, True, False, False, False, False])
    >>> outcomes.misplaced.tolist(), outcomes.partners.tolist()
    ([True, False, False, False, True, False], [4, -1, 0, 1, 2, 3])
    """

    indices: Int64
    words: Int32
    segments: Int64
    matched: Bool
    misplaced: Bool
    output_words: Int32
    output_segments: Int64
    partners: Int64
    starts_chunk: Bool

    @property
    def missing(self) -> Bool:
        """Whether each reference word has no match in the output, bool[M]."""
        return ~self.matched

    @property
    def added(self) -> Bool:
        """Whether each output word has no match in the reference, bool[N]."""
        return self.partners < 0


def absent_words(outcomes: WordOutcomes, lowercase_ids: Int64) -> Bool:
    """Return whether each reference word is missing from the output in any case, bool[M].

    Parameters
    ----------
    outcomes : WordOutcomes
    lowercase_ids : int64[V]
        An id of the lowercase form of each word of the vocabulary.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> texts = Texts.from_segments(["free tea , free cake"], ["Free tea , said Ann"])
    >>> outcomes = word_outcomes(texts, np.array([0]), MonolingualAligner("other").align(texts))
    >>> words = [word.lower() for word in texts.vocabulary.words]
    >>> absent = absent_words(outcomes, np.array([words.index(word) for word in words]))
    >>> [texts.vocabulary.words[word] for word in outcomes.words[absent]]
    ['said', 'Ann']
    """
    absent = outcomes.missing
    size = int(lowercase_ids.max(initial=0)) + 1
    added = np.flatnonzero(outcomes.added)
    extra = outcomes.output_segments[added] * size + lowercase_ids[outcomes.output_words[added]]
    missing = np.flatnonzero(absent)
    keys = outcomes.segments[missing] * size + lowercase_ids[outcomes.words[missing]]
    absent[missing] = ~np.isin(keys, extra)
    return absent


def word_outcomes(texts: Texts, rows: Int64, matches: Matches) -> WordOutcomes:
    """Determine what happened to each word of the references and of the translations.

    Parameters
    ----------
    texts : Texts
    rows : int64[S]
        The row of ``texts.references`` that each translation is compared with; -1 for none.
    matches : Matches
        Of all R reference rows.
    """
    segments = np.flatnonzero(rows >= 0)
    used_rows = rows[segments]
    indices, starts = value_indices(texts.references.offsets, used_rows)
    output_indices, output_starts = value_indices(texts.hypothesis.offsets, segments)
    links, link_offsets = value_indices(matches.offsets, used_rows)
    row_of = np.repeat(np.arange(len(segments)), np.diff(link_offsets))
    first = starts[row_of] + matches.start[links]
    length = matches.length[links].astype(np.int64)
    output_first = output_starts[row_of] + matches.hypothesis_start[links]
    output_length = matches.hypothesis_length[links].astype(np.int64)

    matched = np.zeros(len(indices), np.bool_)
    matched[concat_ranges(first, length)] = True
    partners = np.full(len(output_indices), -1, np.int64)
    inside = np.minimum(concat_ranges(0, output_length), np.repeat(length - 1, output_length))
    partners[concat_ranges(output_first, output_length)] = np.repeat(first, output_length) + inside
    # Chunks end between matched phrases that follow each other in the output, but not among the
    # matched words of the reference.
    order, ranks = np.argsort(output_first), np.cumsum(matched)
    start, end, row_of = first[order], (first + length - 1)[order], row_of[order]
    chunk_ends = np.flatnonzero((ranks[start[1:]] - ranks[end[:-1]] != 1) & (np.diff(row_of) == 0))
    misplaced, starts_chunk = (
        np.zeros(len(indices), np.bool_),
        np.zeros(len(output_indices), np.bool_),
    )
    misplaced[end[chunk_ends]] = misplaced[start[chunk_ends + 1]] = True
    starts_chunk[output_first[order[chunk_ends + 1]]] = True
    return WordOutcomes(
        indices=indices,
        words=texts.references.values[indices],
        segments=np.repeat(segments, np.diff(starts)),
        matched=matched,
        misplaced=misplaced,
        output_words=texts.hypothesis.values[output_indices],
        output_segments=np.repeat(segments, np.diff(output_starts)),
        partners=partners,
        starts_chunk=starts_chunk,
    )


@narrow_field
@dataclass(frozen=True, eq=False)
class WordCharges:
    """The part of CDER that each word is charged.

    A substitution or an insertion is charged to the reference word, a deletion to the output word.
    A jump is charged in halves to the reference words before and after it; at the start or end of a
    sentence, all of it to the only neighbour. If the reference has no words, the output words share
    the jumps equally. So the charges of all words add up to the loss of the corpus.

    Attributes
    ----------
    edits, jumps : float64[M]
        Charges of the words of the references, in the order of `WordOutcomes`.
    deletions : float64[N]
        Charges of the words of the outputs, with the jumps of sentences without reference words.

    Examples
    --------
    >>> from wordorder.metrics.text.paths import cover_paths
    >>> texts = Texts.from_segments(
    ...     ["on monday night we saw him there"], ["we met him there on monday night"]
    ... )
    >>> charges = word_charges(cover_paths(texts))
    >>> charges.edits.tolist(), charges.jumps.tolist()
    ([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 1.0])
    """

    edits: Float64
    jumps: Float64
    deletions: Float64

    @property
    def total(self) -> float:
        """The total charge of all words."""
        return float(self.edits.sum() + self.jumps.sum() + self.deletions.sum())


def word_charges(paths: CoverPaths) -> WordCharges:
    """Charge the steps of paths to words.

    Parameters
    ----------
    paths : CoverPaths
        With jumps in the hypothesis, one per translation with a reference.
    """
    output_lengths, reference_lengths = paths.lengths
    rows = paths.path_of
    starts = np.cumsum(reference_lengths) - reference_lengths
    output_starts = np.cumsum(output_lengths) - output_lengths
    word_count, output_count = int(reference_lengths.sum()), int(output_lengths.sum())
    edited = (paths.operation == SUBSTITUTION) | (paths.operation == INSERTION)
    deleted = paths.operation == DELETION
    jump = np.flatnonzero((paths.operation == JUMP) & (reference_lengths[rows] > 0))
    position, length = paths.reference[jump].astype(np.int64), reference_lengths[rows[jump]]
    # At the start or end of a sentence, both neighbours of a jump are the same word.
    word_before = starts[rows[jump]] + np.maximum(position - 1, 0)
    word_after = starts[rows[jump]] + np.minimum(position, length - 1)
    half = paths.cost[jump] / 2
    without_reference = np.flatnonzero((paths.operation == JUMP) & (reference_lengths[rows] == 0))
    size = output_lengths[rows[without_reference]]
    shared = concat_ranges(output_starts[rows[without_reference]], size)
    skipped = np.concatenate([output_starts[rows[deleted]] + paths.hypothesis[deleted], shared])
    costs = np.concatenate(
        [paths.cost[deleted], np.repeat(paths.cost[without_reference] / size, size)]
    )
    return WordCharges(
        Tally(starts[rows[edited]] + paths.reference[edited], word_count).sums(paths.cost[edited]),
        Tally(word_before, word_count).sums(half) + Tally(word_after, word_count).sums(half),
        Tally(skipped, output_count).sums(costs),
    )
