"""An analysis of translations as text, as JSON and as TSV."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from wordorder.analysis.findings import top_findings
from wordorder.analysis.points import of_translations
from wordorder.analysis.translations.translation_analysis import TranslationAnalysis
from wordorder.counts import counted
from wordorder.report.findings_text import findings_text
from wordorder.report.sections_text import sections_text
from wordorder.report.sections_tsv import section_cells
from wordorder.report.tables import tsv


def translation_text(analysis: TranslationAnalysis) -> str:
    """Lay out the answer, the findings and all tables; what the scores are comes last."""
    translations = analysis.translations
    signatures = [each.signature for each in analysis.intervals]
    # What is said at the foot of all need not be said at the foot of each.
    said = {*signatures, " ".join(signatures)}
    sections = [replace(s, signature="") if s.signature in said else s for s in analysis.sections]
    segments = counted(len(translations), "segment")
    systems = counted(len(translations.systems), "system")
    foot = "\n".join([f"{segments}, {systems}", *signatures])
    parts = [
        findings_text(analysis.answer, sections, of_translations(analysis.intervals[0].metric)),
        sections_text(sections),
        foot,
    ]
    return "\n\n\n".join(parts) + "\n"


def translation_json(analysis: TranslationAnalysis) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists; sentences are counted from 1."""
    translations = analysis.translations
    return {
        "answer": analysis.answer,
        "findings": [
            {**finding.to_json(), "section": key}
            for finding, key in top_findings(analysis.sections)
        ],
        "sentences": len(translations),
        "language": translations.language,
        "signatures": {each.metric: each.signature for each in analysis.intervals},
        "systems": [
            {
                "name": system.name,
                "scores": {
                    each.metric: [None if np.isnan(value) else value for value in scores.tolist()]
                    for each, scores in zip(analysis.intervals, system.scores, strict=True)
                },
            }
            for system in translations.systems
        ],
        "sections": [section.to_json() for section in analysis.sections],
    }


def translation_tsv(analysis: TranslationAnalysis) -> str:
    """Write one row for each cell of each section, as `analysis_tsv` does."""
    header = ["section", "row", "column", "value"]
    return tsv(section_cells(analysis.sections), header, decimals=None) + "\n"
