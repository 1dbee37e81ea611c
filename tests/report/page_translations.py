"""Analyses of translations to make pages of."""

from collections.abc import Mapping, Sequence

from wordorder.analysis.analysed import Analysis
from wordorder.analysis.answer import ScoreIntervals, answer_sentence
from wordorder.analysis.section import Section
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.translations import Translations
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.paired_tests import compare

RESAMPLES = 20


def page_translations(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str | Sequence[str]],
    source: Sequence[str] | None = None,
    sections: tuple[Section, ...] = (),
    notes: tuple[str, ...] = (),
) -> Analysis[Translations]:
    """Score translations and test the first metric."""
    found = translations_of(systems, references, source, "cder,frs")
    measured = [found.measurement(metric) for metric in range(len(found.metrics))]
    intervals = tuple(
        ScoreIntervals(metric.name, found.names, tuple(each), metric.higher_is_better, str(sign))
        for metric, each, sign in zip(
            found.metrics,
            confidence_intervals(measured, resamples=RESAMPLES),
            found.signatures,
            strict=True,
        )
    )
    (test,) = compare(measured[:1], resamples=RESAMPLES)
    answer = answer_sentence(intervals[0], test)
    return Analysis(found, intervals, sections, answer, (test,), notes=notes)
