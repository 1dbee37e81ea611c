"""Scores of a system with parts of its trees corrected."""

from dataclasses import dataclass

import numpy as np

from wordorder.analysis.confusion_section import describe_trees, right_trees
from wordorder.analysis.corpus import AnalysedOrders, OrderScores
from wordorder.analysis.findings import format_points
from wordorder.analysis.repairs import TAG_COLUMNS, TreePair, different_rows
from wordorder.analysis.section import Finding, Group, Section
from wordorder.analysis.tally import DIGITS, costliest_sentences
from wordorder.arrays import Int64
from wordorder.metrics.registry import called
from wordorder.statistics.paired_tests import Comparison, paired_bootstrap

# The parts of trees that are corrected: name, columns, and whether heads are corrected.
CORRECTIONS: tuple[tuple[str, tuple[str, ...], bool], ...] = (
    ("tags", TAG_COLUMNS, False),
    ("labels", ("label",), False),
    ("heads", (), True),
    ("heads and labels", ("label",), True),
    ("everything", ("label", *TAG_COLUMNS), True),
)


@dataclass(frozen=True, eq=False)
class OracleScores:
    """Scores of a system with one of P parts of all its trees corrected.

    Attributes
    ----------
    parts : tuple of str
    comparison : Comparison
        System 0 has the trees as they are, system ``p + 1`` those with part ``p`` corrected.
    changed, better, worse : int64[P]
        The number of sentences whose order changes, and whose score rises or falls.
    examples : tuple of tuples of int
        Indices of the sentences that gain most, by part.
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
        For the intervals.
    """
    statistics = [scores.statistics(pair.orders)]
    scores_before = scores.of_sentences(statistics[0])
    changed, better, worse = (np.zeros(len(CORRECTIONS), np.int64) for _ in range(3))
    examples: list[tuple[int, ...]] = []
    sentences = np.arange(len(scores_before))
    for i, (_, columns, heads) in enumerate(CORRECTIONS):
        orders = pair.rules.orders(pair.corrected(columns, heads=heads))
        statistics.append(scores.statistics(orders))
        gains = np.round(scores.of_sentences(statistics[-1]) - scores_before, DIGITS)
        changed[i] = np.count_nonzero(different_rows(orders, pair.orders))
        better[i], worse[i] = np.count_nonzero(gains > 0), np.count_nonzero(gains < 0)
        examples.append(costliest_sentences(sentences, np.maximum(gains, 0.0)))
    measured = [scores.measurement(statistics)]
    (comparison,) = paired_bootstrap(measured, resamples=resamples, seed=seed)
    parts = tuple(name for name, _, _ in CORRECTIONS)
    return OracleScores(parts, comparison, changed, better, worse, tuple(examples))


def oracle_score_sections(analysed: AnalysedOrders) -> list[Section]:
    """Return the table of scores with the trees and tags of gold or of another system.

    Parameters
    ----------
    analysed : AnalysedOrders
        See `parser_error_sections`.

    Returns
    -------
    list of Section
        ``set-right``.

    Raises
    ------
    UsageError
        If trees or rules are missing.
    InputError
        If the words of the two differ.
    """
    system, metric, sampling = analysed.system, analysed.metric, analysed.drawn
    right, name = right_trees(analysed)
    trees = describe_trees(name)
    pair = TreePair.of(system, right, name)
    oracle = oracle_scores(pair, analysed.scores, resamples=sampling.resamples, seed=sampling.seed)
    values = oracle.comparison.values
    tests = [oracle.comparison.pair(0, part) for part in range(1, len(values))]
    bounds = [test.interval_95 or (None, None) for test in tests]
    gain = 100 * (values[-1] - values[0])
    findings: tuple[Finding, ...] = ()
    if metric.name == "frs" and gain > 0:
        verdict = "significant" if tests[-1].mark == "+**" else "not sure"
        sentence = (
            f"{system.name} would have FRS {values[-1]:.4f} instead of {values[0]:.4f} with "
            f"{trees} and their tags: mistakes of its parser and tagger cost {format_points(gain)} "
            f"points of FRS ({verdict})."
        )
        findings = (Finding(sentence, gain, oracle.examples[-1]),)
    return [
        Section.of_columns(
            {
                f"from {name}": oracle.parts,
                metric.name: values[1:],
                "difference": [test.difference for test in tests],
                "95% low": [low for low, _ in bounds],
                "95% high": [high for _, high in bounds],
                "order changed": oracle.changed,
                "better": oracle.better,
                "worse": oracle.worse,
            },
            findings=findings,
            key="set-right",
            group=Group.TREES,
            title=f"{system.name} with {trees}",
            reading=(
                f"{system.name} has {called(metric.name)} {values[0]:.4f}; with {trees}, their "
                f"tags and the same rules it would have {values[-1]:.4f}."
            ),
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
