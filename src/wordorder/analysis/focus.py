"""Which of many systems an analysis looks at closely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.analysis.system import AnalysedSystem
from wordorder.errors import UsageError, unknown_name


def focus_systems(
    systems: Sequence[AnalysedSystem],
    names: Sequence[str] = (),
    *,
    values: Sequence[float] | None = None,
    higher_is_better: bool = True,
) -> tuple[int, ...]:
    """Choose the systems whose words and sentences are looked at.

    Parameters
    ----------
    systems : sequence of AnalysedSystem
    names : sequence of str
        Of systems, in the order in which they are wanted. Without names: the system with the best
        value, and the best one of the systems that have the same rules and other trees; if there
        is none, the second best system.
    values : sequence of float, optional
        What the systems score on the corpus; by default the means of the scores of sentences.
    higher_is_better : bool
        Of the scores.

    Returns
    -------
    tuple of int
        Numbers of systems.

    Raises
    ------
    UsageError
        If no system has such a name, or one is named twice.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> systems = [
    ...     AnalysedSystem(name, Orders.from_rows([[0]]), np.array([score]), np.zeros(1, bool))
    ...     for name, score in [("A", 0.2), ("B", 1.0)]
    ... ]
    >>> focus_systems(systems), focus_systems(systems, ["A"])
    ((1, 0), (0,))
    """
    if names:
        known = [system.name for system in systems]
        for name in names:
            if name not in known:
                raise unknown_name("system", name, known)
        if len(set(names)) < len(names):
            raise UsageError(f"a system is listed twice: {', '.join(names)}")
        return tuple(known.index(name) for name in names)
    ranked_by = list(map(_mean, systems)) if values is None else values
    means = [value if higher_is_better else -value for value in ranked_by]
    # Equal but for rounding: the first one counts as better.
    ranked = sorted(range(len(systems)), key=lambda number: (-round(means[number], 12), number))
    if len(ranked) < 2:
        return tuple(ranked)
    best = systems[ranked[0]]
    rivals = [
        number
        for number in ranked[1:]
        if best.rules is not None
        and systems[number].rules is best.rules
        and systems[number].treebank is not best.treebank
    ]
    return ranked[0], (rivals or ranked[1:])[0]


def _mean(system: AnalysedSystem) -> float:
    scored = int(np.count_nonzero(~system.skipped))
    return float(system.scores[~system.skipped].sum()) / max(scored, 1)
