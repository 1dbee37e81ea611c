"""The findings that explain most of the loss, and their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from wordorder.analysis.section import Finding, Section
from wordorder.arrays import Float64

MAX_TOP_FINDINGS = 10
# The most findings of one section, so that the first findings are not all about the same.
MAX_OF_SECTION = 2
# The name of a system, the points that it loses, the loss of each segment if it can be tested, and
# how often each segment shows it.
Loss: TypeAlias = "tuple[str, float, Float64 | None, Float64 | None]"


def top_findings(
    sections: Sequence[Section], count: int = MAX_TOP_FINDINGS
) -> list[tuple[Finding, str]]:
    """Return the findings that explain most, each with the key of its section.

    Parameters
    ----------
    sections : sequence of Section
    count : int
        The maximum number of findings.

    Returns
    -------
    list of (Finding, str)
        Ranked by level, then by `Finding.place`, then by the points that they explain, then by
        section. Of levels from 2 on, findings that explain nothing are left out, and all but the
        first two of a section. Of the findings with one theme, of those with the same points and
        examples, and of those about the same words, only the first is kept.

    Examples
    --------
    >>> words = Section("words", "Words", "", (), (), findings=(Finding("'of': 0.5.", 0.5),))
    >>> tags = Section("tags", "Tags", "", (), (), findings=(Finding("DET: 0.7 points.", 0.7),))
    >>> [(finding.sentence, key) for finding, key in top_findings([words, tags])]
    [('DET: 0.7 points.', 'tags'), ("'of': 0.5.", 'words')]
    """
    candidates = [
        (finding, section.key)
        for section in sections
        for rank, finding in enumerate(sorted(section.findings, key=_rank_key))
        if (finding.explained > 0 and rank < MAX_OF_SECTION) or finding.level < 2
    ]
    # Two tables may state the same about the same words, such as those by tag and by label.
    distinct: dict[object, tuple[Finding, str]] = {}
    for finding, key in candidates:
        content = (round(finding.explained, 9), finding.examples or finding.sentence)
        distinct.setdefault(content, (finding, key))
    ranked = sorted(distinct.values(), key=lambda item: _rank_key(item[0]))
    by_theme: dict[object, tuple[Finding, str]] = {}
    for rank, (finding, key) in enumerate(ranked):
        by_theme.setdefault(finding.theme or rank, (finding, key))
    top: list[tuple[Finding, str]] = []
    for finding, key in by_theme.values():
        words = finding.subject
        subjects = [earlier.subject for earlier, _ in top if earlier.subject]
        if not (words and any(words <= subject or words >= subject for subject in subjects)):
            top.append((finding, key))
    return top[:count]


def _rank_key(finding: Finding) -> tuple[int, int, float]:
    return finding.level, finding.place, -finding.explained


def format_points(value: float) -> str:
    """Return points with one decimal, or with two if one would show 0.0.

    Examples
    --------
    >>> format_points(12.34), format_points(1.04), format_points(0.034), format_points(-0.001)
    ('12.3', '1.0', '0.03', '0.00')
    """
    digits = 1 if abs(value) >= 0.095 else 2
    # Adding 0.0 turns -0.0 into 0.0.
    return f"{round(value, digits) + 0.0:.{digits}f}"


def describe_loss(lost: float, frs: float) -> str:
    """Describe lost points as a part of all points of FRS that a system loses.

    Parameters
    ----------
    lost : float
        The lost points.
    frs : float
        The FRS of the system, in [0, 1].

    Examples
    --------
    >>> describe_loss(2.13, 0.75)
    '2.1 of the 25.0 points of FRS that it loses'
    """
    return (
        f"{format_points(lost)} of the {format_points(100 * (1 - frs))} points of FRS that it loses"
    )


def beside_others(finding: Finding, others: Sequence[Loss]) -> Finding:
    """Add to a finding the points that the other systems lose in the same way.

    The finding is then tested for whether its system loses more than the mean of the others.

    Parameters
    ----------
    finding : Finding
        Its sentence ends with a full stop.
    others : sequence of (str, float, float64[S] or None, float64[S] or None)
        For each other system its name, its points, the loss of each segment, and how often each
        segment shows it.

    Examples
    --------
    >>> finding = Finding("B moves 3 blocks: 0.4 of its 9.0 points.", 0.4)
    >>> beside_others(finding, [("A", 0.2, None, None)]).sentence
    'B moves 3 blocks: 0.4 of its 9.0 points (A: 0.2).'
    >>> beside_others(finding, [("A", 0.2, None, None), ("C", 0.1, None, None)]).sentence
    'B moves 3 blocks: 0.4 of its 9.0 points (the other 2 systems: 0.1 to 0.2).'
    >>> beside_others(finding, [("A", 0.2, None, None), ("C", 0.2, None, None)]).sentence
    'B moves 3 blocks: 0.4 of its 9.0 points (the other 2 systems: 0.2 each).'
    """
    if not others:
        return replace(finding, compared=None)
    names, points, losses, visible = zip(*others, strict=True)
    low, high = format_points(min(points)), format_points(max(points))
    system = f"the other {len(others)} systems" if len(others) > 1 else names[0]
    range_text = low if low == high else f"{low} to {high}"
    if len(others) > 1 and low == high:
        range_text += " each"
    return replace(
        finding,
        sentence=f"{finding.sentence.removesuffix('.')} ({system}: {range_text}).",
        compared=_subtract_mean(finding.compared, losses),
        seen=_subtract_mean(finding.seen, visible),
        candidates=len(others) if len(others) > 1 else 1,
    )


def _subtract_mean(values: Float64 | None, others: Sequence[Float64 | None]) -> Float64 | None:
    """Return values minus the mean of others; None if either is missing."""
    arrays = [array for array in others if array is not None]
    if values is None or not arrays:
        return None
    difference: Float64 = values - np.mean(arrays, axis=0)
    return difference


def worst_of_systems(findings: Sequence[Finding], names: Sequence[str]) -> tuple[Finding, ...]:
    """Keep the finding about the worst system, of several that differ only in the system.

    Parameters
    ----------
    findings : sequence of Finding
        One per system.
    names : sequence of str
        The names of the systems.

    Returns
    -------
    tuple of Finding
        The finding that explains most, the first of equal ones, with the points of the other
        systems; empty if it explains nothing.

    Examples
    --------
    >>> findings = [Finding("A moves 2 blocks.", 0.2), Finding("B moves 3 blocks.", 0.4)]
    >>> [finding.sentence for finding in worst_of_systems(findings, ["A", "B"])]
    ['B moves 3 blocks (A: 0.2).']
    >>> worst_of_systems([Finding("A moves no block.", 0.0)], ["A"])
    ()
    """
    worst = max(findings, key=lambda finding: finding.explained)
    if worst.explained <= 0:
        return ()
    losses = [
        (name, finding.explained, finding.compared, finding.seen)
        for name, finding in zip(names, findings, strict=True)
        if finding is not worst
    ]
    return (beside_others(worst, losses),)
