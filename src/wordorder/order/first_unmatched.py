"""Words matched by form: each to the first instance of itself that is still free."""

from __future__ import annotations

import numpy as np

from wordorder.ragged import Ragged


def match_first_unmatched(
    permutation: Ragged, groups: Ragged | None, words: Ragged
) -> tuple[Ragged, Ragged | None]:
    """Match repeated words from left to right instead of by their source positions.

    Parameters
    ----------
    permutation, groups : Ragged
        As in `Relative`.
    words : Ragged
        A number for each word of the system's order, equal where the words are equal.

    Returns
    -------
    The permutation and the groups after each word has taken the first unmatched instance of
    itself in the reference (Talbot et al. 2011, section 3.2).

    Examples
    --------
    "the cat the dog saw" against "the dog the cat saw", matched by position first:

    >>> rows = Ragged.from_rows([[2, 3, 0, 1, 4]]), None, Ragged.from_rows([[0, 1, 0, 2, 3]])
    >>> match_first_unmatched(*rows)[0].to_lists()
    [[0, 3, 2, 1, 4]]
    """
    row = np.repeat(np.arange(len(permutation)), permutation.lengths)
    place = np.arange(len(permutation.values))
    # Within a row and a word form: the places from left to right take the ranks in rising order.
    takers = np.lexsort((place, words.values, row))
    givers = np.lexsort((permutation.values, words.values, row))
    if groups is None:
        matched = np.empty_like(permutation.values)
        matched[takers] = permutation.values[givers]
        return Ragged(matched, permutation.offsets), None
    group = np.empty_like(groups.values)
    group[takers] = groups.values[givers]
    # Tied words are read in the system's order again.
    order = np.lexsort((place, group, row))
    matched = np.empty_like(permutation.values)
    matched[order] = (place - permutation.offsets[row]).astype(np.int32)
    return Ragged(matched, permutation.offsets), Ragged(group, permutation.offsets)
