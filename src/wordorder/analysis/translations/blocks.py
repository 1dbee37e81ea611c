"""Moved blocks: groups of words that a translation puts in another place than its reference."""

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
    row_positions,
)
from wordorder.kernels import edits as kernel, run_rows
from wordorder.metrics.text.paths import DELETION, JUMP, MATCH, SUBSTITUTION, CoverPaths
from wordorder.text.texts import Texts
from wordorder.treebank.treebank import Treebank

# A block is moved locally if it passes so many words at most.
LOCAL = 3


@narrow_field
@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of all sentences of a system, and which of them have moved.

    W words of the references have a place in the translation. A *block* is a stretch of them in
    which each word follows the one before on both sides; words without a place are passed over.
    The blocks that *stay* are in order, and have as many words as possible; of equals the first.
    The others have *moved*: each is too early or too late for the words that stay between its
    place in the translation and that in the reference.

    Attributes
    ----------
    reference : int32[W], or int64[W] of very many words
        Where each word is in ``texts.references.values``; rising.
    hypothesis : int32[W]
        Its place in the translation.
    same : bool[W]
        Whether the word there is the same (or matches), and not a substitution.
    segments : int64[B]
        The sentence of each block.
    first : int64[B+1]
        The first of its words, an index below W; the last entry is W.
    moved : bool[B]
    distance : int64[B]
        How many words that stay come too late because the block is too early (below 0) or the other
        way round; 0 for blocks that stay, and for moved ones that repeat words of other blocks.
    passed, passed_last : int64[B]
        Where the first and the last of these words are in ``texts.references.values``; -1
        without any.
    cost : float64[B]
        The jumps of a path that the block causes: those to it and from it (half each, where they
        join two moved blocks), or over it. 0 if blocks are not from a path.
    causeless : int64[S]
        The other jumps of each sentence: over words that have no place in the reference.

    Examples
    --------
    >>> from wordorder.metrics.text.paths import cover_paths
    >>> texts = Texts.from_segments(["on tuesday so we met at six"], ["we met at six on tuesday"])
    >>> found = path_blocks(cover_paths(texts))
    >>> found.moved.tolist(), found.distance.tolist(), found.words.tolist()
    ([False, True], [0, -4], [4, 2])
    >>> found.cost.tolist(), found.causeless.tolist()
    ([0.0, 3.0], [0])
    """

    reference: Array
    hypothesis: Int32
    same: Bool
    segments: Int64
    first: Int64
    moved: Bool
    distance: Int64
    passed: Int64
    passed_last: Int64
    cost: Float64
    causeless: Int64

    @classmethod
    def joined(
        cls, parts: Sequence[Blocks], segments: Sequence[int], words: Sequence[int]
    ) -> Blocks:
        """Put the blocks of several parts one behind the other.

        Parameters
        ----------
        parts : sequence of Blocks
            At least one.
        segments, words : sequence of int
            How many segments, and words of all references, come before each part.
        """
        places = dict.fromkeys(("reference", "passed", "passed_last"), words)
        first = row_offsets([int(part.first[-1]) for part in parts])[:-1].tolist()
        shifts = {**places, "segments": segments, "first": first}
        return concatenate_records(parts, shifts, {"first"})

    def __len__(self) -> int:
        return len(self.segments)

    @property
    def words(self) -> Int64:
        """How many words each block has, int64[B]."""
        return np.diff(self.first)

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

    def word_distances(self, chosen: Bool, words: Int64) -> Int64:
        """Return the distance by which a word is too early (below 0) or too late, for some blocks.

        Parameters
        ----------
        chosen : bool[M]
            Which of the moved blocks are meant.
        words : int64[C]
            A word for each of them, as its place in ``texts.references.values``. A word that the
            block passes has the opposite direction: it is too late where the block is too early.
        """
        block = np.flatnonzero(self.moved)[chosen]
        starts, ends = (self.reference[index] for index in (self.first[:-1], self.first[1:] - 1))
        outside = (words < starts[block]) | (ends[block] < words)
        passed = outside & (self.passed[block] <= words) & (words <= self.passed_last[block])
        return np.where(passed, -self.distance[block], self.distance[block])

    @cached_property
    def repeated(self) -> Bool:
        """Which blocks use words that other blocks use too, bool[B]; only on paths."""
        repeated: Bool = self.moved & (self.distance == 0)
        return repeated

    @cached_property
    def local(self) -> Bool:
        """Which moved blocks pass three words at most, bool[B]."""
        local: Bool = (np.abs(self.distance) <= LOCAL) & (self.distance != 0)
        return local

    @cached_property
    def long(self) -> Bool:
        """Which moved blocks pass more than three words, bool[B]."""
        far: Bool = np.abs(self.distance) > LOCAL
        return far


def path_blocks(paths: CoverPaths) -> Blocks:
    """Find the blocks of cheapest paths of CDER, and which jumps they cause.

    Parameters
    ----------
    paths : CoverPaths
        At most one per segment, with jumps in the hypothesis. A deletion is a jump over one word.
    """
    taken = (paths.operation == MATCH) | (paths.operation == SUBSTITUTION)
    before = row_offsets(taken)
    offsets = before[paths.offsets]
    jumped = np.flatnonzero((paths.operation == JUMP) | (paths.operation == DELETION))
    path_of = paths.path_of
    # Each path has one gap more than words.
    jumps = np.zeros(int(offsets[-1]) + len(paths), np.int8)
    jumps[before[jumped] + path_of[jumped]] = 1
    texts = paths.texts
    starts = texts.references.offsets[paths.rows]
    at = np.flatnonzero(taken)
    return _blocks(
        texts.segment_of[paths.rows],
        starts[path_of[at]] + paths.reference[at],
        paths.hypothesis[at],
        paths.operation[at] == MATCH,
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
        Of all R reference rows. In phrases the words are paired from left to right.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> texts = Texts.from_segments(["we met often at six"], ["at six we often met"])
    >>> found = aligned_blocks(texts, np.array([0]), MonolingualAligner().align(texts))
    >>> found.words.tolist(), found.distance.tolist(), found.local.tolist()
    ([2, 1, 1, 1], [0, -2, -2, -2], [False, True, True, True])
    """
    segments = np.flatnonzero(rows >= 0)
    chosen = rows[segments]
    links, link_offsets = row_positions(matches.offsets, chosen)
    pairs = np.minimum(matches.length[links], matches.hypothesis_length[links]).astype(np.int64)
    offsets = row_offsets(pairs)[link_offsets]
    starts = np.repeat(texts.references.offsets[chosen], np.diff(offsets))
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
    """Find the blocks of words in two orders; each pair of neighbours that is lost is a jump.

    Parameters
    ----------
    reference : int64[W]
        Where each word is in the references, rising.
    ranks : int32[W]
        Its place among the words of its segment in the output.
    offsets : int64[S+1]
        Of the segments.

    Examples
    --------
    >>> found = ordered_blocks(np.arange(4), np.array([0, 2, 3, 1], np.int32), np.array([0, 4]))
    >>> found.words.tolist(), found.moved.tolist(), found.cost.tolist()
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
    places: Int32,
    same: Bool,
    offsets: Int64,
    widths: Int64,
    jumps: Int8,
    size: int,
) -> Blocks:
    """Cut rows of places into blocks; `segments` tells which of `size` segments has each row."""
    count = len(places)
    block, distance, passed, passed_last = (np.empty(count, np.int32) for _ in range(4))
    moved, cost = np.empty(count, np.int8), np.empty(count, np.float64)
    causeless = np.zeros(len(segments), np.int64)
    widest = int(widths.max(initial=0))
    run_rows(
        *(kernel.moved_blocks, offsets, places, offsets, widths, jumps, block, moved, distance),
        *(passed, passed_last, cost, causeless),
        scratch=lambda longest: (longest, widest),
    )
    rows = np.repeat(np.arange(len(segments)), np.diff(offsets))
    begins = np.ones(count, np.bool_)
    begins[1:] = (np.diff(block) != 0) | (np.diff(rows) != 0)
    first = np.flatnonzero(begins)
    by_segment = np.zeros(size, np.int64)
    by_segment[segments] = causeless
    base = offsets[:-1][rows[first]]

    def words_at(numbers: Int32) -> Int64:
        chosen = numbers[first].astype(np.int64)
        found: Int64 = np.full(len(first), -1, np.int64)
        there = chosen >= 0
        found[there] = reference[(base + chosen)[there]]
        return found

    return Blocks(
        reference=as_places(reference),
        hypothesis=places,
        same=same,
        segments=segments[rows[first]],
        first=np.append(first, count),
        moved=moved[first].astype(np.bool_),
        distance=distance[first].astype(np.int64),
        passed=words_at(passed),
        passed_last=words_at(passed_last),
        cost=cost[first],
        causeless=by_segment,
    )


def as_places(places: Array) -> Array:
    """Return places of words that rise in few bytes, int32 or int64 [W]."""
    return places.astype(np.int32 if places.max(initial=0) < 1 << 31 else np.int64, copy=False)


def moved_heads(blocks: Blocks, trees: Treebank) -> tuple[Int64, Int64]:
    """Find the head of each moved block, and that of the words that it passes.

    Parameters
    ----------
    blocks : Blocks
    trees : Treebank
        Of the references, word by word.

    Returns
    -------
    heads, passed : int64[M]
        For each of the M moved blocks the word that is nearest to the root, the first of them, as
        a place in the references; likewise among the staying words that the block passes, or -1
        without any.

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
    # Ordered by depth, then by place.
    keys = depths[blocks.reference] * size + blocks.reference
    moved = np.flatnonzero(blocks.moved)
    if not len(moved):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    heads = np.minimum.reduceat(keys, blocks.first[:-1])[moved] % size
    passed = np.full(len(moved), -1, np.int64)
    passing = np.flatnonzero(blocks.passed[moved] >= 0)
    if len(passing):
        # Words that have moved are not passed; one more key closes the last stretch.
        keys = np.append(np.where(blocks.word_moved, np.iinfo(np.int64).max, keys), 0)
        starts = np.searchsorted(blocks.reference, blocks.passed[moved[passing]])
        stops = np.searchsorted(blocks.reference, blocks.passed_last[moved[passing]]) + 1
        bounds = np.column_stack([starts, stops]).ravel()
        passed[passing] = np.minimum.reduceat(keys, bounds)[::2] % size
    return heads, passed
