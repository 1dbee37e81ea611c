"""Rankings, ratings, agreement and progress of human judgements, for every format."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from wordorder.arrays import group_rows
from wordorder.judgement.judgements import FailedRater
from wordorder.judgement.mean_ratings import RatedPairs
from wordorder.judgement.project_file import ProjectProgress, RaterProgress
from wordorder.judgement.ranking import RankedSystem, Ranking
from wordorder.judgement.rater_agreement import Measure, RaterAgreement, SignTest, UnusualRater
from wordorder.messages import counted, joined, percent
from wordorder.people.annotator_agreement import (
    AnnotatorAgreement,
    DoubtfulWord,
    Link,
    LinkAgreement,
    LinkDifference,
)
from wordorder.report.document import (
    Document,
    Output,
    Part,
    Signature,
    Table,
    Verbatim,
)
from wordorder.report.scores import TRIANGLE_LEGEND, cluster_reading, marked_pairs, pair_table
from wordorder.report.tables import Cell, interval, p_number
from wordorder.scoring.significance_summary import triangle_reading
from wordorder.text.display import printable

RANKING_NOTES = {
    "wins": "ratio of wins: won / (won + lost), ties ignored",
    "expected-wins": "Expected Wins: the mean share won over the opponents, ties ignored",
    "bradley-terry": "Bradley-Terry: logarithm of the odds, ties ignored",
    "trueskill": "TrueSkill: mean skill over the runs",
    "z": "mean standard score over the segments",
    "mean": "mean rating over the segments",
}

MEASURE_NOTES = {
    "kappa": "kappa: (P_A - P_E) / (1 - P_E), where P_E comes from the shares of better, worse and "
    "tie",
    "kappa-uniform": "kappa-uniform: the same with P_E = 1/3",
    "krippendorff-ordinal": "krippendorff-ordinal: values differ by the ratings between them",
    "krippendorff-interval": "krippendorff-interval: values differ by their squared difference",
    "inter": "inter: different raters",
    "intra": "intra: the same rater on two occasions",
}

# The maximum number of doubtful words per pair of annotators; JSON has all.
MAX_LISTED_WORDS = 10


def ranking_output(ranking: Ranking) -> Output:
    """Return the output of a ranking: systems, best first, grouped by cluster, and notes."""
    return Output.of(ranking, lambda: Document(_ranking_parts(ranking), legends=True))


def _ranking_parts(ranking: Ranking) -> tuple[Part, ...]:
    ends = tuple(
        index
        for index, (system, following) in enumerate(pairwise(ranking.systems))
        if (following.component, following.cluster) > (system.component, system.cluster)
    )
    has_components = ranking.systems[-1].component > 1
    table = Table.of_records(
        RankedSystem,
        ranking.systems,
        first="rank",
        without="" if has_components else "component",
        ends=ends,
    )
    unfiltered_parts = () if ranking.everybody is None else _ranking_parts(ranking.everybody)
    return (
        table,
        _cluster_sentences(ranking),
        _ranking_note(ranking),
        *_collected_parts(ranking.signature, ranking.failed_raters, unfiltered_parts),
    )


def _cluster_sentences(ranking: Ranking) -> str:
    """Describe the clusters of systems, component by component."""
    components = group_rows((system.component, system) for system in ranking.systems)
    readings = []
    if len(components) > 1:
        names = [joined([printable(s.system) for s in members]) for members in components.values()]
        readings.append(
            f"{counted(len(components), 'component')} without an order between them, since their "
            f"systems were never compared: {'; '.join(names)}."
        )
    for component, members in components.items():
        if len(components) > 1 and len(members) == 1:
            continue
        clusters = group_rows((system.cluster, place) for place, system in enumerate(members))
        reading = cluster_reading(
            [system.system for system in members],
            list(clusters.values()),
            subject="ranking" if len(components) == 1 else f"ranking of component {component}",
            level=ranking.level,
            above=[
                {lower_system.system for lower_system in members if lower_system.system in s.above}
                for s in members
            ],
        )
        readings.append(reading)
    return "\n".join(readings)


def _ranking_note(ranking: Ranking) -> str:
    """Describe the numbers and the judgements behind them."""
    judgement = "rating" if ranking.by in ("z", "mean") else "judged pair"
    ties = ""
    if judgement == "judged pair":
        share = percent(ranking.ties, ranking.judgements)
        ties = f" ({counted(ranking.ties, 'tie')}, {share})"
    resampled = "items"
    if ranking.over != "items":
        resampled = counted(ranking.raters, "rater")
    if ranking.over == "both":
        resampled = f"items and the {resampled}"
    prior = f", {ranking.prior:g} wins and losses added to each" if ranking.prior else ""
    return (
        f"{RANKING_NOTES[ranking.by]}{prior}\n"
        f"{counted(ranking.judgements, judgement)}{ties} on {counted(ranking.items, 'item')}; "
        f"[low, high] and the ranks hold in {100 * ranking.level:g} % of "
        f"{counted(ranking.resamples, 'resample')} of the {resampled}, seed {ranking.seed}"
    )


def rated_pairs_output(ranking: Ranking, pairs: RatedPairs) -> Output:
    """Return the output of mean ratings: the ranking, the grid of tests, and each difference.

    Parameters
    ----------
    ranking : Ranking
        A ranking of the same ratings, by "mean".
    pairs : RatedPairs
    """
    ranked = ranking_output(replace(ranking, pairs=pairs.pairs))

    def document() -> Document:
        names, marks = pairs.systems, pairs.comparison.triangle()
        note = (
            "pairs: differences of mean ratings on the items that both systems were rated on, "
            f"paired bootstrap resampling, {counted(pairs.comparison.resamples, 'resample')}, "
            f"seed {pairs.comparison.seed}"
        )
        assert ranked.document is not None
        parts = ranked.document().parts
        if len(names) > 1:
            grid = marked_pairs(names, marks), triangle_reading(names, marks)
            parts = (*parts, *grid, *pair_table(names, pairs.comparison), TRIANGLE_LEGEND, note)
        return Document(parts, legends=True)

    return Output(ranked.data, pairs.to_columns, document)


def agreement_output(measured: RaterAgreement) -> Output:
    """Return the output of rater agreement: measures with intervals, the sign test, and notes."""
    return Output.of(measured, lambda: Document(_agreement_parts(measured), legends=True))


def _agreement_parts(measured: RaterAgreement) -> tuple[Part, ...]:
    intervals = [
        ("all judgements equal" if row.n else "nothing judged twice")
        if math.isnan(row.value)
        else interval(row.low, row.high)
        for row in measured.measures
    ]
    # Ratings have no columns P_A and P_E.
    has_pairs = any(row.chance is not None for row in measured.measures)
    table = Table.of_records(
        Measure,
        measured.measures,
        without="" if has_pairs else "P_A,P_E",
        cells={"interval": intervals},
    )
    parts: list[Part] = [table] if measured.measures else []
    if measured.sign_test is not None:
        parts.append(_sign_reading(measured.sign_test))
    names = {name for row in measured.measures for name in (row.raters, row.statistic)}
    raters = counted(measured.raters, "rater") if measured.raters else "unnamed raters"
    note = (
        f"{counted(measured.judgements, 'judgement')} by {raters} on "
        f"{counted(measured.items, 'item')}; [low, high] is the {100 * measured.level:g} % "
        f"interval of {counted(measured.resamples, 'resample')} of the items, seed {measured.seed}"
    )
    parts.append(
        "\n".join([*(text for name, text in MEASURE_NOTES.items() if name in names), note])
    )
    if measured.unusual_raters:
        parts += [
            Table.of_records(UnusualRater, measured.unusual_raters),
            "Unusual raters: correlation with the mean of the others on the same outputs, and how "
            "much higher they rate. Their ratings are included.",
        ]
    unfiltered_parts = () if measured.everybody is None else _agreement_parts(measured.everybody)
    return *parts, *_collected_parts(measured.signature, measured.failed_raters, unfiltered_parts)


def _sign_reading(test: SignTest) -> str:
    """Describe the result of the sign test and its assumptions."""
    return (
        f"{test.better} is preferred to {test.worse} {test.wins} : {test.losses}, "
        f"{counted(test.ties, 'tie')} left out: one-sided p = {p_number(test.p)} by the "
        f"exact sign test ({p_number(test.p_normal)} by the normal approximation).\nThe test "
        "treats all judgements as independent, but judgements of the same item are not; "
        "`wordorder rank` resamples items instead."
    )


def _collected_parts(
    signature: str | None, failed: Sequence[FailedRater], unfiltered_parts: Sequence[Part]
) -> tuple[Part, ...]:
    """Describe how judgements were collected, and the results with the raters left out.

    Parameters
    ----------
    signature : str or None
        None unless the judgements come from a project: then nothing is described.
    failed : sequence of FailedRater
    unfiltered_parts : sequence of Table, Signature or str
        The results with all raters.
    """
    if not signature:
        return ()
    note = ""
    if failed:
        names = ", ".join(
            f"{rater.rater} ({rater.right} of {rater.asked}, {percent(rater.right, rater.asked)})"
            for rater in failed
        )
        raters = counted(len(failed), "rater")
        note = f"left out {raters} with fewer than 60 % of the control items right: {names}"
    return Signature(signature, below=note), *(
        ("With everybody:", *unfiltered_parts) if unfiltered_parts else ()
    )


def progress_output(progress: ProjectProgress) -> Output:
    """Return the output of progress: a row per rater, and the number of finished items."""
    return Output(
        progress.to_json,
        lambda: {
            name: [int(cell) if isinstance(cell, bool) else cell for cell in cells]
            for name, cells in progress.to_columns().items()
        },
        lambda: _progress_document(progress),
    )


def _progress_document(progress: ProjectProgress) -> Document:
    remarks = []
    for rater in progress.raters:
        texts = ["link closed"] * rater.revoked + ["too few control items right"] * rater.failed
        if rater.empty:
            texts.append(f"{rater.empty} with nothing to align")
        if rater.unconfirmed:
            texts.append(f"{rater.unconfirmed} left empty, not confirmed: not done")
        remarks.append(", ".join(texts))
    cells: dict[str, list[Cell]] = {
        "last seen": [rater.seen or "never" for rater in progress.raters],
        "control": [f"{r.right} of {r.asked}" if r.asked else "" for r in progress.raters],
        "": [*remarks],
    }
    share = percent(progress.done, progress.items)
    items = f"{progress.done} of {counted(progress.items, 'item')} ({share}) have all their answers"
    table = Table.of_records(RaterProgress, progress.raters, cells=cells)
    return Document((table, Signature(progress.signature, above=items)), legends=True)


def annotator_output(measured: AnnotatorAgreement) -> Output:
    """Return the output of annotator agreement: pairs, doubtful words, and sentences."""
    return Output.of(measured, lambda: _annotator_document(measured))


def _annotator_document(measured: AnnotatorAgreement) -> Document:
    parts: list[Part] = [Table.of_records(LinkAgreement, measured.pairs)]
    for pair in measured.pairs:
        names = f"{pair.first} and {pair.second}"
        if pair.words:
            title = f"Words on which {names} differ most"
            parts.append(Table.of_records(DoubtfulWord, pair.words[:MAX_LISTED_WORDS], title=title))
        lines = [
            f"  {row.sentence}: {_link_text(row, row.only_first, pair.first)}"
            f"{_link_text(row, row.only_second, pair.second)}".rstrip("; ")
            for row in pair.differences
        ]
        if lines:
            sentences = counted(len(lines), "sentence")
            verb = "differs" if len(lines) == 1 else "differ"
            parts.append(Verbatim("\n".join([f"{sentences} of {names} {verb}", *lines])))
        if pair.not_compared:
            system_list = ", ".join(map(str, pair.not_compared))
            parts.append(f"Not compared, since their translations differ: {system_list}")
    note = (
        "F1: 2 x links of both / (links of the one + links of the other)\n"
        "kappa: Cohen's, of linked or not over all pairs of words"
    )
    return Document((*parts, Signature(measured.signature, above=note)), legends=True)


def _link_text(row: LinkDifference, links: Sequence[Link], name: str) -> str:
    """Return the links of one annotator only, with their words."""
    words = ", ".join(f"{row.source[s]}-{row.target[t]}" for s, t in links)
    return f"{name} {words}; " if words else ""
