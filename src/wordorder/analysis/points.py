"""Points of a score, as sentences write them: one point is 0.01 of the metric."""

from __future__ import annotations

from wordorder.metrics.called import called

# What the points of findings are, for the heads of their lists.
OF_ORDERS = "A point is 0.01 of FRS. Findings overlap, so they do not add up."
_OF_CDER = (
    "A point is 0.01 of the cover disjoint error rate (CDER): one edit or jump per 100 reference "
    "words. Findings overlap, so they do not add up."
)


def of_translations(metric: str) -> str:
    """Explain the points in the findings about translations.

    Parameters
    ----------
    metric : str
        That of the answer.

    Examples
    --------
    >>> of_translations("frs").startswith("The answer compares FRS; the findings count CDER,")
    True
    >>> of_translations("cder") in of_translations("frs")
    True
    """
    if metric == "cder":
        return _OF_CDER
    return (
        f"The answer compares {called(metric)}; the findings count CDER, because its edits add up "
        f"word by word. {_OF_CDER}"
    )


def points(value: float) -> str:
    """Write points with one decimal, or with two where one would show none.

    Examples
    --------
    >>> points(12.34), points(1.04), points(0.034)
    ('12.3', '1.0', '0.03')
    """
    return f"{value:.{1 if abs(value) >= 0.095 else 2}f}"


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
    return f"{points(lost)} of the {points(100 * (1 - frs))} points of FRS that it loses"
