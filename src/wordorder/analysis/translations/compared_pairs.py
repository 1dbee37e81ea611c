"""Which pairs of systems are compared: all pairs of a few, else the best with each other one."""

from __future__ import annotations

from itertools import combinations

from wordorder.analysis.translations.translations import Translations

# As many systems are compared in all pairs.
ALL_PAIRS = 3


def compared_pairs(translations: Translations) -> list[tuple[int, int]]:
    """Return the pairs of systems that tables of two systems are made of.

    Returns
    -------
    list of (int, int)
        Numbers of systems. Of up to three systems all pairs; of more the best under the first
        metric (the first of equal ones) with each of the others.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> lines = {"A": ["a c b"], "B": ["a b c"], "C": ["c b a"], "D": ["b a c"]}
    >>> compared_pairs(translations_of(lines, ["a b c"]))
    [(1, 0), (1, 2), (1, 3)]
    """
    count = len(translations.systems)
    if count <= ALL_PAIRS:
        return list(combinations(range(count), 2))
    values = translations.measurement(0).values()
    higher = translations.metrics[0].higher_is_better
    best = int(values.argmax() if higher else values.argmin())
    return [(best, other) for other in range(count) if other != best]
