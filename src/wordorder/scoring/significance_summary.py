"""Sentences that summarize the pairwise tests of several systems."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from wordorder.errors import UsageError
from wordorder.messages import joined, percent
from wordorder.statistics.measurement import NOT_COMPARED
from wordorder.statistics.paired_tests import Comparison
from wordorder.text.display import printable

# More names or pairs than these are counted, not listed.
LISTED_NAMES = 3
LISTED_PAIRS = 3


def triangle_reading(
    names: Sequence[str], marks: Sequence[Sequence[str]], *, shared: str = "item"
) -> str:
    """Summarize a triangle of marks in one sentence.

    Parameters
    ----------
    names : sequence of str
        Names of the n systems.
    marks : n - 1 rows of str
        Marks as returned by `wordorder.statistics.paired_tests.Comparison.triangle`.
    shared : str
        Noun for what two systems must have in common to be compared.

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
    not_compared: list[tuple[int, int]] = []
    for a, row in enumerate(marks):
        for b, mark in enumerate(row, a + 1):
            if mark in ("0", NOT_COMPARED):
                (equal if mark == "0" else not_compared).append((a, b))
                continue
            winner, loser = (b, a) if mark[0] == "+" else (a, b)
            wins[95 if mark.endswith("**") else 90][winner].add(loser)
    clauses = [_describe_winners(names, beaten, level) for level, beaten in wins.items() if beaten]
    if not clauses and equal and not not_compared:
        subject = joined(names) if len(names) == 2 else f"any two of the {len(names)} systems"
        return f"No significant difference between {subject}."
    if equal:
        clauses.append(_no_difference(names, equal))
    if not_compared:
        clauses.append(_not_compared(names, not_compared, shared))
    text = "; ".join(clauses)
    return f"{text if wins[95] or wins[90] else text[0].upper() + text[1:]}."


def comparison_reading(names: Sequence[str], comparison: Comparison) -> str:
    """Summarize a comparison in a few sentences.

    They describe the marks, the share of words compared, and the pairs whose scores have the
    opposite order.

    Examples
    --------
    >>> from wordorder.statistics.paired_tests import PairTest
    >>> pair = PairTest(0, 1, -0.1, None, None, 0.001, "-**", 0.9)
    >>> comparison_reading(["A", "B"], Comparison("bootstrap", 9, 1, True, (0.4, 0.5), (pair,)))
    "A is better than B (95 %), on the 90 % of the reference's words that both match. The scores, of
    each system's own words, put B before A."
    """
    summary = triangle_reading(names, comparison.triangle(), shared="pair of words")
    common_shares = [pair.common for pair in comparison.pairs if pair.mark != NOT_COMPARED]
    summary = _on_common_words(summary, common_shares, len(comparison.pairs))
    reversed_pairs = [
        f"{printable(names[second])} before {printable(names[first])}"
        for first, second in combinations(comparison.ranked(), 2)
        if comparison.scores_better(second, first)
    ]
    if not reversed_pairs:
        return summary
    pairs_text = joined(reversed_pairs)
    if len(reversed_pairs) > LISTED_PAIRS:
        pairs_text = f"{len(reversed_pairs)} pairs the other way round"
    return f"{summary} The scores, of each system's own words, put {pairs_text}."


def _on_common_words(summary: str, shares: Sequence[float | None], pairs: int) -> str:
    """Append the share of words that pairs were compared on, unless it is 100 %."""
    known_shares = [share for share in shares if share is not None]
    if not known_shares or min(known_shares) >= 1:
        return summary
    low, high = percent(min(known_shares), 1), percent(max(known_shares), 1)
    if pairs == 1:
        return f"{summary[:-1]}, on the {low} of the reference's words that both match."
    share_range = low if low == high else f"{low.removesuffix(' %')} to {high}"
    subject = "Each pair" if len(known_shares) == pairs else "Each other pair"
    return (
        f"{summary} {subject} is compared on the words that both match: "
        f"{share_range} of the reference's."
    )


def _describe_winners(names: Sequence[str], wins: dict[int, set[int]], level: int) -> str:
    """Describe which systems are better than which; winners over the same systems are joined."""
    winners: dict[frozenset[int], list[int]] = defaultdict(list)
    for winner in sorted(wins, key=lambda w: (-len(wins[w]), w)):
        winners[frozenset(wins[winner])].append(winner)
    parts: list[str] = []
    for losers, group in winners.items():
        not_beaten = sorted(set(range(len(names))) - losers - set(group))
        if not not_beaten:
            whom = joined([names[i] for i in sorted(losers)]) if len(names) < 4 else "all others"
        elif len(losers) <= LISTED_NAMES:
            whom = joined([names[i] for i in sorted(losers)])
        elif len(not_beaten) == 1:
            whom = f"all others but {names[not_beaten[0]]}"
        else:
            whom = f"{len(losers)} of the others"
        verb = "" if parts else ("is better " if len(group) == 1 else "are better ")
        parts.append(f"{joined([names[i] for i in group])} {verb}than {whom}")
    return f"{', '.join(parts)} ({level} %)"


def _no_difference(names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> str:
    """Describe the pairs without a significant difference."""
    if len(pairs) > LISTED_PAIRS:
        return f"no significant difference in the other {len(pairs)} pairs"
    phrases = [f"between {names[a]} and {names[b]}" for a, b in pairs]
    return f"no significant difference {' or '.join(phrases)}"


def _not_compared(names: Sequence[str], pairs: Sequence[tuple[int, int]], shared: str) -> str:
    """Describe the pairs without common items."""
    if len(pairs) > LISTED_PAIRS:
        return f"{len(pairs)} pairs without a common {shared} are not compared"
    phrases = joined([f"{names[a]} and {names[b]}" for a, b in pairs], "or")
    return f"not compared, without a common {shared}: {phrases}"


def check_triangle(names: Sequence[str], marks: Sequence[Sequence[str]]) -> None:
    """Refuse marks that are not a triangle over the names.

    Raises
    ------
    UsageError
        If the rows do not form a triangle, or a mark is not valid.
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
