"""N-grams that hypotheses share with their references, counted by segment."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wordorder.kernels import ngrams as kernel
from wordorder.kernels._run import run_rows
from wordorder.ragged import Ragged
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int32, Int64

# Rows of numbers: row ``i`` is ``values[starts[i] : stops[i]]``.
Rows = tuple[Int32, Int64, Int64]


def ngram_statistics(texts: Texts, order: int, boundaries: bool = False) -> Float64:
    """Count the n-grams of each hypothesis and those that match, as BLEU does.

    An n-gram matches as often as it occurs in the hypothesis, but no oftener than in that
    reference of the segment that has it most often (Papineni, Roukos, Ward and Zhu 2002, "modified
    n-gram precision").

    Parameters
    ----------
    texts : Texts
    order : int, at least 1
        The longest n-grams.
    boundaries : bool, default False
        Count with one symbol before the first word and one behind the last, in hypotheses and
        references. They are words for the n-grams, not for the lengths.

    Returns
    -------
    float64[S, 2*order+2]
        Matches of 1 .. `order` words, all n-grams of the hypothesis of 1 .. `order` words, length
        of the hypothesis, length of the reference that is closest to it (the shorter one of two
        that are equally close). A segment without references is a row of zeros.

    Examples
    --------
    >>> texts = Texts.from_segments(["the cat sat on mat"], ["the cat sat on the mat"])
    >>> ngram_statistics(texts, 2).astype(int).tolist()
    [[5, 3, 5, 4, 5, 6]]
    """
    hypothesis, references = texts.hypothesis, texts.references
    if boundaries:
        hypothesis, references = _with_boundaries(hypothesis), _with_boundaries(references)
    statistics = np.zeros((len(texts), 2 * order + 2))
    statistics[:, :order], _ = _shared(
        rows_of(hypothesis),
        np.arange(len(texts)),
        rows_of(references),
        texts.reference_offsets,
        order,
    )
    lengths = hypothesis.lengths
    for n in range(1, order + 1):
        statistics[:, order + n - 1] = np.maximum(lengths - n + 1, 0)
    statistics[:, -2] = texts.hypothesis.lengths
    statistics[:, -1] = closest_lengths(texts)
    statistics[np.diff(texts.reference_offsets) == 0] = 0
    return statistics


def clipped_matches(texts: Texts, order: int) -> Int32:
    """Count how often each n-gram matches, at the place where it first occurs.

    Returns
    -------
    int32[order, N]
        For n-grams of 1 .. `order` words and each of the N words of the hypotheses: the clipped
        matches of the n-gram that begins there, 0 where it has occurred before in its segment.
    """
    _, matched = _shared(
        rows_of(texts.hypothesis),
        np.arange(len(texts)),
        rows_of(texts.references),
        texts.reference_offsets,
        order,
        by_place=True,
    )
    return matched


def overlap_counts(hypothesis: Rows, references: Rows, segment_of: Int64, order: int) -> Float64:
    """Count the n-grams of each reference, of its hypothesis, and those of both.

    Parameters
    ----------
    hypothesis, references : (int32 values, int64[S] starts, int64[S] stops), and the same of R
        Numbers from 0.
    segment_of : int64[R]
        The hypothesis that goes with each reference.
    order : int
        The longest n-grams.

    Returns
    -------
    float64[R, 3*order]
        For n-grams of 1 .. `order`: how many the hypothesis has, the reference has, and both have,
        each instance once. None of the hypothesis where the reference has none, as sacreBLEU counts
        for chrF.
    """
    ours = (hypothesis[2] - hypothesis[1])[segment_of]
    theirs = references[2] - references[1]
    counts = np.zeros((len(theirs), order, 3))
    for n in range(order):
        counts[:, n, 0] = np.where(theirs > n, np.maximum(ours - n, 0), 0)
        counts[:, n, 1] = np.maximum(theirs - n, 0)
    each = np.arange(len(theirs) + 1)
    counts[:, :, 2], _ = _shared(hypothesis, segment_of, references, each, order)
    return counts.reshape(len(theirs), 3 * order)


def row_sums(values: npt.NDArray[np.generic], offsets: Int64) -> npt.NDArray[np.generic]:
    """Sum the values of each row; 0 for an empty one.

    Examples
    --------
    >>> row_sums(np.array([1, 2, 3]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 3]
    """
    kind = np.float64 if values.dtype.kind == "f" else np.int64
    sums = np.zeros(len(offsets) - 1, kind)
    filled = offsets[1:] > offsets[:-1]
    if filled.any():
        sums[filled] = np.add.reduceat(values, offsets[:-1][filled], dtype=kind)
    return sums


def closest_lengths(texts: Texts) -> Int64:
    """Return the length of each segment's reference that is closest to its hypothesis, int64[S].

    The shorter one of two that are equally close; 0 without a reference.

    Examples
    --------
    >>> closest_lengths(Texts.from_segments(["a b", "a"], [["a", "a b c"], []])).tolist()
    [1, 0]
    """
    lengths = texts.references.lengths
    away = np.abs(lengths - texts.hypothesis.lengths[texts.segment_of])
    closest = np.zeros(len(texts), np.int64)
    starts = texts.reference_offsets[:-1]
    filled = texts.reference_offsets[1:] > starts
    if filled.any():
        # One number that puts the distance first and the length second.
        both = np.minimum.reduceat(away << 32 | lengths, starts[filled])
        closest[filled] = both & 0xFFFFFFFF
    return closest


def _shared(
    hypothesis: Rows,
    hypothesis_of: Int64,
    references: Rows,
    reference_offsets: Int64,
    order: int,
    *,
    by_place: bool = False,
) -> tuple[Int64, Int32]:
    """Count the n-grams that groups of a hypothesis and references share.

    Returns
    -------
    int64[G, order], int32[order, N]
        As the kernel has them; the latter without rows if not `by_place`.
    """
    lengths = np.zeros(len(references[1]) + 1, np.int64)
    # One entry more for each reference, in the room that the kernel works in.
    np.cumsum(references[2] - references[1] + 1, out=lengths[1:])
    offsets = lengths[reference_offsets]
    offsets[1:] += np.cumsum((hypothesis[2] - hypothesis[1])[hypothesis_of])
    shared = np.zeros((len(hypothesis_of), order), np.int64)
    matched = np.zeros((order if by_place else 0, len(hypothesis[0])), np.int32)
    run_rows(
        kernel.shared_ngrams,
        offsets,
        *hypothesis,
        hypothesis_of,
        *references,
        reference_offsets,
        order,
        shared.reshape(-1),
        by_place,
        matched.reshape(-1),
        scratch=lambda longest: (
            np.empty(10 * longest + 10, np.int32),
            np.empty(4 * longest + 4, np.uint64),
        ),
    )
    return shared, matched


def rows_of(rows: Ragged) -> Rows:
    """Return rows in the form that `overlap_counts` takes."""
    return rows.values, rows.offsets[:-1], rows.offsets[1:]


def _with_boundaries(rows: Ragged) -> Ragged:
    """Put 0 before and 1 behind each row, numbers of words moving up by two."""
    offsets = rows.offsets + 2 * np.arange(len(rows.offsets))
    values = np.empty(int(offsets[-1]), np.int32)
    word = np.ones(len(values), np.bool_)
    word[offsets[:-1]] = word[offsets[1:] - 1] = False
    values[offsets[:-1]] = 0
    values[offsets[1:] - 1] = 1
    values[word] = rows.values + 2
    return Ragged(values, offsets)
