"""Translations from lines that are given, as `Segments.from_text` takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from wordorder.alignment.monolingual.aligner import MonolingualAligner
from wordorder.analysis.translations.matched_segments import MatchedSegments
from wordorder.analysis.translations.reference_trees import reference_trees
from wordorder.analysis.translations.translations import Translations
from wordorder.errors import InputError
from wordorder.metrics.contract import statistics_in_pieces
from wordorder.scoring.named_metrics import make_metrics
from wordorder.segments import Segments
from wordorder.text.raw_lines import RawLines
from wordorder.text.texts import Texts

# What shows the order of words first, then how much of the sentence is right at all.
METRICS = "frs,kendall,cder,ter,bleu"


def translations_of(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str | Sequence[str]],
    source: Sequence[str] | None = None,
    metrics: str = METRICS,
    *,
    language: str = "en",
    parsed: bool = False,
) -> Translations:
    """Match and score the translations of some systems.

    Parameters
    ----------
    systems : mapping of name to sequence of str
        The lines of each, words between blanks.
    references : sequence of str, or of sequences of str
        One or several a segment.
    source : sequence of str, optional
    metrics : str
        Names separated by commas.
    language : str
        Of the references, for stems.
    parsed : bool
        Whether the references are parsed as English.

    Raises
    ------
    InputError
        If the numbers of lines differ.
    UsageError
        If a name is unknown.
    """
    rows = [[each] if isinstance(each, str) else list(each) for each in references]
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    for name, lines in systems.items():
        if len(lines) != len(rows):
            raise InputError(name, f"{len(lines)} lines", f"{len(rows)}, as the references have")
    texts = Texts.of_systems(
        [RawLines.from_strings(lines) for lines in systems.values()],
        RawLines.from_strings([line for row in rows for line in row]),
        offsets,
        None if source is None else RawLines.from_strings(source),
    )
    aligner = MonolingualAligner(language)
    used = tuple(make_metrics(metrics, (), set()))
    kept = [
        MatchedSegments.of(Segments.from_texts(each, aligner=aligner), aligner) for each in texts
    ]
    used = tuple(
        metric.prepare(kept[0].segments) if metric.needs_preparation else metric for metric in used
    )
    return Translations(
        tuple(
            each.scored(
                name,
                used,
                tuple(statistics_in_pieces(metric, each.segments) for metric in used),
            )
            for name, each in zip(systems, kept, strict=True)
        ),
        used,
        tuple(
            metric.signature().with_fields(*kept[0].segments.described(metric.columns))
            for metric in used
        ),
        trees=reference_trees(texts[0]) if parsed else None,
        language=language,
    )
