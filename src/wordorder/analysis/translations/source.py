"""The reordering that sentences need and that systems do, and how literal translations are."""

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
from wordorder.statistics.intervals import DEFAULT_PLAN, ResamplingPlan, estimates_on_resamples
from wordorder.statistics.measurement import Measurement, bootstrap_scores
from wordorder.statistics.paired_tests import Comparison, compare_resamples, retest_by_swaps

# Groups of sentences by needed reordering.
NEED_NAMES = ("little", "some", "much")

# A system is monotone if it does less than this share of the reordering that the last group needs.
MAX_MONOTONE_SHARE = 0.5

MAX_EXAMPLES = 10

REFERENCE_NAME = "(reference)"

LITERALNESS_METRICS: tuple[tuple[str, BaseMetric], ...] = (
    ("non-monotonicity", NonMonotonicity()),
    ("unaligned source words", Unaligned()),
    ("synchrony", Synchrony()),
)


def reordering(links: Alignments, source_lengths: Int64) -> Float64:
    """Return the distance between the word order of each translation and that of its source.

    The links sort the source words by their translations; a word without a link follows the word
    before it (the rule ``lrscore``). The distance is 1 minus the FRS of the source order against
    this order.

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
    positions = concat_ranges(0, source_lengths).astype(np.int32)
    unchanged = Orders(Ragged(positions, row_offsets(source_lengths)))
    reference = reference_orders(links, source_lengths, rule="lrscore")
    scores = FuzzyReorderingScore().segment_scores(Segments.from_orders(unchanged, reference))
    linked = (np.diff(links.offsets) > 0) & (source_lengths > 0)
    return np.where(linked, 1.0 - scores, np.nan)


def needed_reordering(translations: Translations) -> Float64 | None:
    """Return the reordering that each sentence pair needs: that of its first reference.

    Returns
    -------
    float64[S], or None
        NaN for a segment without a reference or without links; None if the references are not
        aligned with the source.
    """
    if translations.links is None:
        return None
    links = translations.links[0]
    if links.references is None or links.source_lengths is None:
        return None
    offsets = translations.texts.reference_offsets
    needed = np.full(len(translations), np.nan)
    has_reference = np.flatnonzero(np.diff(offsets) > 0)
    needed[has_reference] = reordering(
        links.references.take(offsets[has_reference]), links.source_lengths[has_reference]
    )
    return needed


def reordering_section(
    translations: Translations, plan: ResamplingPlan = DEFAULT_PLAN
) -> Section | None:
    """Make the table ``needed-reordering``; None without links of source and references.

    Parameters
    ----------
    translations : Translations
    plan : ResamplingPlan
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
    for name, segments in zip(NEED_NAMES, groups, strict=True):
        if not len(segments):
            continue
        (estimates,) = plan.estimates([measured], segments)
        mean = float(needed[segments].mean())
        for index, (system, estimate) in enumerate(
            zip(translations.systems, estimates, strict=True)
        ):
            done_there = done[index][segments]
            mean_done = float(np.nanmean(done_there)) if not np.isnan(done_there).all() else None
            shares[index] = None if mean_done is None or not mean else mean_done / mean
            rows.append((name, len(segments), mean, system.name, mean_done, *with_bounds(estimate)))
            examples.append(_worst(system, segments, metric.higher_is_better))
    unknown = int(np.count_nonzero(np.isnan(needed)))
    note = (
        "Needed: 1 minus the FRS of the unchanged source against the order of the first "
        "reference, on average. Done: the same against the order of the translation. The groups "
        "are thirds of the sentences by needed reordering; equal values stay in one group. Low, "
        f"high: the {100 * plan.level:g} % interval by bootstrap resampling {plan.how}."
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
    """Divide the sentences into thirds by needed reordering: little, some, much.

    Equal values are in one group, so groups may differ in size or be empty.

    Examples
    --------
    >>> [g.tolist() for g in reordering_groups(np.array([0.5, 0, 0.2, 0, 0, np.nan, 1]))]
    [[1, 3, 4], [2], [0, 6]]
    """
    with_links = np.flatnonzero(~np.isnan(needed))
    if not len(with_links):
        return with_links, with_links, with_links
    values = np.round(needed[with_links], 12)
    lower, upper = np.sort(values)[[(len(with_links) - 1) // 3, (2 * len(with_links) - 1) // 3]]
    bounds = (-np.inf, lower, upper, np.inf)
    little, medium, much = (
        with_links[(values > low) & (values <= high)] for low, high in pairwise(bounds)
    )
    return little, medium, much


def _worst(system: TranslatedSystem, segments: Int64, higher: bool) -> tuple[int, ...]:
    """Return the sentences of a group with the worst scores of a system."""
    scores = np.nan_to_num(system.scores[0][segments], nan=1.0 if higher else 0.0)
    order = np.argsort(scores if higher else -scores, kind="stable")
    return tuple(segments[order][:MAX_EXAMPLES].tolist())


def _reading(translations: Translations, shares: list[float | None]) -> str:
    """Describe which systems follow the source order where much reordering is needed."""
    known_shares = [
        (name, share)
        for name, share in zip(translations.names, shares, strict=True)
        if share is not None
    ]
    monotone = [name for name, share in known_shares if share < MAX_MONOTONE_SHARE]
    clauses = "; ".join(f"{name} does {100 * share:.0f} % of it" for name, share in known_shares)
    reading = (
        (f"Share of the needed reordering that is done in the last group: {clauses}.")
        if clauses
        else ""
    )
    if monotone:
        verb = "follows" if len(monotone) == 1 else "follow"
        reading += f" {joined(monotone)} mostly {verb} the source order there."
    return reading


def _findings(
    translations: Translations, groups: tuple[Int64, Int64, Int64], shares: list[float | None]
) -> tuple[Finding, ...]:
    """Return a finding about the higher CDER of sentences that need much reordering."""
    little, _, much = groups
    if not len(little) or not len(much):
        return ()
    findings, names = [], []
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
        done = "" if share is None else f" (of which it does {100 * share:.0f} %)"
        seen = np.zeros(len(system))
        above = statistics[much, 0] / np.maximum(statistics[much, 1], 1) - rates[0]
        seen[much] = np.maximum(above, 0)
        findings.append(
            Finding(
                f"{system.name} has a CDER of {100 * rates[1]:.1f} points where the pair needs "
                f"much reordering{done}, but {100 * rates[0]:.1f} where it needs little: that "
                f"costs it {explained:.1f} points.",
                max(explained, 0.0),
                compared=compared,
                seen=seen,
            )
        )
        names.append(system.name)
    return worst_of_systems(findings, names) if findings else ()


def literalness_section(
    translations: Translations, plan: ResamplingPlan = DEFAULT_PLAN
) -> Section | None:
    """Make the table ``literalness``; None without links of source and systems.

    Parameters
    ----------
    translations : Translations
    plan : ResamplingPlan
    """
    if translations.links is None:
        return None
    names = list(translations.names)
    segments = [system.segments for system in translations.systems]
    reference = _of_references(translations)
    if reference is not None:
        names, segments = [REFERENCE_NAME, *names], [reference, *segments]
    measurements = [
        Measurement(
            [statistics_in_pieces(metric, system_segments) for system_segments in segments],
            metric.score,
            metric.higher_is_better,
        )
        for _, metric in LITERALNESS_METRICS
    ]
    measurements = [plan.rows(measured) for measured in measurements]
    resampled = bootstrap_scores(measurements, resamples=plan.resamples, seed=plan.seed)
    pairs = zip(measurements, resampled, strict=True)
    tests = [compare_resamples(*pair, seed=plan.seed) for pair in pairs]
    tests = retest_by_swaps(tests, measurements, plan.swaps)
    rows: list[tuple[Value, ...]] = []
    for (measure, _), measured, samples, test in zip(
        LITERALNESS_METRICS, measurements, resampled, tests, strict=True
    ):
        for index, estimate in enumerate(estimates_on_resamples(measured, samples, plan.level)):
            comparison: tuple[Value, Value] = (None, None)
            if reference is not None and index:
                pair = test.pair(0, index)
                comparison = (pair.difference, pair.p_value)
            rows.append((measure, names[index], *with_bounds(estimate), *comparison))
    return Section(
        key="literalness",
        group=Group.NEEDED,
        whole=True,
        title="How literal the translations are",
        reading=_literal_reading(names, tests[0], reference is not None),
        header=("measure", "text", "value", "low", "high", "from the reference", "p"),
        rows=tuple(rows),
        note="Non-monotonicity: the mean distance of the links from the diagonal; 0 for a "
        "translation that follows its source word by word. Unaligned source words: the "
        "share without a link; high for free translations (Raunak et al. 2023). Synchrony: "
        "the rank correlation of linked positions, from 0 to 1; 1 for the order of the "
        f"source. Low, high: the {100 * plan.level:g} % interval by bootstrap resampling "
        f"{plan.how}; p: by {tests[0].test_name}.",
        signature=" ".join(str(metric.signature()) for _, metric in LITERALNESS_METRICS),
    )


def _of_references(translations: Translations) -> Segments | None:
    """Return the first references as the segments of a system; None if they are not aligned."""
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


def _literal_reading(names: list[str], test: Comparison, has_reference: bool) -> str:
    """Describe which systems are more monotone than the reference, or than the others."""
    if has_reference:
        marks = {name: test.pair(0, index).mark for index, name in enumerate(names) if index}
        clauses = []
        for mark, comparison in (("+**", "closer to"), ("-**", "less close to")):
            if group := [name for name, system_mark in marks.items() if system_mark == mark]:
                verb = "keeps" if len(group) == 1 else "keep"
                clauses.append(
                    f"{joined(group)} {verb} {comparison} the order of the source than the "
                    "reference"
                )
        if clauses:
            return f"{'; '.join(clauses)} (non-monotonicity, 95 %)."
        return "No system is significantly closer to the order of the source than the reference."
    values = test.values
    order = sorted(range(len(names)), key=lambda index: (values[index], index))
    if len(order) < 2:
        return f"{names[0]} has a non-monotonicity of {values[0]:.4f}."
    return (
        f"{names[order[0]]} stays closest to the order of the source (non-monotonicity "
        f"{values[order[0]]:.4f}), {names[order[-1]]} least ({values[order[-1]]:.4f})."
    )
