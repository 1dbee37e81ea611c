"""An analysis as text, as JSON and as TSV."""

from __future__ import annotations

from typing import Any, TypeAlias

from wordorder.analysis.analysis import Analysis
from wordorder.analysis.findings import top_findings
from wordorder.analysis.points import OF_ORDERS
from wordorder.analysis.translations.translation_analysis import TranslationAnalysis
from wordorder.counts import counted
from wordorder.report.findings_text import findings_text
from wordorder.report.sections_text import sections_text
from wordorder.report.sections_tsv import section_cells
from wordorder.report.tables import Cell, tsv
from wordorder.report.translation_table import (
    translation_json,
    translation_text,
    translation_tsv,
)

# Of orders, or of translations.
AnyAnalysis: TypeAlias = "Analysis | TranslationAnalysis"


def analysis_text(analysis: AnyAnalysis) -> str:
    """Lay out the answer, the findings, the grid, if there is one, and all tables.

    What the scores are comes last.
    """
    if isinstance(analysis, TranslationAnalysis):
        return translation_text(analysis)
    parts = (
        [found] if (found := findings_text(analysis.answer, analysis.sections, OF_ORDERS)) else []
    )
    if analysis.grid is not None:
        from wordorder.report.grid_table import grid_text

        parts.append(grid_text(analysis.grid).rstrip("\n"))
    parts.append(sections_text(analysis.sections, signature=analysis.signature))
    sentences = counted(len(analysis.corpus.words), "sentence")
    systems = counted(len(analysis.systems), "system")
    parts.append(f"{sentences}, {systems}\n{analysis.signature}")
    return "\n\n\n".join(parts) + "\n"


def analysis_json(analysis: AnyAnalysis) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists; sentences are counted from 1."""
    if isinstance(analysis, TranslationAnalysis):
        return translation_json(analysis)
    document: dict[str, Any] = {
        "sentences": len(analysis.corpus.words),
        "signature": analysis.signature,
        "answer": analysis.answer,
        "findings": [
            {**finding.to_json(), "section": key}
            for finding, key in top_findings(analysis.sections)
        ],
        "systems": [
            {
                "name": system.name,
                "scores": system.scores.tolist(),
                "skipped": [
                    i + 1 for i, left_out in enumerate(system.skipped.tolist()) if left_out
                ],
            }
            for system in analysis.systems
        ],
    }
    if analysis.grid is not None:
        from wordorder.report.grid_table import grid_json

        document["grid"] = grid_json(analysis.grid)
    document["sections"] = [section.to_json() for section in analysis.sections]
    return document


def analysis_tsv(analysis: AnyAnalysis) -> str:
    """Write one row for each cell of each section: section, row (from 1), column, value.

    Floats are written in full; the numbers of example sentences (from 1) are a further column
    ``examples``, with blanks between them. The grid, if there is one, is a section ``grid``.
    """
    if isinstance(analysis, TranslationAnalysis):
        return translation_tsv(analysis)
    rows: list[list[Cell]] = []
    if analysis.grid is not None:
        from wordorder.report.grid_table import grid_rows

        header, lines = grid_rows(analysis.grid)
        for number, line in enumerate(lines, 1):
            rows += [["grid", number, *cell] for cell in zip(header, line, strict=True)]
    rows += section_cells(analysis.sections)
    return tsv(rows, ["section", "row", "column", "value"], decimals=None) + "\n"
