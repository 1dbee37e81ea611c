"""Sentences on how well metrics agree with people, and the marks of their tests."""

import math
from collections.abc import Sequence

from wordorder.drawing.plots import value_text
from wordorder.judgement.correlations import Correlation, SetCorrelations, best_first
from wordorder.messages import joined
from wordorder.metrics.registry import called
from wordorder.text.display import printable

# More names are counted, not listed.
_LISTED = 4

# One-sided p-values up to which a difference is marked.
_SURE, _LIKELY = 0.05, 0.1

# Agreement of unrelated scores, 0 for correlations; None if it depends on ties, or is an error.
_CHANCE: dict[str, float | None] = {
    **dict.fromkeys(("accuracy", "spa", "consistency"), 0.5),
    **dict.fromkeys(("acc-eq", "consistency-strict", "pce")),
}

# Statistics that are a share of pairs of outputs.
_SHARES = ("accuracy", "acc-eq", "consistency", "consistency-strict")

_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


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
        [mark(row, above) for above in order[place:]] for place, row in enumerate(order[:-1], 1)
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
        chance = f"; {_against_chance(one, best)}" if _none_is_shown(one) else ""
        return f"{printable(best.metric)} has {value} with people (n = {best.n}){chance}."
    if _none_is_shown(one):
        name = f"{printable(best.metric)} has the highest {value} (n = {best.n})"
        chance = _against_chance(one, best)
        return f"No metric is shown to agree with people: {name}, and {chance}."
    statement = f"{printable(best.metric)} agrees best with people: {value} (n = {best.n})"
    if one.p_values is None:
        other_names = _named([one.rows[place].metric for place in valued[1:]])
        return f"{statement}; no test says whether it is really better than {other_names}."
    # NaN: there was no test.
    alike = [place for place in valued[1:] if not one.p_values[valued[0], place] <= _SURE]
    equal = [one.rows[place].metric for place in alike]
    worse = len(valued) - 1 - len(equal)
    test = f"the test ({one.test}, 95 %)" if one.test else "the test (95 %)"
    if not equal:
        other_names = {1: "the other one", 2: "both others"}.get(worse, f"all {worse} others")
        return f"{statement}; {test} finds it better than {other_names}."
    return f"{statement}; {test} does not tell it from {_named(equal)}."


def _none_is_shown(one: SetCorrelations) -> bool:
    """Return whether the intervals of all metrics include or lie below agreement by chance."""
    chance = _CHANCE.get(one.statistic, 0.0)
    bounded = [row for row in one.rows if not math.isnan(row.low + row.high)]
    return bool(bounded) and chance is not None and all(row.low <= chance for row in bounded)


def _against_chance(one: SetCorrelations, row: Correlation) -> str:
    """Say where an interval lies that is not above agreement by chance."""
    below = row.high < (_CHANCE.get(one.statistic, 0.0) or 0.0)
    return f"the interval {'is below' if below else 'includes'} chance"


def plain_reading(one: SetCorrelations) -> str:
    """Say without terms of statistics which metric agrees best with people, and how well.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.judgement import ScoreTable
    >>> human = ScoreTable("people", ("A",), np.zeros((1, 1)))
    >>> rows = [Correlation("chrf", "segment", "accuracy", 0.682, 0.671, 0.693, 900)]
    >>> plain_reading(SetCorrelations("s", "segment", "accuracy", human, (), rows))
    'chrF agrees with people in 68.2 % of pairs [67.1, 69.3].'
    """
    valued = [place for place in best_first(one.rows) if not math.isnan(one.rows[place].value)]
    if not valued:
        return "No metric can be compared with people here."
    best = one.rows[valued[0]]
    shares = one.statistic in _SHARES
    if shares:
        has_bounds = not (math.isnan(best.low) or math.isnan(best.high))
        bounds = f" [{100 * best.low:.1f}, {100 * best.high:.1f}]" if has_bounds else ""
        how = f"in {100 * best.value:.1f} % of pairs{bounds}"
    else:
        scale = "1 would be full agreement, 0 none"
        how = f"its scores of {one.unit}s and theirs agree by {value_text(best)}, where {scale}"
    statement = f"{printable(called(best.metric))} agrees with people"
    if _none_is_shown(one):
        first = f"{printable(called(best.metric))} comes first{', ' if shares else ': '}{how}"
        return f"No metric is shown to agree with people more than by chance: {first}."
    if len(valued) == 1:
        return f"{statement} {how}." if shares else f"{statement}: {how}."
    statement += f" {'most often' if shares else 'best'}: {how}"
    if one.p_values is None:
        return f"{statement}; no test says whether it is really better than the others."
    # NaN: there was no test.
    alike = sum(not one.p_values[valued[0], place] <= _SURE for place in valued[1:])
    if not alike:
        return f"{statement}; it is surely better than all others."
    count = _SMALL[alike] if alike < len(_SMALL) else str(alike)
    return f"{statement}; {count} other metric{'s' * (alike > 1)} cannot be told apart from it."


def _named(names: Sequence[str]) -> str:
    """List a few names, count many."""
    if len(names) > _LISTED:
        return f"{len(names)} others"
    return joined([printable(name) for name in names], "or")
