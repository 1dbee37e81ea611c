"""What people's judgements say, for every format: rankings, ratings, agreement, progress."""

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
from wordorder.report.scores import LEGEND, cluster_reading, marked_pairs, pair_table
from wordorder.report.tables import Cell, interval, p_number
from wordorder.scoring.significance_summary import triangle_reading
from wordorder.text.display import printable

NAMES = {
    "wins": "ratio of wins: won / (won + lost), ties ignored",
    "expected-wins": "Expected Wins: the mean share won over the opponents, ties ignored",
    "bradley-terry": "Bradley-Terry: logarithm of the odds, ties ignored",
    "trueskill": "TrueSkill: mean skill over the runs",
    "z": "mean standard score over the segments",
    "mean": "mean rating over the segments",
}

MEASURES = {
    "kappa": "kappa: (P_A - P_E) / (1 - P_E), where P_E comes from the shares of better, worse and "
    "tie",
    "kappa-uniform": "kappa-uniform: the same with P_E = 1/3",
    "krippendorff-ordinal": "krippendorff-ordinal: values differ by the ratings between them",
    "krippendorff-interval": "krippendorff-interval: values differ by their squared difference",
    "inter": "inter: different raters",
    "intra": "intra: the same rater on two occasions",
}

# Words of two annotators; more are in the JSON.
WORDS = 10


def ranking_output(ranking: Ranking) -> Output:
    """Show the systems, the best first, a space between clusters, and how they came."""
    return Output.of(ranking, lambda: Document(_ranking_parts(ranking), legends=True))


def _ranking_parts(ranking: Ranking) -> tuple[Part, ...]:
    ends = tuple(
        place
        for place, (system, following) in enumerate(pairwise(ranking.systems))
        if (following.component, following.cluster) > (system.component, system.cluster)
    )
    several = ranking.systems[-1].component > 1
    table = Table.of_records(
        RankedSystem,
        ranking.systems,
        first="rank",
        without="" if several else "component",
        ends=ends,
    )
    everybody = () if ranking.everybody is None else _ranking_parts(ranking.everybody)
    return (
        table,
        _reading(ranking),
        _how(ranking),
        *_collected_parts(ranking.signature, ranking.failed_raters, everybody),
    )


def _reading(ranking: Ranking) -> str:
    """Describe which systems are sure to be above which, component by component."""
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
            above=[{other.system for other in members if other.system in s.above} for s in members],
        )
        readings.append(reading)
    return "\n".join(readings)


def _how(ranking: Ranking) -> str:
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
        f"{NAMES[ranking.by]}{prior}\n"
        f"{counted(ranking.judgements, judgement)}{ties} on {counted(ranking.items, 'item')}; "
        f"[low, high] and the ranks hold in {100 * ranking.level:g} % of "
        f"{counted(ranking.resamples, 'resample')} of the {resampled}, seed {ranking.seed}"
    )


def rated_pairs_output(ranking: Ranking, found: RatedPairs) -> Output:
    """Show the systems by their mean ratings, then the grid and each difference.

    Parameters
    ----------
    ranking : Ranking
        By "mean", of the same ratings.
    found : RatedPairs
    """
    ranked = ranking_output(replace(ranking, pairs=found.pairs))

    def document() -> Document:
        names, marks = found.systems, found.comparison.triangle()
        how = (
            "pairs: differences of mean ratings on the items that both systems were rated on, "
            f"paired bootstrap resampling, {counted(found.comparison.resamples, 'resample')}, "
            f"seed {found.comparison.seed}"
        )
        assert ranked.document is not None
        parts = ranked.document().parts
        if len(names) > 1:
            grid = marked_pairs(names, marks), triangle_reading(names, marks)
            parts = (*parts, *grid, *pair_table(names, found.comparison), LEGEND, how)
        return Document(parts, legends=True)

    return Output(ranked.data, found.to_columns, document)


def agreement_output(measured: RaterAgreement) -> Output:
    """Show each measure with its interval, the sign test, and what the names mean."""
    return Output.of(measured, lambda: Document(_agreement_parts(measured), legends=True))


def _agreement_parts(measured: RaterAgreement) -> tuple[Part, ...]:
    intervals = [
        ("all judgements equal" if row.n else "nothing judged twice")
        if math.isnan(row.value)
        else interval(row.low, row.high)
        for row in measured.measures
    ]
    # Ratings have neither P_A nor P_E.
    of_pairs = any(row.chance is not None for row in measured.measures)
    table = Table.of_records(
        Measure,
        measured.measures,
        without="" if of_pairs else "P_A,P_E",
        cells={"interval": intervals},
    )
    parts: list[Part] = [table] if measured.measures else []
    if measured.sign_test is not None:
        parts.append(_sign_reading(measured.sign_test))
    names = {name for row in measured.measures for name in (row.raters, row.statistic)}
    raters = counted(measured.raters, "rater") if measured.raters else "unnamed raters"
    how = (
        f"{counted(measured.judgements, 'judgement')} by {raters} on "
        f"{counted(measured.items, 'item')}; [low, high] is the {100 * measured.level:g} % "
        f"interval of {counted(measured.resamples, 'resample')} of the items, seed {measured.seed}"
    )
    parts.append("\n".join([*(text for name, text in MEASURES.items() if name in names), how]))
    if measured.unusual_raters:
        parts += [
            Table.of_records(UnusualRater, measured.unusual_raters),
            "Unusual raters: correlation with the mean of the others on the same outputs, and how "
            "much higher they rate. Their ratings are included.",
        ]
    everybody = () if measured.everybody is None else _agreement_parts(measured.everybody)
    return *parts, *_collected_parts(measured.signature, measured.failed_raters, everybody)


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
    signature: str | None, failed: Sequence[FailedRater], everybody: Sequence[Part]
) -> tuple[Part, ...]:
    """Say how judgements were collected and who is left out, with what they would change.

    Parameters
    ----------
    signature : str or None
        None if the judgements come from a file of another kind: then nothing is said.
    failed : sequence of FailedRater
    everybody : sequence of Table, Signature or str
        The results with those who failed.
    """
    if not signature:
        return ()
    how = ""
    if failed:
        names = ", ".join(
            f"{rater.rater} ({rater.right} of {rater.asked}, {percent(rater.right, rater.asked)})"
            for rater in failed
        )
        raters = counted(len(failed), "rater")
        how = f"left out {raters} with fewer than 60 % of the control items right: {names}"
    return Signature(signature, below=how), *(("With everybody:", *everybody) if everybody else ())


def progress_output(progress: ProjectProgress) -> Output:
    """Show a row for each rater, and how many items are done."""
    return Output(
        progress.to_json,
        lambda: {
            name: [int(cell) if isinstance(cell, bool) else cell for cell in cells]
            for name, cells in progress.to_columns().items()
        },
        lambda: _progress_document(progress),
    )


def _progress_document(found: ProjectProgress) -> Document:
    remarks = []
    for rater in found.raters:
        said = ["link closed"] * rater.revoked + ["too few control items right"] * rater.failed
        if rater.empty:
            said.append(f"{rater.empty} with nothing to align")
        if rater.unconfirmed:
            said.append(f"{rater.unconfirmed} left empty, not confirmed: not done")
        remarks.append(", ".join(said))
    cells: dict[str, list[Cell]] = {
        "last seen": [rater.seen or "never" for rater in found.raters],
        "control": [f"{r.right} of {r.asked}" if r.asked else "" for r in found.raters],
        "": [*remarks],
    }
    share = percent(found.done, found.items)
    items = f"{found.done} of {counted(found.items, 'item')} ({share}) have all their answers"
    table = Table.of_records(RaterProgress, found.raters, cells=cells)
    return Document((table, Signature(found.signature, above=items)), legends=True)


def annotator_output(measured: AnnotatorAgreement) -> Output:
    """Show each pair of annotators, the words on which they differ most, and the sentences."""
    return Output.of(measured, lambda: _annotator_document(measured))


def _annotator_document(measured: AnnotatorAgreement) -> Document:
    parts: list[Part] = [Table.of_records(LinkAgreement, measured.pairs)]
    for pair in measured.pairs:
        names = f"{pair.first} and {pair.second}"
        if pair.words:
            title = f"Words on which {names} differ most"
            parts.append(Table.of_records(DoubtfulWord, pair.words[:WORDS], title=title))
        lines = [
            f"  {row.sentence}: {_links(row, row.only_first, pair.first)}"
            f"{_links(row, row.only_second, pair.second)}".rstrip("; ")
            for row in pair.differences
        ]
        if lines:
            sentences = counted(len(lines), "sentence")
            verb = "differs" if len(lines) == 1 else "differ"
            parts.append(Verbatim("\n".join([f"{sentences} of {names} {verb}", *lines])))
        if pair.not_compared:
            system_list = ", ".join(map(str, pair.not_compared))
            parts.append(f"Not compared, since their translations differ: {system_list}")
    how = (
        "F1: 2 x links of both / (links of the one + links of the other)\n"
        "kappa: Cohen's, of linked or not over all pairs of words"
    )
    return Document((*parts, Signature(measured.signature, above=how)), legends=True)


def _links(row: LinkDifference, links: Sequence[Link], name: str) -> str:
    """Return the links of one annotator alone, with their words."""
    words = ", ".join(f"{row.source[s]}-{row.target[t]}" for s, t in links)
    return f"{name} {words}; " if words else ""
