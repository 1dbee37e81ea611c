"""The error analysis of the orders of systems on one corpus."""

from collections.abc import Iterator, Sequence

import numpy as np

from wordorder import metrics
from wordorder.analysis import section
from wordorder.analysis.analysed import Analysis, named_systems
from wordorder.analysis.answer import ScoreIntervals, answer_sentence
from wordorder.analysis.boundaries import broken_boundary_sections, unlinked_sections
from wordorder.analysis.breakdown import score_breakdown_sections
from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Corpus
from wordorder.analysis.grid import Grid
from wordorder.analysis.grid_systems import RESAMPLES
from wordorder.analysis.sentences import (
    sentence_difference_section,
    system_overview_section,
    worst_sentence_section,
)
from wordorder.analysis.tree_errors import rule_sections, tagging_sections, tree_error_sections
from wordorder.analysis.word_distances import word_distance_section, word_distances
from wordorder.analysis.words import misordered_word_sections
from wordorder.errors import UsageError
from wordorder.metrics.contract import Metric, require_segments
from wordorder.signature import labels
from wordorder.statistics.intervals import ResamplingPlan
from wordorder.statistics.measurement import bootstrap_scores
from wordorder.statistics.paired_tests import compare_resamples, retest_by_swaps
from wordorder.treebank.treebank import Treebank


def analyze(
    corpus: Corpus,
    systems: Sequence[AnalysedSystem],
    *,
    metric: Metric,
    grid: Grid | None = None,
    focus: Sequence[str] = (),
    words: Sequence[str] = (),
    rows: int = 20,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
) -> Analysis[AnalysedOrders]:
    """Find where and why the orders of systems are wrong.

    Parameters
    ----------
    corpus : Corpus
    systems : sequence of AnalysedSystem
        Systems with unique names, scored by `wordorder.analysis.corpus.scored_system` under
        `metric`.
    metric : Metric
        A metric of orders that scores single sentences: ``metric("frs")``.
    grid : Grid, optional
        The systems as parsers × rule sets.
    focus : sequence of str
        The systems whose words, sentences, trees and rules are analysed; by default two, see
        `focus_systems`.
    words : sequence of str
        Words whose tags are counted: ``["click"]``.
    rows : int
        How many rows a table has at most; those by length, depth and distance have all.
    level, resamples, seed
        Of intervals and tests; by default 1,000 resamples, and 10,000 swaps of few sentences.

    Returns
    -------
    Analysis
        Without tables that need trees, rules or gold trees if there are none.

    Raises
    ------
    UsageError
        If there are no systems, two have the same name, or `focus` has an unknown name.
    InputError
        If the corpus has no sentences.

    Examples
    --------
    >>> from wordorder.analysis.corpus import scored_system
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.order.orders import Orders
    >>> bank = Treebank.from_words([["she", "can", "read", "it"]])
    >>> corpus = Corpus(bank, Orders.from_rows([[0, 3, 2, 1]]))
    >>> system = scored_system("A", Orders.from_rows([[0, 2, 3, 1]]), corpus, metric("frs"))
    >>> analysis = analyze(corpus, [system], metric=metric("frs"))
    >>> [section.key for section in analysis.sections][:3]
    ['systems', 'words-by-form', 'boundaries-by-form']
    """
    if not systems:
        raise UsageError("no system to analyse")
    require_segments(len(corpus.words))
    names = [system.name for system in systems]
    if len(set(names)) < len(names):
        raise UsageError(f"two systems have the same name: {', '.join(names)}")
    plan = ResamplingPlan(level, resamples or RESAMPLES, seed)
    view = AnalysedOrders.of(corpus, systems, metric, plan)
    signature, measured = view.segment_signature(), view.measurement()
    (samples,) = bootstrap_scores([measured], resamples=plan.resamples, seed=seed)
    resampled = measured, samples
    intervals = ScoreIntervals.on(view.metric.name, names, resampled, level, signature)
    values = [estimate.value for estimate in intervals.estimates]
    higher = view.metric.higher_is_better
    focused = view.only(*focus_systems(systems, focus, values=values, higher_is_better=higher))
    distances = word_distances(corpus)
    frs_signature = str(metrics.metric("frs").signature().with_fields(*corpus.reference.provenance))
    sections = [
        system_overview_section(view, intervals),
        *section.signed(_word_sections(focused), frs_signature),
        *section.signed(tree_error_sections(focused), signature),
        *tagging_sections(corpus, systems, grid, words),
        *_sentence_sections(focused, rows),
        *section.signed(rule_sections(focused), signature),
        *section.signed(score_breakdown_sections(focused, distances, _trees(focused)), signature),
        *section.signed([word_distance_section(focused, distances)], frs_signature),
    ]
    answer = "No sentence has words to order, so nothing is scored."
    if not all(system.skipped.all() for system in systems):
        tested = retest_by_swaps([compare_resamples(*resampled, seed=seed)], [measured], resamples)
        answer = answer_sentence(intervals, tested[0], level=level)
    grid_intervals = [s for s in _intervals_of(grid) if s.metric != intervals.metric]
    return Analysis(
        view,
        (intervals, *grid_intervals),
        tuple(section.shortened(sections, rows)),
        answer,
        grid=grid,
    )


def _intervals_of(grid: Grid | None) -> Iterator[ScoreIntervals]:
    """Yield the intervals of a grid's metrics."""
    if grid is None:
        return
    names = tuple(system.name for system in grid.evaluation.systems)
    for metric, label, signature, estimates in zip(
        grid.metrics, labels(grid.signatures), grid.signatures, grid.estimates, strict=True
    ):
        yield ScoreIntervals(
            label, names, tuple(estimates), metric.higher_is_better, str(signature)
        )


def _sentence_sections(analysed: AnalysedOrders, rows: int) -> Iterator[section.Section]:
    """Yield tables of the worst sentences of each system, and of its differences to the first."""
    yield from section.numbered_sections(
        ([worst_sentence_section(view, rows=rows)] for view in analysed.each()), findings=False
    )
    yield from section.numbered_sections(
        [sentence_difference_section(analysed.only(0, other), rows=rows)]
        for other in range(1, len(analysed.systems))
    )


def _word_sections(analysed: AnalysedOrders) -> Iterator[section.Section]:
    yield from section.numbered_sections(
        (
            [
                *unlinked_sections(view),
                *misordered_word_sections(view),
                *broken_boundary_sections(view),
            ]
            for view in analysed.each()
        ),
        findings=False,
    )


def _trees(analysed: AnalysedOrders) -> Treebank | None:
    """Return the gold trees, or else those of the first system that has trees."""
    banks = [analysed.corpus.gold, *(system.treebank for system in analysed.systems)]
    return next((bank for bank in banks if bank is not None and bank.has_trees), None)


def focus_systems(
    systems: Sequence[AnalysedSystem],
    names: Sequence[str] = (),
    *,
    values: Sequence[float] | None = None,
    higher_is_better: bool = True,
) -> tuple[int, ...]:
    """Choose the systems whose words and sentences are analysed.

    Parameters
    ----------
    systems : sequence of AnalysedSystem
    names : sequence of str
        The names of systems, in the order of the result. Without names: the best system, and the
        best of the systems with the same rules and other trees or, without such a system, the
        second best.
    values : sequence of float, optional
        The corpus scores of the systems; by default the means of the scores of their sentences.
    higher_is_better : bool
        The direction of the scores.

    Returns
    -------
    tuple of int
        The indices of the systems.

    Raises
    ------
    UsageError
        If a name is unknown or listed twice.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> systems = [
    ...     AnalysedSystem(name, Orders.from_rows([[0]]), np.array([score]), np.zeros(1, bool))
    ...     for name, score in [("A", 0.2), ("B", 1.0)]
    ... ]
    >>> focus_systems(systems), focus_systems(systems, ["A"])
    ((1, 0), (0,))
    """
    if names:
        return named_systems(names, [system.name for system in systems])
    ranked_by = list(map(_mean, systems)) if values is None else values
    means = [value if higher_is_better else -value for value in ranked_by]
    # Of systems whose scores differ only by rounding, the first counts as better.
    ranked = sorted(range(len(systems)), key=lambda system: (-round(means[system], 12), system))
    if len(ranked) < 2:
        return tuple(ranked)
    best = systems[ranked[0]]
    rivals = [
        number
        for number in ranked[1:]
        if best.rules is not None
        and systems[number].rules is best.rules
        and systems[number].treebank is not best.treebank
    ]
    return ranked[0], (rivals or ranked[1:])[0]


def _mean(system: AnalysedSystem) -> float:
    scored = int(np.count_nonzero(~system.skipped))
    return float(system.scores[~system.skipped].sum()) / max(scored, 1)
