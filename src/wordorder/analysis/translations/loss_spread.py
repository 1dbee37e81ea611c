"""How the loss of each system is spread over its sentences."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.cder_edits import cder_statistics
from wordorder.analysis.translations.losses import sentence_losses
from wordorder.analysis.translations.translations import Translations
from wordorder.metrics.text.cder import CoverDisjointErrorRate

# Shares of the sentences, in percent.
SHARES = (1, 5, 10, 25, 50, 100)
_EXAMPLES = 10


def loss_spread_section(translations: Translations) -> Section | None:
    """Make the table ``loss-spread``: what the worst sentences of each system lose.

    Parameters
    ----------
    translations : Translations

    Returns
    -------
    Section, or None if there are no reference words
        Points of CDER, 100 times edits over all reference words; the last row is the CDER of the
        corpus.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> found = translations_of({"A": ["b a", "a b", "a", "a"]}, ["a b", "a b", "a", "a"])
    >>> section = loss_spread_section(found)
    >>> [(share, count, round(lost, 2)) for share, count, lost in section.rows[3:]]
    [('25 %', 1, 33.33), ('50 %', 2, 33.33), ('100 %', 4, 33.33)]
    """
    plain = CoverDisjointErrorRate()
    losses = [
        sentence_losses(plain, cder_statistics(translations, s)) for s in translations.systems
    ]
    lost = [each for each in losses if each is not None]
    if not lost:
        return None
    orders = [np.lexsort((np.arange(len(each)), -each)) for each in lost]
    sums = [np.cumsum(each[order]) for each, order in zip(lost, orders, strict=True)]
    rows: list[tuple[Value, ...]] = []
    size = len(translations)
    for share in SHARES:
        count = max(1, round(size * share / 100))
        rows.append((f"{share} %", count, *(100 * float(each[count - 1]) for each in sums)))
    first = translations.names[0]
    tenth, whole = rows[2][2], rows[-1][2]
    return Section(
        key="loss-spread",
        title="How the loss is spread over sentences",
        reading=f"The tenth of the sentences that lose most accounts for {tenth:.1f} of the "
        f"{whole:.1f} points of CDER of {first}. The losses of all sentences add up to the "
        "corpus CDER.",
        header=("worst", "sentences", *translations.names),
        rows=tuple(rows),
        examples=tuple(tuple(orders[0][:_EXAMPLES].tolist()) for _ in rows),
        note="In points of CDER: edits and jumps per 100 reference words. The examples are those "
        "of the first system.",
    )
