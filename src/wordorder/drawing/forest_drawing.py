"""Permutation forests as lines of text and as SVG pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wordorder.counts import counted
from wordorder.drawing.tree_labels import operator_label
from wordorder.drawing.tree_svg import tree_svg
from wordorder.drawing.tree_text import tree_text
from wordorder.order.permutation_forest import PermutationForest

# A longer permutation can have more entries than a person reads.
_LONGEST_LISTED = 12


def forest_text(forest: PermutationForest, words: Sequence[str] | None = None) -> str:
    """Draw a permutation forest with lines of text.

    Parameters
    ----------
    forest : PermutationForest
        The forest.
    words : sequence of str, optional
        One word for each place, in the permutation's order: written beside the values.

    Returns
    -------
    str
        The flattened tree, as `tree_text` draws it, with ``3 × ⟨2,1⟩`` for a chain of three
        binary nodes; the size of the forest; and, up to 12 words, a line for each entry of more
        than one word: its borders ``[i, j]``, its operator, and the inner borders of each of its
        inferences.

    Raises
    ------
    InputError
        If there is not one word for each place.

    Examples
    --------
    >>> print(forest_text(PermutationForest([3, 2, 1])))
    2 × ⟨2,1⟩  places 1–3, values 1–3
    ├─ 3
    ├─ 2
    └─ 1
    2 permutation trees, 6 entries, 4 inferences
    [0, 3]: ⟨2,1⟩ at 1 | 2
    [0, 2]: ⟨2,1⟩ at 1
    [1, 3]: ⟨2,1⟩ at 2
    """
    lines = [tree_text(forest.tree.flat, words), forest_size(forest)]
    if len(forest) <= _LONGEST_LISTED:
        lines.extend(_entry_lines(forest))
    return "\n".join(lines)


def forest_svg(forest: PermutationForest, words: Sequence[str] | None = None) -> str:
    """Draw a permutation forest as an SVG picture: its flattened tree and its size.

    Parameters
    ----------
    forest : PermutationForest
        The forest.
    words : sequence of str, optional
        One word for each place, in the permutation's order.

    Returns
    -------
    str
        One ``<svg>`` element, as `tree_svg` draws it.

    Raises
    ------
    InputError
        If there is not one word for each place.

    Examples
    --------
    >>> "5 permutation trees" in forest_svg(PermutationForest([4, 3, 2, 1]))
    True
    """
    size = forest_size(forest)
    return tree_svg(forest.tree.flat, words, title="Permutation forest", note=size)


def forest_size(forest: PermutationForest) -> str:
    """Write the number of trees, entries and inferences; a huge number of trees rounded.

    Examples
    --------
    >>> forest_size(PermutationForest([2, 4, 1, 3]))
    '1 permutation tree, 5 entries, 1 inference'
    """
    return ", ".join(
        [
            counted(forest.tree_count, "permutation tree"),
            counted(forest.entry_count, "entry", "entries"),
            counted(forest.inference_count, "inference"),
        ]
    )


def _entry_lines(forest: PermutationForest) -> Iterator[str]:
    """Write the entries of more than one word, the longest first."""
    for i, j in sorted(forest.entries, key=lambda span: (span[0] - span[1], span[0])):
        inferences = forest.entries[i, j]
        if inferences:
            splits = " | ".join(",".join(map(str, each.splits)) for each in inferences)
            yield f"[{i}, {j}]: {operator_label(inferences[0].operator)} at {splits}"
