"""The edits of the cheapest CDER path: the unit of all findings about translations."""

from __future__ import annotations

from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.analysis.translations.translations import Translations
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.metrics.text.cder import CoverDisjointErrorRate
from wordorder.types import Float64


def cder_statistics(translations: Translations, system: TranslatedSystem) -> Float64:
    """Return the statistics of the plain CDER for each segment of a system.

    Parameters
    ----------
    translations : Translations
    system : TranslatedSystem
        One of these.

    Returns
    -------
    float64[S, 3]
        Edits and jumps, reference words, and 1; zeros without a reference.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> found = translations_of({"A": ["b a", "a"]}, ["a b", "a"], metrics="frs")
    >>> cder_statistics(found, found.systems[0]).tolist()
    [[2.0, 2.0, 1.0], [0.0, 1.0, 1.0]]
    """
    plain = CoverDisjointErrorRate()
    for number, metric in enumerate(translations.metrics):
        if isinstance(metric, CoverDisjointErrorRate) and metric.signature() == plain.signature():
            return system.statistics[number]
    return statistics_in_pieces(plain, system.segments)
