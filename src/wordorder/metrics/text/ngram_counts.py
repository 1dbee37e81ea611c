"""N-grams that hypotheses share with their references, counted by segment."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wordorder.kernels import ngrams
from wordorder.kernels._run import run_rows
from wordorder.ragged import Ragged
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int32, Int64


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
    local = texts.local()
    hypothesis = _with_boundaries(local.hypothesis) if boundaries else local.hypothesis
    references = _with_boundaries(local.references) if boundaries else local.references
    matched = clipped_matches(hypothesis, references, texts.reference_offsets, order)
    statistics = np.zeros((len(texts), 2 * order + 2))
    lengths = hypothesis.lengths
    for n in range(1, order + 1):
        statistics[:, n - 1] = row_sums(matched[n - 1], hypothesis.offsets)
        statistics[:, order + n - 1] = np.maximum(lengths - n + 1, 0)
    statistics[:, -2] = local.hypothesis.lengths
    statistics[:, -1] = closest_lengths(texts)
    statistics[np.diff(texts.reference_offsets) == 0] = 0
    return statistics


def clipped_matches(
    hypothesis: Ragged, references: Ragged, reference_offsets: Int64, order: int
) -> Int32:
    """Count how often each n-gram matches, at the place where it first stands.

    Parameters
    ----------
    hypothesis, references : Ragged
        S and R rows of numbers; those of a segment's hypothesis are 0, 1, ... without a gap.
    reference_offsets : int64[S+1]
        Where the references of each segment begin.
    order : int
        The longest n-grams.

    Returns
    -------
    int32[order, N]
        For n-grams of 1 .. `order` words and each of the N words of the hypotheses: the clipped
        matches of the n-gram that begins there, 0 where it has stood before in its segment.
    """
    matched = np.zeros((order, len(hypothesis.values)), np.int32)

    def scratch(longest: int) -> tuple[Int32, Int32]:
        return np.empty(8 * longest + 8, np.int32), np.empty(4 * longest + 4, np.int32)

    run_rows(
        ngrams.ngram_matches,
        np.ascontiguousarray(hypothesis.offsets + references.offsets[reference_offsets]),
        hypothesis.values,
        hypothesis.offsets,
        references.values,
        references.offsets,
        reference_offsets,
        order,
        matched.reshape(-1),
        scratch=scratch,
    )
    return matched


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
