"""What other systems lose, added to the finding about the system that loses most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wordorder.analysis.finding import Finding
from wordorder.analysis.points import points


def beside_others(finding: Finding, others: Sequence[tuple[str, float]]) -> Finding:
    """Add to a finding what the other systems lose through the same.

    Parameters
    ----------
    finding : Finding
        Its sentence ends with a full stop.
    others : sequence of (str, float)
        Names of the other systems and their points.

    Examples
    --------
    >>> found = Finding("B moves 3 blocks: 0.4 points of its CDER.", 0.4)
    >>> beside_others(found, [("A", 0.2)]).sentence
    'B moves 3 blocks: 0.4 points of its CDER (A: 0.2).'
    >>> beside_others(found, [("A", 0.2), ("C", 0.1)]).sentence
    'B moves 3 blocks: 0.4 points of its CDER (the other 2 systems: 0.1 to 0.2).'
    >>> beside_others(found, [("A", 0.2), ("C", 0.2)]).sentence
    'B moves 3 blocks: 0.4 points of its CDER (the other 2 systems: 0.2 each).'
    """
    if not others:
        return finding
    losses = [lost for _, lost in others]
    low, high = points(min(losses)), points(max(losses))
    who = f"the other {len(others)} systems" if len(others) > 1 else others[0][0]
    lost = low if low == high else f"{low} to {high}"
    if len(others) > 1 and low == high:
        lost += " each"
    return replace(finding, sentence=f"{finding.sentence.removesuffix('.')} ({who}: {lost}).")


def worst_of_systems(findings: Sequence[Finding], names: Sequence[str]) -> tuple[Finding, ...]:
    """Return one finding instead of one a system, so that lists do not repeat themselves.

    Parameters
    ----------
    findings : sequence of Finding
        One a system, of the same kind.
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
        (name, each.explained)
        for name, each in zip(names, findings, strict=True)
        if each is not worst
    ]
    return (beside_others(worst, others),)
