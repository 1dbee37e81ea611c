"""Parts that the formats of evaluation sets share: scores by level, documents, lengths."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from wordorder.errors import InputError, location
from wordorder.judgement import judgement_files
from wordorder.judgement.score_table import ScoreTable
from wordorder.messages import counted
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path

# (level, name) -> scores; the level is "segment", "document" or "system", the name that of a metric
# or of human scores.
Scores = Mapping[tuple[str, str], judgement_files.JudgedScores]


def scored_systems(scores: Scores) -> list[str]:
    """Return the systems that have scores; one may be repeated."""
    return [system for judged in scores.values() for system in judged.scores]


def tables_of_scores(
    scores: Scores, systems: Sequence[str], segments: int, documents: Sequence[str] | None
) -> dict[str, ScoreTable]:
    """Return one table per metric, or per name of human scores, from the scores of all levels."""
    lengths = {"segment": segments, "document": len(set(documents or ())), "system": 1}
    by_name: dict[str, dict[str, dict[str, list[float]]]] = {}
    for (level, name), judged in scores.items():
        by_name.setdefault(name, {})[level] = judged.rows(lengths[level], level)
    return {
        name: ScoreTable.of_levels(name, systems, segments, levels)
        for name, levels in by_name.items()
    }


def max_length(*scores: Scores, level: str = "") -> int:
    """Return the largest number of scores of a system: of one level, or by default of any."""
    lengths = (
        judged.length
        for level_scores in scores
        for (level_of_scores, _), judged in level_scores.items()
        if level in ("", level_of_scores)
    )
    return max(lengths, default=0)


def read_documents(path: Path, segments: int) -> tuple[list[str] | None, list[str]]:
    """Read lines of ``DOMAIN DOCUMENT``, or ``DOCUMENT`` only: one per segment.

    The first line may be a header, ``domain document`` or ``document``. Returns the domains, None
    if the file has none, and the documents.

    Raises
    ------
    InputError
        If a line has no word or more than two, or the number of lines is wrong.
    """
    rows = []
    for number, line in enumerate(read_lines(path), 1):
        rows.append(line.split())
        if len(rows[-1]) != len(rows[0]) or len(rows[-1]) not in (1, 2):
            file_line = location(os.fspath(path), number)
            raise InputError(file_line, repr(line[:60]), "a document, or a domain and a document")
    header = rows[0] if len(rows) == segments + 1 else []
    if [word.lower() for word in header] in (["domain", "document"], ["document"]):
        rows = rows[1:]
    if len(rows) != segments:
        count = counted(len(rows), "line")
        raise InputError(os.fspath(path), count, f"{segments}: one per segment")
    documents = [row[-1] for row in rows]
    return ([row[0] for row in rows] if rows and len(rows[0]) == 2 else None), documents


def count_lines(path: str) -> int:
    """Return the number of lines of a text file."""
    return sum(1 for _ in read_lines(path))
