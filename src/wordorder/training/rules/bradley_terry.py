"""Rules to begin with: the strength of each class of members, from which comes before which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from wordorder.order.orders import Orders, untied_ranks
from wordorder.reordering.conditions import Clause, Condition, Pattern
from wordorder.reordering.label_schemes import foreign_labels, label_scheme
from wordorder.reordering.precedence import PrecedenceRules, projective
from wordorder.reordering.rule import OTHERS, SELF, Member, Rule, RuleFile
from wordorder.training.rules.features import heads_of, is_plain
from wordorder.treebank.column import NOTHING
from wordorder.treebank.treebank import Treebank
from wordorder.types import Float64, Int64

# Passes over the strengths; they move by less than a hundredth long before.
PASSES = 100
# Each two classes count as having come in either order this often: no strength is infinite.
PRIOR = 0.5


def bradley_terry(wins: Float64) -> Float64:
    """Return strengths: members of a stronger class come before those of a weaker one.

    Bradley and Terry (1952): class ``i`` comes before ``j`` with probability
    ``p_i / (p_i + p_j)``. Fitted by the minorisation of Hunter (2004, equation 3).

    Parameters
    ----------
    wins : float64[C, C]
        How often a member of class ``i`` comes before one of class ``j``. The diagonal is not
        looked at.

    Returns
    -------
    float64[C]
        Logarithms of the strengths, their mean being 0.

    Examples
    --------
    >>> bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]])).round(4).tolist()
    [0.5493, -0.5493]
    """
    wins = wins * (1 - np.eye(len(wins)))
    pairs = wins + wins.T
    strength = np.ones(len(wins))
    for _ in range(PASSES):
        met = pairs / (strength[:, None] + strength[None, :])
        strength = wins.sum(axis=1) / met.sum(axis=1) if len(wins) > 1 else strength
        strength /= np.exp(np.log(strength).mean())
    found: Float64 = np.log(strength)
    return found


def first_rules(
    treebank: Treebank, reference: Orders, least: int = 20, barriers: Sequence[str] = ()
) -> PrecedenceRules:
    """Return rules with one weight for each class of heads and label of children.

    A class of heads is a universal tag (where there are none, a tag of the language) that `least`
    families have; all others are one class. Children of a label that occurs `least` times in a
    class of heads have a weight there, fitted by `bradley_terry` to the places of the members in
    the reference order. Children of one label keep their order or turn it round, as most do.

    Parameters
    ----------
    treebank : Treebank
        Trees.
    reference : Orders
        Their reference orders; words that an order lacks say nothing.
    least : int
        See above.
    barriers : sequence of str
        Labels that nothing moves across. The strengths do not know of them.

    Examples
    --------
    >>> bank = Treebank.from_words([["saw", "him"]] * 2, heads=[[0, 1]] * 2,
    ...                            label=[["root", "obj"]] * 2)
    >>> rules = first_rules(bank, Orders.from_rows([[1, 0]] * 2), least=1)
    >>> str(rules.orders(bank)[0])
    '1 0'
    """
    families = _Families(treebank, reference)
    column = "upos" if families.has("upos") else "xpos"
    by_tag = families.by_tag(column)
    usual = sorted(tag for tag, found in by_tag.items() if len(found) >= least and is_plain(tag))
    rules = [
        families.rule(tag, Clause((Pattern(column, (tag,)),)), by_tag[tag], least) for tag in usual
    ]
    rest = [head for tag, found in by_tag.items() if tag not in usual for head in found]
    rules.append(families.rule("rest", Clause(), rest, least))
    fixed = tuple(Member(label, 0) for label in barriers)
    rules = [replace(rule, barriers=fixed) for rule in rules]
    foreign = {
        key: sum(foreign_labels(label_scheme(key), families.treebank).values())
        for key in ("ud", "sd")
    }
    scheme = min(foreign, key=lambda key: foreign[key])
    file = RuleFile(
        "learned", "", "any" if foreign[scheme] else scheme, tuple(rules), "learned", "learned"
    )
    return PrecedenceRules(file)


class _Families:
    """The families of a treebank, and where their members are in the reference."""

    def __init__(self, treebank: Treebank, reference: Orders) -> None:
        self.treebank = projective(treebank)
        heads = heads_of(self.treebank)
        self.own, self.whole = _places(self.treebank, heads, reference)
        self.labels = [label.partition(":")[0] for label in self.treebank.label.strings()]
        self.children: dict[int, list[int]] = {}
        for word, head in enumerate(heads.tolist()):
            if head >= 0:
                self.children.setdefault(head, []).append(word)

    def has(self, column: str) -> bool:
        """Return whether a column says something."""
        return any(word != NOTHING for word in self.treebank.columns[column].strings())

    def by_tag(self, column: str) -> dict[str, list[int]]:
        """Return the heads of families by their tag."""
        tags = self.treebank.columns[column].strings()
        found: dict[str, list[int]] = {}
        for head in self.children:
            found.setdefault(tags[head], []).append(head)
        return found

    def rule(self, name: str, head: Clause, heads: list[int], least: int) -> Rule:
        """Return the rule of a class of heads."""
        counts = Counter(self.labels[child] for each in heads for child in self.children[each])
        names = sorted(
            label for label, n in counts.items() if n >= least and label != SELF and is_plain(label)
        )
        names += [OTHERS, SELF]
        number = {each: i for i, each in enumerate(names)}
        wins = np.full((len(names), len(names)), PRIOR)
        for each in heads:
            members = []
            for member in sorted([each, *self.children[each]]):
                if member == each:
                    members.append((number[SELF], self.own[member]))
                else:
                    at = number.get(self.labels[member], number[OTHERS])
                    members.append((at, self.whole[member]))
            for (first, one), (second, other) in combinations(members, 2):
                # A comparison with NaN, the place of words that the reference lacks, is false.
                # On the diagonal the two cells are one: what is turned round counts there.
                if first == second:
                    wins[first, first] += float(one > other) - float(one < other)
                else:
                    wins[first, second] += float(one < other)
                    wins[second, first] += float(one > other)
        order = np.argsort(-bradley_terry(wins), kind="stable").tolist()
        return Rule(
            name,
            Condition((head,)),
            tuple(Member(names[at], rank) for rank, at in enumerate(order)),
            tuple(bool(wins[at, at] > PRIOR) for at in order),
            (),
        )


def _places(bank: Treebank, heads: Int64, reference: Orders) -> tuple[Float64, Float64]:
    """Return the rank of each word in the reference, and the mean rank of all that is below it.

    NaN where the reference has no word.
    """
    rank = np.full(bank.words, np.nan)
    starts = np.repeat(bank.offsets[:-1], reference.lengths)
    ranks = reference.ranks if reference.ranks is not None else untied_ranks(reference.positions)
    rank[starts + reference.positions.values] = ranks.values
    known = ~np.isnan(rank)
    total, count = np.where(known, rank, 0.0), known.astype(np.float64)
    depth = np.zeros(bank.words, np.int64)
    above = heads.copy()
    while (above >= 0).any():
        depth[above >= 0] += 1
        above = np.where(above >= 0, heads[np.maximum(above, 0)], -1)
    for level in range(int(depth.max(initial=0)), 0, -1):
        words = np.flatnonzero(depth == level)
        np.add.at(total, heads[words], total[words])
        np.add.at(count, heads[words], count[words])
    with np.errstate(invalid="ignore"):
        return rank, total / count
