"""The findings that explain most of what the scores lack, and how their sentences are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from wordorder.analysis.section import Finding, Section
from wordorder.arrays import Float64

FINDINGS = 10
# So that the first findings do not all say the same.
OF_A_SECTION = 2
# A system's name, the points that it loses, what each segment loses if that can be tested, and
# how often each shows it.
Loss: TypeAlias = "tuple[str, float, Float64 | None, Float64 | None]"


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
        Those of the lowest level first, of these the one that explains most; of equal ones that of
        the earlier section. Those that explain nothing are left out but for level 0, and so are
        all but the first two of a section (of levels from 2 on) and the first of a theme, those
        about the words of an earlier one, and those that explain as much as an earlier one and
        have its examples.

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
        for place, finding in enumerate(sorted(section.findings, key=_importance))
        if (finding.explained > 0 and place < OF_A_SECTION) or finding.level < 2
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
    top: list[tuple[Finding, str]] = []
    for finding, key in first.values():
        words = finding.subject
        subjects = [earlier.subject for earlier, _ in top if earlier.subject]
        if not (words and any(words <= other or words >= other for other in subjects)):
            top.append((finding, key))
    return top[:count]


def _importance(finding: Finding) -> tuple[int, int, float]:
    return finding.level, finding.place, -finding.explained


def format_points(value: float) -> str:
    """Write points with one decimal, or with two where one would show none.

    Examples
    --------
    >>> format_points(12.34), format_points(1.04), format_points(0.034), format_points(-0.001)
    ('12.3', '1.0', '0.03', '0.00')
    """
    digits = 1 if abs(value) >= 0.095 else 2
    # Adding 0 takes the sign from what is rounded to nothing.
    return f"{round(value, digits) + 0.0:.{digits}f}"


def of_the_loss(lost: float, frs: float) -> str:
    """Say how many of a system's lost points of FRS are lost in one place.

    Parameters
    ----------
    lost : float
        In points.
    frs : float
        Of the system, in [0, 1].

    Examples
    --------
    >>> of_the_loss(2.13, 0.75)
    '2.1 of the 25.0 points of FRS that it loses'
    """
    return (
        f"{format_points(lost)} of the {format_points(100 * (1 - frs))} points of FRS that it loses"
    )


def beside_others(finding: Finding, others: Sequence[Loss]) -> Finding:
    """Add to a finding what the other systems lose through the same, and what is tested.

    Parameters
    ----------
    finding : Finding
        Its sentence ends with a full stop.
    others : sequence of (str, float, float64[S] or None, float64[S] or None)
        Names of the other systems, their points, what each segment loses, and how often it shows
        that. What is tested is whether the system of the finding loses more than the mean of them.

    Examples
    --------
    >>> found = Finding("B moves 3 blocks: 0.4 of its 9.0 points.", 0.4)
    >>> beside_others(found, [("A", 0.2, None, None)]).sentence
    'B moves 3 blocks: 0.4 of its 9.0 points (A: 0.2).'
    >>> beside_others(found, [("A", 0.2, None, None), ("C", 0.1, None, None)]).sentence
    'B moves 3 blocks: 0.4 of its 9.0 points (the other 2 systems: 0.1 to 0.2).'
    >>> beside_others(found, [("A", 0.2, None, None), ("C", 0.2, None, None)]).sentence
    'B moves 3 blocks: 0.4 of its 9.0 points (the other 2 systems: 0.2 each).'
    """
    if not others:
        return replace(finding, compared=None)
    lost = [explained for _, explained, _, _ in others]
    low, high = format_points(min(lost)), format_points(max(lost))
    who = f"the other {len(others)} systems" if len(others) > 1 else others[0][0]
    said = low if low == high else f"{low} to {high}"
    if len(others) > 1 and low == high:
        said += " each"
    compared = _more(finding.compared, [loss for _, _, loss, _ in others])
    seen = _more(finding.seen, [seen for _, _, _, seen in others])
    return replace(
        finding,
        sentence=f"{finding.sentence.removesuffix('.')} ({who}: {said}).",
        compared=compared,
        seen=seen,
        candidates=len(others) if len(others) > 1 else 1,
    )


def _more(value: Float64 | None, others: Sequence[Float64 | None]) -> Float64 | None:
    """Return what a value of each segment has more than the mean of others; None without both."""
    known = [other for other in others if other is not None]
    if value is None or not known:
        return None
    more: Float64 = value - np.mean(known, axis=0)
    return more


def worst_of_systems(findings: Sequence[Finding], names: Sequence[str]) -> tuple[Finding, ...]:
    """Return one finding instead of one per system, so that lists do not repeat themselves.

    Parameters
    ----------
    findings : sequence of Finding
        One per system, of the same kind.
    names : sequence of str
        Of the systems.

    Returns
    -------
    tuple of Finding
        The one that explains most, of equal ones the first, beside the points of the others; none
        if it explains nothing.

    Examples
    --------
    >>> found = [Finding("A moves 2 blocks.", 0.2), Finding("B moves 3 blocks.", 0.4)]
    >>> [each.sentence for each in worst_of_systems(found, ["A", "B"])]
    ['B moves 3 blocks (A: 0.2).']
    >>> worst_of_systems([Finding("A moves no block.", 0.0)], ["A"])
    ()
    """
    worst = max(findings, key=lambda each: each.explained)
    if worst.explained <= 0:
        return ()
    others = [
        (name, each.explained, each.compared, each.seen)
        for name, each in zip(names, findings, strict=True)
        if each is not worst
    ]
    return (beside_others(worst, others),)
