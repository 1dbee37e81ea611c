"""The most important findings of all sections."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.analysis.finding import Finding
from wordorder.analysis.section import Section

FINDINGS = 10


def top_findings(sections: Sequence[Section], count: int = FINDINGS) -> list[tuple[Finding, str]]:
    """Return the findings that explain most, each with the key of its section.

    Parameters
    ----------
    sections : sequence of Section
    count : int
        How many at most.

    Returns
    -------
    list of (Finding, str)
        The one that explains most first; of equal ones that of the earlier section. Those that
        explain nothing are left out, and so is a sentence that was there already.

    Examples
    --------
    >>> words = Section("words", "Words", "", (), (), findings=(Finding("'of': 0.5.", 0.5),))
    >>> tags = Section("tags", "Tags", "", (), (), findings=(Finding("DET: 0.7 points.", 0.7),))
    >>> [(found.sentence, key) for found, key in top_findings([words, tags])]
    [('DET: 0.7 points.', 'tags'), ("'of': 0.5.", 'words')]
    """
    # A dictionary keeps the first of equal sentences.
    found: dict[str, tuple[Finding, str]] = {}
    for section in sections:
        for finding in section.findings:
            if finding.explained > 0:
                found.setdefault(finding.sentence, (finding, section.key))
    return sorted(found.values(), key=lambda each: -each[0].explained)[:count]
