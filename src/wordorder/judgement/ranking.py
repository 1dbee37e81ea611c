"""Ranking systems by human judgements of their outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.arrays import Bool, Float64, Int64, OnProgress
from wordorder.errors import UsageError, choose
from wordorder.judgement.judgement_files import check_judgements
from wordorder.judgement.judgements import FailedRater, Judgements, PairJudgements, Ratings
from wordorder.judgement.mean_ratings import RatedPair, resampled_means, weighted_mean
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.progress import shows_progress
from wordorder.records import Record, key
from wordorder.statistics import ranking_models, trueskill
from wordorder.statistics.exact_means import exact_means, group_sums
from wordorder.statistics.measurement import bootstrap_totals
from wordorder.text.opening import Path

RANKED_BY = ("wins", "expected-wins", "bradley-terry", "trueskill", "z", "mean")
# The ways that rank by ratings, not by pairs.
_BY_RATINGS = ("z", "mean")
# Wins and losses added to each system on resamples, where a system may win always. So few do not
# change the strengths of others.
_RESAMPLE_PRIOR = 0.01
# Matches that runs of TrueSkill play, approximately, between two reports of progress.
_MATCHES_PER_REPORT = 1 << 21


@dataclass(frozen=True)
class RankedSystem(Record):
    """A system in a ranking."""

    system: str = key(
        "its name; systems come with the best of each component first", heading="system"
    )
    value: float = key(
        "higher is better; missing without a decided judgement", null=True, heading="value"
    )
    low: float = key(
        "the lower end of the interval, from resampling items", null=True, heading="interval"
    )
    high: float = key("the upper end of the interval", null=True, heading="interval")
    cluster: int = key(
        "from 1, the best of its component; the ranks of systems of one cluster overlap, directly "
        "or through others"
    )
    best: int = key("the best rank that it may have, from 1", heading="rank")
    worst: int = key("the worst rank that it may have", heading="rank")
    judgements: int = key("how many judgements or ratings it has", heading="judgements")
    component: int = key(
        "from 1; systems of two components were never compared, not even through others, so ranks "
        "and clusters are those within a component",
        heading="component",
        default=1,
    )
    above: tuple[str, ...] = key(
        "the systems that it surely beats, each pair taken by itself", default=()
    )


@dataclass(frozen=True)
class Ranking(Record, rows="systems", first="system by", last="signature?"):
    """Systems ranked by people."""

    by: str = key("what the systems are ranked by")
    over: str = key("what was resampled: `items`, `raters` or `both`")
    judgements: int = key("judged pairs of systems; with `z` and `mean` the ratings that count")
    ties: int = key("how many of the pairs tie")
    items: int = key("how many items, or segments, were judged")
    raters: int = key("how many raters there are")
    level: float = key("the level of the intervals")
    resamples: int = key("how many resamples were drawn")
    seed: int = key("where the random choices started")
    prior: float = key("with `bradley-terry`: the wins and losses that were added to each system")
    systems: tuple[RankedSystem, ...] = key("the systems")
    pairs: tuple[RatedPair, ...] | None = key(
        "with `--pairs`: the differences of the systems' mean ratings", default=None
    )
    signature: str | None = key(
        "of a project of `rate`: how the judgements were collected", default=None
    )
    failed_raters: tuple[FailedRater, ...] = key(
        "of a project: who failed the control items and is left out", default=()
    )
    everybody: Ranking | None = key(
        "of a project: the same result with those who failed", default=None
    )


@shows_progress("runs", total=lambda given: given.get("resamples"))
def rank(
    judgements: Judgements | Path,
    *,
    by: str | None = None,
    over: str = "items",
    languages: str | None = None,
    items: Path | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    prior: float = 0.0,
    progress: OnProgress | None = None,
) -> Ranking:
    r"""Rank systems by human judgements, with intervals and clusters from resampling items.

    Parameters
    ----------
    judgements : PairJudgements, Ratings or path
        Judgements, or a file, see `read_judgements`. Two ratings by one rater on one item form a
        pair.
    by : "wins", "expected-wins", "bradley-terry", "trueskill", "z" or "mean", optional
        Won / (won + lost), ties ignored; the mean of that over opponents (WMT13); the logarithm of
        the odds; the mean skill over runs of matches (WMT14-16, see `trueskill_runs`); the mean
        standard score over segments (direct assessment); the mean rating over segments. By
        default "wins" for pairs and "z" for ratings.
    over : "items", "raters" or "both"
        What is resampled: items with all their judgements, raters with all of theirs, or both
        (only for `by` "z" and "mean").
    languages, items : optional
        Passed on to `read_judgements`.
    level : float
        The confidence of the intervals.
    resamples : int
        Also the number of runs of TrueSkill.
    seed : int
    prior : float
        For "bradley-terry": the number of wins, and of losses, added to each system; see
        `bradley_terry`.
    progress : callable, optional
        Called with the number of runs of TrueSkill that are done.

    Returns
    -------
    Ranking

    Raises
    ------
    InputError
        See `read_judgements`.
    UsageError
        If an option is wrong or does not apply to the judgements.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.tsv")
    >>> rows = [f"{n}\tB\tA" if n % 4 else f"{n}\tA\tB" for n in range(24)]
    >>> _ = path.write_text("\n".join(["segment\tbetter\tworse", *rows]))
    >>> [(system.system, system.value) for system in rank(path).systems]
    [('B', 0.75), ('A', 0.25)]
    """
    judgements = check_judgements(judgements, languages, items, over=over, level=level)
    if prior and by != "bradley-terry":
        raise UsageError("--prior is for --by=bradley-terry")
    default = "z" if isinstance(judgements, Ratings) else "wins"
    by = default if by is None else choose("by", by, RANKED_BY)
    sampling = {"resamples": resamples, "seed": seed}
    if by in _BY_RATINGS:
        ranked = _rank_ratings(judgements, by, over, **sampling)
    else:
        ranked = _rank_pairs(judgements, by, over, prior, progress, **sampling)
    if over != "raters":
        judgements.note_few_items("intervals are too narrow and clusters too many")
    everybody = None
    if judgements.everybody is not None:
        options: dict[str, Any] = {"over": over, "prior": prior, "level": level, **sampling}
        everybody = rank(judgements.everybody, by=by, progress=progress, **options)
    return Ranking(
        by=by,
        over=over,
        judgements=ranked.size,
        ties=ranked.ties,
        items=ranked.items,
        raters=len(judgements.raters),
        level=level,
        resamples=resamples,
        seed=seed,
        prior=prior,
        systems=tuple(_ranked_systems(judgements.systems, ranked, level)),
        signature=judgements.signature or None,
        failed_raters=judgements.failed,
        everybody=everybody,
    )


@dataclass(frozen=True, eq=False)
class _RankedValues:
    """The values that rank systems, with their resamples.

    Attributes
    ----------
    values : float64[N]
    samples : float64[R, N]
        The values on each resample.
    counts : int64[N]
        Number of judgements of each system.
    components : list of int64[n]
        Systems that were compared with each other, directly or through others.
    size, ties, items : int
        Number of judgements, of ties among them, and of judged items.
    """

    values: Float64
    samples: Float64
    counts: Int64
    components: list[Int64]
    size: int
    ties: int
    items: int


def _rank_ratings(judgements: Judgements, by: str, over: str, **sampling: int) -> _RankedValues:
    """Return the mean score of each system."""
    if not isinstance(judgements, Ratings):
        for_pairs = ", ".join(name for name in RANKED_BY if name not in _BY_RATINGS)
        raise UsageError(f"{by} ranks by ratings, and these are pairs; choose one of {for_pairs}")
    scores = judgements.value if by == "mean" else _standard_scores(judgements)
    scored = judgements.taking(~np.isnan(scores))
    values, samples = _mean_scores(scored, scores[~np.isnan(scores)], over, **sampling)
    return _RankedValues(
        values=values,
        samples=samples,
        counts=np.bincount(scored.system, minlength=len(scored.systems)),
        components=_components(_rated_together(scored)),
        size=len(scored),
        ties=0,
        items=len(np.unique(scored.item)),
    )


def _rank_pairs(
    judgements: Judgements,
    by: str,
    over: str,
    prior: float,
    progress: OnProgress | None,
    *,
    resamples: int,
    seed: int,
) -> _RankedValues:
    """Return the value of each system, from judgements of pairs."""
    if over == "both":
        raise UsageError(f"items and raters are resampled by z and mean only, not by {by}")
    pairs = judgements.pairs() if isinstance(judgements, Ratings) else judgements
    assert isinstance(pairs, PairJudgements)
    pairs = pairs.expanded()
    if not len(pairs):
        raise UsageError(f"{by} ranks by pairs, but no rater rated two systems on one item")
    if by == "trueskill" and over == "raters":
        raise UsageError("trueskill resamples items; choose another way for raters")
    compared = np.zeros((len(pairs.systems),) * 2, np.bool_)
    compared[pairs.first, pairs.second] = compared[pairs.second, pairs.first] = True
    components = _components(compared)
    if by == "trueskill":
        values, samples = _mean_skills(pairs, resamples, seed, progress)
    else:
        sampling = {"resamples": resamples, "seed": seed}
        values, samples = _values_of_wins(pairs, by, over, prior, components, **sampling)
    judged = np.concatenate([pairs.first, pairs.second])
    return _RankedValues(
        values=values,
        samples=samples,
        counts=np.bincount(judged, minlength=len(pairs.systems)),
        components=components,
        size=len(pairs),
        ties=int(np.count_nonzero(pairs.outcome == 0)),
        items=len(judgements.items),
    )


def _ranked_systems(
    systems: Sequence[str], ranked: _RankedValues, level: float
) -> Iterator[RankedSystem]:
    """Yield the systems of each component, the best first."""
    for component, members in enumerate(ranked.components, 1):
        names = [systems[i] for i in members]
        value, samples = ranked.values[members], ranked.samples[:, members]
        ranges = ranking_models.rank_ranges(value, samples, level=level)
        order = np.argsort(-np.where(np.isnan(value), -np.inf, value), kind="stable").tolist()
        for i in order:
            yield RankedSystem(
                system=names[i],
                value=value[i].item(),
                low=ranges.low[i].item(),
                high=ranges.high[i].item(),
                cluster=ranges.cluster[i].item(),
                best=ranges.best[i].item(),
                worst=ranges.worst[i].item(),
                judgements=ranked.counts[members][i].item(),
                component=component,
                above=tuple(names[j] for j in order if ranges.above[i, j]),
            )


def _components(compared: Bool) -> list[Int64]:
    """Group systems that were compared with each other, directly or through others."""
    first = ranking_models.reachable(compared).argmax(axis=1)
    return [np.flatnonzero(first == system) for system in np.unique(first)]


def _rated_together(ratings: Ratings) -> Bool:
    """Return which pairs of systems have a rated item or a rater in common, bool[n, n].

    All unknown raters are treated as one rater.
    """
    rated_together = np.zeros((len(ratings.systems),) * 2, np.bool_)
    for column in (ratings.item, ratings.rater + 1):
        rated = np.zeros((len(rated_together), int(column.max(initial=0)) + 1), np.float32)
        rated[ratings.system, column] = 1
        rated_together |= rated @ rated.T > 0
    return rated_together


def _mean_scores(
    ratings: Ratings, scores: Float64, over: str, **sampling: int
) -> tuple[Float64, Float64]:
    """Return the mean score of each system, and its values on resamples."""
    means = ratings.means(scores)
    rated = ~np.isnan(means)
    sums = np.vstack([np.where(rated, means, 0.0), rated]).T
    values = exact_means(means)
    if over == "both":
        samples = resampled_means(replace(ratings, value=scores), over=over, **sampling)
        return values, np.array([weighted_mean(means, weights) for weights, means in samples])
    if over == "raters":
        return values, values + _deviations_by_raters(ratings, scores, **sampling)
    return values, _means_of_totals(bootstrap_totals(sums, **sampling))


def _means_of_totals(totals: Float64) -> Float64:
    """Divide sums, the left half of each row, by counts, the right half; NaN for a count of 0."""
    sums, counts = np.split(totals, 2, axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _standard_scores(ratings: Ratings) -> Float64:
    """Return standard scores; NaN, with a note, for raters who gave only one value."""
    if ratings.standard is not None:
        return ratings.standard
    scores = ranking_models.standard_scores(ratings.value, ratings.rater)
    if not ratings.raters:
        note("the file names no raters: all values were standardised together")
    if unknown := int(np.isnan(scores).sum()):
        share = percent(unknown, len(scores))
        count = f"{counted(unknown, 'rating')} of {len(scores)} ({share})"
        note(f"left out {count} of raters who gave one value only")
    if unknown == len(scores):
        raise UsageError("no rater gave two different values, so z says nothing")
    return scores


def _deviations_by_raters(ratings: Ratings, scores: Float64, **sampling: int) -> Float64:
    """Return the differences of mean scores on resamples of raters from those on all raters."""
    systems, raters = len(ratings.systems), len(ratings.raters)
    cells = ratings.rater.astype(np.int64) * systems + ratings.system
    sums, counts = (
        group_sums(values, cells, raters * systems).reshape(raters, systems)
        for values in (scores, np.ones(len(scores)))
    )
    totals = np.hstack([sums, counts])
    resampled = bootstrap_totals(totals, **sampling)
    means = _means_of_totals(np.vstack([totals.sum(axis=0), resampled]))
    return np.asarray(means[1:] - means[0], np.float64)


def _values_of_wins(
    pairs: PairJudgements,
    by: str,
    over: str,
    prior: float,
    components: Sequence[Int64],
    **sampling: int,
) -> tuple[Float64, Float64]:
    """Return the value of each system, and its values on resamples."""
    systems = len(pairs.systems)
    unit, units = pairs.item, len(pairs.items)
    if over == "raters":
        unit, units = pairs.rater, len(pairs.raters)
    judged = unit, pairs.first, pairs.second, pairs.outcome
    counts = ranking_models.wins_by_item(*judged, items=units, systems=systems)
    resampled = bootstrap_totals(counts, **sampling).reshape(-1, systems, systems)
    total = counts.sum(axis=0).reshape(systems, systems)
    if by == "bradley-terry":
        values, samples = np.empty(systems), np.empty((len(resampled), systems))
        for members in components:
            rows, columns = np.ix_(members, members)
            wins = total[rows, columns]
            if not prior:
                ranking_models.require_strengths(wins, [pairs.systems[i] for i in members])
            values[members] = ranking_models.bradley_terry(wins, prior=prior)
            samples[:, members] = ranking_models.bradley_terry(
                resampled[:, rows, columns], prior=prior or _RESAMPLE_PRIOR
            )
        return values, samples
    value: Callable[[Float64], Float64] = (
        ranking_models.ratio_of_wins if by == "wins" else ranking_models.expected_wins
    )
    return value(total), value(resampled)


def _mean_skills(
    pairs: PairJudgements, runs: int, seed: int, progress: OnProgress | None
) -> tuple[Float64, Float64]:
    """Return the mean skill of each system by TrueSkill, and the skills of each run."""
    runs_per_call = max(1, _MATCHES_PER_REPORT // len(pairs))
    judged = pairs.item, pairs.first, pairs.second, pairs.outcome
    sizes: dict[str, Any] = {"items": len(pairs.items), "systems": len(pairs.systems), "seed": seed}
    skills = []
    for first in range(0, runs, runs_per_call):
        if progress is not None:
            progress(first)
        count = min(runs_per_call, runs - first)
        skills.append(trueskill.trueskill_runs(*judged, runs=count, before=first, **sizes).mu)
    samples = np.concatenate(skills)
    return samples.mean(axis=0), samples
