"""The JSON of ``wordorder analyze``, whose schema is made from these classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder import records
from wordorder.analysis.analysed import Analysed, Analysis
from wordorder.analysis.findings import top_findings
from wordorder.analysis.section import Finding, Section, Value, plain_value
from wordorder.arrays import Float64
from wordorder.records import Record
from wordorder.report.grids import GridTable, grid_table


@dataclass(frozen=True, kw_only=True)
class SectionFinding(Record):
    """A finding of a table."""

    sentence: str = records.key("what the table says about the score, in a sentence")
    explained: float = records.key("how many points of the score it explains")
    examples: tuple[int, ...] = records.key(
        "numbers of sentences that show it, from 1, the best first"
    )
    shown: int | None = records.key(
        "the number of the sentence that shows it best, from 1; not in findings without one",
        optional=True,
    )
    systems: tuple[str, ...] = records.key(
        "the two systems that it compares; with `shown`", optional=True
    )


@dataclass(frozen=True, kw_only=True)
class TopFinding(SectionFinding):
    """One of the findings that explain most."""

    section: str = records.key("the key of its table")


@dataclass(frozen=True, kw_only=True)
class AnalysisSection(Record):
    """A table of an analysis."""

    key: str = records.key("the short name of a table")
    title: str = records.key("its title")
    reading: str = records.key("what it shows, in words")
    rows: tuple[Mapping[str, Value], ...] = records.key(
        "an object for each row: the value of each column by its name", null=True
    )
    examples: tuple[tuple[int, ...], ...] = records.key(
        "for each row the numbers of sentences that show it, from 1; not in tables without "
        "examples",
        optional=True,
    )
    note: str = records.key(
        "how to read the columns, and what is left out; not in tables without a note",
        optional=True,
    )
    findings: tuple[SectionFinding, ...] = records.key(
        "what the table says about the score; not in tables without findings", optional=True
    )
    signature: str = records.key(
        "what the numbers of the table come from; not in tables of counts", optional=True
    )


@dataclass(frozen=True, kw_only=True)
class SentenceScores(Record):
    """The scores of a system."""

    name: str = records.key("a system")
    scores: Mapping[str, Float64] = records.key(
        "for each metric of `signatures` the score of each sentence, `null` for one that is left "
        "out",
        null=True,
    )
    skipped: tuple[int, ...] = records.key(
        "numbers of the sentences that the first metric leaves out, from 1"
    )


@dataclass(frozen=True, kw_only=True)
class AnalysisReport(Record):
    """The answer, the findings and the tables of an analysis.

    Points are those of FRS for orders, of CDER for translations.
    """

    sentences: int = records.key("number of sentences")
    language: str = records.key("of translations: the language of the references", optional=True)
    signature: str = records.key("the signature of the first metric, which scores sentences")
    signatures: Mapping[str, str] = records.key("the signature of each metric of sentences")
    answer: str = records.key(
        "which system orders words best, whether that may be chance, and by how much: one sentence"
    )
    findings: tuple[TopFinding, ...] = records.key(
        "at most ten findings of all tables: of translations first what the difference in FRS is "
        "made of, then those that explain most"
    )
    systems: tuple[SentenceScores, ...] = records.key("the systems")
    grid: GridTable | None = records.key(
        "for parsers and rules: the keys of `evaluate`, from `segments` on", optional=True
    )
    sections: tuple[AnalysisSection, ...] = records.key("the tables")


def analysis_report(analysis: Analysis[Analysed]) -> AnalysisReport:
    """Return an analysis as it is written in JSON; sentences are counted from 1."""
    scores = {name: analysis.scores(m) for m, name in enumerate(analysis.signatures)}
    skipped = np.isnan(analysis.scores())
    findings = [
        TopFinding(**_finding_keys(finding), section=section)
        for finding, section in top_findings(analysis.sections)
    ]
    return AnalysisReport(
        sentences=analysis.size,
        language=analysis.analysed.language,
        signature=analysis.signature,
        signatures=analysis.signatures,
        answer=analysis.answer,
        findings=tuple(findings),
        systems=tuple(
            SentenceScores(
                name=name,
                scores={metric: rows[n] for metric, rows in scores.items()},
                skipped=_numbers(np.flatnonzero(skipped[n]).tolist()),
            )
            for n, name in enumerate(analysis.names)
        ),
        grid=None if analysis.grid is None else grid_table(analysis.grid),
        sections=tuple(map(_section, analysis.sections)),
    )


def _section(section: Section) -> AnalysisSection:
    return AnalysisSection(
        key=section.key,
        title=section.title,
        reading=section.reading,
        rows=tuple(
            dict(zip(section.header, map(plain_value, row), strict=True)) for row in section.rows
        ),
        examples=tuple(map(_numbers, section.examples)),
        note=section.notes,
        findings=tuple(SectionFinding(**_finding_keys(finding)) for finding in section.findings),
        signature=section.signature,
    )


def _finding_keys(finding: Finding) -> dict[str, Any]:
    """Return the keys that a finding has in each list."""
    sentence = finding.shown
    return {
        "sentence": finding.sentence,
        "explained": finding.explained,
        "examples": _numbers(finding.examples),
        "shown": None if sentence is None else sentence + 1,
        "systems": () if sentence is None else finding.systems,
    }


def _numbers(sentences: Iterable[int]) -> tuple[int, ...]:
    """Return the numbers of sentences, from 1."""
    return tuple(sentence + 1 for sentence in sentences)
