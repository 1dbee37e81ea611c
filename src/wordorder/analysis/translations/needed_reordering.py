"""How much reordering each sentence needs, and how much a translation does."""

from __future__ import annotations

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.analysis.translations.translations import Translations
from wordorder.metrics.order.frs import FuzzyReorderingScore
from wordorder.order.orders import Orders
from wordorder.order.reference import reference_orders
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Float64, Int64


def reordering(links: Alignments, source_lengths: Int64) -> Float64:
    """Return how far the order of each translation is from that of its source.

    The links order the source words as the translation has them; a word without a link follows the
    word before it (the rule ``lrscore``). The measure is 1 minus the FRS of the source as it is
    against that order.

    Parameters
    ----------
    links : Alignments, S rows
        From source to translation.
    source_lengths : int64[S]

    Returns
    -------
    float64[S]
        From 0 for a translation in the order of its source to 1; NaN for a sentence without links
        or words.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 2), (1, 0), (2, 1)], [(0, 0), (1, 1)], []])
    >>> reordering(links, np.array([3, 2, 2])).tolist()
    [0.5, 0.0, nan]
    """
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(source_lengths)])
    inside = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], source_lengths)
    unchanged = Orders(Ragged(inside.astype(np.int32), offsets))
    wanted = reference_orders(links, source_lengths, rule="lrscore")
    scores = FuzzyReorderingScore().segment_scores(Segments.from_orders(unchanged, wanted))
    linked = (np.diff(links.offsets) > 0) & (source_lengths > 0)
    return np.where(linked, 1.0 - scores, np.nan)


def needed_reordering(translations: Translations) -> Float64 | None:
    """Return how much reordering each sentence pair needs: that of its first reference.

    Returns
    -------
    float64[S], or None
        NaN for a segment without a reference or without links; None where the references are not
        aligned with the source.
    """
    if translations.links is None:
        return None
    links = translations.links[0]
    if links.references is None or links.source_lengths is None:
        return None
    offsets = translations.texts.reference_offsets
    needed = np.full(len(translations), np.nan)
    some = np.flatnonzero(np.diff(offsets) > 0)
    needed[some] = reordering(links.references.take(offsets[some]), links.source_lengths[some])
    return needed
