"""What happened to each word: matched or missing, in order or misplaced, and what it costs."""

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.monolingual.aligner import Matches
from wordorder.analysis.tally import Tally
from wordorder.analysis.translations.stored import narrow_field
from wordorder.arrays import Bool, Float64, Int32, Int64, concat_ranges, row_positions
from wordorder.metrics.text.paths import DELETION, INSERTION, JUMP, SUBSTITUTION, CoverPaths
from wordorder.text.texts import Texts


@narrow_field
@dataclass(frozen=True, eq=False)
class WordOutcomes:
    """What happened to each reference word, and where each word of a translation comes from.

    The M reference words are those of the reference that each translation is compared with, the
    N output words those of the translations that have a reference; both segment by segment. A
    reference word is *matched* if the monolingual alignment links it with an output word, else
    *missing*; an output word without a link is *added*. A matched word is *misplaced* if the
    matched word before or after it in the output is not its neighbour among the matched words of
    the reference: FRS over the matched words begins a new chunk there.

    Attributes
    ----------
    places : int64[M]
        Where each reference word is in ``texts.references.values``.
    words : int32[M]
        Its number in the vocabulary.
    segments : int64[M]
    matched, misplaced : bool[M]
    output_words : int32[N]
    output_segments : int64[N]
    partners : int64[N]
        The reference word that each output word is matched with, an index below M; -1 for an
        added one. In a phrase of several words they are paired from left to right; words that are
        left over go with the last one.
    begins : bool[N]
        Whether another chunk ends before an output word.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> texts = Texts.from_segments(["on tuesday we met at six"], ["we met at six on monday"])
    >>> found = word_outcomes(texts, np.array([0]), MonolingualAligner().align(texts))
    >>> found.missing.tolist(), found.added.tolist()
    ([False, False, False, False, False, True], [False, True, False, False, False, False])
    >>> found.misplaced.tolist(), found.partners.tolist()
    ([True, False, False, False, True, False], [4, -1, 0, 1, 2, 3])
    """

    places: Int64
    words: Int32
    segments: Int64
    matched: Bool
    misplaced: Bool
    output_words: Int32
    output_segments: Int64
    partners: Int64
    begins: Bool

    @property
    def missing(self) -> Bool:
        """Whether each reference word is in no output, bool[M]."""
        return ~self.matched

    @property
    def added(self) -> Bool:
        """Whether each output word is in no reference, bool[N]."""
        return self.partners < 0


def absent_words(outcomes: WordOutcomes, lowered: Int64) -> Bool:
    """Return which reference words are missing in any case of their letters, bool[M].

    Parameters
    ----------
    outcomes : WordOutcomes
    lowered : int64[V]
        A number of each word of the vocabulary in lower case.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> texts = Texts.from_segments(["free tea , free cake"], ["Free tea , said Ann"])
    >>> found = word_outcomes(texts, np.array([0]), MonolingualAligner("other").align(texts))
    >>> words = [word.lower() for word in texts.vocabulary.words]
    >>> absent = absent_words(found, np.array([words.index(word) for word in words]))
    >>> [texts.vocabulary.words[word] for word in found.words[absent]]
    ['said', 'Ann']
    """
    absent = outcomes.missing
    size = int(lowered.max(initial=0)) + 1
    added = np.flatnonzero(outcomes.added)
    extra = outcomes.output_segments[added] * size + lowered[outcomes.output_words[added]]
    missing = np.flatnonzero(absent)
    keys = outcomes.segments[missing] * size + lowered[outcomes.words[missing]]
    absent[missing] = ~np.isin(keys, extra)
    return absent


def word_outcomes(texts: Texts, rows: Int64, matches: Matches) -> WordOutcomes:
    """Follow each word of the references and of the translations.

    Parameters
    ----------
    texts : Texts
    rows : int64[S]
        The row of ``texts.references`` that each translation is compared with; -1 for none.
    matches : Matches
        Of all R reference rows.
    """
    used = np.flatnonzero(rows >= 0)
    chosen = rows[used]
    places, starts = row_positions(texts.references.offsets, chosen)
    output_places, output_starts = row_positions(texts.hypothesis.offsets, used)
    links, link_offsets = row_positions(matches.offsets, chosen)
    owner = np.repeat(np.arange(len(used)), np.diff(link_offsets))
    first = starts[owner] + matches.start[links]
    length = matches.length[links].astype(np.int64)
    output_first = output_starts[owner] + matches.hypothesis_start[links]
    output_length = matches.hypothesis_length[links].astype(np.int64)

    matched = np.zeros(len(places), np.bool_)
    matched[concat_ranges(first, length)] = True
    partners = np.full(len(output_places), -1, np.int64)
    inside = np.minimum(concat_ranges(0, output_length), np.repeat(length - 1, output_length))
    partners[concat_ranges(output_first, output_length)] = np.repeat(first, output_length) + inside
    # Chunks end between stretches, in the order of the output, that do not follow each other among
    # the matched words of the reference.
    order, ranks = np.argsort(output_first), np.cumsum(matched)
    begin, end, owner = first[order], (first + length - 1)[order], owner[order]
    apart = np.flatnonzero((ranks[begin[1:]] - ranks[end[:-1]] != 1) & (np.diff(owner) == 0))
    misplaced, begins = np.zeros(len(places), np.bool_), np.zeros(len(output_places), np.bool_)
    misplaced[end[apart]] = misplaced[begin[apart + 1]] = True
    begins[output_first[order[apart + 1]]] = True
    return WordOutcomes(
        places=places,
        words=texts.references.values[places],
        segments=np.repeat(used, np.diff(starts)),
        matched=matched,
        misplaced=misplaced,
        output_words=texts.hypothesis.values[output_places],
        output_segments=np.repeat(used, np.diff(output_starts)),
        partners=partners,
        begins=begins,
    )


@narrow_field
@dataclass(frozen=True, eq=False)
class WordCharges:
    """The part of CDER that each word is charged with.

    A substitution or an insertion is charged to the word of the reference, a deletion to that of
    the output. Half of a jump is charged to the reference word before it and half to the one
    behind it; at the beginning and the end of a sentence all of it to the only neighbour. Where the
    reference has no words, the words of the output share the jumps equally. So all words together
    are charged what the corpus lost.

    Attributes
    ----------
    edits, jumps : float64[M]
        Of the words of the references, in the order of `WordOutcomes`.
    deletions : float64[N]
        Of the words of the outputs; jumps of sentences whose reference has no words included.

    Examples
    --------
    >>> from wordorder.metrics.text.paths import cover_paths
    >>> texts = Texts.from_segments(
    ...     ["on monday night we saw him there"], ["we met him there on monday night"]
    ... )
    >>> found = word_charges(cover_paths(texts))
    >>> found.edits.tolist(), found.jumps.tolist()
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
        With jumps in the hypothesis, one a translation that has a reference.
    """
    ours, theirs = paths.lengths
    rows = paths.path_of
    starts = np.cumsum(theirs) - theirs
    output_starts = np.cumsum(ours) - ours
    words, output_words = int(theirs.sum()), int(ours.sum())
    edited = (paths.operation == SUBSTITUTION) | (paths.operation == INSERTION)
    deleted = paths.operation == DELETION
    jump = np.flatnonzero((paths.operation == JUMP) & (theirs[rows] > 0))
    place, length = paths.reference[jump].astype(np.int64), theirs[rows[jump]]
    # The words before and behind a jump; at an end of the sentence both are its only neighbour.
    before = starts[rows[jump]] + np.maximum(place - 1, 0)
    behind = starts[rows[jump]] + np.minimum(place, length - 1)
    half = paths.cost[jump] / 2
    alone = np.flatnonzero((paths.operation == JUMP) & (theirs[rows] == 0))
    size = ours[rows[alone]]
    shared = concat_ranges(output_starts[rows[alone]], size)
    skipped = np.concatenate([output_starts[rows[deleted]] + paths.hypothesis[deleted], shared])
    costs = np.concatenate([paths.cost[deleted], np.repeat(paths.cost[alone] / size, size)])
    return WordCharges(
        Tally(starts[rows[edited]] + paths.reference[edited], words).sums(paths.cost[edited]),
        Tally(before, words).sums(half) + Tally(behind, words).sums(half),
        Tally(skipped, output_words).sums(costs),
    )
