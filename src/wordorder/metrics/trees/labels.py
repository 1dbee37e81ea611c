"""Labels of arcs, with their subtypes or without."""

from __future__ import annotations

import numpy as np

from wordorder.segments import Segments
from wordorder.types import Bool, Int32

SUBTYPES = ("keep", "drop")


def universal_part(label: str) -> str:
    """Return a label without its subtype.

    Examples
    --------
    >>> universal_part("nsubj:pass"), universal_part("nsubj")
    ('nsubj', 'nsubj')
    """
    return label.partition(":")[0]


def label_codes(segments: Segments, subtypes: str) -> tuple[Int32, Int32, dict[str, int]]:
    """Return the numbers of all labels, the system's and the gold ones, and which number is whose.

    Parameters
    ----------
    segments : Segments
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` is another label than ``nsubj``.
    """
    change = universal_part if subtypes == "drop" else None
    return segments.derived(
        ("label codes", subtypes), lambda: segments.trees.codes("label", change)
    )


def right_labels(segments: Segments, subtypes: str) -> Bool:
    """Return which words have the right label, bool[N]."""

    def compared() -> Bool:
        system, gold, _ = label_codes(segments, subtypes)
        return np.equal(system, gold)

    return segments.derived(("right labels", subtypes), compared)
