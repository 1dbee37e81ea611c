"""Translations from files, read as `score` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wordorder.alignment.monolingual.aligner import MonolingualAligner
from wordorder.alignment.monolingual.languages import language_modules
from wordorder.analysis.translations.given_translations import METRICS
from wordorder.analysis.translations.matched_segments import MatchedSegments
from wordorder.analysis.translations.reference_trees import reference_parser, reference_trees
from wordorder.analysis.translations.told_language import ENGLISH, LEFT_OUT, told_language
from wordorder.analysis.translations.translations import Translations
from wordorder.counts import joined
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import note
from wordorder.scoring.files import Files, is_bilingual
from wordorder.scoring.named_metrics import Metrics, make_metrics
from wordorder.scoring.option_names import spoken
from wordorder.scoring.scores import evaluate_kind
from wordorder.scoring.text_files import TextFiles
from wordorder.scoring.whole_inputs import WholeInputs
from wordorder.types import OnProgress


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
    if language not in (None, ENGLISH):
        note(spoken(f"--language {language}: tags and trees are for English; {LEFT_OUT}"))
    # Opened once: it tells the language, too.
    parser = reference_parser() if language in (None, ENGLISH) else None
    language = language or (ENGLISH if parser is None else told_language(files, parser))
    modules = _modules(files, language)
    matching = replace(files, aligner=modules, language=language)
    served = TextFiles(files if files.makes_orders else matching).columns
    used = make_metrics(metrics or METRICS, settings, served)
    ordering = [metric.name for metric in used if "permutation" in metric.columns]
    if ordering and not files.makes_orders:
        files = matching
        verb = "compares" if len(ordering) == 1 else "compare"
        note(
            spoken(
                f"{joined(ordering)} {verb} the order of words that match by --aligner {modules}, "
                "the default"
            )
        )
    elif files.aligner is not None and not is_bilingual(files.aligner):
        files = replace(files, language=language)
    kind = TextFiles(files)
    kind.check()
    aligner = MonolingualAligner(
        language, tuple(modules.split("+")), files.synonyms, files.paraphrases
    )
    inputs = WholeInputs(lambda segments: MatchedSegments.of(segments, aligner))
    evaluation, used = evaluate_kind(kind, used, keep=True, progress=progress, opened=inputs.opened)
    made: tuple[BaseMetric, ...] = tuple(used)
    seen = inputs.seen
    links = None
    if "links" in kind.columns:
        links = tuple(each.segments.links for each in seen)
    return Translations(
        tuple(
            each.scored(system.name, made, system.statistics)
            for each, system in zip(seen, evaluation.systems, strict=True)
        ),
        made,
        tuple(score.signature for score in evaluation.systems[0].scores),
        links,
        reference_trees(seen[0].segments.texts, parser) if language == ENGLISH else None,
        language,
    )


def _modules(files: Files, language: str) -> str:
    """Return what matches the words of a translation with those of its reference."""
    if files.aligner is not None and not is_bilingual(files.aligner):
        return files.aligner
    return "exact+stem" if "stem" in language_modules(language) else "exact"
