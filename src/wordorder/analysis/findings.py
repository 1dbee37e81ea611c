"""The most important findings of all sections."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.analysis.finding import Finding
from wordorder.analysis.section import Section

FINDINGS = 10
# So that the first findings do not all say the same.
OF_A_SECTION = 2


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
        explain nothing are left out, and so are all but the first two of a section and the first
        of a theme, and those that explain as much as an earlier one and have its examples.

    Examples
    --------
    >>> words = Section("words", "Words", "", (), (), findings=(Finding("'of': 0.5.", 0.5),))
    >>> tags = Section("tags", "Tags", "", (), (), findings=(Finding("DET: 0.7 points.", 0.7),))
    >>> [(found.sentence, key) for found, key in top_findings([words, tags])]
    [('DET: 0.7 points.', 'tags'), ("'of': 0.5.", 'words')]
    """
    listed = [
        (finding, section.key)
        for section in sections
        for finding in sorted(section.findings, key=_importance)[:OF_A_SECTION]
        if finding.explained > 0
    ]
    # Two tables may say the same of the same words, as by tag and by label.
    told: dict[object, tuple[Finding, str]] = {}
    for finding, key in listed:
        same = (round(finding.explained, 9), finding.examples or finding.sentence)
        told.setdefault(same, (finding, key))
    ranked = sorted(told.values(), key=lambda each: _importance(each[0]))
    first: dict[object, tuple[Finding, str]] = {}
    for place, each in enumerate(ranked):
        first.setdefault(each[0].theme or place, each)
    return list(first.values())[:count]


def _importance(finding: Finding) -> float:
    return -finding.explained
