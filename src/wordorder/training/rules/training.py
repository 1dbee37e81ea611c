"""Training of rules: edits are chosen by their gain on training and held-out sentences."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from wordorder.arrays import Bool, Float64, Int64
from wordorder.errors import InputError, UsageError
from wordorder.messages import counted
from wordorder.metrics.contract import BaseMetric, Metric
from wordorder.metrics.registry import order_metric
from wordorder.order.orders import Orders
from wordorder.reordering.conditions import OTHER_CHILDREN, SELF, RuleFile
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rule_reading import rules_of, unreachable_entries
from wordorder.reordering.rule_writing import rules_text
from wordorder.reordering.rules import check_orders
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.text.toml import parse_toml
from wordorder.training.rules.candidates import Edit, EditCandidates, merge_newest_class
from wordorder.training.rules.trials import Slot, Trials, first_rules
from wordorder.treebank.folds import grouped_folds
from wordorder.treebank.treebank import Treebank

EditProgress = Callable[[int, int, int], object]

# Training stops after this many edits without a better score on held-out sentences.
PATIENCE = 10

# With fewer sentences none are held out.
MIN_SENTENCES = 20

# Smaller gains are rounding errors.
MIN_GAIN = 1e-9


@dataclass(frozen=True)
class RuleSettings:
    """Settings for training rules.

    Attributes
    ----------
    held_out : float
        The share of sentences held out to decide how many edits are made, in [0, .5]; 0 for none.
    caution : float
        By how many standard errors the gain of an edit must exceed 0.
    least : int
        In how many sentences the words of an edit must occur.
    edits : int
        The maximum number of edits.
    seed : int
        The seed of the choice of held-out sentences and of the bootstrap.
    """

    held_out: float = 0.2
    caution: float = 2.0
    least: int = 5
    edits: int = 100
    seed: int = 12345

    def check(self) -> None:
        """Raise a UsageError for an invalid value."""
        if not 0 <= self.held_out <= 0.5:
            raise UsageError(f"held-out is a share from 0 to .5, not {self.held_out}")
        if not 0 <= self.caution < np.inf:
            raise UsageError(f"caution is a number of at least 0, not {self.caution}")
        if self.least < 1 or self.edits < 0:
            raise UsageError("least is at least 1, edits at least 0")


@dataclass(frozen=True, eq=False)
class LearnedRules:
    """Learned rules and their scores.

    Attributes
    ----------
    rules : PrecedenceRules
    edits : int
        The number of edits that led from the start to these rules.
    sentences, held_out : int
        The numbers of training and held-out sentences.
    before, after : float
        The metric on the training sentences.
    gain : (float, float, float)
        Its gain, with the 95 % interval.
    held_out_before, held_out_after, held_out_gain
        The same on the held-out sentences; None if there are none.
    metric : str
        The signature of the metric.
    comments : dict of (rule,) or (rule, entry) to str
        The effect of each part, for `wordorder.reordering.write_rules`.
    """

    rules: PrecedenceRules
    edits: int
    sentences: int
    held_out: int
    before: float
    after: float
    gain: tuple[float, float, float]
    held_out_before: float | None
    held_out_after: float | None
    held_out_gain: tuple[float, float, float] | None
    metric: str
    comments: dict[tuple[str, ...], str]

    @property
    def summary(self) -> str:
        """The gain of the edits, one line for training sentences and one for held-out ones."""
        name = self.metric.partition("|")[0]
        lines = [
            f"{counted(self.edits, 'edit')}; {name} of "
            f"{counted(self.sentences, 'training sentence')} "
            f"{self.before:.4f} -> {self.after:.4f}, {format_gain(self.gain)}"
        ]
        if self.held_out_gain is not None:
            lines.append(
                f"{name} of {counted(self.held_out, 'held-out sentence')} "
                f"{self.held_out_before:.4f} -> {self.held_out_after:.4f}, "
                f"{format_gain(self.held_out_gain)}"
            )
        return "\n".join(lines)


class RuleTraining:
    """Trains rules edit by edit.

    Parameters
    ----------
    treebank : Treebank
        Trees of the source sentences.
    reference : Orders
        Their reference orders.
    start : PrecedenceRules or None
        The rules to improve. None starts from `first_rules` of the training sentences, with
        punctuation as a barrier if that scores better.
    metric : Metric or str
        Any that compares orders.
    settings : RuleSettings

    Attributes
    ----------
    steps : list of RuleStep
        The start, and the rules after each edit.
    """

    def __init__(
        self,
        treebank: Treebank,
        reference: Orders,
        start: PrecedenceRules | None = None,
        *,
        metric: Metric | str = "frs",
        settings: RuleSettings | None = None,
    ) -> None:
        self.settings = settings or RuleSettings()
        self.settings.check()
        self.metric = order_metric(metric)
        check_orders(reference, treebank)
        held_rows = held_out_rows(treebank, self.settings)
        inside, outside = np.flatnonzero(~held_rows), np.flatnonzero(held_rows)
        self.training = Trials(treebank.take(inside), reference.take(inside), self.metric)
        self.held_out = Trials(treebank.take(outside), reference.take(outside), self.metric)
        if start is None:
            start = self._start()
        self.search = RuleSearch(
            self.training, start, caution=self.settings.caution, least=self.settings.least
        )
        self.steps = [self._step(start)]
        self.ended = False

    def run(
        self,
        after_each: Callable[[RuleTraining], object] | None = None,
        progress: EditProgress | None = None,
    ) -> None:
        """Make edits until none gains enough, or the held-out sentences no longer improve.

        Parameters
        ----------
        after_each : callable, optional
            Called with the training after each edit.
        progress : callable, optional
            Called with the number of the edit, the number of candidates tried for it, and the
            maximum number of candidates.
        """
        while not self.ended:
            edits_made = len(self.steps) - 1
            is_stalled = len(self.held_out.treebank) and edits_made - self.best >= PATIENCE
            on_trial = None if progress is None else partial(progress, edits_made + 1)
            if edits_made >= self.settings.edits or is_stalled or not self.search.step(on_trial):
                self.ended = True
            else:
                # Through the file format, so that training resumed from a file is the same.
                rules = reread_rules(self.search.rules)
                self.search.go_on_from(rules)
                self.steps.append(self._step(rules))
            if after_each is not None:
                after_each(self)

    def restore(self, steps: list[PrecedenceRules], values: dict[str, float]) -> None:
        """Restore earlier edits.

        Parameters
        ----------
        steps : list of PrecedenceRules
            The rules after each edit.
        values : dict of str to float
            The scores of edits; see `RuleSearch.known`.
        """
        for rules in steps:
            self.search.go_on_from(rules)
            self.steps.append(self._step(rules))
        self.search.known = values

    @property
    def best(self) -> int:
        """The number of edits with the best held-out score; all edits if none are held out."""
        if not len(self.held_out.treebank):
            return len(self.steps) - 1
        return int(np.argmax([self.held_out.sign * step.held_out for step in self.steps]))

    def learned(self, name: str = "learned") -> LearnedRules:
        """Return the best rules so far, with their scores."""
        best = self.best
        chosen = self.steps[best].rules
        rules = reread_rules(PrecedenceRules(replace(_reachable(chosen.file), name=name)))
        samples = [("", self.training), ("held out ", self.held_out)]
        seed, held_sentences = self.settings.seed, len(self.held_out.treebank)
        # Scores before and after, and the gain.
        values: list[tuple[Any, Any, Any]] = []
        for _, trials in samples if held_sentences else samples[:1]:
            trials.use(self.steps[0].rules)
            first = trials.statistics
            trials.use(rules)
            gain = gain_of(self.metric, first, trials.statistics, seed=seed)
            values.append((self._value(first), self._value(trials.statistics), gain))
        training_values, held_out_values = (
            values if held_sentences else (*values, (None, None, None))
        )
        return LearnedRules(
            *(
                rules,
                best,
                len(self.training.treebank),
                held_sentences,
                *training_values,
                *held_out_values,
            ),
            str(self.metric.signature()),
            comments_on(rules, samples, start=self.steps[0].rules, seed=seed),
        )

    def _start(self) -> PrecedenceRules:
        """Return the first rules: with punctuation as a barrier or without, whichever is better."""
        trials = self.training
        all_rows = np.arange(len(trials.treebank))
        starts = [
            first_rules(trials.treebank, trials.reference, barriers=barriers)
            for barriers in ((), ("punct",))
        ]
        if not len(all_rows):
            return starts[0]
        values = [trials.sign * self._value(trials.scored(rules, all_rows)) for rules in starts]
        return starts[int(np.argmax(values))]

    def _step(self, rules: PrecedenceRules) -> RuleStep:
        held_sentences = self.held_out
        all_rows = np.arange(len(held_sentences.treebank))
        value = self._value(held_sentences.scored(rules, all_rows)) if len(all_rows) else 0.0
        return RuleStep(rules, self.training.value, value)

    def _value(self, statistics: Float64) -> float:
        return float(self.metric.score(statistics.sum(axis=0)))


@dataclass(frozen=True, eq=False)
class RuleStep:
    """Rules after some edits, with their scores."""

    rules: PrecedenceRules
    training: float
    held_out: float


def train_rules(
    treebank: Treebank,
    reference: Orders,
    start: PrecedenceRules | None = None,
    *,
    metric: Metric | str = "frs",
    settings: RuleSettings | None = None,
    name: str = "learned",
) -> LearnedRules:
    """Learn readable rules from trees and the reference orders of their sentences.

    Edits are made one by one: an entry of a rule moves, a label or a condition on children gets an
    entry of its own, or some heads get a rule of their own in which they move. Each edit is tried
    at all slots that make a difference and scored by the metric on the sentences that it changes;
    the best one is made (after Genzel 2010, with a metric instead of crossings).

    Parameters
    ----------
    treebank : Treebank
        Trees of the source sentences.
    reference : Orders
        Orders such as those of `wordorder.reference_orders`; rows without words are ignored.
    start : PrecedenceRules, optional
        The rules to improve. By default rules with a weight for each label under each class of
        heads; see `first_rules`.
    metric : Metric or str
        Any that compares orders.
    settings : RuleSettings, optional
    name : str
        The name of the rules.

    Raises
    ------
    UsageError
        If the metric does not compare orders, or a setting is invalid.
    InputError
        If the numbers of orders and sentences differ, a position is beyond its sentence, or a
        sentence has no tree.

    Notes
    -----
    The rules depend on the seed but not on the number of threads. On the training sentences they
    never score worse than the start.

    Examples
    --------
    >>> bank = Treebank.from_words([["saw", "him"]] * 30, heads=[[0, 1]] * 30,
    ...                            label=[["root", "obj"]] * 30)
    >>> from wordorder.reordering import open_rules
    >>> found = train_rules(bank, Orders.from_rows([[1, 0]] * 30), open_rules("R2"))
    >>> found.edits, found.after
    (0, 1.0)
    """
    training = RuleTraining(treebank, reference, start, metric=metric, settings=settings)
    training.run()
    return training.learned(name)


def held_out_rows(treebank: Treebank, settings: RuleSettings) -> Bool:
    """Return a mask of held-out sentences, bool[S]; equal sentences are on the same side."""
    no_rows = np.zeros(len(treebank), np.bool_)
    if settings.held_out == 0 or len(treebank) < MIN_SENTENCES:
        return no_rows
    share = Fraction(settings.held_out).limit_denominator(20)
    if settings.held_out < 1 / 20:
        share = Fraction(1, round(1 / settings.held_out))
    if len({tuple(words) for words in treebank.sentences()}) < share.denominator:
        return no_rows
    folds = grouped_folds(treebank, share.denominator, seed=settings.seed)
    is_held_out: Bool = folds < share.numerator
    return is_held_out


def _reachable(file: RuleFile) -> RuleFile:
    """Return rules without unreachable entries; they order all trees alike."""
    rules = []
    for number, rule in enumerate(file.rules):
        unreachable = unreachable_entries(rule, file.rules[:number])
        members = tuple(member for member in rule.members if member.name not in unreachable)
        rules.append(replace(rule, members=members))
    return replace(file, rules=tuple(rules))


def reread_rules(rules: PrecedenceRules) -> PrecedenceRules:
    """Return rules after a round trip through the file format."""
    return rules_from_text(rules_text(rules.file))


def rules_from_text(text: str) -> PrecedenceRules:
    """Read rules from a text in TOML."""
    return PrecedenceRules(rules_of(parse_toml("learned rules", text)))


@dataclass(frozen=True, eq=False)
class TrialResult:
    """The result of trying an edit at its best slot.

    Attributes
    ----------
    score : float
        The gain minus `caution` standard errors.
    gain : float
        The gain of the metric, positive if it improves.
    """

    score: float
    gain: float
    edit: Edit
    slot: Slot


class RuleSearch:
    """Improves rules on training sentences, one edit at a time.

    Parameters
    ----------
    trials : Trials
        Trees, reference orders and metric.
    rules : PrecedenceRules
        The rules to start from.
    caution : float
        The number of standard errors by which a gain must exceed 0. The best of thousands of edits,
        each at its best slot, is partly luck.
    least : int
        In how many sentences the words of an edit must occur.

    Attributes
    ----------
    rules : PrecedenceRules
        The best rules so far.
    known : dict of str to float
        The score of each edit when it was last tried. Scores mostly fall as other edits are made,
        so edits are tried in the order of these scores.
    """

    def __init__(
        self, trials: Trials, rules: PrecedenceRules, *, caution: float = 2.0, least: int = 5
    ) -> None:
        self.trials = trials
        self.caution = caution
        self.least = least
        self.known: dict[str, float] = {}
        self._candidates: EditCandidates | None = None
        self.go_on_from(rules)

    def go_on_from(self, rules: PrecedenceRules) -> None:
        """Continue from other rules."""
        self.rules = rules
        self.trials.use(rules)

    def step(self, progress: Callable[[int, int], object] | None = None) -> bool:
        """Make the best edit; return whether there was one."""
        while (best := self._best(progress)) is not None:
            file = best.edit.apply(self.rules.file, best.slot)
            shorter = merge_newest_class(file)
            if shorter is not None and self._accepted(shorter, best):
                return True
            if self._accepted(file, best):
                return True
            # Too many conditions for a file: other edits may work with the present ones.
            self.known[self._key(best.edit)] = -1.0
        return False

    def _accepted(self, file: RuleFile, result: TrialResult) -> bool:
        """Continue from the rules of a file if it is valid and gives the gain of the trial."""
        rules_before = self.rules
        value, sign = self.trials.value, self.trials.sign
        try:
            rules = PrecedenceRules(file)
        except InputError:
            return False
        self.go_on_from(rules)
        if sign * (self.trials.value - value) < result.gain - MIN_GAIN:
            self.go_on_from(rules_before)
            return False
        return True

    def _best(self, progress: Callable[[int, int], object] | None) -> TrialResult | None:
        """Return the edit with the best score; edits whose last score was lower are not tried."""
        edits: dict[str, Edit] = {}
        if self._candidates is None:
            self._candidates = EditCandidates(self.trials, self.least)
        for edit in self._candidates:
            edits.setdefault(self._key(edit), edit)
        waiting = [(-self.known.get(key, np.inf), number, key) for number, key in enumerate(edits)]
        heapq.heapify(waiting)
        best: TrialResult | None = None
        tried_count = 0
        while waiting and -waiting[0][0] > (best.score if best else MIN_GAIN):
            _, _, key = heapq.heappop(waiting)
            trial_result = self._try_edit(edits[key])
            self.known[key] = trial_result.score if trial_result else -1.0
            if trial_result is not None and trial_result.score > (best.score if best else MIN_GAIN):
                best = trial_result
            tried_count += 1
            if progress is not None:
                progress(tried_count, len(edits))
        return best

    def _try_edit(self, edit: Edit) -> TrialResult | None:
        """Return the result of an edit at its best slot; None if there is no slot."""
        trials = self.trials
        slots = trials.slots(edit.trial)
        if not slots:
            return None
        outcome = trials.run(edit.trial, slots)
        gains = trials.sign * (trials.metric.score(outcome.totals) - trials.value)
        margin = gains - self.caution * trials.errors(outcome)
        best = int(np.argmax(margin))
        return TrialResult(float(margin[best]), float(gains[best]), edit, slots[best])

    def _key(self, edit: Edit) -> str:
        return f"{self.rules.rule_names[edit.trial.rule]} {edit.key}"


Part = tuple[tuple[str, ...], Int64, PrecedenceRules]


def comments_on(
    rules: PrecedenceRules,
    samples: Sequence[tuple[str, Trials]],
    *,
    start: PrecedenceRules | None = None,
    seed: int = 0,
) -> dict[tuple[str, ...], str]:
    """Return comments on each rule and its entries: how often they fire, and their gain.

    The gain of a part is the score with it minus the score without it. Without a rule, the next
    matching rule orders its families; without an entry, its words match the next entry.

    Parameters
    ----------
    rules : PrecedenceRules
    samples : sequence of (name, Trials)
        Training sentences first, then others; comments on them begin with their name.
    start : PrecedenceRules, optional
        The rules before training: a comment marks their entries that match no word.
    seed : int
        The seed of the bootstrap of the 95 % intervals.

    Returns
    -------
    dict of (rule,) or (rule, entry) to str
        For `wordorder.reordering.write_rules`.
    """
    comments: dict[tuple[str, ...], list[str]] = {}
    listed_before = start.file.rules if start else ()
    names_before = {(rule.name, member.name) for rule in listed_before for member in rule.members}
    for name, trials in samples:
        if not len(trials.treebank):
            continue
        trials.use(rules)
        parts = list(_rule_parts(rules, trials))
        gains = _part_gains(trials, [part for part in parts if len(part[1])], seed)
        for key, words, _ in parts:
            times = counted(len(words), "time" if len(key) == 1 else "word")
            # The frequency is of the first sample, the gain of all samples.
            if not len(words) and key in names_before:
                times += ": as in the start"
            parts_of_comment = comments.setdefault(
                key, [f"fires {times}" if len(key) == 1 else times]
            )
            if key in gains:
                parts_of_comment.append(f"{name}{trials.metric.name} {gains[key]}")
    return {key: "; ".join(parts_of_comment) for key, parts_of_comment in comments.items()}


def gain_of(
    metric: BaseMetric, statistics_before: Float64, statistics_after: Float64, *, seed: int = 0
) -> tuple[float, float, float]:
    """Return the gain of the second statistics over the first, with its 95 % interval."""
    return _intervals(metric, [statistics_before], statistics_after, seed)[0]


def format_gain(gain: tuple[float, float, float]) -> str:
    """Format a gain with its interval.

    Examples
    --------
    >>> format_gain((0.0123, -0.001, 0.025))
    '+.0123 [-.0010, +.0250]'
    """
    # Adding 0.0 turns -0.0 into 0.0.
    rounded = (round(number, 4) + 0.0 for number in gain)
    value, low, high = (f"{number:+.4f}".replace("0.", ".", 1) for number in rounded)
    return f"{value} [{low}, {high}]"


def _rule_parts(rules: PrecedenceRules, trials: Trials) -> Iterator[Part]:
    """Yield the key of each rule and entry, its words, and the rules without it."""
    file = rules.file
    for rule_index, rule in enumerate(file.rules):
        yield (rule.name,), np.flatnonzero(trials.fired == rule_index), rules.without(rule.name)
        first = int(trials.entry_start[rule_index])
        for index, member in enumerate(rule.members):
            if member.name in (SELF, OTHER_CHILDREN):
                continue
            rule_without = replace(rule, members=rule.members[:index] + rule.members[index + 1 :])
            rules_without = (*file.rules[:rule_index], rule_without, *file.rules[rule_index + 1 :])
            words = np.flatnonzero(trials.entry == first + index)
            yield (
                (rule.name, member.name),
                words,
                PrecedenceRules(replace(file, rules=rules_without)),
            )


def _part_gains(trials: Trials, parts: Sequence[Part], seed: int) -> dict[tuple[str, ...], str]:
    """Return the gains of parts; only sentences in which a part fires are reordered."""
    statistics_without = []
    for _, words, rules_without in parts:
        rows = np.unique(trials.sentence[words])
        statistics = trials.statistics.copy()
        statistics[rows] = trials.scored(rules_without, rows)
        statistics_without.append(statistics)
    intervals = _intervals(trials.metric, statistics_without, trials.statistics, seed)
    return {part[0]: format_gain(gain) for part, gain in zip(parts, intervals, strict=True)}


def _intervals(
    metric: BaseMetric, partial_statistics: Sequence[Float64], complete: Float64, seed: int
) -> list[tuple[float, float, float]]:
    """Return gains and their intervals, from the same resamples."""
    if not partial_statistics:
        return []
    sign = 1.0 if metric.higher_is_better else -1.0
    measurements = [
        Measurement([partial, complete], metric.score, metric.higher_is_better)
        for partial in partial_statistics
    ]
    gains = []
    for comparison in paired_bootstrap(measurements, seed=seed):
        test = comparison.pair(0, 1)
        bounds = test.interval_95 or (test.difference, test.difference)
        low, high = sorted(sign * bound + 0.0 for bound in bounds)
        gains.append((sign * test.difference + 0.0, low, high))
    return gains
