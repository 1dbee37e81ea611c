"""Scores of small changes to a rule set, computed on the sentences that a change affects."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from wordorder.arrays import Float64, Int32, Int64, Ragged, group_rows, value_indices
from wordorder.kernels import learned as kernel, run_rows
from wordorder.metrics.contract import BaseMetric, statistics_in_pieces
from wordorder.order.orders import Orders, untied_ranks
from wordorder.reordering import conditions
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.unknown_names import foreign_labels, label_scheme
from wordorder.segments import Segments
from wordorder.training.rules.features import is_plain
from wordorder.treebank.preparation import projective
from wordorder.treebank.treebank import NO_VALUE, Treebank

# The maximum number of words per kernel call, over all variants.
MAX_WORDS = 2_000_000

# Iterations of the strengths, which converge to less than .01 long before.
STRENGTH_PASSES = 100

# Pseudo-count of either order of two classes, which keeps strengths finite.
PRIOR_WINS = 0.5


@dataclass(frozen=True)
class Slot:
    """A position in the order of a rule.

    Attributes
    ----------
    position : int
        ``2 r + 1`` for rank `r` itself, ``2 r`` for a new one before it; a new last rank is twice
        the number of ranks.
    turned : bool
        Whether words of a new rank come in reverse order.
    """

    position: int
    turned: bool = False


@dataclass(frozen=True, eq=False)
class Trial:
    """Words that may get an entry of their own in a rule.

    Attributes
    ----------
    rule : int
        The index of the rule.
    words : int64
        Children in the families that the rule orders.
    heads : int64
        Heads that may get a copy of the rule; with `moves_heads` they are moved themselves.
    moves_heads : bool
    """

    rule: int
    words: Int64
    heads: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    moves_heads: bool = False


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a trial.

    Attributes
    ----------
    rows : int64[R]
        The affected sentences.
    statistics : float64[V, R, k]
        The statistics of each variant.
    totals : float64[V, k]
        The sums over all sentences.
    """

    rows: Int64
    statistics: Float64
    totals: Float64


class Trials:
    """Applies rules to training sentences, and scores changes to them.

    Parameters
    ----------
    treebank : Treebank
    reference : Orders
    metric : BaseMetric
        A metric of orders.
    """

    def __init__(self, treebank: Treebank, reference: Orders, metric: BaseMetric) -> None:
        self.treebank = projective(treebank)
        self.reference = reference
        self.metric = metric
        self.sign = 1.0 if metric.higher_is_better else -1.0
        self.heads = self.treebank.above
        self.sentence = np.repeat(np.arange(len(treebank)), self.treebank.lengths)

    def use(self, rules: PrecedenceRules) -> None:
        """Set the rules to be changed."""
        self.rules = rules
        compiled = rules.compiled
        applied = rules.apply(self.treebank)
        self.fired, self.entry = applied.fired, applied.entry
        self.rank, self.turned, self.own = compiled.rank, compiled.turned, compiled.own
        self.entry_start = compiled.entry_start
        below = self.heads >= 0
        self.above = np.where(below, self.fired[np.maximum(self.heads, 0)], -1)
        self.first_rank = np.array(
            [
                self.rank[a:b].min()
                for a, b in zip(self.entry_start, self.entry_start[1:], strict=False)
            ]
        )
        self.statistics = self._scored(applied.orders, self.reference)
        self.totals = self.statistics.sum(axis=0)
        self.value = float(self.metric.score(self.totals))

    def scored(self, rules: PrecedenceRules, rows: Int64) -> Float64:
        """Return the statistics of some sentences under other rules, float64[R, k]."""
        return self._scored(rules.orders(self.treebank.take(rows)), self.reference.take(rows))

    def slots(self, trial: Trial) -> list[Slot]:
        """Return the slots for the words of a trial that differ in some sentence.

        Only ranks that occur in the families of the words matter, and new ranks between the same
        two ranks are equivalent. Existing ranks come first: they are preferred on ties.
        """
        is_head = np.zeros(len(self.fired), np.bool_)
        is_head[self.heads[trial.words]] = True
        is_head[trial.heads] = True
        is_member = is_head[np.maximum(self.heads, 0)] & (self.heads >= 0) & (self.entry >= 0)
        is_member[trial.words] = False
        ranks_present = set(self.rank[self.entry[is_member]].tolist())
        if not trial.moves_heads:
            ranks_present.add(int(self.rank[self.own[trial.rule]]))
        first = int(self.first_rank[trial.rule])
        ranks = sorted(rank - first for rank in ranks_present)
        slots_found = [Slot(2 * rank + 1) for rank in ranks] + [Slot(2 * rank) for rank in ranks]
        if ranks:
            slots_found.append(Slot(2 * ranks[-1] + 2))
        parents = self.heads[trial.words]
        if not trial.moves_heads and len(np.unique(parents)) < len(parents):
            slots_found += [
                Slot(slot.position, True) for slot in slots_found if slot.position % 2 == 0
            ]
        return slots_found

    def errors(self, outcome: Outcome) -> Float64:
        """Return the standard error of each variant's gain, from the sentences it changes."""
        copies, rows, _ = outcome.statistics.shape
        flat = outcome.statistics.reshape(copies * rows, -1)
        after = self.metric.score_segments(flat).reshape(copies, rows)
        scores_before = self.metric.score_segments(self.statistics[outcome.rows])
        error: Float64 = np.sqrt(((after - scores_before) ** 2).sum(axis=1)) / max(
            len(self.statistics), 1
        )
        return error

    def run(self, trial: Trial, slots: list[Slot]) -> Outcome:
        """Score a trial at some slots."""
        is_touched = np.zeros(len(self.treebank), np.bool_)
        is_touched[self.sentence[trial.words]] = True
        is_touched[self.sentence[trial.heads]] = True
        rows = np.flatnonzero(is_touched)
        words, offsets = value_indices(self.treebank.offsets, rows)
        entry, fired = self.entry.copy(), self.fired
        new_entry = len(self.rank)
        own_values = np.append(self.own, self.own[trial.rule])
        entry[trial.words] = new_entry
        if len(trial.heads):
            fired = fired.copy()
            fired[trial.heads] = len(self.own)
            if trial.moves_heads:
                own_values[-1] = new_entry
        elif trial.moves_heads:
            own_values[trial.rule] = new_entry
        reference = self.reference.take(rows)
        batch_size = max(1, MAX_WORDS // max(len(words), 1))
        statistics_parts = []
        for start in range(0, len(slots), batch_size):
            batch = slots[start : start + batch_size]
            orders = self._orders(
                self.treebank.heads[words],
                entry[words],
                fired[words],
                own_values,
                offsets,
                batch,
                trial,
            )
            repeated_reference = reference.take(np.tile(np.arange(len(rows)), len(batch)))
            statistics_parts.append(
                self._scored(orders, repeated_reference).reshape(len(batch), len(rows), -1)
            )
        statistics = np.concatenate(statistics_parts)
        totals = self.totals - self.statistics[rows].sum(axis=0) + statistics.sum(axis=1)
        return Outcome(rows, statistics, totals)

    def _orders(
        self,
        heads: Int32,
        entry: Int32,
        fired: Int32,
        own_values: Int32,
        offsets: Int64,
        slots: list[Slot],
        trial: Trial,
    ) -> Orders:
        """Return the orders of the touched sentences, once per slot of a new entry.

        Per word: `heads`; `entry`, the rule entry that places it, -1 for none, -2 for a barrier;
        `fired`, the rule that orders its children, -1 for none. `own_values` has the entry of the
        head itself in each rule, `offsets` the start of each sentence.
        """
        copies, ranks = len(slots), 2 * len(self.turned) + 2
        first = 2 * int(self.first_rank[trial.rule])
        turned = np.zeros((copies, ranks), np.int32)
        turned[:, 1 : 2 * len(self.turned) : 2] = self.turned
        rank = np.empty((copies, len(self.rank) + 1), np.int32)
        rank[:, :-1] = 2 * self.rank + 1
        for copy_index, slot in enumerate(slots):
            rank[copy_index, -1] = first + slot.position
            if slot.turned:
                turned[copy_index, first + slot.position] = 1
        shift = np.arange(copies, dtype=np.int32)[:, None]
        rank += ranks * shift
        size = len(self.rank) + 1
        entries = np.where(entry >= 0, entry + size * shift, entry).astype(np.int32).reshape(-1)
        rules = (
            np.where(fired >= 0, fired + len(own_values) * shift, fired)
            .astype(np.int32)
            .reshape(-1)
        )
        words = len(heads)
        starts = np.concatenate(
            [np.zeros(1, np.int64), (offsets[1:] + words * shift.astype(np.int64)).reshape(-1)]
        )
        order = np.empty(words * copies, np.int32)
        run_rows(
            kernel.family_orders,
            starts,
            *(starts, np.tile(heads, copies), rules, entries),
            *(rank.reshape(-1), turned.reshape(-1)),
            *((own_values + size * shift).astype(np.int32).reshape(-1), order),
            scratch=lambda longest: (longest,),
        )
        return Orders(Ragged(order, starts))

    def _scored(self, orders: Orders, reference: Orders) -> Float64:
        segments = Segments.from_orders(Orders(orders.positions), reference)
        return statistics_in_pieces(self.metric, segments)


def head_strengths(wins: Float64) -> Float64:
    """Return strengths: members of a class with a higher strength come first.

    Bradley and Terry (1952): class ``i`` comes before ``j`` with probability
    ``p_i / (p_i + p_j)``. Fitted by the minorisation of Hunter (2004, equation 3).

    Parameters
    ----------
    wins : float64[C, C]
        How often a member of class ``i`` comes before one of class ``j``. The diagonal is ignored.

    Returns
    -------
    float64[C]
        Logarithms of the strengths, with mean 0.

    Examples
    --------
    >>> head_strengths(np.array([[0.0, 3.0], [1.0, 0.0]])).round(4).tolist()
    [0.5493, -0.5493]
    """
    wins = wins * (1 - np.eye(len(wins)))
    pairs = wins + wins.T
    strength = np.ones(len(wins))
    for _ in range(STRENGTH_PASSES):
        expected = pairs / (strength[:, None] + strength[None, :])
        strength = wins.sum(axis=1) / expected.sum(axis=1) if len(wins) > 1 else strength
        strength /= np.exp(np.log(strength).mean())
    log_strength: Float64 = np.log(strength)
    return log_strength


def first_rules(
    treebank: Treebank, reference: Orders, min_count: int = 20, barriers: Sequence[str] = ()
) -> PrecedenceRules:
    """Return rules with one weight for each class of heads and label of children.

    A class of heads is a universal tag (if there are none, a tag of the language) of at least
    `min_count` families; other heads form one class. Each label that occurs at least `min_count`
    times in a class gets a weight there, fitted by `head_strengths` to the positions in the
    reference order. Children of one label keep their order, or are reversed if most of them are.

    Parameters
    ----------
    treebank : Treebank
        Trees.
    reference : Orders
        Their reference orders; missing words are ignored.
    min_count : int
        The minimum frequency of classes and labels.
    barriers : sequence of str
        Labels that other words do not cross; they do not influence the strengths.

    Examples
    --------
    >>> bank = Treebank.from_words([["saw", "him"]] * 2, heads=[[0, 1]] * 2,
    ...                            label=[["root", "obj"]] * 2)
    >>> rules = first_rules(bank, Orders.from_rows([[1, 0]] * 2), min_count=1)
    >>> str(rules.orders(bank)[0])
    '1 0'
    """
    families = _Families(treebank, reference)
    column = "upos" if families.has("upos") else "xpos"
    by_tag = families.by_tag(column)
    frequent_tags = sorted(
        tag
        for tag, heads_of_tag in by_tag.items()
        if len(heads_of_tag) >= min_count and is_plain(tag)
    )
    rules = [
        families.rule(
            tag, conditions.Clause((conditions.Pattern(column, (tag,)),)), by_tag[tag], min_count
        )
        for tag in frequent_tags
    ]
    other_heads = [
        head
        for tag, heads_of_tag in by_tag.items()
        if tag not in frequent_tags
        for head in heads_of_tag
    ]
    rules.append(families.rule("rest", conditions.Clause(), other_heads, min_count))
    barrier_members = tuple(conditions.Member(label, 0) for label in barriers)
    rules = [replace(rule, barriers=barrier_members) for rule in rules]
    foreign_counts = {
        key: sum(foreign_labels(label_scheme(key), families.treebank).values())
        for key in ("ud", "sd")
    }
    scheme = min(foreign_counts, key=lambda key: foreign_counts[key])
    file = conditions.RuleFile(
        "learned",
        "",
        "any" if foreign_counts[scheme] else scheme,
        tuple(rules),
        "learned",
        "learned",
    )
    return PrecedenceRules(file)


class _Families:
    """The heads of a treebank with their children, and the positions of these in the reference."""

    def __init__(self, treebank: Treebank, reference: Orders) -> None:
        self.treebank = projective(treebank)
        heads = self.treebank.above
        self.own, self.whole = _ranks_in_reference(self.treebank, heads, reference)
        self.labels = [label.partition(":")[0] for label in self.treebank.label.strings()]
        words = enumerate(heads.tolist())
        self.children = group_rows((head, word) for word, head in words if head >= 0)

    def has(self, column: str) -> bool:
        """Return whether a column has any value."""
        return any(word != NO_VALUE for word in self.treebank.columns[column].strings())

    def by_tag(self, column: str) -> dict[str, list[int]]:
        """Return the heads with children by their tag."""
        tags = self.treebank.columns[column].strings()
        return group_rows((tags[head], head) for head in self.children)

    def rule(
        self, name: str, head: conditions.Clause, heads: list[int], min_count: int
    ) -> conditions.Rule:
        """Return the rule of a class of heads."""
        counts = Counter(self.labels[child] for head in heads for child in self.children[head])
        names = sorted(
            label
            for label, n in counts.items()
            if n >= min_count and label != conditions.SELF and is_plain(label)
        )
        names += [conditions.OTHER_CHILDREN, conditions.SELF]
        index_of_name = {name: i for i, name in enumerate(names)}
        wins = np.full((len(names), len(names)), PRIOR_WINS)
        for family_head in heads:
            members = []
            for member in sorted([family_head, *self.children[family_head]]):
                if member == family_head:
                    members.append((index_of_name[conditions.SELF], self.own[member]))
                else:
                    label_index = index_of_name.get(
                        self.labels[member], index_of_name[conditions.OTHER_CHILDREN]
                    )
                    members.append((label_index, self.whole[member]))
            for (first, first_rank), (second, second_rank) in combinations(members, 2):
                # Comparisons with NaN, the rank of a missing word, are false. A diagonal cell
                # counts reversed pairs of children of one label minus pairs in order.
                if first == second:
                    wins[first, first] += float(first_rank > second_rank) - float(
                        first_rank < second_rank
                    )
                else:
                    wins[first, second] += float(first_rank < second_rank)
                    wins[second, first] += float(first_rank > second_rank)
        order = np.argsort(-head_strengths(wins), kind="stable").tolist()
        return conditions.Rule(
            name,
            conditions.Condition((head,)),
            tuple(
                conditions.Member(names[name_index], rank) for rank, name_index in enumerate(order)
            ),
            tuple(
                bool(wins[number_of_name, number_of_name] > PRIOR_WINS) for number_of_name in order
            ),
            (),
        )


def _ranks_in_reference(
    treebank: Treebank, heads: Int64, reference: Orders
) -> tuple[Float64, Float64]:
    """Return the rank of each word in the reference, and the mean rank of its subtree.

    NaN for missing words.
    """
    rank = np.full(treebank.words, np.nan)
    starts = np.repeat(treebank.offsets[:-1], reference.lengths)
    ranks = reference.ranks if reference.ranks is not None else untied_ranks(reference.positions)
    rank[starts + reference.positions.values] = ranks.values
    has_rank = ~np.isnan(rank)
    total, count = np.where(has_rank, rank, 0.0), has_rank.astype(np.float64)
    depth = np.zeros(treebank.words, np.int64)
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
