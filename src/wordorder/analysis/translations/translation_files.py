"""Translations from files, read as `score` reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wordorder.alignment.monolingual.aligner import MonolingualAligner
from wordorder.analysis.translations.given_translations import METRICS
from wordorder.analysis.translations.matched_segments import MatchedSegments
from wordorder.analysis.translations.translations import Translations
from wordorder.metrics.contract import BaseMetric
from wordorder.scoring.files import Files
from wordorder.scoring.named_metrics import Metrics, make_metrics
from wordorder.scoring.scores import evaluate_kind
from wordorder.scoring.text_files import TextFiles
from wordorder.scoring.whole_inputs import WholeInputs
from wordorder.types import OnProgress


def read_translations(
    files: Files,
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    *,
    progress: OnProgress | None = None,
) -> Translations:
    """Read, match and score the translations of some systems.

    Parameters
    ----------
    files : Files
        Reference and systems are translations.
    metrics : str or sequence of str
        Names; by default frs, kendall, cder, ter and bleu.
    settings : sequence of str
        Options of the metrics.
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
        Of what was left out.
    """
    used = make_metrics(metrics or METRICS, settings, set())
    if any("permutation" in metric.columns for metric in used) and not files.makes_orders:
        files = replace(files, aligner="exact+stem")
    kind = TextFiles(files)
    kind.check()
    inputs = WholeInputs(lambda segments: MatchedSegments.of(segments, aligner))
    aligner = MonolingualAligner(files.language)
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
        language=files.language,
    )
