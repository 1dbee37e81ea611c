"""What each part of learned rules does: how often it fires, and what it brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from wordorder.counts import counted
from wordorder.metrics.contract import BaseMetric
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rule import OTHERS, SELF
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.training.rules.trials import Trials
from wordorder.types import Float64, Int64

Part = tuple[tuple[str, ...], Int64, PrecedenceRules]


def comments_on(
    rules: PrecedenceRules, samples: Sequence[tuple[str, Trials]], *, seed: int = 0
) -> dict[tuple[str, ...], str]:
    """Say of each rule and each of its entries how often it fires and what it brings.

    What a part brings is the score with it less the score without it. Without a rule, the next one
    that fits orders its families; without an entry, its words are of the next one that fits.

    Parameters
    ----------
    rules : PrecedenceRules
    samples : sequence of (name, Trials)
        Training sentences first, then others; a name begins what is said of them.
    seed : int
        Of the resamples that give the intervals of 95 %.

    Returns
    -------
    dict of (rule,) or (rule, entry) to str
        As `wordorder.reordering.write_rules` takes it.
    """
    said: dict[tuple[str, ...], list[str]] = {}
    for name, trials in samples:
        if not len(trials.treebank):
            continue
        trials.use(rules)
        parts = list(_parts(rules, trials))
        gains = _gains(trials, [part for part in parts if len(part[1])], seed)
        for key, words, _ in parts:
            times = counted(len(words), "time" if len(key) == 1 else "word")
            # How often is said of the first sample, what it brings of all.
            listed = said.setdefault(key, [f"fires {times}" if len(key) == 1 else times])
            if key in gains:
                listed.append(f"{name}{trials.metric.name} {gains[key]}")
    return {key: "; ".join(listed) for key, listed in said.items()}


def gain_of(
    metric: BaseMetric, before: Float64, after: Float64, *, seed: int = 0
) -> tuple[float, float, float]:
    """Return how much better `after` is, with its interval of 95 %, from statistics of both."""
    return _intervals(metric, [before], after, seed)[0]


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
            if member.name in (SELF, OTHERS):
                continue
            rest = replace(rule, members=rule.members[:place] + rule.members[place + 1 :])
            listed = (*file.rules[:number], rest, *file.rules[number + 1 :])
            words = np.flatnonzero(trials.entry == first + place)
            yield (rule.name, member.name), words, PrecedenceRules(replace(file, rules=listed))


def _gains(trials: Trials, parts: Sequence[Part], seed: int) -> dict[tuple[str, ...], str]:
    """Return what parts bring; only sentences in which a part fires are ordered without it."""
    without = []
    for _, words, rest in parts:
        rows = np.unique(trials.sentence[words])
        statistics = trials.statistics.copy()
        statistics[rows] = trials.scored(rest, rows)
        without.append(statistics)
    found = _intervals(trials.metric, without, trials.statistics, seed)
    return {part[0]: shown_gain(gain) for part, gain in zip(parts, found, strict=True)}


def _intervals(
    metric: BaseMetric, without: Sequence[Float64], whole: Float64, seed: int
) -> list[tuple[float, float, float]]:
    """Return gains and their intervals, all on the same resamples."""
    if not without:
        return []
    sign = 1.0 if metric.higher_is_better else -1.0
    measurements = [
        Measurement([each, whole], metric.score, metric.higher_is_better) for each in without
    ]
    found = []
    for comparison in paired_bootstrap(measurements, seed=seed):
        test = comparison.pair(0, 1)
        bounds = test.interval_95 or (test.difference, test.difference)
        low, high = sorted(sign * bound + 0.0 for bound in bounds)
        found.append((sign * test.difference + 0.0, low, high))
    return found
