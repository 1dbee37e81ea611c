"""Sentences on how well metrics agree with human judgements, and the marks of their tests."""

import math
from collections.abc import Sequence

from wordorder.drawing.plots import value_text
from wordorder.judgement.correlations import Correlation, SetCorrelations, best_first
from wordorder.messages import joined
from wordorder.metrics.registry import called
from wordorder.text.display import printable

# With more names, their number is printed instead.
_MAX_LISTED = 4

# One-sided p-values up to which a difference is marked ** and *.
_SIGNIFICANT, _WEAKLY_SIGNIFICANT = 0.05, 0.1

# Agreement of unrelated scores, by default 0; None if it depends on ties or is an error.
_CHANCE_VALUES: dict[str, float | None] = {
    **dict.fromkeys(("accuracy", "spa", "consistency"), 0.5),
    **dict.fromkeys(("acc-eq", "consistency-strict", "pce")),
}

# Statistics that are a share of pairs of outputs.
_SHARES = ("accuracy", "acc-eq", "consistency", "consistency-strict")

_NUMBER_WORDS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
)


def triangle_marks(correlations: SetCorrelations, metric_order: Sequence[int]) -> list[list[str]]:
    """Return the marks of all pairs of metrics, for `triangle_table`.

    Parameters
    ----------
    correlations : SetCorrelations
        With p-values.
    metric_order : sequence of int
        The indices of the metrics, best first.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.judgement import ScoreTable
    >>> human = ScoreTable("people", ("A",), np.zeros((1, 1)))
    >>> p = np.array([[np.nan, 0.01], [0.99, np.nan]])
    >>> triangle_marks(SetCorrelations("s", "system", "pearson", human, (), (), p), [0, 1])
    [['-**']]
    """
    p = correlations.p_values
    assert p is not None

    def mark(left: int, above: int) -> str:
        for sign, value in (("+", p[above, left]), ("-", p[left, above])):
            if value <= _WEAKLY_SIGNIFICANT:
                return sign + ("**" if value <= _SIGNIFICANT else "*")
        return "0"

    return [
        [mark(row, above) for above in metric_order[index:]]
        for index, row in enumerate(metric_order[:-1], 1)
    ]


def set_reading(correlations: SetCorrelations) -> str:
    """Return a sentence on which metrics agree best with human judgements.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.judgement import ScoreTable
    >>> human = ScoreTable("people", ("A",), np.zeros((1, 1)))
    >>> rows = [Correlation("frs", "system", "pearson", 0.9, 0.5, 0.98, 12)]
    >>> set_reading(SetCorrelations("s", "system", "pearson", human, (), rows))
    'frs has pearson 0.9000 [0.5000, 0.9800] with people (n = 12).'
    """
    valued = [
        place
        for place in best_first(correlations.rows)
        if not math.isnan(correlations.rows[place].value)
    ]
    if not valued:
        reasons = dict.fromkeys(row.reason for row in correlations.rows if row.reason)
        return f"No metric has a number{': ' if reasons else ''}{'; '.join(reasons)}."
    best = correlations.rows[valued[0]]
    value = f"{correlations.statistic} {value_text(best)}"
    if len(valued) == 1:
        chance = (
            f"; {_against_chance(correlations, best)}" if _none_above_chance(correlations) else ""
        )
        return f"{printable(best.metric)} has {value} with people (n = {best.n}){chance}."
    if _none_above_chance(correlations):
        name = f"{printable(best.metric)} has the highest {value} (n = {best.n})"
        chance = _against_chance(correlations, best)
        return f"No metric is shown to agree with people: {name}, and {chance}."
    statement = f"{printable(best.metric)} agrees best with people: {value} (n = {best.n})"
    if correlations.p_values is None:
        other_names = _name_list([correlations.rows[place].metric for place in valued[1:]])
        return f"{statement}; no test says whether it is really better than {other_names}."
    # NaN: there was no test.
    tied = [
        place for place in valued[1:] if not correlations.p_values[valued[0], place] <= _SIGNIFICANT
    ]
    tied_names = [correlations.rows[place].metric for place in tied]
    worse = len(valued) - 1 - len(tied_names)
    test = f"the test ({correlations.test}, 95 %)" if correlations.test else "the test (95 %)"
    if not tied_names:
        other_names = {1: "the other one", 2: "both others"}.get(worse, f"all {worse} others")
        return f"{statement}; {test} finds it better than {other_names}."
    return f"{statement}; {test} does not tell it from {_name_list(tied_names)}."


def _none_above_chance(correlations: SetCorrelations) -> bool:
    """Return whether no interval of a metric lies above agreement by chance."""
    chance = _CHANCE_VALUES.get(correlations.statistic, 0.0)
    bounded = [row for row in correlations.rows if not math.isnan(row.low + row.high)]
    return bool(bounded) and chance is not None and all(row.low <= chance for row in bounded)


def _against_chance(correlations: SetCorrelations, row: Correlation) -> str:
    """Describe the position of an interval that is not above chance."""
    below = row.high < (_CHANCE_VALUES.get(correlations.statistic, 0.0) or 0.0)
    return f"the interval {'is below' if below else 'includes'} chance"


def plain_reading(correlations: SetCorrelations) -> str:
    """Return a sentence, without terms of statistics, on the metric that agrees best with people.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.judgement import ScoreTable
    >>> human = ScoreTable("people", ("A",), np.zeros((1, 1)))
    >>> rows = [Correlation("chrf", "segment", "accuracy", 0.682, 0.671, 0.693, 900)]
    >>> plain_reading(SetCorrelations("s", "segment", "accuracy", human, (), rows))
    'chrF agrees with people in 68.2 % of pairs [67.1, 69.3].'
    """
    valued = [
        place
        for place in best_first(correlations.rows)
        if not math.isnan(correlations.rows[place].value)
    ]
    if not valued:
        return "No metric can be compared with people here."
    best = correlations.rows[valued[0]]
    is_share = correlations.statistic in _SHARES
    if is_share:
        has_bounds = not (math.isnan(best.low) or math.isnan(best.high))
        bounds = f" [{100 * best.low:.1f}, {100 * best.high:.1f}]" if has_bounds else ""
        extent = f"in {100 * best.value:.1f} % of pairs{bounds}"
    else:
        scale = "1 would be full agreement, 0 none"
        unit = correlations.unit
        extent = f"its scores of {unit}s and theirs agree by {value_text(best)}, where {scale}"
    statement = f"{printable(called(best.metric))} agrees with people"
    if _none_above_chance(correlations):
        first = f"{printable(called(best.metric))} comes first{', ' if is_share else ': '}{extent}"
        return f"No metric is shown to agree with people more than by chance: {first}."
    if len(valued) == 1:
        return f"{statement} {extent}." if is_share else f"{statement}: {extent}."
    statement += f" {'most often' if is_share else 'best'}: {extent}"
    if correlations.p_values is None:
        return f"{statement}; no test says whether it is really better than the others."
    # NaN: there was no test.
    tied_count = sum(
        not correlations.p_values[valued[0], place] <= _SIGNIFICANT for place in valued[1:]
    )
    if not tied_count:
        return f"{statement}; it is surely better than all others."
    count = _NUMBER_WORDS[tied_count] if tied_count < len(_NUMBER_WORDS) else str(tied_count)
    return (
        f"{statement}; {count} other metric{'s' * (tied_count > 1)} cannot be told apart from it."
    )


def _name_list(names: Sequence[str]) -> str:
    """Return a few names, or the number of many."""
    if len(names) > _MAX_LISTED:
        return f"{len(names)} others"
    return joined([printable(name) for name in names], "or")
