"""Training of rules: edits by their gain on training sentences, as many as held-out ones want."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np

from wordorder.counts import counted
from wordorder.errors import UsageError
from wordorder.metrics import metric as named_metric
from wordorder.metrics import metrics_for
from wordorder.metrics.contract import BaseMetric, Metric, completed
from wordorder.order.orders import Orders
from wordorder.reordering.learned.folds import grouped_folds
from wordorder.reordering.order_checks import check_orders
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rule_reading import rules_of
from wordorder.reordering.rule_writing import rules_text
from wordorder.text.toml import parse_toml
from wordorder.training.rules.bradley_terry import first_rules
from wordorder.training.rules.comments import comments_on, gain_of, shown_gain
from wordorder.training.rules.search import RuleSearch
from wordorder.training.rules.trials import Trials
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool, Float64

EditProgress = Callable[[int, int, int], object]
# Edits that may follow each other without a better score of the held-out sentences.
PATIENCE = 10
# Fewer sentences than this have no part to hold out.
FEWEST = 20


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
    """Rules and what is known of them.

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
        held = held_out_rows(treebank, self.settings)
        inside, outside = np.flatnonzero(~held), np.flatnonzero(held)
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
            made = len(self.steps) - 1
            late = len(self.held_out.treebank) and made - self.best >= PATIENCE
            told = None if progress is None else partial(progress, made + 1)
            if made >= self.settings.edits or late or not self.search.step(told):
                self.ended = True
            else:
                # As a file says them: who goes on from a file goes on from the same rules.
                rules = reread(self.search.rules)
                self.search.go_on_from(rules)
                self.steps.append(self._step(rules))
            if after_each is not None:
                after_each(self)

    def restore(self, steps: list[PrecedenceRules], known: dict[str, float]) -> None:
        """Go on behind edits that were made before.

        Parameters
        ----------
        steps : list of PrecedenceRules
            The rules after each of them.
        known : dict of str to float
            What edits were worth, as `RuleSearch.known` has it.
        """
        for rules in steps:
            self.search.go_on_from(rules)
            self.steps.append(self._step(rules))
        self.search.known = known

    @property
    def best(self) -> int:
        """The number of edits after which the held-out sentences score best; all without such."""
        if not len(self.held_out.treebank):
            return len(self.steps) - 1
        return int(np.argmax([self.held_out.sign * step.held_out for step in self.steps]))

    def learned(self, name: str = "learned") -> LearnedRules:
        """Return the best rules so far, with what is known of them."""
        best = self.best
        chosen = self.steps[best].rules
        rules = reread(PrecedenceRules(replace(chosen.file, name=name)))
        samples = [("", self.training), ("held out ", self.held_out)]
        gains = []
        for _, trials in samples:
            trials.use(self.steps[0].rules)
            first = trials.statistics
            trials.use(rules)
            gains.append((first, trials.statistics))
        seed = self.settings.seed
        values = [[self._value(each) for each in pair] for pair in gains]
        held = len(self.held_out.treebank)
        return LearnedRules(
            rules,
            best,
            len(self.training.treebank),
            held,
            values[0][0],
            values[0][1],
            gain_of(self.metric, *gains[0], seed=seed),
            values[1][0] if held else None,
            values[1][1] if held else None,
            gain_of(self.metric, *gains[1], seed=seed) if held else None,
            str(self.metric.signature()),
            comments_on(rules, samples, seed=seed),
        )

    def _start(self) -> PrecedenceRules:
        """Return the rules to begin with: whether punctuation bars movement, the metric says."""
        trials = self.training
        every = np.arange(len(trials.treebank))
        made = [
            first_rules(trials.treebank, trials.reference, barriers=barriers)
            for barriers in ((), ("punct",))
        ]
        if not len(every):
            return made[0]
        values = [trials.sign * self._value(trials.scored(rules, every)) for rules in made]
        return made[int(np.argmax(values))]

    def _step(self, rules: PrecedenceRules) -> RuleStep:
        held = self.held_out
        every = np.arange(len(held.treebank))
        value = self._value(held.scored(rules, every)) if len(every) else 0.0
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
        If there are not as many orders as sentences, a position lies beyond its sentence, or a
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


def order_metric(metric: Metric | str) -> BaseMetric:
    """Return a metric that compares orders.

    Raises
    ------
    UsageError
        If it does not; the message lists those that do.
    """
    made: BaseMetric = completed(named_metric(metric) if isinstance(metric, str) else metric)
    if set(made.columns) != {"permutation"}:
        legal = ", ".join(sorted(metrics_for({"permutation"})))
        raise UsageError(f"{made.name} does not compare orders; legal names: {legal}")
    return made


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
    held: Bool = folds < share.numerator
    return held


def reread(rules: PrecedenceRules) -> PrecedenceRules:
    """Return rules as a file says them that is written and read again."""
    return rules_from_text(rules_text(rules.file))


def rules_from_text(text: str) -> PrecedenceRules:
    """Return the rules that a text in TOML says."""
    return PrecedenceRules(rules_of(parse_toml("learned rules", text)))
