"""The error analysis of translations, all sections of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypedDict

import numpy as np

from wordorder.analysis.answer import answer_sentence
from wordorder.analysis.section import Section, shortened
from wordorder.analysis.section_keys import numbered_keys
from wordorder.analysis.translations.block_sections import block_sections
from wordorder.analysis.translations.differences_section import differences_section
from wordorder.analysis.translations.duplicates_section import (
    alike_systems_section,
    duplicates_section,
)
from wordorder.analysis.translations.length_sections import (
    length_difference_section,
    score_by_length_sections,
)
from wordorder.analysis.translations.literalness_section import literalness_section
from wordorder.analysis.translations.loss_spread import loss_spread_section
from wordorder.analysis.translations.matched_share import uneven_matches
from wordorder.analysis.translations.ngram_sections import ngram_sections
from wordorder.analysis.translations.overview_section import overview_section
from wordorder.analysis.translations.reordering_section import reordering_section
from wordorder.analysis.translations.score_ranges import score_range_sections
from wordorder.analysis.translations.significance_section import significance_section
from wordorder.analysis.translations.tested_scores import TestedScores
from wordorder.analysis.translations.translation_analysis import TranslationAnalysis
from wordorder.analysis.translations.translations import Translations
from wordorder.analysis.translations.word_sections import word_sections
from wordorder.analysis.translations.worst_section import loss_section, worst_section
from wordorder.errors import UsageError, unknown_name
from wordorder.metrics.called import called
from wordorder.metrics.contract import require_segments
from wordorder.metrics.text.cder import CoverDisjointErrorRate

ROWS = 20
# How the keys of tables begin whose rows follow each other, and are few.
WHOLE = (
    *("systems", "tests", "cder-parts", "moved-blocks-by-distance", "blocks-by-source"),
    *("words-by-frequency", "words-by-length", "words-by-tag", "needed-reordering", "literalness"),
    *("score", "length", "loss-spread"),
)
# And those that count edits of CDER, on words that the aligner matches.
EDITS = ("cder-parts", "moved-blocks", "blocks", "words", "ngrams", "lossy", "loss-spread")


class Drawn(TypedDict):
    """How intervals are drawn."""

    level: float
    resamples: int
    seed: int


def analyze(
    translations: Translations,
    *,
    focus: Sequence[str] = (),
    rows: int = ROWS,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> TranslationAnalysis:
    """Find where and why the translations of systems are in the wrong order.

    Parameters
    ----------
    translations : Translations
    focus : sequence of str
        The systems whose sentences are looked at; by default the best one and the next.
    rows : int
        How many rows a table has at most; those that follow each other, as groups of sentences,
        have all.
    level, resamples, seed
        Of the intervals.

    Returns
    -------
    TranslationAnalysis
        What needs a source with links, or trees, is left out where there are none.

    Raises
    ------
    UsageError
        If `focus` names a system that there is not, or one twice.
    InputError
        If there are no segments.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> lines = {"A": ["on tuesday we met"], "B": ["we met on tuesday"]}
    >>> found = analyze(translations_of(lines, ["we met on tuesday"]))
    >>> [section.key for section in found.sections][:3]
    ['systems', 'tests', 'cder-parts']
    """
    require_segments(len(translations))
    drawn: Drawn = {"level": level, "resamples": resamples, "seed": seed}
    scores = TestedScores.of(translations, **drawn)
    chosen = _focus(translations, scores, focus)
    made = [
        overview_section(scores),
        significance_section(scores),
        *block_sections(translations),
        *word_sections(translations),
        *ngram_sections(translations),
        reordering_section(translations, **drawn),
        literalness_section(translations, **drawn),
        *score_by_length_sections(translations, **drawn),
        length_difference_section(translations),
        *score_range_sections(translations, level=level),
        loss_spread_section(translations),
        *_sentence_sections(translations, scores, chosen, rows),
        duplicates_section(translations),
        alike_systems_section(translations),
    ]
    sections = [
        each if each.key.startswith(WHOLE) else shortened([each], rows)[0]
        for each in _signed(translations, made)
    ]
    return TranslationAnalysis(
        translations,
        _answer(translations, scores),
        scores.intervals,
        scores.comparisons,
        tuple(sections),
    )


def _signed(translations: Translations, made: Sequence[Section | None]) -> Iterator[Section]:
    """Yield the sections that there are; those that count edits say what CDER they are of."""
    columns = translations.systems[0].segments.described(("text", "permutation"))
    cder = str(CoverDisjointErrorRate().signature().with_fields(*columns))
    for each in made:
        if each is not None:
            edits = not each.signature and each.key.startswith(EDITS)
            yield replace(each, signature=cder) if edits else each


def _answer(translations: Translations, scores: TestedScores) -> str:
    """Say which system is best, by the first metric, and over how many words if that differs."""
    metric = scores.intervals[0].metric
    if all(np.isnan(system.scores[0]).all() for system in translations.systems):
        return f"No segment has what {called(metric)} needs: matched words, or a reference."
    orders = set(translations.metrics[0].columns) == {"permutation"}
    answer = answer_sentence(
        scores.intervals[0],
        scores.comparisons[0],
        level=scores.level,
        # Other metrics see wrong words too.
        claim="orders words best" if orders else "is best",
    )
    uneven = uneven_matches(translations, scores.intervals[0].ranked())
    return f"{answer} {uneven}".rstrip()


def _focus(
    translations: Translations, scores: TestedScores, names: Sequence[str]
) -> tuple[int, ...]:
    """Return the numbers of the systems that are looked at."""
    known = translations.names
    for name in names:
        if name not in known:
            raise unknown_name("system", name, known)
    if len(set(names)) < len(names):
        raise UsageError(f"a system is listed twice: {', '.join(names)}")
    return tuple(map(known.index, names)) or tuple(scores.intervals[0].ranked()[:2])


def _sentence_sections(
    translations: Translations, scores: TestedScores, chosen: tuple[int, ...], rows: int
) -> Iterator[Section]:
    """Yield the sentences on which the systems differ, and the worst of each."""
    first, *others = chosen
    for suffix, other in numbered_keys(others):
        pair = (first, other)
        yield differences_section(translations, scores, pair, rows=rows, suffix=suffix)
    for suffix, number in numbered_keys(chosen):
        system = translations.systems[number]
        lossy = loss_section(translations, system, rows=rows, suffix=suffix)
        if lossy is not None:
            yield lossy
        yield worst_section(translations, system, rows=rows, suffix=suffix)
