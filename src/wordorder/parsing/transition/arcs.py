"""Arcs: which labels an arc between words of two classes may have."""

from __future__ import annotations

import numpy as np

from wordorder.errors import ModelError
from wordorder.types import Array, Int32, Int64


def pack_arcs(
    labels: int, classes: int, side: Int64, head: Int32, child: Int32, label: Int32
) -> Int32:
    """Pack the labels that arcs between words of two classes were seen to have.

    Pairs that were never seen may have all labels.

    Parameters
    ----------
    labels, classes : int
        How many there are.
    side : int64[A]
        0 for arcs to the left (the child comes first), 1 for arcs to the right.
    head, child, label : int32[A]
        The classes of the two words and the label of each arc.

    Returns
    -------
    int32 array
        The numbers of labels, classes and lists; the list of each (side, head, child); where each
        list starts, and the end; the labels of the lists, rising. List 0 has all labels.

    Examples
    --------
    >>> one = np.array([1])
    >>> packed = pack_arcs(3, 2, one, one, one, np.array([2]))
    >>> packed[:3].tolist(), packed[3:11].tolist(), packed[11:].tolist()
    ([3, 2, 2], [0, 0, 0, 0, 0, 0, 0, 1], [0, 3, 4, 0, 1, 2, 2])
    """
    pair = (side * classes + head) * classes + child
    seen = np.unique(pair * labels + label)
    pairs, starts = np.unique(seen // labels, return_index=True)
    list_of = np.zeros(2 * classes * classes, np.int32)
    list_of[pairs] = np.arange(1, len(pairs) + 1)
    members = np.concatenate([np.arange(labels), seen % labels])
    parts = (
        [labels, classes, len(pairs) + 1],
        list_of,
        [0, *(starts + labels).tolist(), len(members)],
        members,
    )
    return np.concatenate([np.asarray(part, np.int32) for part in parts])


def check_arcs(name: str, arcs: Array | None, labels: int, classes: int) -> Int32:
    """Return packed arcs as they were read, if the kernel can trust them.

    Raises
    ------
    ModelError
        If they cannot be what `pack_arcs` made for so many labels and classes.
    """
    if arcs is None or arcs.dtype != np.int32 or arcs.ndim != 1 or len(arcs) < 3:
        raise ModelError(f"{name}: missing, or no flat array of int32")
    lists = int(arcs[2])
    first = 3 + 2 * classes * classes
    if arcs[:2].tolist() != [labels, classes] or not 1 <= lists <= len(arcs) - first - 1:
        raise ModelError(f"{name}: made for other labels or tags")
    list_of, starts = arcs[3:first], arcs[first : first + lists + 1]
    members = arcs[first + lists + 1 :]
    if (
        labels < 1
        or list_of.min() < 0
        or list_of.max() >= lists
        # No list may be empty: there must always be a way on.
        or np.any(np.diff(starts.astype(np.int64)) < 1)
        or starts[0] != 0
        or starts[-1] != len(members)
        or members.min() < 0
        or members.max() >= labels
    ):
        raise ModelError(f"{name}: numbers that cannot be")
    return np.ascontiguousarray(arcs)
