"""What the correlations of an evaluation set show, in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wordorder.counts import joined, number
from wordorder.drawing.width import printable
from wordorder.judgement.correlations import Correlation, SetCorrelations, best_first

# More names are counted, not listed.
_LISTED = 4
# One-sided p-values up to which a difference is marked.
_SURE, _LIKELY = 0.05, 0.1
TEST_LEGEND = (
    "A cell says whether the metric above it agrees better with people than the one to its left: "
    "+* if p is at most 0.10, +** if at most 0.05 (one-sided); -*, -** worse; 0: no significant "
    "difference. Under it is the p-value in favour of the better one."
)


def triangle_marks(one: SetCorrelations, order: Sequence[int]) -> list[list[str]]:
    """Return the marks of all pairs of metrics, as `triangle_table` takes them.

    Parameters
    ----------
    one : SetCorrelations
        With p-values.
    order : sequence of int
        The metrics, by their places.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.judgement import ScoreTable
    >>> human = ScoreTable("people", ("A",), np.zeros((1, 1)))
    >>> p = np.array([[np.nan, 0.01], [0.99, np.nan]])
    >>> triangle_marks(SetCorrelations("s", "system", "pearson", human, (), (), p), [0, 1])
    [['-**']]
    """
    p = one.p_values
    assert p is not None

    def mark(left: int, above: int) -> str:
        for sign, value in (("+", p[above, left]), ("-", p[left, above])):
            if value <= _LIKELY:
                return sign + ("**" if value <= _SURE else "*")
        return "0"

    return [
        [mark(left, above) for above in order[place:]] for place, left in enumerate(order[:-1], 1)
    ]


def set_reading(one: SetCorrelations) -> str:
    """Say in one sentence which metrics agree best with people.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.judgement import ScoreTable
    >>> human = ScoreTable("people", ("A",), np.zeros((1, 1)))
    >>> rows = [Correlation("frs", "system", "pearson", 0.9, 0.5, 0.98, 12)]
    >>> set_reading(SetCorrelations("s", "system", "pearson", human, (), rows))
    'frs has pearson 0.9000 [0.5000, 0.9800] with people (n = 12).'
    """
    valued = [place for place in best_first(one.rows) if not math.isnan(one.rows[place].value)]
    if not valued:
        reasons = dict.fromkeys(row.reason for row in one.rows if row.reason)
        return f"No metric has a number{': ' if reasons else ''}{'; '.join(reasons)}."
    best = one.rows[valued[0]]
    value = f"{one.statistic} {value_text(best)}"
    if len(valued) == 1:
        return f"{printable(best.metric)} has {value} with people (n = {best.n})."
    said = f"{printable(best.metric)} agrees best with people: {value} (n = {best.n})"
    if one.p_values is None:
        others = _named([one.rows[place].metric for place in valued[1:]])
        return f"{said}; no test says whether it is really better than {others}."
    # NaN: there was no test.
    alike = [place for place in valued[1:] if not one.p_values[valued[0], place] <= _SURE]
    equal = [one.rows[place].metric for place in alike]
    worse = len(valued) - 1 - len(equal)
    test = f"the test ({one.test}, 95 %)" if one.test else "the test (95 %)"
    if not equal:
        others = {1: "the other one", 2: "both others"}.get(worse, f"all {worse} others")
        return f"{said}; {test} finds it better than {others}."
    return f"{said}; {test} does not tell it from {_named(equal)}."


def value_text(row: Correlation) -> str:
    """Write a value with its interval, as far as there are any.

    Examples
    --------
    >>> value_text(Correlation("frs", "system", "pearson", 0.9, 0.5, 0.98, 12))
    '0.9000 [0.5000, 0.9800]'
    """
    if math.isnan(row.value):
        return "no number"
    if math.isnan(row.low) or math.isnan(row.high):
        return number(row.value)
    return f"{number(row.value)} [{number(row.low)}, {number(row.high)}]"


def _named(names: Sequence[str]) -> str:
    """List a few names, count many."""
    if len(names) > _LISTED:
        return f"{len(names)} others"
    return joined([printable(name) for name in names], "or")
