"""Children that no rule names, by rule and label."""

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Placement
from wordorder.analysis.findings import describe_loss
from wordorder.analysis.section import Finding, Group, Section
from wordorder.analysis.tally import Tally, largest_first
from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.messages import counted
from wordorder.reordering.conditions import OTHER_CHILDREN
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.treebank.treebank import numbered


@dataclass(frozen=True, eq=False)
class OtherChildren:
    """Children that no rule names: K groups, the costliest first.

    Attributes
    ----------
    names : tuple of (str, str)
        The rule that orders the siblings, or ``none``, and the label of the child.
    words, misordered : int64[K]
        The number of words that both system and reference have, and of those next to a broken
        boundary.
    lost : float64[K]
        The FRS lost at these words.
    examples : tuple of tuples of int
        Indices of the sentences that lose most there.
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
        A system with trees and precedence rules.
    placement : Placement
        The placement of the system's words.

    Raises
    ------
    UsageError
        If the system has no trees or no precedence rules.
    """
    treebank, rules = system.treebank, system.rules
    if treebank is None or not isinstance(rules, PrecedenceRules):
        raise UsageError(f"{system.name} has no trees with precedence rules")
    applied = rules.apply(treebank)
    heads = applied.treebank.heads
    starts = np.repeat(treebank.offsets[:-1], treebank.lengths)
    # The index of the rule plus 1; 0 for children that no rule orders.
    rule = 1 + applied.fired[np.maximum(starts + heads - 1, 0)].astype(np.int64)
    is_catch_all = np.array(
        [*(name == OTHER_CHILDREN for name in rules.entry_names), False], np.bool_
    )
    is_other = (heads > 0) & ((rule == 0) | is_catch_all[np.maximum(applied.entry, -1)])
    labels, strings = numbered(treebank.label)
    size = max(len(strings), 1)
    keys = rule * size + labels
    selected = is_other[placement.words]
    words = placement.words[selected]
    group_keys, groups = np.unique(keys[words], return_inverse=True)
    tally, charged = Tally(groups, len(group_keys)), placement.lost[selected]
    occurs, lost = tally.count(), tally.sums(charged)
    examples = tally.costliest(placement.sentences[selected], charged)
    order = largest_first(lost, occurs).tolist()
    names = ("none", *rules.rule_names)
    return OtherChildren(
        tuple((names[int(key) // size], strings[int(key) % size]) for key in group_keys[order]),
        occurs[order],
        tally.count(placement.misordered[selected])[order],
        lost[order],
        tuple(examples[group] for group in order),
    )


def other_children_sections(analysed: AnalysedOrders) -> list[Section]:
    """Return the table of the children that no rule names.

    Parameters
    ----------
    analysed : AnalysedOrders
        The view of one system.

    Returns
    -------
    list of Section
        ``other-children``; empty if the system has no trees with precedence rules.
    """
    system, placement = analysed.system, analysed.placement
    if system.treebank is None or not isinstance(system.rules, PrecedenceRules):
        return []
    counts = other_children(system, placement)
    reading = f"The rules of {system.name} name every child."
    if counts.names:
        rule, label = counts.names[0]
        place = "in families that no rule orders" if rule == "none" else f"under rule {rule}"
        reading = (
            f"{int(counts.words.sum())} of {len(placement.words)} words are children that no rule "
            f"of {system.name} names; {label} {place} loses most, {counts.lost[0]:.4f} FRS."
        )
    return [
        Section.of_columns(
            {
                "rule": [rule for rule, _ in counts.names],
                "label": [label for _, label in counts.names],
                "occurs": counts.words,
                "misordered": counts.misordered,
                "rate": counts.misordered / counts.words,
                "FRS lost": counts.lost,
            },
            findings=_children_findings(analysed, counts),
            key="other-children",
            group=Group.RULES,
            title=f"Children that the rules of {system.name} do not name",
            reading=reading,
            examples=counts.examples,
            note="Words that a rule covers only by *, or whose head no rule orders (none). "
            "Misordered and FRS lost are defined as in the tables of misordered words: half "
            "the cost of each broken boundary next to the word. Its neighbour may be the "
            "misplaced word.",
        )
    ]


def _children_findings(analysed: AnalysedOrders, counts: OtherChildren) -> tuple[Finding, ...]:
    """Return a finding about the costliest children that no rule names."""
    if not counts.names or counts.lost[0] <= 0:
        return ()
    rule, label = counts.names[0]
    reason = "no rule orders them" if rule == "none" else f"the rule '{rule}' does not name them"
    lost = 100 * float(counts.lost[0])
    sentence = (
        f"{analysed.system.name} misorders {int(counts.misordered[0])} of "
        f"{counted(int(counts.words[0]), 'word')} of the relation {label}, and {reason}: "
        f"{describe_loss(lost, analysed.placement.frs)}."
    )
    return (Finding(sentence, lost, counts.examples[0]),)
