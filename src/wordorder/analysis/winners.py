"""Whether another rule for words without a link makes another system the best of a grid."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.analysis.grid import Grid
from wordorder.analysis.grid_evaluation import scored_systems
from wordorder.analysis.grid_systems import GridSystems
from wordorder.notes import note
from wordorder.order.reference import LIMITED, RULES, UNALIGNED, reference_orders
from wordorder.statistics.intervals import RESOLUTION
from wordorder.treebank.treebank import Treebank


def note_other_winners(
    grid: Grid, systems: GridSystems, alignments: Alignments, convention: Mapping[str, str | None]
) -> None:
    """Note if the system that is best by the first metric is another under other conventions.

    Parameters
    ----------
    grid : Grid
        What is shown.
    systems : GridSystems
    alignments : Alignments
        Those that the reference orders were made of.
    convention : mapping
        How they were made: `rule`, `unaligned` and `links` of `reference_orders`. Only `unaligned`
        is varied.

    Warns
    -----
    WordOrderWarning
        In one line, with the values of both systems under each convention.
    """
    if len(systems.names) < 2 or not len(alignments):
        return
    rule, links = str(convention["rule"]), str(convention["links"])
    asked = convention["unaligned"] or RULES[rule]
    metric, words = grid.metrics[0], systems.words
    scores = {asked: [system.scores[0].value for system in grid.evaluation.systems]}
    for unaligned in LIMITED.get(rule, UNALIGNED):
        if unaligned != asked:
            orders = reference_orders(
                alignments,
                words.lengths,
                rule=rule,
                unaligned=unaligned,
                links=links,
                words=words.sentences() if rule == "lader" else None,
            )
            evaluation = scored_systems(orders, systems, [metric])
            scores[unaligned] = [system.scores[0].value for system in evaluation.systems]
    sign = 1 if metric.higher_is_better else -1
    values = {unaligned: sign * np.array(each) for unaligned, each in scores.items()}
    best = {unaligned: int(np.argmax(each)) for unaligned, each in values.items()}
    first = best[asked]
    others = [
        unaligned
        for unaligned, each in values.items()
        if each[best[unaligned]] - each[first] > RESOLUTION * abs(each[first])
    ]
    if not others:
        return

    def shown(unaligned: str, winner: int, other: int) -> str:
        of = scores[unaligned]
        names = systems.names
        return f"{unaligned}: {names[winner]} ({of[winner]:.3f}; {names[other]} {of[other]:.3f})"

    said = [shown(asked, first, best[others[0]])]
    said += [shown(unaligned, best[unaligned], first) for unaligned in others]
    note(
        f"which system is best by {metric.name} depends on --unaligned, the place of words "
        f"without a link ({_without_link(alignments, words)} of the words): {', '.join(said)}; "
        "--sensitivity shows all cases"
    )


def _without_link(alignments: Alignments, words: Treebank) -> str:
    """Return the share of source words without a link, as it is printed."""
    linked = np.zeros(words.words, np.bool_)
    linked[np.repeat(words.offsets[:-1], np.diff(alignments.offsets)) + alignments.source] = True
    return f"{1 - linked.mean():.0%}".replace("%", " %")
