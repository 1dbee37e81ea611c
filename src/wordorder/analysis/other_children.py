"""Children that no rule names: caught by ``*``, or in families that no rule orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.finding import Finding
from wordorder.analysis.placement import Placement
from wordorder.analysis.points import of_the_loss
from wordorder.analysis.section import Section
from wordorder.analysis.system import AnalysedSystem
from wordorder.counts import counted
from wordorder.errors import UsageError
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rule import OTHERS
from wordorder.treebank.strings import numbered
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class OtherChildren:
    """Children that no rule names: K kinds, the costliest first.

    Attributes
    ----------
    names : tuple of (str, str)
        The rule that orders the family, ``none`` if none does, and the label of the child.
    words, misordered : int64[K]
        How many there are, of the words that system and reference both have, and how many are
        beside a broken boundary.
    lost : float64[K]
        The FRS that they are charged.
    examples : tuple of tuples of int
        The sentences that lose most through them.
    """

    names: tuple[tuple[str, str], ...]
    words: Int64
    misordered: Int64
    lost: Float64
    examples: tuple[tuple[int, ...], ...]


def other_children(system: AnalysedSystem, placement: Placement) -> OtherChildren:
    """Count the children that no rule names, by rule and label.

    Parameters
    ----------
    system : AnalysedSystem
        With trees and precedence rules.
    placement : Placement
        Of the system.

    Raises
    ------
    UsageError
        If it has no trees with precedence rules.
    """
    treebank, rules = system.treebank, system.rules
    if treebank is None or not isinstance(rules, PrecedenceRules):
        raise UsageError(f"{system.name} has no trees with precedence rules")
    applied = rules.apply(treebank)
    heads = applied.treebank.heads
    starts = np.repeat(treebank.offsets[:-1], treebank.lengths)
    # Rules from 1; 0 for families that none orders.
    rule = 1 + applied.fired[np.maximum(starts + heads - 1, 0)].astype(np.int64)
    caught = np.array([*(name == OTHERS for name in rules.entry_names), False], np.bool_)
    other = (heads > 0) & ((rule == 0) | caught[np.maximum(applied.entry, -1)])
    labels, strings = numbered(treebank.label)
    size = max(len(strings), 1)
    keys = rule * size + labels
    chosen = other[placement.words]
    words = placement.words[chosen]
    different, kinds = np.unique(keys[words], return_inverse=True)
    count = len(different)
    lost = np.bincount(kinds, placement.lost[chosen], count)
    occurs = np.bincount(kinds, minlength=count)
    misordered = np.bincount(kinds, placement.misordered[chosen], count).astype(np.int64)
    shown = costliest_sentences(kinds, placement.sentences[chosen], placement.lost[chosen], count)
    order = np.lexsort((different, -occurs, -np.round(lost, 12))).tolist()
    names = ("none", *rules.rule_names)
    return OtherChildren(
        tuple((names[int(key) // size], strings[int(key) % size]) for key in different[order]),
        occurs[order],
        misordered[order],
        lost[order],
        tuple(shown[kind] for kind in order),
    )


def other_children_sections(
    system: AnalysedSystem, placement: Placement, *, suffix: str = ""
) -> list[Section]:
    """Show the children that no rule names: where the rules could say more.

    Parameters
    ----------
    system : AnalysedSystem
    placement : Placement
        Of the system.
    suffix : str
        What the keys of the sections end in: ``-2`` for a second system.

    Returns
    -------
    list of Section
        ``other-children``; empty if the system has no trees with precedence rules.
    """
    if system.treebank is None or not isinstance(system.rules, PrecedenceRules):
        return []
    counts = other_children(system, placement)
    reading = f"The rules of {system.name} name every child."
    if counts.names:
        rule, label = counts.names[0]
        family = "in families that no rule orders" if rule == "none" else f"under rule {rule}"
        reading = (
            f"{int(counts.words.sum())} of {len(placement.words)} words are children that no rule "
            f"of {system.name} names; {label} {family} loses most, {counts.lost[0]:.4f} FRS."
        )
    return [
        Section(
            findings=_findings(system, counts, placement.frs),
            key=f"other-children{suffix}",
            title=f"Children that the rules of {system.name} do not name",
            reading=reading,
            header=("rule", "label", "occurs", "misordered", "rate", "FRS lost"),
            rows=tuple(
                (*name, *row) for name, row in zip(counts.names, _rows(counts), strict=True)
            ),
            examples=counts.examples,
            note="Words that a rule covers only by *, or whose head no rule orders (none). "
            "Misordered and FRS lost are defined as in the tables of misordered words: half "
            "the cost of each broken boundary next to the word. Its neighbour may be the "
            "misplaced word.",
        )
    ]


def _findings(system: AnalysedSystem, counts: OtherChildren, frs: float) -> tuple[Finding, ...]:
    """Say where the rules could say more."""
    if not counts.names or counts.lost[0] <= 0:
        return ()
    rule, label = counts.names[0]
    where = "no rule orders them" if rule == "none" else f"the rule '{rule}' does not name them"
    lost = 100 * float(counts.lost[0])
    sentence = (
        f"{system.name} misorders {int(counts.misordered[0])} of "
        f"{counted(int(counts.words[0]), 'word')} of the relation {label}, and {where}: "
        f"{of_the_loss(lost, frs)}."
    )
    return (Finding(sentence, lost, counts.examples[0]),)


def _rows(counts: OtherChildren) -> Sequence[tuple[int, int, float, float]]:
    return list(
        zip(
            counts.words.tolist(),
            counts.misordered.tolist(),
            (counts.misordered / counts.words).tolist(),
            counts.lost.tolist(),
            strict=True,
        )
    )
