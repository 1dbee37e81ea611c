"""Training of rules: edits chosen by their gain on training sentences and on held-out ones."""

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
from wordorder.training.rules.candidates import Edit, EditCandidates, merged
from wordorder.training.rules.trials import Slot, Trials, first_rules
from wordorder.treebank.folds import grouped_folds
from wordorder.treebank.treebank import Treebank

EditProgress = Callable[[int, int, int], object]

# Edits that may follow each other without a better score of the held-out sentences.
PATIENCE = 10

# Fewer sentences than this have no part to hold out.
FEWEST = 20

# Gains below this are rounding.
NOTHING = 1e-9


@dataclass(frozen=True)
class RuleSettings:
    """How rules are trained.

    Attributes
    ----------
    held_out : float
        The share of the sentences that decides how many edits are made, in [0, .5]; 0 for none.
    caution : float
        By how many standard errors the gain of an edit must exceed 0.
    least : int
        In how many sentences the words of an edit must occur.
    edits : int
        How many are made at most.
    seed : int
        Deals out the held-out sentences, and draws the resamples of intervals.
    """

    held_out: float = 0.2
    caution: float = 2.0
    least: int = 5
    edits: int = 100
    seed: int = 12345

    def check(self) -> None:
        """Raise a UsageError for a value that is not legal."""
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
        How many changes led from the start to these rules.
    sentences, held_out : int
        Sentences that they were trained on, and that decided when to stop.
    before, after : float
        The metric on the training sentences.
    gain : (float, float, float)
        Its gain, with the interval of 95 %.
    held_out_before, held_out_after, held_out_gain
        The same of the held-out sentences; None without such.
    metric : str
        Its signature.
    comments : dict of (rule,) or (rule, entry) to str
        What each part does, as `wordorder.reordering.write_rules` takes it.
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
        """What the edits brought, a line for each part of the sentences."""
        name = self.metric.partition("|")[0]
        lines = [
            f"{counted(self.edits, 'edit')}; {name} of "
            f"{counted(self.sentences, 'training sentence')} "
            f"{self.before:.4f} -> {self.after:.4f}, {shown_gain(self.gain)}"
        ]
        if self.held_out_gain is not None:
            lines.append(
                f"{name} of {counted(self.held_out, 'held-out sentence')} "
                f"{self.held_out_before:.4f} -> {self.held_out_after:.4f}, "
                f"{shown_gain(self.held_out_gain)}"
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
        The rules to improve; None for those that `first_rules` makes of the training sentences,
        with punctuation as a barrier if that scores better.
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
        """Make edits until none is worth it, or the held-out sentences have gained by none lately.

        Parameters
        ----------
        after_each : callable, optional
            Is called with the training after each edit.
        progress : callable, optional
            Is called with the number of an edit, how many candidates for it were tried, and how
            many there are at most.
        """
        while not self.ended:
            edits_made = len(self.steps) - 1
            late = len(self.held_out.treebank) and edits_made - self.best >= PATIENCE
            on_trial = None if progress is None else partial(progress, edits_made + 1)
            if edits_made >= self.settings.edits or late or not self.search.step(on_trial):
                self.ended = True
            else:
                # As a file says them: who goes on from a file goes on from the same rules.
                rules = reread(self.search.rules)
                self.search.go_on_from(rules)
                self.steps.append(self._step(rules))
            if after_each is not None:
                after_each(self)

    def restore(self, steps: list[PrecedenceRules], values: dict[str, float]) -> None:
        """Go on behind edits that were made before.

        Parameters
        ----------
        steps : list of PrecedenceRules
            The rules after each of them.
        values : dict of str to float
            What edits were worth, as `RuleSearch.known` has it.
        """
        for rules in steps:
            self.search.go_on_from(rules)
            self.steps.append(self._step(rules))
        self.search.known = values

    @property
    def best(self) -> int:
        """The number of edits after which the held-out sentences score best; all without such."""
        if not len(self.held_out.treebank):
            return len(self.steps) - 1
        return int(np.argmax([self.held_out.sign * step.held_out for step in self.steps]))

    def learned(self, name: str = "learned") -> LearnedRules:
        """Return the best rules so far, with their scores."""
        best = self.best
        chosen = self.steps[best].rules
        rules = reread(PrecedenceRules(replace(_reachable(chosen.file), name=name)))
        samples = [("", self.training), ("held out ", self.held_out)]
        seed, held_sentences = self.settings.seed, len(self.held_out.treebank)
        # Scores before and after, and the gain; of held-out sentences only if there are some.
        values: list[tuple[Any, Any, Any]] = []
        for _, trials in samples if held_sentences else samples[:1]:
            trials.use(self.steps[0].rules)
            first = trials.statistics
            trials.use(rules)
            gain = gain_of(self.metric, first, trials.statistics, seed=seed)
            values.append((self._value(first), self._value(trials.statistics), gain))
        seen, unseen = values if held_sentences else (*values, (None, None, None))
        return LearnedRules(
            *(rules, best, len(self.training.treebank), held_sentences, *seen, *unseen),
            str(self.metric.signature()),
            comments_on(rules, samples, start=self.steps[0].rules, seed=seed),
        )

    def _start(self) -> PrecedenceRules:
        """Return the rules to begin with: whether punctuation bars movement, the metric says."""
        trials = self.training
        every = np.arange(len(trials.treebank))
        starts = [
            first_rules(trials.treebank, trials.reference, barriers=barriers)
            for barriers in ((), ("punct",))
        ]
        if not len(every):
            return starts[0]
        values = [trials.sign * self._value(trials.scored(rules, every)) for rules in starts]
        return starts[int(np.argmax(values))]

    def _step(self, rules: PrecedenceRules) -> RuleStep:
        held_sentences = self.held_out
        every = np.arange(len(held_sentences.treebank))
        value = self._value(held_sentences.scored(rules, every)) if len(every) else 0.0
        return RuleStep(rules, self.training.value, value)

    def _value(self, statistics: Float64) -> float:
        return float(self.metric.score(statistics.sum(axis=0)))


@dataclass(frozen=True, eq=False)
class RuleStep:
    """Rules after some edits, and what they score."""

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

    From the start, one edit after the other is made: an entry of a rule moves, a label or a
    condition on children gets an entry of its own, or some heads get a rule of their own in which
    they move. Each is tried at all places that make a difference, scored by the metric on the
    sentences that it changes, and the best one is made (after Genzel 2010, with a metric instead of
    crossings).

    Parameters
    ----------
    treebank : Treebank
        Trees of the source sentences.
    reference : Orders
        As `wordorder.reference_orders` makes them. A sentence without words says nothing.
    start : PrecedenceRules, optional
        The rules to improve, written, built in or learned before. None: a weight for each label
        under each class of heads, fitted by `bradley_terry`.
    metric : Metric or str
        Any that compares orders.
    settings : RuleSettings, optional
    name : str
        What the rules are called.

    Raises
    ------
    UsageError
        If the metric does not compare orders, or a setting is not legal.
    InputError
        If the numbers of orders and sentences differ, a position lies beyond its sentence, or a
        sentence has no tree.

    Notes
    -----
    The same seed gives the same rules, with any number of threads. On the training sentences the
    rules are never worse than the start.

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
    """Return which sentences are held out, bool[S]; equal sentences are all of them or none."""
    none = np.zeros(len(treebank), np.bool_)
    if settings.held_out == 0 or len(treebank) < FEWEST:
        return none
    share = Fraction(settings.held_out).limit_denominator(20)
    if settings.held_out < 1 / 20:
        share = Fraction(1, round(1 / settings.held_out))
    if len({tuple(words) for words in treebank.sentences()}) < share.denominator:
        return none
    folds = grouped_folds(treebank, share.denominator, seed=settings.seed)
    is_held_out: Bool = folds < share.numerator
    return is_held_out


def _reachable(file: RuleFile) -> RuleFile:
    """Return rules without the entries that no word can have: they order no tree otherwise."""
    rules = []
    for number, rule in enumerate(file.rules):
        unreachable = unreachable_entries(rule, file.rules[:number])
        members = tuple(member for member in rule.members if member.name not in unreachable)
        rules.append(replace(rule, members=members))
    return replace(file, rules=tuple(rules))


def reread(rules: PrecedenceRules) -> PrecedenceRules:
    """Return rules as a file says them that is written and read again."""
    return rules_from_text(rules_text(rules.file))


def rules_from_text(text: str) -> PrecedenceRules:
    """Return the rules that a text in TOML says."""
    return PrecedenceRules(rules_of(parse_toml("learned rules", text)))


@dataclass(frozen=True, eq=False)
class Found:
    """What the best place of an edit brings.

    Attributes
    ----------
    worth : float
        The gain less `caution` standard errors.
    gain : float
        How much better the metric becomes.
    """

    worth: float
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
        Where to start.
    caution : float
        By how many standard errors a gain must exceed 0. An edit is chosen among thousands, each
        at its best place: the gains of the best ones are partly luck.
    least : int
        In how many sentences the words of an edit must occur.

    Attributes
    ----------
    rules : PrecedenceRules
        The best so far.
    known : dict of str to float
        What each edit was worth when it was tried last. Most edits become worth less as others are
        made, so those that were worth little wait until it is their turn.
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
        """Take other rules for the best so far."""
        self.rules = rules
        self.trials.use(rules)

    def step(self, progress: Callable[[int, int], object] | None = None) -> bool:
        """Make the best edit; return whether there was one."""
        while (best := self._best(progress)) is not None:
            file = best.edit.made(self.rules.file, best.slot)
            shorter = merged(file)
            if shorter is not None and self._accepted(shorter, best):
                return True
            if self._accepted(file, best):
                return True
            # More conditions than a file may have: others may do with those that are there.
            self.known[self._key(best.edit)] = -1.0
        return False

    def _accepted(self, file: RuleFile, edit_found: Found) -> bool:
        """Take rules over if they can be said and bring what the trial promised."""
        rules_before = self.rules
        value, sign = self.trials.value, self.trials.sign
        try:
            rules = PrecedenceRules(file)
        except InputError:
            return False
        self.go_on_from(rules)
        if sign * (self.trials.value - value) < edit_found.gain - NOTHING:
            self.go_on_from(rules_before)
            return False
        return True

    def _best(self, progress: Callable[[int, int], object] | None) -> Found | None:
        """Return the edit that is worth most; those that were worth less are not tried again."""
        edits: dict[str, Edit] = {}
        if self._candidates is None:
            self._candidates = EditCandidates(self.trials, self.least)
        for edit in self._candidates:
            edits.setdefault(self._key(edit), edit)
        waiting = [(-self.known.get(key, np.inf), number, key) for number, key in enumerate(edits)]
        heapq.heapify(waiting)
        best: Found | None = None
        done = 0
        while waiting and -waiting[0][0] > (best.worth if best else NOTHING):
            _, _, key = heapq.heappop(waiting)
            trial_result = self._try_edit(edits[key])
            self.known[key] = trial_result.worth if trial_result else -1.0
            if trial_result is not None and trial_result.worth > (best.worth if best else NOTHING):
                best = trial_result
            done += 1
            if progress is not None:
                progress(done, len(edits))
        return best

    def _try_edit(self, edit: Edit) -> Found | None:
        """Return the best place of an edit's entry: a line search over all that differ."""
        trials = self.trials
        slots = trials.slots(edit.trial)
        if not slots:
            return None
        outcome = trials.run(edit.trial, slots)
        gains = trials.sign * (trials.metric.score(outcome.totals) - trials.value)
        margin = gains - self.caution * trials.errors(outcome)
        best = int(np.argmax(margin))
        return Found(float(margin[best]), float(gains[best]), edit, slots[best])

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

    What a part brings is the score with it less the score without it. Without a rule, the next one
    that fits orders its families; without an entry, its words are of the next one that fits.

    Parameters
    ----------
    rules : PrecedenceRules
    samples : sequence of (name, Trials)
        Training sentences first, then others; comments on them begin with their name.
    start : PrecedenceRules, optional
        The rules before training: their entries without a word are said to be as there.
    seed : int
        Of the resamples that give the intervals of 95 %.

    Returns
    -------
    dict of (rule,) or (rule, entry) to str
        As `wordorder.reordering.write_rules` takes it.
    """
    comments: dict[tuple[str, ...], list[str]] = {}
    listed_before = start.file.rules if start else ()
    names_before = {(rule.name, member.name) for rule in listed_before for member in rule.members}
    for name, trials in samples:
        if not len(trials.treebank):
            continue
        trials.use(rules)
        parts = list(_parts(rules, trials))
        gains = _gains(trials, [part for part in parts if len(part[1])], seed)
        for key, words, _ in parts:
            times = counted(len(words), "time" if len(key) == 1 else "word")
            # The frequency is that of the first sample, the gain that of all.
            if not len(words) and key in names_before:
                times += ": as in the start"
            parts_of_comment = comments.setdefault(
                key, [f"fires {times}" if len(key) == 1 else times]
            )
            if key in gains:
                parts_of_comment.append(f"{name}{trials.metric.name} {gains[key]}")
    return {key: "; ".join(parts_of_comment) for key, parts_of_comment in comments.items()}


def gain_of(
    metric: BaseMetric, scores_before: Float64, after: Float64, *, seed: int = 0
) -> tuple[float, float, float]:
    """Return how much better `after` is, with its interval of 95 %, from statistics of both."""
    return _intervals(metric, [scores_before], after, seed)[0]


def shown_gain(gain: tuple[float, float, float]) -> str:
    """Write a gain with its interval.

    Examples
    --------
    >>> shown_gain((0.0123, -0.001, 0.025))
    '+.0123 [-.0010, +.0250]'
    """
    # 0.0 is added for the sign of 0.
    rounded = (round(number, 4) + 0.0 for number in gain)
    value, low, high = (f"{number:+.4f}".replace("0.", ".", 1) for number in rounded)
    return f"{value} [{low}, {high}]"


def _parts(rules: PrecedenceRules, trials: Trials) -> Iterator[Part]:
    """Yield each rule and each entry: its words, and the rules without it."""
    file = rules.file
    for number, rule in enumerate(file.rules):
        yield (rule.name,), np.flatnonzero(trials.fired == number), rules.without(rule.name)
        first = int(trials.entry_start[number])
        for place, member in enumerate(rule.members):
            if member.name in (SELF, OTHER_CHILDREN):
                continue
            rule_without = replace(rule, members=rule.members[:place] + rule.members[place + 1 :])
            rules_without = (*file.rules[:number], rule_without, *file.rules[number + 1 :])
            words = np.flatnonzero(trials.entry == first + place)
            yield (
                (rule.name, member.name),
                words,
                PrecedenceRules(replace(file, rules=rules_without)),
            )


def _gains(trials: Trials, parts: Sequence[Part], seed: int) -> dict[tuple[str, ...], str]:
    """Return what parts bring; only sentences in which a part fires are ordered without it."""
    without = []
    for _, words, rules_without in parts:
        rows = np.unique(trials.sentence[words])
        statistics = trials.statistics.copy()
        statistics[rows] = trials.scored(rules_without, rows)
        without.append(statistics)
    intervals = _intervals(trials.metric, without, trials.statistics, seed)
    return {part[0]: shown_gain(gain) for part, gain in zip(parts, intervals, strict=True)}


def _intervals(
    metric: BaseMetric, without: Sequence[Float64], complete: Float64, seed: int
) -> list[tuple[float, float, float]]:
    """Return gains and their intervals, all on the same resamples."""
    if not without:
        return []
    sign = 1.0 if metric.higher_is_better else -1.0
    measurements = [
        Measurement([partial, complete], metric.score, metric.higher_is_better)
        for partial in without
    ]
    gains = []
    for comparison in paired_bootstrap(measurements, seed=seed):
        test = comparison.pair(0, 1)
        bounds = test.interval_95 or (test.difference, test.difference)
        low, high = sorted(sign * bound + 0.0 for bound in bounds)
        gains.append((sign * test.difference + 0.0, low, high))
    return gains
