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
from wordorder.statistics.intervals import DRAWN, Estimate, ResamplingPlan
from wordorder.text.texts import Texts

# The ranges of compare-mt.
LENGTHS = Bins((1, 10, 20, 30, 40, 50, 60))

DIFFERENCES = (-20, -10, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 21)


def reference_lengths(texts: Texts) -> Int64:
    """Return how many words the first reference of each segment has, int64[S]; -1 without one.

    Examples
    --------
    >>> texts = Texts.from_segments(["a", "b", "c"], [["a b", "a"], [], "c"])
    >>> reference_lengths(texts).tolist()
    [2, -1, 1]
    """
    lengths = np.full(len(texts), -1, np.int64)
    offsets = texts.reference_offsets
    there = np.diff(offsets) > 0
    lengths[there] = texts.references.lengths[offsets[:-1][there]]
    return lengths


def score_by_length_sections(
    translations: Translations, drawn: ResamplingPlan = DRAWN
) -> list[section.Section]:
    """Make a table of the scores by length of the reference for each metric.

    Parameters
    ----------
    translations : Translations
    drawn : Drawn
        How intervals are drawn.

    Returns
    -------
    list of Section
        ``score-by-length``, ``score-by-length-2``, ..., one per metric.
    """
    lengths = reference_lengths(translations.texts)
    groups = np.where(lengths < 0, -1, LENGTHS.of(lengths))
    found = sentence_groups(translations, groups, drawn)
    # Findings count CDER, so its table has them, if there is one.
    names = [metric.name for metric in translations.metrics]
    finding_place = names.index("cder") if "cder" in names else 0
    sections = []
    for place, metric in enumerate(translations.metrics):
        name = called(metric.name)
        rows: list[tuple[section.Value, ...]] = []
        for group, members, estimates in zip(
            found.groups, found.members, found.estimates[place], strict=True
        ):
            size = (LENGTHS.names[group], len(members), int(lengths[members].sum()))
            for system, each in zip(translations.names, estimates, strict=True):
                rows.append((*size, system, *section.with_bounds(each)))
        sections.append(
            section.Section(
                key="score-by-length",
                group=section.Group.BREAKDOWNS,
                whole=True,
                title=f"{name} by length of the reference",
                reading=_reading(translations, found, place),
                header=("length", "sentences", "words", "system", name, "low", "high"),
                rows=tuple(rows),
                note="Length: words of the first reference. Scores: the corpus score of the "
                f"sentences of a row; low and high are the ends of the {100 * drawn.level:g} % "
                "interval by bootstrap resampling of these sentences.",
                findings=_findings(translations, groups) if place == finding_place else (),
                signature=str(translations.signatures[place]),
            )
        )
    return list(section.numbered_sections([each] for each in sections))


def length_difference_section(translations: Translations) -> section.Section:
    """Count sentences by length difference: output words minus reference words.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> found = translations_of({"A": ["a b", "c", "d e f"]}, ["a", "c", "d"], metrics="wer")
    >>> length_difference_section(found).rows
    (('0', 1), ('1', 1), ('2', 1))
    """
    lengths = reference_lengths(translations.texts)
    there = lengths >= 0
    counts, means = [], []
    for system in translations.systems:
        away = (system.texts.hypothesis.lengths - lengths)[there]
        ranges = np.searchsorted(DIFFERENCES, away, side="right")
        counts.append(np.bincount(ranges, minlength=len(DIFFERENCES) + 1))
        means.append(float(away.mean()) if len(away) else 0.0)
    used = np.flatnonzero(np.sum(counts, axis=0)).tolist()
    names = difference_names()
    said = ", ".join(
        f"{name} {mean:+.2f}" for name, mean in zip(translations.names, means, strict=True)
    )
    return section.Section(
        key="length-differences",
        group=section.Group.BREAKDOWNS,
        whole=True,
        title="Sentences by length difference (output minus reference)",
        reading=f"Mean length difference, output minus reference, in words: {said}.",
        header=("words more", *(f"sentences of {name}" for name in translations.names)),
        rows=tuple((names[at], *(int(count[at]) for count in counts)) for at in used),
        note="Lengths in words; with several references, of the first.",
    )


def difference_names() -> tuple[str, ...]:
    """Return what the ranges of length differences are called.

    Examples
    --------
    >>> difference_names()[:4], difference_names()[-2:]
    (('below -20', '-20 to -11', '-10 to -6', '-5'), ('11 to 20', '21 or more'))
    """
    inner = [
        str(start) if start == stop - 1 else f"{start} to {stop - 1}"
        for start, stop in pairwise(DIFFERENCES)
    ]
    return (f"below {DIFFERENCES[0]}", *inner, f"{DIFFERENCES[-1]} or more")


def _reading(translations: Translations, found: SentenceGroups, place: int) -> str:
    """Say how the first system does on the shortest and on the longest sentences."""
    rows = [
        (LENGTHS.names[group], row[0])
        for group, row in zip(found.groups, found.estimates[place], strict=True)
        if row[0] is not None
    ]
    name = called(translations.metrics[place].name)
    if len(rows) < 2:
        return f"All sentences that {name} scores are in one range of lengths."
    (short, low), (long, high) = rows[0], rows[-1]
    apart = low.high < high.low or high.high < low.low
    said = "their intervals do not overlap" if apart else "but their intervals overlap"
    return (
        f"{translations.names[0]} has {name} {low.value:.4f} on sentences of {short} words "
        f"and {high.value:.4f} on those of {long}; {said}."
    )


def _findings(translations: Translations, groups: Int64) -> tuple[section.Finding, ...]:
    """Say which length costs a system more than its share of the words, where it does so most."""
    size = len(LENGTHS.names)
    charged = np.zeros((len(translations.systems), size))
    words = np.zeros(charged.shape)
    for n, system in enumerate(translations.systems):
        used = np.flatnonzero(system.compared)
        tally = Tally(groups[used], size)
        charged[n] = tally.sums(system.distances)
        words[n] = tally.sums(system.references.lengths[used])
    totals = np.maximum(words.sum(axis=1, keepdims=True), 1)
    whole = charged.sum(axis=1, keepdims=True) / totals
    excess = np.where(words > 0, 100 * (charged - words * whole) / totals, 0.0)
    n, worst = (int(each) for each in np.unravel_index(excess.argmax(), excess.shape))
    if excess[n, worst] <= 0:
        return ()

    def loss(other: int) -> Loss:
        """Say what a system loses on this length, beyond as many words of any length."""
        system = translations.systems[other]
        used, share = np.flatnonzero(system.compared), words[other, worst] / totals[other]
        lost = system.losses(used, system.distances * ((groups[used] == worst) - share))
        rates = system.distances / np.maximum(system.references.lengths[used], 1)
        seen = np.zeros(len(system))
        seen[used] = np.maximum(np.where(groups[used] == worst, rates - whole[other, 0], 0.0), 0)
        return system.name, float(excess[other, worst]), lost, seen

    name, points, lost, seen = loss(n)
    rate = 100 * charged[n, worst] / words[n, worst]
    system = translations.systems[n]
    finding = section.Finding(
        f"{name} has a CDER of {rate:.1f} points on sentences of {LENGTHS.names[worst]} words, but "
        f"{100 * float(whole[n, 0]):.1f} on all: that costs it {format_points(points)} points.",
        points,
        level=3,
        compared=lost,
        seen=seen,
    )
    others = [loss(other) for other in range(len(translations.systems)) if other != n]
    return (beside_others(finding, others),)


@dataclass(frozen=True, eq=False)
class SentenceGroups:
    """The scores of all systems on groups of sentences, under every metric.

    Attributes
    ----------
    groups : tuple of int
        Numbers of the groups that have sentences, G of them.
    members : tuple of int64
        Their segments.
    estimates : for each metric, for each group, an Estimate a system
        The score of these sentences as a corpus, and its interval by bootstrap resampling of these
        sentences, the same resamples for all systems and metrics; None for a system of which the
        metric leaves all of them out.
    """

    groups: tuple[int, ...]
    members: tuple[Int64, ...]
    estimates: tuple[tuple[tuple[Estimate | None, ...], ...], ...]


def sentence_groups(
    translations: Translations, groups: Int64, drawn: ResamplingPlan = DRAWN
) -> SentenceGroups:
    """Score each group of sentences as a corpus of its own.

    Parameters
    ----------
    translations : Translations
    groups : int64[S]
        The group of each segment, from 0; below 0 for one that is in none.
    drawn : Drawn
        How intervals are drawn.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> found = translations_of(
    ...     {"A": ["a b", "c d e", "f"]}, ["a b", "e d c", "g"], metrics="wer"
    ... )
    >>> scored = sentence_groups(found, np.array([0, 1, 1]))
    >>> scored.groups, [row[0].value for row in scored.estimates[0]]
    ((0, 1), [0.0, 0.75])
    """
    numbers = [int(number) for number in np.unique(groups) if number >= 0]
    members = [np.flatnonzero(groups == number) for number in numbers]
    found: list[list[tuple[Estimate | None, ...]]] = [[] for _ in translations.metrics]
    for places in translations.measured_together():
        measured = [translations.measurement(place) for place in places]
        for rows in members:
            for place, row in zip(places, drawn.estimates_of(measured, rows), strict=True):
                found[place].append(row)
        free_memory()
    return SentenceGroups(tuple(numbers), tuple(members), tuple(map(tuple, found)))


def loss_section(systems: Sequence[TranslatedSystem]) -> section.Section:
    """Make the table ``cder-parts``: the edits and jumps of the cheapest paths, by their cause.

    Parameters
    ----------
    systems : sequence of SystemBlocks
    """
    rows: list[tuple[section.Value, ...]] = []
    shares = []
    for each in systems:
        steps = each.steps
        jumps = int(steps[JUMP] + steps[DELETION])
        over = int(each.by_path.other_jumps.sum())
        counts = [int(steps[INSERTION]), int(steps[SUBSTITUTION]), over, jumps - over]
        points = [each.points(count) for count in counts]
        rows.append((each.name, each.words, *counts, *points, each.cder))
        shares.append(points[-1])
    best = min(range(len(systems)), key=lambda number: systems[number].cder)
    name, cder = systems[best].name, systems[best].cder
    said = "has the lowest CDER," if len(systems) > 1 else "has a CDER of"
    return section.Section(
        key="cder-parts",
        group=section.Group.SCORES,
        whole=True,
        title="Parts of CDER: missing, wrong and added words, moved blocks",
        reading=f"{name} {said} {cder:.1f} points; {shares[best]:.1f} of these are jumps due to "
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
