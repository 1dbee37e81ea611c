"""Scores by how much reordering the sentence pair needs: shows up monotone systems."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from wordorder.analysis.finding import Finding
from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.beside_others import worst_of_systems
from wordorder.analysis.translations.cder_edits import cder_statistics
from wordorder.analysis.translations.needed_reordering import needed_reordering, reordering
from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.analysis.translations.translations import Translations
from wordorder.counts import counted, joined, percent
from wordorder.metrics.called import called
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.types import Float64, Int64

GROUPS = ("little", "some", "much")
# A system that does less than this share of what the pairs with much reordering need is monotone.
MONOTONE = 0.5
_EXAMPLES = 10


def reordering_section(
    translations: Translations,
    *,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> Section | None:
    """Make the table ``needed-reordering``; None without links of source and references.

    Parameters
    ----------
    translations : Translations
    level, resamples, seed
        Of the intervals.
    """
    needed = needed_reordering(translations)
    if needed is None or translations.links is None or np.isnan(needed).all():
        return None
    groups = reordering_groups(needed)
    metric = translations.metrics[0]
    done = [
        reordering(links.hypothesis, links.source_lengths)
        for links in translations.links
        if links.source_lengths is not None
    ]
    rows: list[tuple[Value, ...]] = []
    examples: list[tuple[int, ...]] = []
    shares: list[float | None] = [None] * len(translations.systems)
    for name, chosen in zip(GROUPS, groups, strict=True):
        if not len(chosen):
            continue
        measured = Measurement(
            [system.statistics[0][chosen] for system in translations.systems],
            metric.score,
            metric.higher_is_better,
        )
        (estimates,) = confidence_intervals(
            [measured], confidence=level, resamples=resamples, seed=seed
        )
        mean = float(needed[chosen].mean())
        for number, (system, estimate) in enumerate(
            zip(translations.systems, estimates, strict=True)
        ):
            made = done[number][chosen]
            moved = float(np.nanmean(made)) if not np.isnan(made).all() else None
            shares[number] = None if moved is None or not mean else moved / mean
            rows.append(
                (
                    *(name, len(chosen), mean, system.name, moved),
                    *(estimate.value, estimate.low, estimate.high),
                )
            )
            examples.append(_worst(system, chosen, metric.higher_is_better))
    unknown = int(np.count_nonzero(np.isnan(needed)))
    note = (
        "Needed: 1 minus the FRS of the unchanged source against the order of the first "
        "reference, on average. Done: the same against the order of the translation. The groups "
        "are thirds of the sentences by needed reordering; equal values stay in one group. Low, "
        f"high: the {100 * level:g} % interval by bootstrap resampling ({resamples} resamples, "
        f"seed {seed})."
    )
    if unknown:
        note += (
            f" Left out: {counted(unknown, 'sentence')} without links "
            f"({percent(unknown, len(needed))})."
        )
    return Section(
        key="needed-reordering",
        title="Scores by needed reordering",
        reading=_reading(translations, shares),
        header=(
            *("needs", "sentences", "needed", "system", "done"),
            *(called(metric.name), "low", "high"),
        ),
        rows=tuple(rows),
        examples=tuple(examples),
        note=note,
        findings=_findings(translations, groups, shares),
        signature=str(translations.signatures[0]),
    )


def reordering_groups(needed: Float64) -> tuple[Int64, Int64, Int64]:
    """Split the sentences into thirds by needed reordering: little, some, much.

    Equal needs are in one group, so the groups may differ in size, and some may be empty.

    Examples
    --------
    >>> [g.tolist() for g in reordering_groups(np.array([0.5, 0, 0.2, 0, 0, np.nan, 1]))]
    [[1, 3, 4], [2], [0, 6]]
    """
    known = np.flatnonzero(~np.isnan(needed))
    if not len(known):
        return known, known, known
    values = np.round(needed[known], 12)
    lower, upper = np.sort(values)[[(len(known) - 1) // 3, (2 * len(known) - 1) // 3]]
    bounds = (-np.inf, lower, upper, np.inf)
    little, some, much = (
        known[(values > low) & (values <= high)] for low, high in pairwise(bounds)
    )
    return little, some, much


def _worst(system: TranslatedSystem, chosen: Int64, higher: bool) -> tuple[int, ...]:
    """Return the sentences of a group that a system does worst."""
    scores = np.nan_to_num(system.scores[0][chosen], nan=1.0 if higher else 0.0)
    order = np.argsort(scores if higher else -scores, kind="stable")
    return tuple(chosen[order][:_EXAMPLES].tolist())


def _reading(translations: Translations, shares: list[float | None]) -> str:
    """Say which systems follow the source where much reordering is needed."""
    known = [
        (name, share)
        for name, share in zip(translations.names, shares, strict=True)
        if share is not None
    ]
    monotone = [name for name, share in known if share < MONOTONE]
    said = "; ".join(f"{name} does {100 * share:.0f} % of it" for name, share in known)
    reading = (
        (f"Share of the needed reordering that is done in the last group: {said}.") if said else ""
    )
    if monotone:
        verb = "follows" if len(monotone) == 1 else "follow"
        reading += f" {joined(monotone)} mostly {verb} the source order there."
    return reading


def _findings(
    translations: Translations, groups: tuple[Int64, Int64, Int64], shares: list[float | None]
) -> tuple[Finding, ...]:
    """Say what is lost where much reordering is needed, against where little is."""
    little, _, much = groups
    if not len(little) or not len(much):
        return ()
    found, names = [], []
    for system, share in zip(translations.systems, shares, strict=True):
        statistics = cder_statistics(translations, system)
        words = [float(statistics[rows, 1].sum()) for rows in (little, much)]
        if not all(words):
            continue
        rates = [
            float(statistics[rows, 0].sum()) / count
            for rows, count in zip((little, much), words, strict=True)
        ]
        explained = 100 * (rates[1] - rates[0]) * words[1] / float(statistics[:, 1].sum())
        moved = "" if share is None else f" and does {100 * share:.0f} % of it"
        found.append(
            Finding(
                f"{system.name} is worse where the pair needs much reordering{moved}: CDER "
                f"{rates[1]:.3f} against {rates[0]:.3f} where it needs little, {explained:.1f} "
                "points of its CDER.",
                max(explained, 0.0),
                _worst(system, much, translations.metrics[0].higher_is_better),
            )
        )
        names.append(system.name)
    return worst_of_systems(found, names) if found else ()
