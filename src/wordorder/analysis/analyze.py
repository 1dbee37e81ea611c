"""The error analysis of systems on one corpus, all sections of it."""

from collections.abc import Iterator, Sequence

from wordorder import metrics
from wordorder.analysis import section
from wordorder.analysis.boundaries import broken_boundary_sections, unlinked_sections
from wordorder.analysis.breakdown import score_breakdown_sections
from wordorder.analysis.corpus import AnalysedSystem, Corpus, Look, OrderScores
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
from wordorder.metrics.contract import Metric, completed, require_segments
from wordorder.scoring.by_length import scores_by_length
from wordorder.signature import labels
from wordorder.statistics.intervals import ResamplingPlan
from wordorder.statistics.measurement import bootstrap_scores
from wordorder.statistics.paired_tests import compared_on, judged_by_swaps
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
) -> section.Analysis:
    """Find where and why the orders of systems are wrong.

    Parameters
    ----------
    corpus : Corpus
    systems : sequence of AnalysedSystem
        As `wordorder.analysis.corpus.scored_system` makes them, under `metric`; their
        names differ.
    metric : Metric
        Of orders, that scores sentences: ``metric("frs")``.
    grid : Grid, optional
        The systems as parsers × rule sets.
    focus : sequence of str
        The systems whose words, sentences, trees and rules are looked at; by default two, see
        `wordorder.analysis.section.focus_systems`.
    words : sequence of str
        Words whose tags are counted: ``["click"]``.
    rows : int
        How many rows a table has at most; those by length, depth and distance have all.
    level, resamples, seed
        Of intervals and tests; by default 1,000 resamples, and 10,000 swaps of few sentences.

    Returns
    -------
    Analysis
        What needs trees, rules or gold trees is left out where there are none.

    Raises
    ------
    UsageError
        If there is no system, two have one name, or `focus` names one that there is not.
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
    complete = completed(metric)
    scores = OrderScores(corpus, complete)
    # Values of the corpus, which an average over words does not take from those of sentences.
    signature = str(complete.signature().with_fields(*corpus.reference.provenance))
    measured = scores.measurement([scores.statistics(system.orders) for system in systems])
    drawn = ResamplingPlan(level, resamples or RESAMPLES, seed)
    (samples,) = bootstrap_scores([measured], resamples=drawn.resamples, seed=seed)
    resampled = measured, samples
    intervals = section.ScoreIntervals.on(complete.name, names, resampled, level, signature)
    values = [each.value for each in intervals.estimates]
    higher = complete.higher_is_better
    chosen = section.focus_systems(systems, focus, values=values, higher_is_better=higher)
    everywhere = Look.at(corpus, systems, complete, drawn)
    look = everywhere.only(*chosen)
    moved = word_distances(corpus)
    charged = str(metrics.metric("frs").signature().with_fields(*corpus.reference.provenance))
    sections = [
        system_overview_section(everywhere, intervals),
        *section.signed(_word_sections(look), charged),
        *section.signed(tree_error_sections(look), signature),
        *tagging_sections(corpus, systems, grid, words),
        *section.signed(_sentence_sections(look, rows), signature),
        *section.signed(rule_sections(look), signature),
        *section.signed(score_breakdown_sections(look, moved, _trees(look)), signature),
        *section.signed([word_distance_section(look, moved)], charged),
    ]
    answer = "No sentence has words to order, so nothing is scored."
    if not all(system.skipped.all() for system in systems):
        tested = judged_by_swaps([compared_on(*resampled, seed=seed)], [measured], resamples)
        (comparison,) = tested
        answer = section.answer_sentence(intervals, comparison, level=level)
    return section.Analysis(
        corpus,
        tuple(systems),
        signature,
        grid,
        tuple(section.shortened(sections, rows)),
        higher,
        answer,
        (intervals, *(each for each in _intervals_of(grid) if each.metric != complete.name)),
        scores_by_length(corpus.reference.lengths, [measured]),
    )


def _intervals_of(grid: Grid | None) -> Iterator[section.ScoreIntervals]:
    """Yield the intervals of a grid's metrics."""
    if grid is None:
        return
    names = tuple(system.name for system in grid.evaluation.systems)
    for metric, label, signature, estimates in zip(
        grid.metrics, labels(grid.signatures), grid.signatures, grid.estimates, strict=True
    ):
        yield section.ScoreIntervals(
            label, names, tuple(estimates), metric.higher_is_better, str(signature)
        )


def _sentence_sections(look: Look, rows: int) -> Iterator[section.Section]:
    """Yield the worst sentences of each system, and those where another differs from the first."""
    yield from section.numbered_sections(
        ([worst_sentence_section(each, rows=rows)] for each in look.each()), findings=False
    )
    others = range(1, len(look.systems))
    yield from section.numbered_sections(
        [sentence_difference_section(look.only(0, n), rows=rows)] for n in others
    )


def _word_sections(look: Look) -> Iterator[section.Section]:
    yield from section.numbered_sections(
        (
            [
                *unlinked_sections(each),
                *misordered_word_sections(each),
                *broken_boundary_sections(each),
            ]
            for each in look.each()
        ),
        findings=False,
    )


def _trees(look: Look) -> Treebank | None:
    """Return the gold trees, or else those of the first system that has some."""
    banks = [look.corpus.gold, *(system.treebank for system in look.systems)]
    return next((bank for bank in banks if bank is not None and bank.has_trees), None)
