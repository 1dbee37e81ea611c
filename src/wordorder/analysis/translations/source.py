"""How much reordering sentences need, how much is done, and how literal translations are."""

from itertools import pairwise

import numpy as np

from wordorder.alignment.alignments import Alignments, Links
from wordorder.analysis.findings import worst_of_systems
from wordorder.analysis.section import Finding, Group, Section, Value, with_bounds
from wordorder.analysis.translations.translations import (
    TranslatedSystem,
    Translations,
    cder_statistics,
)
from wordorder.arrays import Float64, Int64, Ragged, concat_ranges, row_offsets
from wordorder.messages import counted, joined, percent
from wordorder.metrics.contract import BaseMetric, statistics_in_pieces
from wordorder.metrics.link_metrics import NonMonotonicity, Synchrony, Unaligned
from wordorder.metrics.order.chunks import FuzzyReorderingScore
from wordorder.metrics.registry import called
from wordorder.order.orders import Orders
from wordorder.order.reference import reference_orders
from wordorder.segments import Segments
from wordorder.statistics.intervals import DRAWN, ResamplingPlan, estimated_on
from wordorder.statistics.measurement import Measurement, bootstrap_scores
from wordorder.statistics.paired_tests import Comparison, compared_on, judged_by_swaps


def reordering(links: Alignments, source_lengths: Int64) -> Float64:
    """Return how far the order of each translation is from that of its source.

    The links order the source words as the translation has them; a word without a link follows the
    word before it (the rule ``lrscore``). The measure is 1 minus the FRS of the source as it is
    against that order.

    Parameters
    ----------
    links : Alignments, S rows
        From source to translation.
    source_lengths : int64[S]

    Returns
    -------
    float64[S]
        From 0 for a translation in the order of its source to 1; NaN for a sentence without links
        or words.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 2), (1, 0), (2, 1)], [(0, 0), (1, 1)], []])
    >>> reordering(links, np.array([3, 2, 2])).tolist()
    [0.5, 0.0, nan]
    """
    places = concat_ranges(0, source_lengths).astype(np.int32)
    unchanged = Orders(Ragged(places, row_offsets(source_lengths)))
    wanted = reference_orders(links, source_lengths, rule="lrscore")
    scores = FuzzyReorderingScore().segment_scores(Segments.from_orders(unchanged, wanted))
    linked = (np.diff(links.offsets) > 0) & (source_lengths > 0)
    return np.where(linked, 1.0 - scores, np.nan)


def needed_reordering(translations: Translations) -> Float64 | None:
    """Return how much reordering each sentence pair needs: that of its first reference.

    Returns
    -------
    float64[S], or None
        NaN for a segment without a reference or without links; None where the references are not
        aligned with the source.
    """
    if translations.links is None:
        return None
    links = translations.links[0]
    if links.references is None or links.source_lengths is None:
        return None
    offsets = translations.texts.reference_offsets
    needed = np.full(len(translations), np.nan)
    some = np.flatnonzero(np.diff(offsets) > 0)
    needed[some] = reordering(links.references.take(offsets[some]), links.source_lengths[some])
    return needed


GROUPS = ("little", "some", "much")

# A system that does less than this share of what the pairs with much reordering need is monotone.
MONOTONE = 0.5

_EXAMPLES = 10


def reordering_section(translations: Translations, drawn: ResamplingPlan = DRAWN) -> Section | None:
    """Make the table ``needed-reordering``; None without links of source and references.

    Parameters
    ----------
    translations : Translations
    drawn : Drawn
        How intervals are drawn.
    """
    needed = needed_reordering(translations)
    if needed is None or translations.links is None or np.isnan(needed).all():
        return None
    groups = reordering_groups(needed)
    metric, measured = translations.metrics[0], translations.measurement(0)
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
        (estimates,) = drawn.estimates([measured], chosen)
        mean = float(needed[chosen].mean())
        for number, (system, estimate) in enumerate(
            zip(translations.systems, estimates, strict=True)
        ):
            made = done[number][chosen]
            moved = float(np.nanmean(made)) if not np.isnan(made).all() else None
            shares[number] = None if moved is None or not mean else moved / mean
            rows.append((name, len(chosen), mean, system.name, moved, *with_bounds(estimate)))
            examples.append(_worst(system, chosen, metric.higher_is_better))
    unknown = int(np.count_nonzero(np.isnan(needed)))
    note = (
        "Needed: 1 minus the FRS of the unchanged source against the order of the first "
        "reference, on average. Done: the same against the order of the translation. The groups "
        "are thirds of the sentences by needed reordering; equal values stay in one group. Low, "
        f"high: the {100 * drawn.level:g} % interval by bootstrap resampling {drawn.how}."
    )
    if unknown:
        note += (
            f" Left out: {counted(unknown, 'sentence')} without links "
            f"({percent(unknown, len(needed))})."
        )
    return Section(
        key="needed-reordering",
        group=Group.NEEDED,
        whole=True,
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
        compared = np.zeros(len(system))
        for rows, count, factor in zip((little, much), words, (-1, 1), strict=True):
            compared[rows] = factor * 100 * statistics[rows, 0] / count
        moved = "" if share is None else f" (of which it does {100 * share:.0f} %)"
        seen = np.zeros(len(system))
        above = statistics[much, 0] / np.maximum(statistics[much, 1], 1) - rates[0]
        seen[much] = np.maximum(above, 0)
        found.append(
            Finding(
                f"{system.name} has a CDER of {100 * rates[1]:.1f} points where the pair needs "
                f"much reordering{moved}, but {100 * rates[0]:.1f} where it needs little: that "
                f"costs it {explained:.1f} points.",
                max(explained, 0.0),
                compared=compared,
                seen=seen,
            )
        )
        names.append(system.name)
    return worst_of_systems(found, names) if found else ()


REFERENCE = "(reference)"

MEASURES: tuple[tuple[str, BaseMetric], ...] = (
    ("non-monotonicity", NonMonotonicity()),
    ("unaligned source words", Unaligned()),
    ("synchrony", Synchrony()),
)


def literalness_section(
    translations: Translations, drawn: ResamplingPlan = DRAWN
) -> Section | None:
    """Make the table ``literalness``; None without links of source and systems.

    Parameters
    ----------
    translations : Translations
    drawn : Drawn
        How intervals are drawn.
    """
    if translations.links is None:
        return None
    names = list(translations.names)
    segments = [system.segments for system in translations.systems]
    human = _of_references(translations)
    if human is not None:
        names, segments = [REFERENCE, *names], [human, *segments]
    measurements = [
        Measurement(
            [statistics_in_pieces(metric, each) for each in segments],
            metric.score,
            metric.higher_is_better,
        )
        for _, metric in MEASURES
    ]
    measurements = [drawn.rows(measured) for measured in measurements]
    resampled = bootstrap_scores(measurements, resamples=drawn.resamples, seed=drawn.seed)
    pairs = zip(measurements, resampled, strict=True)
    tests = [compared_on(*each, seed=drawn.seed) for each in pairs]
    tests = judged_by_swaps(tests, measurements, drawn.swaps)
    rows: list[tuple[Value, ...]] = []
    for (measure, _), measured, samples, test in zip(
        MEASURES, measurements, resampled, tests, strict=True
    ):
        for number, estimate in enumerate(estimated_on(measured, samples, drawn.level)):
            against: tuple[Value, Value] = (None, None)
            if human is not None and number:
                pair = test.pair(0, number)
                against = (pair.difference, pair.p_value)
            rows.append((measure, names[number], *with_bounds(estimate), *against))
    return Section(
        key="literalness",
        group=Group.NEEDED,
        whole=True,
        title="How literal the translations are",
        reading=_literal_reading(names, tests[0], human is not None),
        header=("measure", "text", "value", "low", "high", "from the reference", "p"),
        rows=tuple(rows),
        note="Non-monotonicity: the mean distance of the links from the diagonal; 0 for a "
        "translation that follows its source word by word. Unaligned source words: the "
        "share without a link; high for free translations (Raunak et al. 2023). Synchrony: "
        "the rank correlation of linked positions, from 0 to 1; 1 for the order of the "
        f"source. Low, high: the {100 * drawn.level:g} % interval by bootstrap resampling "
        f"{drawn.how}; p: by {tests[0].test_name}.",
        signature=" ".join(str(metric.signature()) for _, metric in MEASURES),
    )


def _of_references(translations: Translations) -> Segments | None:
    """Return the first references as if they were a system, where they are aligned."""
    assert translations.links is not None
    links = translations.links[0]
    offsets = translations.texts.reference_offsets
    if links.references is None or links.reference_lengths is None or not np.diff(offsets).all():
        return None
    first = offsets[:-1]
    return Segments(
        links=Links(
            links.references.take(first), None, links.source_lengths, links.reference_lengths[first]
        ),
        _checked=True,
    )


def _literal_reading(names: list[str], test: Comparison, human: bool) -> str:
    """Say which systems are more monotone than the reference, or than the others."""
    if human:
        marks = {name: test.pair(0, number).mark for number, name in enumerate(names) if number}
        said = []
        for mark, how in (("+**", "closer to"), ("-**", "less close to")):
            if group := [name for name, each in marks.items() if each == mark]:
                verb = "keeps" if len(group) == 1 else "keep"
                said.append(
                    f"{joined(group)} {verb} {how} the order of the source than the reference"
                )
        if said:
            return f"{'; '.join(said)} (non-monotonicity, 95 %)."
        return "No system is significantly closer to the order of the source than the reference."
    values = test.values
    order = sorted(range(len(names)), key=lambda number: (values[number], number))
    if len(order) < 2:
        return f"{names[0]} has a non-monotonicity of {values[0]:.4f}."
    return (
        f"{names[order[0]]} stays closest to the order of the source (non-monotonicity "
        f"{values[order[0]]:.4f}), {names[order[-1]]} least ({values[order[-1]]:.4f})."
    )
