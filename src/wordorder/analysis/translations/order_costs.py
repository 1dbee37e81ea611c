"""The order of a system's matched words, and the costs of its moved blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wordorder.analysis.translations.blocks import Blocks, narrow_indices, ordered_blocks
from wordorder.analysis.translations.stored import (
    MIN_BYTES_OF_MANY,
    concatenate,
    free_memory,
    move_to_file,
    narrow_field,
    read_part,
    release_pages,
)
from wordorder.analysis.translations.translations import TranslatedSystem
from wordorder.arrays import (
    Array,
    Bool,
    Float64,
    Int64,
    concat_ranges,
    row_offsets,
    value_indices,
)
from wordorder.kernels import piece_spans

# Segments in memory at a time.
SPAN_SEGMENTS = 1 << 14

# Pairs of blocks in memory at a time.
SPAN_BLOCK_PAIRS = 1 << 18


def segment_spans(segments: int, factor: int = 1) -> list[tuple[int, int]]:
    """Cut segments into spans of `factor` times `SPAN_SEGMENTS`."""
    size = factor * SPAN_SEGMENTS
    return [(start, min(start + size, segments)) for start in range(0, segments, size)]


@narrow_field
@dataclass(frozen=True, eq=False)
class MatchedOrder:
    """The matched words of the references in the order of one system's output.

    Attributes
    ----------
    rows : int64[S]
        The reference that the metric reads for each segment; -1 for none.
    words : int32[M], or int64[M] if indices are large
        Indices of the words in ``texts.references.values``, segment by segment.
    offsets : int64[S+1]
        Where the words of each segment start.
    matched : bool[N]
        Whether each word of all references is among them.
    """

    rows: Int64
    words: Array
    offsets: Int64
    matched: Bool

    @classmethod
    def of_system(cls, system: TranslatedSystem, rows: Int64) -> MatchedOrder:
        """Read the order of a system's matches with these references."""
        texts, matches = system.texts, system.matches
        matched = np.zeros(len(texts.references.values), np.bool_)
        parts, counts = [np.zeros(0, np.int32)], []
        for start, end in segment_spans(len(rows)):
            segments = start + np.flatnonzero(rows[start:end] >= 0)
            links, offsets = value_indices(matches.offsets, rows[segments])
            segment_of = np.repeat(segments, np.diff(offsets))
            order = np.lexsort((matches.hypothesis_start[links], segment_of))
            links, segment_of = links[order], segment_of[order]
            first = texts.references.offsets[rows[segment_of]] + matches.start[links]
            length = matches.length[links].astype(np.int64)
            words = concat_ranges(first, length)
            matched[words] = True
            parts.append(move_to_file(narrow_indices(words), MIN_BYTES_OF_MANY))
            counts.append(np.bincount(segment_of - start, length, end - start).astype(np.int64))
            release_pages()
        lengths = np.concatenate([np.zeros(0, np.int64), *counts])
        dtype = parts[-1].dtype
        return cls(
            rows, concatenate(part.astype(dtype) for part in parts), row_offsets(lengths), matched
        )

    def restrict(self, selected: Bool) -> MatchedOrder:
        """Return the order of the selected words, bool[N]."""
        parts, counts = [np.zeros(0, self.words.dtype)], []
        for start, end in segment_spans(len(self.rows)):
            offsets = self.offsets[start : end + 1]
            words = self.words[slice(*offsets[[0, -1]].tolist())]
            is_selected = selected[words]
            parts.append(move_to_file(words[is_selected], MIN_BYTES_OF_MANY))
            counts.append(np.diff(row_offsets(is_selected)[offsets - offsets[0]]))
            release_pages()
        lengths = np.concatenate([np.zeros(0, np.int64), *counts])
        return MatchedOrder(
            self.rows, concatenate(parts), row_offsets(lengths), self.matched & selected
        )

    def word_counts(self) -> Int64:
        """Count the words of each segment, int64[S]."""
        return np.diff(self.offsets)

    def blocks(self) -> Iterator[tuple[slice, Blocks]]:
        """Cut the words into blocks that stay and blocks that have moved.

        Yields
        ------
        slice, Blocks
            A span of segments, and their blocks; the first segment of the span has index 0 there.
        """
        words, offsets = self.words, self.offsets
        for start, end in segment_spans(len(self.rows), 2) or [(0, 0)]:
            span = slice(*offsets[[start, end]].tolist())
            order = np.argsort(words[span])
            span_offsets = offsets[start : end + 1] - offsets[start]
            ranks = np.arange(len(order)) - np.repeat(span_offsets[:-1], np.diff(span_offsets))
            yield (
                slice(start, end),
                ordered_blocks(words[span][order], ranks[order].astype(np.int32), span_offsets),
            )


@dataclass(frozen=True, eq=False)
class OrderCosts:
    """What the order of some matched words costs a system.

    Attributes
    ----------
    blocks : Blocks
        The blocks of S segments; C of them have moved.
    segments : int64[C]
        The segment of each moved block.
    costs : (float64[C], float64[C])
        What each moved block costs its segment in FRS and in Kendall's tau.
    scored : float64[S]
        1 for a segment with words, else 0.
    scale : float64[S]
        What one lost pair of neighbours costs a segment in FRS.
    """

    blocks: Blocks
    segments: Int64
    costs: tuple[Float64, Float64]
    scored: Float64
    scale: Float64

    @classmethod
    def of_order(cls, order: MatchedOrder) -> OrderCosts:
        """Charge the losses of an order to its moved blocks."""
        counts = order.word_counts()
        scale = 1.0 / np.maximum(counts - 1, 1)
        pair_scale = scale * 2 / np.maximum(counts, 1)
        parts, starts, charged = [], [], []
        for segments, blocks in order.blocks():
            moved = blocks.moved
            rows = segments.start + blocks.segments[moved]
            lost = blocks.cost[moved] * scale[rows]
            charged.append((rows, lost, count_inverted_pairs(blocks)[moved] * pair_scale[rows]))
            parts.append(blocks)
            starts.append(segments.start)
            free_memory()
        rows, lost, inverted = map(concatenate, zip(*charged, strict=True))
        scored = move_to_file(np.minimum(counts, 1).astype(np.float64))
        blocks = Blocks.concatenate(parts, starts, [0] * len(parts))
        return cls(blocks, rows, (lost, inverted), scored, move_to_file(scale))

    def by_block(self, groups: Int64, size: int) -> Iterator[Float64]:
        """Sum the costs of the moved blocks of each group in each segment.

        Yields
        ------
        float64[2, s, size]
            In FRS and Kendall's tau, for the segments of one of `segment_spans`.
        """
        for start, end in segment_spans(len(self.scale)) or [(0, 0)]:
            span = slice(*np.searchsorted(self.segments, (start, end)).tolist())
            cells = (self.segments[span] - start) * size + groups[span]
            sums = [np.bincount(cells, cost[span], (end - start) * size) for cost in self.costs]
            yield np.stack(sums).astype(np.float64).reshape(2, end - start, size)

    def scores(self, metric: int) -> Float64:
        """Return the FRS (0) or Kendall's tau (1) of each segment, 0 without words, float64[S]."""
        lost = np.bincount(self.segments, self.costs[metric], len(self.scored))
        scores: Float64 = self.scored - lost
        return scores

    def by_word(self, groups: Int64, size: int) -> Iterator[Float64]:
        """Charge each lost pair of neighbours to its two words in halves, and sum by word group.

        Yields
        ------
        float64[s, size]
            In FRS, for the segments of one of `segment_spans`.
        """
        spans = segment_spans(len(self.scale))
        cuts = np.searchsorted(
            self.blocks.segments, [*(start for start, _ in spans), len(self.scale)]
        )
        for (start, end), (first, last) in zip(spans, pairwise(cuts.tolist()), strict=True):
            segments = read_part(self.blocks, "segments", slice(first, last)) - start
            block_starts = read_part(self.blocks, "starts", slice(first, last + 1))
            words = read_part(self.blocks, "reference", slice(block_starts[0], block_starts[-1]))
            rows = np.repeat(segments, np.diff(block_starts))
            word_groups, scale = groups[words], self.scale[start:end]
            # The second word of each lost pair begins a block and does not begin its segment.
            second = block_starts[1:-1] - block_starts[0]
            second = second[rows[second] == rows[second - 1]]
            total = np.zeros((end - start) * size)
            for word in (second - 1, second):
                cells = rows[word] * size + word_groups[word]
                total += np.bincount(cells, scale[rows[word]] / 2, len(total))
            yield total.reshape(-1, size)
            release_pages()


def count_inverted_pairs(blocks: Blocks) -> Float64:
    """Count the pairs of words in the wrong order that each moved block causes, float64[B].

    The words of such a pair are in different blocks. If both blocks have moved, each causes half
    of the pair; a block that stays causes none.

    Examples
    --------
    >>> blocks = ordered_blocks(np.arange(5), np.array([3, 4, 0, 1, 2], np.int32), np.array([0, 5]))
    >>> blocks.words.tolist(), count_inverted_pairs(blocks).tolist()
    ([2, 3], [6.0, 0.0])
    """
    segments, words, moved = blocks.segments, blocks.words, blocks.moved
    block_counts = np.bincount(segments)
    starts = np.cumsum(block_counts) - block_counts
    partners = block_counts[segments]
    position = blocks.hypothesis[blocks.starts[:-1]]
    inverted = np.zeros(len(blocks))
    # All ordered pairs of blocks of a segment are too many to hold in memory at once.
    for start, end in piece_spans(row_offsets(partners), SPAN_BLOCK_PAIRS):
        first = np.repeat(np.arange(start, end), partners[start:end])
        second = concat_ranges(starts[segments[start:end]], partners[start:end])
        wrong = (first < second) != (position[first] < position[second])
        wrong &= (first != second) & moved[first]
        first, second = first[wrong], second[wrong]
        pairs = words[first] * words[second] / np.where(moved[second], 2, 1)
        inverted[start:end] = np.bincount(first - start, pairs, end - start)
    return inverted
