"""Effects of each rule of a rule set, and of each class of children in a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, OrderScores
from wordorder.analysis.findings import format_points
from wordorder.analysis.other_children import other_children_sections
from wordorder.analysis.repairs import different_rows
from wordorder.analysis.section import Finding, Group, Section, Value
from wordorder.analysis.tally import DIGITS, costliest_sentences
from wordorder.arrays import Float64, Int32, Int64
from wordorder.errors import InputError, UsageError
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import called
from wordorder.reordering.compiled import BARRIER
from wordorder.reordering.conditions import OTHER_CHILDREN, SELF, Rule
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rules import RuleSet
from wordorder.statistics.paired_tests import PairTest, paired_bootstrap
from wordorder.treebank.treebank import Treebank

# The most parts that a sentence names; the table lists all.
MAX_NAMES = 10


@runtime_checkable
class NamedRules(RuleSet, Protocol):
    """A rule set with named rules, such as `wordorder.reordering.precedence.PrecedenceRules`."""

    @property
    def rule_names(self) -> tuple[str, ...]:
        """The name of each rule; names are unique."""

    def fired(self, treebank: Treebank) -> Int32:
        """Return for each word the index of the rule that orders its children; -1 if none does."""
        ...

    def without(self, name: str) -> RuleSet:
        """Return the rule set without one rule."""
        ...


def rule_parts(system: AnalysedSystem) -> list[Part]:
    """Return the rules of a system, each with the words whose children it orders.

    If a rule is left out, the next matching rule orders these children, or no rule does.

    Raises
    ------
    UsageError
        If the system has no trees, or its rules have no names.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.reordering.rules import open_rules
    >>> bank = Treebank.from_words([["We", "go"]], heads=[[2, 0]], label=[["nsubj", "root"]])
    >>> rules, nothing = open_rules("R2"), np.zeros(1)
    >>> system = AnalysedSystem("P1R2", rules.orders(bank), nothing, nothing > 0, bank, rules)
    >>> [(part.name, part.words.tolist()) for part in rule_parts(system)]
    [(('reverse',), [1])]
    """
    treebank, rules = system.treebank, system.rules
    if treebank is None or not isinstance(rules, NamedRules):
        raise UsageError(f"{system.name} has no trees with rules that have names")
    fired = rules.fired(treebank)
    return [
        Part((name,), np.flatnonzero(fired == number), rules.without(name))
        for number, name in enumerate(rules.rule_names)
    ]


def class_parts(system: AnalysedSystem) -> list[Part]:
    """Return the classes of children in each rule, each with its children.

    If a class is left out, its children fall into the next matching class, mostly ``*``. The
    barriers of a rule are one part; if it is left out, other children can move across them.

    Raises
    ------
    UsageError
        If the system has no trees, or its rules are not precedence rules.
    """
    treebank, rules = system.treebank, system.rules
    if treebank is None or not isinstance(rules, PrecedenceRules):
        raise UsageError(f"{system.name} has no trees with precedence rules")
    applied = rules.apply(treebank)
    starts = np.repeat(treebank.offsets[:-1], treebank.lengths)
    # The index of the rule that orders a word among its siblings; -1 if no rule does.
    heads = applied.treebank.heads
    head_rule = np.where(heads > 0, applied.fired[np.maximum(starts + heads - 1, 0)], -1)
    parts = []
    first = 0
    for number, rule in enumerate(rules.file.rules):
        for i, member in enumerate(rule.members):
            if member.name not in (SELF, OTHER_CHILDREN):
                remaining = replace(rule, members=rule.members[:i] + rule.members[i + 1 :])
                words = np.flatnonzero(applied.entry == first + i)
                parts.append(
                    Part((rule.name, member.name), words, _replace_rule(rules, number, remaining))
                )
        if rule.barriers:
            words = np.flatnonzero((applied.entry == BARRIER) & (head_rule == number))
            remaining = replace(rule, barriers=())
            parts.append(
                Part((rule.name, "barriers"), words, _replace_rule(rules, number, remaining))
            )
        first += len(rule.members)
    return parts


def _replace_rule(rules: PrecedenceRules, number: int, rule: Rule) -> PrecedenceRules:
    """Return the rule set with rule `number` replaced."""
    all_rules = rules.file.rules
    return PrecedenceRules(
        replace(rules.file, rules=(*all_rules[:number], rule, *all_rules[number + 1 :]))
    )


def rule_effect_sections(analysed: AnalysedOrders) -> list[Section]:
    """Return tables of the effects of rules and classes, and of the children in no named class.

    Parameters
    ----------
    analysed : AnalysedOrders
        The view of a system with trees and rules.

    Returns
    -------
    list of Section
        ``rules`` and ``rule-losses``; for precedence rules also ``rule-classes`` and
        ``other-children``. Empty if the rules have no names.

    Raises
    ------
    UsageError
        If the system has no trees.
    """
    system, metric, scores = analysed.system, analysed.metric, analysed.scores
    if not isinstance(system.rules, NamedRules) or not system.rules.rule_names:
        return []
    resamples, seed = analysed.drawn.resamples, analysed.drawn.seed
    effects = leave_out(system, scores, rule_parts(system), resamples=resamples, seed=seed)
    sections = [
        _gain_section(
            system,
            metric,
            effects,
            key="rules",
            title=f"Rules of {system.name}",
            header=("rule", "fires"),
            note="A rule fires for each word whose children it orders. Without it, the next "
            "matching rule orders them, or no rule does.",
        ),
        _loss_section(system, metric, effects, "rule-losses"),
    ]
    if isinstance(system.rules, PrecedenceRules):
        classes = leave_out(system, scores, class_parts(system), resamples=resamples, seed=seed)
        sections.append(
            _gain_section(
                system,
                metric,
                classes,
                key="rule-classes",
                title=f"Classes in the rules of {system.name}",
                header=("rule", "class", "words"),
                note="Words: children of the class in families that the rule orders. Without the "
                "class they fall into the next matching class, usually *; without barriers "
                "a family moves as a whole.",
            )
        )
        sections += other_children_sections(analysed)
    return sections


def _gain_section(
    system: AnalysedSystem,
    metric: BaseMetric,
    effects: Effects,
    *,
    key: str,
    title: str,
    header: Sequence[str],
    note: str,
) -> Section:
    """Return a table of the gains by each part of a rule set, the most helpful part first."""
    tests = effects.gains
    sign = 1.0 if metric.higher_is_better else -1.0
    order = sorted(range(len(tests)), key=lambda part: -sign * tests[part].difference)
    rows: list[tuple[Value, ...]] = []
    for part in order:
        test = tests[part]
        # For metrics that count errors, gains are decreases; adding 0.0 turns -0.0 into 0.0.
        bounds = sorted(sign * bound + 0.0 for bound in test.interval_95 or ()) or (None, None)
        counts = (effects.words, effects.sentences, effects.changed, effects.wins, effects.losses)
        rows.append(
            (
                *effects.names[part],
                *(int(count[part]) for count in counts),
                effects.without[part],
                *(sign * test.difference + 0.0, *bounds, test.mark),
            )
        )
    sentences = [
        f"{system.name} has {called(metric.name)} {effects.score:.4f} with the whole rule set."
    ]
    for mark, certainty in (("+**", "Certain to help"), ("-**", "Certain to harm")):
        names = [" ".join(effects.names[part]) for part in order if tests[part].mark == mark]
        if names:
            sentences.append(f"{certainty}: {_abbreviate_list(names)}.")
    unused = [" ".join(effects.names[part]) for part in order if not effects.words[part]]
    if unused:
        sentences.append(f"Never used: {_abbreviate_list(unused)}.")
    return Section(
        findings=_harm_findings(system, metric, effects),
        key=key,
        group=Group.RULES,
        title=title,
        reading=" ".join(sentences),
        header=(
            *(*header, "sentences", "order changed", "wins", "losses"),
            *(f"{metric.name} without", "gain", "95% low", "95% high", "sure"),
        ),
        rows=tuple(rows),
        examples=tuple(effects.won[part] for part in order),
        note=(
            f"{note} Gain: the score of the whole rule set minus the score without this part, "
            f"with its interval; all rows use the same {effects.resamples} resamples of the "
            "sentences. Sure: +* (90 %) and +** (95 %) if it helps, -* and -** if it harms, 0 if "
            "neither is sure. Wins and losses: sentences that score higher and lower with it; "
            "the examples are wins."
        ),
    )


def _harm_findings(
    system: AnalysedSystem, metric: BaseMetric, effects: Effects
) -> tuple[Finding, ...]:
    """Return a finding about the part that is significantly harmful and costs most."""
    harm = {
        part: 100 * -test.difference
        for part, test in enumerate(effects.gains)
        if metric.name == "frs" and test.mark == "-**"
    }
    if not harm:
        return ()
    part = max(harm, key=lambda candidate: harm[candidate])
    sentence = (
        f"The rule '{' '.join(effects.names[part])}' harms {system.name}: without it FRS would be "
        f"{format_points(harm[part])} points higher (significant)."
    )
    return (Finding(sentence, harm[part], effects.lost[part]),)


def _abbreviate_list(names: Sequence[str]) -> str:
    """Join names by commas, and count those after the first `MAX_NAMES`."""
    omitted = len(names) - MAX_NAMES
    return (
        ", ".join(names) if omitted <= 1 else f"{', '.join(names[:MAX_NAMES])} and {omitted} more"
    )


def _loss_section(
    system: AnalysedSystem, metric: BaseMetric, effects: Effects, key: str
) -> Section:
    """Return a table of the rules that make sentences worse, sorted by the number of sentences."""
    harmful = [part for part in range(len(effects.names)) if effects.losses[part]]
    harmful.sort(key=lambda part: -int(effects.losses[part]))
    reading = "No rule makes a sentence worse."
    losses, changed = effects.losses[harmful], effects.changed[harmful]
    rules = [effects.names[part][0] for part in harmful]
    if harmful:
        reading = (
            f"{rules[0]} makes the most sentences worse: {losses[0]} of the {changed[0]} that it "
            "changes."
        )
    columns = {
        "rule": rules,
        "losses": losses,
        "share": losses / changed,
        "mean loss": effects.mean_loss[harmful],
        "mean win": effects.mean_win[harmful],
    }
    return Section.of_columns(
        columns,
        key=key,
        group=Group.RULES,
        title=f"Sentences that rules of {system.name} make worse",
        reading=reading,
        examples=tuple(effects.lost[part] for part in harmful),
        note=(
            f"Losses: sentences whose {called(metric.name)} is better without the rule; share: of "
            "the sentences whose order the rule changes. Mean loss and mean win: per sentence "
            "that the rule makes worse, and better. The examples are the largest losses."
        ),
    )


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a rule set.

    Attributes
    ----------
    name : tuple of str
        The name of a rule, or of a rule and a class in it.
    words : int64
        Indices, in the treebank, of the words that the part affects.
    rules_without : RuleSet
        The rule set without the part.
    """

    name: tuple[str, ...]
    words: Int64
    rules_without: RuleSet


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects of the R parts of a rule set.

    Attributes
    ----------
    names : tuple of tuples of str
    words : int64[R]
        Numbers of words that the part affects.
    sentences : int64[R]
        Numbers of sentences with such a word.
    changed : int64[R]
        Numbers of sentences whose order changes if the part is left out.
    wins, losses : int64[R]
        Numbers of sentences that score higher, and lower, with the part than without it.
    mean_win, mean_loss : float64[R]
        Mean gain and loss of these sentences; 0 if there are none.
    score : float
        Corpus score with the complete rule set.
    without : tuple of float
        Corpus score without each part.
    gains : tuple of PairTest
        For each part, the test of the rule set without it (first) against the complete rule set
        (second), all on the same resamples.
    resamples : int
    won, lost : tuple of tuples of int
        Indices of the sentences that win and lose most by each part.
    """

    names: tuple[tuple[str, ...], ...]
    words: Int64
    sentences: Int64
    changed: Int64
    wins: Int64
    losses: Int64
    mean_win: Float64
    mean_loss: Float64
    score: float
    without: tuple[float, ...]
    gains: tuple[PairTest, ...]
    resamples: int
    won: tuple[tuple[int, ...], ...]
    lost: tuple[tuple[int, ...], ...]


def leave_out(
    system: AnalysedSystem,
    scores: OrderScores,
    parts: Sequence[Part],
    *,
    resamples: int = 1000,
    seed: int = 12345,
) -> Effects:
    """Leave out each part of a system's rules in turn, and score the new orders of its trees.

    Parameters
    ----------
    system : AnalysedSystem
        A system with trees.
    scores : OrderScores
    parts : sequence of Part
    resamples, seed : int
        The resampling of the intervals and tests.

    Raises
    ------
    UsageError
        If the system has no trees.
    InputError
        If its orders do not have all words.
    """
    treebank, all_rules = system.treebank, system.orders
    if treebank is None:
        raise UsageError(f"{system.name} has no trees, so rules cannot be left out")
    if not np.array_equal(all_rules.positions.offsets, treebank.offsets):
        raise InputError(system.name, "orders that lack words", "all words of each tree")
    sentence_of = np.repeat(np.arange(len(treebank)), treebank.lengths)
    sentence_ids = np.arange(len(treebank))
    statistics = [scores.statistics(all_rules)]
    scores_before = scores.of_sentences(statistics[0])
    counts = np.zeros((5, len(parts)), np.int64)
    means = np.zeros((2, len(parts)))
    won: list[tuple[int, ...]] = []
    lost: list[tuple[int, ...]] = []
    for i, part in enumerate(parts):
        orders = part.rules_without.orders(treebank)
        statistics.append(scores.statistics(orders))
        gains = np.round(scores_before - scores.of_sentences(statistics[-1]), DIGITS)
        counts[:, i] = (
            len(part.words),
            len(np.unique(sentence_of[part.words])),
            np.count_nonzero(different_rows(orders, all_rules)),
            np.count_nonzero(gains > 0),
            np.count_nonzero(gains < 0),
        )
        for side, (change, examples) in enumerate(((gains, won), (-gains, lost))):
            means[side, i] = change[change > 0].sum() / max(int((change > 0).sum()), 1)
            examples.append(costliest_sentences(sentence_ids, np.maximum(change, 0.0)))
    # One comparison per part with the complete rules; parts are not compared with each other.
    measurements = [scores.measurement([row, statistics[0]]) for row in statistics[1:]]
    comparisons = []
    if measurements:
        comparisons = paired_bootstrap(measurements, resamples=resamples, seed=seed)
    words, sentences, changed, wins, losses = counts
    return Effects(
        tuple(part.name for part in parts),
        *(words, sentences, changed, wins, losses),
        *(means[0], means[1]),
        scores.value(statistics[0]),
        tuple(comparison.values[0] for comparison in comparisons),
        tuple(comparison.pair(0, 1) for comparison in comparisons),
        resamples,
        tuple(won),
        tuple(lost),
    )
