"""Lattice: the tag sequences that a search left open, and the best of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import tag_lists as kernel
from wordorder.kernels._run import call, run_pieces
from wordorder.parsing.tagging.tag_set import TagSet
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import NO_HEAD, Treebank
from wordorder.types import Int32, Int64

# Sentences in a row, and how many sequences of each: tags one behind the other, their number and
# score by sentence.
Found = tuple[Int32, Int64, Int64]
Tagging = Callable[[slice, int], Found]
# What a longer list costs grows with the square of its length.
MOST_SEQUENCES = 1 << 12


@dataclass(frozen=True, eq=False)
class Lattice:
    """Nodes and arcs of the lattices of some sentences, as the kernels fill them.

    Attributes
    ----------
    position_nodes : int64[P+1]
        The nodes of position ``p`` are ``position_nodes[p] .. position_nodes[p+1]-1``; a sentence
        has a position for each word and one for its end.
    node_tag, node_before : int32 arrays
        The tags of a node's word and of the word before.
    node_score : int64 array
        The score of the best way to a node.
    node_arcs : int64 array
        The arcs of node ``n`` are ``node_arcs[n] .. node_arcs[n+1]-1``.
    arc_from, arc_score : int64 arrays
        The node that an arc comes from, -1 for the start; what it adds to the score.
    """

    position_nodes: Int64
    node_tag: Int32
    node_before: Int32
    node_score: Int64
    node_arcs: Int64
    arc_from: Int64
    arc_score: Int64

    @classmethod
    def room(cls, positions: int, nodes: int, arcs: int) -> Lattice:
        """Make an empty one."""
        return cls(
            np.zeros(positions + 1, np.int64),
            np.empty(nodes, np.int32),
            np.empty(nodes, np.int32),
            np.empty(nodes, np.int64),
            np.zeros(nodes + 1, np.int64),
            np.empty(arcs, np.int64),
            np.empty(arcs, np.int64),
        )

    @property
    def arrays(self) -> tuple[Int64, Int32, Int32, Int64, Int64, Int64, Int64]:
        """All arrays, in the order in which kernels take them."""
        return (
            self.position_nodes,
            self.node_tag,
            self.node_before,
            self.node_score,
            self.node_arcs,
            self.arc_from,
            self.arc_score,
        )

    def best(self, offsets: Int64, first: int, last: int, k: int) -> Found:
        """Return up to `k` best tag sequences of each of the sentences ``first .. last-1``.

        Parameters
        ----------
        offsets : int64[S+1]
            Of the words of all sentences; the lattice has those of ``first .. last-1``.
        k : int
            At least 1.

        Returns
        -------
        tags : int32 array
            The sequences one behind the other, best first within a sentence.
        counts : int64 array
            How many there are of each sentence.
        scores : int64 array
            Of each sequence.
        """
        lengths = np.diff(offsets[first : last + 1])
        tags = np.empty(k * int(lengths.sum()), np.int32)
        scores = np.empty(k * (last - first), np.int64)
        counts = np.zeros(len(offsets) - 1, np.int64)
        call(
            kernel.best_paths,
            self.position_nodes,
            self.node_tag,
            self.node_arcs,
            self.arc_from,
            self.arc_score,
            offsets,
            k,
            np.empty(len(self.node_tag), np.int64),
            np.empty(k * (int(lengths.max(initial=0)) + 1), np.int64),
            np.empty(4 * k, np.int64),
            tags,
            scores,
            counts,
            first,
            last,
        )
        counts = counts[first:last]
        ranks = np.arange(k)
        filled = np.repeat(np.minimum(counts, k) * lengths, k * lengths)
        begins = np.repeat(k * (np.cumsum(lengths) - lengths), k * lengths)
        kept = np.arange(len(tags)) - begins < filled
        return tags[kept], counts, scores.reshape(-1, k)[ranks < counts[:, None]]


def tag_sentences(sentences: Treebank, tag_set: TagSet, tagging: Tagging, words: int) -> Treebank:
    """Return the sentences with their best tags, found in pieces of `words` words on threads."""
    found = run_pieces(lambda rows: tagging(rows, 1)[0], _pieces(sentences.offsets, words))
    return tag_set.write(sentences, np.concatenate([np.zeros(0, np.int32), *found]))


def list_tags(
    sentences: Treebank, tag_set: TagSet, tagging: Tagging, words: int, k: int, unit: int
) -> KBest:
    """Return up to `k` tag sequences of each sentence, with scores in ``1 / unit``."""
    if type(k) is not int or not 1 <= k <= MOST_SEQUENCES:
        raise UsageError(f"k is a whole number from 1 to {MOST_SEQUENCES}, not {k!r}")
    pieces = _pieces(sentences.offsets, max(1, words // k))
    found = run_pieces(lambda rows: tagging(rows, k), pieces)
    nothing = np.zeros(0, np.int64)
    counts = np.concatenate([nothing, *(piece[1] for piece in found)])
    scores = np.concatenate([nothing, *(piece[2] for piece in found)])
    tags = np.concatenate([np.zeros(0, np.int32), *(piece[0] for piece in found)])
    trees = sentences.take(np.repeat(np.arange(len(sentences)), counts))
    trees = trees.replace(heads=np.full(trees.words, NO_HEAD, np.int32))
    offsets = np.append(0, np.cumsum(counts))
    return KBest(tag_set.write(trees, tags), offsets, scores / unit)


def _pieces(offsets: Int64, words: int) -> list[slice]:
    """Cut sentences into pieces of about `words` words, but at least one sentence."""
    rows = len(offsets) - 1
    # Every sentence counts as a word too: there may be any number of empty ones.
    ends = offsets[1:] + np.arange(1, rows + 1)
    pieces = []
    first = 0
    while first < rows:
        limit = int(offsets[first]) + first + words
        last = max(first + 1, int(np.searchsorted(ends, limit, side="right")))
        pieces.append(slice(first, last))
        first = last
    return pieces
