"""The pairwise test of several systems as a triangle of marks."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.analysis.triangle_reading import check_triangle
from wordorder.report.document import Table


def triangle_table(names: Sequence[str], marks: Sequence[Sequence[str]]) -> str:
    """Lay out the marks of all pairs as in Talbot et al. (2011), Tables 3-5.

    Parameters
    ----------
    names : sequence of str
        The systems, n of them.
    marks : n - 1 rows of str
        Row A has one cell for each system B after A: ``+*`` (90 %) or ``+**`` (95 %) if B is
        better than A, ``-*`` or ``-**`` if it is worse, ``0`` if no difference is significant.

    Raises
    ------
    UsageError
        If the marks are not such a triangle.

    Examples
    --------
    >>> print(triangle_table(["A", "B", "C"], [["+**", "+**"], ["0"]]))
       B    C
    -  ---  ---
    A  +**  +**
    B       0
    """
    return marked_pairs(names, marks).to_text()


def marked_pairs(names: Sequence[str], marks: Sequence[Sequence[str]]) -> Table:
    """Return the table that `triangle_table` lays out."""
    check_triangle(names, marks)
    rows = [
        [name, *[""] * a, *row] for a, (name, row) in enumerate(zip(names[:-1], marks, strict=True))
    ]
    return Table(rows, ["", *names[1:]])
