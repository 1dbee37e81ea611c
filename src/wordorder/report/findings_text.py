"""The answer of an analysis and its first findings, as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.analysis.findings import top_findings
from wordorder.analysis.section import Section
from wordorder.drawing.width import printable
from wordorder.report.lines import paragraph
from wordorder.report.sections_text import EXAMPLES

TITLE = "Findings"


def findings_text(answer: str, sections: Sequence[Section], unit: str = "") -> str:
    """Write the answer, and below it the findings that explain most.

    Parameters
    ----------
    answer : str
    sections : sequence of Section
    unit : str
        What the points of the findings are.

    Returns
    -------
    str
        Each finding names its table and some sentences that show it; empty without an answer and
        findings.

    Examples
    --------
    >>> from wordorder.analysis.finding import Finding
    >>> found = (Finding("A misorders 'the': 2.1 points of FRS.", 2.1, (0, 6)),)
    >>> words = Section("words", "Words", "", (), (), findings=found)
    >>> print(findings_text("A orders words best.", [words]))
    A orders words best.
    <BLANKLINE>
    <BLANKLINE>
    Findings
    ========
     1. A misorders 'the': 2.1 points of FRS.
        Table: Words. Sentences: 1 7.
    """
    parts = [paragraph(answer)] if answer else []
    found = top_findings(sections)
    titles = {section.key: section.title for section in sections}
    lines = [TITLE, "=" * len(TITLE), *([paragraph(unit), ""] if unit else [])]
    for number, (finding, key) in enumerate(found, 1):
        shown = " ".join(str(sentence + 1) for sentence in finding.examples[:EXAMPLES])
        where = f"Table: {printable(titles[key])}." + (f" Sentences: {shown}." if shown else "")
        lines += [
            paragraph(finding.sentence, f"{number:2}. ", "    "),
            paragraph(where, "    ", "    "),
        ]
    return "\n\n\n".join([*parts, *(["\n".join(lines)] if found else [])])
