"""Analyses of translations to make pages of."""

from collections.abc import Mapping, Sequence

from wordorder.analysis.section import ScoreIntervals, Section, TranslationAnalysis, answer_sentence
from wordorder.analysis.translations.files import translations_of
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.paired_tests import compare

RESAMPLES = 20


def page_translations(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str | Sequence[str]],
    source: Sequence[str] | None = None,
    sections: tuple[Section, ...] = (),
    notes: tuple[str, ...] = (),
) -> TranslationAnalysis:
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
    return TranslationAnalysis(found, answer, intervals, (test,), sections, notes)
