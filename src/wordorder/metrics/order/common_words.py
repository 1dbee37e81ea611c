"""The reference words that two systems both match, on which their orders are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Bool, Int64, Ragged, row_offsets
from wordorder.kernels import piece_spans
from wordorder.metrics.contract import Metric, best_reference, complete_metric
from wordorder.segments import Segments
from wordorder.segments.columns import DroppedWords

if TYPE_CHECKING:
    from wordorder.text.texts import Texts

# Fewer words have no order.
MIN_COMMON_WORDS = 2


@dataclass(frozen=True, eq=False)
class CommonWords:
    """The orders of two systems on the reference words that both of them match.

    Attributes
    ----------
    systems : (Segments, Segments)
        One row per segment. Both have the same words; a row is empty if they share fewer than two.
    words : int
        The number of words that are compared.
    reference_words : int
        The number of words of the references.
    segments : int
        The number of segments that are compared.
    """

    systems: tuple[Segments, Segments]
    words: int
    reference_words: int
    segments: int

    @classmethod
    def of(cls, first: Segments, second: Segments) -> CommonWords:
        """Restrict the rows of two systems to the words that both match, and renumber them.

        Of several references, the one with the highest sum of both systems' F1 is used, the first
        one on ties. The words of `repeated_unequally` are left out.

        Parameters
        ----------
        first, second : Segments
            The systems' outputs with the same references, with `reference_words`.

        Examples
        --------
        The second system leaves out "c"; on "a b d" the first one is in order.

        >>> one, two = (
        ...     Segments.from_text([text], ["a b c d"], aligner="exact")
        ...     for text in ("c a b d", "d a b")
        ... )
        >>> common = CommonWords.of(one, two)
        >>> [system.permutation.to_lists() for system in common.systems], common.words
        ([[[0, 1, 2]], [[2, 0, 1]]], 3)
        """
        matched_segments = first.of_matched_words(), second.of_matched_words()
        rows = common_references(*matched_segments)
        words_by_rank = [_take_rows(side.reference_words, rows) for side in matched_segments]
        width = 1 + max((int(side.values.max(initial=0)) for side in words_by_rank), default=0)
        row_word_keys = [_row_indices(side) * width + side.values for side in words_by_rank]
        matched_by = np.zeros(len(rows) * width, np.uint8)
        for bit, key in enumerate(row_word_keys, 1):
            matched_by[key] |= bit
        repeated = repeated_unequally(first, second)
        if repeated is not None:
            starts = first.texts.references.offsets[rows]
            index = np.repeat(starts, words_by_rank[0].lengths) + words_by_rank[0].values
            matched_by[row_word_keys[0][repeated[index]]] = 0
        common = matched_by.reshape(-1, width) == 3
        counts = common.sum(axis=1)
        common[counts < MIN_COMMON_WORDS] = False
        counts[counts < MIN_COMMON_WORDS] = 0
        is_common = common.ravel()
        restricted = [
            _restrict_order(side, rows, words, is_common[key], counts)
            for side, words, key in zip(matched_segments, words_by_rank, row_word_keys, strict=True)
        ]
        lengths = matched_segments[0].reference_lengths[rows[rows >= 0]]
        totals = int(counts.sum()), int(lengths.sum()), int(np.count_nonzero(counts))
        return cls((restricted[0], restricted[1]), *totals)


def reads_orders_alone(metric: Metric) -> bool:
    """Return whether a metric reads orders only, so that it can score a subset of the words."""
    return set(complete_metric(metric).columns) == {"permutation"}


def has_common_words(systems: Sequence[Segments]) -> bool:
    """Return whether `CommonWords` is defined: outputs are translations with known matches."""
    matched_segments = [system.of_matched_words() for system in systems]
    return all(
        side.of_translations and side.reference_words is not None for side in matched_segments
    )


def count_dropped_words(segments: Segments, metrics: Sequence[Metric]) -> DroppedWords:
    """Count the unmatched words and, if a metric reads orders, the matched ones.

    Examples
    --------
    The first reference is matched worse, so it is not used.

    >>> from wordorder.metrics.registry import metric
    >>> segments = Segments.from_text(["a b"], [["a x", "a b c"]], aligner="exact")
    >>> counts = count_dropped_words(segments, [metric("frs")])
    >>> counts.matched, counts.matchable
    (2, 3)
    """
    dropped = segments.dropped_words
    if not any(map(reads_orders, metrics)):
        return dropped
    matched_segments = segments.of_matched_words()
    if not matched_segments.of_translations:
        return dropped
    rows = common_references(matched_segments, matched_segments)
    rows = rows[rows >= 0]
    matched, lengths = (
        matched_segments.permutation.lengths[rows],
        matched_segments.reference_lengths[rows],
    )
    return replace(dropped, matched=int(matched.sum()), matchable=int(lengths.sum()))


def reads_orders(metric: Metric) -> bool:
    """Return whether a metric reads orders, alone or with other columns."""
    return "permutation" in complete_metric(metric).columns


def common_references(first: Segments, second: Segments) -> Int64:
    """Return the reference row that two systems match best, or -1 without a reference, int64[S]."""
    if first.single:
        return np.arange(len(first))
    return best_reference(-(first.matched_f1 + second.matched_f1), first.reference_offsets)


def repeated_unequally(first: Segments, second: Segments) -> Bool | None:
    """Return the reference words of which the systems have different surplus copies, bool[N].

    If a system has a word more often than the reference, the aligner chooses which copy matches, so
    its position says less about the system's order. Surplus copies are those that
    `_count_surplus_copies` counts. Return None if words are matched by links, not by form.

    Examples
    --------
    The first system has one more "b" than the reference, and both have one more "c".

    >>> one, two = (
    ...     Segments.from_text([text], ["a b c"], aligner="exact")
    ...     for text in ("b a b c c", "c b a c")
    ... )
    >>> repeated_unequally(one, two).tolist()
    [False, True, False]
    """
    if "links" in (*first.available, *second.available):
        return None
    first_copies, second_copies = (
        side.derived("copies", partial(_count_copies_in_chunks, side)) for side in (first, second)
    )
    unequal: Bool = first_copies != second_copies
    return unequal


def _count_copies_in_chunks(system: Segments) -> npt.NDArray[np.unsignedinteger]:
    """Return the counts of `_count_surplus_copies` in the smallest type, computed in chunks."""
    chunk_copies: list[npt.NDArray[np.unsignedinteger]] = [np.zeros(0, np.uint8)]
    for first, last in piece_spans(system.texts.token_offsets):
        is_complete = last - first == len(system)
        copies = _count_surplus_copies(system if is_complete else system[first:last])
        chunk_copies.append(copies.astype(np.min_scalar_type(int(copies.max(initial=0)))))
    return np.concatenate(chunk_copies)


def _count_surplus_copies(segments: Segments) -> Int64:
    """Count the surplus system words that can match each reference word, int64[N].

    Words of the same form can match it. If the system has fewer of them than the reference, words
    of the same stem can match too, unless all of them are needed for their own form; so can
    synonyms and paraphrases.
    """
    texts, aligner = segments.texts, segments.aligner
    hypothesis_keys, reference_keys, key_count = _assign_word_keys(texts)
    hypothesis_counts, reference_counts = (
        np.bincount(words, minlength=key_count) for words in (hypothesis_keys, reference_keys)
    )
    surplus: Int64 = hypothesis_counts - reference_counts
    copies: Int64 = surplus[reference_keys]
    if aligner is not None and aligner.modules != ("exact",):
        classes = aligner.word_classes(texts.vocabulary)
        columns = texts.hypothesis, texts.references
        hypothesis, references = (
            Ragged(classes[column.values], column.offsets) for column in columns
        )
        of_classes = replace(texts, hypothesis=hypothesis, references=references)
        class_of = np.zeros(key_count, np.int64)
        class_of[hypothesis_keys], class_of[reference_keys], key_count = _assign_word_keys(
            of_classes
        )
        free_words = np.zeros(key_count, np.int64)
        np.add.at(free_words, class_of, np.where(surplus > 0, hypothesis_counts, 0))
        class_copies = free_words[class_of[reference_keys]] + aligner.count_listed(texts)
        copies[copies < 0] += class_copies[copies < 0]
    return np.maximum(copies, 0, out=copies)


def _assign_word_keys(texts: Texts) -> tuple[Int64, Int64, int]:
    """Number the words of each pair of hypothesis and reference.

    Equal words of a segment get the same key.

    Returns
    -------
    int64[M], int64[N], int
        The keys of the hypothesis words, repeated for each reference; the keys of the reference
        words; the number of different keys.
    """
    local_ids = texts.local()
    key_offsets = row_offsets(local_ids.distinct[texts.segment_of])
    columns = local_ids.hypothesis.take(texts.segment_of), local_ids.references
    hypothesis_keys, reference_keys = (
        np.repeat(key_offsets[:-1], column.lengths) + column.values for column in columns
    )
    return hypothesis_keys, reference_keys, int(key_offsets[-1])


def _take_rows(rows: Ragged | None, chosen: Int64) -> Ragged:
    """Return the chosen rows; an empty row for -1."""
    assert rows is not None
    if not (chosen < 0).any():
        return rows if len(rows) == len(chosen) else rows.take(chosen)
    empty = Ragged(np.zeros(0, rows.values.dtype), np.zeros(2, np.int64))
    return Ragged.concatenate([rows, empty]).take(np.where(chosen < 0, len(rows), chosen))


def _row_indices(rows: Ragged) -> Int64:
    return np.repeat(np.arange(len(rows)), rows.lengths)


def _restrict_order(
    segments: Segments, rows: Int64, reference_words: Ragged, is_common: Bool, counts: Int64
) -> Segments:
    """Restrict the order of a system to the common words, and renumber them.

    Parameters
    ----------
    segments : Segments
    rows : int64[S]
        The rows of `segments` to use.
    reference_words : Ragged
        The reference words of these rows, by rank.
    is_common : bool
        Whether each of these words is common.
    counts : int64[S]
        The number of common words of each row.
    """
    permutation = _take_rows(segments.permutation, rows)
    common_before = row_offsets(is_common)
    new_rank = common_before[:-1] - np.repeat(
        common_before[reference_words.offsets[:-1]], reference_words.lengths
    )
    old_index = (
        np.repeat(reference_words.offsets[:-1], reference_words.lengths) + permutation.values
    )
    stays = is_common[old_index]
    offsets = row_offsets(counts)
    groups = None
    if segments.groups is not None:
        group_values = _take_rows(segments.groups, rows).values[stays]
        row = np.repeat(np.arange(len(counts)), counts)
        width = 1 + int(group_values.max(initial=0))
        dense, inverse = np.unique(row * width + group_values, return_inverse=True)
        first = np.searchsorted(dense, np.arange(len(counts)) * width)
        groups = Ragged((inverse - first[row]).astype(np.int32), offsets)
    values = new_rank[old_index][stays].astype(np.int32)
    return Segments(Ragged(values, offsets), groups, None, counts, counts, _checked=True)
