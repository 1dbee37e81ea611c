"""What a system would score with correct trees and tags: the most that its parser can cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.confusion_section import called_trees, right_trees
from wordorder.analysis.confusions import DIGITS
from wordorder.analysis.corpus import Corpus
from wordorder.analysis.examples import costliest_sentences
from wordorder.analysis.finding import Finding
from wordorder.analysis.order_scores import OrderScores
from wordorder.analysis.points import points
from wordorder.analysis.repairs import TAGS, TreePair, different_rows
from wordorder.analysis.section import Section
from wordorder.analysis.system import AnalysedSystem
from wordorder.metrics.called import called
from wordorder.metrics.contract import BaseMetric
from wordorder.statistics.comparison import Comparison
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap
from wordorder.types import Int64

# What is set right in all sentences at once: name, columns, and whether the heads are.
PARTS: tuple[tuple[str, tuple[str, ...], bool], ...] = (
    ("tags", TAGS, False),
    ("labels", ("label",), False),
    ("heads", (), True),
    ("heads and labels", ("label",), True),
    ("everything", ("label", *TAGS), True),
)


@dataclass(frozen=True, eq=False)
class OracleScores:
    """The system with parts of all its trees corrected, P parts.

    Attributes
    ----------
    parts : tuple of str
    comparison : Comparison
        System 0 is the system as it is, system ``p + 1`` has part ``p`` right; all on the same
        resamples.
    changed, better, worse : int64[P]
        Sentences whose order becomes another one, whose score rises, and falls.
    examples : tuple of tuples of int
        For each part the sentences that gain most.
    """

    parts: tuple[str, ...]
    comparison: Comparison
    changed: Int64
    better: Int64
    worse: Int64
    examples: tuple[tuple[int, ...], ...]


def oracle_scores(
    pair: TreePair, scores: OrderScores, *, resamples: int = 1000, seed: int = 12345
) -> OracleScores:
    """Correct parts of all trees, apply the rules again, and score the orders.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores
    resamples, seed : int
        Of the intervals.
    """
    statistics = [scores.statistics(pair.orders)]
    before = scores.of_sentences(statistics[0])
    changed, better, worse = (np.zeros(len(PARTS), np.int64) for _ in range(3))
    examples: list[tuple[int, ...]] = []
    everything = np.arange(len(before))
    together = np.zeros_like(everything)
    for i, (_, columns, heads) in enumerate(PARTS):
        orders = pair.rules.orders(pair.corrected(columns, heads=heads))
        statistics.append(scores.statistics(orders))
        gains = np.round(scores.of_sentences(statistics[-1]) - before, DIGITS)
        changed[i] = np.count_nonzero(different_rows(orders, pair.orders))
        better[i], worse[i] = np.count_nonzero(gains > 0), np.count_nonzero(gains < 0)
        examples += costliest_sentences(together, everything, np.maximum(gains, 0.0), 1)
    metric = scores.metric
    measurement = Measurement(statistics, metric.score, metric.higher_is_better)
    (comparison,) = paired_bootstrap([measurement], resamples=resamples, seed=seed)
    parts = tuple(name for name, _, _ in PARTS)
    return OracleScores(parts, comparison, changed, better, worse, tuple(examples))


def oracle_score_sections(
    corpus: Corpus,
    system: AnalysedSystem,
    other: AnalysedSystem | None = None,
    *,
    metric: BaseMetric,
    resamples: int = 1000,
    seed: int = 12345,
    suffix: str = "",
) -> list[Section]:
    """Show what a system would score with the trees and tags of gold or of another system.

    Parameters
    ----------
    corpus, system, other, metric, suffix
        As `wordorder.analysis.parser_errors.parser_error_sections` has them.
    resamples, seed : int
        Of the intervals.

    Returns
    -------
    list of Section
        ``set-right``.

    Raises
    ------
    UsageError
        If trees or rules are missing.
    InputError
        If the two have other words.
    """
    right, name = right_trees(corpus, system, other)
    trees = called_trees(name)
    pair = TreePair.of(system, right, name)
    oracle = oracle_scores(pair, OrderScores(corpus, metric), resamples=resamples, seed=seed)
    values = oracle.comparison.values
    rows = []
    for i, part in enumerate(oracle.parts):
        test = oracle.comparison.pair(0, i + 1)
        low, high = test.interval_95 or (None, None)
        counts = (int(each[i]) for each in (oracle.changed, oracle.better, oracle.worse))
        rows.append((part, values[i + 1], test.difference, low, high, *counts))
    gain = 100 * (values[-1] - values[0])
    findings: tuple[Finding, ...] = ()
    if metric.name == "frs" and gain > 0:
        sure = "significant" if oracle.comparison.pair(0, len(PARTS)).mark == "+**" else "not sure"
        sentence = (
            f"{system.name} would have FRS {values[-1]:.4f} instead of {values[0]:.4f} with "
            f"{trees} and their tags: mistakes of its parser and tagger cost {points(gain)} "
            f"points of FRS ({sure})."
        )
        findings = (Finding(sentence, gain, oracle.examples[-1]),)
    return [
        Section(
            findings=findings,
            key=f"set-right{suffix}",
            title=f"{system.name} with {trees}",
            reading=(
                f"{system.name} has {called(metric.name)} {values[0]:.4f}; with {trees}, their "
                f"tags and the same rules it would have {values[-1]:.4f}."
            ),
            header=(
                f"from {name}",
                metric.name,
                "difference",
                "95% low",
                "95% high",
                "order changed",
                "better",
                "worse",
            ),
            rows=tuple(rows),
            examples=oracle.examples,
            note=(
                "Each row corrects one part of all trees at once and applies the rules again. "
                "The trees stay as they are where tags are corrected: the parser does not run "
                "again. The interval is that of the difference, over "
                f"{oracle.comparison.resamples} resamples of the sentences. The rest of the loss "
                "is due to the rules and the reference."
            ),
        )
    ]
