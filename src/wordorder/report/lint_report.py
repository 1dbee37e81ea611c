"""What the linter found: as a table, as TSV."""

from __future__ import annotations

from collections.abc import Iterator

from wordorder.alignment.lint import LintReport
from wordorder.counts import counted
from wordorder.report.lines import paragraph
from wordorder.report.tables import Cell, table, tsv

HEADER = ["line", "position", "word", "finding"]


def lint_text(report: LintReport, form: str = "text") -> str:
    """Write a report as "text" or "tsv", with a line end."""
    rows = list(_rows(report))
    if form == "tsv":
        return tsv(rows, HEADER) + "\n"
    target = "target words unknown"
    totals: list[list[Cell]] = [
        ["unaligned source words that may not be", report.unaligned, report.unaligned_share],
        [
            "source words with non-contiguous links",
            report.non_contiguous,
            report.non_contiguous_share,
        ],
    ]
    if report.target_words is not None:
        target = counted(report.target_words, "target word")
        totals.append(
            ["unaligned target words", report.unaligned_target, report.unaligned_target_share]
        )
    counts = (
        f"{counted(report.sentences, 'sentence')}, {counted(report.source_words, 'source word')}, "
        f"{target}; {counted(len(report.findings), 'sentence')} with findings"
    )
    parts = [table(rows, HEADER)] if rows else []
    return "\n\n".join([*parts, table(totals, ["", "words", "share"]), paragraph(counts)]) + "\n"


def _rows(report: LintReport) -> Iterator[list[Cell]]:
    """Yield one row a finding; positions from 0, as in the alignments."""
    for sentence in report.findings:
        for finding in sentence.unaligned:
            yield [sentence.line, finding.position, finding.word, "unaligned source word"]
        for finding in sentence.unaligned_target:
            yield [sentence.line, finding.position, finding.word, "unaligned target word"]
        for finding in sentence.non_contiguous:
            targets = ",".join(map(str, finding.targets))
            yield [
                sentence.line,
                finding.position,
                finding.word,
                f"non-contiguous links to {targets}",
            ]
