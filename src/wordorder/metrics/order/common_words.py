"""The words of a reference that two systems match: the ones on which their orders are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Bool, Int64, Ragged, row_offsets
from wordorder.kernels import piece_spans
from wordorder.metrics.contract import Metric, best_reference, completed
from wordorder.segments import Segments
from wordorder.segments.columns import DroppedWords

if TYPE_CHECKING:
    from wordorder.text.texts import Texts

# Of fewer words there is no order.
FEWEST = 2


@dataclass(frozen=True, eq=False)
class CommonWords:
    """The orders of two systems on the reference words that both of them match.

    Attributes
    ----------
    systems : (Segments, Segments)
        A row per segment; both have the same words, and none where they share fewer than two.
    words : int
        How many words are compared.
    reference_words : int
        How many words the references have.
    segments : int
        How many segments are compared.
    """

    systems: tuple[Segments, Segments]
    words: int
    reference_words: int
    segments: int

    @classmethod
    def of(cls, first: Segments, second: Segments) -> CommonWords:
        """Restrict the rows of two systems to the words that both match, and renumber them.

        Of several references the one counts that both systems together match best (by the sum of
        their F1), the first of equal ones. The words of `repeated_unequally` are left out.

        Parameters
        ----------
        first, second : Segments
            Of the same references, with `reference_words`.

        Examples
        --------
        The second system leaves out "c"; on "a b d" the first one is in order.

        >>> one, two = (
        ...     Segments.from_text([text], ["a b c d"], aligner="exact")
        ...     for text in ("c a b d", "d a b")
        ... )
        >>> found = CommonWords.of(one, two)
        >>> [each.permutation.to_lists() for each in found.systems], found.words
        ([[[0, 1, 2]], [[2, 0, 1]]], 3)
        """
        sides = first.of_matched_words(), second.of_matched_words()
        rows = common_references(*sides)
        ranked = [_take_rows(side.reference_words, rows) for side in sides]
        width = 1 + max((int(side.values.max(initial=0)) for side in ranked), default=0)
        keys = [_row_of(side) * width + side.values for side in ranked]
        matched_by = np.zeros(len(rows) * width, np.uint8)
        for bit, key in enumerate(keys, 1):
            matched_by[key] |= bit
        repeated = repeated_unequally(first, second)
        if repeated is not None:
            starts = first.texts.references.offsets[rows]
            index = np.repeat(starts, ranked[0].lengths) + ranked[0].values
            matched_by[keys[0][repeated[index]]] = 0
        common = matched_by.reshape(-1, width) == 3
        counts = common.sum(axis=1)
        common[counts < FEWEST] = False
        counts[counts < FEWEST] = 0
        shared = common.ravel()
        restricted = [
            _restricted(side, rows, words, shared[key], counts)
            for side, words, key in zip(sides, ranked, keys, strict=True)
        ]
        lengths = sides[0].reference_lengths[rows[rows >= 0]]
        totals = int(counts.sum()), int(lengths.sum()), int(np.count_nonzero(counts))
        return cls((restricted[0], restricted[1]), *totals)


def reads_orders_alone(metric: Metric) -> bool:
    """Return whether a metric reads nothing but orders, so that it can be asked on some words."""
    return set(completed(metric).columns) == {"permutation"}


def has_common_words(systems: Sequence[Segments]) -> bool:
    """Return whether systems leave out words, and it is known which: `CommonWords` are defined."""
    sides = [system.of_matched_words() for system in systems]
    return all(side.of_translations and side.reference_words is not None for side in sides)


def counted_words(segments: Segments, metrics: Sequence[Metric]) -> DroppedWords:
    """Count the words that do not match and, where a metric reads orders, those that do.

    Examples
    --------
    The first reference is matched worse, and is not counted.

    >>> from wordorder.metrics.registry import metric
    >>> segments = Segments.from_text(["a b"], [["a x", "a b c"]], aligner="exact")
    >>> found = counted_words(segments, [metric("frs")])
    >>> found.matched, found.matchable
    (2, 3)
    """
    dropped = segments.dropped_words
    if not any(map(reads_orders, metrics)):
        return dropped
    side = segments.of_matched_words()
    if not side.of_translations:
        return dropped
    rows = common_references(side, side)
    rows = rows[rows >= 0]
    matched, lengths = side.permutation.lengths[rows], side.reference_lengths[rows]
    return replace(dropped, matched=int(matched.sum()), matchable=int(lengths.sum()))


def reads_orders(metric: Metric) -> bool:
    """Return whether a metric reads orders, alone or with other columns."""
    return "permutation" in completed(metric).columns


def common_references(first: Segments, second: Segments) -> Int64:
    """Return the reference row of each segment that two systems match best, int64[S].

    -1 for a segment without a reference.
    """
    if first.single:
        return np.arange(len(first))
    return best_reference(-(first.matched_f1 + second.matched_f1), first.reference_offsets)


def repeated_unequally(first: Segments, second: Segments) -> Bool | None:
    """Return which words of all references one system repeats more often than the other, bool[N].

    A system that has a word more often than the reference lets the aligner choose which of its
    copies matches, so their places say less about its order. Counted are the copies beyond those
    of the reference, as `_copies` counts them. None where source words are linked and not matched
    by their form.

    Examples
    --------
    The first system has "b" once more than the reference, and both have "c" once more.

    >>> one, two = (
    ...     Segments.from_text([text], ["a b c"], aligner="exact")
    ...     for text in ("b a b c c", "c b a c")
    ... )
    >>> repeated_unequally(one, two).tolist()
    [False, True, False]
    """
    if "links" in (*first.held, *second.held):
        return None
    first_copies, second_copies = (
        side.derived("copies", partial(_all_copies, side)) for side in (first, second)
    )
    unequal: Bool = first_copies != second_copies
    return unequal


def _all_copies(side: Segments) -> npt.NDArray[np.unsignedinteger]:
    """Return what `_copies` does in as few bytes as it needs; some segments at a time."""
    parts: list[npt.NDArray[np.unsignedinteger]] = [np.zeros(0, np.uint8)]
    for first, last in piece_spans(side.texts.token_offsets):
        is_complete = last - first == len(side)
        copies = _copies(side if is_complete else side[first:last])
        parts.append(copies.astype(np.min_scalar_type(int(copies.max(initial=0)))))
    return np.concatenate(parts)


def _copies(side: Segments) -> Int64:
    """Count the words of a system that can match each reference word, beyond those that it needs.

    Words of the same form can match it. Where the system has fewer of them than the reference,
    words of the same stem can match it too, unless all are needed for their own form; and so can
    words that synonyms or paraphrases list.
    """
    texts, aligner = side.texts, side.aligner
    hypothesis_keys, reference_keys, number = _number_words(texts)
    system, reference = (
        np.bincount(words, minlength=number) for words in (hypothesis_keys, reference_keys)
    )
    surplus: Int64 = system - reference
    copies: Int64 = surplus[reference_keys]
    if aligner is not None and aligner.modules != ("exact",):
        classes = aligner.word_classes(texts.vocabulary)
        columns = texts.hypothesis, texts.references
        hypothesis, references = (
            Ragged(classes[column.values], column.offsets) for column in columns
        )
        of_classes = replace(texts, hypothesis=hypothesis, references=references)
        class_of = np.zeros(number, np.int64)
        class_of[hypothesis_keys], class_of[reference_keys], number = _number_words(of_classes)
        free = np.zeros(number, np.int64)
        np.add.at(free, class_of, np.where(surplus > 0, system, 0))
        class_copies = free[class_of[reference_keys]] + aligner.count_listed(texts)
        copies[copies < 0] += class_copies[copies < 0]
    return np.maximum(copies, 0, out=copies)


def _number_words(texts: Texts) -> tuple[Int64, Int64, int]:
    """Number the words of each reference and its hypothesis, equal words alike, from 0 in all.

    Returns
    -------
    int64[M], int64[N], int
        The words of the hypotheses, once for each reference; those of the references; how many
        different ones there are.
    """
    words = texts.local()
    rows = row_offsets(words.distinct[texts.segment_of])
    sides = words.hypothesis.take(texts.segment_of), words.references
    hypothesis_keys, reference_keys = (
        np.repeat(rows[:-1], words.lengths) + words.values for words in sides
    )
    return hypothesis_keys, reference_keys, int(rows[-1])


def _take_rows(rows: Ragged | None, chosen: Int64) -> Ragged:
    """Return some rows; empty ones for -1."""
    assert rows is not None
    if not (chosen < 0).any():
        return rows if len(rows) == len(chosen) else rows.take(chosen)
    empty = Ragged(np.zeros(0, rows.values.dtype), np.zeros(2, np.int64))
    return Ragged.concatenate([rows, empty]).take(np.where(chosen < 0, len(rows), chosen))


def _row_of(rows: Ragged) -> Int64:
    return np.repeat(np.arange(len(rows)), rows.lengths)


def _restricted(
    side: Segments, rows: Int64, words: Ragged, shared: Bool, counts: Int64
) -> Segments:
    """Return the order of some words, renumbered.

    Parameters
    ----------
    side : Segments
    rows : int64[S]
        Which of its rows are looked at.
    words : Ragged
        The reference words of these, by rank.
    shared : bool
        Which of them stay.
    counts : int64[S]
        How many stay in each row.
    """
    permutation = _take_rows(side.permutation, rows)
    shared_before = row_offsets(shared)
    new_rank = shared_before[:-1] - np.repeat(shared_before[words.offsets[:-1]], words.lengths)
    old = np.repeat(words.offsets[:-1], words.lengths) + permutation.values
    stays = shared[old]
    offsets = row_offsets(counts)
    groups = None
    if side.groups is not None:
        tied = _take_rows(side.groups, rows).values[stays]
        row = np.repeat(np.arange(len(counts)), counts)
        width = 1 + int(tied.max(initial=0))
        dense, inverse = np.unique(row * width + tied, return_inverse=True)
        first = np.searchsorted(dense, np.arange(len(counts)) * width)
        groups = Ragged((inverse - first[row]).astype(np.int32), offsets)
    values = new_rank[old][stays].astype(np.int32)
    return Segments(Ragged(values, offsets), groups, None, counts, counts, _checked=True)
