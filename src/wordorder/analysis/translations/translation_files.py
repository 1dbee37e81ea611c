"""Translations from files, read as `score` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wordorder.alignment.monolingual.aligner import MonolingualAligner
from wordorder.alignment.monolingual.languages import language_modules
from wordorder.analysis.translations.given_translations import METRICS
from wordorder.analysis.translations.matched_segments import MatchedSegments
from wordorder.analysis.translations.reference_trees import (
    as_sentences,
    reference_parser,
    reference_trees,
)
from wordorder.analysis.translations.told_language import (
    ENGLISH,
    LEFT_OUT,
    language_of,
    told_language,
)
from wordorder.analysis.translations.translations import Translations
from wordorder.counts import joined
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import note
from wordorder.scoring.files import Files, is_bilingual
from wordorder.scoring.named_metrics import Metrics, make_metrics
from wordorder.scoring.scores import evaluate_kind
from wordorder.scoring.text_files import TextFiles
from wordorder.scoring.whole_inputs import WholeInputs
from wordorder.text.named_files import read_only_once
from wordorder.types import OnProgress


class _AnalysedFiles(TextFiles):
    """Translations whose words and links are looked at, whatever the metrics read."""

    words_matter = True


def read_translations(
    files: Files,
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    *,
    language: str | None = None,
    progress: OnProgress | None = None,
) -> Translations:
    """Read, match, score and parse the translations of some systems.

    Parameters
    ----------
    files : Files
        Reference and systems are translations. Without an aligner and alignments, words of
        translation and reference are matched where a metric needs orders.
    metrics : str or sequence of str
        Names; by default frs, kendall, cder, ter and bleu.
    settings : sequence of str
        Options of the metrics.
    language : str, optional
        Of the references, for stems, tags and trees; told from the words if it is not given.
    progress : callable, optional
        Told how many segments are done.

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go with each other or with translations.
    InputError
        If a file is wrong, or two differ in their number of lines.

    Warns
    -----
    WordOrderWarning
        Of what was assumed or left out.
    """
    # Opened once: it tells the language, too.
    parser = reference_parser() if language in (None, ENGLISH) else None
    told = language or told_language(files, parser)
    modules = _modules(files, told)
    files, used = _matched_files(files, metrics, settings, modules, told)
    kind = _AnalysedFiles(files)
    kind.check()
    kind.check_metrics(used)
    aligner = MonolingualAligner(told, tuple(modules.split("+")), files.synonyms, files.paraphrases)
    inputs = WholeInputs(lambda segments: MatchedSegments.of(segments, aligner))
    evaluation, used = evaluate_kind(kind, used, keep=True, progress=progress, opened=inputs.opened)
    made: tuple[BaseMetric, ...] = tuple(used)
    seen = inputs.seen
    texts = seen[0].segments.texts
    if language is None and parser is not None and read_only_once(files.reference):
        told = language_of(as_sentences(texts).form, parser, files.reference)
    elif language not in (None, ENGLISH):
        note(f"--language={language}: tags and trees are for English; {LEFT_OUT}")
    return Translations(
        tuple(
            each.scored(system.name, made, system.statistics)
            for each, system in zip(seen, evaluation.systems, strict=True)
        ),
        made,
        tuple(score.signature for score in evaluation.systems[0].scores),
        tuple(each.segments.links for each in seen) if "links" in kind.columns else None,
        reference_trees(texts, parser) if told == ENGLISH else None,
        told,
    )


def _matched_files(
    files: Files, metrics: Metrics, settings: Sequence[str], modules: str, language: str
) -> tuple[Files, list[BaseMetric]]:
    """Return the files with an aligner, if the metrics need one, and the metrics."""
    matching = replace(files, aligner=modules, language=language)
    served = TextFiles(files if files.makes_orders else matching).columns
    used = make_metrics(metrics or METRICS, settings, served)
    ordering = [metric.name for metric in used if "permutation" in metric.columns]
    if ordering and not files.makes_orders:
        verb = "compares" if len(ordering) == 1 else "compare"
        note(
            f"{joined(ordering)} {verb} the order of words that match by --aligner={modules}, "
            "the default"
        )
        return matching, used
    if files.aligner is not None and not is_bilingual(files.aligner):
        files = matching
    return files, used


def _modules(files: Files, language: str) -> str:
    """Return what matches the words of a translation with those of its reference."""
    if files.aligner is not None and not is_bilingual(files.aligner):
        return files.aligner
    return "exact+stem" if "stem" in language_modules(language) else "exact"
