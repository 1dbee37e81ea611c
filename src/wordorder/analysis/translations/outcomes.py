"""What happened to each word: matched or missing, in order or misplaced."""

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.monolingual.aligner import Matches
from wordorder.arrays import Bool, Int32, Int64, row_places, spread
from wordorder.text.texts import Texts


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

    @property
    def missing(self) -> Bool:
        """Whether each reference word is in no output, bool[M]."""
        return ~self.matched

    @property
    def added(self) -> Bool:
        """Whether each output word is in no reference, bool[N]."""
        return self.partners < 0


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
    places, starts = row_places(texts.references.offsets, chosen)
    output_places, output_starts = row_places(texts.hypothesis.offsets, used)
    links, link_offsets = row_places(matches.offsets, chosen)
    owner = np.repeat(np.arange(len(used)), np.diff(link_offsets))
    first = starts[owner] + matches.start[links]
    length = matches.length[links].astype(np.int64)
    output_first = output_starts[owner] + matches.hypothesis_start[links]
    output_length = matches.hypothesis_length[links].astype(np.int64)

    matched = np.zeros(len(places), np.bool_)
    matched[spread(first, length)] = True
    partners = np.full(len(output_places), -1, np.int64)
    inside = np.minimum(spread(0, output_length), np.repeat(length - 1, output_length))
    partners[spread(output_first, output_length)] = np.repeat(first, output_length) + inside
    segments = np.repeat(used, np.diff(starts))
    order = np.argsort(output_first)
    return WordOutcomes(
        places=places,
        words=texts.references.values[places],
        segments=segments,
        matched=matched,
        misplaced=_misplaced(matched, segments, spread(first[order], length[order])),
        output_words=texts.hypothesis.values[output_places],
        output_segments=np.repeat(used, np.diff(output_starts)),
        partners=partners,
    )


def _misplaced(matched: Bool, segments: Int64, order: Int64) -> Bool:
    """Mark the words beside the ends of chunks.

    Parameters
    ----------
    matched : bool[M]
    segments : int64[M]
    order : int64
        The matched reference words in the order of the output.
    """
    ranks = np.cumsum(matched)[order]
    broken = np.flatnonzero((np.diff(ranks) != 1) & (segments[order[1:]] == segments[order[:-1]]))
    misplaced = np.zeros(len(matched), np.bool_)
    misplaced[order[broken]] = True
    misplaced[order[broken + 1]] = True
    return misplaced
