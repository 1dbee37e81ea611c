"""Phrasal cohesion of reference data, in words."""

from __future__ import annotations

from wordorder.counts import counted
from wordorder.reordering.cohesion import Cohesion, Crossings


def cohesion_text(found: Cohesion) -> list[str]:
    """Say how many phrases of the source mix in the target.

    Examples
    --------
    >>> for line in cohesion_text(Cohesion(10, 4, Crossings(80, 8, 3), Crossings(50, 1, 0))):
    ...     print(line)
    phrasal cohesion: 4 of 10 sentences have no crossing (40.0 %)
    head crossings: 8 of 80 pairs (10.0 %), 3 of them in a target word of both
    modifier crossings: 1 of 50 pairs (2.0 %), 0 of them in a target word of both
    """
    share = found.cohesive / found.sentences if found.sentences else 0.0
    all_sentences = counted(found.sentences, "sentence")
    return [
        f"phrasal cohesion: {found.cohesive} of {all_sentences} have no crossing "
        f"({100 * share:.1f} %)",
        _line("head", found.head),
        _line("modifier", found.modifier),
    ]


def _line(kind: str, crossings: Crossings) -> str:
    return (
        f"{kind} crossings: {crossings.crossed} of {counted(crossings.pairs, 'pair')} "
        f"({100 * crossings.share:.1f} %), {crossings.shared} of them in a target word of both"
    )
