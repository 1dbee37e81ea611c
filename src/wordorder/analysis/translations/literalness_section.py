"""How closely each system follows its source: non-monotonicity and unaligned words."""

from __future__ import annotations

import numpy as np

from wordorder.alignment.links import Links
from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.translations import Translations
from wordorder.counts import joined
from wordorder.metrics.contract import BaseMetric, statistics_in_pieces
from wordorder.metrics.links.non_monotonicity import NonMonotonicity
from wordorder.metrics.links.synchrony import Synchrony
from wordorder.metrics.links.unaligned import Unaligned
from wordorder.segments import Segments
from wordorder.statistics.comparison import Comparison
from wordorder.statistics.intervals import estimated_on
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import compared_on
from wordorder.statistics.resampling import bootstrap_scores

REFERENCE = "(reference)"
MEASURES: tuple[tuple[str, BaseMetric], ...] = (
    ("non-monotonicity", NonMonotonicity()),
    ("unaligned source words", Unaligned()),
    ("synchrony", Synchrony()),
)


def literalness_section(
    translations: Translations,
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> Section | None:
    """Make the table ``literalness``; None without links of source and systems.

    Parameters
    ----------
    translations : Translations
    level, resamples, seed
        Of the intervals.
    """
    if translations.links is None:
        return None
    names = list(translations.names)
    segments = [system.segments for system in translations.systems]
    human = _of_references(translations)
    if human is not None:
        names, segments = [REFERENCE, *names], [human, *segments]
    measurements = [
        Measurement(
            [statistics_in_pieces(metric, each) for each in segments],
            metric.score,
            metric.higher_is_better,
        )
        for _, metric in MEASURES
    ]
    samples = bootstrap_scores(measurements, resamples=resamples, seed=seed)
    tests: list[Comparison] = []
    rows: list[tuple[Value, ...]] = []
    for (measure, _), measured, drawn in zip(MEASURES, measurements, samples, strict=True):
        test = compared_on(measured, drawn, seed=seed)
        tests.append(test)
        for number, estimate in enumerate(estimated_on(measured, drawn, level)):
            against: tuple[Value, Value] = (None, None)
            if human is not None and number:
                pair = test.pair(0, number)
                against = (pair.difference, pair.p_value)
            row = (measure, names[number], estimate.value, estimate.low, estimate.high, *against)
            rows.append(row)
    return Section(
        key="literalness",
        title="How literal the translations are",
        reading=_reading(names, tests[0], human is not None),
        header=("measure", "text", "value", "low", "high", "from the reference", "p"),
        rows=tuple(rows),
        note="Non-monotonicity: the mean distance of the links from the diagonal; 0 for a "
        "translation that follows its source word by word. Unaligned source words: the "
        "share without a link; high for free translations (Raunak et al. 2023). Synchrony: "
        "the rank correlation of linked positions, from 0 to 1; 1 for the order of the "
        f"source. Low, high: the {100 * level:g} % interval by bootstrap resampling "
        f"({resamples} resamples, seed {seed}); p: by paired bootstrap resampling.",
        signature=" ".join(str(metric.signature()) for _, metric in MEASURES),
    )


def _of_references(translations: Translations) -> Segments | None:
    """Return the first references as if they were a system, where they are aligned."""
    assert translations.links is not None
    links = translations.links[0]
    offsets = translations.texts.reference_offsets
    if links.references is None or links.reference_lengths is None or not np.diff(offsets).all():
        return None
    first = offsets[:-1]
    return Segments(
        links=Links(
            links.references.take(first),
            None,
            links.source_lengths,
            links.reference_lengths[first],
        ),
        _checked=True,
    )


def _reading(names: list[str], test: Comparison, human: bool) -> str:
    """Say which systems are more monotone than the reference, or than the others."""
    if human:
        closer = [
            name
            for number, name in enumerate(names)
            if number and test.pair(0, number).mark == "+**"
        ]
        freer = [
            name
            for number, name in enumerate(names)
            if number and test.pair(0, number).mark == "-**"
        ]
        said = []
        for group, how in ((closer, "closer to"), (freer, "less close to")):
            if group:
                verb = "keeps" if len(group) == 1 else "keep"
                said.append(
                    f"{joined(group)} {verb} {how} the order of the source than the reference"
                )
        if said:
            return f"{'; '.join(said)} (non-monotonicity, 95 %)."
        return "No system is significantly closer to the order of the source than the reference."
    values = test.values
    order = sorted(range(len(names)), key=lambda number: (values[number], number))
    if len(order) < 2:
        return f"{names[0]} has a non-monotonicity of {values[0]:.4f}."
    return (
        f"{names[order[0]]} stays closest to the order of the source (non-monotonicity "
        f"{values[order[0]]:.4f}), {names[order[-1]]} least ({values[order[-1]]:.4f})."
    )
