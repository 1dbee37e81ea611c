"""Scores by the length of sentences, differences of length, and the parts of CDER."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wordorder.analysis import section
from wordorder.analysis.findings import Loss, beside_others, format_points
from wordorder.analysis.tally import Bins, Tally
from wordorder.analysis.translations.stored import free_memory
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.arrays import Int64
from wordorder.metrics.registry import called
from wordorder.metrics.text.paths import DELETION, INSERTION, JUMP, SUBSTITUTION
from wordorder.statistics.intervals import DEFAULT_PLAN, Estimate, ResamplingPlan
from wordorder.text.texts import Texts

# The ranges of compare-mt.
LENGTHS = Bins((1, 10, 20, 30, 40, 50, 60))
# Where the ranges of length differences start.
DIFFERENCE_STARTS = (-20, -10, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 21)


def reference_lengths(texts: Texts) -> Int64:
    """Return the number of words of the first reference of each segment, int64[S]; -1 for none.

    Examples
    --------
    >>> texts = Texts.from_segments(["a", "b", "c"], [["a b", "a"], [], "c"])
    >>> reference_lengths(texts).tolist()
    [2, -1, 1]
    """
    lengths = np.full(len(texts), -1, np.int64)
    offsets = texts.reference_offsets
    has_reference = np.diff(offsets) > 0
    lengths[has_reference] = texts.references.lengths[offsets[:-1][has_reference]]
    return lengths


def score_by_length_sections(
    translations: Translations, plan: ResamplingPlan = DEFAULT_PLAN
) -> list[section.Section]:
    """Make a table of the scores by length of the reference for each metric.

    Parameters
    ----------
    translations : Translations
    plan : ResamplingPlan

    Returns
    -------
    list of Section
        ``score-by-length``, ``score-by-length-2``, ..., one per metric.
    """
    lengths = reference_lengths(translations.texts)
    groups = np.where(lengths < 0, -1, LENGTHS.of(lengths))
    grouped = sentence_groups(translations, groups, plan)
    # Findings are measured in points of CDER.
    names = [metric.name for metric in translations.metrics]
    finding_metric = names.index("cder") if "cder" in names else 0
    sections = []
    for index, metric in enumerate(translations.metrics):
        name = called(metric.name)
        rows: list[tuple[section.Value, ...]] = []
        for group, members, estimates in zip(
            grouped.groups, grouped.members, grouped.estimates[index], strict=True
        ):
            size = (LENGTHS.names[group], len(members), int(lengths[members].sum()))
            for system, estimate in zip(translations.names, estimates, strict=True):
                rows.append((*size, system, *section.with_bounds(estimate)))
        sections.append(
            section.Section(
                key="score-by-length",
                group=section.Group.BREAKDOWNS,
                whole=True,
                title=f"{name} by length of the reference",
                reading=_reading(translations, grouped, index),
                header=("length", "sentences", "words", "system", name, "low", "high"),
                rows=tuple(rows),
                note="Length: words of the first reference. Scores: the corpus score of the "
                f"sentences of a row; low and high are the ends of the {100 * plan.level:g} % "
                "interval by bootstrap resampling of these sentences.",
                findings=_findings(translations, groups) if index == finding_metric else (),
                signature=str(translations.signatures[index]),
            )
        )
    return list(section.numbered_sections([metric_section] for metric_section in sections))


def length_difference_section(translations: Translations) -> section.Section:
    """Count sentences by length difference: output words minus reference words.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["a b", "c", "d e f"]}
    >>> translations = translations_of(lines, ["a", "c", "d"], metrics="wer")
    >>> length_difference_section(translations).rows
    (('0', 1), ('1', 1), ('2', 1))
    """
    lengths = reference_lengths(translations.texts)
    has_reference = lengths >= 0
    counts, means = [], []
    for system in translations.systems:
        differences = (system.texts.hypothesis.lengths - lengths)[has_reference]
        ranges = np.searchsorted(DIFFERENCE_STARTS, differences, side="right")
        counts.append(np.bincount(ranges, minlength=len(DIFFERENCE_STARTS) + 1))
        means.append(float(differences.mean()) if len(differences) else 0.0)
    used_ranges = np.flatnonzero(np.sum(counts, axis=0)).tolist()
    names = difference_names()
    mean_differences = ", ".join(
        f"{name} {mean:+.2f}" for name, mean in zip(translations.names, means, strict=True)
    )
    return section.Section(
        key="length-differences",
        group=section.Group.BREAKDOWNS,
        whole=True,
        title="Sentences by length difference (output minus reference)",
        reading=f"Mean length difference, output minus reference, in words: {mean_differences}.",
        header=("words more", *(f"sentences of {name}" for name in translations.names)),
        rows=tuple(
            (names[index], *(int(count[index]) for count in counts)) for index in used_ranges
        ),
        note="Lengths in words; with several references, of the first.",
    )


def difference_names() -> tuple[str, ...]:
    """Return the names of the ranges of length differences.

    Examples
    --------
    >>> difference_names()[:4], difference_names()[-2:]
    (('below -20', '-20 to -11', '-10 to -6', '-5'), ('11 to 20', '21 or more'))
    """
    inner = [
        str(start) if start == stop - 1 else f"{start} to {stop - 1}"
        for start, stop in pairwise(DIFFERENCE_STARTS)
    ]
    return (f"below {DIFFERENCE_STARTS[0]}", *inner, f"{DIFFERENCE_STARTS[-1]} or more")


def _reading(translations: Translations, grouped: SentenceGroups, index: int) -> str:
    """Compare the scores of the first system on the shortest and on the longest sentences."""
    rows = [
        (LENGTHS.names[group], row[0])
        for group, row in zip(grouped.groups, grouped.estimates[index], strict=True)
        if row[0] is not None
    ]
    name = called(translations.metrics[index].name)
    if len(rows) < 2:
        return f"All sentences that {name} scores are in one range of lengths."
    (short, low), (long, high) = rows[0], rows[-1]
    disjoint = low.high < high.low or high.high < low.low
    clause = "their intervals do not overlap" if disjoint else "but their intervals overlap"
    return (
        f"{translations.names[0]} has {name} {low.value:.4f} on sentences of {short} words "
        f"and {high.value:.4f} on those of {long}; {clause}."
    )


def _findings(translations: Translations, groups: Int64) -> tuple[section.Finding, ...]:
    """Return the finding about the length at which a system loses most points above its average.

    There is none if no length costs a system more than its average. `groups` has the index in
    `LENGTHS` of each segment.
    """
    size = len(LENGTHS.names)
    charged = np.zeros((len(translations.systems), size))
    words = np.zeros(charged.shape)
    for n, system in enumerate(translations.systems):
        used = np.flatnonzero(system.compared)
        tally = Tally(groups[used], size)
        charged[n] = tally.sums(system.distances)
        words[n] = tally.sums(system.references.lengths[used])
    totals = np.maximum(words.sum(axis=1, keepdims=True), 1)
    rates = charged.sum(axis=1, keepdims=True) / totals
    excess = np.where(words > 0, 100 * (charged - words * rates) / totals, 0.0)
    n, worst = (int(index) for index in np.unravel_index(excess.argmax(), excess.shape))
    if excess[n, worst] <= 0:
        return ()

    def loss(index: int) -> Loss:
        """Return the loss of a system on this length above its average CDER."""
        system = translations.systems[index]
        used, share = np.flatnonzero(system.compared), words[index, worst] / totals[index]
        lost = system.losses(used, system.distances * ((groups[used] == worst) - share))
        segment_rates = system.distances / np.maximum(system.references.lengths[used], 1)
        seen = np.zeros(len(system))
        seen[used] = np.maximum(
            np.where(groups[used] == worst, segment_rates - rates[index, 0], 0.0), 0
        )
        return system.name, float(excess[index, worst]), lost, seen

    name, points, lost, seen = loss(n)
    rate = 100 * charged[n, worst] / words[n, worst]
    system = translations.systems[n]
    finding = section.Finding(
        f"{name} has a CDER of {rate:.1f} points on sentences of {LENGTHS.names[worst]} words, but "
        f"{100 * float(rates[n, 0]):.1f} on all: that costs it {format_points(points)} points.",
        points,
        level=3,
        compared=lost,
        seen=seen,
    )
    other_losses = [loss(index) for index in range(len(translations.systems)) if index != n]
    return (beside_others(finding, other_losses),)


@dataclass(frozen=True, eq=False)
class SentenceGroups:
    """The scores of all systems on groups of sentences, under every metric.

    Attributes
    ----------
    groups : tuple of int
        Indices of the G groups with sentences.
    members : tuple of int64
        The segments of each group.
    estimates : for each metric and group, one Estimate per system
        The score of these sentences as a corpus, and its interval by bootstrap resampling of these
        sentences, with the same resamples for all systems and metrics; None if the metric leaves
        out all of them.
    """

    groups: tuple[int, ...]
    members: tuple[Int64, ...]
    estimates: tuple[tuple[tuple[Estimate | None, ...], ...], ...]


def sentence_groups(
    translations: Translations, groups: Int64, plan: ResamplingPlan = DEFAULT_PLAN
) -> SentenceGroups:
    """Score each group of sentences as a corpus of its own.

    Parameters
    ----------
    translations : Translations
    groups : int64[S]
        The group of each segment, from 0; negative for none.
    plan : ResamplingPlan

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> translations = translations_of(
    ...     {"A": ["a b", "c d e", "f"]}, ["a b", "e d c", "g"], metrics="wer"
    ... )
    >>> grouped = sentence_groups(translations, np.array([0, 1, 1]))
    >>> grouped.groups, [row[0].value for row in grouped.estimates[0]]
    ((0, 1), [0.0, 0.75])
    """
    indices = [int(index) for index in np.unique(groups) if index >= 0]
    members = [np.flatnonzero(groups == index) for index in indices]
    estimates: list[list[tuple[Estimate | None, ...]]] = [[] for _ in translations.metrics]
    for metric_indices in translations.measured_together():
        measured = [translations.measurement(index) for index in metric_indices]
        for rows in members:
            for index, group_estimates in zip(
                metric_indices, plan.estimates_of(measured, rows), strict=True
            ):
                estimates[index].append(group_estimates)
        free_memory()
    return SentenceGroups(tuple(indices), tuple(members), tuple(map(tuple, estimates)))


def cder_parts_section(systems: Sequence[TranslatedSystem]) -> section.Section:
    """Make the table ``cder-parts``: the edits and jumps of the cheapest paths, by cause.

    Parameters
    ----------
    systems : sequence of TranslatedSystem
    """
    rows: list[tuple[section.Value, ...]] = []
    shares = []
    for system in systems:
        steps = system.steps
        jumps = int(steps[JUMP] + steps[DELETION])
        over_added = int(system.by_path.other_jumps.sum())
        counts = [int(steps[INSERTION]), int(steps[SUBSTITUTION]), over_added, jumps - over_added]
        points = [system.points(count) for count in counts]
        rows.append((system.name, system.words, *counts, *points, system.cder))
        shares.append(points[-1])
    best = min(range(len(systems)), key=lambda index: systems[index].cder)
    name, cder = systems[best].name, systems[best].cder
    verb = "has the lowest CDER," if len(systems) > 1 else "has a CDER of"
    return section.Section(
        key="cder-parts",
        group=section.Group.SCORES,
        whole=True,
        title="Parts of CDER: missing, wrong and added words, moved blocks",
        reading=f"{name} {verb} {cder:.1f} points; {shares[best]:.1f} of these are jumps due to "
        "moved blocks, the rest is due to words.",
        header=(
            *("system", "reference words", "insertions", "substitutions", "jumps over added words"),
            *("jumps for moved blocks", "missing: points", "wrong: points", "added: points"),
            *("moved: points", "CDER points"),
        ),
        rows=tuple(rows),
        note="Steps of the cheapest CDER path; points: steps per 100 reference words. The four "
        "parts add up to CDER. A jump belongs to the moved blocks that it leads to, from or "
        "over; all other jumps pass over output words that the path never uses. A deletion "
        "costs the same as a jump over one word and counts as one.",
    )
