"""LabelChoice: the labels that an arc may have, by the tags of its head and its dependent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wordorder.errors import InputError, ModelError
from wordorder.parsing.graph.checked_numbers import checked_numbers
from wordorder.parsing.graph.numbering import NAME, ROOT, Numbering
from wordorder.parsing.model_arrays import strings_arrays, strings_from_arrays
from wordorder.parsing.weights import MOST_ACTIONS
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Int32


class LabelChoice:
    """Labels by number, and which of them were seen between groups of tags, in which direction.

    Where two groups were not seen, any label is allowed that was seen at the root or, for other
    arcs, apart from the root.

    Attributes
    ----------
    labels : list of str
        The most frequent first.
    offsets : int32[2 * G * G + 1]
        Class ``(g * G + d) * 2 + r`` is that of arcs from group `g` to group `d`, to the left
        (``r`` 0) or right. Its labels are ``offsets[c] .. offsets[c+1]-1`` of `numbers`; there
        is always one.
    numbers : int32
    """

    def __init__(self, labels: Sequence[str], offsets: Int32, numbers: Int32) -> None:
        self.labels = list(labels)
        self.offsets = offsets
        self.numbers = numbers

    @classmethod
    def learn(cls, treebank: Treebank, numbering: Numbering) -> LabelChoice:
        """Take the labels of a treebank, whose trees are whole.

        Raises
        ------
        InputError
            If there are no words, or more labels than the weights can tell apart.
        """
        if not treebank.words:
            raise InputError("Treebank", "no words", "trees to learn from")
        strings = treebank.label.strings()
        names, counts = np.unique(np.array(strings, object), return_counts=True)
        labels: list[str] = names[np.argsort(-counts, kind="stable")].tolist()
        if len(labels) >= MOST_ACTIONS:
            raise InputError("Treebank", f"{len(labels)} labels", f"at most {MOST_ACTIONS - 1}")
        label = treebank.label.encode({name: n for n, name in enumerate(labels)}, 0)
        groups = numbering.groups
        own = numbering.group[numbering.encode(treebank)[1]]
        position = np.arange(treebank.words) - np.repeat(treebank.offsets[:-1], treebank.lengths)
        of_head = np.where(treebank.heads > 0, treebank.heads - position - 1, 0)
        head = np.where(treebank.heads > 0, own[np.arange(treebank.words) + of_head], ROOT)
        seen = np.zeros((groups, groups, 2, len(labels)), bool)
        seen[head, own, (treebank.heads <= position).astype(np.int64), label] = True
        at_root = np.zeros(groups, bool)
        at_root[ROOT] = True
        for arcs in (at_root, ~at_root):
            some = seen[arcs].any(axis=(0, 1, 2))
            unseen = arcs[:, None, None] & ~seen.any(axis=3)
            seen[unseen] = some if some.any() else True
        offsets = np.zeros(2 * groups * groups + 1, np.int32)
        np.cumsum(seen.sum(axis=3).ravel(), out=offsets[1:])
        return cls(labels, offsets, (np.flatnonzero(seen) % len(labels)).astype(np.int32))

    @property
    def attach(self) -> int:
        """The action of an arc as such: one more than the last label."""
        return len(self.labels)

    def arrays(self) -> dict[str, Array]:
        """Return the arrays for a model file."""
        return {
            **strings_arrays(f"{NAME}.label", self.labels),
            f"{NAME}.choice": self.numbers,
            f"{NAME}.choice_end": self.offsets[1:],
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], groups: int) -> LabelChoice:
        """Return the choice that `arrays` made arrays of.

        Raises
        ------
        ModelError
            If they do not fit together.
        """
        labels = strings_from_arrays(f"{NAME}.label", arrays)
        if not 0 < len(labels) < MOST_ACTIONS:
            raise ModelError(
                f"{NAME}.label: {len(labels)} labels; expected 1 to {MOST_ACTIONS - 1}"
            )
        numbers = checked_numbers(f"{NAME}.choice", arrays, len(labels) - 1)
        ends = checked_numbers(f"{NAME}.choice_end", arrays, len(numbers), size=2 * groups * groups)
        offsets = np.concatenate([np.zeros(1, np.int32), ends])
        if np.any(offsets[1:] <= offsets[:-1]) or offsets[-1] != len(numbers):
            raise ModelError(f"{NAME}.choice_end: not one label or more for each pair of tags")
        return cls(labels, offsets, numbers)
