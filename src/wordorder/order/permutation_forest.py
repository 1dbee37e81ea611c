"""Permutation forests: all permutation trees of a permutation, packed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import comb

import numpy as np
import numpy.typing as npt

from wordorder.counts import counted
from wordorder.order.permutation_tree import Node, Operator, PermutationTree, node_of_spans

Span = tuple[int, int]

# A longer permutation can have more entries than a person reads.
_LONGEST_LISTED = 12


@dataclass(frozen=True)
class Inference:
    """One way to take a part of a permutation apart.

    Attributes
    ----------
    operator : tuple of int
        The order of the pieces' values, counted from 1.
    splits : tuple of int
        The inner borders of the pieces, as places in the whole permutation: one fewer than
        pieces.
    """

    operator: Operator
    splits: tuple[int, ...]


class PermutationForest:
    """All permutation trees of a permutation (Stanojević & Sima'an 2016, section 5).

    Parameters
    ----------
    permutation : sequence of int
        The values ``0 .. n-1`` (or ``1 .. n``) in some order, at least one.

    Raises
    ------
    InputError
        If it is not a permutation.

    Notes
    -----
    Counting takes the time of one tree; `entries` takes O(n^3) time and iteration as long as
    there are trees.

    Examples
    --------
    >>> forest = PermutationForest([4, 3, 2, 1])
    >>> forest.tree_count
    5
    >>> [inference.splits for inference in forest.entries[0, 4]]
    [(1,), (2,), (3,)]
    """

    def __init__(self, permutation: Sequence[int] | npt.NDArray[np.integer]) -> None:
        self.tree = PermutationTree(permutation)

    def __len__(self) -> int:
        return len(self.tree)

    @cached_property
    def tree_count(self) -> int:
        """How many permutation trees there are, exactly.

        A chain of `k` parts can be bracketed in Catalan(k - 1) ways, a simple operator in one.
        """
        count = 1
        for node in self.tree.flat.walk():
            if node.is_chain:
                k = len(node.children)
                count *= comb(2 * (k - 1), k - 1) // k
        return count

    @cached_property
    def entries(self) -> dict[Span, tuple[Inference, ...]]:
        """The inferences of every part ``(i, j)``, the places ``i .. j-1``; none for one word."""
        chart: dict[Span, tuple[Inference, ...]] = {}
        for node in self.tree.flat.walk():
            parts = node.children
            if not parts:
                chart[node.start, node.stop] = ()
            elif node.is_chain:
                operator = (1, 2) if parts[0].low < parts[1].low else (2, 1)
                for i in range(len(parts)):
                    for j in range(i + 1, len(parts)):
                        chart[parts[i].start, parts[j].stop] = tuple(
                            Inference(operator, (part.stop,)) for part in parts[i:j]
                        )
            else:
                splits = tuple(part.stop for part in parts[:-1])
                chart[node.start, node.stop] = (Inference(node.operator, splits),)
        return chart

    @property
    def entry_count(self) -> int:
        """Number of entries in the forest, single words included; counted without making them."""
        return sum(
            comb(len(node.children), 2) if node.is_chain else 1 for node in self.tree.flat.walk()
        )

    @property
    def inference_count(self) -> int:
        """Number of inferences in the forest, counted without making the entries."""
        return sum(
            comb(len(node.children) + 1, 3) if node.is_chain else 1
            for node in self.tree.flat.walk()
            if node.children
        )

    @property
    def size(self) -> str:
        """The number of trees, entries and inferences, in words.

        Examples
        --------
        >>> PermutationForest([2, 4, 1, 3]).size
        '1 permutation tree, 5 entries, 1 inference'
        """
        return ", ".join(
            [
                counted(self.tree_count, "permutation tree"),
                counted(self.entry_count, "entry", "entries"),
                counted(self.inference_count, "inference"),
            ]
        )

    def to_text(self, words: Sequence[str] | None = None) -> str:
        """Draw the forest with lines of text.

        Parameters
        ----------
        words : sequence of str, optional
            One word for each place, in the permutation's order: written beside the values.

        Returns
        -------
        str
            The flattened tree, as `wordorder.drawing.tree_text.tree_text` draws it, with
            ``3 × ⟨2,1⟩`` for a chain of three binary nodes; the size of the forest; and, up to 12
            words, a line for each entry of more than one word: its borders ``[i, j]``, its
            operator, and the inner borders of each of its inferences.

        Raises
        ------
        InputError
            If there is not one word for each place.

        Examples
        --------
        >>> print(PermutationForest([3, 2, 1]))
        2 × ⟨2,1⟩  places 1–3, values 1–3
        ├─ 3
        ├─ 2
        └─ 1
        2 permutation trees, 6 entries, 4 inferences
        [0, 3]: ⟨2,1⟩ at 1 | 2
        [0, 2]: ⟨2,1⟩ at 1
        [1, 3]: ⟨2,1⟩ at 2
        """
        from wordorder.drawing.tree_text import tree_text

        lines = [tree_text(self.tree.flat, words), self.size]
        if len(self) <= _LONGEST_LISTED:
            lines.extend(self._entry_lines())
        return "\n".join(lines)

    def to_svg(self, words: Sequence[str] | None = None) -> str:
        """Draw the flattened tree and the size as an SVG picture, with `words` below the values.

        Examples
        --------
        >>> "5 permutation trees" in PermutationForest([4, 3, 2, 1]).to_svg()
        True
        """
        from wordorder.drawing.tree_svg import tree_svg

        return tree_svg(self.tree.flat, words, title="Permutation forest", note=self.size)

    def _entry_lines(self) -> Iterator[str]:
        """Write the entries of more than one word, the longest first."""
        from wordorder.drawing.tree_labels import operator_label

        for i, j in sorted(self.entries, key=lambda span: (span[0] - span[1], span[0])):
            if inferences := self.entries[i, j]:
                splits = " | ".join(",".join(map(str, each.splits)) for each in inferences)
                yield f"[{i}, {j}]: {operator_label(inferences[0].operator)} at {splits}"

    def __iter__(self) -> Iterator[Node]:
        """Yield the root of every permutation tree."""
        values = self.tree.permutation.tolist()
        for spans in self._spans((0, len(values))):
            yield node_of_spans(values, spans)

    def _spans(self, span: Span) -> Iterator[set[Span]]:
        """Yield the inner spans of every tree over one part."""
        inferences = self.entries[span]
        if not inferences:
            yield set()
        for inference in inferences:
            pieces = tuple(pairwise((span[0], *inference.splits, span[1])))
            for choice in self._choices(pieces):
                yield {span} | choice

    def _choices(self, pieces: tuple[Span, ...]) -> Iterator[set[Span]]:
        """Yield the inner spans of every choice of trees over neighbouring pieces."""
        if not pieces:
            yield set()
            return
        for spans in self._spans(pieces[0]):
            for others in self._choices(pieces[1:]):
                yield spans | others

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return repr(self.tree).replace("Tree", "Forest")
