"""Scores of groups of sentences: by length, tree depth, distance moved and projectivity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem
from wordorder.analysis.findings import format_points
from wordorder.analysis.section import Finding, Group, Section, with_bounds
from wordorder.analysis.tally import NEAR, Bins, largest_first, mean_scores
from wordorder.analysis.word_distances import WordDistances
from wordorder.arrays import Int64
from wordorder.messages import counted
from wordorder.metrics.registry import called
from wordorder.statistics.intervals import Estimate, ResamplingPlan
from wordorder.statistics.measurement import Measurement
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import non_projective_arcs

# Ranges of the properties by which sentences are grouped.
LENGTHS = Bins((1, 6, 11, 16, 21, 26, 31, 41, 61))

DEPTHS = Bins((1, 3, 4, 5, 6, 7, 8, 9, 11))

LONGEST_DISTANCES = Bins((0, 1, 2, 3, 5, 9, 17, 33))

# Where the third and later ranges of mean distances start; the first two are "0" and "below 1".
MEAN_DISTANCE_STARTS = (1, 2, 3, 4, 6, 10)
MEAN_DISTANCE_NAMES = (
    "0",
    "below 1",
    "1 to 2",
    "2 to 3",
    "3 to 4",
    "4 to 6",
    "6 to 10",
    "10 or more",
)

NON_PROJECTIVE_ARCS = Bins((0, 1, 2))

# Descriptions of groups in findings. The other properties give no findings, as these would repeat
# the ones by length, longest distance and depth.
_GROUP_PHRASES = {
    "length": "of {} words",
    "longest-distance": "with a longest move of {} words",
    "depth": "whose trees are {} arcs deep",
}


@dataclass(frozen=True, eq=False)
class ScoreBreakdown:
    """Scores of systems on groups of sentences.

    Attributes
    ----------
    names : tuple of str
        Names of the G groups with sentences.
    sentences, words : tuple of int
        Number of sentences and words of each group.
    estimates : tuple of tuples of Estimate
        For each group and system, the score of the sentences as a corpus, with bootstrap interval;
        None if the system has no scored sentence in the group.
    examples : tuple of tuples of int
        Indices of the sentences with the worst mean score over the systems, by group.
    """

    names: tuple[str, ...]
    sentences: tuple[int, ...]
    words: tuple[int, ...]
    estimates: tuple[tuple[Estimate | None, ...], ...]
    examples: tuple[tuple[int, ...], ...]


def score_breakdown(
    groups: Int64,
    names: Sequence[str],
    lengths: Int64,
    systems: Sequence[AnalysedSystem],
    *,
    measurement: Measurement | None = None,
    higher_is_better: bool = True,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> ScoreBreakdown:
    """Score each group of sentences as a separate corpus.

    Parameters
    ----------
    groups : int64[S]
        The group of each sentence.
    names : sequence of str
        The names of the groups.
    lengths : int64[S]
        The number of words of each sentence.
    systems : sequence of AnalysedSystem
    measurement : Measurement, optional
        Statistics of these systems; without it, the score of a group is the mean of its sentences.
    higher_is_better : bool
        The direction of the scores; the examples are the worst sentences.
    level, resamples, seed
        For the intervals; each group is resampled separately.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> system = AnalysedSystem(
    ...     "P1R5", Orders.from_rows([[0], [0], [0]]), np.array([1.0, 0.5, 1.0]), np.zeros(3, bool)
    ... )
    >>> breakdown = score_breakdown(
    ...     np.array([0, 1, 1]), ["short", "long"], np.array([3, 20, 30]), [system]
    ... )
    >>> breakdown.names, breakdown.sentences, [row[0].value for row in breakdown.estimates]
    (('short', 'long'), (1, 2), [1.0, 0.75])
    """
    scores = np.array([system.scores for system in systems])
    is_scored = np.array([~system.skipped for system in systems], np.float64)
    statistics = np.stack([scores * is_scored, is_scored], axis=2)
    measured = measurement or Measurement(statistics, mean_scores)
    plan = ResamplingPlan(level, resamples, seed)
    sign = 1.0 if higher_is_better else -1.0
    signed_means = sign * mean_scores(statistics.sum(axis=0))
    scored = is_scored.any(axis=0)
    members = [np.flatnonzero((groups == group) & scored) for group in range(len(names))]
    scored_groups = [(name, rows) for name, rows in zip(names, members, strict=True) if len(rows)]
    example_rows = [
        rows[largest_first(-signed_means[rows], lengths[rows])][:3].tolist()
        for _, rows in scored_groups
    ]
    return ScoreBreakdown(
        tuple(name for name, _ in scored_groups),
        tuple(len(rows) for _, rows in scored_groups),
        tuple(int(lengths[rows].sum()) for _, rows in scored_groups),
        tuple(
            estimates
            for _, rows in scored_groups
            for estimates in plan.estimates_of([measured], rows)
        ),
        tuple(map(tuple, example_rows)),
    )


def score_breakdown_sections(
    analysed: AnalysedOrders, distances: WordDistances, trees: Treebank | None
) -> list[Section]:
    """Return tables of the scores by properties of the sentences.

    Parameters
    ----------
    analysed : AnalysedOrders
        The analysis; each of its systems has three columns: the score and both ends of its
        interval.
    distances : WordDistances
        The distances of the corpus.
    trees : Treebank, optional
        Trees of the sentences; without them there are no tables by depth and projectivity.

    Returns
    -------
    list of Section
        ``score-by-length``, ``score-by-mean-distance``, ``score-by-longest-distance``, and with
        trees ``score-by-depth`` and ``score-by-projectivity``.
    """
    lengths = analysed.corpus.words.lengths
    range_index = 1 + np.searchsorted(MEAN_DISTANCE_STARTS, distances.mean, side="right")
    mean_ranges = np.where(distances.mean > 0, range_index, 0).astype(np.int64)
    tables: dict[str, tuple[str, Int64, Sequence[str]]] = {
        "length": ("Length: words of the sentence.", LENGTHS.of(lengths), LENGTHS.names),
        "mean-distance": (
            "Mean distance: how far the reference moves a word of the sentence, in words, on "
            "average.",
            *(mean_ranges, MEAN_DISTANCE_NAMES),
        ),
        "longest-distance": (
            "Longest distance: how far the reference moves the word that moves farthest, in words.",
            *(LONGEST_DISTANCES.of(distances.longest), LONGEST_DISTANCES.names),
        ),
    }
    if trees is not None:
        tables["depth"] = (
            "Depth: arcs from the artificial root to the deepest word; the root word has depth 1.",
            *(DEPTHS.of(tree_depths(trees)), DEPTHS.names),
        )
        meaning = "Projectivity: the number of non-projective arcs."
        tables["projectivity"] = (
            meaning,
            NON_PROJECTIVE_ARCS.of(non_projective_arcs(trees)),
            NON_PROJECTIVE_ARCS.names,
        )
    higher_is_better, plan = analysed.metric.higher_is_better, analysed.drawn
    sampling: dict[str, Any] = {"level": plan.level, "resamples": plan.resamples, "seed": plan.seed}
    sections = []
    for key, (meaning, groups, names) in tables.items():
        breakdown = score_breakdown(
            *(groups, names, lengths, analysed.systems),
            measurement=analysed.measurement(),
            higher_is_better=higher_is_better,
            **sampling,
        )
        sections.append(_breakdown_section(key, meaning, breakdown, analysed))
    return sections


def _breakdown_section(
    key: str, meaning: str, breakdown: ScoreBreakdown, analysed: AnalysedOrders
) -> Section:
    metric, systems = analysed.metric.name, analysed.systems
    title = key.replace("-", " ")
    # The column comes first, so that headers are unique whatever the systems are called.
    header = [
        f"{column} of {system.name}" for system in systems for column in (metric, "low", "high")
    ]
    group_columns = zip(breakdown.names, breakdown.sentences, breakdown.words, strict=True)
    rows = [
        (*group, *(cell for estimate in estimates for cell in with_bounds(estimate)))
        for group, estimates in zip(group_columns, breakdown.estimates, strict=True)
    ]
    return Section(
        # Only mean FRS has findings: if sentences are weighted, the losses of the groups do not
        # add up to the total.
        findings=_breakdown_findings(key, breakdown, systems[0].name)
        if analysed.is_mean_frs
        else (),
        key=f"score-by-{key}",
        group=Group.BREAKDOWNS,
        whole=True,
        title=f"Score by {title}",
        reading=_summarize_groups(title, breakdown, analysed),
        header=(title, "sentences", "words", *header),
        rows=tuple(rows),
        examples=breakdown.examples,
        note=f"{meaning} Scores: {called(metric)} of the sentences of a row as a corpus; low and "
        f"high are the ends of its {100 * analysed.drawn.level:g} % interval by bootstrap "
        "resampling of these sentences. Examples: the worst sentences.",
    )


def _breakdown_findings(key: str, breakdown: ScoreBreakdown, system: str) -> tuple[Finding, ...]:
    """Return a finding about the group that lowers the mean most; none for a single group."""
    scored_groups = [
        (group_index, sentences, row[0].value)
        for group_index, (sentences, row) in enumerate(
            zip(breakdown.sentences, breakdown.estimates, strict=True)
        )
        if row[0] is not None
    ]
    total = sum(sentences for _, sentences, _ in scored_groups)
    if key not in _GROUP_PHRASES or len(scored_groups) < 2:
        return ()
    mean = sum(sentences * value for _, sentences, value in scored_groups) / total
    worst_index, sentences, value = max(
        scored_groups, key=lambda group: group[1] * (mean - group[2])
    )
    points_below_mean = 100 * (mean - value)
    cost = points_below_mean * sentences / total
    group_phrase = _GROUP_PHRASES[key].replace("{}", breakdown.names[worst_index])
    sentence = (
        f"{system} has FRS {value:.4f} in the {counted(sentences, 'sentence')} "
        f"{group_phrase}, {format_points(points_below_mean)} points below its "
        f"mean, which costs {format_points(cost)} points of FRS."
    )
    return (Finding(sentence, cost, breakdown.examples[worst_index]),)


def _summarize_groups(title: str, breakdown: ScoreBreakdown, analysed: AnalysedOrders) -> str:
    """Summarize the worst and the best group of the first system, and their intervals."""
    name, metric, higher = (
        analysed.system.name,
        called(analysed.metric.name),
        analysed.metric.higher_is_better,
    )
    estimated_groups = [
        (row[0], group)
        for group, row in zip(breakdown.names, breakdown.estimates, strict=True)
        if row[0]
    ]
    if not estimated_groups:
        return f"{name} has no scored sentence."
    if len(estimated_groups) < 2:
        return f"All scored sentences are in one row: {estimated_groups[0][1]}."
    ordered = sorted(estimated_groups, key=lambda group: group[0].value, reverse=not higher)
    (worst_estimate, worst), (best_estimate, best) = ordered[0], ordered[-1]
    if abs(best_estimate.value - worst_estimate.value) <= NEAR:
        return f"By {title}, {name} scores {metric} {worst_estimate.value:.4f} everywhere."
    is_disjoint = (
        worst_estimate.high < best_estimate.low
        if higher
        else worst_estimate.low > best_estimate.high
    )
    overlap = "their intervals do not overlap" if is_disjoint else "but their intervals overlap"
    return (
        f"By {title}, {name} scores worst at {worst} ({metric} {worst_estimate.value:.4f}) "
        f"and best at {best} ({best_estimate.value:.4f}); {overlap}."
    )


def tree_depths(treebank: Treebank) -> Int64:
    """Return the depth of the deepest word of each sentence, int64[S]; 0 without words.

    Examples
    --------
    >>> bank = Treebank.from_words([["a", "b", "c"], []], heads=[[0, 1, 2], []])
    >>> tree_depths(bank).tolist()
    [3, 0]
    """
    max_depths = np.zeros(len(treebank), np.int64)
    sentences = np.repeat(np.arange(len(treebank)), treebank.lengths)
    np.maximum.at(max_depths, sentences, treebank.depths)
    return max_depths
