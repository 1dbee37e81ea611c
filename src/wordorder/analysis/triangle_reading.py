"""What the pairwise tests of several systems say in words."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from wordorder.errors import UsageError
from wordorder.messages import joined, percent
from wordorder.statistics.measurement import NOT_COMPARED
from wordorder.statistics.paired_tests import Comparison
from wordorder.text.display import printable

# More names or pairs than these are counted, not listed: the sentence stays one sentence.
LISTED_NAMES = 3
LISTED_PAIRS = 3


def triangle_reading(
    names: Sequence[str], marks: Sequence[Sequence[str]], *, shared: str = "item"
) -> str:
    """Say in one sentence what a triangle of marks shows.

    Parameters
    ----------
    names : sequence of str
        The systems, n of them.
    marks : n - 1 rows of str
        As `wordorder.statistics.paired_tests.Comparison.triangle` gives them.
    shared : str
        What two systems must have in common to be compared.

    Raises
    ------
    UsageError
        If the marks are not a triangle.

    Examples
    --------
    >>> triangle_reading(["A", "B", "C"], [["+**", "+**"], ["0"]])
    'B and C are better than A (95 %); no significant difference between B and C.'
    """
    check_triangle(names, marks)
    names = [printable(name) for name in names]
    if len(names) < 2:
        return "There is only one system, so nothing is compared."
    wins: dict[int, dict[int, set[int]]] = {95: defaultdict(set), 90: defaultdict(set)}
    equal: list[tuple[int, int]] = []
    apart: list[tuple[int, int]] = []
    for a, row in enumerate(marks):
        for b, mark in enumerate(row, a + 1):
            if mark in ("0", NOT_COMPARED):
                (equal if mark == "0" else apart).append((a, b))
                continue
            winner, loser = (b, a) if mark[0] == "+" else (a, b)
            wins[95 if mark.endswith("**") else 90][winner].add(loser)
    clauses = [_better(names, beaten, level) for level, beaten in wins.items() if beaten]
    if not clauses and equal and not apart:
        subject = joined(names) if len(names) == 2 else f"any two of the {len(names)} systems"
        return f"No significant difference between {subject}."
    if equal:
        clauses.append(_no_difference(names, equal))
    if apart:
        clauses.append(_not_compared(names, apart, shared))
    said = "; ".join(clauses)
    return f"{said if wins[95] or wins[90] else said[0].upper() + said[1:]}."


def comparison_reading(names: Sequence[str], comparison: Comparison) -> str:
    """Describe the marks of a comparison, on which words, and which scores rank otherwise.

    Examples
    --------
    >>> from wordorder.statistics.paired_tests import PairTest
    >>> pair = PairTest(0, 1, -0.1, None, None, 0.001, "-**", 0.9)
    >>> comparison_reading(["A", "B"], Comparison("bootstrap", 9, 1, True, (0.4, 0.5), (pair,)))
    "A is better than B (95 %), on the 90 % of the reference's words that both match. The scores, of
    each system's own words, put B before A."
    """
    reading = triangle_reading(names, comparison.triangle(), shared="pair of words")
    compared = [pair.common for pair in comparison.pairs if pair.mark != NOT_COMPARED]
    reading = _on_common_words(reading, compared, len(comparison.pairs))
    turned = [
        f"{printable(names[second])} before {printable(names[first])}"
        for first, second in combinations(comparison.ranked(), 2)
        if comparison.scores_better(second, first)
    ]
    if not turned:
        return reading
    listed = joined(turned)
    if len(turned) > LISTED_PAIRS:
        listed = f"{len(turned)} pairs the other way round"
    return f"{reading} The scores, of each system's own words, put {listed}."


def _on_common_words(reading: str, shares: Sequence[float | None], pairs: int) -> str:
    """Add the share of words that some of all pairs were compared on, unless it is all of them."""
    known = [share for share in shares if share is not None]
    if not known or min(known) >= 1:
        return reading
    low, high = percent(min(known), 1), percent(max(known), 1)
    if pairs == 1:
        return f"{reading[:-1]}, on the {low} of the reference's words that both match."
    span = low if low == high else f"{low.removesuffix(' %')} to {high}"
    which = "Each pair" if len(known) == pairs else "Each other pair"
    return f"{reading} {which} is compared on the words that both match: {span} of the reference's."


def _better(names: Sequence[str], wins: dict[int, set[int]], level: int) -> str:
    """Say who is better than whom; winners over the same systems share their words."""
    winners: dict[frozenset[int], list[int]] = defaultdict(list)
    for winner in sorted(wins, key=lambda w: (-len(wins[w]), w)):
        winners[frozenset(wins[winner])].append(winner)
    parts: list[str] = []
    for losers, group in winners.items():
        others = sorted(set(range(len(names))) - losers - set(group))
        if not others:
            whom = joined([names[i] for i in sorted(losers)]) if len(names) < 4 else "all others"
        elif len(losers) <= LISTED_NAMES:
            whom = joined([names[i] for i in sorted(losers)])
        elif len(others) == 1:
            whom = f"all others but {names[others[0]]}"
        else:
            whom = f"{len(losers)} of the others"
        verb = "" if parts else ("is better " if len(group) == 1 else "are better ")
        parts.append(f"{joined([names[i] for i in group])} {verb}than {whom}")
    return f"{', '.join(parts)} ({level} %)"


def _no_difference(names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> str:
    """Say which pairs look alike."""
    if len(pairs) > LISTED_PAIRS:
        return f"no significant difference in the other {len(pairs)} pairs"
    listed = [f"between {names[a]} and {names[b]}" for a, b in pairs]
    return f"no significant difference {' or '.join(listed)}"


def _not_compared(names: Sequence[str], pairs: Sequence[tuple[int, int]], shared: str) -> str:
    """List the pairs that share too little to be compared."""
    if len(pairs) > LISTED_PAIRS:
        return f"{len(pairs)} pairs without a common {shared} are not compared"
    listed = joined([f"{names[a]} and {names[b]}" for a, b in pairs], "or")
    return f"not compared, without a common {shared}: {listed}"


def check_triangle(names: Sequence[str], marks: Sequence[Sequence[str]]) -> None:
    """Refuse marks that are not a triangle over the names.

    Raises
    ------
    UsageError
        That says what is wrong.
    """
    if [len(row) for row in marks] != list(range(len(names) - 1, 0, -1)):
        raise UsageError(
            f"the rows of marks have {[len(row) for row in marks]} cells, which is no triangle "
            f"over {len(names)} systems"
        )
    legal = {"0", "+*", "+**", "-*", "-**"}
    strange = sorted({mark for row in marks for mark in row} - legal - {NOT_COMPARED})
    if strange:
        raise UsageError(f"not a mark: {strange[0]!r}; legal marks: {', '.join(sorted(legal))}")
