"""The error analysis of systems on one corpus, all sections of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from wordorder import metrics
from wordorder.analysis.breakdown import score_breakdown_sections
from wordorder.analysis.corpus import AnalysedSystem, Corpus, OrderScores, Placement, placement
from wordorder.analysis.grid import Grid
from wordorder.analysis.section import (
    Analysis,
    ScoreIntervals,
    Section,
    answer_sentence,
    focus_systems,
    numbered_keys,
    shortened,
    signed,
)
from wordorder.analysis.sentences import (
    sentence_difference_section,
    system_overview_section,
    worst_sentence_section,
)
from wordorder.analysis.tree_errors import (
    rule_sections,
    tagging_sections,
    tree_error_sections,
)
from wordorder.analysis.words import (
    broken_boundary_sections,
    misordered_word_sections,
    word_distance_section,
    word_distances,
)
from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric, Metric, completed, require_segments
from wordorder.scoring.scores import scores_by_length
from wordorder.signature import labels
from wordorder.statistics.intervals import estimated_on
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import Comparison, compared_on
from wordorder.statistics.resampling import bootstrap_scores
from wordorder.treebank.treebank import Treebank

# The key of a section of the second system, or a later one.
_LATER = re.compile(r"-[0-9]+$")
# A system that is looked at closely, with where it puts its words.
Looked: TypeAlias = "tuple[AnalysedSystem, Placement]"


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
    resamples: int = 1000,
    seed: int = 12345,
) -> Analysis:
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
        Of the intervals.

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
    >>> from wordorder.metrics import metric
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
    measured = Measurement(
        [scores.statistics(system.orders) for system in systems],
        complete.score,
        complete.higher_is_better,
    )
    drawn = {"resamples": resamples, "seed": seed}
    (samples,) = bootstrap_scores([measured], **drawn)
    intervals = ScoreIntervals(
        complete.name,
        tuple(names),
        tuple(estimated_on(measured, samples, level)),
        complete.higher_is_better,
        signature,
    )
    values = [each.value for each in intervals.estimates]
    higher = complete.higher_is_better
    chosen = focus_systems(systems, focus, values=values, higher_is_better=higher)
    placements = [placement(corpus, system.orders) for system in systems]
    looked_at = [(systems[number], placements[number]) for number in chosen]
    close = [systems[number] for number in chosen]
    charged = str(metrics.metric("frs").signature().with_fields(*corpus.reference.provenance))
    sections = [
        system_overview_section(corpus, systems, placements, intervals, level=level, **drawn),
        *signed(_word_sections(corpus, looked_at), charged),
        *signed(tree_error_sections(corpus, close, complete, **drawn), signature),
        *tagging_sections(corpus, systems, grid, words),
        *signed(_sentence_sections(corpus, looked_at, complete, rows, **drawn), signature),
        *signed(rule_sections(corpus, close, complete, **drawn), signature),
        *signed(_breakdowns(corpus, looked_at, complete, level, **drawn), signature),
        *signed([_distances(corpus, looked_at)], charged),
    ]
    return Analysis(
        corpus,
        tuple(systems),
        signature,
        grid,
        tuple(_on_the_first(shortened(sections, rows))),
        higher,
        _answer(systems, intervals, compared_on(measured, samples, seed=seed), level),
        (intervals, *(each for each in _intervals_of(grid) if each.metric != complete.name)),
        scores_by_length(corpus.reference.lengths, [measured]),
    )


def _on_the_first(sections: Sequence[Section]) -> list[Section]:
    """Return the sections without findings on other systems than the first that is looked at.

    Those of a worse system would explain more, and take the place of all others.
    """
    return [
        replace(each, findings=())
        if _LATER.search(each.key) and not each.key.startswith("sentence-differences")
        else each
        for each in sections
    ]


def _answer(
    systems: Sequence[AnalysedSystem],
    intervals: ScoreIntervals,
    comparison: Comparison,
    level: float,
) -> str:
    if all(system.skipped.all() for system in systems):
        return "No sentence has words to order, so nothing is scored."
    return answer_sentence(intervals, comparison, level=level)


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


def _sentence_sections(
    corpus: Corpus,
    looked_at: Sequence[Looked],
    metric: BaseMetric,
    rows: int,
    resamples: int,
    seed: int,
) -> Iterator[Section]:
    """Yield the worst sentences of each system, and those where another differs from the first."""
    name, higher = metric.name, metric.higher_is_better
    for suffix, (system, placed) in numbered_keys(looked_at):
        yield worst_sentence_section(
            corpus, system, placed, metric=name, higher_is_better=higher, rows=rows, suffix=suffix
        )
    first, first_placed = looked_at[0]
    for suffix, (other, other_placed) in numbered_keys(looked_at[1:]):
        yield sentence_difference_section(
            corpus,
            (first, other),
            (first_placed, other_placed),
            metric=name,
            higher_is_better=higher,
            resamples=resamples,
            seed=seed,
            rows=rows,
            suffix=suffix,
        )


def _word_sections(corpus: Corpus, looked_at: Sequence[Looked]) -> Iterator[Section]:
    for suffix, (system, placed) in numbered_keys(looked_at):
        yield from misordered_word_sections(corpus, system, placed, suffix=suffix)
        yield from broken_boundary_sections(corpus, system, placed, suffix=suffix)


def _breakdowns(
    corpus: Corpus,
    looked_at: Sequence[Looked],
    metric: BaseMetric,
    level: float,
    resamples: int,
    seed: int,
) -> Iterator[Section]:
    """Yield the tables whose columns are the systems."""
    systems = [system for system, _ in looked_at]
    yield from score_breakdown_sections(
        corpus,
        systems,
        word_distances(corpus),
        _trees(corpus, systems),
        metric=metric.name,
        higher_is_better=metric.higher_is_better,
        level=level,
        resamples=resamples,
        seed=seed,
    )


def _distances(corpus: Corpus, looked_at: Sequence[Looked]) -> Section:
    systems, placements = zip(*looked_at, strict=True)
    return word_distance_section(corpus, systems, placements, word_distances(corpus))


def _trees(corpus: Corpus, systems: Sequence[AnalysedSystem]) -> Treebank | None:
    """Return the gold trees, or else those of the first system that has some."""
    banks = [corpus.gold, *(system.treebank for system in systems)]
    return next((bank for bank in banks if bank is not None and bank.has_trees), None)
