"""Systems in the order of a metric, as far as a test can tell."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from wordorder.counts import DECIMALS, joined
from wordorder.drawing.width import printable
from wordorder.report.document import Table


def rank_table(
    names: Sequence[str],
    values: Sequence[float],
    ranges: Sequence[tuple[int, int]],
    clusters: Sequence[Sequence[int]],
    *,
    decimals: int = DECIMALS,
) -> str:
    """List the systems, best first, with the ranks that each may have.

    Parameters
    ----------
    names, values, ranges : one a system
        Its name, its value, and its best and worst possible rank.
    clusters : groups of system numbers
        The best group first; a blank line separates groups.

    Examples
    --------
    >>> print(rank_table(["A", "B", "C"], [0.5, 0.9, 0.4], [(2, 3), (1, 1), (2, 3)],
    ...                  [(1,), (0, 2)]))
    rank  system   value
    ----  ------  ------
    1     B       0.9000
    <BLANKLINE>
    2-3   A       0.5000
    2-3   C       0.4000
    """
    return ranked_systems(names, values, ranges, clusters, decimals=decimals).to_text()


def ranked_systems(
    names: Sequence[str],
    values: Sequence[float],
    ranges: Sequence[tuple[int, int]],
    clusters: Sequence[Sequence[int]],
    *,
    decimals: int = DECIMALS,
) -> Table:
    """Return the table that `rank_table` lays out."""
    order = [system for cluster in clusters for system in cluster]
    rows = [(rank_range(*ranges[i]), names[i], values[i]) for i in order]
    ends = accumulate(len(cluster) for cluster in clusters[:-1])
    return Table(rows, ["rank", "system", "value"], decimals, tuple(end - 1 for end in ends))


def cluster_reading(
    names: Sequence[str],
    clusters: Sequence[Sequence[int]],
    *,
    subject: str = "test",
    level: float = 0.95,
) -> str:
    """Say in one sentence which groups of systems a test, or another `subject`, tells apart.

    Examples
    --------
    >>> cluster_reading(["A", "B", "C"], [(1,), (0, 2)])
    'The test tells 2 groups apart (95 %), best first: B; A and C.'
    """
    groups = [joined([printable(names[i]) for i in cluster]) for cluster in clusters]
    sure = f"{100 * level:g} %"
    if len(groups) > 1:
        listed = "; ".join(groups)
        return f"The {subject} tells {len(groups)} groups apart ({sure}), best first: {listed}."
    if len(names) == 1:
        return "There is only one system to rank."
    return f"The {subject} does not tell groups apart ({sure}): {groups[0]} stay together."


def rank_range(best: int, worst: int) -> str:
    """Write the ranks that a system may have.

    Examples
    --------
    >>> rank_range(1, 1), rank_range(2, 4)
    ('1', '2-4')
    """
    return str(best) if best == worst else f"{best}-{worst}"
