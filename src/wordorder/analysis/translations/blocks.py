"""Moved blocks: groups of words that a translation puts elsewhere than its reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordorder.alignment.monolingual.aligner import Matches
from wordorder.analysis.translations.stored import concatenate_records, narrow_field
from wordorder.arrays import (
    Array,
    Bool,
    Float64,
    Int8,
    Int32,
    Int64,
    concat_ranges,
    row_offsets,
    value_indices,
)
from wordorder.kernels import edits as kernel, run_rows
from wordorder.metrics.text.paths import DELETION, JUMP, MATCH, SUBSTITUTION, CoverPaths
from wordorder.text.texts import Texts
from wordorder.treebank.treebank import Treebank

# A block is moved locally if it passes at most this number of words.
MAX_LOCAL_DISTANCE = 3


@narrow_field
@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of all sentences of a system, and which of them have moved.

    W words of the references have a position in the translation; other words are skipped. A *block*
    is a range of the W words in which each word follows the one before on both sides. The blocks
    that *stay* are the longest sequence of blocks in order, measured in words; the first such
    sequence on ties. The others have *moved*: they are too early or too late for the staying words
    between their position in the translation and that in the reference.

    Attributes
    ----------
    reference : int32[W], or int64[W] if indices are large
        Index of each word in ``texts.references.values``, ascending.
    hypothesis : int32[W]
        Its position in the translation.
    same : bool[W]
        Whether the word there is the same (or matches), and not a substitution.
    segments : int64[B]
        The sentence of each block.
    starts : int64[B+1]
        Index below W of the first word of each block; the last entry is W.
    moved : bool[B]
    distance : int64[B]
        The number of staying words that the block passes, negative if the block is too early; 0 for
        blocks that stay, and for moved blocks that repeat words of other blocks.
    first_passed, last_passed : int64[B]
        Index of the first and last passed word in ``texts.references.values``; -1 for none.
    cost : float64[B]
        The jumps of a path that the block causes: jumps to it and from it (half of a jump between
        two moved blocks), or over it. 0 if blocks are not from a path.
    other_jumps : int64[S]
        The other jumps of each sentence: over words without a position in the reference.

    Examples
    --------
    >>> from wordorder.metrics.text.paths import cover_paths
    >>> texts = Texts.from_segments(["on tuesday so we met at six"], ["we met at six on tuesday"])
    >>> blocks = path_blocks(cover_paths(texts))
    >>> blocks.moved.tolist(), blocks.distance.tolist(), blocks.words.tolist()
    ([False, True], [0, -4], [4, 2])
    >>> blocks.cost.tolist(), blocks.other_jumps.tolist()
    ([0.0, 3.0], [0])
    """

    reference: Array
    hypothesis: Int32
    same: Bool
    segments: Int64
    starts: Int64
    moved: Bool
    distance: Int64
    first_passed: Int64
    last_passed: Int64
    cost: Float64
    other_jumps: Int64

    @classmethod
    def concatenate(
        cls, parts: Sequence[Blocks], segments: Sequence[int], words: Sequence[int]
    ) -> Blocks:
        """Concatenate the blocks of several parts.

        Parameters
        ----------
        parts : sequence of Blocks
            At least one.
        segments, words : sequence of int
            How many segments, and words of all references, precede each part.
        """
        word_shifts = dict.fromkeys(("reference", "first_passed", "last_passed"), words)
        starts = row_offsets([int(part.starts[-1]) for part in parts])[:-1].tolist()
        shifts = {**word_shifts, "segments": segments, "starts": starts}
        return concatenate_records(parts, shifts, {"starts"})

    def __len__(self) -> int:
        return len(self.segments)

    @property
    def words(self) -> Int64:
        """The number of words of each block, int64[B]."""
        return np.diff(self.starts)

    @cached_property
    def word_moved(self) -> Bool:
        """Whether each word is in a moved block, bool[W]."""
        return np.repeat(self.moved, self.words)

    @cached_property
    def too_early(self) -> Bool:
        """Which blocks are too early, bool[B]."""
        early: Bool = self.distance < 0
        return early

    @cached_property
    def too_late(self) -> Bool:
        """Which blocks are too late, bool[B]."""
        late: Bool = self.distance > 0
        return late

    def word_distances(self, selected: Bool, words: Int64) -> Int64:
        """Return how far a word of each selected block is too early (negative) or too late.

        Parameters
        ----------
        selected : bool[M]
            Which of the moved blocks.
        words : int64[C]
            A word for each selected block, as an index of ``texts.references.values``. A word that
            the block passes has the opposite direction: it is too late if the block is too early.
        """
        block = np.flatnonzero(self.moved)[selected]
        starts, ends = self.reference[self.starts[:-1]], self.reference[self.starts[1:] - 1]
        outside = (words < starts[block]) | (ends[block] < words)
        passed = outside & (self.first_passed[block] <= words) & (words <= self.last_passed[block])
        return np.where(passed, -self.distance[block], self.distance[block])

    @cached_property
    def repeated(self) -> Bool:
        """Which blocks repeat words of other blocks, bool[B]; only on paths."""
        repeated: Bool = self.moved & (self.distance == 0)
        return repeated

    @cached_property
    def local(self) -> Bool:
        """Which moved blocks pass at most three words, bool[B]."""
        local: Bool = (np.abs(self.distance) <= MAX_LOCAL_DISTANCE) & (self.distance != 0)
        return local

    @cached_property
    def long(self) -> Bool:
        """Which moved blocks pass more than three words, bool[B]."""
        long: Bool = np.abs(self.distance) > MAX_LOCAL_DISTANCE
        return long


def path_blocks(paths: CoverPaths) -> Blocks:
    """Find the blocks of cheapest paths of CDER, and the jumps that they cause.

    Parameters
    ----------
    paths : CoverPaths
        At most one per segment, with jumps in the hypothesis. A deletion is a jump over one word.
    """
    has_word = (paths.operation == MATCH) | (paths.operation == SUBSTITUTION)
    words_before = row_offsets(has_word)
    offsets = words_before[paths.offsets]
    jumped = np.flatnonzero((paths.operation == JUMP) | (paths.operation == DELETION))
    path_of = paths.path_of
    # A path has gaps before, between and after its words.
    jumps = np.zeros(int(offsets[-1]) + len(paths), np.int8)
    jumps[words_before[jumped] + path_of[jumped]] = 1
    texts = paths.texts
    starts = texts.references.offsets[paths.rows]
    steps = np.flatnonzero(has_word)
    return _blocks(
        texts.segment_of[paths.rows],
        starts[path_of[steps]] + paths.reference[steps],
        paths.hypothesis[steps],
        paths.operation[steps] == MATCH,
        offsets,
        paths.lengths[0],
        jumps,
        len(texts),
    )


def aligned_blocks(texts: Texts, rows: Int64, matches: Matches) -> Blocks:
    """Find the blocks of words that a monolingual alignment matches.

    Parameters
    ----------
    texts : Texts
    rows : int64[S]
        The row of ``texts.references`` that each translation is compared with; -1 for none.
    matches : Matches
        Of all R reference rows. The words of matched phrases are paired from left to right.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> texts = Texts.from_segments(["we met often at six"], ["at six we often met"])
    >>> blocks = aligned_blocks(texts, np.array([0]), MonolingualAligner().align(texts))
    >>> blocks.words.tolist(), blocks.distance.tolist(), blocks.local.tolist()
    ([2, 1, 1, 1], [0, -2, -2, -2], [False, True, True, True])
    """
    segments = np.flatnonzero(rows >= 0)
    used_rows = rows[segments]
    links, link_offsets = value_indices(matches.offsets, used_rows)
    pairs = np.minimum(matches.length[links], matches.hypothesis_length[links]).astype(np.int64)
    offsets = row_offsets(pairs)[link_offsets]
    starts = np.repeat(texts.references.offsets[used_rows], np.diff(offsets))
    return _blocks(
        segments,
        starts + concat_ranges(matches.start[links], pairs),
        concat_ranges(matches.hypothesis_start[links], pairs).astype(np.int32),
        np.ones(len(starts), np.bool_),
        offsets,
        texts.hypothesis.lengths[segments],
        np.zeros(len(starts) + len(segments), np.int8),
        len(texts),
    )


def ordered_blocks(reference: Int64, ranks: Int32, offsets: Int64) -> Blocks:
    """Find the blocks of words in two orders; each lost pair of neighbours is a jump.

    Parameters
    ----------
    reference : int64[W]
        Index of each word in the references, ascending.
    ranks : int32[W]
        Its rank among the words of its segment in the output.
    offsets : int64[S+1]
        Where the words of each segment start.

    Examples
    --------
    >>> blocks = ordered_blocks(np.arange(4), np.array([0, 2, 3, 1], np.int32), np.array([0, 4]))
    >>> blocks.words.tolist(), blocks.moved.tolist(), blocks.cost.tolist()
    ([1, 2, 1], [False, False, True], [0.0, 0.0, 2.0])
    """
    size = len(offsets) - 1
    rows = np.repeat(np.arange(size), np.diff(offsets))
    jumps = np.zeros(len(ranks) + size, np.int8)
    lost = 1 + np.flatnonzero((np.diff(rows) == 0) & (np.diff(ranks) != 1))
    jumps[lost + rows[lost]] = 1
    same = np.ones(len(ranks), np.bool_)
    lengths = np.diff(offsets)
    return _blocks(np.arange(size), reference, ranks, same, offsets, lengths, jumps, size)


def _blocks(
    segments: Int64,
    reference: Int64,
    positions: Int32,
    same: Bool,
    offsets: Int64,
    widths: Int64,
    jumps: Int8,
    size: int,
) -> Blocks:
    """Cut rows of positions into blocks; `segments` has the segment (of `size`) of each row."""
    count = len(positions)
    block, distance, first_passed, last_passed = (np.empty(count, np.int32) for _ in range(4))
    moved, cost = np.empty(count, np.int8), np.empty(count, np.float64)
    other_jumps = np.zeros(len(segments), np.int64)
    max_width = int(widths.max(initial=0))
    run_rows(
        *(kernel.moved_blocks, offsets, positions, offsets, widths, jumps, block, moved, distance),
        *(first_passed, last_passed, cost, other_jumps),
        scratch=lambda max_length: (max_length, max_width),
    )
    rows = np.repeat(np.arange(len(segments)), np.diff(offsets))
    is_start = np.ones(count, np.bool_)
    is_start[1:] = (np.diff(block) != 0) | (np.diff(rows) != 0)
    starts = np.flatnonzero(is_start)
    segment_jumps = np.zeros(size, np.int64)
    segment_jumps[segments] = other_jumps
    row_starts = offsets[:-1][rows[starts]]

    def reference_words(indices: Int32) -> Int64:
        """Convert word indices within rows, one per block, into reference words."""
        in_row = indices[starts].astype(np.int64)
        words: Int64 = np.full(len(starts), -1, np.int64)
        valid = in_row >= 0
        words[valid] = reference[(row_starts + in_row)[valid]]
        return words

    return Blocks(
        reference=narrow_indices(reference),
        hypothesis=positions,
        same=same,
        segments=segments[rows[starts]],
        starts=np.append(starts, count),
        moved=moved[starts].astype(np.bool_),
        distance=distance[starts].astype(np.int64),
        first_passed=reference_words(first_passed),
        last_passed=reference_words(last_passed),
        cost=cost[starts],
        other_jumps=segment_jumps,
    )


def narrow_indices(indices: Array) -> Array:
    """Return indices as int32 if all of them fit, else as int64."""
    return indices.astype(np.int32 if indices.max(initial=0) < 1 << 31 else np.int64, copy=False)


def moved_heads(blocks: Blocks, trees: Treebank) -> tuple[Int64, Int64]:
    """Find the head of each moved block, and the head of the words that it passes.

    Parameters
    ----------
    blocks : Blocks
    trees : Treebank
        Of the references, with the same words.

    Returns
    -------
    heads, passed : int64[M]
        For each of the M moved blocks, the index in the references of its word nearest to the root
        (the first on ties), and of such a word among the staying words that it passes, -1 for none.

    Examples
    --------
    >>> from wordorder.analysis.translations.blocks import path_blocks
    >>> from wordorder.metrics.text.paths import cover_paths
    >>> from wordorder.text.texts import Texts
    >>> blocks = path_blocks(cover_paths(Texts.from_segments(
    ...     ["on tuesday so we met at six"], ["we met at six on tuesday"])))
    >>> tree = Treebank.from_words([["we", "met", "at", "six", "on", "tuesday"]],
    ...                            heads=[[2, 0, 4, 2, 6, 2]])
    >>> [heads.tolist() for heads in moved_heads(blocks, tree)]
    [[5], [1]]
    """
    depths = trees.depths
    size = len(depths)
    # The order of the keys is that of depths, then of words.
    keys = depths[blocks.reference] * size + blocks.reference
    moved = np.flatnonzero(blocks.moved)
    if not len(moved):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    heads = np.minimum.reduceat(keys, blocks.starts[:-1])[moved] % size
    passed = np.full(len(moved), -1, np.int64)
    passing = np.flatnonzero(blocks.first_passed[moved] >= 0)
    if len(passing):
        # Words that have moved are not passed; one more key ends the last range.
        keys = np.append(np.where(blocks.word_moved, np.iinfo(np.int64).max, keys), 0)
        starts = np.searchsorted(blocks.reference, blocks.first_passed[moved[passing]])
        stops = np.searchsorted(blocks.reference, blocks.last_passed[moved[passing]]) + 1
        bounds = np.column_stack([starts, stops]).ravel()
        passed[passing] = np.minimum.reduceat(keys, bounds)[::2] % size
    return heads, passed
